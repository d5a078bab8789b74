/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_radix.cuh - radix sorts of each type of key, each compiled by itself: they take longest.
 * Threads    any */
#ifndef HDI_CUB_RADIX_CUH
#define HDI_CUB_RADIX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace hdi {

/* Both buffers are written to; *second: the result is in b. tmp NULL: tmp_bytes is set. */
using radix_keys = cudaError_t(void *tmp, size_t &tmp_bytes, void *a, void *b, bool *second,
                               int64_t n, int begin, int end, cudaStream_t stream);
radix_keys radix_keys_u16, radix_keys_u32, radix_keys_u64, radix_keys_f32, radix_keys_f64;
/* The same of keys beside numbers of 32 bits. */
using radix_pairs = cudaError_t(void *tmp, size_t &tmp_bytes, void *a, void *b, uint32_t *va,
                                uint32_t *vb, bool *second, uint32_t n, int end,
                                cudaStream_t stream);
radix_pairs radix_pairs_u32, radix_pairs_u64;

}

#endif
