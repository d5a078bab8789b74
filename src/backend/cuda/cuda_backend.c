/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_backend.c - NVIDIA GPUs as a back end: work is enqueued on a stream and runs behind the
 * caller's back; memory is the device's own.
 * See        docs/design/cuda.md */
#include "backend/backend.h"
#include "backend/cuda/cuda_batch.h"
#include "backend/cuda/cuda_compile.h"
#include "backend/cuda/cuda_cub.h"
#include "backend/cuda/cuda_device.h"
#include "backend/cuda/cuda_launch.h"
#include "backend/cuda/cuda_library.h"
#include "backend/cuda/cuda_tier0.h"
#include "backend/cuda/cuda_user.h"
#include "base/pool.h"
#include "codegen/cg_compile.h"
#include "core/op.h"

static hd_status open_device(int number, void **state)
{
    hdi_cuda *d = NULL;
    hd_status status = hdi_cuda_open(number, &d);
    *state = d;
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *alloc(void *state, int64_t nbytes) { return hdi_cuda_alloc(state, nbytes); }
static void release(void *state, void *ptr, int64_t nbytes) { hdi_cuda_free(state, ptr, nbytes); }
static int64_t block_bytes(void *state, const void *ptr, int64_t nbytes)
{
    (void)ptr;
    return hdi_cuda_block_bytes(state, nbytes);
}
static int64_t trim(void *state) { return hdi_cuda_trim(state); }
static int64_t limit(void *state, int64_t bytes) { return hdi_cuda_limit(state, bytes); }
static int64_t capacity(void *state) { return hdi_cuda_capacity(state); }
static void *host_alloc(void *state, int64_t nbytes) { return hdi_cuda_host_alloc(state, nbytes); }
static void host_free(void *state, void *ptr) { hdi_cuda_host_free(state, ptr); }

static void memory_stats(void *state, hdi_memory_stats *out, bool reset_peak)
{
    hdi_cuda_memory_stats(state, out, reset_peak);
}

static hd_status copy_in(void *state, void *to, const void *host, int64_t nbytes)
{
    return hdi_cuda_copy_in(state, (CUdeviceptr)(uintptr_t)to, host, nbytes);
}

static hd_status copy_out(void *state, void *host, const void *from, int64_t nbytes)
{
    return hdi_cuda_copy_out(state, host, (CUdeviceptr)(uintptr_t)from, nbytes);
}

static hd_status send(void *state, void *host, const void *from, int64_t nbytes, void **sent)
{
    CUevent over = NULL;
    hd_status status = hdi_cuda_send(state, host, (CUdeviceptr)(uintptr_t)from, nbytes, &over);
    *sent = over;
    return status;
}

static hd_status send_wait(void *state, void *sent) { return hdi_cuda_send_wait(state, sent); }
static void send_end(void *state, void *sent) { hdi_cuda_send_end(state, sent); }

static hd_status copy_between(void *state, void *to, void *source, const void *from, int64_t nbytes)
{
    return hdi_cuda_copy_between(state, (CUdeviceptr)(uintptr_t)to, source,
                                 (CUdeviceptr)(uintptr_t)from, nbytes);
}

static hd_status reply_begin(void *state, const void *from, int64_t nbytes, void **reply)
{
    hdi_cuda_reply *r = NULL;
    hd_status status = hdi_cuda_reply_begin(state, (CUdeviceptr)(uintptr_t)from, nbytes, &r);
    *reply = r;
    return status;
}

static hd_status reply_end(void *state, void *reply, void *host, int64_t nbytes)
{
    return hdi_cuda_reply_end(state, reply, host, nbytes);
}

/* ---- work ------------------------------------------------------------------------------------ */

static hd_status compile(void *state, const hdi_kernel *k, void **program)
{
    return hdi_cuda_compile(state, k, program);
}

static void destroy(void *state, void *program) { hdi_cuda_destroy(state, program); }

static hd_status launch(void *state, hdi_launch *l)
{
    hd_status status = hdi_cuda_enter(state);
    return status != HD_OK ? status : hdi_cuda_launch(state, l);
}

static hd_status launch_all(void *state, hdi_launch *l, int n, int *done)
{
    hd_status status = hdi_cuda_enter(state);
    return status != HD_OK ? status : hdi_cuda_launch_all(state, l, n, done);
}

static hd_status library(void *state, const hdi_xcall *x)
{
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        hdi_cuda_note(state, hdi_op_rows[x->op].info.name);
    return status != HD_OK ? status : hdi_cuda_library(state, x);
}

/* Launches are enqueued whole: there is nothing to go on with. */
static void forget(void *state, hdi_launch *l)
{
    (void)state;
    l->progress = NULL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static hd_status event_record(void *state, uint64_t *event)
{
    hdi_cuda *d = state;
    CUevent e = NULL;
    *event = 0;
    if (atomic_load(&d->unusable) == HDI_CUDA_FORKED)   /* nothing of this process is under way */
        return HD_OK;
    hd_status status = hdi_cuda_enter(d);
    if (status == HD_OK)
        status = hdi_cuda_event(d, &e);
    *event = (uint64_t)(uintptr_t)e;
    return status;
}

static hd_status event_wait(void *state, uint64_t event)
{
    CUevent e = (CUevent)(uintptr_t)event;
    if (e == NULL)
        return HD_OK;
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = hdi_cuda_wait(state, e, "waiting for the device");
    hdi_cuda_event_drop(state, e);
    return status;
}

/* ---- what it is ------------------------------------------------------------------------------ */

static void info(void *state, hdi_strbuf *lines)
{
    hdi_cuda *d = state;
    char version[16];
    size_t free_bytes = 0, total = (size_t)d->total_bytes;
    hdi_cuda_driver_version(version, sizeof version);
    hdi_strbuf_add(lines, "gpu\t%s\n", d->name);
    hdi_strbuf_add(lines, "driver\tCUDA %s\n", version);
    hdi_strbuf_add(lines, "compute capability\t%d.%d\n", d->limits.major, d->limits.minor);
    hdi_strbuf_add(lines, "multiprocessors\t%d\n", d->limits.sms);
    hdi_strbuf_add(lines, "level 2 cache\t%d\n", d->limits.l2_bytes);
    hdi_strbuf_add(lines, "memory\t%lld\n", (long long)total);
    if (hdi_cuda_usable(d) && hdi_cu.cuCtxSetCurrent(d->context) == CUDA_SUCCESS &&
        hdi_cu.cuMemGetInfo(&free_bytes, &total) == CUDA_SUCCESS)
        hdi_strbuf_add(lines, "memory free\t%lld\n", (long long)free_bytes);
    hdi_strbuf_add(lines, "memory comes from\t%s\n",
                   d->memory.pool != NULL ? "a pool of the driver's" : "cuMemAlloc");
    hdi_strbuf_add(lines, "sorting by\t%s\n", hdi_cuda_cub_about());
    hdi_strbuf_add(lines, "tier 0\t%s\n", hdi_cuda_tier0_about(d));
    if (!hdi_cuda_usable(d))
        hdi_strbuf_add(lines, "lost\t%s\n",
                       atomic_load(&d->unusable) == HDI_CUDA_FORKED ? "by fork()" : d->why);
}

/* Threads of the host stage transfers. */
static int threads(void *state)
{
    (void)state;
    return hdi_pool_threads();
}

static hd_status set_threads(void *state, int n)
{
    (void)state;
    return hdi_pool_set_threads(n);
}

static void before_fork(void *state) { (void)state; }

/* The child has neither the context nor the threads behind it. */
static void after_fork(void *state)
{
    atomic_store(&((hdi_cuda *)state)->unusable, HDI_CUDA_FORKED);
}

static hd_status user_kernel(void *state, struct hdi_lir *l, uintptr_t *function)
{
    return hdi_cuda_user_kernel(state, l, function);
}

static void user_free(void *state, uintptr_t function)
{
    hdi_cuda_user_free(state, function);
}

const hdi_backend hdi_backend_cuda = {
    .name = "cuda",
    .runs = true,
    .host_memory = false,
    .preferred = true,
    .wraps = true,
    .count = hdi_cuda_count,
    .open = open_device,
    .alloc = alloc,
    .free = release,
    .block_bytes = block_bytes,
    .trim = trim,
    .memory_stats = memory_stats,
    .limit = limit,
    .capacity = capacity,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .send = send,
    .send_wait = send_wait,
    .send_end = send_end,
    .copy_between = copy_between,
    .reply_begin = reply_begin,
    .reply_end = reply_end,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .streams = &hdi_cuda_streams,
    .compile = compile,
    .destroy = destroy,
    .launch = launch,
    .launch_all = launch_all,
    .library = library,
    .user_kernel = user_kernel,
    .user_free = user_free,
    .selection_bytes = hdi_cub_words_bytes,
    .forget = forget,
    .event_record = event_record,
    .event_wait = event_wait,
    .info = info,
    .threads = threads,
    .set_threads = set_threads,
    .before_fork = before_fork,
    .after_fork = after_fork,
    .before_exit = hdi_cg_end,
};
