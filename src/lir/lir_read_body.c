/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_read_body.c - lowered IR from text: statements. */
#include "lir/lir_read.h"
#include "lir/lir_words.h"
#include "lir/passes.h"

static int32_t list(hdi_lir_reader *r, int32_t around);

static void set_kind(hdi_lir_reader *r, int32_t i, int kind)
{
    if (!r->l->failed)
        r->l->node[i].kind = (uint8_t)kind;
}

static void set_flags(hdi_lir_reader *r, int32_t i, int flags)
{
    if (!r->l->failed)
        r->l->node[i].flags = (uint8_t)flags;
}

static int32_t with_operands(hdi_lir_reader *r, hdi_lir_op op, int32_t line, int64_t k, int n)
{
    int32_t arg[3] = {-1, -1, -1};
    for (int a = 0; a < n; a++)
        arg[a] = hdi_lir_read_expression(r, line);
    return hdi_lir_node3(r->l, op, HDI_LIR_VOID, line, k, arg[0], arg[1], arg[2]);
}

static int32_t atomic(hdi_lir_reader *r, int32_t line, int32_t var)
{
    const int kind = hdi_lir_choice(r, hdi_lir_atomic_words, HDI_LIR_ATOMICS,
                                    "an atomic operation");
    const int32_t i = with_operands(r, HDI_LIR_ATOMIC, line, var, hdi_lir_atomic_args(kind));
    set_kind(r, i, kind);
    return i;
}

static int32_t warp(hdi_lir_reader *r, int32_t line, int32_t var)
{
    const int kind = hdi_lir_choice(r, hdi_lir_warp_words, HDI_LIR_WARPS,
                                    "an operation of a warp");
    const int32_t i = with_operands(r, HDI_LIR_WARP, line, var, hdi_lir_warp_args(kind));
    set_kind(r, i, kind);
    return i;
}

static int32_t assignment(hdi_lir_reader *r, int32_t line)
{
    const int32_t var = hdi_lir_read_variable(r);
    hdi_lir_expect_char(r, '=');
    if (hdi_lir_accept(r, "atomic"))
        return atomic(r, line, var);
    if (hdi_lir_accept(r, "warp"))
        return warp(r, line, var);
    return with_operands(r, HDI_LIR_ASSIGN, line, var, 1);
}

static int32_t conditional(hdi_lir_reader *r, int32_t line)
{
    const int32_t c = hdi_lir_read_expression(r, line), yes = list(r, line);
    const int32_t no = hdi_lir_accept(r, "else") ? list(r, line) : -1;
    return hdi_lir_node3(r->l, HDI_LIR_IF, HDI_LIR_VOID, line, 0, c, yes, no);
}

static int32_t loop(hdi_lir_reader *r, int32_t line)
{
    const bool counted = hdi_lir_accept(r, "counted");
    int64_t unroll = 0;
    if (hdi_lir_accept(r, "unroll"))
        unroll = hdi_lir_integer(r, INT32_MIN, INT32_MAX, "a number of turns");
    const int32_t body = list(r, line), step = hdi_lir_accept(r, "step") ? list(r, line) : -1;
    const int32_t i = hdi_lir_node3(r->l, HDI_LIR_LOOP, HDI_LIR_VOID, line, unroll, body, step, -1);
    set_flags(r, i, counted ? HDI_LIR_COUNTED : 0);
    return i;
}

static int32_t store(hdi_lir_reader *r, int32_t line)
{
    const bool is_volatile = hdi_lir_accept(r, "volatile");
    const int kind = hdi_lir_read_align(r);
    const int32_t i = with_operands(r, HDI_LIR_STORE, line, 0, 2);
    set_kind(r, i, kind);
    set_flags(r, i, is_volatile ? HDI_LIR_VOLATILE : 0);
    return i;
}

static int32_t declare(hdi_lir_reader *r, int32_t line)
{
    hdi_lir_expect_char(r, '$');
    const int32_t var = hdi_lir_read_variable(r);
    return hdi_lir_node3(r->l, HDI_LIR_DECLARE, HDI_LIR_VOID, line, var, -1, -1, -1);
}

static int32_t print(hdi_lir_reader *r, int32_t line)
{
    const int32_t text = hdi_lir_read_name(r), items = list(r, line);
    return hdi_lir_node3(r->l, HDI_LIR_PRINT, HDI_LIR_VOID, line, text, items, -1, -1);
}

static hdi_lir_op statement_word(hdi_lir_reader *r)
{
    hdi_lir_skip(r);
    const char *begin = r->at;
    char word[HDI_LIR_WORD];
    hdi_lir_word(r, word, "a statement");
    for (int op = 0; op < HDI_LIR_OPS; op++)
        if (!hdi_lir_ops[op].is_expression && op != HDI_LIR_ASSIGN && op != HDI_LIR_WARP
            && strcmp(hdi_lir_ops[op].text, word) == 0)
            return (hdi_lir_op)op;
    if (!r->failed)
        r->at = begin;
    hdi_lir_expected(r, "a statement");
    return HDI_LIR_FENCE;
}

static int32_t by_word(hdi_lir_reader *r, int32_t line)
{
    const hdi_lir_op op = statement_word(r);
    switch (op) {
    case HDI_LIR_DECLARE: return declare(r, line);
    case HDI_LIR_STORE:   return store(r, line);
    case HDI_LIR_ATOMIC:  return atomic(r, line, -1);
    case HDI_LIR_IF:      return conditional(r, line);
    case HDI_LIR_LOOP:    return loop(r, line);
    case HDI_LIR_PRINT:   return print(r, line);
    case HDI_LIR_ITEM:    return with_operands(r, op, line, 0, 1);
    case HDI_LIR_THREADS:
        return hdi_lir_node3(r->l, op, HDI_LIR_VOID, line, 0, list(r, line), -1, -1);
    case HDI_LIR_TRAP:
        return with_operands(r, op, line, hdi_lir_read_name(r), 0);
    case HDI_LIR_BREAK: case HDI_LIR_CONTINUE:
        return with_operands(r, op, line,
                             hdi_lir_integer(r, INT32_MIN, INT32_MAX, "a number of loops"), 0);
    default:
        return with_operands(r, op, line, 0, 0);
    }
}

static int32_t statement(hdi_lir_reader *r, int32_t around)
{
    const int32_t line = hdi_lir_read_line(r), own = line >= 0 ? line : around;
    return hdi_lir_accept_char(r, '$') ? assignment(r, own) : by_word(r, own);
}

static int32_t list(hdi_lir_reader *r, int32_t around)
{
    hdi_lir_list all = HDI_LIR_EMPTY;
    hdi_lir_expect_char(r, '{');
    if (hdi_lir_deeper(r))
        while (!r->failed && !r->l->failed && !hdi_lir_accept_char(r, '}'))
            hdi_lir_list_add(r->l, &all, statement(r, around));
    r->depth--;
    return all.first;
}

int32_t hdi_lir_read_body(hdi_lir_reader *r)
{
    return list(r, 0);
}
