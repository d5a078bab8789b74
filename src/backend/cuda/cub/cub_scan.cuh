/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_scan.cuh - running results along lines, of one type of numbers; each cub_scan_*.cu has some.
 *
 * Short lines: a block goes along a line, tile after tile. Few long lines are cut where their
 * length says, whatever the GPU: each part is brought together, the results of the parts are run
 * through, and each part is gone through once more from there. Sums are made in the same order
 * each time, for one read more than a scan that looks back would take.
 * Source     Merrill, Garland: Single-pass parallel prefix scan with decoupled look-back (2016),
 *            for what was not taken: its sums of real numbers depend on who comes first */
#ifndef HDI_CUB_SCAN_CUH
#define HDI_CUB_SCAN_CUH

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/cub/cub_inside.cuh"

namespace hdi {

/* ---- numbers --------------------------------------------------------------------------------- */

template <typename R> struct complex_number { R re, im; };
using complex64 = complex_number<float>;
using complex128 = complex_number<double>;

/* A type of numbers: which dtype is it in memory (`native`), and how are others read and written?
 * Integers of all widths are computed in 64 bits, half types in float32. */
template <typename T> struct numbers;
template <typename T, int DTYPE> struct plain_numbers {
    static constexpr int native = DTYPE;
    static __device__ T read(const void *p, int, int64_t i) { return static_cast<const T *>(p)[i]; }
    static __device__ void write(void *p, int, int64_t i, T v) { static_cast<T *>(p)[i] = v; }
};

template <typename T> struct integers {
    static __device__ T read(const void *p, int dt, int64_t i)
    {
        switch (dt) {
        case HD_BOOL: return static_cast<const uint8_t *>(p)[i] != 0;   /* any byte but 0 is true */
        case HD_UINT8: return static_cast<const uint8_t *>(p)[i];
        case HD_INT8: return static_cast<T>(static_cast<const int8_t *>(p)[i]);
        case HD_INT16: return static_cast<T>(static_cast<const int16_t *>(p)[i]);
        case HD_INT32: return static_cast<T>(static_cast<const int32_t *>(p)[i]);
        case HD_UINT16: return static_cast<const uint16_t *>(p)[i];
        case HD_UINT32: return static_cast<const uint32_t *>(p)[i];
        default: return static_cast<const T *>(p)[i];
        }
    }
    static __device__ void write(void *p, int dt, int64_t i, T v)
    {
        switch (dt) {
        case HD_BOOL: case HD_UINT8: case HD_INT8:
            static_cast<uint8_t *>(p)[i] = static_cast<uint8_t>(v);
            break;
        case HD_INT16: case HD_UINT16:
            static_cast<uint16_t *>(p)[i] = static_cast<uint16_t>(v);
            break;
        case HD_INT32: case HD_UINT32:
            static_cast<uint32_t *>(p)[i] = static_cast<uint32_t>(v);
            break;
        default: static_cast<T *>(p)[i] = v;
        }
    }
};
template <> struct numbers<int64_t> : integers<int64_t> {
    static constexpr int native = HD_INT64;
};
template <> struct numbers<uint64_t> : integers<uint64_t> {
    static constexpr int native = HD_UINT64;
};
template <> struct numbers<double> : plain_numbers<double, HD_FLOAT64> {};
template <> struct numbers<complex64> : plain_numbers<complex64, HD_COMPLEX64> {};
template <> struct numbers<complex128> : plain_numbers<complex128, HD_COMPLEX128> {};
template <> struct numbers<float> {
    static constexpr int native = HD_FLOAT32;
    static __device__ float read(const void *p, int dt, int64_t i)
    {
        switch (dt) {
        case HD_FLOAT16: return __half2float(static_cast<const __half *>(p)[i]);
        case HD_BFLOAT16: return __bfloat162float(static_cast<const __nv_bfloat16 *>(p)[i]);
        default: return static_cast<const float *>(p)[i];
        }
    }
    static __device__ void write(void *p, int dt, int64_t i, float v)
    {
        switch (dt) {
        case HD_FLOAT16: static_cast<__half *>(p)[i] = __float2half_rn(v); break;
        case HD_BFLOAT16: static_cast<__nv_bfloat16 *>(p)[i] = __float2bfloat16_rn(v); break;
        default: static_cast<float *>(p)[i] = v;
        }
    }
};

/* ---- operations ------------------------------------------------------------------------------ */

template <typename T> __device__ bool is_nan(T x) { return x != x; }

struct op_add {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
    template <typename R>
    __device__ complex_number<R> operator()(complex_number<R> a, complex_number<R> b) const
    {
        return {a.re + b.re, a.im + b.im};
    }
};
struct op_multiply {
    template <typename T> __device__ T operator()(T a, T b) const { return a * b; }
    template <typename R>
    __device__ complex_number<R> operator()(complex_number<R> a, complex_number<R> b) const
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
};
/* Zeros are equal: of equals the later one, as on the CPU. */
struct op_maximum {   /* nan, if either is */
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a > b || is_nan(a) ? a : b;
    }
};
struct op_minimum {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a < b || is_nan(a) ? a : b;
    }
};
struct op_fmax {      /* nan, if both are */
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a > b || is_nan(b) ? a : b;
    }
};
struct op_fmin {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        return a < b || is_nan(b) ? a : b;
    }
};
template <typename Op> constexpr bool is_extreme = false;
template <> constexpr bool is_extreme<op_maximum> = true;
template <> constexpr bool is_extreme<op_minimum> = true;
template <> constexpr bool is_extreme<op_fmax> = true;
template <> constexpr bool is_extreme<op_fmin> = true;

struct op_and { template <typename T> __device__ T operator()(T a, T b) const { return a & b; } };
struct op_or { template <typename T> __device__ T operator()(T a, T b) const { return a | b; } };
struct op_xor { template <typename T> __device__ T operator()(T a, T b) const { return a ^ b; } };

/* ---- tiles ----------------------------------------------------------------------------------- */

template <typename T> struct tile {
    static constexpr int ITEMS = sizeof(T) <= 4 ? 16 : sizeof(T) == 8 ? 8 : 4;
    static constexpr int SIZE = THREADS * ITEMS;
};
#ifndef HDI_CUB_PART
#define HDI_CUB_PART 16384
#endif
/* Elements of a part; parts of a line: about so many. */
enum { PART = HDI_CUB_PART, MOST_PARTS = 8192 };

/* Every THREADS-th element. What is behind the end is some element: nothing comes after it. */
template <typename T>
__device__ void read_striped(const void *in, int dt, int64_t base, int count,
                             T (&item)[tile<T>::ITEMS])
{
    if (dt == numbers<T>::native && count == tile<T>::SIZE) {
#pragma unroll
        for (int i = 0; i < tile<T>::ITEMS; i++)
            item[i] = static_cast<const T *>(in)[base + i * THREADS + threadIdx.x];
        return;
    }
#pragma unroll
    for (int i = 0; i < tile<T>::ITEMS; i++) {
        const int at = i * THREADS + static_cast<int>(threadIdx.x);
        item[i] = numbers<T>::read(in, dt, base + (at < count ? at : 0));
    }
}

/* Neighbouring elements for each thread, by way of shared memory. */
template <typename T>
__device__ void read_tile(const void *in, int dt, int64_t base, int count,
                          T (&item)[tile<T>::ITEMS],
                          typename cub::BlockExchange<T, THREADS, tile<T>::ITEMS>::TempStorage &s)
{
    read_striped(in, dt, base, count, item);
    cub::BlockExchange<T, THREADS, tile<T>::ITEMS>(s).StripedToBlocked(item, item);
}

template <typename T>
__device__ void write_tile(void *out, int dt, int64_t base, int count, T (&item)[tile<T>::ITEMS],
                           typename cub::BlockExchange<T, THREADS, tile<T>::ITEMS>::TempStorage &s)
{
    constexpr int ITEMS = tile<T>::ITEMS;
    cub::BlockExchange<T, THREADS, ITEMS>(s).BlockedToStriped(item, item);
    if (dt == numbers<T>::native && count == tile<T>::SIZE) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            static_cast<T *>(out)[base + i * THREADS + threadIdx.x] = item[i];
        return;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int at = i * THREADS + static_cast<int>(threadIdx.x);
        if (at < count)
            numbers<T>::write(out, dt, base + at, item[i]);
    }
}

template <typename T> union scan_memory {
    typename cub::BlockExchange<T, THREADS, tile<T>::ITEMS>::TempStorage exchange;
    typename cub::BlockScan<T, THREADS>::TempStorage scan;
};

/* ---- kernels --------------------------------------------------------------------------------- */

struct scan_lines {
    const void *in;
    void *out;
    int in_dt, out_dt;
    int64_t n, part, parts;      /* of a line: elements, elements of a part, parts */
};

/* Whose part is a block's? */
struct block_part { int64_t line, part, from, end; };
__device__ inline block_part part_of_block(const scan_lines &l)
{
    const int64_t line = blockIdx.x / l.parts, part = blockIdx.x % l.parts;
    const int64_t end = (part + 1) * l.part;
    return {line, part, part * l.part, end < l.n ? end : l.n};
}

/* A block goes through a part of a line; before it, if there is such, came what `carries` has for
 * the part before. */
template <typename T, typename Op>
__global__ void __launch_bounds__(THREADS) run_through(scan_lines l, const T *carries)
{
    constexpr int ITEMS = tile<T>::ITEMS, SIZE = tile<T>::SIZE;
    __shared__ scan_memory<T> shared;
    const block_part b = part_of_block(l);
    bool carried = b.part > 0;
    T carry = {}, item[ITEMS], whole;
    Op op;
    if (carried)
        carry = carries[blockIdx.x - 1];
    for (int64_t at = b.from; at < b.end; at += SIZE) {
        const int count = static_cast<int>(b.end - at < SIZE ? b.end - at : SIZE);
        read_tile(l.in, l.in_dt, b.line * l.n + at, count, item, shared.exchange);
        __syncthreads();
        cub::BlockScan<T, THREADS>(shared.scan).InclusiveScan(item, item, op, whole);
        if (carried) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                item[i] = op(carry, item[i]);
            whole = op(carry, whole);
        }
        carry = whole;
        carried = true;
        __syncthreads();
        write_tile(l.out, l.out_dt, b.line * l.n + at, count, item, shared.exchange);
        __syncthreads();
    }
}

/* What a whole part of whole tiles comes to, of(x) of each element x: each thread takes every
 * THREADS-th element (these operations commute), then the threads bring theirs together. */
template <typename T, typename Op, typename Of>
__device__ void bring_part(const scan_lines &l, const block_part &b, Op op, Of of, T *result)
{
    constexpr int ITEMS = tile<T>::ITEMS, SIZE = tile<T>::SIZE;
    using reducer = cub::BlockReduce<T, THREADS>;
    __shared__ typename reducer::TempStorage shared;
    T sum = {}, item[ITEMS];
    for (int64_t at = b.from; at < b.end; at += SIZE) {
        read_striped(l.in, l.in_dt, b.line * l.n + at, SIZE, item);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            sum = at == b.from && i == 0 ? of(item[0]) : op(sum, of(item[i]));
    }
    sum = reducer(shared).Reduce(sum, op);
    if (threadIdx.x == 0)
        *result = sum;
}

/* Where the extreme of a part is 0, threads that have every THREADS-th element do not know which
 * zero is the last, so it is looked for, tile after tile from the end on. */
template <typename T>
__device__ void take_last_zero(const scan_lines &l, const block_part &b, T *result)
{
    constexpr int SIZE = tile<T>::SIZE;
    __shared__ int last;
    __syncthreads();
    if (*result != 0)
        return;
    int64_t at = b.end - SIZE;
    for (; at >= b.from; at -= SIZE) {
        int mine = -1;
        if (threadIdx.x == 0)
            last = -1;
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < SIZE; i += THREADS)
            mine = numbers<T>::read(l.in, l.in_dt, b.line * l.n + at + i) == 0 ? i : mine;
        if (mine >= 0)
            atomicMax(&last, mine);
        __syncthreads();
        if (last >= 0)
            break;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = numbers<T>::read(l.in, l.in_dt, b.line * l.n + at + last);
}

struct itself { template <typename T> __device__ T operator()(T x) const { return x; } };

/* The last part of a line is not asked for: what stands for it is read with the others and goes
 * nowhere. */
template <typename T, typename Op>
__global__ void __launch_bounds__(THREADS) bring_together(scan_lines l, T *results)
{
    const block_part b = part_of_block(l);
    if (b.part + 1 == l.parts) {
        if (threadIdx.x == 0)
            results[blockIdx.x] = {};
        return;
    }
    bring_part(l, b, Op(), itself(), results + blockIdx.x);
    if constexpr (is_extreme<Op> && numbers<T>::native >= HD_FLOAT16)
        take_last_zero(l, b, results + blockIdx.x);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Lines as they are cut: into one part each, or all of them. */
inline bool cut_lines(const hdi_cub_call *c, scan_lines *l)
{
    *l = {c->in, c->out, c->dt, c->out_dt, c->n, PART, 1};
    const bool cut = c->n >= 4 * PART && c->lines < 1024;
    while (cut && l->part * MOST_PARTS < c->n)
        l->part *= 2;
    l->parts = cut ? (c->n + l->part - 1) / l->part : 1;
    l->part = cut ? l->part : c->n;
    return cut;
}

template <typename T, typename Op>
int scan_numbers(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    scan_lines l;
    const bool cut = cut_lines(c, &l);
    const T *none = nullptr;
    T *results = cut ? p.take<T>(c->lines * l.parts) : nullptr;
    *bytes = p.used;
    if (p.base == nullptr)
        return 0;
    if (c->lines * l.parts > INT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    const unsigned blocks = static_cast<unsigned>(c->lines * l.parts);
    if (cut) {
        /* each line's results of parts are lines themselves, the last of them without meaning */
        const scan_lines r = {results, results, numbers<T>::native, numbers<T>::native, l.parts,
                              l.parts, 1};
        launch(bring_together<T, Op>, blocks, stream, l, results);
        launch(run_through<T, Op>, static_cast<unsigned>(c->lines), stream, r, none);
    }
    launch(run_through<T, Op>, blocks, stream, l, static_cast<const T *>(results));
    return static_cast<int>(cudaGetLastError());
}

using scanner = int(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream);
scanner scan_integers, scan_unsigned, scan_float32, scan_float64, scan_complex;

}

#endif
