/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan_float64.cu - running results of float64. */
#include "backend/cuda/cub/cub_product.cuh"

int hdi::scan_float64(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    switch (c->op) {
    case HDI_CUB_ADD: return scan_numbers<double, op_add>(c, p, bytes, stream);
    case HDI_CUB_MULTIPLY: return scan_products<double>(c, p, bytes, stream);
    case HDI_CUB_MAXIMUM: return scan_numbers<double, op_maximum>(c, p, bytes, stream);
    case HDI_CUB_MINIMUM: return scan_numbers<double, op_minimum>(c, p, bytes, stream);
    case HDI_CUB_FMAX: return scan_numbers<double, op_fmax>(c, p, bytes, stream);
    case HDI_CUB_FMIN: return scan_numbers<double, op_fmin>(c, p, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}
