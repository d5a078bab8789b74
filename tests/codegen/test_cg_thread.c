/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cg_thread.c - which request the background threads take next, and how many they take. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/cpus.h"
#include "codegen/cg_compile.h"
#include "harness.h"

/* Has a thread at hand until its gate is open. */
typedef struct blocker { atomic_bool open, begun, done; } blocker;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void block(void *ctx)
{
    blocker *b = ctx;
    atomic_store(&b->begun, true);
    while (!atomic_load(&b->open))
        nap();
    atomic_store(&b->done, true);
}

static bool begins(blocker *b)
{
    for (int k = 0; k < 300 && !atomic_load(&b->begun); k++)
        nap();
    return atomic_load(&b->begun);
}

enum { MOST = 8 };
static blocker blockers[MOST];

/* Keeps all threads busy; how many. The next blocker waits, with its gate open. */
static int keep_all_busy(void)
{
    int n = 0;
    memset(blockers, 0, sizeof blockers);
    while (n < MOST && CHECK(hdi_cg_later(block, NULL, &blockers[n])) && begins(&blockers[n]))
        n++;
    if (n < MOST)
        atomic_store(&blockers[n].open, true);
    return n;
}

static void let_go(int n)
{
    for (int k = 0; k < n; k++)
        atomic_store(&blockers[k].open, true);
    hdi_cg_wait();
}

/* A request with a price, and a list of those that ran. */
typedef struct priced { atomic_llong price; int name; } priced;
static int ran[MOST], nran;   /* by one thread */

static void note(void *ctx)
{
    ran[nran++] = ((priced *)ctx)->name;
}

static int64_t price(void *ctx)
{
    return atomic_load(&((priced *)ctx)->price);
}

TEST(cg_thread, what_is_worth_most_comes_first)
{
    priced p[5] = {{1, 0}, {30, 1}, {2, 2}, {30, 3}, {-5, 4}};
    int n = keep_all_busy();
    nran = 0;
    for (int k = 0; k < 5; k++)
        CHECK(hdi_cg_later(note, k == 4 ? NULL : price, &p[k]));
    atomic_store(&p[2].price, 31);   /* what has waited may be worth more now */
    atomic_store(&blockers[0].open, true);
    for (int k = 0; k < 1000 && hdi_cg_under_way() >= n; k++)
        nap();
    CHECK_EQ_I64(nran, 5);
    CHECK_EQ_I64(ran[0], 4);
    CHECK_EQ_I64(ran[1], 2);
    CHECK_EQ_I64(ran[2], 1);
    CHECK_EQ_I64(ran[3], 3);
    CHECK_EQ_I64(ran[4], 0);
    let_go(n);
}

TEST(cg_thread, several_where_there_are_processors)
{
    int cpus = hdi_cpus_usable(), n = keep_all_busy();
    CHECK(n >= 1 && n <= 4);
    CHECK(n == 1 || n < cpus);
    CHECK_EQ_I64(hdi_cg_under_way(), n);
    let_go(n);
    CHECK_EQ_I64(hdi_cg_under_way(), 0);
    for (int k = 0; k <= n; k++)
        CHECK(atomic_load(&blockers[k].done));
}
