/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu_scratch.c - a thread's stack of scratch memory: marks that nest, across the sizes of
 * chunks, in every order of taking and releasing; what debug builds refuse. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cpu/cpu_scratch.h"
#include "base/alloc.h"
#include "harness.h"

enum { FIRST = (1 << 18) - 64, KEEP = 8 << 20 };

/* around the size of the first chunk, of the second, and of what is kept */
static const int64_t sizes[] = {
    0, 1, 64, 100, 4096, FIRST - 64, FIRST, FIRST + 1, 2 * FIRST, (1 << 19) - 64, 1 << 19,
    KEEP - 64, KEEP, KEEP + 64};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool is_full_of(const uint8_t *p, int64_t n, int byte)
{
    for (int64_t i = 0; i < n; i += i < n - 64 ? 61 : 1)
        if (p[i] != byte)
            return false;
    return true;
}

/* The outer mark is taken where nothing is in use, as a launch does; the inner one outgrows the
 * chunk and goes. What the outer one holds must stay. In a new thread, whose first chunk is small. */
static void *nest(void *arg)
{
    const int64_t n = ((const int64_t *)arg)[0], held_bytes = ((const int64_t *)arg)[1];
    hdi_cpu_mark outer = hdi_cpu_scratch_mark();
    CHECK(hdi_cpu_scratch(64) != NULL);
    hdi_cpu_scratch_release(outer);   /* now there is a chunk */
    outer = hdi_cpu_scratch_mark();
    hdi_cpu_mark inner = hdi_cpu_scratch_mark();
    CHECK(hdi_cpu_scratch(n) != NULL);
    hdi_cpu_scratch_release(inner);
    uint8_t *held = hdi_cpu_scratch(held_bytes);
    if (!CHECK(held != NULL))
        return NULL;
    memset(held, 1, (size_t)held_bytes);
    inner = hdi_cpu_scratch_mark();
    uint8_t *other = hdi_cpu_scratch(n);
    if (CHECK(other != NULL))
        memset(other, 2, (size_t)n);
    CHECK(is_full_of(held, held_bytes, 1));
    hdi_cpu_scratch_release(inner);
    CHECK(is_full_of(held, held_bytes, 1));
    hdi_cpu_scratch_release(outer);
    return NULL;
}

TEST(cpu_scratch, an_inner_release_frees_nothing_of_the_outer)
{
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < SIZES; k++) {
            pthread_t thread;
            int64_t pair[2] = {sizes[i], sizes[k]};
            REQUIRE(pthread_create(&thread, NULL, nest, pair) == 0);
            pthread_join(thread, NULL);
        }
}

/* Marks and memory in a random order, each block with a byte of its own that must stay. */
TEST(cpu_scratch, any_order_of_marks_and_blocks)
{
    enum { DEPTH = 24, BLOCKS = 64 };
    struct { uint8_t *p; int64_t n; int depth; } block[BLOCKS];
    hdi_cpu_mark mark[DEPTH];
    uint32_t chance = 7;
    int depth = 0, n = 0;
    for (int step = 0; step < 6000; step++) {
        chance = chance * 1664525 + 1013904223;
        unsigned what = chance >> 28, size = (chance >> 12) & 0xffff;
        if (what < 5 && depth < DEPTH) {
            mark[depth++] = hdi_cpu_scratch_mark();
        } else if (what < 11 && depth > 0 && n < BLOCKS) {
            int64_t bytes = what == 10 ? (int64_t)size * 40 : what > 7 ? size * 3 : size & 1023;
            block[n].p = hdi_cpu_scratch(bytes);
            block[n].n = bytes;
            block[n].depth = depth;
            REQUIRE(block[n].p != NULL && (uintptr_t)block[n].p % 64 == 0);
            memset(block[n].p, n + 1, (size_t)bytes);
            n++;
        } else if (depth > 0) {
            for (int i = 0; i < n; i++)
                CHECK(is_full_of(block[i].p, block[i].n, i + 1));
            hdi_cpu_scratch_release(mark[--depth]);
            while (n > 0 && block[n - 1].depth > depth)
                n--;
            CHECK_EQ_I64(hdi_cpu_scratch_depth(), depth);
        }
    }
    while (depth > 0)
        hdi_cpu_scratch_release(mark[--depth]);
    CHECK_EQ_I64(hdi_cpu_scratch_depth(), 0);
}

/* What fitted once fits again until the outermost release, also when others came in between and
 * there is no memory left. */
TEST(cpu_scratch, what_was_reserved_is_there)
{
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < SIZES; k++) {
            hdi_cpu_mark outer = hdi_cpu_scratch_mark();
            REQUIRE(hdi_cpu_scratch(100) != NULL);
            REQUIRE(hdi_cpu_scratch_reserve(sizes[i]));
            hdi_cpu_mark other = hdi_cpu_scratch_mark();
            REQUIRE(hdi_cpu_scratch(sizes[k]) != NULL);
            hdi_cpu_scratch_release(other);
            hdi_fail_after(1);
            hdi_cpu_mark task = hdi_cpu_scratch_mark();
            CHECK(hdi_cpu_scratch(sizes[i] / 128 * 64) != NULL);
            CHECK(hdi_cpu_scratch(sizes[i] - sizes[i] / 128 * 64) != NULL);
            hdi_cpu_scratch_release(task);
            task = hdi_cpu_scratch_mark();
            CHECK(hdi_cpu_scratch(sizes[i]) != NULL);
            hdi_cpu_scratch_release(task);
            hdi_fail_after(0);
            hdi_cpu_scratch_release(outer);
        }
}

TEST(cpu_scratch, little_is_kept)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    for (int i = 0; i < 3; i++)
        REQUIRE(hdi_cpu_scratch((int64_t)64 << 20) != NULL);
    hdi_cpu_scratch_release(mark);
    const hdi_cpu_chunk *top = hdi_cpu_arena_own.top;
    CHECK(top == NULL || (top->size <= KEEP && top->above == NULL && top->below == NULL));
    /* grown by an inner mark, released from the chunk that the outer one began in */
    mark = hdi_cpu_scratch_mark();
    REQUIRE(hdi_cpu_scratch(64) != NULL);
    hdi_cpu_mark inner = hdi_cpu_scratch_mark();
    REQUIRE(hdi_cpu_scratch((int64_t)100 << 20) != NULL);
    hdi_cpu_scratch_release(inner);
    hdi_cpu_scratch_release(mark);
    top = hdi_cpu_arena_own.top;
    REQUIRE(top != NULL);
    CHECK(top->size <= KEEP && top->above == NULL && top->below == NULL && top->used == 0);
}

TEST(cpu_scratch, no_memory_leaves_the_stack_as_it_was)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *p = hdi_cpu_scratch(1000);
    REQUIRE(p != NULL);
    memset(p, 5, 1000);
    hdi_fail_after(1);
    CHECK(!hdi_cpu_scratch_reserve((int64_t)1 << 27));
    hdi_fail_after(1);
    CHECK(hdi_cpu_scratch((int64_t)1 << 27) == NULL);
    hdi_fail_after(0);
    CHECK(is_full_of(p, 1000, 5));
    hdi_cpu_scratch_release(mark);
    CHECK_EQ_I64(hdi_cpu_scratch_depth(), 0);
}

static void *of_a_thread(void *arg)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    for (int i = 0; i < SIZES; i++)
        *(bool *)arg = hdi_cpu_scratch(sizes[i]) != NULL;
    hdi_cpu_scratch_release(mark);
    return NULL;
}

TEST(cpu_scratch, threads_have_their_own)
{
    bool ok[4] = {0};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&thread[i], NULL, of_a_thread, &ok[i]) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        CHECK(ok[i]);
    }
}

#if defined(HDI_DEBUG) || defined(HDI_ASAN)
/* Does a process that does this end by its own check? */
static bool is_caught(void (*what)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        close(2);
        signal(SIGABRT, SIG_DFL);
        what();
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid &&
           (WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}
#endif

#ifdef HDI_DEBUG
static void takes_without_a_mark(void)
{
    hdi_cpu_scratch(64);
}

static void releases_twice(void)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_scratch_release(mark);
    hdi_cpu_scratch_release(mark);
}

static void releases_the_outer_first(void)
{
    hdi_cpu_mark outer = hdi_cpu_scratch_mark(), inner = hdi_cpu_scratch_mark();
    hdi_cpu_scratch_release(outer);
    hdi_cpu_scratch_release(inner);
}

static void moves_a_mark(void)
{
    hdi_cpu_mark outer = hdi_cpu_scratch_mark();
    hdi_cpu_scratch(64);
    hdi_cpu_mark inner = hdi_cpu_scratch_mark();
    inner.used += 64;
    hdi_cpu_scratch_release(inner);
    hdi_cpu_scratch_release(outer);
}

TEST(cpu_scratch, misuse_is_asserted)
{
    CHECK(is_caught(takes_without_a_mark));
    CHECK(is_caught(releases_twice));
    CHECK(is_caught(releases_the_outer_first));
    CHECK(is_caught(moves_a_mark));
}
#endif

#ifdef HDI_ASAN
static void uses_what_was_released(void)
{
    hdi_cpu_mark outer = hdi_cpu_scratch_mark();
    hdi_cpu_scratch(64);
    hdi_cpu_mark inner = hdi_cpu_scratch_mark();
    volatile uint8_t *p = hdi_cpu_scratch(64);
    hdi_cpu_scratch_release(inner);
    p[0] = 1;
    hdi_cpu_scratch_release(outer);
}

static void writes_past_the_end(void)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    volatile uint8_t *p = hdi_cpu_scratch(100);
    p[100] = 1;
    hdi_cpu_scratch_release(mark);
}

TEST(cpu_scratch, the_sanitizer_sees_what_is_not_taken)
{
    CHECK(is_caught(uses_what_was_released));
    CHECK(is_caught(writes_past_the_end));
}
#endif
