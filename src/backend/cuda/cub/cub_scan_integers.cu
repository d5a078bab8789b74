/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan_integers.cu - running results of integers, but for the order of those without a sign. */
#include "backend/cuda/cub/cub_scan.cuh"

int hdi::scan_integers(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    switch (c->op) {
    case HDI_CUB_ADD: return scan_numbers<int64_t, op_add>(c, p, bytes, stream);
    case HDI_CUB_MULTIPLY: return scan_numbers<int64_t, op_multiply>(c, p, bytes, stream);
    case HDI_CUB_MAXIMUM: return scan_numbers<int64_t, op_maximum>(c, p, bytes, stream);
    case HDI_CUB_MINIMUM: return scan_numbers<int64_t, op_minimum>(c, p, bytes, stream);
    case HDI_CUB_AND: return scan_numbers<int64_t, op_and>(c, p, bytes, stream);
    case HDI_CUB_OR: return scan_numbers<int64_t, op_or>(c, p, bytes, stream);
    case HDI_CUB_XOR: return scan_numbers<int64_t, op_xor>(c, p, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}
