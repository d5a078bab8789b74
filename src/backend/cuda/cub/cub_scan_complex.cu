/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan_complex.cu - running results of complex numbers. */
#include "backend/cuda/cub/cub_product.cuh"

int hdi::scan_complex(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    const bool wide = c->cdt == HD_COMPLEX128;
    switch (c->op) {
    case HDI_CUB_ADD:
        return wide ? scan_numbers<complex128, op_add>(c, p, bytes, stream)
                    : scan_numbers<complex64, op_add>(c, p, bytes, stream);
    case HDI_CUB_MULTIPLY:
        return wide ? scan_products<complex128>(c, p, bytes, stream)
                    : scan_products<complex64>(c, p, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}
