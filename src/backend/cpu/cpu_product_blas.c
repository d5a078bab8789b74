/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product_blas.c - products by BLAS.
 *
 * BLAS wants one stride to be the element size and the other positive; operands that have it so,
 * either way round, are used in place, others are copied first. How a batch is called is found
 * out once. Products so small that BLAS itself would use one thread are shared among threads. A
 * matrix by its own transpose is half the work. */
#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_product.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { PANEL = 2048, MIRROR = 64, GRAM_FROM = 17 };   /* rows */
#define BLAS_MAX ((int64_t)1 << 30)     /* sizes are 32-bit there */
/* operations: about a second, after which a user's wish to stop should be seen */
#define LONG_WORK ((double)1e11)
/* multiplications up to which OpenBLAS uses one thread */
#define ONE_THREAD ((double)(1 << 18))

typedef struct way {
    const hdi_cpu_product *p;
    bool vector;                 /* gemv: `matrix` by `x`, the other input, turned if so */
    int matrix, x;
    bool gram;                   /* syrk: b is a, transposed */
    bool turned[CPU_MATRICES];   /* its columns are dense, not its rows */
    int64_t ld[CPU_MATRICES], incx, incy;
    int64_t copy[CPU_MATRICES];  /* bytes; 0: used where it lies */
    int64_t per_task;
} way;

/* ---- the way --------------------------------------------------------------------------------- */

/* Can BLAS walk it with elements next to each other in a row? Gives the leading dimension, 0 if
 * not. */
static int64_t leading(const hdi_cpu_product *p, int which, int64_t columns, int64_t row,
                       int64_t column, int64_t rows)
{
    if (p->of[which].dt != p->cdt || !p->aligned[which] || (column != p->size && columns > 1))
        return 0;
    if (rows <= 1)
        return hdi_max64(columns, 1);
    if (row % p->size != 0 || row / p->size < hdi_max64(columns, 1) || row / p->size > INT32_MAX)
        return 0;
    return row / p->size;
}

static int64_t leading_either_way(const hdi_cpu_product *p, int which, bool *turned)
{
    const hdi_cpu_matrix *a = &p->of[which];
    int64_t ld = leading(p, which, a->columns, a->row, a->column, a->rows);
    *turned = false;
    if (ld > 0)
        return ld;
    *turned = true;
    return leading(p, which, a->rows, a->column, a->row, a->columns);
}

/* In elements; 0 if BLAS cannot step so. */
static int64_t increment(const hdi_cpu_product *p, int which, int64_t stride)
{
    const hdi_cpu_matrix *a = &p->of[which];
    if (a->dt != p->cdt || !p->aligned[which] || stride % p->size != 0 || stride < p->size ||
        stride / p->size > INT32_MAX)
        return 0;
    return stride / p->size;
}

/* A vector on one side, and everything where BLAS can use it. */
static bool by_vector(way *w)
{
    const hdi_cpu_product *p = w->p;
    bool row = p->m == 1;   /* y^T = x^T b, that is y = b^T x */
    if (!row && p->n != 1)
        return false;
    w->matrix = row ? CPU_B : CPU_A;
    w->x = row ? CPU_A : CPU_B;
    const hdi_cpu_matrix *m = &p->of[w->matrix], *x = &p->of[w->x], *y = &p->of[CPU_C];
    w->incx = increment(p, w->x, row ? x->column : x->row);
    w->incy = increment(p, CPU_C, row ? y->column : y->row);
    w->ld[w->matrix] = leading_either_way(p, w->matrix, &w->turned[w->matrix]);
    return w->incx > 0 && w->incy > 0 && w->ld[w->matrix] > 0 &&
           hdi_max64(m->rows, m->columns) <= BLAS_MAX;
}

static double work_of(const hdi_cpu_product *p)
{
    return (double)p->m * (double)p->n * (double)p->k;
}

static bool is_slow(const hdi_cpu_product *p)
{
    return 2 * work_of(p) > LONG_WORK && p->ask != NULL;
}

/* a by itself transposed, all over the batch, with nothing copied. Small ones are not worth the
 * copy of one half to the other. */
static bool by_itself(const way *w)
{
    const hdi_cpu_product *p = w->p;
    const hdi_cpu_matrix *a = &p->of[CPU_A], *b = &p->of[CPU_B];
    if (a->ptr != b->ptr || p->m != p->n || a->row != b->column || a->column != b->row ||
        p->m < GRAM_FROM || hdi_max64(p->m, p->k) > BLAS_MAX || is_slow(p))
        return false;
    for (int i = 0; i < p->nd; i++)
        if (p->steps[i][CPU_A] != p->steps[i][CPU_B])
            return false;
    return w->copy[CPU_A] == 0 && w->copy[CPU_B] == 0 && w->copy[CPU_C] == 0;
}

/* false: a leading dimension is more than BLAS can count. */
static bool find_way(way *w)
{
    const hdi_cpu_product *p = w->p;
    w->vector = by_vector(w);
    for (int k = 0; k < CPU_MATRICES && !w->vector; k++) {
        w->ld[k] = leading_either_way(p, k, &w->turned[k]);
        if (w->ld[k] > 0)
            continue;
        w->turned[k] = false;
        w->ld[k] = hdi_max64(p->of[k].columns, 1);
        w->copy[k] = p->of[k].rows * w->ld[k] * p->size;
    }
    w->gram = !w->vector && by_itself(w);
    for (int k = 0; k < CPU_MATRICES && !w->vector; k++) {
        const int64_t lines = w->turned[k] ? p->of[k].columns : p->of[k].rows;
        if (lines <= 1)          /* nothing is led to */
            w->ld[k] = hdi_min64(w->ld[k], INT32_MAX);
        if (w->ld[k] > INT32_MAX)
            return false;
    }
    return true;
}

/* ---- one product ----------------------------------------------------------------------------- */

static void call_gemv(const way *w, uint8_t *const ptr[CPU_MATRICES])
{
    const hdi_cpu_product *p = w->p;
    const hdi_cpu_matrix *m = &p->of[w->matrix];
    bool turned = w->turned[w->matrix], row = w->matrix == CPU_B;
    hdi_cpu_blas_gemv(p->cdt, turned != row, (int)(turned ? m->columns : m->rows),
                      (int)(turned ? m->rows : m->columns), ptr[w->matrix], (int)w->ld[w->matrix],
                      ptr[w->x], (int)w->incx, ptr[CPU_C], (int)w->incy);
}

static int direction(bool turned)
{
    return turned ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN;
}

/* If c runs by columns, c^T = b^T a^T is what has the same memory and runs by rows. */
static hdi_cpu_gemm gemm_of(const way *w, uint8_t *const ptr[CPU_MATRICES])
{
    bool by_columns = w->turned[CPU_C];
    int a = by_columns ? CPU_B : CPU_A, b = by_columns ? CPU_A : CPU_B;
    return (hdi_cpu_gemm){.order = CPU_BLAS_ROWS,
                          .ta = direction(w->turned[a] != by_columns),
                          .tb = direction(w->turned[b] != by_columns),
                          .m = (int)hdi_min64(by_columns ? w->p->n : w->p->m, BLAS_MAX),
                          .n = (int)hdi_min64(by_columns ? w->p->m : w->p->n, BLAS_MAX),
                          .k = (int)hdi_min64(w->p->k, BLAS_MAX),
                          .lda = (int)w->ld[a],
                          .ldb = (int)w->ld[b],
                          .ldc = (int)w->ld[CPU_C],
                          .a = ptr[a],
                          .b = ptr[b],
                          .c = ptr[CPU_C]};
}

/* In pieces that BLAS can count and a user can interrupt. */
static hd_status call_in_pieces(const way *w, hdi_cpu_gemm g, int64_t most)
{
    const hdi_cpu_product *p = w->p;
    int64_t m = w->turned[CPU_C] ? p->n : p->m, n = w->turned[CPU_C] ? p->m : p->n;
    const uint8_t *a = g.a, *b = g.b;
    uint8_t *c = g.c;
    for (int64_t i = 0; i < m; i += g.m)
        for (int64_t j = 0; j < n; j += g.n) {
            g.m = (int)hdi_min64(m - i, most);
            g.n = (int)hdi_min64(n - j, BLAS_MAX);
            for (int64_t l = 0; l < p->k; l += g.k) {
                g.k = (int)hdi_min64(p->k - l, BLAS_MAX);
                g.a = a + p->size * (g.ta == CPU_BLAS_PLAIN ? i * g.lda + l : l * g.lda + i);
                g.b = b + p->size * (g.tb == CPU_BLAS_PLAIN ? l * g.ldb + j : j * g.ldb + l);
                g.c = c + p->size * (i * g.ldc + j);
                hdi_cpu_blas_gemm(p->cdt, &g, l > 0);
            }
            if (i + g.m < m && p->ask != NULL && p->ask())
                return HD_INTERRUPTED;
        }
    return HD_OK;
}

static hd_status call_gemm(const way *w, uint8_t *const ptr[CPU_MATRICES])
{
    const hdi_cpu_product *p = w->p;
    bool slow = is_slow(p);
    hdi_cpu_gemm g = gemm_of(w, ptr);
    if (slow || hdi_max64(p->k, hdi_max64(p->m, p->n)) > BLAS_MAX)
        return call_in_pieces(w, g, slow ? PANEL : BLAS_MAX);
    hdi_cpu_blas_gemm(p->cdt, &g, false);
    return HD_OK;
}

/* What is above the diagonal, below it: in tiles, so that each line of the cache is fetched
 * once. */
static void mirror(const hdi_cpu_product *p, uint8_t *c, int64_t ld)
{
    int lsize = __builtin_ctz((unsigned)p->size);
    int64_t row = ld * p->size;
    for (int64_t top = 0; top < p->m; top += MIRROR)
        for (int64_t left = 0; left <= top; left += MIRROR)
            for (int64_t i = top; i < hdi_min64(top + MIRROR, p->m); i++)
                if (i > left)
                    p->l->gather[lsize](c + i * row + left * p->size,
                                        c + left * row + i * p->size, row,
                                        hdi_min64(MIRROR, i - left));
}

static void call_syrk(const way *w, uint8_t *const ptr[CPU_MATRICES])
{
    const hdi_cpu_product *p = w->p;
    hdi_cpu_blas_syrk(p->cdt, w->turned[CPU_A], (int)p->m, (int)p->k, ptr[CPU_A],
                      (int)w->ld[CPU_A], ptr[CPU_C], (int)w->ld[CPU_C]);
    mirror(p, ptr[CPU_C], w->ld[CPU_C]);
}

/* Inputs that BLAS cannot use are copied to memory first; so is a result from there. */
static hd_status one_product(const way *w, const hdi_cpu_spot *at, uint8_t *memory)
{
    const hdi_cpu_product *p = w->p;
    if (w->vector || w->gram) {
        (w->vector ? call_gemv : call_syrk)(w, at->ptr);
        return HD_OK;
    }
    uint8_t *ptr[CPU_MATRICES];
    for (int k = 0; k < CPU_MATRICES; k++) {
        ptr[k] = at->ptr[k];
        if (w->copy[k] == 0)
            continue;
        hdi_cpu_matrix own = p->of[k];
        own.ptr = at->ptr[k];
        ptr[k] = memory;
        memory += w->copy[k];
        if (k != CPU_C)
            hdi_cpu_pack(p, &own, ptr[k], w->ld[k] * p->size);
    }
    hd_status status = call_gemm(w, ptr);
    if (status == HD_OK && w->copy[CPU_C] > 0) {
        hdi_cpu_matrix own = p->of[CPU_C];
        own.ptr = at->ptr[CPU_C];
        hdi_cpu_unpack(p, &own, ptr[CPU_C], w->ld[CPU_C] * p->size);
    }
    return status;
}

/* ---- the batch ------------------------------------------------------------------------------- */

static int64_t memory_of(const way *w)
{
    return w->copy[CPU_A] + w->copy[CPU_B] + w->copy[CPU_C];
}

static hd_status run_in_turn(const way *w)
{
    const hdi_cpu_product *p = w->p;
    int64_t need = memory_of(w);
    uint8_t *memory = need > 0 ? hdi_cpu_alloc(need) : NULL;
    hd_status status = HD_OK;
    hdi_cpu_spot at;
    if (need > 0 && memory == NULL)
        return hdi_fail(HD_NOMEM, "out of memory: a matrix product needs copies of %lld bytes",
                        (long long)need);
    hdi_cpu_spot_start(&at, p, 0);
    for (int64_t i = 0; i < p->batches && status == HD_OK; i++, hdi_cpu_spot_next(&at, p))
        status = i > 0 && p->ask != NULL && p->ask() ? HD_INTERRUPTED
                                                     : one_product(w, &at, memory);
    hdi_cpu_free(memory, need);
    return status;
}

static bool run_task(void *ctx, int64_t task)
{
    const way *w = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(memory_of(w));
    int64_t from = task * w->per_task, to = hdi_min64(from + w->per_task, w->p->batches);
    hdi_cpu_spot at;
    hdi_cpu_spot_start(&at, w->p, from);
    for (int64_t i = from; i < to && memory != NULL; i++, hdi_cpu_spot_next(&at, w->p))
        one_product(w, &at, memory);   /* too small to be interrupted */
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

static hd_status run_shared(way *w)
{
    int64_t next = 0;
    const hdi_cpu_product *p = w->p;
    /* a call of BLAS, copies or not, is worth some hundred multiplications itself */
    w->per_task = hdi_max64(1, HDI_CPU_PRODUCT_TASK / ((int64_t)work_of(p) + 256));
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status =
        hdi_cpu_scratch_reserve(memory_of(w))
            ? hdi_pool_run((p->batches + w->per_task - 1) / w->per_task, run_task, w, &next, p->ask)
            : hdi_fail(HD_NOMEM, "out of memory: a matrix product needs copies of %lld bytes",
                       (long long)memory_of(w));
    hdi_cpu_scratch_release(mark);
    return status;
}

hd_status hdi_cpu_product_blas(const hdi_cpu_product *p)
{
    way w = {.p = p};
    if (!find_way(&w))
        return hdi_cpu_product_own(p);
    bool shared = p->batches > 1 && work_of(p) <= ONE_THREAD && !hdi_cpu_blas_one_caller();
    return shared ? run_shared(&w) : run_in_turn(&w);
}
