/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_sort_lines.cu - lines that fit a block, several of them side by side in one if they are
 * short. What is sorted stays in shared memory; elements are read once for their keys, and once
 * more (from a cache) to be put where they belong. */
#include <cub/block/block_radix_sort.cuh>

#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

/* Places in a block take 12 bits. */
enum { PLACE_BITS = 12, SMALL = 4, LARGE = 16, WIDE = 8 };

struct block_lines {
    const void *in;
    void *out;
    int64_t lines;
    int n, per_block;        /* elements of a line, lines of a block */
    bool positions;
};

/* The element of the block at `place` comes out at `rank`; lines lie one after another in both. */
__device__ void put(const block_lines &b, int64_t base, int rank, int place, int size)
{
    const int64_t to = base + rank, from = base + place;
    if (b.positions) {
        static_cast<int64_t *>(b.out)[to] = place - rank / b.n * b.n;
        return;
    }
    switch (size) {
    case 1: static_cast<uint8_t *>(b.out)[to] = static_cast<const uint8_t *>(b.in)[from]; break;
    case 2: static_cast<uint16_t *>(b.out)[to] = static_cast<const uint16_t *>(b.in)[from]; break;
    case 4: static_cast<uint32_t *>(b.out)[to] = static_cast<const uint32_t *>(b.in)[from]; break;
    case 8: static_cast<uint64_t *>(b.out)[to] = static_cast<const uint64_t *>(b.in)[from]; break;
    default:
        static_cast<ulonglong2 *>(b.out)[to] = static_cast<const ulonglong2 *>(b.in)[from];
    }
}

__device__ int elements_of(const block_lines &b, int64_t *base)
{
    const int64_t line = static_cast<int64_t>(blockIdx.x) * b.per_block, left = b.lines - line;
    *base = line * b.n;
    return static_cast<int>(left < b.per_block ? left : b.per_block) * b.n;
}

/* Keys of up to 32 bits: line, key and place are one word. Places without an element are in a line
 * behind the last one. */
template <int ITEMS> __global__ void __launch_bounds__(THREADS)
sort_narrow(block_lines b, key_how k, int key_bits, int line_bits)
{
    using sorter = cub::BlockRadixSort<uint64_t, THREADS, ITEMS>;
    __shared__ typename sorter::TempStorage shared;
    uint64_t word[ITEMS];
    int64_t base;
    const int count = elements_of(b, &base);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int place = static_cast<int>(threadIdx.x) * ITEMS + i;
        word[i] = ~0ull;
        if (place < count)
            word[i] = (static_cast<uint64_t>(place / b.n) << key_bits |
                       key_word(b.in, base + place, k, 0)) << PLACE_BITS | place;
    }
    sorter(shared).SortBlockedToStriped(word, PLACE_BITS, PLACE_BITS + key_bits + line_bits);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int rank = i * THREADS + static_cast<int>(threadIdx.x);
        if (rank < count)
            put(b, base, rank, static_cast<int>(word[i] & ((1 << PLACE_BITS) - 1)), k.size);
    }
}

/* Longer keys beside their places: by the second word if there is one, by the first, by line. */
__global__ void __launch_bounds__(THREADS) sort_wide(block_lines b, key_how k, int line_bits)
{
    using sorter = cub::BlockRadixSort<uint64_t, THREADS, WIDE, uint32_t>;
    __shared__ typename sorter::TempStorage shared;
    uint64_t key[WIDE];
    uint32_t place[WIDE];
    int64_t base;
    const int count = elements_of(b, &base);
#pragma unroll
    for (int i = 0; i < WIDE; i++)
        place[i] = threadIdx.x * WIDE + i;
    for (int word = k.size == 16; word >= -1; word--) {
        if (word < 0 && line_bits == 0)
            break;
#pragma unroll
        for (int i = 0; i < WIDE; i++) {
            const int at = static_cast<int>(place[i]);
            key[i] = at >= count ? ~0ull
                     : word < 0  ? static_cast<uint64_t>(at / b.n)
                                 : key_word(b.in, base + at, k, word);
        }
        sorter(shared).Sort(key, place, 0, word < 0 ? line_bits : 64);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        const int rank = static_cast<int>(threadIdx.x) * WIDE + i;
        if (rank < count)
            put(b, base, rank, static_cast<int>(place[i]), k.size);
    }
}

}

bool hdi::lines_fit(int64_t n, const key_how &k)
{
    return n <= THREADS * (k.size <= 4 ? LARGE : WIDE);
}

cudaError_t hdi::sort_short_lines(const hdi_cub_call *c, const key_how &k, cudaStream_t stream)
{
    const int n = static_cast<int>(c->n), key_bits = 8 * k.size;
    const bool small = n * 4 <= THREADS * SMALL || c->lines * n <= THREADS * SMALL;
    const int tile = THREADS * (k.size > 4 ? WIDE : small ? SMALL : LARGE);
    int per_block = tile / n;
    per_block = c->lines < per_block ? static_cast<int>(c->lines) : per_block;
    const block_lines b = {c->in, c->out, c->lines, n, per_block, c->positions != 0};
    const int line_bits = bits_below(static_cast<uint64_t>(per_block) + 1);
    const int64_t blocks = (c->lines + per_block - 1) / per_block;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    const unsigned grid = static_cast<unsigned>(blocks);
    if (k.size > 4)
        sort_wide<<<grid, THREADS, 0, stream>>>(b, k, per_block > 1 ? line_bits : 0);
    else if (small)
        sort_narrow<SMALL><<<grid, THREADS, 0, stream>>>(b, k, key_bits, line_bits);
    else
        sort_narrow<LARGE><<<grid, THREADS, 0, stream>>>(b, k, key_bits, line_bits);
    return cudaGetLastError();
}
