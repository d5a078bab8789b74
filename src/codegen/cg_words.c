/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_words.c - every row in every loop dtype that the code generator has a word for. */
#include "codegen/cg_words.h"

#include <pthread.h>

#include "core/op.h"

enum { MOST = 2048 };

static hdi_word list[MOST];
static int count, wide_count;
static int16_t of_row[HD_OP_COUNT][HD_DTYPE_COUNT];    /* number + 1; 0: none */
static int16_t of_cast[HD_DTYPE_COUNT][HD_DTYPE_COUNT];

static bool often(int dt)
{
    return dt == HD_BOOL || dt == HD_INT32 || dt == HD_INT64 || dt == HD_FLOAT32 ||
           dt == HD_FLOAT64;
}

/* What computes for longer is no quicker for being called less. */
static bool is_wide(const hdi_word *w)
{
    bool function = w->cdt == HD_FLOAT32 &&
                    (w->op == HD_OP_exp || w->op == HD_OP_log || w->op == HD_OP_tanh);
    if (!often(w->cdt) || !often(w->dt))
        return false;
    return w->op == HDI_CHAIN_CAST || function || hdi_chain_plain((hd_op)w->op, (hd_dtype)w->cdt);
}

static void add(hdi_word w, int16_t *number)
{
    if (count == MOST)
        return;
    w.wide = is_wide(&w) ? (uint16_t)++wide_count : 0;
    list[count++] = w;
    *number = (int16_t)count;
}

/* Of half types the neighbours of a number; the rest is computed in float32. */
static bool has_word(hd_op op, hd_dtype cdt)
{
    return hdi_op_rows[op].info.cls == 'e' && hdi_compute_dtype(op, cdt) == cdt &&
           hdi_has_loop(op, cdt) && hdi_words_can(op, cdt);
}

static void add_row(hd_op op, hd_dtype cdt)
{
    hdi_word w = {.op = (uint16_t)op, .cdt = (uint8_t)cdt,
                  .dt = (uint8_t)hdi_value_dtype(op, cdt),
                  .narg = (uint8_t)hdi_op_rows[op].info.nin};
    for (int k = 0; k < w.narg; k++)
        w.arg[k] = (uint8_t)hdi_loop_dtype(op, k, cdt);
    add(w, &of_row[op][cdt]);
}

static void add_cast(hd_dtype from, hd_dtype to)
{
    add((hdi_word){.op = HDI_CHAIN_CAST, .cdt = (uint8_t)from, .dt = (uint8_t)to, .narg = 1,
                   .arg = {(uint8_t)from}},
        &of_cast[from][to]);
}

static void make_list(void)
{
    for (hd_op op = 0; op < HD_OP_COUNT; op++)
        for (hd_dtype cdt = HD_BOOL; cdt < HD_DTYPE_COUNT; cdt++)
            if (has_word(op, cdt))
                add_row(op, cdt);
    for (hd_dtype from = HD_BOOL; from < HD_DTYPE_COUNT; from++)
        for (hd_dtype to = HD_BOOL; to < HD_DTYPE_COUNT; to++)
            if (hdi_chain_can_cast(from, to))
                add_cast(from, to);
}

const hdi_word *hdi_words_list(int *n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_list);
    *n = count;
    return list;
}

int hdi_word_number(hd_op op, hd_dtype cdt)
{
    int n;
    hdi_words_list(&n);
    return of_row[op][cdt] - 1;
}

int hdi_word_cast(hd_dtype from, hd_dtype to)
{
    int n;
    hdi_words_list(&n);
    return of_cast[from][to] - 1;
}
