/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_sort.cu - sort and argsort: lines that fit a block by cub_sort_lines.cu, long lines of real
 * numbers by their keys, everything else by positions, word after word of the keys. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

/* ---- keys alone ------------------------------------------------------------------------------ */

/* CUB orders integers and real numbers as they are, but for nan with a sign, which it puts first.
 * What it does not order is turned into what it does and back: short integers are made unsigned,
 * half types become float32, descending order is that of the complement, of -x. */
template <typename T> struct container { using type = T; };
template <> struct container<uint8_t> { using type = uint16_t; };
template <> struct container<__half> { using type = uint32_t; };
template <> struct container<__nv_bfloat16> { using type = uint32_t; };

template <typename T> __device__ T wider(T x) { return x; }
__device__ uint16_t wider(uint8_t x) { return x; }
__device__ uint32_t wider(__half x) { return __float_as_uint(__half2float(x)); }
__device__ uint32_t wider(__nv_bfloat16 x) { return __float_as_uint(__bfloat162float(x)); }
template <typename T, typename C> __device__ T narrower(C x) { return static_cast<T>(x); }
template <> __device__ __half narrower<__half>(uint32_t x)
{
    return __float2half_rn(__uint_as_float(x));
}
template <> __device__ __nv_bfloat16 narrower<__nv_bfloat16>(uint32_t x)
{
    return __float2bfloat16_rn(__uint_as_float(x));
}

template <typename C> struct turning { C sign, inf, turn; bool real; };

template <typename C> __device__ C turned(C x, const turning<C> &t)
{
    if (!t.real)
        return x ^ t.sign ^ t.turn;
    const C size = x & (t.sign - 1);
    return size > t.inf ? size | (t.turn & t.sign) : x ^ (t.turn & t.sign);
}

template <typename C> __device__ C turned_back(C x, const turning<C> &t)
{
    return x ^ (t.real ? t.turn & t.sign : t.turn ^ t.sign);
}

enum { EACH = 4 };

template <typename T, typename C>
__global__ void turn(const T *in, C *out, int64_t n, turning<C> t)
{
    for (CUB_EACH(i, n))
        out[i] = turned(static_cast<C>(wider(in[i])), t);
}

template <typename T, typename C>
__global__ void turn_back(const C *in, T *out, int64_t n, turning<C> t)
{
    for (CUB_EACH(i, n))
        out[i] = narrower<T>(turned_back(in[i], t));
}

/* How many nan with a sign stand before everything else. */
template <typename C> __device__ int64_t nans_in_front(const C *sorted, int64_t n, turning<C> t)
{
    int64_t low = 0;
    for (int64_t high = n; low < high;) {
        const int64_t at = low + (high - low) / 2;
        const C x = sorted[at];
        if ((x & t.sign) != 0 && (x & (t.sign - 1)) > t.inf)
            low = at + 1;
        else
            high = at;
    }
    return low;
}

/* The line with these last, to `to`; put_back brings it back. Without any, which is the rule,
 * nothing is done by either. */
template <typename C>
__global__ void move_nans_last(const C *sorted, int64_t n, turning<C> t, C *to, int64_t *count)
{
    __shared__ int64_t in_front;
    if (threadIdx.x == 0) {
        in_front = nans_in_front(sorted, n, t);
        if (blockIdx.x == 0)
            *count = in_front;
    }
    __syncthreads();
    const int64_t others = n - in_front;
    if (others == n)
        return;
    for (CUB_EACH(i, n))
        to[i] = sorted[i < others ? i + in_front : i - others];
}

template <typename C>
__global__ void put_back(const C *from, int64_t n, const int64_t *count, C *to)
{
    if (*count == 0)
        return;
    for (CUB_EACH(i, n))
        to[i] = from[i];
}

/* Blocks enough for a pass over memory that is rarely done. */
inline unsigned few_blocks_for(int64_t n)
{
    return std::min(blocks_for(n, EACH), 1024u);
}

/* A line of what CUB orders. tmp has room for n keys as well as for the sort. */
template <typename C>
cudaError_t sort_as_is(const C *in, C *out, int64_t n, const turning<C> &t, radix_keys *sort,
                       void *tmp, size_t tmp_bytes, int64_t *count, cudaStream_t stream)
{
    const cudaError_t e = sort(tmp, tmp_bytes, in, out, n, 8 * static_cast<int>(sizeof(C)),
                               stream);
    if (e != cudaSuccess || !t.real || n == 0)
        return e;
    C *aside = static_cast<C *>(tmp);
    move_nans_last<<<few_blocks_for(n), THREADS, 0, stream>>>(out, n, t, aside, count);
    put_back<<<few_blocks_for(n), THREADS, 0, stream>>>(aside, n, count, out);
    return cudaGetLastError();
}

/* A line that is turned before and after, by way of `turned` and `sorted`. */
template <typename T, typename C>
cudaError_t sort_turned(const T *in, T *out, int64_t n, const turning<C> &t, int bits,
                        radix_keys *sort, C *turned, C *sorted, void *tmp, size_t tmp_bytes,
                        cudaStream_t stream)
{
    const unsigned blocks = blocks_for(n, EACH);
    turn<<<blocks, THREADS, 0, stream>>>(in, turned, n, t);
    const cudaError_t e = sort(tmp, tmp_bytes, turned, sorted, n, bits, stream);
    if (e == cudaSuccess)
        turn_back<<<blocks, THREADS, 0, stream>>>(sorted, out, n, t);
    return e == cudaSuccess ? cudaGetLastError() : e;
}

/* One line after the other. `sort` orders the elements as they are, if these are as wide as its
 * keys, else and for descending order integers made unsigned. */
template <typename T>
int sort_keys(const hdi_cub_call *c, const key_how &k, radix_keys *sort, pieces p, size_t *bytes,
              cudaStream_t stream)
{
    using C = typename container<T>::type;
    const bool same = sizeof(T) == sizeof(C), half = k.kind == REAL && !same;
    const bool as_is = same && k.turn == 0;
    const turning<C> t = {static_cast<C>(half ? 0x80000000u : k.sign),
                          static_cast<C>(half ? 0x7f800000u : k.inf),
                          static_cast<C>(k.kind == REAL ? k.turn : k.turn & k.all),
                          k.kind == REAL};
    const int bits = k.kind == REAL ? 8 * static_cast<int>(sizeof(C)) : 8 * k.size;
    C *turned = as_is ? nullptr : p.take<C>(c->n), *sorted = as_is ? nullptr : p.take<C>(c->n);
    int64_t *count = p.take<int64_t>(1);
    size_t tmp_bytes = 0;
    CUB_TRY(sort(nullptr, tmp_bytes, nullptr, nullptr, c->n, bits, stream));
    const int64_t keys_bytes = c->n * static_cast<int64_t>(sizeof(C));
    void *tmp = p.take<char>(std::max(static_cast<int64_t>(tmp_bytes), keys_bytes));
    *bytes = p.used;
    for (int64_t line = 0; line < c->lines && p.base != nullptr; line++) {
        const T *in = static_cast<const T *>(c->in) + line * c->n;
        T *out = static_cast<T *>(c->out) + line * c->n;
        if (as_is)
            CUB_TRY(sort_as_is(reinterpret_cast<const C *>(in), reinterpret_cast<C *>(out), c->n,
                               t, sort, tmp, tmp_bytes, count, stream));
        else
            CUB_TRY(sort_turned(in, out, c->n, t, bits, sort, turned, sorted, tmp, tmp_bytes,
                                stream));
    }
    return 0;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The keys to sort by next: word `word` of the elements at, or the lines that these are in;
 * at NULL: all of them in order, which is written to `order`. With `combined` the line stands
 * above the key, which has key_bits. */
template <typename C>
__global__ void take_keys(const void *in, key_how k, int word, int key_bits, bool lines,
                          uint32_t n, uint32_t total, const uint32_t *at, C *keys, uint32_t *order)
{
    for (CUB_EACH(i, total)) {
        const uint32_t from = at != nullptr ? at[i] : static_cast<uint32_t>(i);
        uint64_t key = word >= 0 ? key_word(in, from, k, word) : 0;
        if (lines)
            key |= static_cast<uint64_t>(from / n) << key_bits;
        keys[i] = static_cast<C>(key);
        if (at == nullptr)
            order[i] = from;
    }
}

__global__ void put_positions(const uint32_t *at, uint32_t n, uint32_t total, int64_t *out)
{
    for (CUB_EACH(i, total))
        out[i] = at[i] - static_cast<uint32_t>(i) / n * n;
}

template <typename T>
__global__ void put_elements(const uint32_t *at, uint32_t total, const T *in, T *out)
{
    for (CUB_EACH(i, total))
        out[i] = in[at[i]];
}

void put_result(const hdi_cub_call *c, const key_how &k, const uint32_t *at, int64_t first_line,
                uint32_t total, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(total, EACH);
    const int64_t from = first_line * c->n;
    const char *in = static_cast<const char *>(c->in) + from * k.size;
    char *out = static_cast<char *>(c->out) + from * (c->positions ? 8 : k.size);
    if (c->positions)
        put_positions<<<blocks, THREADS, 0, stream>>>(at, static_cast<uint32_t>(c->n), total,
                                                      reinterpret_cast<int64_t *>(out));
#define PUT(T)                                                                                   \
    put_elements<<<blocks, THREADS, 0, stream>>>(at, total, reinterpret_cast<const T *>(in),     \
                                                 reinterpret_cast<T *>(out))
    else if (k.size == 1)
        PUT(uint8_t);
    else if (k.size == 2)
        PUT(uint16_t);
    else if (k.size == 4)
        PUT(uint32_t);
    else if (k.size == 8)
        PUT(uint64_t);
    else
        PUT(ulonglong2);
#undef PUT
}

struct buffers {
    void *key[2], *tmp;
    uint32_t *at[2];
    size_t tmp_bytes;
};

/* One pass over the bits of one word; b->at[0] has the order before and after. */
template <typename C>
cudaError_t sort_by(buffers *b, const void *in, const key_how &k, int word, int key_bits,
                    bool lines, uint32_t n, uint32_t total, int bits, bool first,
                    radix_pairs *sort, cudaStream_t stream)
{
    bool second = false;
    take_keys<C><<<blocks_for(total, EACH), THREADS, 0, stream>>>(
        in, k, word, key_bits, lines, n, total, first ? nullptr : b->at[0],
        static_cast<C *>(b->key[0]), b->at[0]);
    const cudaError_t e = sort(b->tmp, b->tmp_bytes, b->key[0], b->key[1], b->at[0], b->at[1],
                               &second, total, bits, stream);
    if (second) {
        uint32_t *at = b->at[0];
        b->at[0] = b->at[1];
        b->at[1] = at;
    }
    return e;
}

/* Lines first_line ... + lines, all at once. */
int sort_positions(const hdi_cub_call *c, const key_how &k, buffers *b, int64_t first_line,
                   int64_t lines, cudaStream_t stream)
{
    const uint32_t n = static_cast<uint32_t>(c->n), total = static_cast<uint32_t>(lines * c->n);
    const char *in = static_cast<const char *>(c->in) + first_line * c->n * k.size;
    const int line_bits = bits_below(static_cast<uint64_t>(lines)), key_bits = 8 * k.size;
    if (key_bits <= 32 && line_bits == 0) {
        CUB_TRY(sort_by<uint32_t>(b, in, k, 0, 0, false, n, total, key_bits, true,
                                  radix_pairs_u32, stream));
    } else if (key_bits <= 32) {
        CUB_TRY(sort_by<uint64_t>(b, in, k, 0, key_bits, true, n, total, key_bits + line_bits,
                                  true, radix_pairs_u64, stream));
    } else {
        for (int word = k.size == 16; word >= 0; word--)
            CUB_TRY(sort_by<uint64_t>(b, in, k, word, 0, false, n, total, 64,
                                      word == (k.size == 16), radix_pairs_u64, stream));
        if (line_bits > 0)
            CUB_TRY(sort_by<uint32_t>(b, in, k, -1, 0, true, n, total, line_bits, false,
                                      radix_pairs_u32, stream));
    }
    put_result(c, k, b->at[0], first_line, total, stream);
    return static_cast<int>(cudaGetLastError());
}

enum { ALONE = 1 << 17 };   /* lines this long fill a GPU one by one */

int sort_by_positions(const hdi_cub_call *c, const key_how &k, pieces p, size_t *bytes,
                      cudaStream_t stream)
{
    int64_t together = c->n >= ALONE ? 1 : UINT32_MAX / c->n;
    together = together < c->lines ? together : c->lines;
    const int64_t total = together * c->n;
    bool second;
    size_t narrow = 0, wide = 0;
    if (c->n > UINT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    CUB_TRY(radix_pairs_u32(nullptr, narrow, nullptr, nullptr, nullptr, nullptr, &second,
                            static_cast<uint32_t>(total), 32, stream));
    CUB_TRY(radix_pairs_u64(nullptr, wide, nullptr, nullptr, nullptr, nullptr, &second,
                            static_cast<uint32_t>(total), 64, stream));
    buffers b;
    for (int i = 0; i < 2; i++) {
        b.key[i] = p.take<char>(total * (k.size <= 4 && together == 1 ? 4 : 8));
        b.at[i] = p.take<uint32_t>(total);
    }
    b.tmp_bytes = narrow > wide ? narrow : wide;
    b.tmp = p.take<char>(static_cast<int64_t>(b.tmp_bytes));
    *bytes = p.used;
    for (int64_t line = 0; line < c->lines && p.base != nullptr; line += together) {
        const int64_t lines = c->lines - line < together ? c->lines - line : together;
        const int e = sort_positions(c, k, &b, line, lines, stream);
        if (e != 0)
            return e;
    }
    return 0;
}

}

int hdi_cub_sort(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const key_how k = key_of(c->dt, c->down != 0);
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    const pieces p = {static_cast<char *>(scratch)};
    *bytes = 0;
    if (lines_fit(c->n, k))
        return scratch == nullptr ? 0 : static_cast<int>(sort_short_lines(c, k, s));
    if (c->positions || k.kind == COMPLEX || (c->lines > 1 && c->n < ALONE))
        return sort_by_positions(c, k, p, bytes, s);
    switch (c->dt) {
    case HD_FLOAT16: return sort_keys<__half>(c, k, radix_keys_f32, p, bytes, s);
    case HD_BFLOAT16: return sort_keys<__nv_bfloat16>(c, k, radix_keys_f32, p, bytes, s);
    case HD_FLOAT32: return sort_keys<uint32_t>(c, k, radix_keys_f32, p, bytes, s);
    case HD_FLOAT64: return sort_keys<uint64_t>(c, k, radix_keys_f64, p, bytes, s);
    default: break;
    }
    const bool is_signed = k.sign != 0 && k.turn == 0;   /* turned keys are not */
    switch (k.size) {
    case 1: return sort_keys<uint8_t>(c, k, radix_keys_u16, p, bytes, s);
    case 2:
        return sort_keys<uint16_t>(c, k, is_signed ? radix_keys_i16 : radix_keys_u16, p, bytes, s);
    case 4:
        return sort_keys<uint32_t>(c, k, is_signed ? radix_keys_i32 : radix_keys_u32, p, bytes, s);
    default:
        return sort_keys<uint64_t>(c, k, is_signed ? radix_keys_i64 : radix_keys_u64, p, bytes, s);
    }
}
