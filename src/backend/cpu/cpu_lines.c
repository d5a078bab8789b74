/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_lines.c - see cpu_lines.h. */
#include "backend/cpu/cpu_lines.h"

#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_space.h"
#include "base/pool.h"

void hdi_cpu_line_fetch(const hdi_cpu_lines *s, const hdi_xarg *a, hd_dtype dt, int64_t at,
                        int64_t stride, int64_t n, void *to, void *spare)
{
    int lsize = __builtin_ctz((unsigned)hd_dtype_size(a->dt));
    bool cast = a->dt != dt;
    s->l->gather[lsize](cast ? spare : to, a->ptr + at, stride, n);
    if (cast)
        s->l->cast[a->dt][dt](to, spare, n);
}

void hdi_cpu_line_put(const hdi_cpu_lines *s, const hdi_xarg *a, hd_dtype dt, int64_t at,
                      int64_t stride, int64_t n, const void *from, void *spare)
{
    int lsize = __builtin_ctz((unsigned)hd_dtype_size(a->dt));
    if (a->dt != dt) {
        s->l->cast[dt][a->dt](spare, from, n);
        from = spare;
    }
    s->l->scatter[lsize](a->ptr + at, stride, from, n);
}

void hdi_cpu_line_round(const hdi_cpu_lines *s, void *x, int64_t n)
{
    uint16_t half[HDI_CPU_LINE_BLOCK];
    if (s->cdt == s->x->cdt)
        return;
    s->l->cast[s->cdt][s->x->cdt](half, x, n);
    s->l->cast[s->x->cdt][s->cdt](x, half, n);
}

/* The byte offsets of a line: its number counts all axes but the one walked (and but the inner
 * one). */
static void find_line(const hdi_cpu_lines *s, int64_t number, hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    line->in = line->out = 0;
    for (int a = x->nd - 1; a >= 0; a--) {
        if (a == s->axis || a == s->inner)
            continue;
        line->in += number % x->dims[a] * x->strides[a];
        line->out += number % x->dims[a] * o->strides[a];
        number /= x->dims[a];
    }
}

static void run_line(hdi_cpu_lines *s, int64_t number, uint8_t *memory)
{
    hdi_cpu_line line = {0, 0, 1, memory, memory + HDI_CPU_LINE_BYTES,
                         memory + 2 * HDI_CPU_LINE_BYTES};
    find_line(s, number / s->pieces, &line);
    if (s->inner >= 0) {
        int64_t at = number % s->pieces * HDI_CPU_LINE_BLOCK;
        line.n = hdi_min64(HDI_CPU_LINE_BLOCK, s->x->out.dims[s->inner] - at);
        line.in += at * s->x->in[0].strides[s->inner];
        line.out += at * s->x->out.strides[s->inner];
    }
    s->work(s, &line);
}

static bool lines_task(void *ctx, int64_t task)
{
    hdi_cpu_lines *s = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(3 * HDI_CPU_LINE_BYTES);
    int64_t end = hdi_min64((task + 1) * s->per_task, s->lines * s->pieces);
    for (int64_t i = task * s->per_task; memory != NULL && i < end; i++)
        run_line(s, i, memory);
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

/* The axis that is fastest in the output's memory, or the input's where the output has no steps
 * to compare, if it is not the one walked. */
static int choose_inner(const hdi_xcall *x, int axis)
{
    const int64_t *steps = x->out.dims[axis] > 1 ? x->out.strides : x->in[0].strides;
    int best = axis;
    for (int a = 0; a < x->out.nd; a++)
        if (x->out.dims[a] > 1 && hdi_abs64(steps[a]) < hdi_abs64(steps[best]))
            best = a;
    return best == axis ? -1 : best;
}

hd_status hdi_cpu_run_lines(const hdi_xcall *x, hdi_cpu_line_work work)
{
    int axis = x->payload.fold.axis;
    hdi_cpu_lines s = {.x = x,
                       .l = hdi_loops_chosen(),
                       .op = x->payload.fold.op,
                       .cdt = hdi_compute_dtype(x->payload.fold.op, x->cdt),
                       .axis = axis,
                       .inner = choose_inner(x, axis),
                       .lines = 1,
                       .pieces = 1,
                       .length = x->in[0].dims[axis],
                       .work = work,
                       .ask = hdi_cpu_may_stop(x)};
    int64_t next = 0;
    for (int a = 0; a < x->out.nd; a++)
        if (a != s.axis && a != s.inner)
            s.lines *= x->out.dims[a];
    if (s.inner >= 0)
        s.pieces = (x->out.dims[s.inner] + HDI_CPU_LINE_BLOCK - 1) / HDI_CPU_LINE_BLOCK;
    if (s.length == 0 || s.lines * s.pieces == 0)
        return HD_OK;
    s.per_task = hdi_max64(16 * HDI_CPU_LINE_BLOCK /
                               (s.length * (s.inner < 0 ? 1 : HDI_CPU_LINE_BLOCK)), 1);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status = hdi_cpu_scratch_reserve(3 * HDI_CPU_LINE_BYTES)
                           ? hdi_pool_run((s.lines * s.pieces + s.per_task - 1) / s.per_task,
                                          lines_task, &s, &next, s.ask)
                           : hdi_fail(HD_NOMEM, "out of memory for running results");
    hdi_cpu_scratch_release(mark);
    return s.stopped ? HD_INTERRUPTED : status;
}
