/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan_unsigned.cu - running results of unsigned integers, where their order counts. */
#include "backend/cuda/cub/cub_scan.cuh"

int hdi::scan_unsigned(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    switch (c->op) {
    case HDI_CUB_MAXIMUM: return scan_numbers<uint64_t, op_maximum>(c, p, bytes, stream);
    case HDI_CUB_MINIMUM: return scan_numbers<uint64_t, op_minimum>(c, p, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}
