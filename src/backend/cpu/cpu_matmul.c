/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_matmul.c - matrix products: BLAS where there is one and it knows the type, else loops of
 * our own.
 *
 * BLAS wants one stride to be the element size and the other positive; operands that have it so,
 * either way round, are used in place, others are copied first. Our own loops add to a row of
 * the result the rows of the second matrix, times one element of the first, in order, each
 * product fused into its sum. */
#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_space.h"
#include "base/pool.h"

enum { OWN_COLUMNS = 256, OWN_DEPTH = 128, OWN_ROWS = 64, PANEL = 2048 };
#define BLAS_MAX ((int64_t)1 << 30)     /* sizes are 32-bit there */
/* operations: about a second, after which a user's wish to stop should be seen */
#define LONG_WORK ((double)1e11)

/* One matrix: strides in bytes. */
typedef struct matrix { uint8_t *ptr; int64_t rows, columns, row, column; hd_dtype dt; } matrix;

typedef struct product {
    const hdi_xcall *x;
    const hdi_loops *l;
    hd_dtype cdt;                /* of the loop: float32 for the half types */
    int64_t size;                /* of an element of it */
    int64_t m, n, k, batches;
    int batch_nd;
    const int64_t *batch_dims;
    hdi_cpu_asker ask;
    /* own loops: */
    int64_t row_tasks, column_tasks;
} product;

static int log2_of(hd_dtype dt)
{
    return __builtin_ctz((unsigned)hd_dtype_size(dt));
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Matrix number `batch` of an operand, whose leading axes follow those of the result, aligned at
 * their end. A vector is a row or, as the second operand, a column. */
static matrix matrix_of(const product *p, const hdi_xarg *a, int64_t batch, bool column_vector)
{
    matrix m = {.ptr = a->ptr, .rows = 1, .columns = 1, .dt = a->dt};
    int lead = a->nd - 2;
    if (a->nd == 1) {
        *(column_vector ? &m.rows : &m.columns) = a->dims[0];
        *(column_vector ? &m.row : &m.column) = a->strides[0];
        return m;
    }
    m.rows = a->dims[lead];
    m.columns = a->dims[lead + 1];
    m.row = a->strides[lead];
    m.column = a->strides[lead + 1];
    for (int i = p->batch_nd - 1, k = lead - 1; i >= 0; i--, k--) {
        if (k >= 0 && a->dims[k] > 1)
            m.ptr += batch % p->batch_dims[i] * a->strides[k];
        batch /= p->batch_dims[i];
    }
    return m;
}

/* The result has no axis for a vector operand's missing one. */
static matrix result_of(const product *p, int64_t batch)
{
    const hdi_xarg *o = &p->x->out;
    matrix m = {.ptr = o->ptr, .rows = p->m, .columns = p->n, .dt = o->dt};
    int lead = p->batch_nd;
    if (p->x->in[0].nd > 1)
        m.row = o->strides[lead++];
    if (p->x->in[1].nd > 1)
        m.column = o->strides[lead];
    for (int i = p->batch_nd - 1; i >= 0; i--) {
        m.ptr += batch % p->batch_dims[i] * o->strides[i];
        batch /= p->batch_dims[i];
    }
    return m;
}

/* rows x columns elements copied, cast to the loop's dtype, to rows of `to` that are `stride`
 * bytes apart. */
static void pack(const product *p, const matrix *a, uint8_t *to, int64_t stride)
{
    bool cast = a->dt != p->cdt;
    int lsize = log2_of(a->dt);
    uint8_t spare[OWN_COLUMNS * 16];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0, n; j < a->columns; j += n) {
            uint8_t *row = to + i * stride + j * p->size;
            n = hdi_min64(OWN_COLUMNS, a->columns - j);
            p->l->gather[lsize](cast ? spare : row, a->ptr + i * a->row + j * a->column, a->column,
                                n);
            if (cast)
                p->l->cast[a->dt][p->cdt](row, spare, n);
        }
}

/* The other way: rows of the loop's dtype into a matrix. */
static void unpack(const product *p, const matrix *c, const uint8_t *from, int64_t stride)
{
    bool cast = c->dt != p->cdt;
    int lsize = log2_of(c->dt);
    uint8_t spare[OWN_COLUMNS * 16];
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0, n; j < c->columns; j += n) {
            const uint8_t *row = from + i * stride + j * p->size;
            n = hdi_min64(OWN_COLUMNS, c->columns - j);
            if (cast)
                p->l->cast[p->cdt][c->dt](spare, row, n);
            p->l->scatter[lsize](c->ptr + i * c->row + j * c->column, c->column, cast ? spare : row,
                                 n);
        }
}

/* ---- BLAS ------------------------------------------------------------------------------------ */

/* BLAS may assume of its operands what C does. */
static bool misaligned(const product *p, const matrix *a)
{
    return (uintptr_t)a->ptr % (uintptr_t)hd_dtype_size(hd_dtype_real(p->cdt)) != 0;
}

/* Can BLAS walk it with elements next to each other in a row? Gives the leading dimension, 0 if
 * not. */
static int64_t leading(const product *p, const matrix *a, int64_t columns, int64_t row,
                       int64_t column, int64_t rows)
{
    if (a->dt != p->cdt || misaligned(p, a) || (column != p->size && columns > 1))
        return 0;
    if (rows <= 1)
        return hdi_max64(columns, 1);
    if (row % p->size != 0 || row / p->size < hdi_max64(columns, 1) || row / p->size > INT32_MAX)
        return 0;
    return row / p->size;
}

/* Makes a usable by BLAS: *turned if it runs by columns. A copy's memory is returned in *memory. */
static bool prepare(const product *p, matrix *a, bool *turned, int64_t *ld, void **memory)
{
    *memory = NULL;
    *turned = false;
    if ((*ld = leading(p, a, a->columns, a->row, a->column, a->rows)) > 0)
        return true;
    *turned = true;
    if ((*ld = leading(p, a, a->rows, a->column, a->row, a->columns)) > 0)
        return true;
    *turned = false;
    *ld = hdi_max64(a->columns, 1);
    if ((*memory = hdi_cpu_alloc(a->rows * *ld * p->size)) == NULL)
        return false;
    pack(p, a, *memory, *ld * p->size);
    *a = (matrix){*memory, a->rows, a->columns, *ld * p->size, p->size, p->cdt};
    return true;
}

/* c = a b in pieces that BLAS can count and a user can interrupt. */
static hd_status call_gemm(const product *p, hdi_cpu_gemm g, bool by_columns)
{
    int64_t most = BLAS_MAX, m = p->m, n = p->n, rest = p->k;
    if (by_columns) {   /* the transposed product has the same memory */
        m = p->n;
        n = p->m;
    }
    if (2.0 * (double)m * (double)n * (double)rest > LONG_WORK && p->ask != NULL)
        most = PANEL;
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

/* A vector on one side. false: not this way. */
static bool call_gemv(const product *p, const matrix *a, const matrix *b, const matrix *c)
{
    bool row = p->m == 1;   /* y^T = x^T b, that is y = b^T x */
    const matrix *m = row ? b : a;
    int64_t size = p->size, incx = (row ? a->column : b->row) / size,
            incy = (row ? c->column : c->row) / size, ld;
    const matrix *x = row ? a : b;
    bool turned = false;
    if ((!row && p->n != 1) || x->dt != p->cdt || c->dt != p->cdt ||
        hdi_max64(m->rows, m->columns) > BLAS_MAX || misaligned(p, x) || misaligned(p, c))
        return false;
    if (incx < 1 || incy < 1 || incx > INT32_MAX || incy > INT32_MAX ||
        incx * size != (row ? a->column : b->row))
        return false;
    if ((ld = leading(p, m, m->columns, m->row, m->column, m->rows)) == 0) {
        turned = true;
        if ((ld = leading(p, m, m->rows, m->column, m->row, m->columns)) == 0)
            return false;
    }
    hdi_cpu_blas_gemv(p->cdt, turned != row, (int)(turned ? m->columns : m->rows),
                      (int)(turned ? m->rows : m->columns), m->ptr, (int)ld, x->ptr, (int)incx,
                      c->ptr, (int)incy);
    return true;
}

static hd_status blas_product(const product *p, int64_t batch)
{
    matrix a = matrix_of(p, &p->x->in[0], batch, false),
           b = matrix_of(p, &p->x->in[1], batch, true), c = result_of(p, batch);
    matrix dense = c;
    void *memory[3] = {NULL, NULL, NULL};
    bool ta, tb, by_columns = false;
    int64_t lda, ldb, ldc;
    hd_status status = HD_OK;
    if (call_gemv(p, &a, &b, &c))
        return HD_OK;
    HD_REQUIRE(prepare(p, &a, &ta, &lda, &memory[0]) && prepare(p, &b, &tb, &ldb, &memory[1]),
               HD_NOMEM, "out of memory for a matrix product");
    if ((ldc = leading(p, &c, c.columns, c.row, c.column, c.rows)) == 0) {
        by_columns = true;
        ldc = leading(p, &c, c.rows, c.column, c.row, c.columns);
    }
    if (ldc == 0) {
        by_columns = false;
        ldc = p->n;
        HD_REQUIRE((memory[2] = hdi_cpu_alloc(p->m * p->n * p->size)) != NULL, HD_NOMEM,
                   "out of memory for a matrix product");
        dense = (matrix){memory[2], p->m, p->n, p->n * p->size, p->size, p->cdt};
    }
    hdi_cpu_gemm g = {.order = CPU_BLAS_ROWS,
                      .lda = (int)lda,
                      .ldb = (int)ldb,
                      .ldc = (int)ldc,
                      .a = a.ptr,
                      .b = b.ptr,
                      .c = dense.ptr,
                      .ta = ta ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN,
                      .tb = tb ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN};
    if (by_columns) {
        hdi_cpu_gemm turned = {.order = CPU_BLAS_ROWS,
                               .lda = g.ldb,
                               .ldb = g.lda,
                               .ldc = g.ldc,
                               .a = g.b,
                               .b = g.a,
                               .c = g.c,
                               .ta = tb ? CPU_BLAS_PLAIN : CPU_BLAS_TRANSPOSED,
                               .tb = ta ? CPU_BLAS_PLAIN : CPU_BLAS_TRANSPOSED};
        g = turned;
    }
    HD_TRY(call_gemm(p, g, by_columns));
    if (memory[2] != NULL)
        unpack(p, &c, memory[2], p->n * p->size);
done:
    hdi_cpu_free(memory[0], a.rows * hdi_max64(a.columns, 1) * p->size);
    hdi_cpu_free(memory[1], b.rows * hdi_max64(b.columns, 1) * p->size);
    hdi_cpu_free(memory[2], p->m * p->n * p->size);
    return status;
}

/* ---- our own loops --------------------------------------------------------------------------- */

static matrix part(const matrix *a, int64_t row, int64_t rows, int64_t column, int64_t columns)
{
    matrix p = *a;
    p.ptr += row * a->row + column * a->column;
    p.rows = hdi_min64(rows, a->rows - row);
    p.columns = hdi_min64(columns, a->columns - column);
    return p;
}

/* A tile of the result: OWN_ROWS x OWN_COLUMNS, depth by depth so that the piece of b stays in
 * the second-level cache. */
static void own_tile(const product *p, int64_t batch, int64_t row, int64_t column, uint8_t *sums,
                     uint8_t *bs, uint8_t *as)
{
    matrix a = matrix_of(p, &p->x->in[0], batch, false),
           b = matrix_of(p, &p->x->in[1], batch, true), c = result_of(p, batch);
    matrix to = part(&c, row, OWN_ROWS, column, OWN_COLUMNS);
    int64_t stride = OWN_COLUMNS * p->size;
    hdi_red_step step = p->l->red_step[HD_OP_sumproduct - HD_OP_sum][p->cdt][HDI_SV];
    memset(sums, 0, (size_t)(OWN_ROWS * stride));
    for (int64_t k = 0; k < p->k; k += OWN_DEPTH) {
        matrix bpart = part(&b, k, OWN_DEPTH, column, OWN_COLUMNS),
               apart = part(&a, row, OWN_ROWS, k, OWN_DEPTH);
        pack(p, &bpart, bs, stride);
        pack(p, &apart, as, OWN_DEPTH * p->size);
        for (int64_t i = 0; i < apart.rows; i++)
            for (int64_t l = 0; l < bpart.rows; l++)
                step(sums + i * stride, as + (i * OWN_DEPTH + l) * p->size, bs + l * stride,
                     to.columns);
    }
    unpack(p, &to, sums, stride);
}

static bool own_task(void *ctx, int64_t task)
{
    const product *p = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    int64_t tiles = p->row_tasks * p->column_tasks, tile = task % tiles;
    int64_t sums = OWN_ROWS * OWN_COLUMNS * p->size, bs = OWN_DEPTH * OWN_COLUMNS * p->size,
            as = OWN_ROWS * OWN_DEPTH * p->size;
    uint8_t *memory = hdi_cpu_scratch(sums + bs + as);
    if (memory != NULL && tiles > 0 && p->batches > 0)
        own_tile(p, task / tiles, tile / p->column_tasks * OWN_ROWS,
                 tile % p->column_tasks * OWN_COLUMNS, memory, memory + sums, memory + sums + bs);
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

static hd_status own_product(product *p)
{
    int64_t next = 0;
    p->row_tasks = (p->m + OWN_ROWS - 1) / OWN_ROWS;
    p->column_tasks = (p->n + OWN_COLUMNS - 1) / OWN_COLUMNS;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    bool ok =
        hdi_cpu_scratch((OWN_ROWS * OWN_COLUMNS + OWN_DEPTH * OWN_COLUMNS + OWN_ROWS * OWN_DEPTH) *
                        p->size) != NULL;
    hdi_cpu_scratch_release(mark);   /* tasks of this thread find it again */
    if (!ok)
        return hdi_fail(HD_NOMEM, "out of memory for a matrix product");
    return hdi_pool_run(p->batches * p->row_tasks * p->column_tasks, own_task, p, &next, p->ask);
}

/* ---- the call -------------------------------------------------------------------------------- */

hd_status hdi_cpu_matmul(const hdi_xcall *x)
{
    const hdi_xarg *a = &x->in[0], *b = &x->in[1];
    product p = {.x = x,
                 .l = hdi_loops_best(),
                 .cdt = hdi_compute_dtype(HD_OP_matmul, x->cdt),
                 .batches = 1,
                 .batch_dims = x->out.dims,
                 .ask = hdi_cpu_may_stop(x)};
    p.size = hd_dtype_size(p.cdt);
    p.m = a->nd > 1 ? a->dims[a->nd - 2] : 1;
    p.k = a->dims[a->nd - 1];
    p.n = b->nd > 1 ? b->dims[b->nd - 1] : 1;
    p.batch_nd = x->out.nd - (a->nd > 1) - (b->nd > 1);
    for (int i = 0; i < p.batch_nd; i++)
        p.batches *= x->out.dims[i];
    if (p.batches == 0 || p.m == 0 || p.n == 0)
        return HD_OK;
    bool known = p.cdt == HD_FLOAT32 || p.cdt == HD_FLOAT64 || p.cdt == HD_COMPLEX64 ||
                 p.cdt == HD_COMPLEX128;
    if (!known || p.k == 0 || !hdi_cpu_blas_ready())
        return own_product(&p);
    for (int64_t batch = 0; batch < p.batches; batch++) {
        hd_status status = blas_product(&p, batch);
        if (status != HD_OK)
            return status;
        if (p.ask != NULL && batch % 64 == 63 && p.ask())
            return HD_INTERRUPTED;
    }
    return HD_OK;
}
