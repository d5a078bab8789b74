/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - devices: opening one by name, the current one of each thread, waiting, statistics,
 * fork. */
#include <heddle/graph.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/forks.h"
#include "base/lock.h"
#include "exec/lanes.h"
#include "window/tape.h"
#include "window/windows.h"

static const hdi_backend *const backends[] = {
#define BACKEND(name) &hdi_backend_##name,
#include "backend/backends.def"
};
enum { NBACKENDS = (int)(sizeof backends / sizeof *backends), MAX_DEVICES = 64, MAX_NAME = 16 };

static hd_device devices[MAX_DEVICES];
static char names[MAX_DEVICES][MAX_NAME];
static int ndevices;
static hd_device *chosen;   /* where arrays are made that nobody places; NULL: not known yet */

hd_device *hdi_devices(int *n)
{
    *n = ndevices;
    return devices;
}

/* The handlers are registered again after libraries are loaded: those asked first wait, the others
 * find it done; who is told last lets go. */
static _Thread_local int nested;

/* Waits for the work at hand. Devices may be opened meanwhile, and lanes, by other threads. */
static void before_fork(void)
{
    if (nested++ > 0)
        return;
    hdi_lock_before_fork();
    for (int d = 0; d < ndevices; d = hdi_lanes_held(&devices[d]) ? d + 1 : 0) {
        hdi_lock_after_fork();
        hdi_lanes_hold(&devices[d]);
        hdi_lock_before_fork();   /* allowed: it looks at the lanes again */
    }
    for (int d = 0; d < ndevices; d++)
        if (devices[d].backend->before_fork != NULL)
            devices[d].backend->before_fork(devices[d].state);
}

static void after_fork(bool child)
{
    if (nested == 0 || --nested > 0)   /* 0: registered while this fork() was under way */
        return;
    for (int d = 0; d < ndevices; d++)
        if (child && devices[d].backend->after_fork != NULL)
            devices[d].backend->after_fork(devices[d].state);
    for (int d = 0; d < ndevices && child; d++)
        hdi_windows_after_fork(&devices[d]);
    if (child)
        hdi_memory_hooks_after_fork();
    hdi_lock_after_fork();
    for (int d = 0; d < ndevices; d++)
        hdi_lanes_let_go(&devices[d]);
}

static void after_fork_parent(void) { after_fork(false); }
static void after_fork_child(void) { after_fork(true); }

/* Who registers later is asked earlier. A launch may wait for the code generator, so its queue is
 * waited for first: back ends have seen to theirs when they open. */
static void register_handlers(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void watch_forks(void)
{
    static bool done;
    if (!done)
        hdi_forks_watched(register_handlers);
    done = true;
}

static void held(const hd_device *dev, int64_t *used, int64_t *kept)
{
    hdi_memory_stats memory = {0};
    dev->backend->memory_stats(dev->state, &memory, false);
    *used = memory.used;
    *kept = memory.cached;
}

static void device_name(const hdi_backend *be, int number, char name[MAX_NAME])
{
    if (be->count != NULL)
        snprintf(name, MAX_NAME, "%s:%d", be->name, number);
    else
        snprintf(name, MAX_NAME, "%s", be->name);
}

/* For tests: devices that could tell of faults act as those that cannot. */
static bool faults_by_value(void)
{
    const char *text = getenv("HEDDLE_FAULTS");
    return text != NULL && strcmp(text, "values") == 0;
}

bool hdi_wants_debug(void)
{
    const char *debug = getenv("HEDDLE_DEBUG");
    return debug != NULL && strcmp(debug, "1") == 0;
}

static void look_at_environment(void)
{
    hdi_watched.debug = hdi_wants_debug();
    hdi_watchers_changed();
}

/* The back end that does small work, of its own arrays or of those that have mirrors on the host;
 * NULL: there is none. */
static const hdi_backend *small_work(void)
{
#define BACKEND(name) if (hdi_backend_##name.run_small != NULL) return &hdi_backend_##name;
#include "backend/backends.def"
    return NULL;
}

/* Small work on the arrays of a device: NULL if all of it is recorded. */
static bool (*small_work_of(const hdi_backend *be))(const hdi_record *r)
{
    const hdi_backend *host = small_work();
    return be->host_memory || !be->runs || host == NULL ? be->run_small : host->run_mirrored;
}

/* As hd_set_fusion(). */
static void set_fusion(hd_device *dev, int on)
{
    bool (*run)(const hdi_record *r) = small_work_of(dev->backend);
    int64_t small = on == 1 && run != NULL ? small_work()->small_most(!dev->host_memory) : -1;
    for (int k = 0; k < dev->nwindows; k++) {
        hdi_window *w = dev->windows[k];
        w->fusion = on != 0;
        w->records_all = on > 1;
        hdi_tape_set_small(w, small);
        w->run_small = run;
    }
    dev->mirror_most = small >= 0 && !dev->host_memory ? HDI_MIRROR_MOST : 0;
}

/* The number-th device of the back end, into the next place. */
static hd_status open_device(const hdi_backend *be, int number)
{
    hd_status status = HD_OK;
    hdi_queue *q = NULL;
    hdi_submission *sub = NULL;
    hd_device *dev = &devices[ndevices];
    memset(dev, 0, sizeof *dev);
    HD_REQUIRE(ndevices < MAX_DEVICES, HD_DEVICE, "more than %d devices", MAX_DEVICES);
    device_name(be, number, names[ndevices]);
    dev->name = names[ndevices];
    dev->number = ndevices;
    dev->held = held;
    dev->backend = be;
    dev->host_memory = be->host_memory;
    dev->capacity = be->capacity;
    dev->selection_bytes = be->selection_bytes;
    look_at_environment();
    dev->tells_faults = be->watch != NULL && !faults_by_value();
    HD_TRY(be->open(number, &dev->state));
    hdi_memory_functions(dev);
    watch_forks();
    q = hdi_calloc(sizeof *q);
    sub = hdi_alloc(sizeof *sub);
    HD_REQUIRE(q != NULL && sub != NULL, HD_NOMEM, "out of memory for device %s", dev->name);
    q->submission = sub;
    dev->queue = q;
    dev->next_job = 1;
    HD_TRY(hdi_lanes_open(dev));
    HD_TRY(hdi_windows_open(dev));
    set_fusion(dev, 1);
    dev->home_most = dev->mirror_most;
    ndevices++;
done:
    if (status != HD_OK) {
        hdi_free(q, sizeof *q);
        hdi_free(sub, sizeof *sub);
    }
    return status;
}

/* Is `name` a device of be, "name" or "name:number"? -1 stands for no number. */
static bool is_named(const hdi_backend *be, const char *name, int *number)
{
    size_t n = strlen(be->name);
    char *end = NULL;
    *number = -1;
    if (strncmp(be->name, name, n) != 0)
        return false;
    if (name[n] == '\0')
        return true;
    if (name[n] != ':' || name[n + 1] < '0' || name[n + 1] > '9' || be->count == NULL)
        return false;
    long wish = strtol(name + n + 1, &end, 10);
    *number = wish <= INT16_MAX ? (int)wish : INT16_MAX;
    return *end == '\0';
}

/* That device of be, open. Under the lock. */
static hd_device *device_of(const hdi_backend *be, int number)
{
    char name[MAX_NAME];
    device_name(be, number, name);
    for (int d = 0; d < ndevices; d++)
        if (strcmp(devices[d].name, name) == 0)
            return &devices[d];
    return open_device(be, number) == HD_OK ? &devices[ndevices - 1] : NULL;
}

/* Under the lock. */
static hd_device *find_device(const char *name)
{
    int number;
    char known[80] = "";
    for (int b = 0; b < NBACKENDS; b++) {
        if (is_named(backends[b], name, &number)) {
            bool at_hand = number < 0 && hdi_current != NULL && hdi_current->backend == backends[b];
            return at_hand ? hdi_current : device_of(backends[b], number < 0 ? 0 : number);
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", b > 0 ? ", " : "",
                 backends[b]->name);
    }
    hdi_fail(HD_VALUE, "there is no device \"%s\"; this build has %s", name, known);
    return NULL;
}

/* What HEDDLE_DEVICE says, else the first preferred device that can be opened, else the CPU.
 * Under the lock. */
static hd_device *choose_device(void)
{
    const char *name = getenv("HEDDLE_DEVICE");
    if (name != NULL && *name != '\0')
        return find_device(name);
    for (int b = 0; b < NBACKENDS; b++) {
        if (!backends[b]->preferred || (backends[b]->count != NULL && backends[b]->count() == 0))
            continue;
        bool had = hd_error_peek()->code != HD_OK;
        hd_device *dev = device_of(backends[b], 0);
        if (dev != NULL)
            return dev;
        if (!had)
            hd_error_take(NULL);   /* a device that does not work is none */
    }
    return find_device("cpu");
}

hd_device *hd_device_get(const char *name)
{
    if (name == NULL)
        return hdi_null("the name of a device");
    hdi_lock();
    hd_device *dev = find_device(name);
    hdi_unlock();
    return dev;
}

hd_device *hdi_exec_default_device(void)
{
    if (chosen == NULL)
        chosen = choose_device();
    return chosen;
}

hd_device *hdi_exec_host_device(void)
{
    return find_device("cpu");
}

hd_device *hd_device_current(void)
{
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hdi_unlock();
    return dev;
}

int hd_device_count(const char *name)
{
    int number;
    if (name == NULL)
        hdi_fail_null("the kind of a device");
    for (int b = 0; name != NULL && b < NBACKENDS; b++)
        if (is_named(backends[b], name, &number) && number < 0)
            return backends[b]->count != NULL ? backends[b]->count() : 1;
    return 0;
}

int hd_device_is_host(const hd_device *dev)
{
    return (dev != NULL || (dev = hd_device_current()) != NULL) && dev->host_memory;
}

int hd_device_at_hand(const hd_device *dev)
{
    return hd_device_is_host(dev) &&
           (!hdi_may_capture() || !hd_capturing((hd_device *)(uintptr_t)dev));
}

void hd_device_set_current(hd_device *dev)
{
    hdi_current = dev;
}

hd_device *hd_device_swap(hd_device *dev)
{
    hd_device *before = hdi_current;
    hdi_current = dev;
    return before;
}

const char *hd_device_name(const hd_device *dev)
{
    return dev != NULL || (dev = hd_device_current()) != NULL ? dev->name : "";
}

static hd_status synchronize(hd_device *dev)
{
    uint64_t event = 0;
    hdi_lock();
    hd_status status = hdi_refuse_capture(dev);
    if (status != HD_OK) {
        hdi_unlock();
        return status;
    }
    int64_t given_up = dev->queue->ngiven_up;
    hdi_windows_flush(dev);
    hdi_resume(dev);
    hdi_leave();
    status = hdi_drain_all(dev);
    hdi_lock();   /* allowed: it knows dev only */
    if (status == HD_OK)
        status = hdi_given_up_since(dev, given_up);
    hdi_unlock();
    if (status != HD_OK)
        return status;
    do {   /* an event is waited for once */
        status = dev->backend->event_record(dev->state, &event);
        hdi_wait_begin(dev);
        if (status == HD_OK)
            status = dev->backend->event_wait(dev->state, event);
    } while (hdi_wait_again(&status));
    return status;
}

hd_status hd_synchronize(hd_device *dev)
{
    hd_status status = HD_OK;
    if (dev != NULL)
        return synchronize(dev);
    for (int d = 0; d < ndevices && status == HD_OK; d++)
        status = synchronize(&devices[d]);
    return status;
}

void hd_before_exit(void)
{
    for (int b = 0; b < NBACKENDS; b++)
        if (backends[b]->before_exit != NULL)
            backends[b]->before_exit();
}

int64_t hd_trim(hd_device *dev)
{
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return 0;
    hdi_lanes_hold(dev);
    int64_t bytes = dev->backend->trim(dev->state);
    hdi_lanes_let_go(dev);
    return bytes;
}

int64_t hd_memory_limit(hd_device *dev, int64_t bytes)
{
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return 0;
    return dev->backend->limit != NULL ? dev->backend->limit(dev->state, bytes) : 0;
}

/* For settings of the process: no GPU is looked for on their account. */
static hd_device *known_device(void)
{
    return hdi_current != NULL ? hdi_current : hd_device_get("cpu");
}

int hd_threads(void)
{
    hd_device *dev = known_device();
    return dev != NULL ? dev->backend->threads(dev->state) : 1;
}

hd_status hd_set_threads(int n)
{
    hd_device *dev = known_device();
    if (dev == NULL)
        return HD_DEVICE;
    if (n < 0)
        return hdi_fail(HD_VALUE,
                        "number of threads %d; it must be 1 or more, or 0 for the default", n);
    hdi_lanes_hold(dev);
    hd_status status = dev->backend->set_threads(dev->state, n);
    hdi_lanes_let_go(dev);
    return status;
}

int hd_set_fusion(int on)
{
    hd_device *dev = hd_device_current();
    if (dev == NULL)
        return 0;
    hdi_lock();
    int old = dev->windows[0]->fusion ? 1 + dev->windows[0]->records_all : 0;
    set_fusion(dev, on);
    hdi_unlock();
    return old;
}

int hd_set_tier(int tier)
{
    hd_device *dev = known_device();
    if (dev != NULL && dev->backend->set_tier == NULL)
        dev = hd_device_get("cpu");
    return dev != NULL ? dev->backend->set_tier(dev->state, tier) : 0;
}

char *hd_device_info(hd_device *dev)
{
    hdi_strbuf lines = {0};
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return NULL;
    if (dev->backend->info != NULL)
        dev->backend->info(dev->state, &lines);
    else
        hdi_strbuf_add(&lines, "back end\t%s\n", dev->backend->name);
    return hdi_strbuf_take(&lines);
}

hd_status hd_device_stats(hd_device *dev, hd_stats *stats)
{
    hdi_memory_stats memory = {0};
    hd_stats s;
    if (stats == NULL)
        return hdi_fail_null("the place for statistics");
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return HD_DEVICE;
    hdi_lock();
    const hdi_window_stats w = hdi_windows_stats(dev);
    dev->backend->memory_stats(dev->state, &memory, false);
    memory.used += dev->mirrored;
    memory.peak = hdi_max64(memory.peak, memory.used);
    s = (hd_stats){sizeof s,      w.records,     hdi_windows_pending(dev), w.pending_peak,
                   w.dead,        w.flushes,     w.plans,     w.plan_hits,
                   w.planned_records, w.kernels, w.kernel_ops, w.programs,
                   w.takeovers,   w.temporaries, memory.used, memory.peak,
                   memory.cached, hdi_layouts_count()};
    hdi_unlock();
    size_t size = stats->size < sizeof s ? stats->size : sizeof s;
    memcpy(stats, &s, size);
    stats->size = size;
    return HD_OK;
}

void hd_reset_memory_peak(hd_device *dev)
{
    hdi_memory_stats memory;
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return;
    dev->backend->memory_stats(dev->state, &memory, true);
}
