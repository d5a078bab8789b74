/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_user.c - kernels of the user's own: addresses and values to the driver. */
#include "backend/cuda/cuda_user.h"

#include "backend/cuda/cuda_code.h"
#include "backend/xcall.h"
#include "base/alloc.h"
#include "core/object.h"

/* ---- kernels in lowered IR ------------------------------------------------------------------- */

typedef struct kernel {
    CUmodule module;
    CUfunction function;
    unsigned shared;             /* dynamic shared memory that a block may have now */
} kernel;

enum { SHARED_AT_FIRST = 48 << 10 };

hd_status hdi_cuda_user_kernel(hdi_cuda *d, hdi_lir *l, uintptr_t *function)
{
    kernel *k = hdi_calloc(sizeof *k);
    hd_status status =
        k != NULL ? hdi_cuda_enter(d) : hdi_fail(HD_NOMEM, "out of memory for a kernel");
    if (status == HD_OK)
        status = hdi_cuda_code_lir(d, l, &k->module, &k->function);
    hdi_lir_free(l);
    if (status != HD_OK) {
        hdi_free(k, sizeof *k);
        return status;
    }
    k->shared = SHARED_AT_FIRST;
    *function = (uintptr_t)k;
    return HD_OK;
}

void hdi_cuda_user_free(hdi_cuda *d, uintptr_t function)
{
    kernel *k = (kernel *)function;
    if (hdi_cuda_usable(d) && hdi_cuda_enter(d) == HD_OK) {
        hdi_cu.cuCtxSynchronize();
        hdi_cu.cuModuleUnload(k->module);
    }
    hdi_free(k, sizeof *k);
}

/* What the driver launches. More shared memory than it allows at first has to be asked for. */
static hd_status function_of(hdi_cuda *d, const hdi_grid_launch *l, CUfunction *f)
{
    enum { MAX_DYNAMIC_SHARED = 8 };
    *f = (CUfunction)l->function;
    if (l->kernel == NULL)
        return HD_OK;
    kernel *k = (kernel *)l->function;
    *f = k->function;
    if (l->shared_bytes <= k->shared)
        return HD_OK;
    k->shared = l->shared_bytes;
    return hdi_cuda_check(
        d, hdi_cu.cuFuncSetAttribute(*f, MAX_DYNAMIC_SHARED, (int)l->shared_bytes), l->name);
}

/* ---- launches -------------------------------------------------------------------------------- */

static hd_status enqueue(hdi_cuda *d, const hdi_grid_launch *l, void **parameters)
{
    const CUlaunchConfig how = {.grid_x = l->grid[0], .grid_y = l->grid[1], .grid_z = l->grid[2],
                                .block_x = l->block[0], .block_y = l->block[1],
                                .block_z = l->block[2], .shared_bytes = l->shared_bytes,
                                .stream = d->stream};
    CUfunction f;
    const hd_status status = function_of(d, l, &f);
    if (status != HD_OK)
        return status;
    CUresult r = hdi_cu.cuLaunchKernelEx(&how, f, parameters, NULL);
    if (r == CUDA_ERROR_OUT_OF_MEMORY && hdi_cuda_make_room(d))
        r = hdi_cu.cuLaunchKernelEx(&how, f, parameters, NULL);
    return hdi_cuda_check(d, r, l->name);
}

hd_status hdi_cuda_user_grid(hdi_cuda *d, const hdi_xcall *x)
{
    const hdi_grid_launch *l = (const hdi_grid_launch *)x->payload.object;
    const size_t room = (size_t)hdi_max64(l->nargs, 1) * (sizeof(uint64_t) + sizeof(void *));
    hd_status status = hdi_cuda_enter(d);
    uint64_t *address = status == HD_OK ? hdi_alloc(room) : NULL;
    if (address == NULL)
        return status != HD_OK ? status : hdi_fail(HD_NOMEM, "out of memory to launch %s", l->name);
    void **parameters = (void **)(address + l->nargs);
    hdi_xcall_grid_args(x, l, address, parameters);
    hdi_cuda_note(d, l->name);
    status = enqueue(d, l, parameters);
    hdi_free(address, room);
    return status;
}
