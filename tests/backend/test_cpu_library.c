/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu_library.c - matrix products, running sums and indexing by offsets, against plain
 * loops. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_library.h"
#include "backend/kernel_ref.h"
#include "base/pool.h"

enum { AXES = 5 };

/* An array with strides of its own, some axes swapped, padded, backwards or broadcast. */
typedef struct test_array {
    uint8_t *memory;
    hdi_xarg arg;
    int64_t dims[AXES], strides[AXES];
} test_array;

static void make(test_array *t, hd_dtype dt, int nd, const int64_t *dims, int style)
{
    int64_t size = hd_dtype_size(dt), step = 1, lowest = 0;
    int order[AXES];
    for (int a = 0; a < nd; a++)
        order[a] = style == 1 ? nd - 1 - a : a;                    /* 1: Fortran order */
    for (int i = nd - 1; i >= 0; i--) {
        int a = order[i];
        t->dims[a] = dims[a];
        t->strides[a] = step * size;
        step = step * hdi_max64(dims[a], 1) + (style == 2 ? 3 : 0);   /* 2: padded */
        if (style == 3) {                                          /* 3: backwards */
            lowest -= t->strides[a] * (dims[a] - 1);
            t->strides[a] = -t->strides[a];
        }
        if (style == 4 && i == 0)                                  /* 4: the first axis broadcast */
            t->strides[a] = 0;
        if (style == 5)                                            /* 5: every second element */
            step = i == nd - 1 ? 2 * step : step;
    }
    t->memory = malloc((size_t)((2 * step + 4) * size));
    for (int64_t i = 0; i < 2 * step + 4; i++)
        ref_element(dt, t->memory + i * size);
    t->arg = (hdi_xarg){t->memory + (lowest < 0 ? -lowest : 0) * (style == 3), dt, nd, t->dims,
                        t->strides};
    if (style == 5)
        for (int a = 0; a < nd; a++)
            if (a == nd - 1)
                t->strides[a] = 2 * size;
}

static uint8_t *at(const test_array *t, const int64_t *index)
{
    uint8_t *p = t->arg.ptr;
    for (int a = 0; a < t->arg.nd; a++)
        p += index[a] * t->strides[a];
    return p;
}

static double re(hd_dtype dt, const void *p)
{
    switch (dt) {
    case HD_BOOL: return *(const uint8_t *)p;
    case HD_INT32: return *(const int32_t *)p;
    case HD_INT64: return (double)*(const int64_t *)p;
    case HD_FLOAT32: case HD_COMPLEX64: return *(const float *)p;
    default: return *(const double *)p;
    }
}

static double im(hd_dtype dt, const void *p)
{
    return dt == HD_COMPLEX64    ? ((const float *)p)[1]
           : dt == HD_COMPLEX128 ? ((const double *)p)[1]
                                 : 0;
}

/* ---- matmul ---------------------------------------------------------------------------------- */

static bool product_is_right(const test_array *a, const test_array *b, const test_array *c,
                             int64_t batches, const int64_t *bd, int64_t m, int64_t n, int64_t k)
{
    hd_dtype dt = c->arg.dt;
    double tolerance =
        (dt == HD_FLOAT32 || dt == HD_COMPLEX64 ? 1e-5 : 1e-12) * (double)(k + 1) * 100;
    for (int64_t q = 0; q < batches; q++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                int64_t lead[2] = {q / bd[1], q % bd[1]};
                double sr = 0, si = 0;
                for (int64_t l = 0; l < k; l++) {
                    const uint8_t *x = at(a, (int64_t[]){lead[0], lead[1], i, l}),
                                  *y = at(b, (int64_t[]){lead[0], lead[1], l, j});
                    sr += re(dt, x) * re(dt, y) - im(dt, x) * im(dt, y);
                    si += re(dt, x) * im(dt, y) + im(dt, x) * re(dt, y);
                }
                const uint8_t *z = at(c, (int64_t[]){lead[0], lead[1], i, j});
                if (dt == HD_BOOL
                        ? re(dt, z) != (sr > 0)
                        : fabs(re(dt, z) - sr) > tolerance || fabs(im(dt, z) - si) > tolerance) {
                    fprintf(stderr, "%s %lld x %lld x %lld at %lld %lld %lld: %g, not %g\n",
                            hd_dtype_name(dt), (long long)m, (long long)k, (long long)n,
                            (long long)q, (long long)i, (long long)j, re(dt, z), sr);
                    return false;
                }
            }
    return true;
}

/* The thread sanitizer sees the threads of BLAS, but not what orders them. It makes our sums ten
 * times as slow: it gets some of the layouts, all of which are of one thread. */
#ifdef HDI_TSAN
enum { WITH_BLAS = 0, STYLE_STEP = 5 };
#else
enum { WITH_BLAS = 1, STYLE_STEP = 1 };
#endif

static void try_products(bool with_blas)
{
    static const hd_dtype types[] = {HD_FLOAT32, HD_FLOAT64, HD_COMPLEX64, HD_COMPLEX128,
                                     HD_INT32,   HD_INT64,   HD_BOOL};
    static const int64_t sizes[][3] = {{1, 1, 1},     {3, 4, 5},    {1, 40, 33}, {70, 33, 1},
                                       {65, 40, 260}, {17, 130, 9}, {5, 0, 4},   {2, 1, 300}};
    hdi_cpu_blas_off(!with_blas);
    for (int t = 0; t < 7; t++)
        for (int s = 0; s < 8; s++)
            for (int style = 0; style < 36; style += STYLE_STEP) {
                int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2],
                        bd[2] = {1, style % 5 == 0 ? 3 : 1};
                test_array a, b, c;
                make(&a, types[t], 4, (int64_t[]){bd[0], bd[1], m, k}, style % 6);
                make(&b, types[t], 4, (int64_t[]){bd[0], bd[1], k, n}, style / 6);
                make(&c, types[t], 4, (int64_t[]){bd[0], bd[1], m, n}, (int)ref_below(3));
                hdi_xcall x = {.op = HD_OP_matmul,
                               .nin = 2,
                               .out = c.arg,
                               .in = {a.arg, b.arg},
                               .cdt = types[t]};
                bool ok = CHECK(hdi_backend_cpu.library(NULL, &x) == HD_OK) &&
                          CHECK(product_is_right(&a, &b, &c, bd[0] * bd[1], bd, m, n, k));
                free(a.memory);
                free(b.memory);
                free(c.memory);
                if (!ok)
                    fprintf(stderr, "styles %d %d\n", style % 6, style / 6);
            }
    hdi_cpu_blas_off(false);
}

TEST(cpu_library, matmul_own_loops)
{
    try_products(false);
}

TEST(cpu_library, matmul_blas)
{
    if (!WITH_BLAS || !hdi_cpu_blas_ready())
        SKIP("no BLAS library here: set HEDDLE_BLAS to its path");
    try_products(true);
}

/* A vector has one axis; leading axes are broadcast. */
TEST(cpu_library, matmul_vectors_and_broadcasting)
{
    for (int on = 0; on <= WITH_BLAS; on++) {
        test_array a, v, c;
        hdi_cpu_blas_off(!on);
        make(&a, HD_FLOAT64, 3, (int64_t[]){3, 20, 30}, 0);
        make(&v, HD_FLOAT64, 1, (int64_t[]){30}, 5);
        make(&c, HD_FLOAT64, 2, (int64_t[]){3, 20}, 0);
        hdi_xcall x = {
            .op = HD_OP_matmul, .nin = 2, .out = c.arg, .in = {a.arg, v.arg}, .cdt = HD_FLOAT64};
        CHECK(hdi_backend_cpu.library(NULL, &x) == HD_OK);
        for (int64_t q = 0; q < 3; q++)
            for (int64_t i = 0; i < 20; i++) {
                double s = 0;
                for (int64_t l = 0; l < 30; l++)
                    s += re(HD_FLOAT64, at(&a, (int64_t[]){q, i, l})) * re(HD_FLOAT64, at(&v, &l));
                CHECK_NEAR(re(HD_FLOAT64, at(&c, (int64_t[]){q, i})), s, 1e-9);
            }
        test_array w, d;
        make(&w, HD_FLOAT64, 1, (int64_t[]){20}, 0);
        make(&d, HD_FLOAT64, 2, (int64_t[]){3, 30}, 0);
        hdi_xcall y = {
            .op = HD_OP_matmul, .nin = 2, .out = d.arg, .in = {w.arg, a.arg}, .cdt = HD_FLOAT64};
        CHECK(hdi_backend_cpu.library(NULL, &y) == HD_OK);
        for (int64_t q = 0; q < 3; q++)
            for (int64_t j = 0; j < 30; j++) {
                double s = 0;
                for (int64_t l = 0; l < 20; l++)
                    s += re(HD_FLOAT64, at(&w, &l)) * re(HD_FLOAT64, at(&a, (int64_t[]){q, l, j}));
                CHECK_NEAR(re(HD_FLOAT64, at(&d, (int64_t[]){q, j})), s, 1e-9);
            }
        free(a.memory), free(v.memory), free(c.memory), free(w.memory), free(d.memory);
    }
    hdi_cpu_blas_off(false);
}

/* ---- cumsum ---------------------------------------------------------------------------------- */

static void try_cumsum(hd_dtype from, hd_dtype dt, int nd, const int64_t *dims, int axis, int style,
                       int out_style)
{
    test_array x, out;
    make(&x, from, nd, dims, style);
    make(&out, dt, nd, dims, out_style);
    hdi_xcall call = {
        .op = HD_OP_accumulate, .nin = 1, .out = out.arg, .in = {x.arg},
        .payload.fold = {HD_OP_add, axis}, .cdt = dt};
    CHECK(hdi_backend_cpu.library(NULL, &call) == HD_OK);
    int64_t size = 1, wrong = 0;
    for (int a = 0; a < nd; a++)
        size *= dims[a];
    for (int64_t e = 0; e < size; e++) {
        int64_t index[AXES], rest = e, before[AXES];
        for (int a = nd - 1; a >= 0; a--) {
            before[a] = index[a] = rest % dims[a];
            rest /= dims[a];
        }
        before[axis]--;
        /* The sum before, plus this element: one addition in the result's type. */
        double v = re(from, at(&x, index)), w = im(from, at(&x, index)),
               got = re(dt, at(&out, index));
        double want = index[axis] == 0   ? v
                      : dt == HD_FLOAT32 ? (float)((float)re(dt, at(&out, before)) + (float)v)
                                         : re(dt, at(&out, before)) + v;
        wrong +=
            got != want || (index[axis] == 0 && im(dt, at(&out, index)) != (dt == from ? w : 0));
    }
    CHECK_EQ_I64(wrong, 0);
    free(x.memory), free(out.memory);
}

TEST(cpu_library, cumsum)
{
    static const hd_dtype from[] = {HD_FLOAT64, HD_FLOAT32,    HD_INT32,
                                    HD_BOOL,    HD_COMPLEX128, HD_INT64};
    static const hd_dtype to[] = {HD_FLOAT64, HD_FLOAT32,    HD_INT64,
                                  HD_INT64,   HD_COMPLEX128, HD_FLOAT64};
    for (int threads = 1; threads < 3; threads++) {
        hdi_pool_set_threads(threads);
        for (int t = 0; t < 6; t++)
            for (int style = 0; style < 9; style++) {
                try_cumsum(from[t], to[t], 1, (int64_t[]){2000}, 0, style % 3, style / 3);
                try_cumsum(from[t], to[t], 3, (int64_t[]){7, 50, 600}, (int)ref_below(3), style % 3,
                           style / 3);
                try_cumsum(from[t], to[t], 2, (int64_t[]){1, 3}, 0, style % 3, style / 3);
                try_cumsum(from[t], to[t], 2, (int64_t[]){0, 3}, (int)ref_below(2), style % 3,
                           style / 3);
            }
    }
    hdi_pool_set_threads(0);
}

/* ---- gather and scatter ---------------------------------------------------------------------- */

/* By byte offsets, or by indices of either size, of which some count from the end. */
static void try_index(hd_dtype dt, int64_t n, int nd, const int64_t *trailing, int style, bool put,
                      hd_dtype by)
{
    int64_t rows = 40, outer[AXES] = {rows}, many[AXES] = {n}, size = 1;
    for (int a = 0; a < nd; a++) {
        outer[a + 1] = many[a + 1] = trailing[a];
        size *= trailing[a];
    }
    test_array table, list, picks;
    make(&table, dt, nd + 1, outer, style);
    make(&list, dt, nd + 1, many, style == 2 ? 0 : 2);
    make(&picks, by == HD_INT32 ? HD_INT32 : HD_INT64, 1, &n, 0);
    int64_t *pick = malloc(sizeof *pick * (size_t)(n + 1)), width = hd_dtype_size(dt), wrong = 0;
    for (int64_t j = 0; j < n; j++) {
        pick[j] = ref_below(rows);
        const int64_t number = j % 3 == 0 ? pick[j] - rows : pick[j];
        if (by == HD_INT32)
            *(int32_t *)(void *)at(&picks, &j) = (int32_t)number;
        else
            *(int64_t *)(void *)at(&picks, &j) = by == HD_INT64 ? number
                                                                : pick[j] * table.strides[0];
    }
    hdi_xarg view = {table.arg.ptr, dt, nd, table.dims + 1, table.strides + 1};
    hdi_xcall get = {
        .op = HD_OP_gather, .nin = 2, .out = list.arg, .in = {view, picks.arg}, .cdt = dt};
    hdi_xcall set = {
        .op = HD_OP_scatter, .nin = 2, .out = view, .in = {list.arg, picks.arg}, .cdt = dt};
    if (by != HD_NO_DTYPE) {
        get.extent = set.extent = rows;
        get.step = set.step = table.strides[0];
    }
    CHECK(hdi_backend_cpu.library(NULL, put ? &set : &get) == HD_OK);
    for (int64_t j = 0; j < n; j++) {
        bool last = true;
        for (int64_t l = j + 1; put && l < n; l++)
            last = last && pick[l] != pick[j];
        for (int64_t e = 0; last && e < size; e++) {
            int64_t index[AXES], from[AXES], rest = e;
            for (int a = nd; a >= 1; a--) {
                index[a] = from[a] = rest % trailing[a - 1];
                rest /= trailing[a - 1];
            }
            index[0] = j;
            from[0] = pick[j];
            wrong += memcmp(at(&list, index), at(&table, from), (size_t)width) != 0;
        }
    }
    CHECK_EQ_I64(wrong, 0);
    free(table.memory), free(list.memory), free(picks.memory), free(pick);
}

static void try_indices(hd_dtype dt, int style, bool put, hd_dtype by)
{
    try_index(dt, 3000, 0, NULL, style, put, by);
    try_index(dt, 500, 1, (int64_t[]){17}, style, put, by);
    try_index(dt, 300, 2, (int64_t[]){5, 6}, style, put, by);
    try_index(dt, 20, 3, (int64_t[]){5, 1, 6}, style, put, by);
    try_index(dt, 0, 1, (int64_t[]){3}, style, put, by);
    try_index(dt, 5, 1, (int64_t[]){0}, style, put, by);
}

TEST(cpu_library, gather_and_scatter)
{
    static const hd_dtype types[] = {HD_BOOL, HD_INT16, HD_FLOAT32, HD_FLOAT64, HD_COMPLEX128},
                          ways[] = {HD_NO_DTYPE, HD_INT64, HD_INT32};
    hdi_pool_set_threads(2);
    for (int t = 0; t < 5; t++)
        for (int style = 0; style < 4; style++)
            for (int put = 0; put < 2; put++)
                for (int way = 0; way < 3; way++)
                    try_indices(types[t], style, put, ways[way]);
    hdi_pool_set_threads(0);
}
