/* SPDX-License-Identifier: BSD-3-Clause */
/* test_memory_hook.c - what a memory hook is told of, and in which thread; nothing is asked where
 * no thread has one. */
#include <pthread.h>

#include "backend/backend.h"
#include "base/lock.h"
#include "core/device.h"
#include "support.h"

enum { N = 1000, BYTES = N * 8, MOST = 64 };

typedef struct heard {
    int n;
    hd_memory_event event[MOST];
    pthread_t thread;
} heard;

static void hear(const hd_memory_event *e, void *ctx)
{
    heard *h = ctx;
    if (h->n < MOST)
        h->event[h->n] = *e;
    h->n++;
    h->thread = pthread_self();
}

static hd_device *begin(void)
{
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    CHECK(hd_synchronize(dev) == HD_OK && t_clean());
    return dev;
}

static hd_array *line(void)
{
    hd_array *x = hd_zeros(SHAPE(N), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    return x;
}

TEST(memory_hook, hears_of_blocks_that_are_taken_and_given_back)
{
    heard h = {0};
    hd_device *dev = begin();
    CHECK(hd_set_memory_hook(hear, &h) == HD_OK);
    hd_array *x = line(), *y = line();
    hd_release(x);
    CHECK_EQ_I64(h.n, 3);
    CHECK(h.event[0].address != 0 && h.event[0].address != h.event[1].address);
    CHECK(h.event[2].address == h.event[0].address);
    CHECK(!h.event[0].given_back && !h.event[1].given_back && h.event[2].given_back);
    for (int k = 0; k < 3; k++) {
        CHECK_EQ_I64(h.event[k].asked, BYTES);
        CHECK(h.event[k].block >= BYTES && h.event[k].block == h.event[0].block);
        CHECK(h.event[k].device == dev);
    }
    CHECK(pthread_equal(h.thread, pthread_self()));
    CHECK(hd_set_memory_hook(NULL, NULL) == HD_OK);
    hd_release(y);
    CHECK_EQ_I64(h.n, 3);
}

TEST(memory_hook, tells_fresh_memory_from_what_was_kept)
{
    heard h = {0};
    hd_device *dev = begin();
    const int64_t n = 3 << 20;
    hd_trim(dev);
    hd_set_memory_hook(hear, &h);
    for (int k = 0; k < 2; k++) {
        hd_array *x = hd_zeros(1, &n, HD_FLOAT64);
        hd_eval(x);
        hd_release(x);
    }
    hd_set_memory_hook(NULL, NULL);
    REQUIRE(h.n == 4);
    CHECK_EQ_I64(h.event[0].fresh, h.event[0].block);
    CHECK_EQ_I64(h.event[2].fresh, 0);
    CHECK_EQ_I64(h.event[1].fresh + h.event[3].fresh, 0);
}

TEST(memory_hook, without_one_the_back_end_is_called_as_it_is)
{
    heard h = {0};
    hd_device *dev = begin();
    CHECK(dev->alloc == dev->backend->alloc && dev->heap == dev->state);
    hd_set_memory_hook(hear, &h);
    CHECK(dev->alloc != dev->backend->alloc && dev->free != dev->backend->free);
    hd_device *other = hd_device_get("null");   /* opened meanwhile, or before */
    CHECK(other->alloc != other->backend->alloc);
    hd_set_memory_hook(NULL, NULL);
    CHECK(dev->alloc == dev->backend->alloc && dev->free == dev->backend->free);
    CHECK(dev->heap == dev->state && other->alloc == other->backend->alloc);
    CHECK(hd_set_memory_hook(NULL, NULL) == HD_OK);
}

static void *no_memory(void *state, int64_t nbytes)
{
    (void)state;
    (void)nbytes;
    return NULL;
}

TEST(memory_hook, hears_of_memory_that_was_not_there)
{
    heard h = {0};
    hd_device *dev = begin();
    const hdi_backend *real = dev->backend;
    hdi_backend table = *real;
    table.alloc = no_memory;
    dev->backend = &table;
    hd_set_memory_hook(hear, &h);
    hd_array *x = hd_zeros(SHAPE(N), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_NOMEM);
    hd_error_take(NULL);
    hd_release(x);
    dev->backend = real;
    REQUIRE(h.n > 0);
    CHECK_EQ_I64(h.event[0].asked, BYTES);
    CHECK(h.event[0].address == 0 && h.event[0].fresh == 0 && !h.event[0].given_back);
    const int before = h.n;
    x = line();
    CHECK_EQ_I64(h.n, before + 1);
    hd_set_memory_hook(NULL, NULL);
    hd_release(x);
}

static void use_arrays(const hd_memory_event *e, void *ctx)
{
    hear(e, ctx);
    hd_array *x = line();
    hd_array *y = hd_add(x, x);
    CHECK(hd_eval(y) == HD_OK);
    hd_release(y);
    hd_release(x);
}

TEST(memory_hook, may_use_arrays_and_does_not_hear_of_them)
{
    heard h = {0};
    begin();
    hd_set_memory_hook(use_arrays, &h);
    hd_array *x = line();
    CHECK_EQ_I64(h.n, 1);
    hd_release(x);
    CHECK_EQ_I64(h.n, 2);
    hd_set_memory_hook(NULL, NULL);
}

static void set_none(const hd_memory_event *e, void *ctx)
{
    hear(e, ctx);
    hd_set_memory_hook(NULL, NULL);
}

TEST(memory_hook, may_take_itself_away)
{
    heard h = {0};
    hd_device *dev = begin();
    hd_set_memory_hook(set_none, &h);
    hd_release(line());
    CHECK_EQ_I64(h.n, 1);
    CHECK(dev->alloc == dev->backend->alloc);
}

/* Takes a block and gives it back without leaving the lock by hdi_leave(), as other threads see it
 * in the middle of a call. */
static void take_in_the_middle(hd_device *dev)
{
    hdi_lock();
    void *p = dev->alloc(dev->heap, BYTES);
    dev->free(dev->heap, p, BYTES);
    hdi_unlock();
}

TEST(memory_hook, the_one_before_hears_what_was_left)
{
    heard first = {0}, second = {0};
    hd_device *dev = begin();
    hd_set_memory_hook(hear, &first);
    take_in_the_middle(dev);
    CHECK_EQ_I64(first.n, 0);
    hd_set_memory_hook(hear, &second);
    CHECK_EQ_I64(first.n, 2);
    hd_release(line());
    hd_set_memory_hook(NULL, NULL);
    CHECK_EQ_I64(first.n, 2);
    CHECK_EQ_I64(second.n, 2);
}

/* Without memory for events they are lost, and nothing else. */
static int grants;
static void *grant(void *ctx, void *p, size_t before, size_t bytes)
{
    (void)ctx;
    (void)before;
    if (bytes == 0)
        return free(p), NULL;
    return grants-- > 0 ? realloc(p, bytes) : NULL;
}

TEST(memory_hook, events_without_memory_are_lost)
{
    heard h = {0};
    hd_device *dev = begin();
    hd_set_memory_hook(hear, &h);
    grants = 0;
    hd_set_allocator(grant, NULL);
    take_in_the_middle(dev);
    hd_set_allocator(NULL, NULL);
    take_in_the_middle(dev);
    hd_set_memory_hook(NULL, NULL);
    CHECK_EQ_I64(h.n, 2);
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_barrier_t meet;

/* Notes events in the middle of a call, and is told of them when another thread has been there. */
static void *other_thread(void *ctx)
{
    heard *h = ctx;
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    hd_set_memory_hook(hear, h);
    take_in_the_middle(dev);
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    CHECK_EQ_I64(h->n, 0);
    hd_release(line());
    CHECK_EQ_I64(h->n, 4);
    CHECK(pthread_equal(h->thread, pthread_self()));
    take_in_the_middle(dev);   /* and ends with its hook set, and events that nobody hears */
    return NULL;
}

TEST(memory_hook, is_its_threads)
{
    heard own = {0}, others = {0};
    pthread_t thread;
    hd_device *dev = begin();
    hd_set_memory_hook(hear, &own);
    pthread_barrier_init(&meet, NULL, 2);
    REQUIRE(pthread_create(&thread, NULL, other_thread, &others) == 0);
    pthread_barrier_wait(&meet);
    hd_release(line());
    hd_release(line());
    CHECK_EQ_I64(own.n, 4);
    CHECK_EQ_I64(others.n, 0);
    pthread_barrier_wait(&meet);
    pthread_join(thread, NULL);
    hd_release(line());
    CHECK_EQ_I64(own.n, 6);
    CHECK_EQ_I64(others.n, 4);
    hd_set_memory_hook(NULL, NULL);
    CHECK(dev->alloc == dev->backend->alloc);
    pthread_barrier_destroy(&meet);
}

/* What errors and scopes are under way is none of the hook's. */
static void fail_in_a_scope(const hd_memory_event *e, void *ctx)
{
    hear(e, ctx);
    CHECK(hd_error_peek()->code == HD_OK);
    int scope = hd_scope_begin();
    CHECK_EQ_I64(scope, 0);
    CHECK(hd_reshape(hd_ones(SHAPE(3), HD_FLOAT64), SHAPE(2), 'C') == NULL);
    hd_scope_end(scope, NULL);   /* the error is left */
}

TEST(memory_hook, leaves_errors_and_scopes_alone)
{
    heard h = {0};
    begin();
    hd_set_memory_hook(fail_in_a_scope, &h);
    int scope = hd_scope_begin();
    hd_array *x = line();
    CHECK_NEAR(t_value(x, 0), 0, 0);
    hd_scope_end(scope, NULL);
    hd_set_memory_hook(NULL, NULL);
    CHECK(h.n >= 2 && t_clean());
}
