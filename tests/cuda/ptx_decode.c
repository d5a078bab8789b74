/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_decode.c - a statement becomes an instruction: its name, and its operands as slots. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_parse.h"

enum { MOST = 8 };

typedef struct operands { char *text[MOST]; int n; } operands;

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
        text[--n] = '\0';
    return text;
}

/* At commas that are in no brackets. */
static operands split(ptx_parser *p, char *text)
{
    operands o = {.n = 0};
    int depth = 0;
    char *from = text;
    if (*trimmed(text) == '\0')
        return o;
    for (;; text++) {
        depth += (*text != '\0' && strchr("{[(", *text) != NULL) - (*text != '\0' && strchr("}])", *text) != NULL);
        if (*text != '\0' && (*text != ',' || depth > 0))
            continue;
        bool last = *text == '\0';
        *text = '\0';
        if (o.n == MOST) {
            ptx_wrong(p, "too many operands", from);
            return o;
        }
        o.text[o.n++] = trimmed(from);
        from = text + 1;
        if (last)
            return o;
    }
}

static int32_t constant(ptx_parser *p, uint64_t value)
{
    ptx_function *f = p->f;
    f->constant = ptx_grown(p, f->constant, f->nconstants, sizeof *f->constant);
    f->constant[f->nconstants].u64 = value;
    return ~f->nconstants++;
}

static int32_t number(ptx_parser *p, const char *text)
{
    char *end;
    bool bits = text[0] == '0' && strchr("fFdD", text[1]) != NULL && text[1] != '\0';
    bool hex = text[0] == '0' && tolower(text[1]) == 'x';
    uint64_t v = strtoull(bits || hex ? text + 2 : text, &end, bits || hex ? 16 : 10);
    if (end == text || *end != '\0')
        ptx_wrong(p, "an operand that is not known", text);
    return constant(p, v);
}

/* A register, "name<count>" being %name0 and so on, or an address. */
static int32_t operand(ptx_parser *p, const char *text)
{
    size_t n = strlen(text), stem = n;
    if (isdigit((unsigned char)text[0]) || text[0] == '-')
        return number(p, text);
    const ptx_symbol *s = ptx_symbol_find(p, text, n);
    if (s != NULL && s->meaning == PTX_SLOT)
        return (int32_t)s->value;
    if (s != NULL && s->meaning == PTX_VALUE)
        return constant(p, s->value);
    while (stem > 0 && isdigit((unsigned char)text[stem - 1]))
        stem--;
    s = stem < n ? ptx_symbol_find(p, text, stem) : NULL;
    int k = stem < n ? atoi(text + stem) : 0;
    if (s == NULL || s->meaning != PTX_SLOTS || k >= s->count) {
        ptx_wrong(p, "an operand that is not known", text);
        return AT_NOWHERE;
    }
    return (int32_t)s->value + k;
}

/* A destination is a register. */
static int32_t destination(ptx_parser *p, const char *text)
{
    int32_t d = operand(p, text);
    if (d < 0)
        ptx_wrong(p, "a result cannot go there", text);
    return d;
}

static void address(ptx_parser *p, ptx_ins *i, char *text)
{
    size_t n = strlen(text);
    if (n < 3 || text[0] != '[' || text[n - 1] != ']') {
        ptx_wrong(p, "an address that is not known", text);
        return;
    }
    text[n - 1] = '\0';
    char *plus = text + 1 + strcspn(text + 1, "+-"), *end = plus;
    if (*plus != '\0')
        i->offset = strtoll(plus + (*plus == '+'), &end, 10);
    if (*end != '\0')
        ptx_wrong(p, "an address that is not known", text);
    *plus = '\0';
    i->s[0] = operand(p, trimmed(text + 1));
}

/* "{a, b}" or "a": so many. */
static int vector(ptx_parser *p, char *text, int32_t *to, bool written)
{
    operands o = {.n = 1, .text = {text}};
    size_t n = strlen(text);
    if (text[0] == '{' && text[n - 1] == '}') {
        text[n - 1] = '\0';
        o = split(p, text + 1);
    }
    for (int k = 0; k < o.n && k < 4; k++)
        to[k] = written ? destination(p, o.text[k]) : operand(p, o.text[k]);
    return o.n;
}

static void pack(ptx_thread *t, const ptx_ins *i)
{
    uint64_t made = 0;
    int bits = i->type.bits / i->lanes;
    for (int k = i->lanes - 1; k >= 0; k--)
        made = made << bits | ptx_extend(ptx_read(t, i->s[k]).u64, (ptx_type){'b', (uint8_t)bits});
    t->now.r[i->d[0]].u64 = made;
}

static void unpack(ptx_thread *t, const ptx_ins *i)
{
    uint64_t v = ptx_read(t, i->s[0]).u64;
    for (int k = 0; k < i->lanes; k++)
        t->now.r[i->d[k]].u64 = v >> k * (i->type.bits / i->lanes);
}

static void move(ptx_parser *p, ptx_ins *i, const operands *o)
{
    int to = vector(p, o->text[0], i->d, true), from = vector(p, o->text[1], i->s, false);
    if ((to != 1 && from != 1) || to > 4 || from > 4)
        ptx_wrong(p, "a move that is not known", o->text[0]);
    i->lanes = (uint8_t)(to > from ? to : from);
    if (i->lanes > 1)
        i->run = to > 1 ? unpack : pack;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static int parameters(ptx_parser *p, char *text, ptx_parameter *to, int most)
{
    size_t n = strlen(text);
    text[n - 1] = '\0';
    operands o = split(p, text + 1);
    for (int k = 0; k < o.n && k < most; k++) {
        const ptx_symbol *s = ptx_symbol_find(p, o.text[k], strlen(o.text[k]));
        if (s == NULL || s->meaning != PTX_VALUE || s->value < PTX_OUT)
            ptx_wrong(p, "a parameter that is not known", o.text[k]);
        else
            to[k] = (ptx_parameter){(int)(s->value - PTX_OUT), s->count};
    }
    if (o.n > most)
        ptx_wrong(p, "too many parameters", text);
    return o.n;
}

/* (result), name, (parameters): all but the name may be missing. */
static void call(ptx_parser *p, ptx_ins *i, const operands *o)
{
    ptx_function *f = p->f;
    f->call = ptx_grown(p, f->call, f->ncalls, sizeof *f->call);
    ptx_call *c = &f->call[f->ncalls];
    *c = (ptx_call){0};
    i->target = f->ncalls++;
    int k = 0;
    if (k < o->n && o->text[k][0] == '(')
        c->nback = parameters(p, o->text[k++], c->back, 1);
    c->name = k < o->n ? o->text[k++] : "";
    if (k < o->n && o->text[k][0] == '(')
        c->nout = parameters(p, o->text[k++], c->out, 16);
    if (k != o->n)
        ptx_wrong(p, "a call that is not known", c->name);
}

/* ---- forms ------------------------------------------------------------------------------------ */

static void jump(ptx_parser *p, const char *label)
{
    p->jump = ptx_grown(p, p->jump, p->njumps, sizeof *p->jump);
    p->jump[p->njumps].at = p->f->ninst;
    p->jump[p->njumps++].label = label;
}

static void registers(ptx_parser *p, ptx_ins *i, const operands *o, int ndest)
{
    for (int k = 0; k < o->n; k++)
        if (k < ndest)
            i->d[k] = destination(p, o->text[k]);
        else
            i->s[k - ndest] = operand(p, o->text[k]);
}

static void atomic(ptx_parser *p, ptx_ins *i, const operands *o, int ndest)
{
    i->d[0] = ndest > 0 ? destination(p, o->text[0]) : AT_NOWHERE;
    address(p, i, o->text[ndest]);
    for (int k = ndest + 1; k < o->n; k++)
        i->s[k - ndest] = operand(p, o->text[k]);
}

/* How many operands an instruction of a form has. */
static int expected(const ptx_ins *i, ptx_form form)
{
    switch (form.operands) {
    case 'l': case 's': return 2;
    case 'a': return i->word[0] == W_cas ? 4 : 3;
    case 'A': return 2;
    case 'b': return 1;
    case 'B': return i->word[0] == W_red ? 3 : 1;
    default: return form.ndest + form.nsrc;
    }
}

static void take_operands(ptx_parser *p, ptx_ins *i, ptx_form form, char *text)
{
    operands o = split(p, text);
    if (p->failed || (form.operands != 'c' && o.n != expected(i, form))) {
        ptx_wrong(p, "not so many operands as were expected", i->text);
        return;
    }
    switch (form.operands) {
    case 'l':
        if (vector(p, o.text[0], i->d, true) != i->lanes)
            ptx_wrong(p, "not as many registers as elements", i->text);
        address(p, i, o.text[1]);
        break;
    case 's':
        if (vector(p, o.text[1], i->d, false) != i->lanes)
            ptx_wrong(p, "not as many registers as elements", i->text);
        address(p, i, o.text[0]);
        break;
    case 'm': move(p, i, &o); break;
    case 'a': case 'A': atomic(p, i, &o, form.ndest); break;
    case 'b': jump(p, o.text[0]); break;
    case 'B': registers(p, i, &o, o.n == 3); break;
    case 'c': call(p, i, &o); break;
    case 'n': break;
    default: registers(p, i, &o, form.ndest); break;
    }
}

/* The statement as it was, for messages, on one line. */
static const char *kept(ptx_parser *p, const char *statement)
{
    size_t n = strlen(statement);
    ptx_module *m = p->m;
    m->line = ptx_grown(p, m->line, m->nlines, sizeof *m->line);
    char *line = malloc(n + 1);
    m->line[m->nlines++] = line;
    if (line == NULL)
        return "";
    for (size_t k = 0; k <= n; k++)
        line[k] = isspace((unsigned char)statement[k]) ? ' ' : statement[k];
    return line;
}

void ptx_instruction(ptx_parser *p, char *statement)
{
    ptx_function *f = p->f;
    statement = trimmed(statement);
    ptx_ins i = {.guard = -1, .text = kept(p, statement)};
    for (int k = 0; k < 4; k++)
        i.d[k] = i.s[k] = AT_NOWHERE;
    if (*statement == '@') {
        i.unless = *++statement == '!';
        statement += i.unless;
        size_t n = strcspn(statement, " \t");
        char *rest = statement + n + (statement[n] != '\0');
        statement[n] = '\0';
        i.guard = destination(p, statement);
        statement = trimmed(rest);
    }
    size_t n = strcspn(statement, " \t\r\n");
    char *rest = statement + n + (statement[n] != '\0');
    statement[n] = '\0';
    ptx_form form = ptx_handle(statement, &i);
    if ((i.run = form.run) == NULL) {
        ptx_wrong(p, "an instruction that is not known", i.text);
        return;
    }
    take_operands(p, &i, form, rest);
    f->code = ptx_grown(p, f->code, f->ninst, sizeof *f->code);
    f->code[f->ninst++] = i;
}
