/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_walk.cuh - through elements that are counted, and through a table in order.
 * Threads    a thread of the GPU */
#ifndef HDI_CUB_WALK_CUH
#define HDI_CUB_WALK_CUH

#include "backend/cuda/cub/cub_inside.cuh"

namespace hdi {

/* count(load(i)) for every n-th thread's share of a grid. Several are loaded before the first is
 * counted: the compiler does not move a load to before an atomic operation. */
template <typename Load, typename Count>
__device__ __forceinline__ void load_ahead(int64_t n, Load load, Count count)
{
    constexpr int AHEAD = 8;
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    for (; i + (AHEAD - 1) * step < n; i += AHEAD * step) {
        decltype(load(i)) v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            v[k] = load(i + k * step);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            count(v[k]);
    }
    for (; i < n; i += step)
        count(load(i));
}

/* Half of what is left each time; before(at): does that element come before the value? */
template <typename Before> __device__ int64_t first_not(int64_t n, Before before)
{
    int64_t from = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const bool later = before(from + half);
        from = later ? from + half + 1 : from;
        n = later ? n - half - 1 : half;
    }
    return from;
}

}

#endif
