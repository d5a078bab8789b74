/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fold.c - an elementwise operation folded over pieces of an axis: element after element, but
 * in chunks where the operation has a reduction. */
#include "backend/cpu/cpu_lines.h"

/* Where the piece of result j starts and ends: at position j, before the next one. A piece that
 * would be empty is its first element. Without positions all is one piece. */
static void find_piece(const hdi_cpu_lines *s, int64_t j, int64_t *start, int64_t *end)
{
    const hdi_xarg *at = &s->x->in[1];
    *start = 0;
    *end = s->length;
    if (s->x->nin < 2)
        return;
    *start = *(const int64_t *)(const void *)(at->ptr + j * at->strides[0]);
    *end = *(const int64_t *)(const void *)(at->ptr + (j + 1) * at->strides[0]);
    if (*end <= *start)
        *end = *start + 1;
}

/* x = both[0] op both[1] of n elements. */
static void combine(const hdi_cpu_lines *s, void *x, const void *const *both, int64_t n)
{
    s->l->ew[s->op][s->cdt][HDI_VV](x, both, n);
    if (!hdi_fold_rounds_once(s->op))
        hdi_cpu_line_round(s, x, n);
}

/* The reduction of chunks that ends in the accumulators' own type, or NULL. */
static hdi_red_chunk chunk_of(const hdi_cpu_lines *s)
{
    const hd_fold_info *f = hd_fold_info_of(s->op);
    return f != NULL && f->reduction < HD_OP_COUNT
               ? s->l->red_chunk[f->reduction - HD_OP_sum][s->cdt]
               : NULL;
}

/* The loop that multiplies real and complex numbers one after the other, or NULL. Joined otherwise,
 * -1e200, 1e200, 1e-120, 1e200 would be another number than NumPy's -inf. */
static hdi_scan_loop product_of(const hdi_cpu_lines *s)
{
    const char kind = hd_dtype_kind(s->cdt);
    return s->op == HD_OP_multiply && (kind == 'f' || kind == 'c')
               ? s->l->scan[hdi_cpu_scan_row(s->op)][s->cdt]
               : NULL;
}

/* acc = acc op x[0] op x[1] ... of n elements, n at most a block; x may be written to. */
static void fold_block(const hdi_cpu_lines *s, uint8_t *acc, uint8_t *x, int64_t n)
{
    hdi_scan_loop product = product_of(s);
    if (product != NULL) {
        product(x, x, n, acc);
        return;
    }
    hdi_red_chunk chunk = chunk_of(s);
    size_t size = (size_t)hd_dtype_size(s->cdt);
    _Alignas(16) uint8_t part[16];
    for (int64_t m; n > 0; n -= m, x += (size_t)m * size) {
        m = chunk != NULL ? hdi_min64(n, HDI_RED_CHUNK) : 1;
        if (m > 1)
            chunk(part, x, NULL, m);
        const void *both[3] = {acc, m > 1 ? part : x, acc};
        combine(s, acc, both, 1);
    }
}

static void along(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->axis], os = o->strides[s->axis], start, end;
    size_t size = (size_t)hd_dtype_size(s->cdt);
    _Alignas(16) uint8_t acc[16];
    for (int64_t j = 0; j < o->dims[s->axis] && !s->stopped; j++) {
        find_piece(s, j, &start, &end);
        for (int64_t i = start, n; i < end; i += n) {
            n = hdi_min64(HDI_CPU_LINE_BLOCK, end - i);
            hdi_cpu_line_fetch(s, x, s->cdt, line->in + i * xs, xs, n, line->block,
                               line->spare);
            if (i == start)   /* the first element is the result so far, even -0 */
                memcpy(acc, line->block, size);
            fold_block(s, acc, line->block + (i == start ? size : 0), n - (i == start));
        }
        hdi_cpu_line_put(s, o, s->cdt, line->out + j * os, os, 1, acc, line->spare);
        s->stopped = s->lines == 1 && j % 4096 == 4095 && s->ask != NULL && s->ask();
    }
}

static void across(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->inner], os = o->strides[s->inner], start, end;
    const void *both[3] = {line->block, line->row, line->row};
    for (int64_t j = 0; j < o->dims[s->axis]; j++) {
        find_piece(s, j, &start, &end);
        for (int64_t i = start; i < end; i++) {
            hdi_cpu_line_fetch(s, x, s->cdt, line->in + i * x->strides[s->axis], xs, line->n,
                               i == start ? line->block : line->row, line->spare);
            if (i > start)
                combine(s, line->block, both, line->n);
        }
        hdi_cpu_line_put(s, o, s->cdt, line->out + j * o->strides[s->axis], os, line->n,
                         line->block, line->spare);
    }
}

static void fold(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    if (s->inner < 0)
        along(s, line);
    else
        across(s, line);
}

hd_status hdi_cpu_reduceat(const hdi_xcall *x)
{
    return hdi_cpu_run_lines(x, fold);
}
