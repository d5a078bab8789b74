/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_moves.c - what is done to matrices before and after cuSOLVER: copies that turn, cast
 * and mask, as kernels of our own. */
#include <math.h>

#include "backend/cuda/cuda_build.h"
#include "backend/cuda/cuda_solver.h"

/* ---- where matrices lie ---------------------------------------------------------------------- */

hdi_cuda_matrix hdi_cuda_la_operand(const hdi_cuda_la *p, int i)
{
    const hdi_xarg *a = &p->x->in[i];
    return (hdi_cuda_matrix){.ptr = a->ptr, .dt = a->dt, .row = a->strides[a->nd - 2],
                             .column = a->strides[a->nd - 1], .batch = a->strides};
}

hdi_cuda_matrix hdi_cuda_la_result(const hdi_cuda_la *p, int i)
{
    const hdi_part *part = &p->part[i];
    int64_t item = hdi_itemsize(part->dt);
    return (hdi_cuda_matrix){.ptr = part->at, .dt = part->dt,
                             .row = part->dims[1] * item, .column = item, .step = part->bytes};
}

hdi_cuda_matrix hdi_cuda_la_columns(void *ptr, hd_dtype dt, int64_t ld, int64_t elements,
                                    bool turned)
{
    int64_t item = hdi_itemsize(dt);
    return (hdi_cuda_matrix){.ptr = ptr, .dt = dt, .row = turned ? ld * item : item,
                             .column = turned ? item : ld * item, .step = elements * item};
}

/* ---- kernels over (batch..., rows, columns) -------------------------------------------------- */

/* The batch's axes for the slots of these matrices, in order. */
static void add_batch(call *c, const hdi_cuda_la *p, int n, const hdi_cuda_matrix *m)
{
    int64_t inside[HD_MAXDIM], count = 1;
    for (int a = p->nbatch - 1; a >= 0; a--) {
        inside[a] = count;
        count *= p->x->in[0].dims[a];
    }
    for (int a = 0; a < p->nbatch; a++) {
        int64_t stride[MOST_SLOTS] = {0};
        for (int s = 0; s < n; s++)
            stride[s] = m[s].batch != NULL ? m[s].batch[a] : m[s].step * inside[a];
        add_axis(c, p->x->in[0].dims[a], false, stride);
    }
}

static uint16_t matrix_slot(call *c, const hdi_cuda_matrix *m, int level, bool write)
{
    return add_slot(c, &(hdi_xarg){.ptr = m->ptr, .dt = m->dt}, level, write, 0);
}

/* Rows, then columns; an index slot of column - row, if there is one. */
static void add_matrix_axes(call *c, int64_t rows, int64_t columns, int n,
                            const hdi_cuda_matrix *m, int index_slot, bool reduced)
{
    int64_t row[MOST_SLOTS] = {0}, column[MOST_SLOTS] = {0};
    for (int s = 0; s < n; s++) {
        row[s] = m[s].row;
        column[s] = m[s].column;
    }
    if (index_slot >= 0) {
        row[index_slot] = -1;
        column[index_slot] = 1;
    }
    add_axis(c, rows, reduced, row);
    add_axis(c, columns, reduced, column);
}

/* v where column - row is on the right side of 0, otherwise `other`. */
static uint16_t in_triangle(call *c, int triangle, uint16_t place, uint16_t v, uint16_t other)
{
    uint16_t zero = number(c, HD_INT64, 0, 0);
    uint16_t in = apply(c, triangle == HDI_MOVE_UPPER ? HD_OP_greater_equal : HD_OP_less_equal,
                        HD_INT64, 2, place, zero, 0);
    return apply(c, HD_OP_where, (hd_dtype)c->inst[v].dt, 3, in, v, other);
}

static uint16_t conjugate(call *c, uint16_t v)
{
    hd_dtype dt = (hd_dtype)c->inst[v].dt;
    return hdi_is_complex(dt) ? apply(c, HD_OP_conjugate, dt, 1, v, 0, 0) : v;
}

hd_status hdi_cuda_la_move(hdi_cuda_la *p, hdi_cuda_matrix to, hdi_cuda_matrix from, int64_t rows,
                           int64_t columns, int how)
{
    call c;
    int n = 2;
    uint16_t index = 0, place = 0;
    hdi_cuda_matrix m[3] = {from, to};
    if (rows == 0 || columns == 0)
        return HD_OK;
    begin(&c, 'e');
    uint16_t s = matrix_slot(&c, &from, KIR_FULL, false),
             t = matrix_slot(&c, &to, KIR_FULL, true), third = 0;
    if (how & HDI_MOVE_HERMITIAN) {      /* the same, the other way round */
        m[n] = from;
        m[n].row = from.column;
        m[n].column = from.row;
    } else if (how & HDI_MOVE_NAN) {
        m[n] = (hdi_cuda_matrix){.ptr = (uint8_t *)p->info, .dt = HD_INT32, .step = 4};
    }
    if (how & (HDI_MOVE_HERMITIAN | HDI_MOVE_NAN))
        third = matrix_slot(&c, &m[n++], KIR_FULL, false);
    if (how & (HDI_MOVE_UPPER | HDI_MOVE_LOWER | HDI_MOVE_HERMITIAN))
        place = index_value(&c, 0, &index);
    add_batch(&c, p, n, m);
    add_matrix_axes(&c, rows, columns, n, m, index > 0 ? index : -1, false);
    uint16_t v = cast(&c, load(&c, s), to.dt);
    if (how & HDI_MOVE_HERMITIAN)
        v = in_triangle(&c, HDI_MOVE_LOWER, place, v, conjugate(&c, cast(&c, load(&c, third),
                                                                         to.dt)));
    if (how & HDI_MOVE_FINITE)
        v = apply(&c, HD_OP_where, to.dt, 3, apply(&c, HD_OP_isfinite, to.dt, 1, v, 0, 0), v,
                  number(&c, to.dt, 0, 0));
    if (how & HDI_MOVE_ABSOLUTE)
        v = apply(&c, HD_OP_absolute, to.dt, 1, v, 0, 0);
    if (how & (HDI_MOVE_UPPER | HDI_MOVE_LOWER))
        v = in_triangle(&c, how & (HDI_MOVE_UPPER | HDI_MOVE_LOWER), place, v,
                        number(&c, to.dt, 0, 0));
    if (how & HDI_MOVE_NAN)
        v = apply(&c, HD_OP_where, to.dt, 3,
                  apply(&c, HD_OP_equal, HD_INT32, 2, load(&c, third),
                        number(&c, HD_INT32, 0, 0), 0),
                  v, number(&c, to.dt, NAN, p->z ? NAN : 0));
    store(&c, how & HDI_MOVE_CONJ ? conjugate(&c, v) : v, t);
    return run(p->d, &c, t);
}

hd_status hdi_cuda_la_identity(hdi_cuda_la *p, hdi_cuda_matrix to, int64_t rows, int64_t columns)
{
    call c;
    uint16_t index;
    if (rows == 0 || columns == 0)
        return HD_OK;
    begin(&c, 'e');
    uint16_t t = matrix_slot(&c, &to, KIR_FULL, true), place = index_value(&c, 0, &index);
    add_batch(&c, p, 1, &to);
    add_matrix_axes(&c, rows, columns, 1, &to, index, false);
    uint16_t on = apply(&c, HD_OP_equal, HD_INT64, 2, place, number(&c, HD_INT64, 0, 0), 0);
    store(&c, apply(&c, HD_OP_where, to.dt, 3, on, number(&c, to.dt, 1, 0),
                    number(&c, to.dt, 0, 0)), t);
    return run(p->d, &c, t);
}

hd_status hdi_cuda_la_fill(hdi_cuda_la *p, int i, int64_t batch, double value)
{
    call c;
    hdi_cuda_matrix to = hdi_cuda_la_result(p, i);
    int64_t item = hdi_itemsize(to.dt), n = to.step / item;
    if (n == 0)
        return HD_OK;
    to.ptr += hdi_max64(batch, 0) * to.step;
    begin(&c, 'e');
    uint16_t t = matrix_slot(&c, &to, KIR_FULL, true);
    add_axis(&c, batch < 0 ? n * p->batches : n, false, (int64_t[MOST_SLOTS]){item});
    store(&c, number(&c, to.dt, value, isnan(value) && hdi_is_complex(to.dt) ? NAN : 0), t);
    return run(p->d, &c, t);
}

void *hdi_cuda_la_pointers(hdi_cuda_la *p, const void *ptr, int64_t step)
{
    call c;
    uint16_t index;
    void *to = hdi_cuda_la_borrow(p, p->batches * 8);
    if (to == NULL)
        return NULL;
    begin(&c, 'e');
    uint16_t t = add_slot(&c, &(hdi_xarg){.ptr = to, .dt = HD_INT64}, KIR_FULL, true, 0);
    uint16_t v = index_value(&c, (int64_t)(intptr_t)ptr, &index);
    int64_t stride[MOST_SLOTS] = {8};
    stride[index] = step;
    add_axis(&c, p->batches, false, stride);
    store(&c, v, t);
    return run(p->d, &c, t) == HD_OK ? to : NULL;
}

hd_status hdi_cuda_la_odd(hdi_cuda_la *p, hdi_cuda_matrix from, int64_t rows, int64_t columns,
                          int triangle)
{
    call c;
    uint16_t index = 0, place = 0;
    hdi_cuda_matrix m[2] = {from, {.ptr = (uint8_t *)p->odd, .dt = HD_INT32, .step = 4}};
    begin(&c, 'r');
    uint16_t s = matrix_slot(&c, &m[0], KIR_FULL, false),
             t = matrix_slot(&c, &m[1], KIR_ROW, true);
    if (triangle != 0)
        place = index_value(&c, 0, &index);
    add_batch(&c, p, 2, m);
    add_matrix_axes(&c, rows, columns, 1, m, triangle != 0 ? index : -1, true);
    uint16_t v = load(&c, s), none = number(&c, HD_INT32, 0, 0);
    uint16_t bad = apply(&c, HD_OP_where, HD_INT32, 3,
                         apply(&c, HD_OP_isnan, from.dt, 1, v, 0, 0), number(&c, HD_INT32, 2, 0),
                         number(&c, HD_INT32, 1, 0));
    uint16_t code = apply(&c, HD_OP_where, HD_INT32, 3,
                          apply(&c, HD_OP_isfinite, from.dt, 1, v, 0, 0), none, bad);
    if (triangle != 0)
        code = in_triangle(&c, triangle, place, code, none);
    store(&c, reduce(&c, HD_OP_max, code), t);
    return run(p->d, &c, s);
}

hd_status hdi_cuda_la_keep_nan(hdi_cuda_la *p, hdi_cuda_matrix factors, hdi_cuda_matrix from)
{
    call c;
    hdi_cuda_matrix last = {.ptr = factors.ptr + (p->n - 1) * (factors.row + factors.column),
                            .dt = p->real, .step = factors.step};
    hdi_cuda_matrix m[3] = {from, last, last};
    if (hdi_dtypes[from.dt].kind != 'f' && hdi_dtypes[from.dt].kind != 'c')
        return HD_OK;
    begin(&c, 'r');
    uint16_t s = matrix_slot(&c, &m[0], KIR_FULL, false),
             was = matrix_slot(&c, &m[1], KIR_FULL, false),
             t = matrix_slot(&c, &m[2], KIR_ROW, true);
    add_batch(&c, p, 3, m);
    add_matrix_axes(&c, p->n, p->n, 2, m, -1, true);
    uint16_t v = apply(&c, HD_OP_where, p->real, 3,
                       apply(&c, HD_OP_isnan, from.dt, 1, load(&c, s), 0, 0),
                       number(&c, p->real, NAN, 0), load(&c, was));
    store(&c, reduce(&c, HD_OP_max, v), t);
    return run(p->d, &c, s);
}

/* ---- determinants ---------------------------------------------------------------------------- */

/* Sums and products are in double precision: det of many a matrix overflows on the way. */
hd_status hdi_cuda_la_product(hdi_cuda_la *p, hdi_cuda_matrix lu, hdi_cuda_matrix pivots)
{
    call c;
    bool both = p->nparts > 1;
    hd_dtype wide = p->z ? HD_COMPLEX128 : HD_FLOAT64;
    hdi_cuda_matrix m[5] = {lu, pivots, {.ptr = (uint8_t *)p->info, .dt = HD_INT32, .step = 4},
                            hdi_cuda_la_result(p, 0), hdi_cuda_la_result(p, both ? 1 : 0)};
    int64_t stride[MOST_SLOTS] = {lu.row + lu.column, pivots.row};
    int n = both ? 5 : 4;
    uint16_t slot[5], index;
    begin(&c, 'r');
    for (int s = 0; s < n; s++)
        slot[s] = matrix_slot(&c, &m[s], s < 3 ? KIR_FULL : KIR_ROW, s >= 3);
    uint16_t place = index_value(&c, 1, &index);
    stride[index] = 1;
    add_batch(&c, p, n, m);
    add_axis(&c, p->n, true, stride);
    uint16_t x = cast(&c, load(&c, slot[0]), wide);
    uint16_t ok = apply(&c, HD_OP_equal, HD_INT32, 2, load(&c, slot[2]),
                        number(&c, HD_INT32, 0, 0), 0);
    ok = apply(&c, HD_OP_logical_or, HD_BOOL, 2, ok, apply(&c, HD_OP_isnan, wide, 1, x, 0, 0), 0);
    x = apply(&c, HD_OP_where, wide, 3, ok, x, number(&c, wide, 0, 0));
    uint16_t size = apply(&c, HD_OP_absolute, wide, 1, x, 0, 0);
    uint16_t swaps = apply(&c, HD_OP_not_equal, HD_INT64, 2,
                           cast(&c, load(&c, slot[1]), HD_INT64), place, 0);
    uint16_t sign = apply(&c, HD_OP_sign, wide, 1, x, 0, 0);
    sign = apply(&c, HD_OP_where, wide, 3, swaps, apply(&c, HD_OP_negative, wide, 1, sign, 0, 0),
                 sign);
    uint16_t signs = reduce(&c, HD_OP_prod, sign),
             logs = reduce(&c, HD_OP_sum, apply(&c, HD_OP_log, HD_FLOAT64, 1, size, 0, 0));
    if (both) {
        store(&c, signs, slot[3]);
        store(&c, logs, slot[4]);
    } else {
        uint16_t all = cast(&c, apply(&c, HD_OP_exp, HD_FLOAT64, 1, logs, 0, 0), wide);
        store(&c, apply(&c, HD_OP_multiply, wide, 2, signs, all, 0), slot[3]);
    }
    return run(p->d, &c, 0);
}

/* ---- eigenvectors of real matrices ----------------------------------------------------------- */

/* A pair of conjugate eigenvalues, the one with the positive imaginary part first, has one column
 * for the real parts of its vectors and one for the imaginary parts. */
hd_status hdi_cuda_la_join_pairs(hdi_cuda_la *p, hdi_cuda_matrix to, hdi_cuda_matrix w,
                                 hdi_cuda_matrix v)
{
    call c;
    int64_t half = hdi_itemsize(p->real);
    hdi_cuda_matrix m[6] = {w, v, v, v, to, to};
    m[0].ptr += half;            /* imaginary parts of eigenvalues */
    m[0].row = 0;
    m[1].ptr -= v.column;
    m[3].ptr += v.column;
    m[5].ptr += half;
    m[0].dt = m[4].dt = m[5].dt = p->real;
    uint16_t slot[6];
    begin(&c, 'e');
    for (int s = 0; s < 6; s++)
        slot[s] = matrix_slot(&c, &m[s], KIR_FULL, s >= 4);
    add_batch(&c, p, 6, m);
    add_matrix_axes(&c, p->n, p->n, 6, m, -1, false);
    uint16_t zero = number(&c, p->real, 0, 0), wi = load(&c, slot[0]), mid = load(&c, slot[2]);
    uint16_t first = apply(&c, HD_OP_greater, p->real, 2, wi, zero, 0),
             second = apply(&c, HD_OP_less, p->real, 2, wi, zero, 0);
    uint16_t re = apply(&c, HD_OP_where, p->real, 3, second, load(&c, slot[1]), mid);
    uint16_t minus = apply(&c, HD_OP_negative, p->real, 1, mid, 0, 0);
    uint16_t im = apply(&c, HD_OP_where, p->real, 3, second, minus, zero);
    im = apply(&c, HD_OP_where, p->real, 3, first, load(&c, slot[3]), im);
    store(&c, re, slot[4]);
    store(&c, im, slot[5]);
    return run(p->d, &c, slot[4]);
}
