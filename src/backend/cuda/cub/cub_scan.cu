/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan.cu - which numbers a call of accumulate is computed in. */
#include "backend/cuda/cub/cub_scan.cuh"

using namespace hdi;

namespace {

bool is_integer(int dt) { return dt <= HD_UINT64; }
bool has_sign(int dt) { return dt >= HD_INT8 && dt <= HD_INT64; }
bool is_single(int dt) { return dt == HD_FLOAT32 || dt == HD_FLOAT16 || dt == HD_BFLOAT16; }

/* Maxima and minima depend on what the numbers mean; sums and bits do not. */
bool orders(int op) { return op >= HDI_CUB_MAXIMUM && op <= HDI_CUB_FMIN; }

}

int hdi_cub_can_accumulate(int op, int dt, int cdt)
{
    const bool bits = op >= HDI_CUB_AND && op <= HDI_CUB_XOR;
    if (op < 0 || op >= HDI_CUB_NO_OP)
        return 0;
    if (cdt == HD_BOOL)
        return dt == cdt && bits;
    if (is_integer(cdt))
        return is_integer(dt) && op != HDI_CUB_FMAX && op != HDI_CUB_FMIN &&
               (!orders(op) || dt == cdt);
    if (cdt == HD_COMPLEX64 || cdt == HD_COMPLEX128)
        return dt == cdt && (op == HDI_CUB_ADD || op == HDI_CUB_MULTIPLY);
    return !bits && (dt == cdt || (cdt == HD_FLOAT32 && is_single(dt)));
}

int hdi_cub_accumulate(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const pieces p = {static_cast<char *>(scratch)};
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    if (!hdi_cub_can_accumulate(c->op, c->dt, c->cdt))
        return static_cast<int>(cudaErrorInvalidValue);
    if (is_integer(c->cdt))
        return orders(c->op) && !has_sign(c->cdt) ? scan_unsigned(c, p, bytes, s)
                                                  : scan_integers(c, p, bytes, s);
    if (is_single(c->cdt))
        return scan_float32(c, p, bytes, s);
    return c->cdt == HD_FLOAT64 ? scan_float64(c, p, bytes, s) : scan_complex(c, p, bytes, s);
}
