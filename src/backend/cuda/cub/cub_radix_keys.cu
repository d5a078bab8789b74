/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_radix_keys.cu - a radix sort of keys; compiled once for each type of key (HDI_KEY, HDI_NAME).
 * CUB takes -0.0 and 0.0 of real keys for equal, and is stable. */
#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/cub/cub_radix.cuh"

cudaError_t hdi::HDI_NAME(void *tmp, size_t &tmp_bytes, void *a, void *b, bool *second, int64_t n,
                          int begin, int end, cudaStream_t stream)
{
    cub::DoubleBuffer<HDI_KEY> keys(static_cast<HDI_KEY *>(a), static_cast<HDI_KEY *>(b));
    const cudaError_t e = cub::DeviceRadixSort::SortKeys(tmp, tmp_bytes, keys, n, begin, end,
                                                         stream);
    *second = keys.selector != 0;
    return e;
}
