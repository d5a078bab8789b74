/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_select.cu - elements and positions where flags are true: the flags of each part are counted,
 * the counts run through, and each part then knows where its elements go. That reads the flags
 * twice, a byte each, and waits for no other part, which CUB's selection does. */
#include <cub/block/block_reduce.cuh>

#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

enum {
    ITEMS = 16, PART = THREADS * ITEMS, WARP = 32, WARPS = THREADS / WARP, ROWS = ITEMS * WARPS
};

/* How many of 16 bytes are not 0. */
__device__ int count_16(uint4 f)
{
    return (__popc(__vsetne4(f.x, 0)) + __popc(__vsetne4(f.y, 0))) +
           (__popc(__vsetne4(f.z, 0)) + __popc(__vsetne4(f.w, 0)));
}

__global__ void __launch_bounds__(THREADS) count_flags(const uint8_t *flags, int64_t n,
                                                       int64_t *counts)
{
    using reducer = cub::BlockReduce<int, THREADS>;
    __shared__ typename reducer::TempStorage shared;
    const int64_t base = static_cast<int64_t>(blockIdx.x) * PART;
    const int64_t from = base + threadIdx.x * ITEMS, end = from + ITEMS < n ? from + ITEMS : n;
    int found = 0;
    if (end - from == ITEMS && reinterpret_cast<uintptr_t>(flags) % ITEMS == 0)
        found = count_16(*reinterpret_cast<const uint4 *>(flags + from));
    else
        for (int64_t i = from; i < end; i++)
            found += flags[i] != 0;
    found = reducer(shared).Sum(found);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = found;
}

template <typename T> struct elements {
    const T *in;
    using type = T;
    __device__ T operator()(int64_t i) const { return in[i]; }
};
struct numbers {
    using type = int64_t;
    __device__ int64_t operator()(int64_t i) const { return i; }
};

/* A warp takes 32 neighbours at a time, so it reads and writes side by side; a row is what a warp
 * takes at once. */
template <typename From>
__global__ void __launch_bounds__(THREADS) put_flagged(From from, const uint8_t *flags, int64_t n,
                                                       const int64_t *counts,
                                                       typename From::type *out)
{
    __shared__ int before[ROWS];
    const int64_t base = static_cast<int64_t>(blockIdx.x) * PART;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int64_t first = base + threadIdx.x, to = blockIdx.x > 0 ? counts[blockIdx.x - 1] : 0;
    typename From::type item[ITEMS];
    unsigned set[ITEMS];
    /* one loop each: no load waits for what an earlier one is used for */
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        set[i] = first + i * THREADS < n ? flags[first + i * THREADS] : 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (set[i] != 0)
            item[i] = from(first + i * THREADS);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        set[i] = __ballot_sync(~0u, set[i] != 0);
        if (lane == 0)
            before[i * WARPS + warp] = __popc(set[i]);
    }
    __syncthreads();
    if (warp == 0) {
        int own[ROWS / WARP], sum = 0;
#pragma unroll
        for (int k = 0; k < ROWS / WARP; k++) {
            own[k] = sum;
            sum += before[lane * (ROWS / WARP) + k];
        }
        int through = sum;
        for (int step = 1; step < WARP; step *= 2) {
            const int other = __shfl_up_sync(~0u, through, step);
            through += lane >= step ? other : 0;
        }
        sum = through - sum;
#pragma unroll
        for (int k = 0; k < ROWS / WARP; k++)
            before[lane * (ROWS / WARP) + k] = own[k] + sum;
    }
    __syncthreads();
    out += to;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (set[i] >> lane & 1)
            out[before[i * WARPS + warp] + __popc(set[i] & ((1u << lane) - 1))] = item[i];
}

template <typename From>
int select(const hdi_cub_call *c, From from, const void *where, void *scratch, size_t *bytes,
           void *stream)
{
    pieces p = {static_cast<char *>(scratch)};
    const uint8_t *flags = static_cast<const uint8_t *>(where);
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    const int64_t parts = (c->n + PART - 1) / PART;
    int64_t *counts = p.take<int64_t>(parts);
    hdi_cub_call scan = {};
    scan.in = scan.out = counts;
    scan.lines = 1;
    scan.n = parts;
    scan.dt = scan.cdt = scan.out_dt = HD_INT64;
    scan.op = HDI_CUB_ADD;
    size_t scan_bytes = 0;
    if (parts > INT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    int e = hdi_cub_accumulate(&scan, nullptr, &scan_bytes, stream);
    void *scan_scratch = p.take<char>(static_cast<int64_t>(scan_bytes) + 1);
    *bytes = p.used;
    if (e != 0 || scratch == nullptr || parts == 0)
        return e;
    const unsigned blocks = static_cast<unsigned>(parts);
    count_flags<<<blocks, THREADS, 0, s>>>(flags, c->n, counts);
    if ((e = hdi_cub_accumulate(&scan, scan_scratch, &scan_bytes, stream)) != 0)
        return e;
    put_flagged<<<blocks, THREADS, 0, s>>>(from, flags, c->n, counts,
                                           static_cast<typename From::type *>(c->out));
    return static_cast<int>(cudaGetLastError());
}

template <typename T>
int compress(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return select(c, elements<T>{static_cast<const T *>(c->in)}, c->in2, scratch, bytes, stream);
}

}

int hdi_cub_compress(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    switch (c->width) {
    case 1: return compress<uint8_t>(c, scratch, bytes, stream);
    case 2: return compress<uint16_t>(c, scratch, bytes, stream);
    case 4: return compress<uint32_t>(c, scratch, bytes, stream);
    case 8: return compress<uint64_t>(c, scratch, bytes, stream);
    case 16: return compress<ulonglong2>(c, scratch, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}

int hdi_cub_places(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return select(c, numbers{}, c->in, scratch, bytes, stream);
}
