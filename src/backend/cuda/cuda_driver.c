/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_driver.c - see cuda_driver.h. */
#include "backend/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/beside.h"

hdi_cuda_table hdi_cu;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[320];        /* why there is no driver; "" if there is one */
static int version, count;

/* Where each function goes, and what libcuda calls it. */
static const struct { const char *symbol; size_t offset; bool later; } symbols[] = {
#define CU(name, symbol, arguments) {#symbol, offsetof(hdi_cuda_table, name), false},
#define CU_LATER(name, symbol, arguments) {#symbol, offsetof(hdi_cuda_table, name), true},
#include "backend/cuda/cuda_driver.def"
};

static bool load(void)
{
    const char *path = hdi_file_wish("HEDDLE_LIBCUDA");
    if (path == NULL)
        path = "libcuda.so.1";
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(reason, sizeof reason, "no NVIDIA driver: %s", dlerror());
        return false;
    }
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        void *function = dlsym(handle, symbols[k].symbol);
        if (function == NULL && !symbols[k].later) {
            snprintf(reason, sizeof reason,
                     "the NVIDIA driver is too old: %s lacks %s; CUDA %d.%d is needed", path,
                     symbols[k].symbol, HDI_CUDA_DRIVER_MIN / 1000,
                     HDI_CUDA_DRIVER_MIN % 1000 / 10);
            return false;
        }
        memcpy((uint8_t *)&hdi_cu + symbols[k].offset, &function, sizeof function);
    }
    return true;
}

static bool called(CUresult result, const char *function)
{
    char text[200];
    if (result == CUDA_SUCCESS)
        return true;
    hdi_cuda_error_text(result, text, sizeof text);
    snprintf(reason, sizeof reason, "%s failed with %s", function, text);
    return false;
}

static void open_once(void)
{
    if (!load() || !called(hdi_cu.cuDriverGetVersion(&version), "cuDriverGetVersion"))
        return;
    if (version < HDI_CUDA_DRIVER_MIN) {
        snprintf(reason, sizeof reason,
                 "the NVIDIA driver is too old: it knows CUDA %d.%d, and %d.%d is needed",
                 version / 1000, version % 1000 / 10, HDI_CUDA_DRIVER_MIN / 1000,
                 HDI_CUDA_DRIVER_MIN % 1000 / 10);
        return;
    }
    if (!called(hdi_cu.cuInit(0), "cuInit") ||
        !called(hdi_cu.cuDeviceGetCount(&count), "cuDeviceGetCount"))
        count = 0;
    else if (count == 0)
        snprintf(reason, sizeof reason, "the NVIDIA driver sees no device");
}

hd_status hdi_cuda_driver(void)
{
    pthread_once(&once, open_once);
    return count > 0 ? HD_OK : hdi_fail(HD_DEVICE, "CUDA cannot be used: %s", reason);
}

int hdi_cuda_count(void)
{
    pthread_once(&once, open_once);
    return count;
}

void hdi_cuda_driver_version(char *text, size_t size)
{
    snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

void hdi_cuda_error_text(CUresult error, char *text, size_t size)
{
    const char *name = NULL, *what = NULL;
    hdi_cu.cuGetErrorName(error, &name);
    hdi_cu.cuGetErrorString(error, &what);
    if (name == NULL)
        snprintf(text, size, "error %d", error);
    else
        snprintf(text, size, "%s (%s)", name, what != NULL ? what : "no description");
}
