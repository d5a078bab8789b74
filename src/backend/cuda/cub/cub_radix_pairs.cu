/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_radix_pairs.cu - a radix sort of keys beside numbers of 32 bits, positions mostly; compiled
 * once for each type of key (HDI_KEY, HDI_NAME). */
#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/cub/cub_radix.cuh"

cudaError_t hdi::HDI_NAME(void *tmp, size_t &tmp_bytes, void *a, void *b, uint32_t *va,
                          uint32_t *vb, bool *second, uint32_t n, int end, cudaStream_t stream)
{
    cub::DoubleBuffer<HDI_KEY> keys(static_cast<HDI_KEY *>(a), static_cast<HDI_KEY *>(b));
    cub::DoubleBuffer<uint32_t> values(va, vb);
    const cudaError_t e = cub::DeviceRadixSort::SortPairs(tmp, tmp_bytes, keys, values, n, 0, end,
                                                          stream);
    *second = keys.selector != 0;
    return e;
}
