/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_library.c - which function does a library call. */
#include "backend/cuda/cuda_library.h"

#include "backend/cuda/cuda_blas.h"
#include "backend/cuda/cuda_calls.h"
#include "backend/cuda/cuda_correlate.h"
#include "backend/cuda/cuda_cub.h"
#include "backend/cuda/cuda_fft.h"
#include "backend/cuda/cuda_places.h"
#include "backend/cuda/cuda_solver.h"
#include "backend/cuda/cuda_user.h"
#include "core/op.h"

hd_status hdi_cuda_library(hdi_cuda *d, const hdi_xcall *x)
{
    if (hdi_cuda_cub_has(d, x))
        return hdi_cuda_cub(d, x);
    switch (x->op) {
    case HD_OP_matmul:
        return hdi_cuda_blas_knows(x->cdt) ? hdi_cuda_matmul(d, x) : hdi_cuda_product(d, x);
    case HD_OP_accumulate:
        return hdi_cuda_accumulate(d, x);
    case HD_OP_reduceat:
        return hdi_cuda_reduceat(d, x);
    case HD_OP_gather:
        return hdi_cuda_gather(d, x);
    case HD_OP_at:
        return hdi_cuda_at(d, x);
    case HD_OP_scatter:
        return hdi_cuda_scatter(d, x);
    case HD_OP_solve: case HD_OP_inv: case HD_OP_det: case HD_OP_slogdet: case HD_OP_cholesky:
    case HD_OP_qr: case HD_OP_svd: case HD_OP_eigh: case HD_OP_eig: case HD_OP_lstsq:
        return hdi_cuda_linalg(d, x);
    case HD_OP_correlate:
        return hdi_cuda_correlate(d, x);
    case HD_OP_fft:
        return hdi_cuda_fft(d, x);
    case HD_OP_user_grid:
        return hdi_cuda_user_grid(d, x);
    default:
        return hdi_fail(HD_UNSUPPORTED, "%s is not available on cuda:%d yet",
                        hdi_op_rows[x->op].info.name, d->number);
    }
}
