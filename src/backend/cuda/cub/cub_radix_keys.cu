/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_radix_keys.cu - a radix sort of keys; compiled once for each type of key (HDI_KEY, HDI_NAME).
 * CUB takes -0.0 and 0.0 of real keys for equal, and is stable. */
#include <cub/device/device_radix_sort.cuh>

#include "backend/cuda/cub/cub_radix.cuh"

cudaError_t hdi::HDI_NAME(void *tmp, size_t &tmp_bytes, const void *in, void *out, int64_t n,
                          int end, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(tmp, tmp_bytes, static_cast<const HDI_KEY *>(in),
                                          static_cast<HDI_KEY *>(out), n, 0, end, stream);
}
