/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_compile.c - see cuda_compile.h. */
#include "backend/cuda/cuda_compile.h"

hd_status hdi_cuda_compile(hdi_cuda *d, const hdi_kernel *k, void **program)
{
    (void)program;
    return hdi_fail(HD_UNSUPPORTED, "kernels (this one of %d instructions) do not run on "
                    "cuda:%d yet", k->ninst, d->number);
}

void hdi_cuda_destroy(hdi_cuda *d, void *program)
{
    (void)d;
    (void)program;
}
