/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_matmul.c - matrix products: what is to be multiplied, and by whom. BLAS where there is one
 * and it knows the type (cpu_product_blas.c), else loops of our own (cpu_product_own.c). */
#include "backend/cpu/cpu_product.h"

enum { PACKED_AT_ONCE = 256 };

static int log2_of(hd_dtype dt)
{
    return __builtin_ctz((unsigned)hd_dtype_size(dt));
}

/* ---- copies ---------------------------------------------------------------------------------- */

void hdi_cpu_pack(const hdi_cpu_product *p, const hdi_cpu_matrix *a, uint8_t *to, int64_t stride)
{
    bool cast = a->dt != p->cdt;
    int lsize = log2_of(a->dt);
    uint8_t spare[PACKED_AT_ONCE * 16];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0, n; j < a->columns; j += n) {
            uint8_t *row = to + i * stride + j * p->size;
            n = hdi_min64(PACKED_AT_ONCE, a->columns - j);
            p->l->gather[lsize](cast ? spare : row, a->ptr + i * a->row + j * a->column, a->column,
                                n);
            if (cast)
                p->l->cast[a->dt][p->cdt](row, spare, n);
        }
}

void hdi_cpu_unpack(const hdi_cpu_product *p, const hdi_cpu_matrix *c, const uint8_t *from,
                    int64_t stride)
{
    bool cast = c->dt != p->cdt;
    int lsize = log2_of(c->dt);
    uint8_t spare[PACKED_AT_ONCE * 16];
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0, n; j < c->columns; j += n) {
            const uint8_t *row = from + i * stride + j * p->size;
            n = hdi_min64(PACKED_AT_ONCE, c->columns - j);
            if (cast)
                p->l->cast[p->cdt][c->dt](spare, row, n);
            p->l->scatter[lsize](c->ptr + i * c->row + j * c->column, c->column, cast ? spare : row,
                                 n);
        }
}

/* ---- the batch ------------------------------------------------------------------------------- */

void hdi_cpu_spot_start(hdi_cpu_spot *at, const hdi_cpu_product *p, int64_t batch)
{
    for (int k = 0; k < CPU_MATRICES; k++)
        at->ptr[k] = p->of[k].ptr;
    for (int i = p->nd - 1; i >= 0; i--) {
        at->index[i] = batch % p->dims[i];
        batch /= p->dims[i];
        for (int k = 0; k < CPU_MATRICES; k++)
            at->ptr[k] += at->index[i] * p->steps[i][k];
    }
}

/* The axes before those of the matrix follow those of the result, aligned at their end. */
static void set_batch(hdi_cpu_product *p, const hdi_xcall *x, int nd)
{
    const hdi_xarg *arg[CPU_MATRICES] = {&x->in[0], &x->in[1], &x->out};
    p->batches = 1;
    for (int i = 0; i < nd; i++) {
        int64_t extent = x->out.dims[i];
        p->batches *= extent;
        if (extent == 1)
            continue;
        for (int k = 0; k < CPU_MATRICES; k++) {
            int axis = k == CPU_C ? i : i - nd + arg[k]->nd - 2;
            bool there = axis >= 0 && (k == CPU_C || arg[k]->nd > 2) && arg[k]->dims[axis] > 1;
            p->steps[p->nd][k] = there ? arg[k]->strides[axis] : 0;
        }
        p->dims[p->nd++] = extent;
    }
}

/* Do all matrices go through the axis after another as they go through the axis before it? */
static bool in_step(const hdi_cpu_product *p, int before)
{
    const int64_t *outer = p->steps[before], *inner = p->steps[before + 1];
    for (int k = 0; k < CPU_MATRICES; k++)
        if (outer[k] != inner[k] * p->dims[before + 1])
            return false;
    return true;
}

/* Axes that go on where the next one ends become one. If one b then multiplies a's that lie one
 * below the other, they are one taller a. */
static void join_batch(hdi_cpu_product *p)
{
    for (int i = p->nd - 2; i >= 0; i--)
        if (in_step(p, i)) {
            p->dims[i] *= p->dims[i + 1];
            memcpy(p->steps[i], p->steps[i + 1], sizeof *p->steps);
            p->nd--;
            memmove(&p->dims[i + 1], &p->dims[i + 2],
                    sizeof *p->dims * (size_t)(p->nd - i - 1));
            memmove(&p->steps[i + 1], &p->steps[i + 2],
                    sizeof *p->steps * (size_t)(p->nd - i - 1));
        }
    if (p->nd == 0)
        return;
    const int64_t *step = p->steps[p->nd - 1], extent = p->dims[p->nd - 1];
    hdi_cpu_matrix *a = &p->of[CPU_A], *c = &p->of[CPU_C];
    if (step[CPU_B] != 0 || (p->m > 1 && (step[CPU_A] != p->m * a->row ||
                                          step[CPU_C] != p->m * c->row)))
        return;
    if (p->m == 1) {
        a->row = step[CPU_A];
        c->row = step[CPU_C];
    }
    p->nd--;
    p->batches /= extent;
    p->m = a->rows = c->rows = p->m * extent;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* A vector is a row or, as the second operand, a column; the result has no axis for it. */
static void set_matrices(hdi_cpu_product *p, const hdi_xcall *x)
{
    for (int k = 0; k < CPU_C; k++) {
        const hdi_xarg *arg = &x->in[k];
        hdi_cpu_matrix *to = &p->of[k];
        int last = arg->nd - 1;
        *to = (hdi_cpu_matrix){.ptr = arg->ptr, .rows = 1, .columns = 1, .dt = arg->dt};
        if (arg->nd > 1 || k == CPU_A) {
            to->columns = arg->dims[last];
            to->column = arg->strides[last];
            last--;
        }
        if (arg->nd > 1 || k == CPU_B) {
            to->rows = arg->dims[last];
            to->row = arg->strides[last];
        }
    }
    p->m = p->of[CPU_A].rows;
    p->k = p->of[CPU_A].columns;
    p->n = p->of[CPU_B].columns;
    int axis = x->out.nd - 1;
    p->of[CPU_C] =
        (hdi_cpu_matrix){.ptr = x->out.ptr, .rows = p->m, .columns = p->n, .dt = x->out.dt};
    if (x->in[1].nd > 1)
        p->of[CPU_C].column = x->out.strides[axis--];
    if (x->in[0].nd > 1)
        p->of[CPU_C].row = x->out.strides[axis--];
    set_batch(p, x, axis + 1);
}

static bool is_aligned(const hdi_cpu_product *p, int k)
{
    const hdi_cpu_matrix *a = &p->of[k];
    int64_t bits = (int64_t)(uintptr_t)a->ptr | (a->rows > 1 ? a->row : 0) |
                   (a->columns > 1 ? a->column : 0);
    for (int i = 0; i < p->nd; i++)
        bits |= p->steps[i][k];
    return bits % hd_dtype_size(hd_dtype_real(p->cdt)) == 0;
}

bool hdi_cpu_matmul_wants_blas(hd_dtype cdt)
{
    const hd_dtype dt = hdi_compute_dtype(HD_OP_matmul, cdt);
    return dt == HD_FLOAT32 || dt == HD_FLOAT64 || dt == HD_COMPLEX64 || dt == HD_COMPLEX128;
}

hd_status hdi_cpu_matmul(const hdi_xcall *x)
{
    hdi_cpu_product p = {.l = hdi_loops_chosen(),
                         .cdt = hdi_compute_dtype(HD_OP_matmul, x->cdt),
                         .ask = hdi_cpu_may_stop(x)};
    p.size = hd_dtype_size(p.cdt);
    set_matrices(&p, x);
    if (p.batches == 0 || p.m == 0 || p.n == 0)
        return HD_OK;
    join_batch(&p);
    for (int k = 0; k < CPU_MATRICES; k++)
        p.aligned[k] = is_aligned(&p, k);
    return hdi_cpu_matmul_wants_blas(x->cdt) && p.k > 0 && hdi_cpu_blas_ready()
               ? hdi_cpu_product_blas(&p)
               : hdi_cpu_product_own(&p);
}
