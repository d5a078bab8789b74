/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_order.cu - random orders: the swaps of Fisher and Yates, all at once.
 *
 * Swap i exchanges places i and j[i] >= i. The words that the j are made from are known, a counter
 * away. Place i after its swap is never looked at again, so what is put there is what j[i] held;
 * and a place holds what the latest swap before put into it, which is what place t had when that
 * was swap t. So: with f(i) what place i holds just before swap i, and t the latest swap before i
 * that has j[t] = i, f(i) = f(t), or i if there is none; and the result at i is f(t) for the latest
 * t before i that has j[t] = j[i], or j[i]. Both t are neighbours after a stable sort by j. Chains
 * of t are as short as the logarithm of n.
 *
 * A word that a bound does not take (one in 2^64 / n) moves all words after it: then one thread
 * makes the line's j again, one by one.
 * See        docs/design/random.md; the words as random_stream.h has them */
#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

struct orders {
    const uint64_t *word;    /* of each line */
    int64_t lines, n, m;
    uint32_t *wrong;         /* of each line: a word was not taken */
};

/* Word i of the stream of a line's word: Philox 4x32-10 on counter (i / 2, 0, 2^32 - 1). */
__device__ uint64_t stream_word(uint64_t key, uint64_t i)
{
    const uint64_t block = i / 2;
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    uint32_t c0 = static_cast<uint32_t>(block), c1 = static_cast<uint32_t>(block >> 32);
    uint32_t c2 = 0, c3 = ~0u;
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
        c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<uint32_t>(p1);
        c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return i % 2 == 0 ? c0 | static_cast<uint64_t>(c1) << 32 : c2 | static_cast<uint64_t>(c3) << 32;
}

__device__ bool is_taken(uint64_t word, uint64_t bound)
{
    const uint64_t low = word * bound;
    return low >= bound || low >= (0 - bound) % bound;
}

template <typename K> __global__ void draw(orders o, K *key, uint32_t *swap)
{
    for (CUB_EACH(s, o.lines * o.m)) {
        const int64_t line = s / o.m, i = s % o.m;
        const uint64_t word = stream_word(o.word[line], static_cast<uint64_t>(i));
        const uint64_t bound = static_cast<uint64_t>(o.n - i);
        if (!is_taken(word, bound))
            o.wrong[line] = 1;
        key[s] = static_cast<K>(line * o.n + i + static_cast<int64_t>(__umul64hi(word, bound)));
        swap[s] = static_cast<uint32_t>(s);
    }
}

template <typename K> __global__ void draw_again(orders o, K *key)
{
    for (CUB_EACH(line, o.lines)) {
        uint64_t next = 0;
        for (int64_t i = 0; o.wrong[line] != 0 && i < o.m; i++) {
            const uint64_t bound = static_cast<uint64_t>(o.n - i);
            uint64_t word = stream_word(o.word[line], next++);
            while (!is_taken(word, bound))
                word = stream_word(o.word[line], next++);
            key[line * o.m + i] =
                static_cast<K>(line * o.n + i + static_cast<int64_t>(__umul64hi(word, bound)));
        }
    }
}

enum : uint32_t { NONE = ~0u };

/* The latest swap with the same j before the one that is r-th in the order of j. */
template <typename K>
__device__ uint32_t before(const K *key, const uint32_t *swap, int64_t r)
{
    return r > 0 && key[r - 1] == key[r] ? swap[r - 1] : NONE;
}

/* into[s]: the latest swap before s whose j is the place s itself. */
template <typename K>
__global__ void link(orders o, const K *key, const uint32_t *swap, uint32_t *into)
{
    const int64_t total = o.lines * o.m;
    const K n = static_cast<K>(o.n);
    for (CUB_EACH(r, total)) {
        const int64_t line = key[r] / n, place = key[r] % n, own = line * o.m + place;
        if (place < o.m && (r + 1 == total || key[r + 1] != key[r]))
            into[own] = swap[r] == own ? before(key, swap, r) : swap[r];
    }
}

/* Swaps that no other led to keep what `into` was filled with: NONE. j[s] is in sorted order only,
 * hence r; results are the one thing that goes to memory at random, as narrow as they are, for then
 * more of them fit the second-level cache. */
template <typename K>
__global__ void follow(orders o, const K *key, const uint32_t *swap, const uint32_t *into,
                       K *out)
{
    const K n = static_cast<K>(o.n);
    const uint32_t m = static_cast<uint32_t>(o.m);
    for (CUB_EACH(r, o.lines * o.m)) {
        uint32_t t = before(key, swap, r);
        K result = key[r] % n;
        if (t != NONE) {
            for (uint32_t next = into[t]; next != NONE; next = into[t])
                t = next;
            result = t % m;
        }
        out[swap[r]] = result;
    }
}

template <typename K> __global__ void widen(const K *in, int64_t n, int64_t *out)
{
    for (CUB_EACH(i, n))
        out[i] = static_cast<int64_t>(in[i]);
}

template <typename K>
int make(const hdi_cub_call *c, radix_pairs *sort, pieces p, size_t *bytes, cudaStream_t stream)
{
    orders o = {static_cast<const uint64_t *>(c->in), c->lines, c->n, c->m, nullptr};
    const int64_t total = o.lines * o.m;
    const unsigned blocks = blocks_for(total, 1);
    const int bits = bits_below(static_cast<uint64_t>(o.lines) * static_cast<uint64_t>(o.n));
    const uint32_t count = static_cast<uint32_t>(total);
    bool second = false;
    size_t tmp_bytes = 0;
    K *key[2];
    uint32_t *swap[2];
    for (int i = 0; i < 2; i++) {
        key[i] = p.take<K>(total);
        swap[i] = p.take<uint32_t>(total);
    }
    uint32_t *into = p.take<uint32_t>(total);
    o.wrong = p.take<uint32_t>(o.lines);
    CUB_TRY(sort(nullptr, tmp_bytes, nullptr, nullptr, nullptr, nullptr, &second, count, bits,
                 stream));
    void *tmp = p.take<char>(static_cast<int64_t>(tmp_bytes));
    *bytes = p.used;
    if (p.base == nullptr)
        return 0;
    CUB_TRY(cudaMemsetAsync(o.wrong, 0, static_cast<size_t>(o.lines) * sizeof *o.wrong, stream));
    CUB_TRY(cudaMemsetAsync(into, 0xff, static_cast<size_t>(total) * sizeof *into, stream));
    draw<K><<<blocks, THREADS, 0, stream>>>(o, key[0], swap[0]);
    draw_again<K><<<blocks_for(o.lines, 1), THREADS, 0, stream>>>(o, key[0]);
    if (bits > 0)
        CUB_TRY(sort(tmp, tmp_bytes, key[0], key[1], swap[0], swap[1], &second, count, bits,
                     stream));
    link<K><<<blocks, THREADS, 0, stream>>>(o, key[second], swap[second], into);
    follow<K><<<blocks, THREADS, 0, stream>>>(o, key[second], swap[second], into, key[!second]);
    widen<K><<<blocks, THREADS, 0, stream>>>(key[!second], total, static_cast<int64_t *>(c->out));
    return static_cast<int>(cudaGetLastError());
}

}

int hdi_cub_order(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const pieces p = {static_cast<char *>(scratch)};
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    if (c->m > (UINT32_MAX - 1) / c->lines)
        return static_cast<int>(cudaErrorInvalidValue);
    return c->n <= UINT32_MAX / c->lines
               ? make<uint32_t>(c, radix_pairs_u32, p, bytes, s)
               : make<uint64_t>(c, radix_pairs_u64, p, bytes, s);
}
