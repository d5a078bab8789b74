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

typedef struct hdi_bias {
    _Atomic(int) inside;    /* the owner is between lock and unlock on the fast path */
    _Atomic(int) revoked;   /* the mutex decides from now on */
} hdi_bias;

extern hdi_bias hdi_lock_bias;
extern _Thread_local bool hdi_lock_owner __attribute__((tls_model("initial-exec")));

void hdi_lock_slow(void);
void hdi_unlock_slow(void);

static inline void hdi_lock(void)
{
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

static inline void hdi_unlock(void)
{
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
