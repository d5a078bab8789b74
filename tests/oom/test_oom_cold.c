/* SPDX-License-Identifier: BSD-3-Clause */
/* test_oom_cold.c - the same from a process that remembers nothing: each fault strikes in a
 * child of its own, so that devices, plans, programs and layouts are made there for the first
 * time. Then the child goes on and must get the right result. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "oom/scenarios.h"

#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 5 };   /* children of a sanitized process are slow */
#else
enum { EVERY = 1 };
#endif

/* What a child found, in memory shared with it. */
typedef struct finding {
    hd_status status, again;
    int64_t allocations;
    uint8_t first[SCENARIO_BYTES], second[SCENARIO_BYTES];
} finding;
static finding *found;

/* Scenario k in a child, its n-th allocation failing; false if the child died. */
static bool run_in_child(int k, int64_t n)
{
    int status = -1;
    *found = (finding){.status = HD_INTERNAL, .again = HD_INTERNAL};
    pid_t child = fork();
    if (child == 0) {
        int64_t before = hdi_alloc_count();
        hdi_fail_after(n);
        found->status = scenario_run(k, found->first);
        hdi_fail_after(0);
        found->allocations = hdi_alloc_count() - before;
        found->again = scenario_run(k, found->second);
        _exit(hd_synchronize(NULL) == HD_OK ? 0 : 3);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void fail_each(int k)
{
    static uint8_t want[SCENARIO_BYTES];
    REQUIRE(run_in_child(k, INT64_MAX / 2) && found->status == HD_OK);
    int64_t all = found->allocations;
    memcpy(want, found->first, sizeof want);
    CHECK(all > 10 && all < 5000);
    for (int64_t n = 1; n <= all; n += EVERY) {
        CHECK(run_in_child(k, n));
        CHECK(found->status == HD_NOMEM ||
              (found->status == HD_OK && memcmp(found->first, want, sizeof want) == 0));
        CHECK(found->again == HD_OK && memcmp(found->second, want, sizeof want) == 0);
    }
}

TEST(oom_cold, every_allocation_of_some_programs)
{
    static hd_array *(*const chosen[])(void) = {stores,   softmax_rows, products,
                                                indexing, creation,     flushed};
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(found != MAP_FAILED);
    for (int k = 0; k < SCENARIO_PROGRAMS; k++)
        for (size_t c = 0; c < sizeof chosen / sizeof *chosen; c++)
            if (chosen[c] == scenario_programs[k])
                fail_each(k);
    munmap(found, sizeof *found);
}
