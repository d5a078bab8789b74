/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_count.cu - bincount. Counts are added up in any order. Sums of weights are not: elements are
 * sorted by their place, and each place's are added in the order of a fixed tree: tiles of sorted
 * elements, then what tiles have of a place that goes on in the next. */
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

#include "backend/cuda/cub/cub_walk.cuh"

using namespace hdi;

namespace {

enum { SHARED_PLACES = 8192, ITEMS = 8, TILE = THREADS * ITEMS };

/* ---- counts ---------------------------------------------------------------------------------- */

using count_type = unsigned long long;

template <typename Count>
__device__ __forceinline__ void each_place(const int64_t *in, int64_t n, Count count)
{
    load_ahead(n, [=](int64_t i) { return in[i]; }, count);
}

__global__ void count_far(const int64_t *in, int64_t n, count_type *out)
{
    each_place(in, n, [=](int64_t v) { atomicAdd(&out[v], 1ull); });
}

/* Few places: each block counts into its own. */
__global__ void count_near(const int64_t *in, int64_t n, int places, count_type *out)
{
    extern __shared__ unsigned own[];
    for (int v = threadIdx.x; v < places; v += THREADS)
        own[v] = 0;
    __syncthreads();
    each_place(in, n, [](int64_t v) { atomicAdd(&own[v], 1u); });
    __syncthreads();
    for (int v = threadIdx.x; v < places; v += THREADS)
        if (own[v] != 0)
            atomicAdd(&out[v], static_cast<count_type>(own[v]));
}

int count(const hdi_cub_call *c, cudaStream_t stream)
{
    const int64_t *in = static_cast<const int64_t *>(c->in);
    count_type *out = static_cast<count_type *>(c->out);
    CUB_TRY(cudaMemsetAsync(out, 0, static_cast<size_t>(c->m) * sizeof *out, stream));
    if (c->n == 0)
        return 0;
    if (c->m > SHARED_PLACES) {
        count_far<<<blocks_for(c->n, 4), THREADS, 0, stream>>>(in, c->n, out);
    } else {
        const int64_t most = blocks_for(c->n, 32);   /* none counts 2^32 of them */
        const int places = static_cast<int>(c->m);
        const unsigned blocks = static_cast<unsigned>(most < 2048 ? most : 2048);
        count_near<<<blocks, THREADS, places * sizeof(unsigned), stream>>>(in, c->n, places, out);
    }
    return static_cast<int>(cudaGetLastError());
}

/* ---- sums ------------------------------------------------------------------------------------ */

struct part_sum { uint32_t place; double sum; };
struct join {
    __device__ part_sum operator()(const part_sum &a, const part_sum &b) const
    {
        return {b.place, a.place == b.place ? a.sum + b.sum : b.sum};
    }
};

__global__ void number(const int64_t *in, int64_t n, uint32_t *place, uint32_t *at)
{
    for (CUB_EACH(i, n)) {
        place[i] = static_cast<uint32_t>(in[i]);
        at[i] = static_cast<uint32_t>(i);
    }
}

/* Sums of a tile. A place that neither began before it nor goes on behind it is done; of others the
 * tile keeps its part: the first place's in `first`, the last one's in `last`. */
__global__ void __launch_bounds__(THREADS) sum_tiles(const uint32_t *place, const uint32_t *at,
                                                     uint32_t n, const double *weight, double *out,
                                                     part_sum *first, part_sum *last)
{
    using scanner = cub::BlockScan<part_sum, THREADS>;
    __shared__ typename scanner::TempStorage shared;
    const int64_t base = static_cast<int64_t>(blockIdx.x) * TILE;
    const int64_t end = base + TILE < n ? base + TILE : n;
    const int64_t from = base + static_cast<int64_t>(threadIdx.x) * ITEMS;
    part_sum item[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = from + i < end ? part_sum{place[from + i], weight[at[from + i]]}
                                 : part_sum{place[end - 1], 0.0};
    scanner(shared).InclusiveScan(item, item, join());
    const uint32_t first_place = place[base];
    const bool began = base > 0 && place[base - 1] == first_place;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int64_t here = from + i;
        if (here >= end || (here + 1 < end && place[here + 1] == item[i].place))
            continue;   /* not the last of its place in the tile */
        if (item[i].place == first_place)
            first[blockIdx.x] = item[i];
        if (here + 1 == end)
            last[blockIdx.x] = item[i];
        const bool goes_on = here + 1 < n && place[here + 1] == item[i].place;
        if (!goes_on && !(began && item[i].place == first_place))
            out[item[i].place] = item[i].sum;
    }
}

/* A warp for each tile in which a place begins that goes on behind it. */
__global__ void sum_across(const part_sum *first, const part_sum *last, int64_t tiles, double *out)
{
    const int64_t t = (static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;
    if (t + 1 >= tiles)
        return;
    const uint32_t place = last[t].place;
    if (first[t + 1].place != place || (t > 0 && last[t - 1].place == place))
        return;
    int64_t low = t + 1, high = tiles;   /* the tiles that begin with the place end before high */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (first[middle].place <= place)
            low = middle + 1;
        else
            high = middle;
    }
    double sum = lane == 0 ? last[t].sum : 0.0;
    for (int64_t i = t + 1 + lane; i < high; i += WARP)
        sum += first[i].sum;
    for (int step = WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        out[place] = sum;
}

int sums(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    if (c->n > UINT32_MAX || c->m > UINT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    const uint32_t n = static_cast<uint32_t>(c->n);
    const int64_t tiles = (c->n + TILE - 1) / TILE;
    const int bits = bits_below(static_cast<uint64_t>(c->m));
    bool second = false;
    size_t tmp_bytes = 0;
    uint32_t *place[2], *at[2];
    for (int i = 0; i < 2; i++) {
        place[i] = p.take<uint32_t>(c->n);
        at[i] = p.take<uint32_t>(c->n);
    }
    part_sum *first = p.take<part_sum>(tiles), *last = p.take<part_sum>(tiles);
    CUB_TRY(radix_pairs_u32(nullptr, tmp_bytes, nullptr, nullptr, nullptr, nullptr, &second, n,
                            bits, stream));
    void *tmp = p.take<char>(static_cast<int64_t>(tmp_bytes));
    *bytes = p.used;
    if (p.base == nullptr)
        return 0;
    CUB_TRY(cudaMemsetAsync(c->out, 0, static_cast<size_t>(c->m) * sizeof(double), stream));
    if (n == 0)
        return 0;
    number<<<blocks_for(n, 4), THREADS, 0, stream>>>(static_cast<const int64_t *>(c->in), n,
                                                     place[0], at[0]);
    if (bits > 0)
        CUB_TRY(radix_pairs_u32(tmp, tmp_bytes, place[0], place[1], at[0], at[1], &second, n, bits,
                                stream));
    sum_tiles<<<static_cast<unsigned>(tiles), THREADS, 0, stream>>>(
        place[second], at[second], n, static_cast<const double *>(c->in2),
        static_cast<double *>(c->out), first, last);
    sum_across<<<static_cast<unsigned>((tiles * WARP + THREADS - 1) / THREADS), THREADS, 0,
                 stream>>>(first, last, tiles, static_cast<double *>(c->out));
    return static_cast<int>(cudaGetLastError());
}

}

int hdi_cub_bincount(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    *bytes = 0;
    if (c->in2 != nullptr)
        return sums(c, pieces{static_cast<char *>(scratch)}, bytes, s);
    return scratch == nullptr ? 0 : count(c, s);
}
