/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - what the host program does while a thread of it waits for us: other threads run, and it
 * may want the thread back, for a signal that came, say.
 *
 * The host's code never runs within work. The work looks now and then whether the host wants the
 * thread (hooks.interrupted), and if so stops between blocks; the queue is given back; then the
 * host does what it wants to (hd_set_attend_hook()), which may be to read arrays, to fork or to
 * wait for another thread that reads; then the work goes on, or the host has had enough of it. */
#include <heddle/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/lock.h"
#include "core/array.h"
#include "exec/exec.h"

static hd_wait_hooks hooks;
static int (*attend)(void);

static _Thread_local struct waiter {
    void *saved;               /* what hooks.release() returned */
    bool released;
    bool alert;                /* hooks.interrupted() is ready to notice */
    bool at_work;              /* within a kernel or a library call, which would begin anew */
    int64_t quiet_until;       /* ns */
} me __attribute__((tls_model("initial-exec")));

void hd_set_wait_hooks(const hd_wait_hooks *h)
{
    hdi_lock();
    if (h != NULL)
        hooks = *h;
    else
        memset(&hooks, 0, sizeof hooks);
    hdi_unlock();
}

void hd_set_attend_hook(int (*hook)(void))
{
    hdi_lock();
    attend = hook;
    hdi_unlock();
}

void hdi_let_others_run(void)
{
    if (!me.released && hooks.release != NULL) {
        me.saved = hooks.release();
        me.released = true;
    }
}

void hdi_come_back(void)
{
    if (HDI_UNLIKELY(me.alert))   /* acquire() ends that */
        hdi_let_others_run();
    if (me.released) {
        me.released = false;
        me.alert = false;
        hooks.acquire(me.saved);
    }
}

static bool host_wants_me(void)
{
    return me.released && hooks.interrupted != NULL && hooks.interrupted(me.saved) != 0;
}

/* Work of which nobody thought that it takes long goes on to its end: a host that has not been
 * asked to notice would stop each piece of it, to be on the safe side. */
static bool poll_interrupt(void)
{
    if (me.at_work && attend != NULL &&
        (!me.alert || hdi_now_ns(CLOCK_MONOTONIC_COARSE) < me.quiet_until))
        return false;
    return host_wants_me();
}

hd_status hdi_attend(void)
{
    hdi_aside aside;
    hdi_come_back();
    if (attend == NULL)
        return HD_INTERRUPTED;
    hdi_host_begin(&aside);
    me.alert = attend() == 0;
    hdi_host_end(&aside);
    return me.alert ? HD_OK : HD_INTERRUPTED;
}

bool hdi_needs_alert(const hd_device *dev)
{
    return !me.alert && attend != NULL && dev->host_memory;
}

int64_t hdi_work_begin(void)
{
    me.at_work = true;
    return me.alert ? hdi_now_ns(CLOCK_MONOTONIC_COARSE) : 0;
}

/* A call that begins anew after each stop would never end under a timer that goes off faster than
 * it ends: so twice the time that was lost is quiet. */
void hdi_work_end(int64_t began, bool lost)
{
    me.at_work = false;
    if (lost && me.alert) {
        int64_t now = hdi_now_ns(CLOCK_MONOTONIC_COARSE);
        me.quiet_until = now + 2 * (now - began);
    }
}

hd_status hdi_wait_for_queue(pthread_mutex_t *running)
{
    enum { SLICE = 50000000 };
    hdi_let_others_run();
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SLICE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_mutex_timedlock(running, &until) == 0)
            return HD_OK;
        if (host_wants_me() && hdi_attend() != HD_OK)
            return hdi_fail(HD_INTERRUPTED, "stopped by the user");
        hdi_let_others_run();
    }
}

void hdi_wait_begin(const hd_device *dev)
{
    if (!dev->host_memory)
        hdi_let_others_run();
}

bool hdi_wait_again(hd_status *status)
{
    if (HDI_LIKELY(*status != HD_INTERRUPTED)) {
        hdi_come_back();
        return false;
    }
    *status = hdi_attend();
    if (*status == HD_OK && hd_error_peek()->code == HD_INTERRUPTED)
        hd_error_take(NULL);
    return *status == HD_OK;
}

void hdi_wait_install(void)
{
    hdi_poll_interrupt = poll_interrupt;
}
