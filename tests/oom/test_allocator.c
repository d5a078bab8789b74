/* SPDX-License-Identifier: BSD-3-Clause */
/* test_allocator.c - all scenarios under a user's allocator that keeps books: every block is
 * resized and freed under the size it was asked for, and by nobody twice. */
#include "base/alloc.h"
#include "oom/scenarios.h"
#include "window/window.h"

typedef struct block { size_t size; uint64_t mark; } block;
enum { MARK = 0x600DB10C };

/* Any thread may ask: tasks of a launch do. */
typedef struct books { _Atomic(int64_t) blocks, bytes, calls, wrong_sizes, wrong_blocks; } books;
static books the_books;

static block *find(void *p, size_t size)
{
    block *b = (block *)p - 1;
    if (b->mark != MARK) {
        the_books.wrong_blocks++;
        return NULL;
    }
    the_books.wrong_sizes += b->size != size;
    return b;
}

static void *keep_books(void *ctx, void *old, size_t old_size, size_t new_size)
{
    books *k = ctx;
    block *b = NULL;
    k->calls++;
    if (old != NULL && (b = find(old, old_size)) == NULL)
        return NULL;
    if (new_size == 0) {
        k->blocks--;
        k->bytes -= (int64_t)old_size;
        b->mark = 0;
        free(b);
        return NULL;
    }
    block *fresh = realloc(b, sizeof *b + new_size);
    if (fresh == NULL)
        return NULL;
    k->blocks += old == NULL;
    k->bytes += (int64_t)new_size - (int64_t)old_size;
    *fresh = (block){new_size, MARK};
    return fresh + 1;
}

/* Before anything is allocated. */
__attribute__((constructor)) static void install(void)
{
    hd_set_allocator(keep_books, &the_books);
}

static void run_all(int64_t fail_after)
{
    uint8_t bytes[SCENARIO_BYTES];
    for (int k = 0; k < scenario_count(); k++) {
        if (!scenario_exists(k))
            continue;
        hdi_fail_after(fail_after);
        hd_status status = scenario_run(k, bytes);
        hdi_fail_after(0);
        CHECK(status == HD_OK || (fail_after > 0 && status == HD_NOMEM));
    }
    CHECK(hd_synchronize(NULL) == HD_OK);
}

TEST(allocator, sees_consistent_sizes)
{
    run_all(0);
    CHECK(the_books.calls > 1000 && the_books.blocks > 0);
    CHECK_EQ_I64(the_books.wrong_sizes, 0);
    CHECK_EQ_I64(the_books.wrong_blocks, 0);
    for (int64_t n = 1; n < 30; n += 4)
        run_all(n);
    CHECK_EQ_I64(the_books.wrong_sizes, 0);
    CHECK_EQ_I64(the_books.wrong_blocks, 0);
}

/* What is kept for reuse is bounded: the same work again needs no more. (A slot of the window
 * that once met a record with many conflicts keeps room for them: one block for each slot at
 * most.) */
TEST(allocator, memory_does_not_creep)
{
    enum { EDGES = (int)(HDI_RING * sizeof(hdi_edge)) };
    run_all(0);
    books before = the_books;
    for (int repeat = 0; repeat < 20; repeat++)
        run_all(0);
    int64_t blocks = the_books.blocks - before.blocks, bytes = the_books.bytes - before.bytes;
    CHECK_EQ_I64(bytes, blocks * EDGES);
    CHECK(blocks <= HDI_RING);
}
