/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_radix.cuh - radix sorts of each type of key, each compiled by itself: they take longest.
 * Threads    any */
#ifndef HDI_CUB_RADIX_CUH
#define HDI_CUB_RADIX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace hdi {

/* The first `end` bits are looked at. tmp NULL: tmp_bytes is set. */
using radix_keys = cudaError_t(void *tmp, size_t &tmp_bytes, const void *in, void *out, int64_t n,
                               int end, cudaStream_t stream);
radix_keys radix_keys_u16, radix_keys_u32, radix_keys_u64, radix_keys_i16, radix_keys_i32,
    radix_keys_i64, radix_keys_f32, radix_keys_f64;
/* Keys beside numbers of 32 bits: both buffers of each are written to; *second: the results are in
 * b and vb. */
using radix_pairs = cudaError_t(void *tmp, size_t &tmp_bytes, void *a, void *b, uint32_t *va,
                                uint32_t *vb, bool *second, uint32_t n, int end,
                                cudaStream_t stream);
radix_pairs radix_pairs_u32, radix_pairs_u64;

}

#endif
