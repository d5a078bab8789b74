/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_read_value.c - lowered IR from text: expressions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lir/lir_read.h"
#include "lir/lir_words.h"
#include "lir/passes.h"

bool hdi_lir_deeper(hdi_lir_reader *r)
{
    if (++r->depth <= HDI_LIR_DEPTH + HDI_LIR_DEPTH_ADDED)
        return !r->failed;
    hdi_lir_expected(r, "fewer levels");
    return false;
}

int32_t hdi_lir_read_line(hdi_lir_reader *r)
{
    return hdi_lir_accept_char(r, '@')
               ? (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "a line") : -1;
}

static int32_t variable_named(hdi_lir_reader *r, const char *word)
{
    const hdi_lir *l = r->l;
    for (int32_t i = 0; i < l->nvars && !l->failed; i++)
        if (strcmp(l->names + l->var[i].name, word) == 0)
            return i;
    return -1;
}

int32_t hdi_lir_read_variable(hdi_lir_reader *r)
{
    const char *begin = r->at;
    char word[HDI_LIR_WORD];
    if (hdi_lir_accept_char(r, '.'))
        return (int32_t)hdi_lir_integer(r, 0, r->l->nvars - 1, "the number of a variable");
    hdi_lir_word(r, word, "the name of a variable");
    const int32_t var = variable_named(r, word);
    if (var >= 0 || r->l->failed)
        return var < 0 ? 0 : var;
    if (!r->failed)
        r->at = begin;
    hdi_lir_expected(r, "the name of a variable");
    return 0;
}

static hdi_lir_type type_of(const hdi_lir_reader *r, int32_t i)
{
    return r->l->failed || r->failed ? HDI_LIR_I32 : (hdi_lir_type)r->l->node[i].type;
}

static hdi_lir_type type_of_var(const hdi_lir_reader *r, int32_t var)
{
    return r->l->failed || r->failed ? HDI_LIR_I32 : (hdi_lir_type)r->l->var[var].type;
}

/* ---- constants ------------------------------------------------------------------------------- */

static bool bits_of(const char *digits, hdi_lir_type type, int64_t *bits)
{
    const char kind = hdi_lir_types[type].kind;
    char *end;
    errno = 0;
    if (digits[0] == '0' && digits[1] == 'x')
        *bits = (int64_t)strtoull(digits, &end, 16);
    else if (kind == 'f')
        *bits = hdi_lir_bits_of(type, strtod(digits, &end));
    else if (kind == 'u')
        *bits = (int64_t)strtoull(digits, &end, 10);
    else
        *bits = strtoll(digits, &end, 10);
    /* Of reals ERANGE is an underflow too. */
    return *end == '\0' && (kind == 'i' || kind == 'u' || kind == 'f')
           && (errno == 0 || kind == 'f');
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x' || c == '-' || c == '+' ||
           c == '.';
}

static int32_t constant(hdi_lir_reader *r, int32_t line)
{
    const char *begin = r->at;
    size_t n = 0;
    while (is_of_number(begin[n]))
        n++;
    char digits[HDI_LIR_WORD];
    int64_t bits = 0;
    if (n == 0 || n >= sizeof digits || r->at[n] != ':') {
        hdi_lir_expected(r, "an expression");
        return 0;
    }
    memcpy(digits, r->at, n);
    digits[n] = '\0';
    r->at += n + 1;
    const hdi_lir_type type = hdi_lir_read_type(r);
    if (!r->failed && !bits_of(digits, type, &bits)) {
        r->at = begin;
        hdi_lir_expected(r, "a number of that type");
    }
    return hdi_lir_node3(r->l, HDI_LIR_CONST, type, line, bits, -1, -1, -1);
}

/* ---- operators ------------------------------------------------------------------------------- */

/* An operator or a function: its op, and in *k which function it is. */
static hdi_lir_op operator(hdi_lir_reader *r, int64_t *k)
{
    hdi_lir_skip(r);
    const char *begin = r->at;
    char word[HDI_LIR_WORD];
    hdi_lir_word(r, word, "an operator");
    for (int op = HDI_LIR_NEG; op < HDI_LIR_OPS; op++)
        if (hdi_lir_ops[op].is_expression && op != HDI_LIR_MATH
            && strcmp(hdi_lir_ops[op].text, word) == 0)
            return (hdi_lir_op)op;
    for (*k = 0; *k < HDI_LIR_MATHS; ++*k)
        if (strcmp(hdi_lir_maths[*k].text, word) == 0)
            return HDI_LIR_MATH;
    if (!r->failed)
        r->at = begin;
    hdi_lir_expected(r, "an operator");
    *k = 0;
    return HDI_LIR_NEG;
}

static int operands_of(hdi_lir_op op, int64_t k)
{
    int n = 0;
    if (op == HDI_LIR_MATH)
        return hdi_lir_maths[k].narg;
    while (n < 3 && hdi_lir_ops[op].shape[n] == 'e')
        n++;
    return n;
}

uint8_t hdi_lir_read_align(hdi_lir_reader *r)
{
    if (!hdi_lir_accept(r, "align"))
        return 0;
    const int64_t align = hdi_lir_integer(r, 1, HDI_LIR_MOST_ALIGN, "an alignment");
    if ((align & (align - 1)) != 0)
        hdi_lir_expected(r, "a power of 2");
    return (uint8_t)__builtin_ctzll((uint64_t)align | HDI_LIR_MOST_ALIGN);
}

/* What stands between the operator's word and its operands. */
static void details(hdi_lir_reader *r, hdi_lir_node *n)
{
    if (n->op == HDI_LIR_LOAD && hdi_lir_accept(r, "volatile"))
        n->flags = HDI_LIR_VOLATILE;
    if (n->op == HDI_LIR_LOAD)
        n->kind = hdi_lir_read_align(r);
    if (n->op == HDI_LIR_LOAD || n->op == HDI_LIR_CONVERT || n->op == HDI_LIR_BITS)
        n->type = (uint8_t)hdi_lir_read_type(r);
    if (n->op == HDI_LIR_OFFSET)
        n->k = hdi_lir_integer(r, 0, INT64_MAX, "bytes of an element");
    if (n->op == HDI_LIR_PEER) {
        hdi_lir_expect_char(r, '$');
        n->k = hdi_lir_read_variable(r);
    }
}

static hdi_lir_type type_by_rule(const hdi_lir_reader *r, const hdi_lir_node *n)
{
    switch (hdi_lir_ops[n->op].rule) {
    case HDI_LIR_R_CAST: case HDI_LIR_R_BITS: case HDI_LIR_R_READ:
        return (hdi_lir_type)n->type;
    case HDI_LIR_R_COMPARE: case HDI_LIR_R_TRUTH2:
        return HDI_LIR_BOOL;
    case HDI_LIR_R_STEP:
        return HDI_LIR_POINTER;
    case HDI_LIR_R_PEER:
        return type_of_var(r, (int32_t)n->k);
    case HDI_LIR_R_CHOICE:
        return type_of(r, n->arg[1]);
    default:
        return type_of(r, n->arg[0]);
    }
}

static int32_t parenthesis(hdi_lir_reader *r, int32_t line)
{
    int64_t k = 0;
    const hdi_lir_op op = operator(r, &k);
    hdi_lir_node n = {.op = (uint8_t)op, .k = k, .arg = {-1, -1, -1}};
    details(r, &n);
    const int count = operands_of(op, k);
    for (int a = 0; a < count; a++)
        n.arg[a] = hdi_lir_read_expression(r, line);
    hdi_lir_expect_char(r, ')');
    const int32_t i = hdi_lir_node3(r->l, op, type_by_rule(r, &n), line, n.k, n.arg[0], n.arg[1],
                                    n.arg[2]);
    if (!r->l->failed) {
        r->l->node[i].flags = n.flags;
        r->l->node[i].kind = n.kind;
    }
    return i;
}

/* ---- atoms ----------------------------------------------------------------------------------- */

static int32_t atom(hdi_lir_reader *r, int32_t line, int32_t around)
{
    const int32_t value_line = line >= 0 ? line : hdi_lir_line_within(HDI_LIR_CONST, around);
    const int32_t own_line = line >= 0 ? line : around;
    const bool yes = hdi_lir_accept(r, "true");
    if (yes || hdi_lir_accept(r, "false"))
        return hdi_lir_node3(r->l, HDI_LIR_CONST, HDI_LIR_BOOL, value_line, yes, -1, -1, -1);
    if (hdi_lir_accept(r, "null"))
        return hdi_lir_node3(r->l, HDI_LIR_CONST, HDI_LIR_POINTER, value_line, 0, -1, -1, -1);
    if (!hdi_lir_starts_word(hdi_lir_skip(r)))
        return constant(r, value_line);
    const int which = hdi_lir_choice(r, hdi_lir_builtin_words, HDI_LIR_BUILTINS, "an expression");
    return hdi_lir_node3(r->l, HDI_LIR_BUILTIN, HDI_LIR_U32, own_line, which, -1, -1, -1);
}

static int32_t get(hdi_lir_reader *r, int32_t line)
{
    const int32_t var = hdi_lir_read_variable(r);
    return hdi_lir_node3(r->l, HDI_LIR_GET, type_of_var(r, var), line, var, -1, -1, -1);
}

static int32_t address(hdi_lir_reader *r, int32_t line)
{
    hdi_lir_expect_char(r, '$');
    const int32_t var = hdi_lir_read_variable(r);
    return hdi_lir_node3(r->l, HDI_LIR_ADDRESS, HDI_LIR_POINTER, line, var, -1, -1, -1);
}

int32_t hdi_lir_read_expression(hdi_lir_reader *r, int32_t around)
{
    int32_t i = 0;
    const int32_t line = hdi_lir_read_line(r), own = line >= 0 ? line : around;
    if (!hdi_lir_deeper(r))
        i = 0;
    else if (hdi_lir_accept_char(r, '$'))
        i = get(r, line >= 0 ? line : hdi_lir_line_within(HDI_LIR_GET, around));
    else if (hdi_lir_accept_char(r, '&'))
        i = address(r, own);
    else if (hdi_lir_accept_char(r, '('))
        i = parenthesis(r, own);
    else
        i = atom(r, line, around);
    r->depth--;
    return i;
}
