/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_more.c - functions of the fake driver that only cupy.cuda.runtime calls: cuda_driver.def has
 * none of them. Signatures as the CUDA driver API's documentation has them. */
#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda_driver.h"
#include "fake_memory.h"

#define EXPORT __attribute__((visibility("default")))

/* Of fake_libcuda.c. */
CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD8Async(CUdeviceptr ptr, unsigned char value, size_t bytes, CUstream stream);
CUresult cuStreamCreate(CUstream *stream, unsigned flags);

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned flags);
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream);
EXPORT CUresult cuMemsetD8_v2(CUdeviceptr ptr, unsigned char value, size_t bytes);
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
EXPORT CUresult cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags);
EXPORT CUresult cuMemHostUnregister(void *ptr);
EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority);
EXPORT CUresult cuDeviceGetPCIBusId(char *text, int room, CUdevice device);

CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned flags)
{
    return flags == 1 ? cuMemAlloc_v2(ptr, bytes) : 1;
}

CUresult cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
    return stream != NULL ? cuMemAlloc_v2(ptr, bytes) : 1;
}

CUresult cuMemsetD8_v2(CUdeviceptr ptr, unsigned char value, size_t bytes)
{
    return cuMemsetD8Async(ptr, value, bytes, NULL);
}

/* Addresses of devices are marked. */
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const void *source = (const void *)(uintptr_t)from;
    void *target = (void *)(uintptr_t)to;
    if (to & FAKE_DEVICE && from & FAKE_DEVICE)
        return cuMemcpyHtoDAsync_v2(to, fake_on_host(source), bytes, stream);
    if (to & FAKE_DEVICE)
        return cuMemcpyHtoDAsync_v2(to, source, bytes, stream);
    if (from & FAKE_DEVICE)
        return cuMemcpyDtoHAsync_v2(target, from, bytes, stream);
    memcpy(target, source, bytes);
    return 0;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return cuMemcpyAsync(to, from, bytes, NULL);
}

CUresult cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags)
{
    return ptr != NULL && bytes > 0 && flags <= 7 ? 0 : 1;
}

CUresult cuMemHostUnregister(void *ptr)
{
    return ptr != NULL ? 0 : 1;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    return priority <= 0 ? cuStreamCreate(stream, flags) : 1;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    *flags = stream != NULL;
    return 0;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    *priority = stream != NULL ? -1 : 0;
    return 0;
}

CUresult cuDeviceGetPCIBusId(char *text, int room, CUdevice device)
{
    snprintf(text, (size_t)room, "0000:%02X:00.0", (unsigned)device + 16);
    return 0;
}
