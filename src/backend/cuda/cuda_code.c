/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_code.c - PTX is assembled in process, by the driver's linker, which hands out the image that
 * the disk cache keeps. */
#include "backend/cuda/cuda_code.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codegen/cg_image.h"

uint8_t hdi_cuda_arch(const hdi_cuda *d)
{
    int cc = d->limits.major * 10 + d->limits.minor;
    return cc >= 90 ? 90 : cc >= 80 ? 80 : 75;
}

static hd_status take_image(const void *cubin, size_t size, void **image, size_t *bytes)
{
    if ((*image = hdi_alloc(size)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel's code");
    memcpy(*image, cubin, size);
    *bytes = size;
    return HD_OK;
}

static hd_status assemble(void *ctx, const char *ptx, size_t length, void **image, size_t *bytes)
{
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, INPUT_PTX = 1 };
    hdi_cuda *d = ctx;
    char log[1024] = "";
    CUjit_option options[2] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[2] = {log, (void *)(uintptr_t)sizeof log};
    CUlinkState link;
    void *cubin;
    size_t size;
    hd_status status =
        hdi_cuda_check(d, hdi_cu.cuLinkCreate(2, options, values, &link), "assembling a kernel");
    if (status != HD_OK)
        return status;
    CUresult r = hdi_cu.cuLinkAddData(link, INPUT_PTX, (void *)(uintptr_t)ptx, length + 1,
                                      "heddle", 0, NULL, NULL);
    if (r == CUDA_SUCCESS)
        r = hdi_cu.cuLinkComplete(link, &cubin, &size);
    status = r == CUDA_SUCCESS ? take_image(cubin, size, image, bytes)
             : log[0] != '\0'  ? hdi_fail(HD_DEVICE, "a kernel could not be assembled: %s", log)
                               : hdi_cuda_check(d, r, "assembling a kernel");
    hdi_cu.cuLinkDestroy(link);
    return status;
}

hd_status hdi_cuda_code(hdi_cuda *d, const hdi_sequence *s, CUmodule *module, CUfunction *function)
{
    char target[40], version[16];
    void *image = NULL;
    size_t bytes = 0;
    hdi_cuda_driver_version(version, sizeof version);
    snprintf(target, sizeof target, "cuda %s sm_%d%d", version, d->limits.major, d->limits.minor);
    hd_status status = hdi_cg_image(s, target, assemble, d, &image, &bytes);
    if (status != HD_OK)
        return status;
    status = hdi_cuda_check(d, hdi_cu.cuModuleLoadDataEx(module, image, 0, NULL, NULL),
                            "loading a kernel");
    hdi_free(image, bytes);
    if (status != HD_OK)
        return status;
    status = hdi_cuda_check(d, hdi_cu.cuModuleGetFunction(function, *module, HDI_GRID_ENTRY),
                            "loading a kernel");
    if (status != HD_OK)
        hdi_cu.cuModuleUnload(*module);
    return status;
}
