/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu_memory.c - the allocator of array data: alignment, reuse, limits, statistics,
 * threads, fork; and the null device. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_memory.h"
#include "base/alloc.h"
#include "harness.h"

static hdi_memory_stats stats(void)
{
    hdi_memory_stats s;
    hdi_cpu_memory_stats(&s, false);
    return s;
}

/* What a small program frees stays, though it never used so much at a time; beyond 32 MB in use and
 * kept together the most that was in use counts. First: what tests use raises that. */
TEST(cpu_memory, small_programs_ask_the_system_once)
{
    hdi_cpu_trim();
    int64_t kept = 0;
    for (int round = 0; round < 3; round++) {
        for (int64_t n = 20000; n < 1500000; n += n / 8) {
            void *p = hdi_cpu_alloc(n);
            REQUIRE(p != NULL);
            hdi_cpu_free(p, n);
        }
        CHECK(round == 0 ? stats().cached > 8000000 : stats().cached == kept);
        kept = stats().cached;
    }
    for (int64_t n = 2000000; n < 16000000; n += n / 8) {
        void *p = hdi_cpu_alloc(n);
        REQUIRE(p != NULL);
        CHECK(stats().used + stats().cached <= 34 << 20);
        hdi_cpu_free(p, n);
    }
    hdi_cpu_trim();
}

TEST(cpu_memory, blocks_are_aligned_and_writable)
{
    static const int64_t sizes[] = {
        0,       1,       63,    64,    65,     1000,    1024,          1025,    1152,
        1153,    4096,    16384, 16385, 100000, 1 << 20, (1 << 21) - 1, 1 << 21, (1 << 21) + 1,
        5000000, 40000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *p = hdi_cpu_alloc(sizes[i]), *q = hdi_cpu_alloc(sizes[i]);
        REQUIRE(p != NULL && q != NULL && p != q);
        CHECK_EQ_I64((uintptr_t)p % 64, 0);
        if (sizes[i] >= 1 << 21)
            CHECK_EQ_I64((uintptr_t)p % (1 << 21), 0);
        memset(p, 1, (size_t)sizes[i]);
        memset(q, 2, (size_t)sizes[i]);
        for (int64_t k = 0; k < sizes[i]; k += 997)
            CHECK(p[k] == 1);
        hdi_cpu_free(p, sizes[i]);
        hdi_cpu_free(q, sizes[i]);
    }
    CHECK(hdi_cpu_alloc(-1) == NULL);
    CHECK(hdi_cpu_alloc(INT64_MAX) == NULL);
    hdi_cpu_free(NULL, 100);
}

TEST(cpu_memory, freed_blocks_are_used_again)
{
    for (int64_t n = 8; n < 1 << 25; n = n * 5 / 2) {
        void *p = hdi_cpu_alloc(n);
        hdi_cpu_free(p, n);
        CHECK(hdi_cpu_alloc(n) == p);
        hdi_cpu_free(p, n);
    }
}

TEST(cpu_memory, statistics)
{
    hdi_memory_stats before;
    hdi_cpu_memory_stats(&before, true);
    void *p = hdi_cpu_alloc(1000), *q = hdi_cpu_alloc(3000000);
    CHECK_EQ_I64(stats().used - before.used, 3001000);
    hdi_cpu_free(q, 3000000);
    CHECK_EQ_I64(stats().used - before.used, 1000);
    CHECK_EQ_I64(stats().peak - before.used, 3001000);
    CHECK(stats().cached >= 3000000);
    hdi_cpu_free(p, 1000);
    hdi_memory_stats after;
    hdi_cpu_memory_stats(&after, true);
    CHECK_EQ_I64(after.used, before.used);
    CHECK_EQ_I64(stats().peak, before.used);
}

TEST(cpu_memory, trim_gives_back)
{
    void *p[2000];
    for (int i = 0; i < 2000; i++)
        p[i] = hdi_cpu_alloc(700);
    void *kept = p[1000], *large = hdi_cpu_alloc(10000000);
    memset(kept, 7, 700);
    for (int i = 0; i < 2000; i++)
        if (p[i] != kept)
            hdi_cpu_free(p[i], 700);
    hdi_cpu_free(large, 10000000);
    int64_t cached = stats().cached;
    CHECK(hdi_cpu_trim() >= 10000000 + 4 * (1 << 18));
    CHECK(stats().cached < cached / 4);
    CHECK(((uint8_t *)kept)[699] == 7);
    void *again = hdi_cpu_alloc(700);
    CHECK(again != NULL && again != kept);
    hdi_cpu_free(again, 700);
    hdi_cpu_free(kept, 700);
    CHECK_EQ_I64(hdi_cpu_trim() > 0, 1);
}

/* A request that its class has no block for takes a kept one of up to twice its size, which is of
 * its own class again afterwards. */
TEST(cpu_memory, changing_sizes_live_in_the_same_blocks)
{
    const int64_t n = 1 << 20;
    hdi_cpu_trim();
    int64_t used = stats().used, cached = stats().cached;
    uint8_t *p = hdi_cpu_alloc(n);
    hdi_cpu_free(p, n);
    for (int64_t k = n; k >= n / 2; k -= 10007) {
        CHECK(hdi_cpu_alloc(k) == p);
        memset(p, 3, (size_t)k);
        CHECK_EQ_I64(stats().used - used, k);
        uint8_t *other = hdi_cpu_alloc(n);   /* p is in use, whole */
        CHECK(other + n <= p || p + n <= other);
        hdi_cpu_free(p, k);
        CHECK(hdi_cpu_alloc(n) == p);
        hdi_cpu_free(other, n);
        hdi_cpu_trim();
        hdi_cpu_free(p, n);
        CHECK_EQ_I64(stats().cached - cached, n);
    }
    uint8_t *small = hdi_cpu_alloc(n / 2 - n / 8);   /* too small for it */
    CHECK(small != p);
    hdi_cpu_free(small, n / 2 - n / 8);
    hdi_cpu_trim();
    CHECK_EQ_I64(stats().cached, cached);
}

/* Two results of a size that falls from step to step: all steps take the blocks of the first. */
TEST(cpu_memory, shrinking_results_ask_the_system_once)
{
    hdi_cpu_trim();
    int64_t most = 0;
    for (int round = 0; round < 3; round++)
        for (int64_t n = 4000000; n > 40000; n -= n / 50) {
            void *p = hdi_cpu_alloc(n), *q = hdi_cpu_alloc(n);
            hdi_cpu_free(p, n);
            hdi_cpu_free(q, n);
            most = stats().cached > most ? stats().cached : most;
        }
    CHECK(most <= 2 * 2 * 4194304);
    hdi_cpu_trim();
}

/* More blocks of a larger class than there are places for notes. */
TEST(cpu_memory, many_larger_blocks)
{
    enum { N = 1500 };
    static uint8_t *p[N];
    const int64_t n = 40000, less = 30000;
    int64_t used = stats().used;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            p[i] = hdi_cpu_alloc(round ? less : n);
            REQUIRE(p[i] != NULL);
            memset(p[i], i % 251, (size_t)(round ? less : n));
        }
        for (int i = 0; i < N; i++) {
            CHECK(p[i][0] == i % 251 && p[i][less - 1] == i % 251);
            hdi_cpu_free(p[i], round ? less : n);
        }
    }
    CHECK_EQ_I64(stats().used, used);
    hdi_cpu_trim();
}

/* In use and kept together never exceed the most that was in use. */
TEST(cpu_memory, the_cache_does_not_raise_the_peak)
{
    int64_t high = 80000000, used = 0;   /* what tests before have used at most */
    hdi_cpu_trim();
    for (int64_t i = 0; i < 300; i++) {
        int64_t n = ((i * 7919) % 64 + 1) << 18;
        void *p = hdi_cpu_alloc(n), *q = hdi_cpu_alloc(n + (1 << 20));
        used = stats().used;
        high = used > high ? used : high;
        CHECK(used + stats().cached <= high + high / 8 + (16 << 20));
        hdi_cpu_free(p, n);
        hdi_cpu_free(q, n + (1 << 20));
    }
    hdi_cpu_trim();
}

TEST(cpu_memory, injected_failures_reach_it)
{
    hdi_fail_after(1);
    CHECK(hdi_cpu_alloc(100) == NULL);
    void *p = hdi_cpu_alloc(100);
    CHECK(p != NULL);
    hdi_cpu_free(p, 100);
    hdi_fail_after(0);
}

TEST(cpu_memory, more_than_there_is)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers reserve what they are asked for");
#endif
    int64_t used = stats().used;
    CHECK(hdi_cpu_alloc((int64_t)1 << 46) == NULL);
    CHECK_EQ_I64(stats().used, used);
}

static void *hammer(void *arg)
{
    uint32_t state = (uint32_t)(uintptr_t)arg;
    struct { uint8_t *p; int64_t n; } held[32] = {{NULL, 0}};
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525u + 1013904223u;
        int k = (int)(state >> 27);
        if (held[k].p != NULL) {
            CHECK(held[k].p[0] == (uint8_t)k && held[k].p[held[k].n - 1] == (uint8_t)k);
            hdi_cpu_free(held[k].p, held[k].n);
        }
        held[k].n = (int64_t)1 << (state >> 8) % 18;
        held[k].n += (state >> 4) % (uint32_t)held[k].n;
        held[k].p = hdi_cpu_alloc(held[k].n);
        held[k].p[0] = held[k].p[held[k].n - 1] = (uint8_t)k;
        if (i % 5000 == 0)
            hdi_cpu_trim();
    }
    for (int k = 0; k < 32; k++)
        hdi_cpu_free(held[k].p, held[k].n);
    return NULL;
}

TEST(cpu_memory, threads)
{
    pthread_t thread[3];
    int64_t used = stats().used;
    for (uintptr_t i = 0; i < 3; i++)
        REQUIRE(pthread_create(&thread[i], NULL, hammer, (void *)(i + 1)) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    CHECK_EQ_I64(stats().used, used);
}

/* Blocks of one class, so large that marking one as free takes a while: whoever is handed it next
 * must not find it marked (AddressSanitizer says so). */
static void *pass_around(void *unused)
{
    (void)unused;
    const int64_t n = 3000000;
    for (int i = 0; i < 3000; i++) {
        uint8_t *p = hdi_cpu_alloc(n);
        if (p == NULL)
            return "no memory";
        for (int64_t k = 0; k < n; k += 1 << 18)
            p[k] = p[n - 1 - k] = (uint8_t)i;
        hdi_cpu_free(p, n);
    }
    return NULL;
}

TEST(cpu_memory, a_freed_block_goes_to_another_thread)
{
    pthread_t thread[3];
    int64_t used = stats().used;
    for (uintptr_t i = 0; i < 3; i++)
        REQUIRE(pthread_create(&thread[i], NULL, pass_around, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        void *problem = "not joined";
        CHECK(pthread_join(thread[i], &problem) == 0 && problem == NULL);
    }
    CHECK_EQ_I64(stats().used, used);
}

TEST(cpu_memory, works_on_both_sides_of_a_fork)
{
    void *state;
    int status = -1;
    REQUIRE(hdi_backend_cpu.open(0, &state) == HD_OK);
    hdi_backend_cpu.before_fork(state);
    pid_t child = fork();
    if (child == 0) {
        hdi_backend_cpu.after_fork(state);
        void *p = hdi_cpu_alloc(100);
        hdi_cpu_free(p, 100);
        _exit(p == NULL);
    }
    REQUIRE(child > 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    void *p = hdi_cpu_alloc(100);
    CHECK(p != NULL);
    hdi_cpu_free(p, 100);
}

TEST(cpu_memory, copies)
{
    int64_t n = 5000001;
    uint8_t *p = hdi_cpu_alloc(n), *q = hdi_cpu_alloc(n);
    for (int64_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 31);
    CHECK(hdi_backend_cpu.copy_in(NULL, q, p, n) == HD_OK);
    CHECK(memcmp(p, q, (size_t)n) == 0);
    memset(p, 0, (size_t)n);
    CHECK(hdi_backend_cpu.copy_out(NULL, p, q, n) == HD_OK);
    CHECK(memcmp(p, q, (size_t)n) == 0);
    CHECK(hdi_backend_cpu.copy_out(NULL, p, q, 0) == HD_OK);
    hdi_cpu_free(p, n);
    hdi_cpu_free(q, n);
}

TEST(null, plans_everything_and_computes_nothing)
{
    const hdi_backend *null = &hdi_backend_null;
    void *state, *program = NULL;
    hdi_memory_stats s;
    REQUIRE(null->open(0, &state) == HD_OK);
    uint8_t *p = null->alloc(state, 1000), *q = null->alloc(state, 1000);
    CHECK(p != NULL && q != NULL && (p + 1000 <= q || q + 1000 <= p));
    CHECK_EQ_I64((uintptr_t)p % 64, 0);
    null->memory_stats(state, &s, false);
    CHECK_EQ_I64(s.used, 2000);
    null->free(state, p, 1000);
    null->free(state, q, 1000);
    null->memory_stats(state, &s, true);
    CHECK(s.used == 0 && s.peak == 2000);
    CHECK(null->compile(state, NULL, &program) == HD_OK && program != NULL);
    CHECK(null->launch(state, &(hdi_launch){.program = program}) == HD_OK);
    CHECK(null->library(state, NULL) == HD_OK);
    CHECK(null->copy_in(state, p, "x", 1) == HD_OK);
    CHECK(null->copy_out(state, &s, p, 1) == HD_DEVICE);
    CHECK_STR(hd_error_peek()->message, "the null device computes nothing");
    hd_error_take(NULL);
    null->destroy(state, program);
}
