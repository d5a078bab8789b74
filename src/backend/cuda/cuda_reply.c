/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_reply.c - few bytes on their way to the host: each reply has a place in pinned memory, so
 * that who waits for one waits neither for what was enqueued later nor for other threads. A kernel
 * writes them there, and then a number that the host looks for: 11 us from the launch of a small
 * kernel to its result, where a copy and an event take 19 (H200).
 *
 * Where the driver does not take that kernel they are copied, by a stream of their own, for a
 * kernel behind a copy begins 11 us after the one before it, beside a copy 1.4.
 *
 * A reply that nobody waits for any more (the user was impatient, or the wait failed) may serve
 * again at once: the next one comes later in its stream, and its number or event with it. The
 * device then waits for it before it does anything else on another stream, since the bytes may
 * go. */
#include "backend/cuda/cuda_code.h"
#include "backend/cuda/cuda_device.h"
#include "backend/cuda/cuda_tier0.h"
#include "base/alloc.h"

enum { AT_ONCE = 16 };   /* replies that are made together */
enum { FLAG = HDI_CUDA_REPLY, ROOM = HDI_CUDA_REPLY + 64 };   /* the number's place; of a reply */

struct hdi_cuda_reply {
    struct hdi_cuda_reply *next;
    uint8_t *host;
    unsigned recent;         /* the device's nrecent when it was enqueued */
    CUdeviceptr from;
    CUstream stream;
    uint32_t number;         /* of replies sent by the kernel */
    bool sent;               /* by the kernel */
    CUevent ready, done;     /* the bytes are there; they are on the host. NULL until needed */
};

/* ---- the kernel ------------------------------------------------------------------------------ */

/* to, from, bytes, the number's place, the number. Words where all is a multiple of 8. */
const char hdi_cuda_reply_text[] =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".visible .entry " HDI_REPLY_ENTRY "(.param .u64 to, .param .u64 from, .param .u32 bytes,\n"
    "                             .param .u64 place, .param .u32 number)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [to];\nld.param.u64 %d2, [from];\nld.param.u64 %d3, [place];\n"
    "ld.param.u32 %r2, [bytes];\nld.param.u32 %r3, [number];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r4, %ntid.x;\n"
    "cvt.u64.u32 %d4, %r2;\nor.b64 %d4, %d4, %d2;\nand.b64 %d4, %d4, 7;\n"
    "setp.ne.s64 %p1, %d4, 0;\n@%p1 bra $bytes;\n"
    "shr.u32 %r5, %r2, 3;\n"
    "$words:\n"
    "setp.ge.u32 %p2, %r1, %r5;\n@%p2 bra $done;\n"
    "mul.wide.u32 %d5, %r1, 8;\n"
    "add.s64 %d6, %d2, %d5;\nld.global.u64 %d7, [%d6];\n"
    "add.s64 %d6, %d1, %d5;\nst.global.u64 [%d6], %d7;\n"
    "add.s32 %r1, %r1, %r4;\nbra $words;\n"
    "$bytes:\n"
    "setp.ge.u32 %p2, %r1, %r2;\n@%p2 bra $done;\n"
    "cvt.u64.u32 %d5, %r1;\n"
    "add.s64 %d6, %d2, %d5;\nld.global.u8 %r6, [%d6];\n"
    "add.s64 %d6, %d1, %d5;\nst.global.u8 [%d6], %r6;\n"
    "add.s32 %r1, %r1, %r4;\nbra $bytes;\n"
    "$done:\n"
    "membar.sys;\nbar.sync 0;\n"
    "mov.u32 %r1, %tid.x;\nsetp.ne.s32 %p3, %r1, 0;\n@%p3 bra $end;\n"
    "st.volatile.global.u32 [%d3], %r3;\n"
    "$end:\nret;\n}\n";

/* Assembled code is in tier 0's module. Without that all code is made for this GPU by its driver,
 * and so is this (the driver takes 0.1 s to get ready for that). Under the lock. */
static void open_kernel(hdi_cuda *d)
{
    CUmodule module;
    d->reply_tried = true;
    if (hdi_cuda_tier0_open(d))
        return;
    if (hdi_cuda_load(d, hdi_cuda_reply_text, &module) != CUDA_SUCCESS)
        return;
    if (hdi_cu.cuModuleGetFunction(&d->reply, module, HDI_REPLY_ENTRY) != CUDA_SUCCESS) {
        d->reply = NULL;
        hdi_cu.cuModuleUnload(module);
    }
}

static hd_status send(hdi_cuda *d, hdi_cuda_reply *r, int64_t nbytes)
{
    enum { FEW = 32 * 8, THREADS = 128 };
    uint64_t to = (uint64_t)(uintptr_t)r->host, place = to + FLAG;
    uint32_t bytes = (uint32_t)nbytes;
    r->number++;
    void *parameters[5] = {&to, &r->from, &bytes, &place, &r->number};
    CUlaunchConfig how = {.grid_x = 1, .grid_y = 1, .grid_z = 1,
                          .block_x = nbytes <= FEW ? 32 : THREADS, .block_y = 1, .block_z = 1,
                          .stream = r->stream};
    return hdi_cuda_check(d, hdi_cu.cuLaunchKernelEx(&how, d->reply, parameters, NULL),
                          "copying to the host");
}

static bool has_come(const hdi_cuda_reply *r)
{
    return __atomic_load_n((const uint32_t *)(const void *)(r->host + FLAG), __ATOMIC_ACQUIRE) ==
           r->number;
}

/* Also ready where the stream has nothing left to do, and the reply has not come. */
static CUresult ask_reply(void *of)
{
    enum { LOOKS = 1000 };   /* some 20 us, between questions to the driver */
    const hdi_cuda_reply *r = of;
    for (int k = 0; k < LOOKS; k++) {
        if (has_come(r))
            return CUDA_SUCCESS;
        __builtin_ia32_pause();
    }
    return hdi_cu.cuStreamQuery(r->stream);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Under the lock. What is made stays as long as the device. */
static hd_status make_more(hdi_cuda *d)
{
    hd_status status = HD_OK;
    uint8_t *host = NULL;
    hdi_cuda_reply *r = hdi_calloc(AT_ONCE * sizeof *r);
    HD_REQUIRE(r != NULL, HD_NOMEM, "out of memory for values from device cuda:%d", d->number);
    HD_TRY(hdi_cuda_check(
        d, hdi_cu.cuMemHostAlloc((void **)&host, AT_ONCE * ROOM, CU_HOSTALLOC_PORTABLE),
        "taking pinned memory for values"));
    for (int k = 0; k < AT_ONCE; k++) {
        r[k] = (hdi_cuda_reply){.next = d->replies, .host = host + k * ROOM};
        memset(r[k].host + FLAG, 0, sizeof r->number);
        d->replies = &r[k];
    }
done:
    if (status != HD_OK)
        hdi_free(r, AT_ONCE * sizeof *r);
    return status;
}

/* What copies need and is made at their first use. */
static hd_status make_ready(hdi_cuda *d, hdi_cuda_reply *r)
{
    hd_status status = HD_OK;
    pthread_mutex_lock(&d->replies_lock);
    if (d->reply_stream == NULL)
        HD_TRY(hdi_cuda_check(d, hdi_cu.cuStreamCreate(&d->reply_stream, CU_STREAM_NON_BLOCKING),
                              "making a stream"));
    if (r->ready == NULL)
        HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventCreate(&r->ready, CU_EVENT_DISABLE_TIMING),
                              "making an event"));
    if (r->done == NULL)
        status = hdi_cuda_check(d, hdi_cu.cuEventCreate(&r->done, CU_EVENT_DISABLE_TIMING),
                                "making an event");
done:
    pthread_mutex_unlock(&d->replies_lock);
    return status;
}

static void give_reply(hdi_cuda *d, hdi_cuda_reply *r)
{
    pthread_mutex_lock(&d->replies_lock);
    r->next = d->replies;
    d->replies = r;
    pthread_mutex_unlock(&d->replies_lock);
}

static hd_status take_reply(hdi_cuda *d, hdi_cuda_reply **out)
{
    pthread_mutex_lock(&d->replies_lock);
    hd_status status = d->replies == NULL ? make_more(d) : HD_OK;
    hdi_cuda_reply *r = *out = d->replies;
    if (r != NULL)
        d->replies = r->next;
    if (r != NULL && !d->reply_tried)
        open_kernel(d);
    pthread_mutex_unlock(&d->replies_lock);
    return status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Behind all that was enqueued. */
static hd_status copy(hdi_cuda *d, hdi_cuda_reply *r, int64_t nbytes)
{
    hd_status status = make_ready(d, r);
    r->sent = false;
    if (status != HD_OK)
        return status;
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventRecord(r->ready, r->stream), "recording an event"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuStreamWaitEvent(d->reply_stream, r->ready, 0),
                          "ordering streams"));
    HD_TRY(hdi_cuda_check(
        d, hdi_cu.cuMemcpyDtoHAsync(r->host, r->from, (size_t)nbytes, d->reply_stream),
        "copying to the host"));
    status = hdi_cuda_check(d, hdi_cu.cuEventRecord(r->done, d->reply_stream),
                            "recording an event");
done:
    return status;
}

static CUresult ask_copy(void *of)
{
    return hdi_cu.cuEventQuery(((const hdi_cuda_reply *)of)->done);
}

/* ---- replies --------------------------------------------------------------------------------- */

/* Nobody waits for what may be under way in r. Whatever is wrong was told before. */
static void leave_behind(hdi_cuda *d, hdi_cuda_reply *r)
{
    CUstream stream = r->sent ? r->stream : d->reply_stream;
    if (!hdi_cuda_usable(d) || stream == d->stream || (!r->sent && r->done == NULL))
        return;
    if ((r->sent && make_ready(d, r) != HD_OK) ||
        hdi_cu.cuEventRecord(r->done, stream) != CUDA_SUCCESS ||
        hdi_cu.cuStreamWaitEvent(d->stream, r->done, 0) != CUDA_SUCCESS)
        hdi_cu.cuStreamSynchronize(stream);
}

hd_status hdi_cuda_reply_begin(hdi_cuda *d, CUdeviceptr from, int64_t nbytes, hdi_cuda_reply **out)
{
    hdi_cuda_reply *r = NULL;
    hd_status status = hdi_cuda_enter(d);
    if (status != HD_OK || (status = take_reply(d, &r)) != HD_OK)
        return status;
    r->from = from;
    r->stream = d->stream;
    r->recent = atomic_load(&d->nrecent);
    r->sent = d->reply != NULL;
    status = r->sent ? send(d, r, nbytes) : copy(d, r, nbytes);
    if (status == HD_OK) {
        *out = r;
        return HD_OK;
    }
    leave_behind(d, r);
    give_reply(d, r);
    return status;
}

static hd_status wait(hdi_cuda *d, hdi_cuda_reply *r)
{
    return hdi_cuda_wait_until(d, r->sent ? ask_reply : ask_copy, r, r->recent,
                               "copying to the host");
}

hd_status hdi_cuda_reply_end(hdi_cuda *d, hdi_cuda_reply *r, void *host, int64_t nbytes)
{
    hd_status status = hdi_cuda_enter(d);
    if (status == HD_OK)
        status = wait(d, r);
    if (status == HD_OK && r->sent && !has_come(r)) {   /* kernels do not see this memory */
        status = copy(d, r, nbytes);
        if (status == HD_OK)
            status = wait(d, r);
    }
    if (status == HD_OK)
        memcpy(host, r->host, (size_t)nbytes);
    else
        leave_behind(d, r);
    give_reply(d, r);
    return status;
}
