/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_directive.c - lines that begin with #. */
#include "kernel/kc_token.h"

const kc_token *hdi_kc_line_end(const kc_token *t, const kc_token *end)
{
    for (t++; t < end && (t->flags & KC_FRESH) == 0; t++)
        ;
    return t;
}

static bool is(const kc_token *t, const char *text)
{
    return (size_t)t->length == strlen(text) && memcmp(t->text, text, (size_t)t->length) == 0;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool active(const kc_condition *k) { return k->depth == 0 || k->active[k->depth - 1]; }

/* `defined NAME` and `defined(NAME)` must not be expanded. */
static void with_defined(kc_reader *r, const kc_token *t, const kc_token *end, kc_tokens *out)
{
    for (; t < end; t++) {
        kc_token made = *t;
        if (is(t, "defined") && t + 1 < end) {
            const bool closed = t[1].what == '(' && t + 3 < end + 0 && t[3].what == ')';
            const kc_token *name = closed ? t + 2 : t + 1;
            made.text = name->word != NULL && name->word->macro != NULL ? "1" : "0";
            made.length = 1;
            made.what = KC_NUMBER;
            made.word = NULL;
            t += closed ? 3 : 1;
        }
        hdi_kc_tokens_add(r, out, &made);
    }
}

static bool holds(kc_reader *r, const kc_token *t, const kc_token *end)
{
    if (t + 1 >= end) {
        hdi_kc_fail(r, HD_VALUE, t, "a condition is missing");
        return false;
    }
    kc_tokens plain = {NULL, 0, 0}, full = {NULL, 0, 0};
    with_defined(r, t + 1, end, &plain);
    if (!r->failed)
        hdi_kc_expand(r, plain.t, plain.t + plain.n, &full);
    const bool value = !r->failed && hdi_kc_if_value(r, full.t, full.t + full.n) != 0;
    hdi_kc_tokens_free(&plain);
    hdi_kc_tokens_free(&full);
    return value;
}

static bool is_defined(kc_reader *r, const kc_token *t, const kc_token *end)
{
    if (t + 1 >= end || t[1].word == NULL)
        hdi_kc_fail(r, HD_VALUE, t, "a name is missing");
    return !r->failed && t[1].word->macro != NULL;
}

static void condition_open(kc_reader *r, kc_condition *k, const kc_token *t, const kc_token *end)
{
    const bool outer = active(k);
    if (k->depth == 64) {
        hdi_kc_fail(r, HD_VALUE, t, "#if is nested deeper than 64");
        return;
    }
    const bool value = outer && (is(t, "if") ? holds(r, t, end)
                                             : is_defined(r, t, end) == is(t, "ifdef"));
    k->taken[k->depth] = value || !outer;
    k->active[k->depth++] = value;
}

static void condition_else(kc_reader *r, kc_condition *k, const kc_token *t, const kc_token *end)
{
    if (k->depth == 0) {
        hdi_kc_fail(r, HD_VALUE, t, "#%.*s without #if", (int)t->length, t->text);
        return;
    }
    const int i = k->depth - 1;
    k->active[i] = !k->taken[i] && (is(t, "else") || holds(r, t, end));
    k->taken[i] = k->taken[i] || k->active[i];
}

/* Whether it was a line about conditions. */
static bool condition(kc_reader *r, kc_condition *k, const kc_token *t, const kc_token *end)
{
    if (is(t, "if") || is(t, "ifdef") || is(t, "ifndef"))
        condition_open(r, k, t, end);
    else if (is(t, "elif") || is(t, "else"))
        condition_else(r, k, t, end);
    else if (is(t, "endif") && k->depth == 0)
        hdi_kc_fail(r, HD_VALUE, t, "#endif without #if");
    else if (is(t, "endif"))
        k->depth--;
    else
        return false;
    return true;
}

/* ---- #include -------------------------------------------------------------------------------- */

/* What these declare is in the prelude, or has no meaning here. */
static const char *const headers[] = {
    "cuda_runtime.h", "cuda_runtime_api.h", "cuda.h", "device_launch_parameters.h", "math.h",
    "cmath", "math_constants.h", "stdint.h", "cstdint", "stddef.h", "cstddef", "stdio.h", "cstdio",
    "stdlib.h", "cstdlib", "string.h", "cstring", "limits.h", "climits", "float.h", "cfloat",
    "assert.h", "cassert", "stdbool.h", "inttypes.h", "cinttypes", "cuda_fp16.h", "limits",
    "type_traits", "algorithm", "utility", "iostream", "complex", "thrust/complex.h",
    "vector_types.h", "vector_functions.h", "device_functions.h", "sm_20_atomic_functions.h",
    "device_atomic_functions.h", "math_functions.h", "helper_math.h", "cuComplex.h",
    "cooperative_groups.h", "cuda/std/cstdint", "cuda/std/limits", "cuda/std/cmath",
    "cuda/std/type_traits", "numeric", "builtin_types.h", "curand_kernel.h", "curand.h",
};

static void include(kc_reader *r, const kc_token *t, const kc_token *end)
{
    const char *from = t + 1 < end ? t[1].text + 1 : "";
    const char *stop = t + 1 < end ? end[-1].text + end[-1].length - 1 : from;
    const size_t length = stop > from ? (size_t)(stop - from) : 0;
    if (length > 5 && strncmp(from, "cupy/", 5) == 0)
        return;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strlen(headers[i]) == length && memcmp(headers[i], from, length) == 0)
            return;
    hdi_kc_fail(r, HD_UNSUPPORTED, t, "#include of %.*s: only CUDA's and C's own headers are "
                "known; put the text into the source", (int)(length < 100 ? length : 100), from);
}

/* ---- others ---------------------------------------------------------------------------------- */

static void error_line(kc_reader *r, const kc_token *t, const kc_token *end)
{
    const char *stop = end[-1].text + end[-1].length;
    const int length = stop > t->text && stop - t->text < 200 ? (int)(stop - t->text) : 5;
    hdi_kc_fail(r, HD_VALUE, t, "#%.*s", length, t->text);
}

/* Is the next token that of a loop? Elsewhere, as in the middle of a statement, #pragma unroll has
 * no meaning. */
static bool before_loop(const kc_token *t, const kc_token *end)
{
    while (t < end && (t->flags & KC_FRESH) != 0 && t->what == '#')
        t = hdi_kc_line_end(t, end);
    return t < end && (t->what == KC_W_FOR || t->what == KC_W_WHILE || t->what == KC_W_DO);
}

/* #pragma unroll, #pragma unroll 4, #pragma unroll(N), #pragma nounroll: as tokens, for the loop
 * behind them. Others have no meaning here. */
static void pragma(kc_reader *r, const kc_token *t, const kc_token *end, kc_tokens *out)
{
    const bool all = t + 1 < end && is(t + 1, "unroll");
    if (!all && !(t + 1 < end && is(t + 1, "nounroll")))
        return;
    kc_token made = t[1];
    made.word = NULL;
    made.what = KC_UNROLL;
    hdi_kc_tokens_add(r, out, &made);
    if (all)
        hdi_kc_expand(r, t + 2, end, out);
    made.text = "1";
    made.length = 1;
    made.what = KC_NUMBER;
    if (!all)
        hdi_kc_tokens_add(r, out, &made);
    made.text = "";
    made.length = 0;
    made.what = KC_UNROLL_END;
    hdi_kc_tokens_add(r, out, &made);
}

static void effect(kc_reader *r, const kc_token *t, const kc_token *end, const kc_token *last,
                   kc_tokens *out)
{
    if (is(t, "define"))
        hdi_kc_define(r, t + 1, end);
    else if (is(t, "undef")) {
        if (t + 1 < end && t[1].word != NULL)
            t[1].word->macro = NULL;
    } else if (is(t, "include"))
        include(r, t, end);
    else if (is(t, "error"))
        error_line(r, t, end);
    else if (is(t, "pragma") && before_loop(end, last))
        pragma(r, t, end, out);
    else if (!is(t, "pragma") && !is(t, "line") && !is(t, "warning"))
        hdi_kc_fail(r, HD_VALUE, t, "#%.*s is no directive", (int)t->length, t->text);
}

static const kc_token *skip_lines(const kc_token *t, const kc_token *end)
{
    while (t < end && !((t->flags & KC_FRESH) != 0 && t->what == '#'))
        t++;
    return t;
}

const kc_token *hdi_kc_directive(kc_reader *r, kc_condition *k, const kc_token *t,
                                 const kc_token *end, kc_tokens *out)
{
    const kc_token *next = hdi_kc_line_end(t, end);
    if (t + 1 < next && !condition(r, k, t + 1, next) && active(k))
        effect(r, t + 1, next, end, out);
    return active(k) ? next : skip_lines(next, end);
}

/* ---- the value of a condition ---------------------------------------------------------------- */

typedef struct evaluation { kc_reader *r; const kc_token *t, *end; int depth; } evaluation;

static int64_t evaluate(evaluation *e, int least);

static bool take(evaluation *e, int what)
{
    if (e->t >= e->end || e->t->what != what)
        return false;
    e->t++;
    return true;
}

static int64_t operand(evaluation *e)
{
    const kc_token *t = e->t < e->end ? e->t : e->end - 1;
    uint64_t value = 0;
    if (++e->depth > KC_MAX_DEPTH)
        hdi_kc_fail(e->r, HD_VALUE, t, "the condition is nested deeper than %d", (int)KC_MAX_DEPTH);
    if (e->r->failed)
        return 0;
    if (take(e, '!'))
        value = operand(e) == 0;
    else if (take(e, '-'))
        value = 0u - (uint64_t)operand(e);
    else if (take(e, '+'))
        value = (uint64_t)operand(e);
    else if (take(e, '~'))
        value = ~(uint64_t)operand(e);
    else if (take(e, '(')) {
        value = (uint64_t)evaluate(e, 1);
        if (!take(e, ')'))
            hdi_kc_fail(e->r, HD_VALUE, t, "the condition lacks a )");
    } else if (e->t < e->end && t->word != NULL)
        value = e->t++->what == KC_W_TRUE;                  /* C: unknown names are 0 */
    else if (e->t >= e->end || !hdi_kc_integer(e->t++, &value))
        hdi_kc_fail(e->r, HD_VALUE, t, "a whole number is expected in the condition");
    e->depth--;
    return (int64_t)value;
}

static const struct { uint16_t what; int8_t level; } levels[] = {
    {KC_OR, 2}, {KC_AND, 3}, {'|', 4}, {'^', 5}, {'&', 6}, {KC_EQ, 7}, {KC_NE, 7}, {'<', 8},
    {'>', 8}, {KC_LE, 8}, {KC_GE, 8}, {KC_SHL, 9}, {'+', 10}, {'-', 10}, {'*', 11}, {'/', 11},
    {'%', 11},
};

static int64_t apply(int what, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (what) {
    case KC_OR: return x != 0 || y != 0;
    case KC_AND: return x != 0 && y != 0;
    case '|': return x | y;
    case '^': return x ^ y;
    case '&': return x & y;
    case KC_EQ: return x == y;
    case KC_NE: return x != y;
    case '<': return x < y;
    case '>': return x > y;
    case KC_LE: return x <= y;
    case KC_GE: return x >= y;
    case KC_SHL: return (int64_t)(b < 64 ? a << b : 0);
    case '+': return (int64_t)(a + b);
    case '-': return (int64_t)(a - b);
    case '*': return (int64_t)(a * b);
    default: return y == 0 || y == -1 ? 0 : what == '/' ? x / y : x % y;
    }
}

static int level_of(const evaluation *e)
{
    for (size_t i = 0; e->t < e->end && i < sizeof levels / sizeof *levels; i++)
        if (levels[i].what == e->t->what)
            return levels[i].level;
    return 0;
}

static int64_t evaluate(evaluation *e, int least)
{
    int64_t x = operand(e);
    for (int level; (level = level_of(e)) >= (least > 2 ? least : 2) && !e->r->failed;) {
        const int what = e->t++->what;
        const bool shift = what == '>' && e->t < e->end && e->t->what == '>';
        e->t += shift;
        const int64_t y = evaluate(e, shift ? 10 : level + 1);
        x = shift ? (y >= 0 && y < 64 ? x >> y : 0) : apply(what, x, y);
    }
    if (least <= 1 && take(e, '?')) {
        const int64_t yes = evaluate(e, 1);
        if (!take(e, ':'))
            hdi_kc_fail(e->r, HD_VALUE, e->end - 1, "the condition lacks a :");
        const int64_t no = evaluate(e, 1);
        return x != 0 ? yes : no;
    }
    return x;
}

int64_t hdi_kc_if_value(kc_reader *r, const kc_token *t, const kc_token *end)
{
    if (t == NULL || t >= end) {
        hdi_kc_fail(r, HD_VALUE, NULL, "a condition is empty");
        return 0;
    }
    evaluation e = {r, t, end, 0};
    const int64_t value = evaluate(&e, 1);
    if (e.t < e.end)
        hdi_kc_fail(r, HD_VALUE, e.t, "the condition does not end here");
    return value;
}
