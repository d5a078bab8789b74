/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_code.c - PTX is assembled in process, by the driver's linker, which hands out the image that
 * the disk cache keeps. */
#include "backend/cuda/cuda_code.h"

#include <stdio.h>

#include "base/alloc.h"
#include "codegen/cg_cache.h"
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

CUresult hdi_cuda_load(hdi_cuda *d, const void *image, CUmodule *module)
{
    CUresult r = hdi_cu.cuModuleLoadDataEx(module, image, 0, NULL, NULL);
    if (r == CUDA_ERROR_OUT_OF_MEMORY && hdi_cuda_make_room(d))
        r = hdi_cu.cuModuleLoadDataEx(module, image, 0, NULL, NULL);
    return r;
}

static hd_status load(hdi_cuda *d, const void *image, const char *entry, CUmodule *module,
                      CUfunction *function)
{
    hd_status status = hdi_cuda_check(d, hdi_cuda_load(d, image, module), "loading a kernel");
    if (status != HD_OK)
        return status;
    status = hdi_cuda_check(d, hdi_cu.cuModuleGetFunction(function, *module, entry),
                            "loading a kernel");
    if (status != HD_OK)
        hdi_cu.cuModuleUnload(*module);
    return status;
}

/* What an image depends on besides the code. */
static void name_target(const hdi_cuda *d, char *target, size_t size)
{
    char version[16];
    hdi_cuda_driver_version(version, sizeof version);
    snprintf(target, size, "cuda %s sm_%d%d", version, d->limits.major, d->limits.minor);
}

/* how NULL: only if it is on disk; else *function is NULL. */
static hd_status come_by(hdi_cuda *d, const hdi_sequence *s, hdi_cg_assemble how, CUmodule *module,
                         CUfunction *function)
{
    char target[40];
    void *image = NULL;
    size_t bytes = 0;
    *function = NULL;
    name_target(d, target, sizeof target);
    hd_status status = hdi_cg_image(s, target, how, d, &image, &bytes);
    if (status != HD_OK || image == NULL)
        return status;
    status = load(d, image, HDI_GRID_ENTRY, module, function);
    hdi_free(image, bytes);
    return status;
}

hd_status hdi_cuda_code(hdi_cuda *d, const hdi_sequence *s, CUmodule *module, CUfunction *function)
{
    return come_by(d, s, assemble, module, function);
}

hd_status hdi_cuda_code_known(hdi_cuda *d, const hdi_sequence *s, CUmodule *module,
                              CUfunction *function)
{
    return come_by(d, s, NULL, module, function);
}

/* The key is the target, in the room that it has, and the text. */
hd_status hdi_cuda_code_text(hdi_cuda *d, const char *text, const char *entry, CUmodule *module,
                             CUfunction *function)
{
    enum { TARGET = 48 };
    size_t length = strlen(text), key_bytes = TARGET + length, bytes = 0;
    char *key = hdi_calloc(key_bytes);
    if (key == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel's code");
    name_target(d, key, TARGET);
    memcpy(key + TARGET, text, length);
    void *image = hdi_cg_cache_get(key, key_bytes, &bytes);
    hd_status status = HD_OK;
    if (image == NULL && (status = assemble(d, text, length, &image, &bytes)) == HD_OK)
        hdi_cg_cache_put(key, key_bytes, image, bytes);
    hdi_free(key, key_bytes);
    if (status != HD_OK)
        return status;
    status = load(d, image, entry, module, function);
    hdi_free(image, bytes);
    return status;
}

hd_status hdi_cuda_code_lir(hdi_cuda *d, const hdi_lir *l, CUmodule *module, CUfunction *function)
{
    char target[40];
    void *image = NULL;
    size_t bytes = 0;
    const hdi_lir_target t = {.arch = hdi_cuda_arch(d), .small_grid = true};
    name_target(d, target, sizeof target);
    hd_status status = hdi_cg_lir_image(l, &t, target, assemble, d, &image, &bytes);
    if (status != HD_OK)
        return status;
    status = load(d, image, HDI_LIR_ENTRY, module, function);
    hdi_free(image, bytes);
    return status;
}
