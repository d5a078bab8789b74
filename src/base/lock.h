/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h - the library's one lock over handles, layouts, windows and plans.
 * Invariant  never held while kernels, foreign deleters, hooks or system calls of unknown length
 *            run
 * Threads    the first thread that takes it owns it by bias: for that thread taking it is two
 *            plain stores, until a second thread comes and revokes the bias for good (with
 *            membarrier(2), so that no fence is needed on the fast side)
 * Start at   hdi_lock()
 * Source     the asymmetric Dekker protocol: Dice, Moir, Scherer, "Quickly Reacquirable Locks",
 *            2003 */
#ifndef HDI_LOCK_H
#define HDI_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"

/* What a function does with the lock is part of its type: clang checks that it holds on every path
 * (-Wthread-safety).
 * HDI_LOCKS - is called without the lock and returns with it. HDI_UNLOCKS - the other way.
 * HDI_LOCKED - is called and returns with it, and may be without it meanwhile. HDI_AWAY - must not
 * be called with it: it waits, or runs somebody else's code. HDI_LOCK_ITSELF - how the lock is
 * made. */
#ifdef __clang__
#define HDI_LOCK_TYPE __attribute__((capability("lock")))
#define HDI_LOCKS __attribute__((acquire_capability(hdi_lock_bias)))
#define HDI_UNLOCKS __attribute__((release_capability(hdi_lock_bias)))
#define HDI_LOCKED __attribute__((requires_capability(hdi_lock_bias)))
#define HDI_AWAY __attribute__((locks_excluded(hdi_lock_bias)))
#define HDI_LOCK_ITSELF __attribute__((no_thread_safety_analysis))
#else
#define HDI_LOCK_TYPE
#define HDI_LOCKS
#define HDI_UNLOCKS
#define HDI_LOCKED
#define HDI_AWAY
#define HDI_LOCK_ITSELF
#endif

typedef struct HDI_LOCK_TYPE hdi_bias {
    _Atomic(int) inside;    /* the owner is between lock and unlock on the fast path */
    _Atomic(int) revoked;   /* the mutex decides from now on */
} hdi_bias;

extern hdi_bias hdi_lock_bias;
extern _Thread_local bool hdi_lock_owner __attribute__((tls_model("initial-exec")));

void hdi_lock_slow(void);
void hdi_unlock_slow(void);

#ifdef HDI_DEBUG
extern _Thread_local bool hdi_lock_is_mine;
#endif

HDI_LOCKS HDI_LOCK_ITSELF static inline void hdi_lock(void)
{
#ifdef HDI_DEBUG
    hd_assert(!hdi_lock_is_mine);   /* taken twice: with the bias nothing else would show it */
    hdi_lock_is_mine = true;
#endif
    if (hdi_lock_owner) {
        atomic_store_explicit(&hdi_lock_bias.inside, 1, memory_order_relaxed);
        /* the revoker's membarrier supplies the CPU's half */
        atomic_signal_fence(memory_order_seq_cst);
        if (!atomic_load_explicit(&hdi_lock_bias.revoked, memory_order_relaxed))
            return;
        atomic_store_explicit(&hdi_lock_bias.inside, 0, memory_order_release);
    }
    hdi_lock_slow();
}

HDI_UNLOCKS HDI_LOCK_ITSELF static inline void hdi_unlock(void)
{
#ifdef HDI_DEBUG
    hd_assert(hdi_lock_is_mine);
    hdi_lock_is_mine = false;
#endif
    /* Only the owner's fast path leaves inside at 1, and only the owner can see that of itself. */
    if (hdi_lock_owner && atomic_load_explicit(&hdi_lock_bias.inside, memory_order_relaxed))
        atomic_store_explicit(&hdi_lock_bias.inside, 0, memory_order_release);
    else
        hdi_unlock_slow();
}

/* The lock as a child of fork() finds it: free, with the forking thread as its only user. */
void hdi_lock_before_fork(void);
void hdi_lock_after_fork(void);

#endif
