/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_solve.c - equations, inverses, determinants, Cholesky factors, least squares.
 *
 * A matrix in C order is to cuSOLVER its own transpose, and mostly that serves as well: a x = b is
 * asked for with the transposed factors, the inverse of the transpose is the transposed inverse,
 * and its determinant the same. So square operands are copied as they lie. */
#include "backend/cuda/cuda_build.h"
#include "backend/cuda/cuda_blas.h"
#include "backend/cuda/cuda_solver_api.h"

/* cuBLAS's routines for all of a batch are made for small matrices. */
enum { BATCHED_LU = 256, BATCHED_CHOLESKY = 256 };

/* ---- LU -------------------------------------------------------------------------------------- */

typedef struct factors {
    uint8_t *a;              /* of the transposed matrices */
    void *pivots;            /* of getrf: int64, of getrfBatched: int32 */
    void *addresses;         /* NULL: one matrix at a time */
} factors;

static hd_status factorize(hdi_cuda_la *p, factors *f)
{
    int64_t n = p->n, bytes = n * n * p->size;
    bool all = p->batches > 1 && n <= BATCHED_LU;
    *f = (factors){.a = hdi_cuda_la_borrow(p, p->batches * bytes)};
    f->pivots = f->a != NULL ? hdi_cuda_la_borrow(p, p->batches * n * 8) : NULL;
    if (f->pivots == NULL)
        return hd_error_peek()->code;
    hdi_cuda_matrix matrix = hdi_cuda_la_columns(f->a, p->dt, n, n * n, true);
    hd_status status = hdi_cuda_la_move(p, matrix, hdi_cuda_la_operand(p, 0), n, n, 0);
    if (status != HD_OK || n == 0)
        return status;
    if (all) {
        f->addresses = hdi_cuda_la_pointers(p, f->a, bytes);
        status = f->addresses == NULL ? hd_error_peek()->code
                                      : hdi_solver_getrf_all(p, n, f->addresses, f->pivots);
    }
    for (int64_t b = 0; b < p->batches && !all && status == HD_OK; b++)
        status = hdi_solver_getrf(p, b, n, f->a + b * bytes, (int64_t *)f->pivots + b * n);
    return status == HD_OK ? hdi_cuda_la_keep_nan(p, matrix, hdi_cuda_la_operand(p, 0)) : status;
}

/* What stands in `to`, k columns for each matrix, becomes the solution. */
static hd_status substitute(hdi_cuda_la *p, const factors *f, int op, int64_t k, uint8_t *to)
{
    int64_t n = p->n;
    hd_status status = HD_OK;
    if (n == 0 || k == 0)
        return HD_OK;
    if (f->addresses != NULL) {
        void *addresses = hdi_cuda_la_pointers(p, to, n * k * p->size);
        return addresses == NULL
                   ? hd_error_peek()->code
                   : hdi_solver_getrs_all(p, op, n, k, f->addresses, f->pivots, addresses);
    }
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++)
        status = hdi_solver_getrs(p, op, n, k, f->a + b * n * n * p->size,
                                  (const int64_t *)f->pivots + b * n, to + b * n * k * p->size);
    return status;
}

static bool from_right(const hdi_cuda_la *p, const factors *f, int64_t k)
{
    return f->addresses == NULL && hdi_cuda_la_from_right(p, k);
}

hd_status hdi_cuda_la_solve(hdi_cuda_la *p)
{
    factors f;
    int64_t n = p->n, k = p->k;
    hd_status status = factorize(p, &f);
    uint8_t *to = status == HD_OK ? hdi_cuda_la_borrow(p, p->batches * n * k * p->size) : NULL;
    if (to == NULL)
        return hd_error_peek()->code;
    bool right = from_right(p, &f, k);
    hdi_cuda_matrix inside = hdi_cuda_la_columns(to, p->dt, right ? k : n, n * k, right);
    status = hdi_cuda_la_move(p, inside, hdi_cuda_la_operand(p, 1), n, k, 0);
    if (status == HD_OK && right)
        return hdi_cuda_la_solve_right(p, f.a, f.pivots, k, to, hdi_cuda_la_result(p, 0).ptr);
    if (status == HD_OK)
        status = substitute(p, &f, HDI_OP_T, k, to);
    return status == HD_OK ? hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0), inside, n, k, 0)
                           : status;
}

hd_status hdi_cuda_la_inv(hdi_cuda_la *p)
{
    factors f;
    hdi_cuda_matrix to = hdi_cuda_la_result(p, 0);
    hd_status status = factorize(p, &f);
    if (status == HD_OK && from_right(p, &f, p->n))
        return hdi_cuda_la_invert_right(p, f.a, f.pivots, to);
    if (status == HD_OK)
        status = hdi_cuda_la_identity(p, to, p->n, p->n);
    if (status == HD_OK)
        status = substitute(p, &f, HDI_OP_N, p->n, to.ptr);
    if (status == HD_OK && p->x->payload.la & HDI_LA_NAN)
        status = hdi_cuda_la_move(p, to, to, p->n, p->n, HDI_MOVE_NAN);
    return status;
}

hd_status hdi_cuda_la_det(hdi_cuda_la *p)
{
    factors f;
    hd_status status = factorize(p, &f);
    if (status != HD_OK)
        return status;
    if (p->n == 0) {
        status = hdi_cuda_la_fill(p, 0, -1, 1);
        return status == HD_OK && p->nparts > 1 ? hdi_cuda_la_fill(p, 1, -1, 0) : status;
    }
    hd_dtype places = f.addresses != NULL ? HD_INT32 : HD_INT64;
    return hdi_cuda_la_product(p, hdi_cuda_la_columns(f.a, p->dt, p->n, p->n * p->n, true),
                               hdi_cuda_la_columns(f.pivots, places, p->n, p->n, false));
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* Many small ones, at once. The lower triangle of a is the upper one of its transpose, conj(a) =
 * f^H f, and f transposed, which is f in C order, the factor asked for; likewise the other way
 * round. */
static hd_status factor_all(hdi_cuda_la *p, hdi_cuda_matrix to, bool upper)
{
    void *addresses = hdi_cuda_la_pointers(p, to.ptr, p->n * p->n * p->size);
    return addresses == NULL ? hd_error_peek()->code
                             : hdi_solver_potrf_all(p, upper ? HDI_FILL_LOWER : HDI_FILL_UPPER,
                                                    p->n, addresses);
}

/* A lower triangle, column by column, is what cuSOLVER is fast with: 0.75 ms for 1500 x 1500
 * float64 on an H200 where the upper one takes 1.7. An upper triangle in C order is that; a lower
 * one is turned, in memory of its own. */
static hd_status factor_each(hdi_cuda_la *p, const hdi_cuda_matrix *at)
{
    hd_status status = HD_OK;
    for (int64_t b = 0; b < p->batches && p->n > 0 && status == HD_OK; b++)
        status = hdi_solver_potrf(p, b, HDI_FILL_LOWER, p->n,
                                  at->ptr + b * p->n * p->n * p->size);
    return status;
}

hd_status hdi_cuda_la_cholesky(hdi_cuda_la *p)
{
    bool upper = p->x->payload.la & HDI_LA_UPPER;
    int64_t n = p->n;
    bool at_once = p->batches > 1 && n <= BATCHED_CHOLESKY && n > 0;
    hdi_cuda_matrix to = hdi_cuda_la_result(p, 0), at = to;
    if (!upper && !at_once) {
        void *memory = hdi_cuda_la_borrow(p, p->batches * n * n * p->size);
        if (memory == NULL)
            return hd_error_peek()->code;
        at = hdi_cuda_la_columns(memory, p->dt, n, n * n, false);
    }
    hd_status status = hdi_cuda_la_move(p, at, hdi_cuda_la_operand(p, 0), n, n, 0);
    if (status == HD_OK)
        status = at_once ? factor_all(p, to, upper) : factor_each(p, &at);
    return status == HD_OK ? hdi_cuda_la_move(p, to, at, n, n,
                                              upper ? HDI_MOVE_UPPER : HDI_MOVE_LOWER)
                           : status;
}

/* ---- least squares --------------------------------------------------------------------------- */

enum { A, B, U, S, VH, T, R, X, MATRICES };

/* Dense in C order; of shape rows x columns. */
typedef struct dense { hdi_xarg x; int64_t dims[2], strides[2]; } dense;

static bool make_dense(hdi_cuda_la *p, dense *m, hd_dtype dt, int64_t rows, int64_t columns)
{
    int64_t item = hdi_itemsize(dt);
    *m = (dense){.x = {.dt = dt, .nd = 2}, .dims = {rows, columns},
                 .strides = {columns * item, item}};
    m->x.ptr = hdi_cuda_la_borrow(p, rows * columns * item);
    return m->x.ptr != NULL;
}

static hdi_xarg arg_of(dense *m)
{
    m->x.dims = m->dims;
    m->x.strides = m->strides;
    return m->x;
}

static hd_status multiply(hdi_cuda_la *p, dense *to, dense *a, dense *b)
{
    hdi_xcall x = {.op = HD_OP_matmul, .nin = 2, .cdt = p->dt, .out = arg_of(to),
                   .in = {arg_of(a), arg_of(b)}};
    return to->dims[0] == 0 || to->dims[1] == 0 ? HD_OK : hdi_cuda_matmul(p->d, &x);
}

static dense turned(const dense *m)
{
    dense t = *m;
    t.dims[0] = m->dims[1];
    t.dims[1] = m->dims[0];
    t.strides[0] = m->strides[1];
    t.strides[1] = m->strides[0];
    return t;
}

static hdi_cuda_matrix matrix_of(const dense *m)
{
    return (hdi_cuda_matrix){.ptr = m->x.ptr, .dt = m->x.dt, .row = m->strides[0],
                             .column = m->strides[1]};
}

/* Singular values that are too small to count, in units of the largest. */
static double cutoff(const hdi_cuda_la *p)
{
    const double rcond = p->x->payload.rcond;
    /* LAPACK's: the precision of the machine stands for what is no fraction */
    return rcond > 0 && rcond < 1 ? rcond : 0x1p-53;
}

/* s[i] > rcond * s[0], as a value of call c. */
static uint16_t counts(call *c, const hdi_cuda_la *p, uint16_t s, uint16_t first)
{
    uint16_t least = apply(c, HD_OP_multiply, p->real, 2, number(c, p->real, cutoff(p), 0), first,
                           0);
    return apply(c, HD_OP_greater, p->real, 2, s, least, 0);
}

/* t[i, :] over s[i], 0 where s[i] does not count. */
static hd_status divide_by_values(hdi_cuda_la *p, const dense *t, const dense *s)
{
    call c;
    begin(&c, 'e');
    uint16_t to = add_slot(&c, &t->x, KIR_FULL, true, 0),
             from = add_slot(&c, &t->x, KIR_FULL, false, 0),
             vs = add_slot(&c, &s->x, KIR_FULL, false, 0),
             v0 = add_slot(&c, &s->x, KIR_FULL, false, 0);
    add_axis(&c, t->dims[0], false,
             (int64_t[MOST_SLOTS]){t->strides[0], t->strides[0], s->strides[1]});
    add_axis(&c, t->dims[1], false, (int64_t[MOST_SLOTS]){t->strides[1], t->strides[1]});
    uint16_t value = load(&c, vs), in = counts(&c, p, value, load(&c, v0));
    uint16_t over = apply(&c, HD_OP_divide, p->dt, 2, load(&c, from), cast(&c, value, p->dt), 0);
    store(&c, apply(&c, HD_OP_where, p->dt, 3, in, over, number(&c, p->dt, 0, 0)), to);
    return run(p->d, &c, to);
}

static hd_status count_rank(hdi_cuda_la *p, const dense *s)
{
    call c;
    hdi_cuda_matrix rank = hdi_cuda_la_result(p, 2);
    begin(&c, 'r');
    uint16_t vs = add_slot(&c, &s->x, KIR_FULL, false, 0),
             v0 = add_slot(&c, &s->x, KIR_FULL, false, 0),
             to = add_slot(&c, &(hdi_xarg){.ptr = rank.ptr, .dt = HD_INT32}, KIR_ROW, true, 0);
    add_axis(&c, p->mn, true, (int64_t[MOST_SLOTS]){s->strides[1]});
    uint16_t value = load(&c, vs), in = counts(&c, p, value, load(&c, v0));
    store(&c, reduce(&c, HD_OP_sum, cast(&c, in, HD_INT32)), to);
    return run(p->d, &c, vs);
}

/* Sums over rows of |b - r|^2; nan unless the rank is n. */
static hd_status sum_residuals(hdi_cuda_la *p, const dense *b, const dense *r)
{
    call c;
    hdi_cuda_matrix to = hdi_cuda_la_result(p, 1), rank = hdi_cuda_la_result(p, 2);
    begin(&c, 'r');
    uint16_t vb = add_slot(&c, &b->x, KIR_FULL, false, 0),
             vr = add_slot(&c, &r->x, KIR_FULL, false, 0),
             t = add_slot(&c, &(hdi_xarg){.ptr = to.ptr, .dt = to.dt}, KIR_ROW, true, 0),
             k = add_slot(&c, &(hdi_xarg){.ptr = rank.ptr, .dt = HD_INT32}, KIR_FULL, false, 0);
    add_axis(&c, p->k, false,
             (int64_t[MOST_SLOTS]){b->strides[1], r->strides[1], hdi_itemsize(to.dt)});
    add_axis(&c, p->m, true, (int64_t[MOST_SLOTS]){b->strides[0], r->strides[0]});
    uint16_t left = apply(&c, HD_OP_subtract, p->dt, 2, load(&c, vb), load(&c, vr), 0);
    uint16_t size = apply(&c, HD_OP_absolute, p->dt, 1, left, 0, 0);
    uint16_t full = apply(&c, HD_OP_equal, HD_INT32, 2, load(&c, k),
                          number(&c, HD_INT32, (double)p->n, 0), 0);
    uint16_t square = apply(&c, HD_OP_multiply, p->real, 2, size, size, 0);
    square = apply(&c, HD_OP_where, p->real, 3, full, square,
                   number(&c, p->real, __builtin_nan(""), 0));
    store(&c, reduce(&c, HD_OP_sum, square), t);
    return run(p->d, &c, vb);
}

/* Without columns everything is left over; without rows there is nothing. */
static hd_status solve_nothing(hdi_cuda_la *p, dense *m)
{
    hd_status status = hdi_cuda_la_fill(p, 0, -1, 0);
    if (status == HD_OK)
        status = hdi_cuda_la_fill(p, 2, -1, 0);
    if (status != HD_OK || p->n > 0 || p->m * p->k == 0)
        return status == HD_OK ? hdi_cuda_la_fill(p, 1, -1, p->n > 0 ? __builtin_nan("") : 0)
                               : status;
    status = hdi_cuda_check(p->d, hdi_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)m[R].x.ptr, 0,
                                                         (size_t)(p->m * p->k * p->size),
                                                         p->d->stream), "lstsq");
    return status == HD_OK ? sum_residuals(p, &m[B], &m[R]) : status;
}

/* u^H b and, after the division by the singular values, v times that. */
static hd_status solve_least(hdi_cuda_la *p, dense *m)
{
    dense u = turned(&m[U]), vh = turned(&m[VH]);
    hd_status status = multiply(p, &m[T], &u, &m[B]);
    if (status == HD_OK && p->k > 0)
        status = divide_by_values(p, &m[T], &m[S]);
    if (status == HD_OK)
        status = multiply(p, &m[X], &vh, &m[T]);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0), matrix_of(&m[X]), p->n, p->k, 0);
    if (status == HD_OK)
        status = count_rank(p, &m[S]);
    if (status != HD_OK || p->k == 0)
        return status;
    if (p->m < p->n)
        return hdi_cuda_la_fill(p, 1, -1, __builtin_nan(""));
    status = multiply(p, &m[R], &m[A], &m[X]);
    return status == HD_OK ? sum_residuals(p, &m[B], &m[R]) : status;
}

hd_status hdi_cuda_la_lstsq(hdi_cuda_la *p)
{
    dense m[MATRICES];
    const struct { hd_dtype dt; int64_t rows, columns; } shape[MATRICES] = {
        [A] = {p->dt, p->m, p->n}, [B] = {p->dt, p->m, p->k}, [U] = {p->dt, p->m, p->mn},
        [S] = {p->real, 1, p->mn}, [VH] = {p->dt, p->mn, p->n}, [T] = {p->dt, p->mn, p->k},
        [R] = {p->dt, p->m, p->k}, [X] = {p->dt, p->n, p->k}};
    for (int i = 0; i < MATRICES; i++)
        if (!make_dense(p, &m[i], shape[i].dt, shape[i].rows, shape[i].columns))
            return hd_error_peek()->code;
    hd_status status = hdi_cuda_la_move(p, matrix_of(&m[B]), hdi_cuda_la_operand(p, 1), p->m,
                                        p->k, 0);
    if (status == HD_OK && p->mn == 0)
        return solve_nothing(p, m);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, matrix_of(&m[A]), hdi_cuda_la_operand(p, 0), p->m, p->n, 0);
    if (status == HD_OK)
        status = hdi_cuda_la_decompose(p, matrix_of(&m[A]), 'S', HDI_MOVE_CONJ, matrix_of(&m[U]),
                                       matrix_of(&m[S]), matrix_of(&m[VH]));
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, 3), matrix_of(&m[S]), 1, p->mn, 0);
    return status == HD_OK ? solve_least(p, m) : status;
}
