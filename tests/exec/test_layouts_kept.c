/* SPDX-License-Identifier: BSD-3-Clause */
/* test_layouts_kept.c - operations that give the library's lock back on their way (to look at
 * values, to bring an operand) while layouts that no handle uses go as often as they can: what an
 * operation knows is there when it goes on, for one thread and for several. AddressSanitizer sees
 * what is read too late. */
#include <heddle/faults.h>
#include <heddle/linalg.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/lock.h"
#include "core/layout.h"
#include "support.h"

enum { EVERY = HD_FAULT_DIVIDE | HD_FAULT_OVERFLOW | HD_FAULT_UNDERFLOW | HD_FAULT_INVALID };

static void begin(void)
{
    hd_watch_faults(EVERY);
    hdi_lock();
    hdi_layouts_few(true);
    hdi_unlock();
}

static void end(void)
{
    hdi_lock();
    hdi_layouts_few(false);
    CHECK_EQ_I64(hdi_layouts_kept, 0);
    hdi_unlock();
    hd_watch_faults(0);
    hd_faults_take();
}

static hd_array *into(hd_op op, const hd_array *x, const hd_array *y, hd_array *out)
{
    hd_apply_options o = {.size = sizeof o, .out = out, .dtype = HD_NO_DTYPE,
                          .casting = HD_CAST_SAME_KIND};
    return hd_apply(op, 2, (const hd_array *[]){x, y}, &o);
}

/* Results of op in place over a[:n], for n that no other layout has. */
static int stores(hd_op op, hd_dtype dt, int64_t first, double want)
{
    int wrong = 0;
    for (int64_t n = first; n < first + 40; n++) {
        int scope = hd_scope_begin();
        hd_array *a = t_ramp_from(2, SHAPE(2 * n), dt), *v = t_slice(a, SLICE(0, 2 * n, 2));
        hd_array *b = hd_astype(t_ramp_from(3, SHAPE(1), dt), dt, 'K', HD_CAST_SAFE, 0);
        wrong += into(op, v, b, v) == NULL || t_value(v, 0) != want ||
                 t_value(a, 1) != 3 || t_value(a, 2 * n - 1) != (double)(2 * n + 1);
        hd_scope_end(scope, NULL);
    }
    return wrong;
}

TEST(layouts_kept, stores_in_place)
{
    begin();
    CHECK(stores(HD_OP_power, HD_FLOAT64, 1000, 8) == 0);
    CHECK(stores(HD_OP_floor_divide, HD_FLOAT32, 2000, 0) == 0);
    CHECK(stores(HD_OP_remainder, HD_INT32, 3000, 2) == 0);
    CHECK(stores(HD_OP_multiply, HD_FLOAT64, 4000, 6) == 0);
    end();
    CHECK(t_clean());
}

/* A destination that others hold a snapshot of: the snapshot keeps what it was. */
TEST(layouts_kept, a_store_beside_a_snapshot)
{
    begin();
    for (int64_t n = 100; n < 120; n++) {
        int scope = hd_scope_begin();
        hd_array *a = t_ramp_from(2, SHAPE(n), HD_FLOAT64), *kept = hd_copy(a, 'K');
        hd_array *v = t_slice(a, SLICE(1, n, 1));
        CHECK(into(HD_OP_power, v, t_slice(a, SLICE(0, n - 1, 1)), v) != NULL);
        CHECK_NEAR(t_value(kept, 1), 3, 0);
        CHECK_NEAR(t_value(a, 1), 9, 0);
        CHECK_NEAR(t_value(a, 2), 64, 0);
        hd_scope_end(scope, NULL);
    }
    end();
    CHECK(t_clean());
}

TEST(layouts_kept, places)
{
    begin();
    for (int64_t n = 5; n < 30; n++) {
        int scope = hd_scope_begin();
        hd_array *x = t_ramp(SHAPE(n, 3, n), HD_FLOAT64);
        hd_array *i = t_ramp(SHAPE(n, 1), HD_INT64), *j = t_ramp(SHAPE(1, 3), HD_INT32);
        hd_array *late = hd_subtract(hd_add(i, i), i);   /* computed on the way */
        hd_array *turned = hd_transpose(x, (const int[]){2, 1, 0});
        hd_array *r = hd_take(turned, 2, (const hd_array *[]){late, j});
        CHECK(r != NULL && hd_ndim(r) == 3);
        CHECK_NEAR(t_value(r, 1), (double)(3 * n), 0);
        CHECK(hd_put(x, 2, (const hd_array *[]){late, j}, hd_float(-1), HD_CAST_SAME_KIND) == HD_OK);
        CHECK_NEAR(t_value(x, 3 * n * n - 1), -1, 0);
        hd_array *sums = t_ramp(SHAPE(n), HD_FLOAT64);
        CHECK(hd_at(HD_OP_add, sums, 1, (const hd_array *[]){late}, t_ramp(SHAPE(n, 1), HD_FLOAT32)) ==
              HD_OK);
        CHECK_NEAR(t_value(sums, n - 1), (double)(2 * n - 2), 0);
        hd_array *mask = hd_less(x, hd_float(0));
        CHECK_NEAR((double)hd_size(hd_extract(mask, x)), (double)(3 * n * n), 0);
        hd_array *starts = t_ramp(SHAPE(3), HD_INT16), *pieces;
        pieces = hd_reduceat(HD_OP_add, sums, starts, 0, HD_NO_DTYPE, NULL);
        CHECK(pieces != NULL);
        CHECK_NEAR(t_value(pieces, 0), t_value(sums, 0), 0);
        hd_scope_end(scope, NULL);
    }
    end();
    CHECK(t_clean());
}

TEST(layouts_kept, data_and_factors)
{
    begin();
    for (int64_t n = 3; n < 20; n++) {
        int scope = hd_scope_begin();
        double data[64 * 64] = {0};
        for (int64_t k = 0; k < n; k++)
            data[k * 64 + k] = (double)k;
        hd_array *a = hd_from_data(SHAPE(n, n), (const int64_t[]){64 * 8, 8}, HD_FLOAT64, data);
        hd_array *w = NULL, *v = NULL;
        CHECK(hd_eig(a, &w, &v) == HD_OK);
        CHECK_NEAR(t_value(hd_sum(w, HD_ALL_AXES, NULL, 0), 0), (double)(n * (n - 1) / 2), 1e-9);
        CHECK_NEAR(t_value(hd_power(a, t_ramp(SHAPE(n), HD_INT64)), 0), 1, 0);
        hd_scope_end(scope, NULL);
    }
    end();
    CHECK(t_clean());
}

/* ---- several threads ------------------------------------------------------------------------- */

static void *store_all(void *first)
{
    const int64_t n = (int64_t)(intptr_t)first;
    int wrong = stores(HD_OP_power, HD_FLOAT64, n, 8) + stores(HD_OP_floor_divide, HD_INT64, n, 0);
    return (void *)(intptr_t)wrong;
}

TEST(layouts_kept, while_other_threads_let_them_go)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    begin();
    for (int k = 0; k < THREADS; k++)
        CHECK(pthread_create(&thread[k], NULL, store_all, (void *)(intptr_t)(500 * (k + 1))) == 0);
    for (int k = 0; k < THREADS; k++) {
        void *wrong = NULL;
        pthread_join(thread[k], &wrong);
        CHECK(wrong == NULL);
    }
    end();
    CHECK(t_clean());
}
