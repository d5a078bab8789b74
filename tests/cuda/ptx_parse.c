/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_parse.c - the text of a module: functions, variables, labels. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_parse.h"

#define SPACES " \t\r\n"

void ptx_wrong(ptx_parser *p, const char *what, const char *text)
{
    if (!p->failed)
        snprintf(p->message, PTX_MESSAGE, "%s: %.300s", what, text);
    p->failed = true;
}

void *ptx_grown(ptx_parser *p, void *array, int n, size_t size)
{
    if (n != 0 && (n < 8 || (n & (n - 1)) != 0))
        return array;
    array = realloc(array, size * (size_t)(n < 8 ? 8 : 2 * n));
    if (array == NULL)
        abort();   /* allowed: a test without memory */
    (void)p;
    return array;
}

/* ---- symbols ---------------------------------------------------------------------------------- */

static unsigned bucket_of(const char *name, size_t n)
{
    unsigned h = 0;
    for (size_t k = 0; k < n; k++)
        h = h * 31 + (unsigned char)name[k];
    return h % PTX_BUCKETS;
}

const ptx_symbol *ptx_symbol_find(const ptx_parser *p, const char *name, size_t n)
{
    for (int k = p->bucket[bucket_of(name, n)]; k > 0; k = p->symbol[k - 1].next)
        if (p->symbol[k - 1].length == n && memcmp(p->symbol[k - 1].name, name, n) == 0)
            return &p->symbol[k - 1];
    return NULL;
}

void ptx_symbol_add(ptx_parser *p, const char *name, size_t n, ptx_meaning meaning, uint64_t value,
                    int count)
{
    int *bucket = &p->bucket[bucket_of(name, n)];
    p->symbol = ptx_grown(p, p->symbol, p->nsymbols, sizeof *p->symbol);
    p->symbol[p->nsymbols++] = (ptx_symbol){name, n, meaning, value, count, *bucket};
    *bucket = p->nsymbols;
}

/* Those of a function go with it. */
static void forget_symbols(ptx_parser *p, int kept)
{
    while (p->nsymbols > kept) {
        const ptx_symbol *s = &p->symbol[--p->nsymbols];
        p->bucket[bucket_of(s->name, s->length)] = s->next;
    }
}

static void add_special(ptx_parser *p)
{
    static const char *const names[NSPECIAL] = {
        "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y",
        "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "_"};
    for (int k = 0; k < NSPECIAL; k++)
        ptx_symbol_add(p, names[k], strlen(names[k]), PTX_SLOT, (uint64_t)k, 1);
}

/* ---- variables -------------------------------------------------------------------------------- */

typedef struct variable { const char *name; size_t length; int bytes, align, element; char *values; }
variable;

/* ".align 8 .b8 name[160] = {...}", after its space; the text ends there. */
static variable read_variable(ptx_parser *p, char *text)
{
    variable v = {.align = 1};
    ptx_type type = {0};
    char *at = text;
    for (at += strspn(at, SPACES); *at == '.'; at += strspn(at, SPACES)) {
        size_t n = strcspn(at, SPACES);
        if (n == 6 && memcmp(at, ".align", 6) == 0)
            v.align = (int)strtol(at + n, &at, 10);
        else if (ptx_type_named(at + 1, n - 1, &type))
            at += n;
        else
            break;
    }
    v.name = at;
    v.length = strcspn(at, SPACES "[=,);");
    at += v.length;
    v.bytes = v.element = type.bits / 8;
    if (*at == '[')
        v.bytes *= (int)strtol(at + 1, &at, 10);   /* [] has none: the launch says how many */
    at += strspn(at, "[]" SPACES);
    v.values = *at == '=' ? at + 1 : NULL;
    if (v.length == 0 || type.bits == 0 || (*at != '\0' && v.values == NULL))
        ptx_wrong(p, "a declaration that is not known", text);
    if (v.align < v.element)
        v.align = v.element;
    return v;
}

/* Room for it behind *size bytes. */
static int placed(const variable *v, int *size)
{
    int at = (*size + v->align - 1) / v->align * v->align;
    *size = at + v->bytes;
    return at;
}

static void fill(ptx_parser *p, const variable *v, uint8_t *to)
{
    char *at = v->values + strspn(v->values, "{" SPACES), *end;
    for (int k = 0; k < v->bytes; k += v->element) {
        long long value = strtoll(at, &end, 0);
        if (end == at)
            break;
        memcpy(to + k, &value, (size_t)v->element);
        at = end + strspn(end, "," SPACES);
    }
    if (*at != '}' && *at != '\0')
        ptx_wrong(p, "values that are not known", at);
}

static void add_global(ptx_parser *p, char *text)
{
    ptx_module *m = p->m;
    variable v = read_variable(p, text);
    size_t bytes = ((size_t)v.bytes + 63) / 64 * 64;
    uint8_t *made = aligned_alloc(64, bytes == 0 ? 64 : bytes);
    if (made == NULL || p->failed) {
        ptx_wrong(p, "no memory", text);
        free(made);
        return;
    }
    memset(made, 0, bytes);
    uint64_t at = (uint64_t)(uintptr_t)made;
    m->global = ptx_grown(p, m->global, m->nglobals, sizeof *m->global);
    m->global[m->nglobals].bytes = made;
    m->global[m->nglobals++].range = (ptx_range){at, at + (uint64_t)v.bytes, made};
    if (v.values != NULL)
        fill(p, &v, made);
    ptx_symbol_add(p, v.name, v.length, PTX_VALUE, at, v.bytes);
}

static void add_placed(ptx_parser *p, char *text, int *size, uint64_t from)
{
    variable v = read_variable(p, text);
    int at = placed(&v, size);
    ptx_symbol_add(p, v.name, v.length, PTX_VALUE, from + (uint64_t)at, v.bytes);
}

/* Shared memory without a size begins where no other has a place. */
static void add_shared(ptx_parser *p, char *text)
{
    int none = 0;
    const bool is_dynamic = strstr(text, "[]") != NULL;
    add_placed(p, text, is_dynamic ? &none : &p->m->shared_bytes, is_dynamic ? PTX_DYNAMIC : 0);
}

/* ".b32 %a, %r<12>" */
static void add_registers(ptx_parser *p, char *text)
{
    text += strspn(text, SPACES);
    size_t n = strcspn(text, SPACES);
    ptx_type type;
    if (*text != '.' || !ptx_type_named(text + 1, n - 1, &type))
        ptx_wrong(p, "registers that are not known", text);
    for (text += n; !p->failed && *(text += strspn(text, "," SPACES)) != '\0';) {
        size_t length = strcspn(text, "<," SPACES);
        bool many = text[length] == '<';
        char *end = text + length;
        int count = many ? (int)strtol(text + length + 1, &end, 10) : 1;
        ptx_symbol_add(p, text, length, many ? PTX_SLOTS : PTX_SLOT, (uint64_t)p->f->nslots, count);
        p->f->nslots += count;
        text = end + (many && *end == '>');
    }
}

/* ---- functions -------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && (text[n] == '\0' || isspace((unsigned char)text[n]));
}

/* Declarations of parameters between brackets; the text after them. */
static char *read_parameters(ptx_parser *p, char *text, bool result)
{
    ptx_function *f = p->f;
    char *end = strchr(text, ')');
    if (end == NULL) {
        ptx_wrong(p, "parameters without an end", text);
        return text;
    }
    *end = '\0';
    for (char *at = text + 1; at != NULL && !p->failed;) {
        at += strspn(at, SPACES);
        char *comma = strchr(at, ',');
        if (*at == '\0')
            break;
        if (comma != NULL)
            *comma = '\0';
        if (!starts(at, ".param") || f->nin == 32) {
            ptx_wrong(p, "a parameter that is not known", at);
            break;
        }
        variable v = read_variable(p, at + 6);
        ptx_parameter where = {placed(&v, &f->in_bytes), v.bytes};
        ptx_symbol_add(p, v.name, v.length, PTX_VALUE, (uint64_t)where.at, v.bytes);
        if (result)
            f->back = where;
        else
            f->in[f->nin++] = where;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return end + 1;
}

/* "(result) name (parameters) .maxntid 256, 1, 1" */
static void read_head(ptx_parser *p, char *text)
{
    text += strspn(text, SPACES);
    if (*text == '(')
        text = read_parameters(p, text, true);
    text += strspn(text, SPACES);
    size_t n = strcspn(text, "(" SPACES);
    p->f->name = text;
    char *rest = text + n + strspn(text + n, SPACES);
    if (*rest == '(')
        rest = read_parameters(p, rest, false);
    text[n] = '\0';
    rest += strspn(rest, SPACES);
    if (*rest != '\0' && *rest != '.')
        ptx_wrong(p, "a function that is not known", rest);
}

static void declaration(ptx_parser *p, char *text)
{
    if (starts(text, ".reg"))
        add_registers(p, text + 4);
    else if (starts(text, ".param"))
        add_placed(p, text + 6, &p->f->out_bytes, PTX_OUT);
    else if (starts(text, ".local"))
        add_placed(p, text + 6, &p->f->local_bytes, 0);
    else if (starts(text, ".shared"))
        add_shared(p, text + 7);
    else if (!starts(text, ".pragma"))
        ptx_wrong(p, "a declaration that is not known", text);
}

static void resolve_jumps(ptx_parser *p)
{
    for (int k = 0; k < p->njumps && !p->failed; k++) {
        const ptx_symbol *s = ptx_symbol_find(p, p->jump[k].label, strlen(p->jump[k].label));
        if (s == NULL || s->meaning != PTX_LABEL)
            ptx_wrong(p, "a label that is not known", p->jump[k].label);
        else
            p->f->code[p->jump[k].at].target = (int32_t)s->value;
    }
    p->njumps = 0;
}

/* From after its brace to after the last one. A part in braces has registers of its own: a name
 * means what was declared last. */
static char *read_body(ptx_parser *p, char *at)
{
    for (int depth = 1; depth > 0 && !p->failed;) {
        at += strspn(at, SPACES);
        if (*at == '{' || *at == '}') {
            depth += *at++ == '{' ? 1 : -1;
            continue;
        }
        char *end = at + strcspn(at, ";:");
        if (*end == ':' && *at != '.') {
            size_t n = strcspn(at, ":" SPACES);
            ptx_symbol_add(p, at, n, PTX_LABEL, (uint64_t)p->f->ninst, 1);
        } else if (*end == ';') {
            *end = '\0';
            if (*at == '.')
                declaration(p, at);
            else
                ptx_instruction(p, at);
        } else {
            ptx_wrong(p, "a statement that is not known", at);
            break;
        }
        at = end + 1;
    }
    char end[] = "ret";
    ptx_instruction(p, end);
    resolve_jumps(p);
    return at;
}

static char *read_function(ptx_parser *p, char *text, bool entry)
{
    ptx_module *m = p->m;
    int kept = p->nsymbols;
    char *end = text + strcspn(text, "{;");
    bool has_body = *end == '{';
    ptx_function *f = calloc(1, sizeof *f);
    if (f == NULL || *end == '\0') {
        ptx_wrong(p, "a function without an end", text);
        free(f);
        return end;
    }
    *end++ = '\0';
    m->function = ptx_grown(p, m->function, m->nfunctions, sizeof *m->function);
    m->function[m->nfunctions++] = p->f = f;
    f->module = m;
    f->entry = entry;
    f->nslots = NSPECIAL;
    read_head(p, text);
    if (has_body && !p->failed)
        end = read_body(p, end);
    forget_symbols(p, kept);
    return end;
}

/* ---- modules ---------------------------------------------------------------------------------- */

static void blank_comments(char *at)
{
    while ((at = strstr(at, "//")) != NULL)
        while (*at != '\0' && *at != '\n')
            *at++ = ' ';
}

static void read_module(ptx_parser *p, char *at)
{
    while (*(at += strspn(at, SPACES)) != '\0' && !p->failed) {
        char *after = at + strcspn(at, SPACES), *end = at + strcspn(at, ";");
        if (starts(at, ".version") || starts(at, ".target") || starts(at, ".address_size")) {
            at += strcspn(at, "\n");
        } else if (starts(at, ".visible") || starts(at, ".weak") || starts(at, ".extern")) {
            at = after;
        } else if (starts(at, ".entry") || starts(at, ".func")) {
            at = read_function(p, after, at[1] == 'e');
        } else if (*end == ';' && (starts(at, ".global") || starts(at, ".const"))) {
            *end = '\0';
            add_global(p, after);
            at = end + 1;
        } else if (*end == ';' && starts(at, ".shared")) {
            *end = '\0';
            add_shared(p, after);
            at = end + 1;
        } else {
            ptx_wrong(p, "something in a module that is not known", at);
        }
    }
}

enum { RESOLVING = PTX_DEPTH + 1 };

/* A function with those that it calls, which do not call each other in circles. */
static void resolve(ptx_parser *p, ptx_function *f)
{
    int slots = 0, bytes = 0;
    if (f->depth > 0)
        return;
    f->depth = RESOLVING;
    int depth = 1;
    for (int k = 0; k < f->ncalls && !p->failed; k++) {
        ptx_call *c = &f->call[k];
        for (int n = 0; n < p->m->nfunctions; n++)
            if (p->m->function[n]->ninst > 0 && strcmp(p->m->function[n]->name, c->name) == 0)
                c->f = p->m->function[n];
        ptx_function *callee = (ptx_function *)(uintptr_t)c->f;
        if (callee != NULL)
            resolve(p, callee);
        if (callee == NULL || callee->depth >= PTX_DEPTH || callee->nin != c->nout) {
            ptx_wrong(p, "a call that cannot be done", c->name);
            return;
        }
        depth = callee->depth >= depth ? callee->depth + 1 : depth;
        f->waits |= callee->waits;
        slots = callee->deep_slots > slots ? callee->deep_slots : slots;
        bytes = callee->deep_bytes > bytes ? callee->deep_bytes : bytes;
    }
    for (int k = 0; k < f->ninst; k++)
        f->waits |= f->code[k].run == ptx_warp || f->code[k].run == ptx_barrier;
    f->depth = depth;
    f->deep_slots = f->nslots + slots;
    f->deep_bytes = ptx_frame_bytes(f) + bytes;
}

ptx_module *ptx_load(const char *text, char message[PTX_MESSAGE])
{
    ptx_parser p = {.message = message};
    if ((p.m = calloc(1, sizeof *p.m)) == NULL || (p.m->text = strdup(text)) == NULL)
        abort();   /* allowed: a test without memory */
    blank_comments(p.m->text);
    add_special(&p);
    read_module(&p, p.m->text);
    for (int k = 0; k < p.m->nfunctions && !p.failed; k++)
        resolve(&p, p.m->function[k]);
    free(p.symbol);
    free(p.jump);
    if (!p.failed)
        return p.m;
    ptx_unload(p.m);
    return NULL;
}

void ptx_unload(ptx_module *m)
{
    for (int k = 0; k < m->nfunctions; k++) {
        free(m->function[k]->code);
        free(m->function[k]->constant);
        free(m->function[k]->call);
        free(m->function[k]);
    }
    for (int k = 0; k < m->nglobals; k++)
        free(m->global[k].bytes);
    for (int k = 0; k < m->nlines; k++)
        free(m->line[k]);
    free(m->function);
    free(m->global);
    free(m->line);
    free(m->text);
    free(m);
}
