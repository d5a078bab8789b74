/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_library.c - see cuda_library.h. */
#include "backend/cuda/cuda_library.h"

#include "core/op.h"

hd_status hdi_cuda_library(hdi_cuda *d, const hdi_xcall *x)
{
    return hdi_fail(HD_UNSUPPORTED, "%s is not available on cuda:%d yet",
                    hdi_op_rows[x->op].info.name, d->number);
}
