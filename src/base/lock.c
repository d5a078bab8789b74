/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - slow paths of the one lock: first use, revoking the bias, the mutex. */
#include "base/lock.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

hdi_bias hdi_lock_bias;
_Thread_local bool hdi_lock_owner __attribute__((tls_model("initial-exec")));

#ifdef HDI_DEBUG
_Thread_local bool hdi_lock_is_mine;
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int) claimed;     /* a thread has taken the bias */

static bool membarrier_ready(void)
{
#ifdef HDI_TSAN
    return false;   /* the sanitizer cannot see what membarrier orders */
#else
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

/* The first thread of all becomes the owner. Runs under the mutex. */
static void claim(void)
{
    if (!membarrier_ready())
        atomic_store(&hdi_lock_bias.revoked, 1);
    else
        hdi_lock_owner = true;
    atomic_store(&claimed, 1);
}

/* A second thread has come: tell the owner, then wait until it is not inside on the fast path.
 * Runs under the mutex. */
static void revoke_bias(void)
{
    atomic_store(&hdi_lock_bias.revoked, 1);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    while (atomic_load(&hdi_lock_bias.inside))
        sched_yield();
}

void hdi_lock_slow(void)
{
    pthread_mutex_lock(&mutex);
    if (!atomic_load_explicit(&claimed, memory_order_relaxed))
        claim();
    else if (!hdi_lock_owner && !atomic_load_explicit(&hdi_lock_bias.revoked, memory_order_relaxed))
        revoke_bias();
}

void hdi_unlock_slow(void)
{
    pthread_mutex_unlock(&mutex);
}

/* The owner takes the mutex as well: else another thread may hold it that waits to take the bias
 * away, and is not there in the child. */
void hdi_lock_before_fork(void)
{
    hdi_lock_slow();
}

void hdi_lock_after_fork(void)
{
    hdi_unlock_slow();
}
