/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scan.c - running results of an elementwise operation, each element combined with the result
 * before it, in order: NumPy's bits. Along a line that is the fastest in memory the loop of the
 * operation's row in scan.def runs from memory to memory, or where elements lie apart or are cast
 * through a block at a time; an operation without a row goes from element to element. Otherwise a
 * row of many lines is combined at once.
 *
 * Tried and lost: threads that share a long line of integers, each piece summed, then scanned once
 * the sum of those before is there. One thread nearly fills the memory's bandwidth, and one that
 * is preempted holds up the others. */
#include "backend/cpu/cpu_lines.h"

int hdi_cpu_scan_row(hd_op op)
{
    static const hd_op of[HDI_SCAN_COUNT] = {
#define SCAN(name, of, types, combine, doc) [HDI_SCAN_##name] = HD_OP_##of,
#include "ops/scan/scan.def"
    };
    for (int row = 0; row < HDI_SCAN_COUNT; row++)
        if (of[row] == op)
            return row;
    return -1;
}

/* The loop of an operation that has a row, or NULL. */
static hdi_scan_loop loop_of(const hdi_cpu_lines *s)
{
    const int row = hdi_cpu_scan_row(s->op);
    return row >= 0 ? s->l->scan[row][s->x->cdt] : NULL;
}

/* As the loops of the rows: x[0..n) in place, from *carry on, which becomes the last result. */
static void run_through(const hdi_cpu_lines *s, uint8_t *x, int64_t n, uint8_t *carry)
{
    hdi_scan_loop loop = loop_of(s);
    hdi_ew_loop one = s->l->ew[s->op][s->cdt][HDI_VV];
    size_t size = (size_t)hd_dtype_size(s->cdt);
    if (loop != NULL) {
        loop(x, x, n, carry);
        return;
    }
    for (int64_t i = 0; i < n; i++, x += size) {
        const void *both[3] = {carry, x, x};
        one(x, both, 1);
        hdi_cpu_line_round(s, x, 1);
        memcpy(carry, x, size);
    }
}

/* Do the loops of a row take elements and leave results where they lie? */
static bool lies_dense(const hdi_xcall *x, int axis)
{
    int64_t size = hd_dtype_size(x->cdt);
    return x->in[0].dt == x->cdt && x->out.dt == x->cdt && x->in[0].strides[axis] == size &&
           x->out.strides[axis] == size;
}

/* n elements of a line from number i on, as dt. */
static void block_along(const hdi_cpu_lines *s, const hdi_cpu_line *line, hd_dtype dt, int64_t i,
                        int64_t n, uint8_t *carry)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->axis], os = o->strides[s->axis], size = hd_dtype_size(dt);
    hdi_cpu_line_fetch(s, x, dt, line->in + i * xs, xs, n, line->block, line->spare);
    if (i == 0) {   /* the first result is the first element, even -0 */
        memcpy(carry, line->block, (size_t)size);
        run_through(s, line->block + size, n - 1, carry);
    } else {
        run_through(s, line->block, n, carry);
    }
    hdi_cpu_line_put(s, o, dt, line->out + i * os, os, n, line->block, line->spare);
}

static void along(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    _Alignas(16) uint8_t carry[16] = {0};
    hdi_scan_loop loop = loop_of(s);
    hd_dtype dt = loop != NULL ? s->x->cdt : s->cdt;   /* half types have loops of rows */
    int64_t size = hd_dtype_size(dt);
    bool dense = loop != NULL && lies_dense(s->x, s->axis);
    for (int64_t i = 0, n; i < s->length; i += n) {
        n = hdi_min64(HDI_CPU_LINE_BLOCK, s->length - i);
        if (dense && i > 0)
            loop(o->ptr + line->out + i * size, x->ptr + line->in + i * size, n, carry);
        else
            block_along(s, line, dt, i, n, carry);
        if (s->lines == 1 && i % (HDI_CPU_LINE_BLOCK << 12) == 0 && i > 0 && s->ask != NULL &&
            s->ask()) {
            s->stopped = true;
            return;
        }
    }
}

static void across(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->inner], os = o->strides[s->inner];
    const void *both[3] = {line->block, line->row, line->row};
    for (int64_t i = 0; i < s->length; i++) {
        hdi_cpu_line_fetch(s, x, s->cdt, line->in + i * x->strides[s->axis], xs, line->n,
                           i == 0 ? line->block : line->row, line->spare);
        if (i > 0) {
            s->l->ew[s->op][s->cdt][HDI_VV](line->block, both, line->n);
            hdi_cpu_line_round(s, line->block, line->n);
        }
        hdi_cpu_line_put(s, o, s->cdt, line->out + i * o->strides[s->axis], os, line->n,
                         line->block, line->spare);
    }
}

static void scan(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    if (s->inner < 0)
        along(s, line);
    else
        across(s, line);
}

hd_status hdi_cpu_accumulate(const hdi_xcall *x)
{
    return hdi_cpu_run_lines(x, scan);
}
