/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_linalg.c - the batch around LAPACK: memory, threads, copies in and out.
 *
 * LAPACK gets the matrix as NumPy gives it, column by column in double precision, and so comes to
 * NumPy's decisions: which matrix is singular, what the signs of vectors are. Both copies cost n^2
 * beside n^3. Small matrices of a batch are shared among threads, in tasks; of large ones LAPACK
 * itself spreads each over threads. */
#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_linalg.h"

#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_space.h"
#include "base/pool.h"

/* TILE: rows that are copied together, so that each line of the cache is fetched once. SMALL:
 * elements of a matrix below which LAPACK does not use threads. TASK_WORK: operations of a task */
enum { TILE = 64, SMALL = 96 * 96, TASK_WORK = 1 << 17 };
/* multiplications, or so, from which LAPACK gets BLAS's threads */
#define CROWD_WORK 5e8

/* ---- planning -------------------------------------------------------------------------------- */

static int64_t reserve(hdi_cpu_la *p, int64_t bytes)
{
    int64_t at = p->need;
    p->need += (bytes + 63) & ~(int64_t)63;
    return at;
}

void hdi_cpu_la_reserve(hdi_cpu_la *p, int i, int64_t bytes)
{
    p->at[i] = reserve(p, bytes);
}

static int longer(hdi_cpu_la *p, int before, double length)
{
    if (!(length < (double)INT32_MAX)) {
        p->too_large = true;
        return before;
    }
    return length > before ? (int)length : before;
}

void hdi_cpu_la_workspace(hdi_cpu_la *p, double lwork, double lrwork, double liwork)
{
    p->work.lwork = longer(p, p->work.lwork, lwork);
    p->work.lrwork = longer(p, p->work.lrwork, lrwork);
    p->work.liwork = longer(p, p->work.liwork, liwork);
}

static void reserve_workspace(hdi_cpu_la *p)
{
    p->work_at = reserve(p, p->work.lwork * p->size);
    p->rwork_at = reserve(p, p->work.lrwork * (int64_t)sizeof(double));
    p->iwork_at = reserve(p, p->work.liwork * (int64_t)sizeof(int));
}

hdi_lapack_work hdi_cpu_la_work(const hdi_cpu_la *p, uint8_t *memory)
{
    hdi_lapack_work work = p->work;
    work.work = memory + p->work_at;
    work.rwork = (double *)(void *)(memory + p->rwork_at);
    work.iwork = (int *)(void *)(memory + p->iwork_at);
    return work;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static int log2_of(int64_t size)
{
    return __builtin_ctzll((uint64_t)size);
}

/* n elements `step` bytes apart, as another dtype, to where they are dense. n <= TILE. */
static void copy_run(const hdi_cpu_la *p, uint8_t *to, hd_dtype to_dt, const uint8_t *from,
                     hd_dtype from_dt, int64_t step, int64_t n)
{
    uint8_t spare[TILE * 16];
    int64_t size = hdi_itemsize(from_dt);
    if (from_dt == to_dt) {
        p->l->gather[log2_of(size)](to, from, step, n);
        return;
    }
    if (step != size) {
        p->l->gather[log2_of(size)](spare, from, step, n);
        from = spare;
    }
    p->l->cast[from_dt][to_dt](to, from, n);
}

static const uint8_t *matrix_of(const hdi_xarg *a, int64_t batch)
{
    const uint8_t *at = a->ptr;
    for (int i = a->nd - 3; i >= 0; i--) {
        at += batch % a->dims[i] * a->strides[i];
        batch /= a->dims[i];
    }
    return at;
}

static hd_dtype dtype_inside(const hdi_cpu_la *p)
{
    return p->z ? HD_COMPLEX128 : HD_FLOAT64;
}

void hdi_cpu_la_pull(const hdi_cpu_la *p, int i, int64_t batch, void *to, int64_t ld)
{
    const hdi_xarg *a = &p->x->in[i];
    const uint8_t *from = matrix_of(a, batch);
    int64_t rows = a->dims[a->nd - 2], columns = a->dims[a->nd - 1], row = a->strides[a->nd - 2],
            column = a->strides[a->nd - 1];
    for (int64_t r = 0; r < rows; r += TILE)
        for (int64_t c = 0; c < columns; c++)
            copy_run(p, (uint8_t *)to + (c * ld + r) * p->size, dtype_inside(p),
                     from + r * row + c * column, a->dt, row, hdi_min64(TILE, rows - r));
}

static uint8_t *result_of(const hdi_cpu_la *p, int i, int64_t batch)
{
    return p->part[i].at + batch * p->part[i].bytes;
}

/* LAPACK's dtype of a result: eigenvalues and eigenvectors are complex where the matrix is real. */
static hd_dtype dtype_of(const hdi_part *part)
{
    return hdi_is_complex(part->dt) ? HD_COMPLEX128 : HD_FLOAT64;
}

static void push(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t ld,
                 bool upper)
{
    const hdi_part *part = &p->part[i];
    hd_dtype dt = dtype_of(part);
    int64_t rows = part->dims[0], columns = part->dims[1], size = hdi_itemsize(dt),
            item = hdi_itemsize(part->dt);
    uint8_t *to = result_of(p, i, batch);
    for (int64_t tile = 0; tile < columns; tile += TILE) {
        int64_t end = hdi_min64(tile + TILE, columns);
        for (int64_t r = 0; r < rows; r++) {
            int64_t c = upper ? hdi_min64(hdi_max64(tile, r), end) : tile;
            uint8_t *row = to + r * columns * item;
            if (c > tile)
                memset(row + tile * item, 0, (size_t)((c - tile) * item));
            if (c < end)
                copy_run(p, row + c * item, part->dt,
                         (const uint8_t *)from + (c * ld + r) * size, dt, ld * size, end - c);
        }
    }
}

void hdi_cpu_la_push(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t ld)
{
    push(p, i, batch, from, ld, false);
}

void hdi_cpu_la_push_upper(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t ld)
{
    push(p, i, batch, from, ld, true);
}

void hdi_cpu_la_push_plain(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t n)
{
    const hdi_part *part = &p->part[i];
    hd_dtype dt = dtype_of(part);
    int64_t size = hdi_itemsize(dt), item = hdi_itemsize(part->dt);
    uint8_t *to = result_of(p, i, batch);
    for (int64_t at = 0; at < n; at += TILE)
        copy_run(p, to + at * item, part->dt, (const uint8_t *)from + at * size, dt, size,
                 hdi_min64(TILE, n - at));
}

bool hdi_cpu_la_finite(const hdi_cpu_la *p, const void *elements, int64_t n)
{
    const double *a = elements;
    double sum = 0;   /* nan as soon as one is not */
    for (int64_t i = 0; i < n * (p->size / 8); i++)
        sum += a[i] * 0;
    return sum == 0;
}

void hdi_cpu_la_identity(const hdi_cpu_la *p, void *to, int64_t n)
{
    memset(to, 0, (size_t)(n * n * p->size));
    for (int64_t i = 0; i < n; i++)   /* 1, or 1 + 0j */
        *(double *)(void *)((uint8_t *)to + i * (n + 1) * p->size) = 1;
}

void hdi_cpu_la_fill(const hdi_cpu_la *p, int i, int64_t batch, double value)
{
    uint64_t element[2];
    hd_dtype dt = p->part[i].dt;
    int64_t item = hdi_itemsize(dt);
    hdi_encode_f64(dt, value, hdi_is_complex(dt) ? value : 0, element);
    p->l->fill[log2_of(item)](result_of(p, i, batch), element, p->part[i].bytes / item);
}

/* ---- the batch ------------------------------------------------------------------------------- */

static void do_one(hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    int info = p->routine->one(p, batch, memory);
    if (HDI_LIKELY(info == 0))
        return;
    int64_t first = p->failed;
    while (batch < first && !atomic_compare_exchange_weak(&p->failed, &first, batch)) {
    }
    if (info == CPU_NOT_FINITE)
        p->not_finite = true;
}

bool hdi_cpu_linalg_is_large(const hdi_xcall *x)
{
    const hdi_xarg *a = &x->in[0], *b = x->nin > 1 ? &x->in[1] : NULL;
    const double m = (double)a->dims[a->nd - 2], n = (double)a->dims[a->nd - 1],
                 k = b != NULL ? (double)b->dims[b->nd - 1] : 0;
    return m * n * ((m < n ? m : n) + k) >= CROWD_WORK;
}

/* One after the other; the first failure is the call's. */
static hd_status run_in_turn(hdi_cpu_la *p)
{
    hdi_cpu_asker ask = hdi_cpu_may_stop(p->x);
    hd_status status = HD_OK;
    uint8_t *memory = hdi_cpu_alloc(p->need);
    if (memory == NULL)
        return hdi_fail(HD_NOMEM, "out of memory: %s needs %lld bytes beside its results",
                        hdi_op_rows[p->x->op].info.name, (long long)p->need);
    const bool crowd = hdi_cpu_linalg_is_large(p->x) && hdi_cpu_blas_crowd();
    for (int64_t i = 0; i < p->batches && p->failed == INT64_MAX && status == HD_OK; i++) {
        if (i > 0 && ask != NULL && ask())
            status = HD_INTERRUPTED;
        else
            do_one(p, i, memory);
    }
    if (crowd)
        hdi_cpu_blas_uncrowd();
    hdi_cpu_free(memory, p->need);
    return status;
}

static bool run_task(void *ctx, int64_t task)
{
    hdi_cpu_la *p = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(p->need);
    int64_t from = task * p->per_task, to = hdi_min64(from + p->per_task, p->batches);
    for (int64_t i = from; i < to && memory != NULL; i++)
        do_one(p, i, memory);
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

static hd_status run_shared(hdi_cpu_la *p)
{
    int64_t next = 0, work = (int64_t)p->m * p->n * (p->mn + p->k + 8);
    p->per_task = hdi_max64(1, TASK_WORK / hdi_max64(work, 1));
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status =
        hdi_cpu_scratch_reserve(p->need)
            ? hdi_pool_run((p->batches + p->per_task - 1) / p->per_task, run_task, p, &next,
                           hdi_cpu_may_stop(p->x))
            : hdi_fail(HD_NOMEM, "out of memory: %s needs %lld bytes beside its results",
                       hdi_op_rows[p->x->op].info.name, (long long)p->need);
    hdi_cpu_scratch_release(mark);
    return status;
}

static hd_status report_failure(const hdi_cpu_la *p)
{
    const char *failure =
        p->not_finite ? "Array must not contain infs or NaNs" : p->routine->failure;
    if (p->batches == 1)
        hdi_fail(HD_LINALG, "%s", failure);
    else
        hdi_fail(HD_LINALG, "%s (matrix %lld of %lld)", failure, (long long)p->failed,
                 (long long)p->batches);
    return hdi_fail_where(hdi_op_rows[p->x->op].info.name);
}

/* ---- the call -------------------------------------------------------------------------------- */

static const hdi_cpu_routine *routine_of(const hdi_xcall *x)
{
    switch ((int)x->op) {
    case HD_OP_solve:    return &hdi_cpu_la_solve;
    case HD_OP_inv:      return &hdi_cpu_la_inv;
    case HD_OP_cholesky: return &hdi_cpu_la_cholesky;
    case HD_OP_qr:       return &hdi_cpu_la_qr;
    case HD_OP_svd:
        return x->payload.la & HDI_LA_HERMITIAN ? &hdi_cpu_la_hermitian_svd : &hdi_cpu_la_svd;
    case HD_OP_eigh:     return &hdi_cpu_la_eigh;
    case HD_OP_eig:      return &hdi_cpu_la_eig;
    case HD_OP_lstsq:    return &hdi_cpu_la_lstsq;
    default:             return &hdi_cpu_la_det;
    }
}

static hd_status no_lapack(const char *name)
{
    if (hdi_cpu_blas_lacks_room())
        return hdi_fail(HD_NOMEM, "%s: there is no address space left to open LAPACK", name);
    return hdi_fail(HD_LIBRARY,
                    "%s needs LAPACK, and none was found: pip install scipy-openblas32, or "
                    "set HEDDLE_BLAS to the path of an OpenBLAS", name);
}

hd_status hdi_cpu_linalg(const hdi_xcall *x)
{
    const hdi_xarg *a = &x->in[0], *b = x->nin > 1 ? &x->in[1] : NULL;
    int64_t m = a->dims[a->nd - 2], n = a->dims[a->nd - 1], k = b != NULL ? b->dims[b->nd - 1] : 0;
    const char *name = hdi_op_rows[x->op].info.name;
    if (!hdi_cpu_lapack_ready())
        return no_lapack(name);
    if (hdi_max64(hdi_max64(m, n), k) > INT32_MAX)
        return hdi_fail(HD_VALUE, "%s: a matrix of %lld x %lld is too large for LAPACK", name,
                        (long long)m, (long long)n);
    hdi_cpu_la p = {.x = x,
                    .routine = routine_of(x),
                    .l = hdi_loops_best(),
                    .z = x->cdt == HD_COMPLEX128,
                    .size = hdi_itemsize(x->cdt),
                    .m = (int)m,
                    .n = (int)n,
                    .k = (int)k,
                    .mn = (int)hdi_min64(m, n),
                    .batches = 1,
                    .failed = INT64_MAX};
    for (int i = 0; i < a->nd - 2; i++)
        p.batches *= a->dims[i];
    p.nparts = hdi_xcall_parts(x, p.part);
    p.routine->plan(&p);
    reserve_workspace(&p);
    if (p.too_large)
        return hdi_fail(HD_VALUE, "%s: a matrix of %lld x %lld is too large for LAPACK", name,
                        (long long)m, (long long)n);
    bool small = m * n <= SMALL && (int64_t)p.k * m <= SMALL;
    bool shared = p.batches > 1 && small && !hdi_cpu_blas_one_caller();
    hd_status status = shared ? run_shared(&p) : run_in_turn(&p);
    return status == HD_OK && p.failed != INT64_MAX ? report_failure(&p) : status;
}
