/* SPDX-License-Identifier: BSD-3-Clause */
/* test_storage.c - generations and storages under the library's lock: who keeps what alive, and
 * the two sums of bytes. */
#include "backend/backend.h"
#include "base/lock.h"
#include "core/storage.h"
#include "support.h"

typedef struct sums { int64_t held, window_only, memory; } sums;

static sums sums_now(hd_device *dev)
{
    hdi_memory_stats m;
    dev->backend->memory_stats(dev->state, &m, false);
    return (sums){(int64_t)hdi_memory_bytes.held, hdi_memory_bytes.window_only, m.used};
}

static void check_sums(hd_device *dev, sums before, int64_t held, int64_t window_only,
                       int64_t memory)
{
    sums now = sums_now(dev);
    CHECK_EQ_I64(now.held - before.held, held);
    CHECK_EQ_I64(now.window_only - before.window_only, window_only);
    CHECK_EQ_I64(now.memory - before.memory, memory);
}

TEST(storage, has_no_memory_until_asked)
{
    hd_device *dev = hd_device_get("null");
    hdi_lock();
    sums before = sums_now(dev);
    hdi_storage *st = hdi_storage_new(dev, 1000);
    check_sums(dev, before, 1000, 0, 0);
    CHECK(st->buf->mem == NULL && st->buf->held == 1 && st->handles == 1);
    CHECK(hdi_buf_memory(st->buf) == HD_OK && st->buf->mem != NULL);
    uint8_t *mem = st->buf->mem;
    CHECK(hdi_buf_memory(st->buf) == HD_OK && st->buf->mem == mem);
    check_sums(dev, before, 1000, 0, 1000);
    hdi_storage_release(st);
    check_sums(dev, before, 0, 0, 0);
    hdi_unlock();
}

TEST(storage, an_old_generation_stays_while_it_is_used)
{
    hd_device *dev = hd_device_get("null");
    hdi_lock();
    sums before = sums_now(dev);
    hdi_storage *st = hdi_storage_new(dev, 64);
    hdi_buf *old = st->buf;
    hdi_buf_memory(old);
    old->recs = 1;   /* a pending record reads it */
    CHECK(hdi_storage_renew(st) == HD_OK && st->buf != old && st->buf->mem == NULL);
    CHECK(old->held == 0);
    check_sums(dev, before, 64, 64, 64);   /* now only the window keeps the old one */
    hdi_buf_settle(old);
    check_sums(dev, before, 64, 64, 64);
    old->recs = 0;
    hdi_buf_settle(old);
    check_sums(dev, before, 64, 0, 0);
    hdi_storage_release(st);
    check_sums(dev, before, 0, 0, 0);
    hdi_unlock();
}

TEST(storage, a_generation_without_memory_does_not_count)
{
    hd_device *dev = hd_device_get("null");
    hdi_lock();
    sums before = sums_now(dev);
    hdi_storage *st = hdi_storage_new(dev, 64);
    hdi_buf *b = st->buf;
    b->recs = 1;
    hdi_storage_release(st);
    check_sums(dev, before, 0, 0, 0);   /* an output not computed yet */
    hdi_buf_memory(b);
    hdi_buf_count(b);
    hdi_buf_count(b);
    check_sums(dev, before, 0, 64, 64);
    b->recs = 0;
    b->jobs = 1;
    hdi_buf_settle(b);
    check_sums(dev, before, 0, 64, 64);
    b->jobs = 0;
    hdi_buf_settle(b);
    check_sums(dev, before, 0, 0, 0);
    hdi_unlock();
}

TEST(storage, nothing_has_an_address_too)
{
    hd_device *dev = hd_device_get("null");
    hdi_lock();
    hdi_storage *a = hdi_storage_new(dev, 0), *b = hdi_storage_new(dev, 0);
    CHECK(hdi_buf_memory(a->buf) == HD_OK && hdi_buf_memory(b->buf) == HD_OK);
    CHECK(a->buf->mem != NULL && a->buf->mem != b->buf->mem);
    hdi_storage_release(a);
    hdi_storage_release(b);
    hdi_unlock();
}

/* ---- foreign memory -------------------------------------------------------------------------- */

static int deleted;
static void count_deletions(void *ctx)
{
    deleted += *(int *)ctx;
}

TEST(storage, foreign_memory_is_given_back_outside_the_lock)
{
    static uint8_t memory[64];
    int one = 1;
    hd_device *dev = hd_device_get("null");
    deleted = 0;
    hdi_lock();
    sums before = sums_now(dev);
    hdi_storage *st = hdi_storage_new(dev, sizeof memory);
    CHECK(hdi_buf_set_foreign(st->buf, memory, count_deletions, &one) == HD_OK);
    CHECK(st->buf->mem == memory && st->buf->pins == 1);
    hdi_storage_release(st);
    check_sums(dev, before, 0, 0, 0);   /* not ours to free */
    CHECK(deleted == 0 && hdi_deleters_waiting);
    hdi_deleter *list = hdi_deleters_take();
    CHECK(!hdi_deleters_waiting && hdi_deleters_take() == NULL);
    hdi_unlock();
    hdi_deleters_run(list);
    CHECK_EQ_I64(deleted, 1);
}

TEST(storage, a_failed_generation_keeps_the_first_reason)
{
    hd_device *dev = hd_device_get("null");
    hdi_lock();
    hdi_storage *st = hdi_storage_new(dev, 8);
    hd_error first = {.code = HD_LIBRARY, .message = "first"},
             second = {.code = HD_DEVICE, .message = "second"};
    hdi_buf_fail(st->buf, &first, 0);
    hdi_buf_fail(st->buf, &second, 0);
    CHECK(st->buf->error->code == HD_LIBRARY);
    CHECK_STR(st->buf->error->message, "first");
    hdi_storage_release(st);
    hdi_unlock();
}
