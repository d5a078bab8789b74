/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product_blas.c - products by BLAS.
 *
 * BLAS wants one stride to be the element size and the other positive; operands that have it so,
 * either way round, are used in place, others are copied first. How a batch is called is found
 * out once. Small products of a batch are shared among threads as they are, larger ones are cut
 * into calls that threads share (cpu_product_cut.c). A matrix by its own transpose is half the
 * work. */
#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_product.h"
#include "backend/cpu/cpu_product_cut.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { PANEL = 2048, MIRROR = 64, GRAM_FROM = 17 };   /* rows */
#define BLAS_MAX ((int64_t)1 << 30)     /* sizes are 32-bit there */
/* operations: about a second, after which a user's wish to stop should be seen */
#define LONG_WORK ((double)1e11)
/* multiplications up to which a product of a batch is not cut */
#define ONE_THREAD ((double)(1 << 18))
#define WAKE_FOR ((double)(1 << 19))    /* multiplications that take longer than waking a thread */

typedef struct way {
    const hdi_cpu_product *p;
    bool vector;                 /* gemv: `matrix` by `x`, the other input, turned if so */
    int matrix, x;
    bool gram;                   /* syrk: b is a, transposed */
    bool turned[CPU_MATRICES];   /* its columns are dense, not its rows */
    int64_t ld[CPU_MATRICES], incx, incy;
    int64_t copy[CPU_MATRICES];  /* bytes; 0: used where it lies */
    int64_t per_task;
    bool shared;                 /* calls are tasks of the pool */
    hdi_cpu_cut cut;             /* of one product; bands of a gram are rows */
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
        p->m < GRAM_FROM || hdi_max64(p->m, p->k) > BLAS_MAX || (is_slow(p) && !w->shared))
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

/* ---- one call -------------------------------------------------------------------------------- */

/* Piece number `piece` of y. */
static void gemv_piece(const way *w, uint8_t *const ptr[CPU_MATRICES], int64_t piece)
{
    const hdi_cpu_product *p = w->p;
    const hdi_cpu_matrix *of = &p->of[w->matrix];
    const bool turned = w->turned[w->matrix], by_columns = turned != (w->matrix == CPU_B);
    int64_t m = turned ? of->columns : of->rows, n = turned ? of->rows : of->columns;
    const int64_t all = by_columns ? n : m, pieces = w->cut.rows * w->cut.columns,
                  from = hdi_cpu_border(all, w->cut.unit, pieces, piece),
                  to = hdi_cpu_border(all, w->cut.unit, pieces, piece + 1);
    *(by_columns ? &n : &m) = to - from;
    hdi_cpu_blas_gemv(p->cdt, by_columns, (int)m, (int)n,
                      ptr[w->matrix] + from * (by_columns ? 1 : w->ld[w->matrix]) * p->size,
                      (int)w->ld[w->matrix], ptr[w->x], (int)w->incx,
                      ptr[CPU_C] + from * w->incy * p->size, (int)w->incy);
}

static int direction(bool turned)
{
    return turned ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN;
}

/* Sizes of the result as BLAS sees it: if c runs by columns, c^T = b^T a^T is what has the same
 * memory and runs by rows. */
static int64_t rows_seen(const way *w)
{
    return w->turned[CPU_C] ? w->p->n : w->p->m;
}

static int64_t columns_seen(const way *w)
{
    return w->turned[CPU_C] ? w->p->m : w->p->n;
}

static hdi_cpu_gemm gemm_of(const way *w, uint8_t *const ptr[CPU_MATRICES])
{
    bool by_columns = w->turned[CPU_C];
    int a = by_columns ? CPU_B : CPU_A, b = by_columns ? CPU_A : CPU_B;
    return (hdi_cpu_gemm){.order = CPU_BLAS_ROWS,
                          .ta = direction(w->turned[a] != by_columns),
                          .tb = direction(w->turned[b] != by_columns),
                          .lda = (int)w->ld[a],
                          .ldb = (int)w->ld[b],
                          .ldc = (int)w->ld[CPU_C],
                          .a = ptr[a],
                          .b = ptr[b],
                          .c = ptr[CPU_C]};
}

/* One block of the result, in as many calls as BLAS needs to count its sizes. */
static void gemm_piece(const way *w, uint8_t *const ptr[CPU_MATRICES], int64_t piece)
{
    const hdi_cpu_product *p = w->p;
    const hdi_cpu_cut *cut = &w->cut;
    const int64_t row = piece % cut->rows, column = piece / cut->rows,
                  m = hdi_cpu_border(rows_seen(w), cut->unit, cut->rows, row + 1),
                  n = hdi_cpu_border(columns_seen(w), cut->unit, cut->columns, column + 1),
                  left = hdi_cpu_border(columns_seen(w), cut->unit, cut->columns, column);
    hdi_cpu_gemm g = gemm_of(w, ptr);
    const uint8_t *a = g.a, *b = g.b;
    uint8_t *c = g.c;
    for (int64_t i = hdi_cpu_border(rows_seen(w), cut->unit, cut->rows, row); i < m; i += g.m) {
        g.m = (int)hdi_min64(m - i, BLAS_MAX);
        for (int64_t j = left; j < n; j += g.n) {
            g.n = (int)hdi_min64(n - j, BLAS_MAX);
            for (int64_t l = 0; l < p->k; l += g.k) {
                g.k = (int)hdi_min64(p->k - l, BLAS_MAX);
                g.a = a + p->size * (g.ta == CPU_BLAS_PLAIN ? i * g.lda + l : l * g.lda + i);
                g.b = b + p->size * (g.tb == CPU_BLAS_PLAIN ? l * g.ldb + j : j * g.ldb + l);
                g.c = c + p->size * (i * g.ldc + j);
                hdi_cpu_blas_gemm(p->cdt, &g, l > 0);
            }
        }
    }
}

/* What is above the diagonal, below it: in tiles, so that each line of the cache is fetched
 * once. `top`: the first row of those tiles. */
static void mirror(const way *w, uint8_t *const ptr[CPU_MATRICES], int64_t top)
{
    const hdi_cpu_product *p = w->p;
    uint8_t *c = ptr[CPU_C];
    int lsize = __builtin_ctz((unsigned)p->size);
    int64_t row = w->ld[CPU_C] * p->size;
    for (int64_t left = 0; left <= top; left += MIRROR)
        for (int64_t i = top; i < hdi_min64(top + MIRROR, p->m); i++)
            if (i > left)
                p->l->gather[lsize](c + i * row + left * p->size, c + left * row + i * p->size,
                                    row, hdi_min64(MIRROR, i - left));
}

/* On or above the diagonal: a block on it, and all that is to the right of that. */
static void gram_piece(const way *w, uint8_t *const ptr[CPU_MATRICES], int64_t piece)
{
    const hdi_cpu_product *p = w->p;
    const bool turned = w->turned[CPU_A];
    const int64_t from = hdi_cpu_band(p->m, w->cut.rows, piece),
                  to = hdi_cpu_band(p->m, w->cut.rows, piece + 1), lda = w->ld[CPU_A],
                  ldc = w->ld[CPU_C], step = turned ? p->size : lda * p->size;
    const uint8_t *a = ptr[CPU_A];
    uint8_t *c = ptr[CPU_C] + from * ldc * p->size;
    hdi_cpu_blas_syrk(p->cdt, turned, (int)(to - from), (int)p->k, a + from * step, (int)lda,
                      c + from * p->size, (int)ldc);
    const hdi_cpu_gemm g = {.order = CPU_BLAS_ROWS,
                            .ta = direction(turned),
                            .tb = direction(!turned),
                            .m = (int)(to - from),
                            .n = (int)(p->m - to),
                            .k = (int)p->k,
                            .lda = (int)lda,
                            .ldb = (int)lda,
                            .ldc = (int)ldc,
                            .a = a + from * step,
                            .b = a + to * step,
                            .c = c + to * p->size};
    if (g.n > 0)
        hdi_cpu_blas_gemm(p->cdt, &g, false);
}

/* ---- the pieces ------------------------------------------------------------------------------ */

typedef void (*piece_of)(const way *w, uint8_t *const ptr[CPU_MATRICES], int64_t piece);

typedef struct job {
    const way *w;
    piece_of run;
    int64_t pieces, stride;      /* of each product; the argument of piece i is i times stride */
    uint8_t *const *ptr;         /* of the one product; NULL: of those of the batch */
} job;

static bool run_piece(void *ctx, int64_t task)
{
    const job *j = ctx;
    hdi_cpu_spot at;
    if (j->ptr == NULL)
        hdi_cpu_spot_start(&at, j->w->p, task / j->pieces);
    j->run(j->w, j->ptr != NULL ? j->ptr : at.ptr, task % j->pieces * j->stride);
    return true;
}

/* All pieces of `products` products, which the user can interrupt between any two of more than
 * one product, or of one that takes long. */
static hd_status run_pieces(job *j, int64_t products)
{
    const way *w = j->w;
    const double work = work_of(w->p);
    int64_t next = 0, tasks = products * j->pieces;
    hdi_cpu_asker ask = products > 1 || is_slow(w->p) ? w->p->ask : NULL;
    if (tasks == 1) {
        run_piece(j, 0);
        return HD_OK;
    }
    if (w->shared)
        return (work < WAKE_FOR * (double)j->pieces ? hdi_pool_run : hdi_pool_run_long)(
            tasks, run_piece, j, &next, ask);
    for (; next < tasks; next++) {
        if (next > 0 && ask != NULL && ask())
            return HD_INTERRUPTED;
        run_piece(j, next);
    }
    return HD_OK;
}

/* Where every matrix can be used as it lies, or copied to ptr. */
static hd_status run_products(const way *w, uint8_t *const *ptr, int64_t products)
{
    job j = {.w = w,
             .run = w->vector ? gemv_piece : w->gram ? gram_piece : gemm_piece,
             .pieces = w->cut.rows * w->cut.columns,
             .stride = 1,
             .ptr = ptr};
    hd_status status = run_pieces(&j, products);
    if (!w->gram || status != HD_OK)
        return status;
    j.run = mirror;
    j.pieces = (w->p->m + MIRROR - 1) / MIRROR;
    j.stride = MIRROR;
    return run_pieces(&j, products);
}

/* Inputs that BLAS cannot use are copied to memory first; so is a result from there. */
static hd_status one_product(const way *w, const hdi_cpu_spot *at, uint8_t *memory)
{
    const hdi_cpu_product *p = w->p;
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
    hd_status status = run_products(w, ptr, 1);
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

/* By all threads, one product after the other where there are copies to make. */
static hd_status run_in_turn(const way *w)
{
    const hdi_cpu_product *p = w->p;
    int64_t need = memory_of(w);
    if (need == 0)
        return run_products(w, NULL, p->batches);
    uint8_t *memory = hdi_cpu_alloc(need);
    hd_status status = HD_OK;
    hdi_cpu_spot at;
    if (memory == NULL)
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

/* By one thread, or by BLAS's own, a product that takes long is cut all the same, to be
 * interrupted. */
static hdi_cpu_cut cut_of(const way *w)
{
    const hdi_cpu_product *p = w->p;
    const int64_t m = w->vector ? 1 : rows_seen(w);
    const hdi_cpu_matrix *of = &p->of[w->matrix];
    hdi_cpu_cut cut = {.rows = 1, .columns = 1, .unit = 1};
    if (w->shared && w->vector) {
        bool turned = w->turned[w->matrix];
        cut = hdi_cpu_cut_gemv(turned != (w->matrix == CPU_B), turned ? of->columns : of->rows,
                               turned ? of->rows : of->columns,
                               hd_dtype_real(p->cdt) == HD_FLOAT32, hdi_pool_threads());
    } else if (w->shared && w->gram)
        cut.rows = hdi_cpu_cut_gram(p->m, p->k);
    else if (w->shared)
        cut = hdi_cpu_cut_gemm(m, columns_seen(w), p->k, memory_of(w) > 0 ? 1 : p->batches,
                               hdi_pool_threads());
    if (is_slow(p) && !w->vector && !w->gram)
        cut.rows = hdi_max64(cut.rows, (m + PANEL - 1) / PANEL);
    return cut;
}

hd_status hdi_cpu_product_blas(const hdi_cpu_product *p)
{
    way w = {.p = p, .shared = hdi_cpu_blas_one_thread(),
             .cut = {.rows = 1, .columns = 1, .unit = 1}};
    if (!find_way(&w))
        return hdi_cpu_product_own(p);
    if (p->batches > 1 && work_of(p) <= ONE_THREAD && !hdi_cpu_blas_one_caller())
        return run_shared(&w);
    w.cut = cut_of(&w);
    if (w.shared && w.cut.rows * w.cut.columns > 1 && hdi_cpu_blas_one_caller()) {
        w.shared = false;        /* a limit set a moment ago, which the turn does not know of */
        w.cut = cut_of(&w);
    }
    return run_in_turn(&w);
}
