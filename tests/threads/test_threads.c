/* SPDX-License-Identifier: BSD-3-Clause */
/* test_threads.c - two and four threads that record, demand and drop at the same time, over
 * arrays of their own and over shared ones: values are right, and the thread sanitizer has
 * nothing to say. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads/workers.h"

enum { N = 64 };

/* ---- arrays of their own --------------------------------------------------------------------- */

static void mirror_step(worker *w, hd_array *x, double *mirror)
{
    int scope = hd_scope_begin();
    int64_t from = below(w, N / 2), n = 1 + below(w, N / 2);
    hd_array *v = t_slice(x, SLICE(from, from + n, 1)), *u = t_slice(x, SLICE(N - n, N, 1));
    double copy[N];
    memcpy(copy, mirror, sizeof copy);
    switch (below(w, 5)) {
    case 0:
        w->wrong += hd_inplace(HD_OP_add, v, u) != HD_OK;
        for (int64_t k = 0; k < n; k++)
            mirror[from + k] = copy[from + k] + copy[N - n + k];
        break;
    case 1:
        w->wrong += hd_inplace(HD_OP_multiply, x, hd_float(0.5)) != HD_OK;
        for (int k = 0; k < N; k++)
            mirror[k] *= 0.5;
        break;
    case 2:
        w->wrong += hd_assign(v, hd_max(x, HD_ALL_AXES, NULL, 0), HD_CAST_SAME_KIND) != HD_OK;
        for (int k = 0; k < N; k++)
            mirror[from] = copy[k] > mirror[from] || k == 0 ? copy[k] : mirror[from];
        for (int64_t k = 1; k < n; k++)
            mirror[from + k] = mirror[from];
        break;
    case 3:
        w->wrong += t_value(x, from) != mirror[from];
        break;
    default:
        (void)hd_exp(hd_add(x, v != NULL && n == N ? v : x));   /* nobody looks */
        break;
    }
    hd_scope_end(scope, NULL);
}

static void *private_programs(void *arg)
{
    worker *w = arg;
    for (int program = 0; program < 6; program++) {
        double mirror[N], out[N];
        for (int k = 0; k < N; k++)
            mirror[k] = k;
        hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
        for (int step = 0; step < 60; step++)
            mirror_step(w, x, mirror);
        w->wrong += hd_read(x, out) != HD_OK || memcmp(out, mirror, sizeof out) != 0;
        hd_release(x);
    }
    w->wrong += !t_clean();
    return NULL;
}

TEST(threads, with_arrays_of_their_own)
{
    CHECK_EQ_I64(run_threads(2, private_programs, NULL), 0);
    CHECK_EQ_I64(run_threads(4, private_programs, NULL), 0);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* ---- a shared input -------------------------------------------------------------------------- */

static void *read_shared(void *arg)
{
    worker *w = arg;
    for (int k = 0; k < 60; k++) {
        int scope = hd_scope_begin();
        hd_array *x = w->shared, *y = hd_add(hd_multiply(x, hd_int(w->number + 1)),
                                             t_slice(x, SLICE(HD_NONE, HD_NONE, -1)));
        hd_array *s = hd_sum(y, HD_ALL_AXES, NULL, 0), *kept = hd_retain(x);
        w->wrong += k % 3 == 0 && hd_eval(y) != HD_OK;
        w->wrong += t_value(s, 0) != (double)(N * (N - 1) / 2 * (w->number + 2));
        w->wrong += k % 5 == 0 && hd_synchronize(NULL) != HD_OK;
        hd_release(kept);
        hd_scope_end(scope, NULL);
    }
    return NULL;
}

TEST(threads, with_a_shared_input)
{
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *zero = hd_zeros(SHAPE(N), HD_FLOAT64);
    for (int n = 2; n <= 4; n += 2) {
        hd_array *pending = hd_add(x, zero);   /* whoever needs it first computes it */
        CHECK_EQ_I64(run_threads(n, read_shared, pending), 0);
        hd_release(pending);
    }
    hd_release(x);
    hd_release(zero);
}

/* ---- one writes, the others read ------------------------------------------------------------- */

/* Stores to the whole array rename it: a reader sees one state or another, never a mixture,
 * whatever takes over whose memory. */
enum { LONG = 30000, ROUNDS = 60 };
static atomic_int writer_done;

static void *write_or_read(void *arg)
{
    worker *w = arg;
    if (w->number == 0) {
        for (int k = 0; k < ROUNDS; k++) {
            w->wrong +=
                hd_inplace_number(HD_OP_add, w->shared,
                                  &(hd_number){.kind = HD_WEAK_INT, .as.i = 1, .re = 1}) != HD_OK;
            w->wrong += hd_eval(w->shared) != HD_OK;
        }
        atomic_store(&writer_done, 1);
        return NULL;
    }
    double *out = malloc(LONG * sizeof *out), last = 0;
    while (!atomic_load(&writer_done)) {
        w->wrong += hd_read(w->shared, out) != HD_OK;
        int mixed = 0;
        for (int k = 1; k < LONG; k++)
            mixed += out[k] != out[0];
        w->wrong += mixed != 0 || out[0] < last;
        last = out[0];
    }
    free(out);
    return NULL;
}

TEST(threads, readers_beside_a_writer)
{
    for (int n = 2; n <= 4; n += 2) {
        hd_array *x = hd_zeros(SHAPE(LONG), HD_FLOAT64);
        atomic_store(&writer_done, 0);
        CHECK_EQ_I64(run_threads(n, write_or_read, x), 0);
        CHECK_NEAR(t_value(x, LONG - 1), ROUNDS, 0);
        hd_release(x);
    }
}

/* ---- handing over ---------------------------------------------------------------------------- */

/* Arrays travel from thread to thread through slots; whoever takes one reads and releases it. */
enum { SLOTS = 8, PARCELS = 150 };
static _Atomic(hd_array *) slot[SLOTS];

static void *hand_over(void *arg)
{
    worker *w = arg;
    for (int k = 0; k < PARCELS; k++) {
        int64_t value = below(w, 1000);
        hd_array *base = hd_full(SHAPE(5), w->shared, HD_INT64), *number = hd_int(value);
        hd_array *x = hd_add(base, number),
                 *both = hd_stack(2, (const hd_array *const[]){x, x}, 0, HD_NO_DTYPE, NULL);
        hd_release(base);
        hd_release(number);
        hd_release(x);
        hd_array *other = atomic_exchange(&slot[below(w, SLOTS)], both);
        if (other == NULL)
            continue;
        w->wrong += t_value(other, 0) != t_value(other, 9);
        hd_release(other);
    }
    return NULL;
}

TEST(threads, hand_arrays_over)
{
    hd_array *one = t_ramp_from(1, SHAPE(1), HD_INT64);
    CHECK_EQ_I64(run_threads(4, hand_over, one), 0);
    for (int k = 0; k < SLOTS; k++)
        hd_release(atomic_exchange(&slot[k], NULL));
    hd_release(one);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* ---- everything at once ---------------------------------------------------------------------- */

static void deleter(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
    hd_release(hd_keep(hd_int(1)));   /* the lock is free */
}

static void one_of_everything(worker *w)
{
    double memory[4] = {0, 1, 2, 3}, out[4];
    atomic_int deleted = 0;
    int64_t four = 4;
    hd_array *x = w->shared, *y = hd_add(x, hd_float(1)), *index = t_ramp(SHAPE(3), HD_INT64),
             *wrapped;
    switch (below(w, 9)) {
    case 0: {
        char *text = hd_explain(hd_exp(y), (int)below(w, 2));
        w->wrong += text == NULL;
        hd_free_text(text);
        break;
    }
    case 1:
        w->wrong += t_stats(NULL).records == 0 || hd_trim(NULL) < 0;
        break;
    case 2:
        w->wrong += hd_set_threads(1 + (int)below(w, 2)) != HD_OK;
        break;
    case 3:   /* the deleter runs before memory goes */
        wrapped = hd_keep(hd_wrap(1, &four, NULL, HD_FLOAT64, memory, 0, deleter, &deleted));
        w->wrong += hd_inplace(HD_OP_add, wrapped, wrapped) != HD_OK || memory[3] != 6;
        hd_release(wrapped);
        while (atomic_load(&deleted) == 0)   /* perhaps another thread is about to run it */
            sched_yield();
        break;
    case 4: {
        hd_array *picked = hd_take(x, 1, (const hd_array *const[]){index});
        w->wrong += t_value(picked, 2) != 2;
        break;
    }
    case 5:
        /* errors are each thread's own */
        w->wrong += hd_reshape(x, SHAPE(7), 'C') != NULL || !t_failed(HD_VALUE);
        break;
    case 6: {
        hd_array *m = hd_matmul(hd_reshape(x, SHAPE(8, 8), 'C'), hd_eye(8, 8, 0, HD_FLOAT64), NULL);
        w->wrong += t_value(m, 63) != 63;
        break;
    }
    case 7: {
        hd_array *c = hd_copy(t_slice(y, SLICE(0, 4, 1)), 'C');
        double *p = hd_export(c, 1);
        w->wrong += p == NULL || p[3] != 4;
        hd_unexport(c);
        break;
    }
    default:
        w->wrong += hd_read(t_slice(y, SLICE(0, 4, 1)), out) != HD_OK || out[3] != 4;
        break;
    }
}

static void *everything(void *arg)
{
    worker *w = arg;
    for (int k = 0; k < 150; k++) {
        int scope = hd_scope_begin();
        one_of_everything(w);
        hd_scope_end(scope, NULL);
    }
    w->wrong += !t_clean();
    return NULL;
}

TEST(threads, do_everything_at_once)
{
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
    CHECK_EQ_I64(run_threads(4, everything, x), 0);
    hd_set_threads(0);
    hd_release(x);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- more shapes than are remembered --------------------------------------------------------- */

static void *many_shapes(void *arg)
{
    worker *w = arg;
    int64_t each = 20000;
    for (int64_t k = 0; k < each; k++) {
        hd_array *v = hd_as_strided(w->shared, SHAPE(1 + k % 100, 2),
                                    (const int64_t[]){8 * (k / 100), 8 * (1 + w->number)}, 0);
        if (k % 500 == 0) {
            hd_array *s = hd_sum(v, HD_ALL_AXES, NULL, 0);
            w->wrong += !(t_value(s, 0) >= 0);
            hd_release(s);
        }
        hd_release(v);
    }
    return NULL;
}

TEST(threads, forget_shapes_under_each_other)
{
    hd_array *x = t_ramp(SHAPE(30000), HD_FLOAT64);
    CHECK_EQ_I64(run_threads(4, many_shapes, x), 0);
    CHECK(t_stats(NULL).layouts < 4 * 65536);
    hd_release(x);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static atomic_int stop;
static void *keep_busy(void *arg)
{
    worker *w = arg;
    while (!atomic_load(&stop)) {
        int scope = hd_scope_begin();
        w->wrong +=
            t_value(hd_sum(hd_add(w->shared, w->shared), HD_ALL_AXES, NULL, 0), 0) != N * (N - 1);
        hd_scope_end(scope, NULL);
    }
    return NULL;
}

static int child_of_fork(hd_array *x, hd_array *pending)
{
    int scope = hd_scope_begin();
    int wrong = t_value(hd_sum(x, HD_ALL_AXES, NULL, 0), 0) != N * (N - 1) / 2;
    wrong += t_value(pending, N - 1) != N;
    hd_scope_end(scope, NULL);
    return wrong;
}

TEST(threads, fork_while_others_work)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    if (!FORKS_BESIDE_THREADS)
        SKIP("AddressSanitizer cannot fork() beside threads");
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *one = hd_int(1);
    worker w[2];
    atomic_store(&stop, 0);
    for (int k = 0; k < 2; k++) {
        w[k] = (worker){.number = k, .shared = x};
        REQUIRE(pthread_create(&w[k].thread, NULL, keep_busy, &w[k]) == 0);
    }
    for (int k = 0; k < 10; k++) {
        int status = -1;
        hd_array *pending = hd_add(x, one);
        pid_t pid = fork();
        if (pid == 0)
            _exit(child_of_fork(x, pending));
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
        hd_release(pending);
    }
    atomic_store(&stop, 1);
    for (int k = 0; k < 2; k++) {
        pthread_join(w[k].thread, NULL);
        CHECK_EQ_I64(w[k].wrong, 0);
    }
    hd_release(x);
    hd_release(one);
}
