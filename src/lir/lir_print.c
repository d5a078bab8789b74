/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_print.c - lowered IR as text; lir_words.h has the grammar. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "lir/lir_words.h"
#include "lir/passes.h"

const char *const hdi_lir_space_words[HDI_LIR_SPACES] = {
    "private", "shared", "constant", "global", "uniform", "spread"};
const char *const hdi_lir_role_words[HDI_LIR_ROLES] = {
    "given", "module", "low", "high", "shared_bytes", "record"};
const char *const hdi_lir_builtin_words[HDI_LIR_BUILTINS] = {
    "thread.x", "thread.y", "thread.z", "block.x", "block.y", "block.z",
    "block_dim.x", "block_dim.y", "block_dim.z", "grid_dim.x", "grid_dim.y", "grid_dim.z",
    "thread", "threads"};
const char *const hdi_lir_atomic_words[HDI_LIR_ATOMICS] = {
    "add", "sub", "min", "max", "and", "or", "xor", "exchange", "cas", "inc", "dec"};
const char *const hdi_lir_warp_words[HDI_LIR_WARPS] = {
    "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "any", "all", "ballot", "active",
    "match", "block_count", "block_and", "block_or"};

enum { INDENT = 2, HEX_BYTES = 32 };

typedef struct printer {
    const hdi_lir *l;
    hdi_strbuf out;
    int indent;
} printer;

static void list(printer *p, int32_t first, int32_t around);

static void add(printer *p, const char *text)
{
    hdi_strbuf_add(&p->out, "%s", text);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_word(const char *text)
{
    if (!hdi_lir_starts_word(*text))
        return false;
    while (hdi_lir_goes_on(*text))
        text++;
    return *text == '\0';
}

static void quoted(printer *p, const char *text)
{
    add(p, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n')
            add(p, "\\n");
        else if (c == '"' || c == '\\')
            hdi_strbuf_add(&p->out, "\\%c", c);
        else if (c < ' ' || c > '~')
            hdi_strbuf_add(&p->out, "\\x%02x", c);
        else
            hdi_strbuf_add(&p->out, "%c", c);
    }
    add(p, "\"");
}

static void name(printer *p, int32_t at)
{
    const char *text = p->l->names + at;
    if (is_word(text))
        add(p, text);
    else
        quoted(p, text);
}

/* Whether no other variable has its name, and the name is a word. */
static bool is_unique(const hdi_lir *l, int32_t var)
{
    const char *text = l->names + l->var[var].name;
    for (int32_t i = 0; i < l->nvars; i++)
        if (i != var && strcmp(l->names + l->var[i].name, text) == 0)
            return false;
    return is_word(text);
}

static void variable(printer *p, int64_t var)
{
    if (is_unique(p->l, (int32_t)var))
        hdi_strbuf_add(&p->out, "$%s", p->l->names + p->l->var[var].name);
    else
        hdi_strbuf_add(&p->out, "$.%" PRId64, var);
}

static void line(printer *p, const hdi_lir_node *n, int32_t around)
{
    if (n->line != hdi_lir_line_within(n->op, around))
        hdi_strbuf_add(&p->out, "@%" PRId32 " ", n->line);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* In decimal with so many digits; whether that is read as the same bits. It is not for nan and
 * infinities, nor where the locale has another point. */
static bool in_digits(const hdi_lir_node *n, double x, int digits, char text[40])
{
    snprintf(text, 36, "%.*g", digits, x);
    if (strpbrk(text, ".e") == NULL)
        strcat(text, ".0");
    char *end;
    const double again = strtod(text, &end);
    return strspn(text, "-+.e0123456789") == strlen(text) && *end == '\0'
           && hdi_lir_bits_of((hdi_lir_type)n->type, again) == n->k;
}

/* With as few digits as do, else the bits. */
static void real(printer *p, const hdi_lir_node *n)
{
    const bool single = n->type == HDI_LIR_F32;
    const double x = hdi_lir_real_of((hdi_lir_type)n->type, n->k);
    char text[40];
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++)
        if (in_digits(n, x, digits, text)) {
            add(p, text);
            return;
        }
    hdi_strbuf_add(&p->out, "0x%" PRIx64, (uint64_t)n->k);
}

static void constant(printer *p, const hdi_lir_node *n)
{
    switch (hdi_lir_types[n->type].kind) {
    case 'b': add(p, n->k != 0 ? "true" : "false"); return;
    case 'p': add(p, "null"); return;
    case 'f': real(p, n); break;
    case 'u': hdi_strbuf_add(&p->out, "%" PRIu64, (uint64_t)n->k); break;
    default:  hdi_strbuf_add(&p->out, "%" PRId64, n->k); break;
    }
    hdi_strbuf_add(&p->out, ":%s", hdi_lir_types[n->type].text);
}

static void expression(printer *p, int32_t i, int32_t around);

static void operands(printer *p, const hdi_lir_node *n)
{
    for (int a = 0; a < 3; a++)
        if (n->arg[a] >= 0) {
            add(p, " ");
            expression(p, n->arg[a], n->line);
        }
}

/* What stands between an operator's word and its operands. */
static void details(printer *p, const hdi_lir_node *n)
{
    if ((n->flags & HDI_LIR_VOLATILE) != 0)
        add(p, " volatile");
    if ((n->op == HDI_LIR_LOAD || n->op == HDI_LIR_STORE) && n->kind != 0)
        hdi_strbuf_add(&p->out, " align %d", 1 << n->kind);
    if (n->op == HDI_LIR_LOAD || n->op == HDI_LIR_CONVERT || n->op == HDI_LIR_BITS)
        hdi_strbuf_add(&p->out, " %s", hdi_lir_types[n->type].text);
    if (n->op == HDI_LIR_OFFSET)
        hdi_strbuf_add(&p->out, " %" PRId64, n->k);
    if (n->op == HDI_LIR_PEER) {
        add(p, " ");
        variable(p, n->k);
    }
}

static void expression(printer *p, int32_t i, int32_t around)
{
    const hdi_lir_node *n = &p->l->node[i];
    line(p, n, around);
    switch (n->op) {
    case HDI_LIR_CONST:   constant(p, n); return;
    case HDI_LIR_GET:     variable(p, n->k); return;
    case HDI_LIR_ADDRESS: add(p, "&"); variable(p, n->k); return;
    case HDI_LIR_BUILTIN: add(p, hdi_lir_builtin_words[n->k]); return;
    default: break;
    }
    add(p, "(");
    add(p, n->op == HDI_LIR_MATH ? hdi_lir_maths[n->k].text : hdi_lir_ops[n->op].text);
    details(p, n);
    operands(p, n);
    add(p, ")");
}

/* ---- statements ------------------------------------------------------------------------------ */

static void new_line(printer *p)
{
    hdi_strbuf_add(&p->out, "\n%*s", INDENT * p->indent, "");
}

static void braces(printer *p, int32_t first, int32_t around)
{
    add(p, " {");
    list(p, first, around);
    new_line(p);
    add(p, "}");
}

static void second(printer *p, const char *word, int32_t first, int32_t around)
{
    if (first < 0)
        return;
    add(p, word);
    braces(p, first, around);
}

/* The variable that a statement assigns, if it does. */
static void result(printer *p, const hdi_lir_node *n)
{
    const bool sets = n->op == HDI_LIR_ASSIGN || n->op == HDI_LIR_WARP
                      || (n->op == HDI_LIR_ATOMIC && n->k >= 0);
    if (sets) {
        variable(p, n->k);
        add(p, n->op == HDI_LIR_ASSIGN ? " =" : " = ");
    }
}

static void with_lists(printer *p, const hdi_lir_node *n)
{
    switch (n->op) {
    case HDI_LIR_IF:
        add(p, " ");
        expression(p, n->arg[0], n->line);
        braces(p, n->arg[1], n->line);
        second(p, " else", n->arg[2], n->line);
        break;
    case HDI_LIR_LOOP:
        add(p, (n->flags & HDI_LIR_COUNTED) != 0 ? " counted" : "");
        if (n->k != 0)
            hdi_strbuf_add(&p->out, " unroll %" PRId64, n->k);
        braces(p, n->arg[0], n->line);
        second(p, " step", n->arg[1], n->line);
        break;
    case HDI_LIR_PRINT:
        add(p, " ");
        quoted(p, p->l->names + n->k);
        braces(p, n->arg[0], n->line);
        break;
    default: /* THREADS */
        braces(p, n->arg[0], n->line);
        break;
    }
}

static void statement(printer *p, const hdi_lir_node *n)
{
    result(p, n);
    if (n->op != HDI_LIR_ASSIGN)
        add(p, hdi_lir_ops[n->op].text);
    switch (n->op) {
    case HDI_LIR_IF: case HDI_LIR_LOOP: case HDI_LIR_PRINT: case HDI_LIR_THREADS:
        with_lists(p, n);
        return;
    case HDI_LIR_BREAK: case HDI_LIR_CONTINUE:
        hdi_strbuf_add(&p->out, " %" PRId64, n->k);
        return;
    case HDI_LIR_DECLARE:
        add(p, " ");
        variable(p, n->k);
        return;
    case HDI_LIR_TRAP:
        add(p, " ");
        quoted(p, p->l->names + n->k);
        return;
    case HDI_LIR_ATOMIC:
        hdi_strbuf_add(&p->out, " %s", hdi_lir_atomic_words[n->kind]);
        break;
    case HDI_LIR_WARP:
        hdi_strbuf_add(&p->out, " %s", hdi_lir_warp_words[n->kind]);
        break;
    default:
        break;
    }
    details(p, n);
    operands(p, n);
}

static void list(printer *p, int32_t first, int32_t around)
{
    p->indent++;
    for (int32_t i = first; i >= 0; i = p->l->node[i].next) {
        new_line(p);
        line(p, &p->l->node[i], around);
        statement(p, &p->l->node[i]);
    }
    p->indent--;
}

/* ---- head ------------------------------------------------------------------------------------ */

static void number_unless(printer *p, const char *word, int64_t value, int64_t usual)
{
    if (value != usual)
        hdi_strbuf_add(&p->out, " %s %" PRId64, word, value);
}

static void flag(printer *p, const char *word, bool set)
{
    if (set)
        hdi_strbuf_add(&p->out, " %s", word);
}

static void declaration(printer *p, const hdi_lir_var *var)
{
    add(p, "\nvar ");
    name(p, var->name);
    hdi_strbuf_add(&p->out, " %s %s", hdi_lir_types[var->type].text,
                   hdi_lir_space_words[var->space]);
    flag(p, "memory", var->in_memory);
    flag(p, "dynamic", var->dynamic);
    number_unless(p, "count", var->count, 1);
    number_unless(p, "align", var->align, hdi_lir_types[var->type].bytes);
    number_unless(p, "at", var->at, 0);
    number_unless(p, "param", var->param, -1);
    if (var->role != HDI_LIR_GIVEN)
        hdi_strbuf_add(&p->out, " role %s", hdi_lir_role_words[var->role]);
    number_unless(p, "of", var->of, 0);
    flag(p, "reads", var->reads);
    flag(p, "writes", var->writes);
    flag(p, "restricted", var->restricted);
    number_unless(p, "leads", var->leads, 0);
}

static void data(printer *p)
{
    const hdi_lir *l = p->l;
    if (l->data_bytes == 0)
        return;
    hdi_strbuf_add(&p->out, "\ndata %" PRId64, l->data_bytes);
    for (int64_t at = 0; at < l->data_bytes; at += HEX_BYTES) {
        const int64_t end = hdi_min64(at + HEX_BYTES, l->data_bytes);
        uint8_t any = 0;
        for (int64_t i = at; i < end; i++)
            any |= l->data[i];
        if (any == 0)
            continue;
        hdi_strbuf_add(&p->out, "\nbytes %" PRId64 " ", at);
        for (int64_t i = at; i < end; i++)
            hdi_strbuf_add(&p->out, "%02x", l->data[i]);
    }
}

char *hdi_lir_print(const hdi_lir *l)
{
    printer p = {.l = l};
    add(&p, "kernel ");
    name(&p, l->name);
    hdi_strbuf_add(&p.out, " params %d", l->nparams);
    number_unless(&p, "max_threads", l->max_threads, 0);
    flag(&p, "syncs", l->syncs);
    flag(&p, "lockstep", l->lockstep);
    number_unless(&p, "shared", l->shared_bytes, 0);
    number_unless(&p, "spread", l->spread_bytes, 0);
    data(&p);
    for (int32_t i = 0; i < l->nvars; i++)
        declaration(&p, &l->var[i]);
    add(&p, "\nbody");
    braces(&p, l->body, 0);
    add(&p, "\n");
    return hdi_strbuf_take(&p.out);
}
