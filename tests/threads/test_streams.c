/* SPDX-License-Identifier: BSD-3-Clause */
/* test_streams.c - each thread records in a window of its own: plans are kept, what one thread has
 * pending is submitted when another one names it, and threads that end leave nothing behind. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "exec/lanes.h"
#include "threads/workers.h"
#include "window/windows.h"

enum { N = 2000 };   /* elements: no small work */

static hd_device *begin_cpu(void)
{
    hd_device *cpu = hd_device_get("cpu");
    hd_device_set_current(cpu);
    CHECK(hd_synchronize(cpu) == HD_OK);
    return cpu;
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* A loop over an array of its own and one that all read. */
static void *same_loop(void *arg)
{
    worker *w = arg;
    hd_device_set_current(hd_device_get("cpu"));
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *half = hd_float(0.5);
    for (int k = 0; k < 400; k++) {
        int scope = hd_scope_begin();
        hd_array *y = hd_add(hd_multiply(x, half), w->shared), *old = x;
        hd_array *root = hd_sqrt(hd_multiply(y, y));
        x = hd_keep(hd_subtract(root, hd_multiply(y, half)));
        hd_release(old);
        if (k % 8 == 7)
            w->wrong += !(t_value(hd_sum(x, HD_ALL_AXES, NULL, 0), 0) > 0);
        hd_scope_end(scope, NULL);
    }
    hd_release(x);
    hd_release(half);
    return NULL;
}

TEST(streams, keep_their_plans)
{
    hd_device *cpu = begin_cpu();
    hd_array *one = hd_ones(SHAPE(N), HD_FLOAT64);
    CHECK_EQ_I64(run_threads(1, same_loop, one), 0);
    CHECK(hd_synchronize(cpu) == HD_OK);
    for (int n = 2; n <= MOST_THREADS; n += 2) {
        hd_stats before = t_stats(cpu);
        CHECK_EQ_I64(run_threads(n, same_loop, one), 0);
        hd_stats after = t_stats(cpu);
        CHECK(after.flushes - before.flushes >= n * 50);
        /* what is pending when the threads end may be made a plan of its own */
        CHECK(after.plans - before.plans <= n);
    }
    hd_release(one);
    CHECK(hd_synchronize(cpu) == HD_OK);
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* Arrays that all threads record on, and what they should hold. Only the recording of an operation
 * is in turn: which window it is pending in, and who demands it when, is chance. */
enum { ARRAYS = 6, STEPS = 400, SMALL = 24, LARGE = 1500 };
typedef struct common {
    pthread_mutex_t turn;
    int64_t n;
    hd_array *x[ARRAYS];
    double *mirror[ARRAYS];
} common;

static void copy_of(const common *c, int a, double *into)
{
    memcpy(into, c->mirror[a], sizeof *into * (size_t)c->n);
}

/* x[a] is another array from here on. */
static bool becomes(common *c, int a, hd_array *x)
{
    hd_release(c->x[a]);
    c->x[a] = hd_keep(x);
    return x != NULL;
}

static void record_step(worker *w, common *c, int a, int b)
{
    static const double half = 0.5;
    double *to = c->mirror[a], from[LARGE];
    const int64_t n = 1 + below(w, c->n - 1), at = below(w, c->n - n + 1);
    hd_array *part = t_slice(c->x[a], SLICE(at, at + n, 1)),
             *head = t_slice(c->x[b], SLICE(0, n, 1));
    copy_of(c, b, from);
    switch (below(w, 6)) {
    case 0:   /* reads b, writes part of a */
        w->wrong += hd_assign(part, head, HD_CAST_SAME_KIND) != HD_OK;
        memcpy(to + at, from, sizeof *from * (size_t)n);
        break;
    case 1:
        w->wrong += hd_inplace(HD_OP_add, part, head) != HD_OK;
        for (int64_t k = 0; k < n; k++)
            to[at + k] += from[k];
        break;
    case 2:
        w->wrong += hd_inplace(HD_OP_multiply, c->x[a], hd_float(half)) != HD_OK;
        for (int64_t k = 0; k < c->n; k++)
            to[k] *= half;
        break;
    case 3:   /* a new array */
        w->wrong += !becomes(c, a, hd_subtract(c->x[b], hd_float(1)));
        for (int64_t k = 0; k < c->n; k++)
            to[k] = from[k] - 1;
        break;
    case 4:   /* a snapshot */
        w->wrong += !becomes(c, a, hd_copy(c->x[b], 'C'));
        memcpy(to, from, sizeof *from * (size_t)c->n);
        break;
    default:   /* nobody looks */
        (void)hd_add(hd_exp(part), head);
        break;
    }
}

static void *share(void *arg)
{
    worker *w = arg;
    common *c = w->shared;
    double got[LARGE], want[LARGE];
    hd_device_set_current(hd_device_get("cpu"));
    for (int k = 0; k < STEPS; k++) {
        const int a = (int)below(w, ARRAYS), b = (int)below(w, ARRAYS);
        int scope = hd_scope_begin();
        hd_array *seen = NULL;
        pthread_mutex_lock(&c->turn);
        record_step(w, c, a, b);
        if (k % 3 == 0) {
            /* may be demanded by now, and written to by others before it is read */
            seen = hd_multiply(c->x[b], hd_float(2));
            copy_of(c, b, want);
        }
        pthread_mutex_unlock(&c->turn);
        if (seen != NULL) {
            w->wrong += hd_read(seen, got) != HD_OK;
            for (int64_t i = 0; i < c->n; i++)
                w->wrong += got[i] != 2 * want[i];
        }
        w->wrong += k % 50 == 49 && hd_synchronize(NULL) != HD_OK;
        hd_scope_end(scope, NULL);
    }
    w->wrong += !t_clean();
    return NULL;
}

static void share_arrays(int threads, int64_t n)
{
    common c = {.n = n};
    double got[LARGE];
    pthread_mutex_init(&c.turn, NULL);
    for (int a = 0; a < ARRAYS; a++) {
        c.x[a] = t_ramp_from(a, SHAPE(n), HD_FLOAT64);
        c.mirror[a] = malloc(sizeof *c.mirror[a] * (size_t)n);
        for (int64_t k = 0; k < n; k++)
            c.mirror[a][k] = (double)(a + k);
    }
    CHECK_EQ_I64(run_threads(threads, share, &c), 0);
    for (int a = 0; a < ARRAYS; a++) {
        CHECK(hd_read(c.x[a], got) == HD_OK);
        CHECK(memcmp(got, c.mirror[a], sizeof *got * (size_t)n) == 0);
        hd_release(c.x[a]);
        free(c.mirror[a]);
    }
    pthread_mutex_destroy(&c.turn);
}

TEST(streams, share_arrays_at_random)
{
    begin_cpu();
    for (int threads = 2; threads <= MOST_THREADS; threads += 2) {
        share_arrays(threads, LARGE);
        share_arrays(threads, SMALL);
    }
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- one after the other --------------------------------------------------------------------- */

/* A second thread that does one thing and waits until it may end. */
typedef struct second {
    pthread_t thread;
    pthread_barrier_t done, end;
    void (*what)(struct second *s);
    hd_array *x, *y;
    hdi_window *window;
} second;

static void *do_one_thing(void *arg)
{
    second *s = arg;
    hd_device *cpu = hd_device_get("cpu");
    hd_device_set_current(cpu);
    int scope = hd_scope_begin();
    s->what(s);
    hd_scope_end(scope, NULL);
    hdi_lock();
    s->window = hdi_window_of(cpu);
    hdi_unlock();
    pthread_barrier_wait(&s->done);
    pthread_barrier_wait(&s->end);
    return NULL;
}

static bool second_begins(second *s, void (*what)(second *s))
{
    s->what = what;
    pthread_barrier_init(&s->done, NULL, 2);
    pthread_barrier_init(&s->end, NULL, 2);
    if (!CHECK(pthread_create(&s->thread, NULL, do_one_thing, s) == 0))
        return false;
    pthread_barrier_wait(&s->done);
    return true;
}

static void second_ends(second *s)
{
    pthread_barrier_wait(&s->end);
    pthread_join(s->thread, NULL);
    pthread_barrier_destroy(&s->done);
    pthread_barrier_destroy(&s->end);
}

static void read_x(second *s) { s->y = hd_keep(hd_add(s->x, s->x)); }
static void write_x(second *s)
{
    CHECK(hd_inplace(HD_OP_add, t_slice(s->x, SLICE(1, N, 1)), hd_float(1)) == HD_OK);
}
static void look_at_x(second *s) { CHECK_NEAR(t_value(s->x, 5), 5, 0); }

TEST(streams, reads_wait_side_by_side)
{
    begin_cpu();
    const int scope = hd_scope_begin();
    second s = {.x = hd_keep(t_ramp(SHAPE(N), HD_FLOAT64))};
    hd_array *mine = hd_keep(hd_subtract(s.x, hd_float(1)));
    if (!second_begins(&s, read_x))
        return;
    hdi_buf *b = s.x->st->buf;
    CHECK(b->several && b->recs == 3 && b->writes == 0);
    CHECK_EQ_I64(s.window->pending, 1);
    CHECK_NEAR(t_value(mine, 7), 6, 0);
    CHECK_EQ_I64(s.window->pending, 1);   /* a demand takes what it needs */
    hd_array *again = hd_keep(hd_subtract(s.x, hd_float(2)));
    CHECK_EQ_I64(b->recs, 3);
    CHECK(hd_inplace(HD_OP_multiply, t_slice(s.x, SLICE(1, N, 1)), hd_float(10)) == HD_OK);
    CHECK(b->recs == 2 && s.window->pending == 0);   /* both reads have run or are about to */
    CHECK_NEAR(t_value(s.x, 5), 50, 0);
    CHECK_NEAR(t_value(s.y, 5), 10, 0);
    CHECK_NEAR(t_value(again, 5), 3, 0);
    second_ends(&s);
    hd_release(s.x);
    hd_release(s.y);
    hd_release(mine);
    hd_release(again);
    hd_scope_end(scope, NULL);
}

TEST(streams, writes_of_others_come_first)
{
    begin_cpu();
    const int scope = hd_scope_begin();
    second s = {.x = hd_keep(t_ramp(SHAPE(N), HD_FLOAT64))};
    if (!second_begins(&s, write_x))
        return;
    CHECK_EQ_I64(s.x->st->buf->writes, 1);
    CHECK_EQ_I64(s.window->pending, 1);
    hd_array *y = hd_keep(hd_multiply(s.x, hd_float(2)));
    CHECK_EQ_I64(s.x->st->buf->writes, 0);
    CHECK_EQ_I64(s.window->pending, 0);
    CHECK_NEAR(t_value(y, 5), 12, 0);
    second_ends(&s);
    hd_release(s.x);
    hd_release(y);
    hd_scope_end(scope, NULL);
}

TEST(streams, writes_wait_for_reads_of_others)
{
    begin_cpu();
    const int scope = hd_scope_begin();
    second s = {.x = hd_keep(t_ramp(SHAPE(N), HD_FLOAT64))};
    if (!second_begins(&s, read_x))
        return;
    CHECK(hd_inplace(HD_OP_add, t_slice(s.x, SLICE(1, N, 1)), hd_float(1)) == HD_OK);
    CHECK_EQ_I64(s.window->pending, 0);
    CHECK_NEAR(t_value(s.y, 5), 10, 0);
    CHECK_NEAR(t_value(s.x, 5), 6, 0);
    second_ends(&s);
    hd_release(s.x);
    hd_release(s.y);
    hd_scope_end(scope, NULL);
}

/* An operation of several slots whose inputs another thread has pending: x, and what reads it. */
TEST(streams, all_slots_of_an_operation_wait_for_others)
{
    begin_cpu();
    for (int k = 0; k < 2; k++) {
        const int scope = hd_scope_begin();
        second s = {.x = hd_keep(t_ramp(SHAPE(N / 4, 4), HD_FLOAT64))};
        hd_array *q, *r;
        if (!second_begins(&s, k == 0 ? write_x : read_x))
            return;
        CHECK_EQ_I64(s.window->pending, 1);
        CHECK(hd_qr(k == 0 ? s.x : s.y, HD_QR_REDUCED, &q, &r) == HD_OK);
        CHECK_EQ_I64(s.window->pending, 0);
        hd_array *again = hd_matmul(q, r, NULL);
        CHECK_NEAR(t_value(again, 5), k == 0 ? 6 : 10, 1e-9);
        second_ends(&s);
        hd_release(s.x);
        if (k == 1)
            hd_release(s.y);
        hd_scope_end(scope, NULL);
    }
}

TEST(streams, a_demand_finds_what_another_recorded)
{
    begin_cpu();
    const int scope = hd_scope_begin();
    hd_array *half = hd_keep(hd_full(SHAPE(N), hd_float(0.5), HD_FLOAT64));
    second s = {.x = hd_keep(hd_multiply(t_ramp(SHAPE(N), HD_FLOAT64), hd_add(half, half)))};
    CHECK(s.x->st->buf->writes == 1);
    if (!second_begins(&s, look_at_x))
        return;
    CHECK(s.x->st->buf->writes == 0 && s.window->pending == 0);
    second_ends(&s);
    hd_release(s.x);
    hd_release(half);
    hd_scope_end(scope, NULL);
}

TEST(streams, the_last_handle_drops_what_another_recorded)
{
    begin_cpu();
    second s = {.x = t_ramp(SHAPE(N), HD_FLOAT64)};
    if (!second_begins(&s, read_x))
        return;
    CHECK_EQ_I64(s.window->pending, 1);
    hd_release(s.y);
    CHECK_EQ_I64(s.window->pending, 0);
    second_ends(&s);
    hd_release(s.x);
}

/* ---- work of several threads ----------------------------------------------------------------- */

/* What this thread has recorded is queued and does not run yet. */
static hdi_lane *queue_all(hd_device *cpu)
{
    hdi_lock();
    hdi_window_flush(hdi_window_of(cpu));
    hdi_lane *lane = hdi_lane_here(cpu);
    hdi_unlock();
    CHECK(lane->first != NULL);
    return lane;
}

/* The same of work that was interrupted: recording does not go on with it. */
static void put_to_rest(hd_device *cpu, hdi_lane *lane)
{
    hdi_lock();
    lane->resting = true;
    hdi_window_of(cpu)->queued = false;
    hdi_lanes_update(cpu);
    hdi_unlock();
}

static void work_alone(second *s)
{
    hdi_lane *other = (void *)s->window;
    hd_array *x = hd_full(SHAPE(N), hd_float(3), HD_FLOAT64);
    CHECK_NEAR(t_value(hd_sum(hd_multiply(x, s->x), HD_ALL_AXES, NULL, 0), 0), 3.0 * (N - 1) * N / 2,
               0);
    CHECK(other->first != NULL);
}

static void look_at_y(second *s) { CHECK_NEAR(t_value(s->y, 5), 10, 0); }

static void overwrite_x(second *s)
{
    write_x(s);
    CHECK_NEAR(t_value(s->x, 5), 6, 0);
}

static void finish_all(second *s)
{
    (void)s;
    CHECK(hd_synchronize(NULL) == HD_OK);
}

static void run_beside(void (*what)(second *s), bool runs)
{
    hd_device *cpu = begin_cpu();
    second s = {.x = t_ramp(SHAPE(N), HD_FLOAT64)};
    s.y = hd_keep(hd_add(s.x, s.x));
    hdi_lane *lane = queue_all(cpu);
    put_to_rest(cpu, lane);
    s.window = (void *)lane;
    if (!second_begins(&s, what))
        return;
    CHECK((lane->first == NULL) == runs);
    second_ends(&s);
    CHECK_NEAR(t_value(s.y, 7), 14, 0);
    CHECK(lane->first == NULL);
    hd_release(s.x);
    hd_release(s.y);
}

TEST(streams, work_waits_for_what_it_needs)
{
    run_beside(work_alone, false);
    run_beside(look_at_y, true);     /* reads what is written */
    run_beside(overwrite_x, true);   /* writes what is read */
    run_beside(finish_all, true);
}

/* What finished jobs used is not known by their numbers any more, which another device has as well. */
TEST(streams, generations_forget_finished_jobs)
{
    hd_device *cpu = begin_cpu();
    const int scope = hd_scope_begin();
    hd_array *x = hd_keep(hd_full(SHAPE(N), hd_float(1), HD_FLOAT64)), *y = hd_keep(hd_add(x, x));
    hdi_lane *lane = queue_all(cpu);
    const hdi_buf *b = y->st->buf;
    CHECK(b->wrote != 0 && x->st->buf->read + x->st->buf->wrote != 0);
    CHECK(hd_synchronize(cpu) == HD_OK && lane->first == NULL);
    CHECK(b->wrote == 0 && b->read == 0 && x->st->buf->read == 0 && x->st->buf->wrote == 0);
    hd_release(x);
    hd_release(y);
    hd_scope_end(scope, NULL);
}

/* Two lanes read an array, a third one writes to it. */
static void read_and_queue(second *s)
{
    read_x(s);
    put_to_rest(hd_device_get("cpu"), queue_all(hd_device_get("cpu")));
}

TEST(streams, writes_wait_for_reads_of_many)
{
    hd_device *cpu = begin_cpu();
    const int scope = hd_scope_begin();
    second s[3] = {{.x = hd_keep(t_ramp(SHAPE(N), HD_FLOAT64))}};
    for (int k = 0; k < 3; k++) {
        s[k].x = s[0].x;
        if (!second_begins(&s[k], read_and_queue))
            return;
    }
    CHECK(s[0].window != s[1].window && s[1].window != s[2].window);
    CHECK_EQ_I64(s[0].x->st->buf->jobs, 3);
    write_x(&s[0]);
    CHECK_NEAR(t_value(s[0].x, 5), 6, 0);
    CHECK(hdi_lanes_idle(cpu));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(t_value(s[k].y, 5), 10, 0);
        second_ends(&s[k]);
        hd_release(s[k].y);
    }
    hd_release(s[0].x);
    hd_scope_end(scope, NULL);
}

/* More lanes than a job has places for. */
TEST(streams, jobs_wait_for_many)
{
    enum { MANY = HDI_AFTER_MOST + 2 };
    hd_device *cpu = begin_cpu();
    second s[MANY];
    hd_array *sum = hd_zeros(SHAPE(N), HD_FLOAT64);
    for (int k = 0; k < MANY; k++) {
        s[k] = (second){.x = t_ramp_from(k, SHAPE(N), HD_FLOAT64)};
        if (!second_begins(&s[k], read_and_queue))
            return;
    }
    for (int k = 0; k < MANY; k++) {
        hd_array *next = hd_keep(hd_add(sum, s[k].y));
        hd_release(sum);
        sum = next;
    }
    CHECK_NEAR(t_value(sum, 10), 2 * (10 * MANY + MANY * (MANY - 1) / 2), 0);
    CHECK(hdi_lanes_idle(cpu));
    for (int k = 0; k < MANY; k++) {
        second_ends(&s[k]);
        hd_release(s[k].x);
        hd_release(s[k].y);
    }
    hd_release(sum);
}

/* ---- threads that end ------------------------------------------------------------------------ */

TEST(streams, threads_that_end_leave_nothing_behind)
{
    hd_device *cpu = begin_cpu();
    second s = {.x = t_ramp(SHAPE(N), HD_FLOAT64)};
    int windows = 0;
    for (int k = 0; k < 20; k++) {
        if (!second_begins(&s, read_x))
            return;
        windows = k == 0 ? cpu->nwindows : windows;
        CHECK_EQ_I64(s.window->pending, 1);
        second_ends(&s);
        CHECK(s.window->owner == NULL && s.window->starved);
        hd_array *mine = hd_keep(hd_sqrt(s.x));   /* whoever comes next sees to it */
        CHECK(s.window->pending == 0 && !s.window->starved && s.y->st->buf->writes == 0);
        CHECK_NEAR(t_value(s.y, 3), 6, 0);
        hd_release(s.y);
        hd_release(mine);
    }
    CHECK_EQ_I64(cpu->nwindows, windows);   /* one takes the other's */
    hd_release(s.x);
}

/* Every window is somebody's, and there is no memory for another one. */
TEST(streams, without_memory_threads_share_a_window)
{
    hd_device *cpu = begin_cpu();
    const void *owner[64];
    if (!CHECK(cpu->nwindows <= 64))
        return;
    hdi_lock();
    hdi_window *mine = hdi_window_of(cpu), *found;
    for (int k = 0; k < cpu->nwindows; k++) {
        owner[k] = cpu->windows[k]->owner;
        cpu->windows[k]->owner = owner;
    }
    const int windows = cpu->nwindows;
    hdi_window_here = (hdi_here){NULL, NULL};
    hdi_fail_from(1);
    found = hdi_window_of(cpu);
    hdi_fail_from(0);
    CHECK(found == cpu->windows[0] && cpu->nwindows == windows);
    for (int k = 0; k < cpu->nwindows; k++)
        cpu->windows[k]->owner = owner[k];
    CHECK(hdi_window_of(cpu) == mine);
    hdi_unlock();
}

/* ---- settings and counts --------------------------------------------------------------------- */

static void count_own(second *s)
{
    (void)s;
    hd_array *x = hd_ones(SHAPE(N), HD_FLOAT64);
    CHECK_NEAR(t_value(hd_add(x, x), 0), 2, 0);
    hd_release(x);
}

TEST(streams, settings_and_counts_are_the_devices)
{
    hd_device *cpu = begin_cpu();
    second s = {.x = NULL};
    int old = hd_set_fusion(0);
    hd_stats before = t_stats(cpu);
    if (!second_begins(&s, count_own))
        return;
    CHECK(t_stats(cpu).records - before.records >= 2);
    CHECK(!s.window->fusion && s.window->small == cpu->windows[0]->small);
    hd_set_fusion(2);
    CHECK(s.window->fusion && s.window->records_all && s.window->small == -1);
    hd_set_fusion(old);
    second_ends(&s);
}
