/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_libcuda.c - stands in for libcuda.so.1 where there is no GPU: memory is the host's, copies
 * are done at once, kernels are counted, and run on the host if asked for. For tests: HEDDLE_LIBCUDA
 * names it.
 *
 * Environment, read by cuInit():
 *   FAKE_CUDA_DEVICES   how many there are (1)
 *   FAKE_CUDA_VERSION   what cuDriverGetVersion says (13000)
 *   FAKE_CUDA_MEMORY    bytes that each device has (1 GB)
 *   FAKE_CUDA_POOLS     0: no memory pools
 *   FAKE_CUDA_PEERS     0: no device can access another one's memory
 *   FAKE_CUDA_RUN       1: kernels are run, by ptx.c; what it does not know, and memory that is not
 *                       there, ends the context with an error and a line on stderr
 *   FAKE_CUDA_REPLY     1: cuda_reply.c's kernel is there; 2: what it sends never comes
 *   FAKE_CUDA_LAZY      so many queries of an event say "not ready" before it has happened
 *   FAKE_CUDA_LINK      milliseconds that the linker takes; from its first call on exit() takes it
 *                       down, as it does NVIDIA's: abort(), if it is at work then or later
 *   FAKE_CUDA_LINK_AGAIN  1: each call registers something more that exit() takes down
 * A test may also look for these functions with dlsym():
 *   fake_cuda_fail(function, n, error)   the n-th call of function from now on gives error; a
 *                                        final error (700 and above) then comes from every call
 *   fake_cuda_count(what)                calls of a function; "live", "pinned": bytes; "launches"
 *   fake_cuda_reset()                    forgets failures, also final ones
 *   fake_cuda_lazy(n)                    FAKE_CUDA_LAZY from now on */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/cuda/cuda_driver.h"
#include "fake_memory.h"
#include "fake_run.h"

#define EXPORT __attribute__((visibility("default")))
#define CU(name, symbol, arguments) EXPORT CUresult symbol arguments;
#include "backend/cuda/cuda_driver.def"
EXPORT void fake_cuda_fail(const char *function, int n, int error);
EXPORT long long fake_cuda_count(const char *what);
EXPORT void fake_cuda_reset(void);
EXPORT void fake_cuda_lazy(int queries);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ndevices = 1, version = 13000, pools = 1, lazy, runs;
static long long device_bytes = 1LL << 30, live, pinned, launches;
static _Thread_local CUcontext current;

enum { MAX_DEVICES = 8, MAX_BLOCKS = 65536 };
static char contexts[MAX_DEVICES];   /* their addresses are the handles */

/* Memory handed out, so that a wrong address is noticed. */
static struct { char *ptr; size_t bytes; int device; } block[MAX_BLOCKS];
static int nblocks;

/* Functions by name: how often called, and what is to fail. */
static struct { const char *name; long long calls; int fail_in, error; } function[] = {
#define CU(name, symbol, arguments) {#name, 0, 0, 0},
#include "backend/cuda/cuda_driver.def"
};
static int final_error;
enum {
#define CU(name, symbol, arguments) AT_##name,
#include "backend/cuda/cuda_driver.def"
    NFUNCTIONS
};

static int find(const char *name)
{
    for (int k = 0; k < NFUNCTIONS; k++)
        if (strcmp(function[k].name, name) == 0)
            return k;
    fprintf(stderr, "fake_libcuda: no function %s\n", name);
    abort();
}

void fake_cuda_fail(const char *name, int n, int error)
{
    int k = find(name);
    function[k].fail_in = n;
    function[k].error = error;
}

long long fake_cuda_count(const char *what)
{
    if (strcmp(what, "live") == 0)
        return live;
    if (strcmp(what, "pinned") == 0)
        return pinned;
    return strcmp(what, "launches") == 0 ? launches : function[find(what)].calls;
}

void fake_cuda_reset(void)
{
    final_error = 0;
    for (int k = 0; k < NFUNCTIONS; k++)
        function[k].fail_in = 0;
}

void fake_cuda_lazy(int queries) { lazy = queries; }

/* What a call must return before it does anything, or 0. */
static CUresult enter(int k, bool needs_context)
{
    pthread_mutex_lock(&mutex);
    CUresult r = final_error;
    function[k].calls++;
    if (r == 0 && function[k].fail_in > 0 && --function[k].fail_in == 0)
        r = function[k].error;
    if (r >= 700)
        final_error = r;
    pthread_mutex_unlock(&mutex);
    return r != 0 ? r : needs_context && current == NULL ? 201 : 0;
}
#define ENTER(name)                            \
    do {                                       \
        CUresult result = enter(AT_##name, 1); \
        if (result != 0)                       \
            return result;                     \
    } while (0)
#define ENTER_ANYWHERE(name)                   \
    do {                                       \
        CUresult result = enter(AT_##name, 0); \
        if (result != 0)                       \
            return result;                     \
    } while (0)

static long long setting(const char *name, long long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : otherwise;
}

CUresult cuInit(unsigned flags)
{
    ENTER_ANYWHERE(cuInit);
    ndevices = (int)setting("FAKE_CUDA_DEVICES", 1);
    device_bytes = setting("FAKE_CUDA_MEMORY", 1LL << 30);
    pools = (int)setting("FAKE_CUDA_POOLS", 1);
    lazy = (int)setting("FAKE_CUDA_LAZY", 0);
    runs = (int)setting("FAKE_CUDA_RUN", 0);
    return flags != 0 ? 1 : ndevices == 0 ? CUDA_ERROR_NO_DEVICE : 0;
}

CUresult cuDriverGetVersion(int *v)
{
    ENTER_ANYWHERE(cuDriverGetVersion);
    *v = version = (int)setting("FAKE_CUDA_VERSION", 13000);
    return 0;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    static const struct { int error; const char *name; } names[] = {
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},        {100, "CUDA_ERROR_NO_DEVICE"},
        {600, "CUDA_ERROR_NOT_READY"},          {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {719, "CUDA_ERROR_LAUNCH_FAILED"},      {1, "CUDA_ERROR_INVALID_VALUE"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"},    {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}};
    *name = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].error == error)
            *name = names[k].name;
    return *name != NULL ? 0 : 1;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    (void)error;
    *text = "as the fake driver was told";
    return 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

CUresult cuDeviceGetCount(int *count)
{
    ENTER_ANYWHERE(cuDeviceGetCount);
    *count = ndevices;
    return 0;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER_ANYWHERE(cuDeviceGet);
    *device = ordinal;
    return ordinal < ndevices ? 0 : 101;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    ENTER_ANYWHERE(cuDeviceGetName);
    snprintf(name, (size_t)length, "Fake GPU %d", device);
    return 0;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    ENTER_ANYWHERE(cuDeviceGetAttribute);
    (void)device;
    switch (attribute) {
    case CU_ATTRIBUTE_MAJOR: *value = 9; break;
    case CU_ATTRIBUTE_MINOR: *value = 0; break;
    case CU_ATTRIBUTE_SMS: *value = 132; break;
    case CU_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_ATTRIBUTE_L2_BYTES: *value = 50 << 20; break;
    case CU_ATTRIBUTE_MEMORY_POOLS: *value = pools; break;
    default: *value = 1024; break;
    }
    return 0;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    ENTER_ANYWHERE(cuDeviceTotalMem);
    (void)device;
    *bytes = (size_t)device_bytes;
    return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER_ANYWHERE(cuDevicePrimaryCtxRetain);
    *context = (CUcontext)(void *)&contexts[device];
    return 0;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER_ANYWHERE(cuCtxSetCurrent);
    current = context;
    return 0;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER(cuDeviceCanAccessPeer);
    *can = device != peer && (int)setting("FAKE_CUDA_PEERS", 1);
    return device < ndevices && peer < ndevices ? 0 : 101;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    ENTER(cuCtxEnablePeerAccess);
    return peer != NULL && peer != current && flags == 0 ? 0 : 1;
}

CUresult cuCtxSynchronize(void)
{
    ENTER(cuCtxSynchronize);
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int here(void)
{
    return (int)((char *)(void *)current - contexts);
}

static CUresult take(CUdeviceptr *ptr, size_t bytes)
{
    CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&mutex);
    char *p = live + (long long)bytes <= device_bytes && nblocks < MAX_BLOCKS
                  ? aligned_alloc(512, (bytes + 511) / 512 * 512) : NULL;
    if (p != NULL) {
        memset(p, 0xA5, bytes);
        block[nblocks].ptr = p;
        block[nblocks].bytes = bytes;
        block[nblocks++].device = here();
        live += (long long)bytes;
        *ptr = (CUdeviceptr)((uintptr_t)p | FAKE_DEVICE);
        r = 0;
    }
    pthread_mutex_unlock(&mutex);
    return r;
}

static int block_of(CUdeviceptr ptr, size_t bytes)
{
    const char *p = fake_on_host((const void *)(uintptr_t)ptr);
    for (int k = 0; k < nblocks && (ptr & FAKE_DEVICE) != 0; k++) {   /* one block's end may be the next one's start */
        const char *end = block[k].ptr + block[k].bytes;
        if (p >= block[k].ptr && p < end && p + bytes <= end)
            return k;
    }
    return -1;
}

static CUresult give(CUdeviceptr ptr)
{
    CUresult r = 1;
    pthread_mutex_lock(&mutex);
    int k = block_of(ptr, 0);
    if (k >= 0 && block[k].ptr == fake_on_host((const void *)(uintptr_t)ptr)) {
        live -= (long long)block[k].bytes;
        free(block[k].ptr);
        block[k] = block[--nblocks];
        r = 0;
    }
    pthread_mutex_unlock(&mutex);
    return r;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    ENTER(cuMemGetInfo);
    *free_bytes = (size_t)(device_bytes - live);
    *total_bytes = (size_t)device_bytes;
    return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes)
{
    ENTER(cuMemAlloc);
    return take(ptr, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr ptr)
{
    ENTER(cuMemFree);
    return give(ptr);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *p)
{
    ENTER(cuMemPoolCreate);
    *pool = (CUmemoryPool)(void *)&pools;
    return p->allocation_type == 1 && p->location_type == 1 && p->location_id == here() ? 0 : 1;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    ENTER(cuMemPoolSetAttribute);
    return pool != NULL && attribute == CU_MEMPOOL_RELEASE_THRESHOLD && value != NULL ? 0 : 1;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *who, size_t n)
{
    ENTER(cuMemPoolSetAccess);
    return pool != NULL && n == 1 && who->location_type == 1 && who->flags == 3 &&
                   who->location_id < ndevices
               ? 0 : 1;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep)
{
    ENTER(cuMemPoolTrimTo);
    return pool != NULL && bytes_to_keep == 0 ? 0 : 1;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    ENTER(cuMemAllocFromPoolAsync);
    return pool != NULL && stream != NULL ? take(ptr, bytes) : 1;
}

CUresult cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
    ENTER(cuMemFreeAsync);
    return stream != NULL ? give(ptr) : 1;
}

/* The size is kept before the block. */
CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    ENTER(cuMemHostAlloc);
    char *p = malloc(bytes + 64);
    if (p == NULL || flags != CU_HOSTALLOC_PORTABLE) {
        free(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(p, &bytes, sizeof bytes);
    *ptr = p + 64;
    pthread_mutex_lock(&mutex);
    pinned += (long long)bytes;
    pthread_mutex_unlock(&mutex);
    return 0;
}

CUresult cuMemFreeHost(void *ptr)
{
    ENTER(cuMemFreeHost);
    size_t bytes;
    char *p = (char *)ptr - 64;
    memcpy(&bytes, p, sizeof bytes);
    free(p);
    pthread_mutex_lock(&mutex);
    pinned -= (long long)bytes;
    pthread_mutex_unlock(&mutex);
    return 0;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    ENTER(cuPointerGetAttribute);
    pthread_mutex_lock(&mutex);
    int k = block_of(ptr, 1), answer = attribute == CU_POINTER_MEMORY_TYPE ? 2
                                       : k >= 0                            ? block[k].device
                                                                           : -1;
    pthread_mutex_unlock(&mutex);
    if (k < 0)
        return 1;
    memcpy(value, &answer, sizeof answer);
    return 0;
}

static CUresult copy(void *to, const void *from, CUdeviceptr device, size_t bytes)
{
    pthread_mutex_lock(&mutex);
    int k = block_of(device, bytes);
    pthread_mutex_unlock(&mutex);
    if (k < 0)
        return 1;
    memcpy(to, from, bytes);
    return 0;
}

CUresult cuMemsetD8Async(CUdeviceptr ptr, unsigned char value, size_t bytes, CUstream stream)
{
    ENTER(cuMemsetD8Async);
    (void)stream;
    memset(fake_on_host((const void *)(uintptr_t)ptr), value, bytes);
    return (ptr & FAKE_DEVICE) != 0 ? 0 : 1;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    ENTER(cuMemcpyHtoDAsync);
    (void)stream;
    return copy(fake_on_host((const void *)(uintptr_t)to), from, to, bytes);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(cuMemcpyDtoHAsync);
    (void)stream;
    return copy(to, fake_on_host((const void *)(uintptr_t)from), from, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext source,
                           size_t bytes, CUstream stream)
{
    ENTER(cuMemcpyPeerAsync);
    pthread_mutex_lock(&mutex);
    int k = block_of(from, bytes), l = block_of(to, bytes);
    const bool right = k >= 0 && l >= 0 && source == current && stream != NULL &&
                       (CUcontext)(void *)&contexts[block[k].device] == source &&
                       (CUcontext)(void *)&contexts[block[l].device] == there;
    pthread_mutex_unlock(&mutex);
    return right ? copy(fake_on_host((const void *)(uintptr_t)to),
                        fake_on_host((const void *)(uintptr_t)from), from, bytes) : 1;
}

/* ---- streams and events ---------------------------------------------------------------------- */

typedef struct event {
    CUcontext context;
    bool timed, recorded;
    int queries;
    struct timespec at;
} event;

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    ENTER(cuStreamCreate);
    *stream = calloc(1, 64);
    return *stream != NULL && flags <= 1 ? 0 : 1;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    ENTER(cuStreamDestroy);
    free((void *)stream);
    return 0;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(cuStreamSynchronize);
    return stream != NULL ? 0 : 1;
}

/* The last reply that has not come yet: the stream is asked `lazy` times for it. */
static struct { uint32_t *place, number; int queries; } late;

CUresult cuStreamQuery(CUstream stream)
{
    ENTER(cuStreamQuery);
    pthread_mutex_lock(&mutex);
    const bool ready = late.place == NULL || late.queries++ >= lazy;
    if (ready && late.place != NULL) {
        __atomic_store_n(late.place, late.number, __ATOMIC_RELEASE);
        late.place = NULL;
    }
    pthread_mutex_unlock(&mutex);
    return stream == NULL ? 1 : ready ? 0 : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent e, unsigned flags)
{
    ENTER(cuStreamWaitEvent);
    return stream != NULL && e != NULL && flags == 0 ? 0 : 1;
}

CUresult cuEventCreate(CUevent *e, unsigned flags)
{
    ENTER(cuEventCreate);
    event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->context = current;
    made->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *e = (CUevent)(void *)made;
    return 0;
}

CUresult cuEventDestroy_v2(CUevent e)
{
    ENTER(cuEventDestroy);
    free((void *)e);
    return 0;
}

CUresult cuEventRecord(CUevent e, CUstream stream)
{
    ENTER(cuEventRecord);
    event *x = (event *)(void *)e;
    x->recorded = true;
    x->queries = 0;
    clock_gettime(CLOCK_MONOTONIC, &x->at);
    return stream != NULL && x->context == current ? 0 : 1;
}

CUresult cuEventQuery(CUevent e)
{
    ENTER(cuEventQuery);
    event *x = (event *)(void *)e;
    return x->recorded && x->queries++ < lazy ? CUDA_ERROR_NOT_READY : 0;
}

CUresult cuEventSynchronize(CUevent e)
{
    ENTER(cuEventSynchronize);
    return e != NULL ? 0 : 1;
}

CUresult cuEventElapsedTime(float *ms, CUevent first, CUevent last)
{
    ENTER(cuEventElapsedTime);
    const event *a = (const event *)(void *)first, *b = (const event *)(void *)last;
    if (!a->timed || !b->timed || !a->recorded || !b->recorded)
        return 400;
    *ms = (float)(b->at.tv_sec - a->at.tv_sec) * 1e3f +
          (float)(b->at.tv_nsec - a->at.tv_nsec) * 1e-6f;
    return 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The linker hands out what it was given. */
typedef struct link { void *image; size_t bytes; } link_state;

static _Atomic(int) links_under_way;
static _Atomic(bool) linker_gone;

static void take_linker_down(void)
{
    linker_gone = true;
    if (links_under_way > 0)
        abort();
}

static void link_slowly(void)
{
    static _Atomic(bool) used;
    int ms = (int)setting("FAKE_CUDA_LINK", 0);
    if (ms == 0)
        return;
    if (!atomic_exchange(&used, true) || setting("FAKE_CUDA_LINK_AGAIN", 0) != 0)
        atexit(take_linker_down);
    atomic_fetch_add(&links_under_way, 1);
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
    if (linker_gone)
        abort();
    atomic_fetch_sub(&links_under_way, 1);
}

CUresult cuLinkCreate_v2(unsigned noptions, CUjit_option *options, void **values, CUlinkState *link)
{
    ENTER(cuLinkCreate);
    (void)options;
    (void)values;
    *link = (CUlinkState)calloc(1, sizeof(link_state));
    return *link != NULL && noptions < 64 ? 0 : 1;
}

CUresult cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t bytes, const char *name,
                          unsigned noptions, CUjit_option *options, void **values)
{
    ENTER(cuLinkAddData);
    link_state *l = (link_state *)(void *)link;
    (void)options;
    (void)values;
    link_slowly();
    free(l->image);
    l->bytes = bytes;
    l->image = malloc(bytes);
    if (l->image == NULL || type != 1 || name == NULL || noptions != 0)
        return 1;
    memcpy(l->image, data, bytes);
    return 0;
}

CUresult cuLinkComplete(CUlinkState link, void **image, size_t *bytes)
{
    ENTER(cuLinkComplete);
    link_state *l = (link_state *)(void *)link;
    *image = l->image;
    *bytes = l->bytes;
    return l->image != NULL ? 0 : 1;
}

CUresult cuLinkDestroy(CUlinkState link)
{
    ENTER(cuLinkDestroy);
    link_state *l = (link_state *)(void *)link;
    free(l->image);
    free(l);
    return 0;
}

struct CUmod_st { ptx_module *code; };   /* NULL: kernels are not run */

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned noptions,
                            CUjit_option *options, void **values)
{
    ENTER(cuModuleLoadDataEx);
    char message[PTX_MESSAGE];
    (void)options;
    (void)values;
    if ((*module = calloc(1, sizeof **module)) == NULL || image == NULL || noptions >= 64)
        return 1;
    if (runs && ((*module)->code = ptx_load(image, message)) == NULL) {
        fprintf(stderr, "fake_libcuda: %s\n", message);
        free(*module);
        return 218;   /* CUDA_ERROR_INVALID_PTX */
    }
    return 0;
}

CUresult cuModuleUnload(CUmodule module)
{
    ENTER(cuModuleUnload);
    if (module->code != NULL)
        ptx_unload(module->code);
    free(module);
    return 0;
}

/* A function's handle is what runs it; the module's where none is run. */
static const ptx_function *code_of(CUfunction f)
{
    return (const ptx_function *)(const void *)f;
}

/* What cuda_reply.c's kernel does: a copy, counted as one, that fails as one, whether kernels are run
 * or not. (Its text is run in test_ptx.c.) */
static char reply_kernel;

static CUresult send_reply(const CUlaunchConfig *how, void **parameters)
{
    uint8_t *to;
    CUdeviceptr from;
    uint32_t bytes, *place, number;
    memcpy(&to, parameters[0], sizeof to);
    memcpy(&from, parameters[1], sizeof from);
    memcpy(&bytes, parameters[2], sizeof bytes);
    memcpy(&place, parameters[3], sizeof place);
    memcpy(&number, parameters[4], sizeof number);
    CUresult r = cuMemcpyDtoHAsync_v2(to, from, bytes, how->stream);
    pthread_mutex_lock(&mutex);
    if (late.place != NULL)   /* it was enqueued before */
        __atomic_store_n(late.place, late.number, __ATOMIC_RELEASE);
    late.place = NULL;
    const bool comes = r == 0 && setting("FAKE_CUDA_REPLY", 0) != 2;
    if (comes && lazy == 0)
        __atomic_store_n(place, number, __ATOMIC_RELEASE);
    else if (comes)
        late.place = place, late.number = number, late.queries = 0;
    pthread_mutex_unlock(&mutex);
    return r;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name)
{
    ENTER(cuModuleGetFunction);
    *f = (CUfunction)(void *)module;
    if (module == NULL || name == NULL)
        return 1;
    if (strcmp(name, "heddle_reply") == 0) {
        if (setting("FAKE_CUDA_REPLY", 0) == 0)
            return 500;   /* CUDA_ERROR_NOT_FOUND */
        *f = (CUfunction)(void *)&reply_kernel;
        return 0;
    }
    if (runs)
        *f = (CUfunction)(uintptr_t)ptx_find(module->code, name);
    return *f != NULL ? 0 : 500;   /* CUDA_ERROR_NOT_FOUND */
}

static int most_shared = 48 << 10;   /* dynamic, of a block: of all functions here */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
    ENTER(cuFuncGetAttribute);
    *value = attribute == 0 ? 1024 : attribute == 8 ? most_shared : 32;
    return f != NULL ? 0 : 1;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
    ENTER(cuFuncSetAttribute);
    if (f == NULL || (attribute == 8 && value > 232448))
        return 1;
    most_shared = attribute == 8 ? value : most_shared;
    return 0;
}

static ptx_range memory_around(uint64_t address)
{
    ptx_range r = {0, 0, NULL};
    pthread_mutex_lock(&mutex);
    int k = block_of(address, 1);
    if (k >= 0) {
        uint64_t from = (uintptr_t)block[k].ptr | FAKE_DEVICE;
        r = (ptx_range){from, from + block[k].bytes, (uint8_t *)block[k].ptr};
    }
    pthread_mutex_unlock(&mutex);
    return r;
}

/* What goes wrong in a kernel ends the context. */
static CUresult run_step(fake_step *s)
{
    int r = fake_step_run(s, memory_around);
    pthread_mutex_lock(&mutex);
    if (r != 0)
        final_error = r;
    pthread_mutex_unlock(&mutex);
    return r;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *how, CUfunction f, void **parameters, void **extra)
{
    ENTER(cuLaunchKernelEx);
    bool right = f != NULL && how->grid_x > 0 && how->grid_y > 0 && how->grid_y < 65536 &&
                 how->grid_z > 0 && how->grid_z < 65536 &&
                 how->block_x * how->block_y * how->block_z - 1 < 1024 &&
                 how->shared_bytes <= 232448 && how->stream != NULL &&
                 (parameters != NULL || extra != NULL) &&
                 (how->nattributes == 0 || how->attributes[0].id == CU_LAUNCH_PROGRAMMATIC);
    if (right && f == (CUfunction)(void *)&reply_kernel)
        return send_reply(how, parameters);
    launches += right;
    if (!right || !runs)
        return right ? 0 : 1;
    fake_step s = {0};
    CUresult r = fake_step_take(&s, code_of(f), (fake_size){how->grid_x, how->grid_y, how->grid_z},
                                (fake_size){how->block_x, how->block_y, how->block_z},
                                how->shared_bytes, parameters);
    if (r == 0)
        r = run_step(&s);
    fake_step_drop(&s);
    return r;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block_size,
                                                     size_t shared_bytes)
{
    ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    *blocks = block_size > 0 && shared_bytes <= 232448 ? 2048 / block_size : 0;
    return f != NULL ? 0 : 1;
}

/* ---- graphs: their kernels are counted at each launch ---------------------------------------- */

/* Nodes go with their graph: an executable that outlives it cannot be patched any more. */
struct CUgraph_st { int n, edges, executables; bool gone; fake_step *step; };
struct CUgraphExec_st { int n; CUgraph graph; fake_step *step; };

static void drop_steps(fake_step *s, int n)
{
    for (int k = 0; k < n; k++)
        fake_step_drop(&s[k]);
    free(s);
}

static void leave(CUgraph graph)
{
    if (graph->gone && graph->executables == 0) {
        drop_steps(graph->step, graph->n);
        free(graph);
    }
}

static CUresult take_step(fake_step *s, const CUDA_KERNEL_NODE_PARAMS *p)
{
    return runs ? fake_step_take(s, code_of(p->function), (fake_size){p->grid_x, p->grid_y, p->grid_z},
                                 (fake_size){p->block_x, p->block_y, p->block_z}, p->shared_bytes,
                                 p->parameters) : 0;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    ENTER(cuGraphCreate);
    *graph = calloc(1, sizeof **graph);
    return *graph != NULL && flags == 0 ? 0 : 1;
}

static bool fine(const CUDA_KERNEL_NODE_PARAMS *p)
{
    return p->function != NULL && p->grid_x > 0 && p->grid_y == 1 && p->grid_z == 1 &&
           p->block_x > 0 && p->block_x <= 1024 && p->block_y == 1 && p->block_z == 1 &&
           p->parameters != NULL && p->parameters[0] != NULL && p->extra == NULL;
}

/* A node is its number, from 1 on; each is to come after the one before. */
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                 size_t nafter, const CUDA_KERNEL_NODE_PARAMS *p)
{
    ENTER(cuGraphAddKernelNode);
    graph->edges += nafter == 1 && (uintptr_t)*after == (uintptr_t)graph->n;
    fake_step *grown = realloc(graph->step, sizeof *grown * ((size_t)graph->n + 1));
    if (grown == NULL || !fine(p))
        return grown == NULL ? CUDA_ERROR_OUT_OF_MEMORY : 1;
    graph->step = grown;
    grown[graph->n] = (fake_step){0};
    *node = (CUgraphNode)(uintptr_t)(graph->n + 1);
    return take_step(&grown[graph->n++], p);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *how, size_t n)
{
    ENTER(cuGraphAddDependencies);
    graph->edges += (int)n;
    return n == 1 && (uintptr_t)*from + 1 == (uintptr_t)*to && how->to_port == 0 ? 0 : 1;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *e, CUgraph graph, unsigned long long flags)
{
    ENTER(cuGraphInstantiate);
    *e = calloc(1, sizeof **e);
    if (*e == NULL || flags != 0 || graph->edges != graph->n - 1)
        return 1;
    if (((*e)->step = calloc((size_t)graph->n, sizeof *graph->step)) == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < graph->n; k++)
        fake_step_copy(&(*e)->step[k], &graph->step[k]);
    (*e)->n = graph->n;
    (*e)->graph = graph;
    graph->executables++;
    return 0;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec e, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *p)
{
    ENTER(cuGraphExecKernelNodeSetParams);
    bool right = node != NULL && (uintptr_t)node <= (uintptr_t)e->n && !e->graph->gone && fine(p);
    return right ? take_step(&e->step[(uintptr_t)node - 1], p) : 1;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream stream)
{
    ENTER(cuGraphLaunch);
    launches += e->n;
    CUresult r = stream != NULL ? 0 : 1;
    for (int k = 0; runs && k < e->n && r == 0; k++)
        r = run_step(&e->step[k]);
    return r;
}

CUresult cuGraphExecDestroy(CUgraphExec e)
{
    ENTER(cuGraphExecDestroy);
    e->graph->executables--;
    leave(e->graph);
    drop_steps(e->step, e->n);
    free(e);
    return 0;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    ENTER(cuGraphDestroy);
    graph->gone = true;
    leave(graph);
    return 0;
}
