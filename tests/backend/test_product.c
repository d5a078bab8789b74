/* SPDX-License-Identifier: BSD-3-Clause */
/* test_product.c - products that are cut into tasks: where they are cut, that the result is right
 * and the same for any number of threads, and that nothing breaks when many threads multiply and
 * decompose at once, or after a fork. */
#include <heddle/linalg.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_product_cut.h"
#include "base/pool.h"
#include "support.h"

/* ---- the cut --------------------------------------------------------------------------------- */

static int64_t rows_of(int64_t m, int64_t n, int64_t k, int threads)
{
    return hdi_cpu_cut_gemm(m, n, k, 1, threads).rows;
}

TEST(product, cut_by_size_and_threads)
{
    CHECK_EQ_I64(rows_of(64, 64, 64, 2), 1);          /* less than two threads are worth */
    CHECK_EQ_I64(rows_of(100, 100, 100, 1), 1);       /* up to 10^6: by the number of threads */
    CHECK_EQ_I64(rows_of(100, 100, 100, 2), 2);
    CHECK_EQ_I64(rows_of(101, 100, 100, 1), rows_of(101, 100, 100, 8));   /* by the shape */
    CHECK_EQ_I64(rows_of(128, 128, 128, 1), 4);
    CHECK_EQ_I64(rows_of(128, 128, 128, 2), 4);
    CHECK_EQ_I64(rows_of(204, 64, 204, 2), 5);        /* 2.7 * 10^6 */
    CHECK_EQ_I64(rows_of(204, 75, 204, 1), 1);        /* beyond 3 * 10^6: by threads again */
    CHECK_EQ_I64(rows_of(512, 512, 512, 1), 1);
    CHECK_EQ_I64(rows_of(512, 512, 512, 2), 2);
    CHECK_EQ_I64(rows_of(768, 512, 512, 2), 4);
    CHECK_EQ_I64(rows_of(4096, 4096, 4096, 2), 8);
    CHECK_EQ_I64(hdi_cpu_cut_gemm(512, 512, 512, 4, 2).rows, 1);   /* of many products */
    CHECK_EQ_I64(hdi_cpu_cut_gemm(383, 2048, 512, 1, 1).columns, 2);
    CHECK_EQ_I64(hdi_cpu_cut_gemm(384, 2048, 512, 1, 1).columns, 1);
    CHECK_EQ_I64(hdi_cpu_cut_gemm(20, 5000, 500, 1, 4).columns, 12);
    CHECK_EQ_I64(hdi_cpu_cut_gram(95, 2000), 1);
    CHECK_EQ_I64(hdi_cpu_cut_gram(96, 2000), 2);
    CHECK_EQ_I64(hdi_cpu_cut_gram(5000, 100), 16);
    CHECK_EQ_I64(hdi_cpu_cut_gemv(false, 400, 300, false, 2).rows, 1);
    CHECK_EQ_I64(hdi_cpu_cut_gemv(false, 1000, 1000, false, 2).rows, 4);
    CHECK_EQ_I64(hdi_cpu_cut_gemv(true, 1000, 1000, false, 1).columns, 1);
    CHECK_EQ_I64(hdi_cpu_cut_gemv(true, 1000, 1000, false, 2).columns, 2);
    CHECK_EQ_I64(hdi_cpu_cut_gemv(true, 1000, 1000, true, 1).columns, 2);
}

/* Where the number of threads decides, no piece of more than 10^6 multiplications becomes one of
 * fewer: OpenBLAS rounds those otherwise. */
TEST(product, pieces_cover_and_are_large_enough)
{
    for (int repeat = 0; repeat < 20000; repeat++) {
        const int64_t m = t_between(1, 3000), n = t_between(1, 3000), k = t_between(1, 1000);
        const int threads = (int)t_between(1, 70);
        const hdi_cpu_cut cut = hdi_cpu_cut_gemm(m, n, k, t_between(1, 3), threads);
        const hdi_cpu_cut one = hdi_cpu_cut_gemm(m, n, k, 1, 1);
        CHECK_EQ_I64(cut.columns, one.columns);
        int64_t at = 0, narrow = n, low = m;
        for (int64_t i = 0; i < cut.rows; i++) {
            const int64_t next = hdi_cpu_border(m, cut.unit, cut.rows, i + 1);
            REQUIRE(hdi_cpu_border(m, cut.unit, cut.rows, i) == at && next > at);
            low = hdi_min64(low, next - at);
            at = next;
        }
        CHECK_EQ_I64(at, m);
        for (int64_t j = at = 0; j < cut.columns; j++) {
            const int64_t next = hdi_cpu_border(n, cut.unit, cut.columns, j + 1);
            REQUIRE(next > at);
            narrow = hdi_min64(narrow, next - at);
            at = next;
        }
        CHECK_EQ_I64(at, n);
        if (cut.rows != one.rows && (double)m * (double)narrow * (double)k > 1e6)
            CHECK((double)low * (double)narrow * (double)k > 1e6);
    }
    for (int64_t m = 96; m < 5000; m += 7) {
        const int64_t bands = hdi_cpu_cut_gram(m, 1000);
        for (int64_t i = 0; i < bands; i++)
            CHECK(hdi_cpu_band(m, bands, i) < hdi_cpu_band(m, bands, i + 1));
        CHECK_EQ_I64(hdi_cpu_band(m, bands, bands), m);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static hd_array *noise(int64_t rows, int64_t columns, hd_dtype dt, bool turned)
{
    const int64_t dims[2] = {turned ? columns : rows, turned ? rows : columns};
    hd_array *x = hd_sin(t_ramp_from((double)t_below(1000), 2, dims, HD_FLOAT64));
    if (dt == HD_COMPLEX64 || dt == HD_COMPLEX128)
        x = hd_add(x, hd_multiply(hd_complex(0, 1), hd_cos(hd_multiply(x, hd_float(7)))));
    x = hd_copy(hd_astype(x, dt, 'C', HD_CAST_UNSAFE, 1), 'C');
    return turned ? hd_transpose(x, NULL) : x;
}

static hd_array *flat(hd_array *x)
{
    return hd_reshape(x, 1, (const int64_t[]){-1}, 'C');
}

static bool same_bits(const hd_array *a, const hd_array *b)
{
    const size_t bytes = (size_t)hd_nbytes(a);
    void *x = malloc(bytes), *y = malloc(bytes);
    bool same = hd_read(a, x) == HD_OK && hd_read(b, y) == HD_OK && memcmp(x, y, bytes) == 0;
    free(x);
    free(y);
    return same;
}

/* The product by one thread, by two, three and four; and its first, middle and last element. */
static void check_threads(hd_array *a, hd_array *b)
{
    const int64_t m = hd_shape(a)[0], n = hd_ndim(b) == 2 ? hd_shape(b)[1] : 1;
    hd_array *first = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        CHECK(hdi_pool_set_threads(threads) == HD_OK);
        hd_array *r = hd_copy(hd_matmul(a, b, NULL), 'C');
        REQUIRE(r != NULL);
        if (first == NULL)
            first = r;
        else if (!CHECK(same_bits(first, r)))
            fprintf(stderr, "%s %lld x %lld, %d threads\n", hd_dtype_name(hd_dtype_of(a)),
                    (long long)m, (long long)n, threads);
    }
    const hd_array *parts[] = {hd_real(first), hd_imag(first)};
    const bool single = hd_dtype_of(parts[0]) == HD_FLOAT32;
    for (int64_t i = 0; i < m; i += hdi_max64(1, m / 5))
        for (int64_t j = 0; j < n; j += hdi_max64(1, n / 5)) {
            hd_array *row = t_slice(a, SLICE(i, i + 1, 1)),
                     *column = hd_ndim(b) == 2 ? t_slice(b, ELLIPSIS, SLICE(j, j + 1, 1)) : b;
            hd_array *want = hd_sum(hd_multiply(flat(row), flat(column)),
                                    HD_ALL_AXES, NULL, 0);
            CHECK(fabs(t_value(parts[0], i * n + j) - t_value(hd_real(want), 0)) <
                  (single ? 1e-3 : 1e-11));
            CHECK(fabs(t_value(parts[1], i * n + j) - t_value(hd_imag(want), 0)) <
                  (single ? 1e-3 : 1e-11));
        }
}

#define NEEDS_BLAS                                                              \
    if (!hdi_cpu_blas_ready() || !hdi_cpu_blas_one_thread())                    \
        SKIP("no OpenBLAS here: set HEDDLE_BLAS to its path")

static const hd_dtype dtypes[] = {HD_FLOAT32, HD_FLOAT64, HD_COMPLEX64, HD_COMPLEX128};

TEST(product, same_bits_for_any_number_of_threads)
{
    /* around 10^6, 3 * 10^6 and with rows, columns, halves and tails that are no multiples */
    static const int64_t sizes[][3] = {{100, 100, 100}, {128, 128, 128}, {144, 145, 143},
                                       {204, 64, 204},  {250, 251, 250}, {301, 299, 385},
                                       {203, 517, 300}, {20, 3000, 100}, {300, 2100, 60},
                                       {97, 200, 400}};
    NEEDS_BLAS;
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 10; s++) {
            int scope = hd_scope_begin();
            check_threads(noise(sizes[s][0], sizes[s][2], dtypes[d], s & 1),
                          noise(sizes[s][2], sizes[s][1], dtypes[d], s & 2));
            hd_scope_end(scope, NULL);
        }
    hdi_pool_set_threads(0);
}

TEST(product, by_vectors_and_by_its_transpose)
{
    NEEDS_BLAS;
    for (int d = 0; d < 4; d++)
        for (int turned = 0; turned < 2; turned++) {
            int scope = hd_scope_begin();
            hd_array *a = noise(1100, 700, dtypes[d], turned);
            check_threads(a, flat(noise(1, 700, dtypes[d], false)));
            check_threads(noise(1, 1100, dtypes[d], false), a);
            hd_array *g = noise(turned ? 517 : 96, 500, dtypes[d], turned);
            check_threads(g, hd_transpose(g, NULL));
            hd_array *r = hd_matmul(g, hd_transpose(g, NULL), NULL);
            CHECK(same_bits(r, hd_copy(hd_transpose(r, NULL), 'C')));
            hd_scope_end(scope, NULL);
        }
    hdi_pool_set_threads(0);
}

TEST(product, batches)
{
    NEEDS_BLAS;
    int scope = hd_scope_begin();
    hd_array *a = hd_reshape(noise(5 * 150, 160, HD_FLOAT64, false), SHAPE(5, 150, 160), 'C'),
             *b = hd_reshape(noise(5 * 160, 170, HD_FLOAT64, false), SHAPE(5, 160, 170), 'C');
    hdi_pool_set_threads(1);
    hd_array *one = hd_matmul(a, b, NULL);
    CHECK(hd_eval(one) == HD_OK);
    hdi_pool_set_threads(3);
    CHECK(same_bits(one, hd_matmul(a, b, NULL)));
    /* backwards: copied first */
    hd_array *back = t_slice(a, ELLIPSIS, SLICE(HD_NONE, HD_NONE, -1)),
             *rows = t_slice(b, SLICE(HD_NONE, HD_NONE, 1), SLICE(HD_NONE, HD_NONE, -1));
    hd_array *difference = hd_max(hd_absolute(hd_subtract(hd_matmul(back, rows, NULL), one)),
                                  HD_ALL_AXES, NULL, 0);
    CHECK(t_value(difference, 0) < 1e-11);
    hd_scope_end(scope, NULL);
    hdi_pool_set_threads(0);
}

/* ---- at the same time ------------------------------------------------------------------------ */

static void *multiply(void *wrong)
{
    for (int repeat = 0; repeat < 6; repeat++) {
        int scope = hd_scope_begin();
        hd_array *a = hd_ones(SHAPE(260, 250), HD_FLOAT64), *b = hd_ones(SHAPE(250, 240),
                                                                         HD_FLOAT64);
        hd_array *r = hd_matmul(a, b, NULL);
        *(int *)wrong += t_value(hd_sum(r, HD_ALL_AXES, NULL, 0), 0) != 260.0 * 240 * 250;
        hd_scope_end(scope, NULL);
    }
    return NULL;
}

/* A matrix large enough to get BLAS's threads, while others multiply with one each. */
static void *decompose(void *wrong)
{
    int scope = hd_scope_begin();
    hd_array *a = hd_multiply(hd_eye(820, 820, 0, HD_FLOAT64), hd_float(4));
    hd_array *l = hd_cholesky(a, 0);
    *(int *)wrong += l == NULL || t_value(l, 0) != 2 || t_value(l, 820 * 820 - 1) != 2;
    hd_scope_end(scope, NULL);
    return NULL;
}

TEST(product, by_many_threads_beside_lapack)
{
    NEEDS_BLAS;
    hdi_pool_set_threads(2);
    pthread_t thread[4];
    int wrong[4] = {0};
    for (int i = 0; i < 4; i++)
#ifdef HDI_TSAN   /* which sees the threads of BLAS, but not what orders them */
        REQUIRE(pthread_create(&thread[i], NULL, multiply, &wrong[i]) == 0);
#else
        REQUIRE(pthread_create(&thread[i], NULL, i == 0 ? decompose : multiply, &wrong[i]) == 0);
#endif
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        CHECK_EQ_I64(wrong[i], 0);
    }
    hdi_pool_set_threads(0);
}

TEST(product, after_a_fork)
{
#if defined(HDI_TSAN) || defined(__SANITIZE_ADDRESS__)
    (void)decompose;
    SKIP("sanitizers do not follow threads made after a fork");
#else
    NEEDS_BLAS;
    int wrong = 0, status = -1;
    hdi_pool_set_threads(2);
    multiply(&wrong);
    decompose(&wrong);
    pid_t pid = fork();
    if (pid == 0) {
        multiply(&wrong);
        decompose(&wrong);
        multiply(&wrong);
        _exit(wrong != 0);
    }
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ_I64(wrong, 0);
    hdi_pool_set_threads(0);
#endif
}
