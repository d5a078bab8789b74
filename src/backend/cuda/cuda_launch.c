/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_launch.c - see cuda_launch.h. */
#include "backend/cuda/cuda_launch.h"

hd_status hdi_cuda_launch(hdi_cuda *d, hdi_launch *l)
{
    return hdi_fail(HD_UNSUPPORTED, "kernels (this one over %lld elements) do not run on "
                    "cuda:%d yet", (long long)l->size, d->number);
}
