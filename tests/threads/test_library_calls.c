/* SPDX-License-Identifier: BSD-3-Clause */
/* test_library_calls.c - library calls of several threads on the CPU run at the same time, each
 * kind beside every other one, beside trims and forks, and give the bits that one thread gets. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_blas.h"
#include "base/lock.h"
#include "core/device.h"
#include "threads/workers.h"

#if defined(__SANITIZE_THREAD__)
enum { N = 3000, LONG = 1 << 17, SIDE = 24, ROUNDS = 60 };
#else
enum { N = 9000, LONG = 1 << 18, SIDE = 60, ROUNDS = 200 };
#endif

static hd_device *begin_cpu(void)
{
    hd_device *cpu = hd_device_get("cpu");
    hd_device_set_current(cpu);
    CHECK(hd_synchronize(cpu) == HD_OK);
    return cpu;
}

/* ---- every kind ------------------------------------------------------------------------------ */

/* Read by all threads. */
typedef struct inputs {
    hd_array *x, *sorted, *edges, *places, *starts, *mask, *flat, *square, *whole, *right, *lines;
    hd_array *line;              /* so long that its transform is columns and rows */
} inputs;

static hd_array *by_chance(int nd, const int64_t *shape, uint64_t seed)
{
    hd_generator g = hd_generator_seed(seed);
    return hd_random_uniform(&g, nd, shape, HD_FLOAT64);
}

static hd_array *whole_numbers(hd_array *x, int64_t below_n)
{
    return hd_astype(hd_multiply(x, hd_float((double)below_n)), HD_INT64, 'C', HD_CAST_UNSAFE, 1);
}

static inputs make_inputs(void)
{
    int scope = hd_scope_begin();
    inputs in = {.x = by_chance(SHAPE(N), 1), .flat = by_chance(SHAPE(N), 2)};
    in.sorted = hd_sort(in.x, 0, 0);
    in.edges = hd_multiply(t_ramp(SHAPE(21), HD_FLOAT64), hd_float(0.05));
    in.places = whole_numbers(in.flat, N);
    in.starts = hd_sort(whole_numbers(by_chance(SHAPE(800), 3), N), 0, 0);
    in.mask = hd_less(in.flat, hd_float(0.4));
    in.square = hd_add(by_chance(SHAPE(SIDE, SIDE), 4),
                       hd_multiply(hd_eye(SIDE, SIDE, 0, HD_FLOAT64), hd_float(SIDE)));
    in.whole = whole_numbers(in.square, 100);
    in.right = by_chance(SHAPE(SIDE, 30), 5);
    in.lines = by_chance(SHAPE(7, 1009), 6);     /* a prime: another way to transform */
    in.line = by_chance(SHAPE(LONG), 7);
    hd_array **all = (hd_array **)&in;
    for (size_t k = 0; k < sizeof in / sizeof *all; k++) {
        CHECK(hd_eval(all[k]) == HD_OK);
        hd_keep(all[k]);
    }
    hd_scope_end(scope, NULL);
    return in;
}

static void drop_inputs(inputs *in)
{
    hd_array **all = (hd_array **)in;
    for (size_t k = 0; k < sizeof *in / sizeof *all; k++)
        hd_release(all[k]);
}

typedef hd_array *(*call)(const inputs *in);

static hd_array *sort(const inputs *in) { return hd_sort(in->x, 0, 0); }
static hd_array *argsort(const inputs *in) { return hd_argsort(in->x, 0, 1); }
static hd_array *sort_lines(const inputs *in) { return hd_sort(in->lines, 0, 0); }
static hd_array *partition(const inputs *in)
{
    return t_slice(hd_partition(in->x, 1, (const int64_t[]){N / 3}, 0), AT(N / 3));
}
static hd_array *search(const inputs *in) { return hd_searchsorted(in->sorted, in->flat, 1); }
static hd_array *count(const inputs *in) { return hd_bincount(in->places, NULL, 0); }
static hd_array *weigh(const inputs *in) { return hd_bincount(in->places, in->x, N); }
static hd_array *histogram(const inputs *in) { return hd_histogram(in->x, in->edges, 1); }
static hd_array *gather(const inputs *in)
{
    return hd_take(in->x, 1, (const hd_array *const[]){in->places});
}
static hd_array *scatter(const inputs *in)
{
    hd_array *y = hd_zeros(SHAPE(N), HD_FLOAT64);
    return hd_put(y, 1, (const hd_array *const[]){in->places}, hd_float(2),
                  HD_CAST_SAME_KIND) == HD_OK ? y : NULL;
}
static hd_array *add_at(const inputs *in)
{
    hd_array *y = hd_zeros(SHAPE(N), HD_INT64);
    return hd_at(HD_OP_add, y, 1, (const hd_array *const[]){in->places}, in->places) == HD_OK
               ? y : NULL;
}
static hd_array *extract(const inputs *in) { return hd_extract(in->mask, in->x); }
static hd_array *true_places(const inputs *in)
{
    hd_array *y = NULL;
    return hd_nonzero(in->mask, &y) == HD_OK ? y : NULL;
}
static hd_array *accumulate(const inputs *in) { return hd_cumsum(in->x, 0, HD_FLOAT64, NULL); }
static hd_array *reduceat(const inputs *in)
{
    return hd_reduceat(HD_OP_add, in->x, in->starts, 0, HD_FLOAT64, NULL);
}
static hd_array *fft(const inputs *in) { return hd_fft(in->x, HD_NONE, 0, HD_FFT_BACKWARD, NULL); }
static hd_array *fft_prime(const inputs *in)
{
    return hd_rfft(in->lines, HD_NONE, 1, HD_FFT_ORTHO, NULL);
}
static hd_array *fft_long(const inputs *in)
{
    return hd_rfft(in->line, HD_NONE, 0, HD_FFT_BACKWARD, NULL);
}
static hd_array *correlate(const inputs *in)
{
    return hd_correlate(in->x, t_slice(in->flat, SLICE(0, 31, 1)), HD_WINDOW_SAME);
}
static hd_array *order(const inputs *in)
{
    (void)in;
    hd_generator g = hd_generator_seed(8);
    return hd_random_order(&g, 3, N, N);
}
static hd_array *product_own(const inputs *in) { return hd_matmul(in->whole, in->whole, NULL); }
static hd_array *product(const inputs *in) { return hd_matmul(in->square, in->right, NULL); }
static hd_array *gram(const inputs *in)
{
    return hd_matmul(in->square, hd_transpose(in->square, NULL), NULL);
}
static hd_array *solve(const inputs *in) { return hd_solve(in->square, in->right); }
static hd_array *inverse(const inputs *in) { return hd_inv(in->square, 0); }
static hd_array *determinant(const inputs *in) { return hd_det(in->square); }
static hd_array *svd(const inputs *in)
{
    hd_array *s = NULL;
    return hd_svd(in->square, 0, 0, NULL, &s, NULL) == HD_OK ? s : NULL;
}
static hd_array *eigh(const inputs *in)
{
    hd_array *w = NULL;
    return hd_eigh(in->square, 0, &w, NULL) == HD_OK ? w : NULL;
}

static const call calls[] = {
    sort,    argsort,   sort_lines,   partition,   search,     count,    weigh,     histogram,
    gather,  scatter,   add_at,       extract,     true_places, accumulate, reduceat, fft,
    fft_prime, fft_long, correlate,   order,       product_own, product,  gram,
    /* from here on LAPACK's */
    solve,   inverse,   determinant,  svd,         eigh};
enum { CALLS = (int)(sizeof calls / sizeof *calls), OF_LAPACK = 5 };

typedef struct expected { int64_t bytes; void *data; } expected;

/* The bytes of a result; NULL: it has none. */
static expected bytes_of(hd_array *y)
{
    expected e = {0, NULL};
    if (y == NULL)
        return e;
    e.bytes = hd_size(y) * hd_dtype_size(hd_dtype_of(y));
    e.data = malloc((size_t)e.bytes + 1);
    if (hd_read(y, e.data) != HD_OK) {
        free(e.data);
        e.data = NULL;
    }
    return e;
}

typedef struct common {
    inputs in;
    expected want[CALLS];
    int ncalls;
    hd_device *cpu;
    atomic_int stop;
} common;

static common *begin_calls(void)
{
    common *c = calloc(1, sizeof *c);
    c->cpu = begin_cpu();
#if defined(__SANITIZE_THREAD__)
    hdi_cpu_blas_off(true);      /* it is not instrumented */
#endif
    c->in = make_inputs();
    hd_array *one = hd_keep(hd_inv(c->in.square, 0));
    c->ncalls = one != NULL && hd_eval(one) == HD_OK ? CALLS : CALLS - OF_LAPACK;
    hd_release(one);
    hd_error_take(NULL);
    for (int k = 0; k < c->ncalls; k++) {
        int scope = hd_scope_begin();
        c->want[k] = bytes_of(calls[k](&c->in));
        CHECK(c->want[k].data != NULL);
        hd_scope_end(scope, NULL);
    }
    return c;
}

static void end_calls(common *c)
{
    for (int k = 0; k < c->ncalls; k++)
        free(c->want[k].data);
    drop_inputs(&c->in);
    free(c);
    hdi_cpu_blas_off(false);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

static int one_call(const common *c, int which)
{
    int scope = hd_scope_begin();
    expected e = bytes_of(calls[which](&c->in));
    const expected *want = &c->want[which];
    int wrong = e.data == NULL || e.bytes != want->bytes ||
                memcmp(e.data, want->data, (size_t)e.bytes) != 0;
    free(e.data);
    hd_scope_end(scope, NULL);
    return wrong;
}

static void *call_at_random(void *arg)
{
    worker *w = arg;
    common *c = w->shared;
    hd_device_set_current(c->cpu);
    for (int k = 0; k < ROUNDS; k++) {
        w->wrong += one_call(c, (int)below(w, c->ncalls));
        if (below(w, 8) == 0)    /* as a job does that lacks memory */
            w->wrong += c->cpu->backend->trim(c->cpu->state) < 0;
    }
    w->wrong += !t_clean();
    return NULL;
}

TEST(library_calls, give_the_same_beside_each_other)
{
    common *c = begin_calls();
    CHECK(hd_set_threads(2) == HD_OK);
    CHECK_EQ_I64(run_threads(2, call_at_random, c), 0);
    CHECK_EQ_I64(run_threads(4, call_at_random, c), 0);
    CHECK(hd_set_threads(1) == HD_OK);
    CHECK_EQ_I64(run_threads(3, call_at_random, c), 0);
    CHECK(hd_set_threads(0) == HD_OK);
    end_calls(c);
}

/* All threads want the same new plan at once, and drop it. */
static void *transform_and_trim(void *arg)
{
    worker *w = arg;
    common *c = w->shared;
    hd_device_set_current(c->cpu);
    for (int k = 0; k < ROUNDS / 4; k++) {
        w->wrong += one_call(c, 15 + (int)below(w, 3));
        c->cpu->backend->trim(c->cpu->state);
    }
    return NULL;
}

TEST(library_calls, make_and_drop_plans)
{
    common *c = begin_calls();
    CHECK(calls[15] == fft && calls[17] == fft_long);
    CHECK_EQ_I64(run_threads(4, transform_and_trim, c), 0);
    end_calls(c);
}

/* ---- at the same time ------------------------------------------------------------------------ */

static struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int here;
    bool met;
    const hdi_backend *real;
} meeting = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Waits within the call for another thread to be within its own; not for ever, if none can. */
static hd_status meet(void *state, const hdi_xcall *x)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&meeting.mutex);
    meeting.here++;
    meeting.met = meeting.met || meeting.here == 2;
    pthread_cond_broadcast(&meeting.changed);
    while (!meeting.met &&
           pthread_cond_timedwait(&meeting.changed, &meeting.mutex, &until) == 0) {
    }
    meeting.here--;
    pthread_mutex_unlock(&meeting.mutex);
    return meeting.real->library(state, x);
}

static void *call_once(void *arg)
{
    worker *w = arg;
    common *c = w->shared;
    hd_device_set_current(c->cpu);
    w->wrong += one_call(c, w->number == 0 ? 0 : c->ncalls - 1 - OF_LAPACK);
    return NULL;
}

TEST(library_calls, are_under_way_together)
{
    common *c = begin_calls();
    hdi_backend table = *c->cpu->backend;
    meeting.real = c->cpu->backend;
    meeting.met = false;
    table.library = meet;
    c->cpu->backend = &table;
    CHECK_EQ_I64(run_threads(2, call_once, c), 0);
    CHECK(meeting.met);
    CHECK(hd_synchronize(c->cpu) == HD_OK);
    c->cpu->backend = meeting.real;
    end_calls(c);
}

/* ---- BLAS on many threads -------------------------------------------------------------------- */

enum { LARGE = 800 };            /* its inverse is large enough for LAPACK to get BLAS's threads */

typedef struct matrices { hd_device *cpu; hd_array *large, *small; expected inverse, product; } matrices;

static int differs(hd_array *y, const expected *want)
{
    expected e = bytes_of(y);
    int wrong = e.data == NULL || memcmp(e.data, want->data, (size_t)want->bytes) != 0;
    free(e.data);
    return wrong;
}

static void *invert_or_multiply(void *arg)
{
    worker *w = arg;
    matrices *m = w->shared;
    hd_device_set_current(m->cpu);
    for (int k = 0; k < (w->number == 0 ? 6 : 150); k++) {
        int scope = hd_scope_begin();
        w->wrong += w->number == 0 ? differs(hd_inv(m->large, 0), &m->inverse)
                                   : differs(hd_matmul(m->small, m->small, NULL), &m->product);
        hd_scope_end(scope, NULL);
    }
    return NULL;
}

/* OpenBLAS's bits depend on how many threads it uses, and that is one number for all callers. */
TEST(library_calls, keep_their_bits_beside_large_decompositions)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("BLAS is not instrumented");
#endif
    matrices m = {.cpu = begin_cpu()};
    if (!hdi_cpu_blas_ready() || !hdi_cpu_blas_one_thread())
        SKIP("no OpenBLAS here: set HEDDLE_BLAS to its path");
    CHECK(hd_set_threads(2) == HD_OK);
    int scope = hd_scope_begin();
    m.large = by_chance(SHAPE(LARGE, LARGE), 1);
    m.small = by_chance(SHAPE(301, 301), 2);
    m.inverse = bytes_of(hd_inv(m.large, 0));
    m.product = bytes_of(hd_matmul(m.small, m.small, NULL));
    REQUIRE(m.inverse.data != NULL && m.product.data != NULL);
    CHECK_EQ_I64(run_threads(3, invert_or_multiply, &m), 0);
    free(m.inverse.data);
    free(m.product.data);
    hd_scope_end(scope, NULL);
    CHECK(hd_set_threads(0) == HD_OK);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void *call_until_stopped(void *arg)
{
    worker *w = arg;
    common *c = w->shared;
    hd_device_set_current(c->cpu);
    while (!atomic_load(&c->stop)) {
        w->wrong += one_call(c, (int)below(w, c->ncalls));
        if (below(w, 4) == 0)
            c->cpu->backend->trim(c->cpu->state);
    }
    return NULL;
}

/* Ends by a signal if a lock stayed taken. */
static int child_calls(const common *c)
{
    int wrong = 0;
    alarm(60);
    for (int k = 0; k < c->ncalls; k++)
        wrong += one_call(c, k);
    return wrong;
}

TEST(library_calls, go_on_in_the_child_of_a_fork)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    if (!FORKS_BESIDE_THREADS)
        SKIP("AddressSanitizer cannot fork() beside threads");
    common *c = begin_calls();
    worker w[2];
    for (int k = 0; k < 2; k++) {
        w[k] = (worker){.number = k, .state = (uint64_t)k + 5, .shared = c};
        REQUIRE(pthread_create(&w[k].thread, NULL, call_until_stopped, &w[k]) == 0);
    }
    for (int k = 0; k < 20; k++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(child_calls(c));
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
    }
    atomic_store(&c->stop, 1);
    for (int k = 0; k < 2; k++) {
        pthread_join(w[k].thread, NULL);
        CHECK_EQ_I64(w[k].wrong, 0);
    }
    end_calls(c);
}
