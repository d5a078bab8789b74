/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_product.cuh - running products of real and complex numbers: of the same kind as those that
 * are made in order, zero, finite, inf or nan, with its sign.
 *
 * Products of parts, joined, may overflow or vanish where the running product does not, and the
 * other way round. So a join whose result leaves the range of normal numbers, or comes near its
 * ends, gives nan (op_guarded): nan goes on into every result that it has to do with. Where no
 * result of a tile is nan, all of them are right. Else one thread makes the tile's in order.
 * A real product that is 0, inf or nan is settled: what follows depends on signs and on the first
 * element that makes nan of it, and such products are exact in any order.
 *
 * A line that is cut: up to the first part with a nan each block makes its own results. From there
 * on one block goes along the line until the product is settled, then each block makes the results
 * of its part again.
 * Not taken: pairs of mantissa and exponent, which no join takes out of range; a join costs more,
 *            and what follows a subnormal result has to be made in order all the same
 * Start at   op_guarded, multiply_part(), scan_products() */
#ifndef HDI_CUB_PRODUCT_CUH
#define HDI_CUB_PRODUCT_CUH

#include "backend/cuda/cub/cub_scan.cuh"

namespace hdi {

/* ---- numbers --------------------------------------------------------------------------------- */

/* Is the size of x 2^GUARD times or more inside both ends of the normal numbers? Rounded otherwise,
 * a product from there on is normal as well. nan is not plain. */
enum { GUARD = 16 };
__device__ inline bool is_plain(float x)
{
    const uint32_t low = (1u + GUARD) << 23, high = (255u - GUARD) << 23;
    return (__float_as_uint(x) & 0x7fffffffu) - low < high - low;
}
__device__ inline bool is_plain(double x)
{
    const uint32_t low = (1u + GUARD) << 20, high = (2047u - GUARD) << 20;
    return (static_cast<uint32_t>(__double2hiint(x)) & 0x7fffffffu) - low < high - low;
}
/* One part may be 0, as of real numbers. */
template <typename R> __device__ bool is_plain(complex_number<R> z)
{
    return (is_plain(z.re) && (is_plain(z.im) || z.im == 0)) || (z.re == 0 && is_plain(z.im));
}

__device__ inline float no_number(float) { return __int_as_float(0x7fffffff); }
__device__ inline double no_number(double) { return __hiloint2double(0x7fffffff, -1); }
template <typename R> __device__ complex_number<R> no_number(complex_number<R> z)
{
    return {no_number(z.re), no_number(z.im)};
}

template <typename R> __device__ bool is_lost(R x) { return x != x; }
template <typename R> __device__ bool is_lost(complex_number<R> z)
{
    return z.re != z.re || z.im != z.im;
}

struct op_guarded {
    template <typename T> __device__ T operator()(T a, T b) const
    {
        const T product = op_multiply()(a, b);
        return is_plain(product) ? product : no_number(product);
    }
};

/* Do signs and nan decide all that comes after this product? Of complex ones only where both parts
 * are nan: what an inf or a zero is multiplied with is seen in the signs of both parts. */
template <typename R> __device__ bool is_settled(R a) { return !(fabs(a) > 0 && a - a == 0); }
template <typename R> __device__ bool is_settled(complex_number<R> z)
{
    return z.re != z.re && z.im != z.im;
}

/* What stands for x beside a settled product: 1 with x's sign, or nan if x makes nan of it. */
template <typename T> struct beside {
    T settled;
    static __device__ T one() { return 1; }
    __device__ T operator()(T x) const
    {
        const T product = settled * x;
        return product != product ? product : static_cast<T>(copysign(one(), x));
    }
};
template <typename R> struct beside<complex_number<R>> {
    complex_number<R> settled;
    static __device__ complex_number<R> one() { return {1, 0}; }
    __device__ complex_number<R> operator()(complex_number<R>) const { return one(); }
};

/* ---- tiles ----------------------------------------------------------------------------------- */

template <typename T> union product_memory {
    scan_memory<T> scan;
    T line[tile<T>::SIZE];
};

/* What is there before a tile, if anything. */
template <typename T> struct running { bool any; T product; };

template <typename T> struct tile_place { const scan_lines &l; int64_t base; int count; };

/* False, with nothing written: a result was lost. */
template <typename T>
__device__ bool multiply_guarded(const tile_place<T> &t, running<T> &before,
                                 product_memory<T> &shared)
{
    constexpr int ITEMS = tile<T>::ITEMS;
    T item[ITEMS], whole;
    read_tile(t.l.in, t.l.in_dt, t.base, t.count, item, shared.scan.exchange);
    __syncthreads();
    cub::BlockScan<T, THREADS>(shared.scan.scan).InclusiveScan(item, item, op_guarded(), whole);
    const T next = before.any ? op_guarded()(before.product, whole) : whole;
    bool lost = t.count == tile<T>::SIZE && is_lost(next);   /* else it is of elements behind too */
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (before.any)
            item[i] = op_guarded()(before.product, item[i]);
        lost = lost || (static_cast<int>(threadIdx.x) * ITEMS + i < t.count && is_lost(item[i]));
    }
    if (__syncthreads_or(lost))
        return false;
    before = {true, next};
    write_tile(t.l.out, t.l.out_dt, t.base, t.count, item, shared.scan.exchange);
    __syncthreads();
    return true;
}

/* After a settled product. */
template <typename T>
__device__ void multiply_settled(const tile_place<T> &t, running<T> &before,
                                 product_memory<T> &shared)
{
    constexpr int ITEMS = tile<T>::ITEMS;
    const op_multiply op;
    const beside<T> of = {before.product};
    T item[ITEMS], whole;
    read_tile(t.l.in, t.l.in_dt, t.base, t.count, item, shared.scan.exchange);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = of(item[i]);
    __syncthreads();
    cub::BlockScan<T, THREADS>(shared.scan.scan).InclusiveScan(item, item, op, whole);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = op(before.product, item[i]);
    before.product = op(before.product, whole);
    __syncthreads();
    write_tile(t.l.out, t.l.out_dt, t.base, t.count, item, shared.scan.exchange);
    __syncthreads();
}

/* One thread goes through count elements; several are loaded at once, for a load takes longer. */
template <typename T> __device__ void multiply_line(T *line, int count, running<T> before)
{
    enum { AHEAD = 8 };
    T a = before.any ? op_multiply()(before.product, line[0]) : line[0], x[AHEAD];
    int i = 1;
    line[0] = a;
    for (; i + AHEAD <= count; i += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            x[k] = line[i + k];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            line[i + k] = a = op_multiply()(a, x[k]);
    }
    for (; i < count; i++)
        line[i] = a = op_multiply()(a, line[i]);
}

template <typename T>
__device__ void multiply_in_order(const tile_place<T> &t, running<T> &before,
                                  product_memory<T> &shared)
{
    for (int at = static_cast<int>(threadIdx.x); at < t.count; at += THREADS)
        shared.line[at] = numbers<T>::read(t.l.in, t.l.in_dt, t.base + at);
    __syncthreads();
    if (threadIdx.x == 0)
        multiply_line(shared.line, t.count, before);
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.x); at < t.count; at += THREADS)
        numbers<T>::write(t.l.out, t.l.out_dt, t.base + at, shared.line[at]);
    before = {true, shared.line[t.count - 1]};
    __syncthreads();
}

template <typename T>
__device__ tile_place<T> tile_at(const scan_lines &l, const block_part &b, int64_t at)
{
    const int64_t left = b.end - at;
    return {l, b.line * l.n + at,
            static_cast<int>(left < tile<T>::SIZE ? left : tile<T>::SIZE)};
}

/* A part, whatever is in it. */
template <typename T>
__device__ void multiply_part(const scan_lines &l, const block_part &b, running<T> &before,
                              product_memory<T> &shared)
{
    for (int64_t at = b.from; at < b.end; at += tile<T>::SIZE) {
        const tile_place<T> t = tile_at<T>(l, b, at);
        if (before.any && is_settled(before.product))
            multiply_settled(t, before, shared);
        else if (!multiply_guarded(t, before, shared))
            multiply_in_order(t, before, shared);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Of a line that is cut: the first part that is not made yet, and the product before it. */
template <typename T> struct line_state { int part; T product; };

template <typename T>
__global__ void __launch_bounds__(THREADS, 3) multiply_lines(scan_lines l)
{
    __shared__ product_memory<T> shared;
    running<T> before = {false, {}};
    multiply_part(l, part_of_block(l), before, shared);
}

/* Products of parts; and each line begins with no part left. */
template <typename T>
__global__ void __launch_bounds__(THREADS) multiply_together(scan_lines l, T *results,
                                                             line_state<T> *states)
{
    const block_part b = part_of_block(l);
    if (b.part == 0 && threadIdx.x == 0)
        states[b.line].part = static_cast<int>(l.parts);
    if (b.part + 1 < l.parts)
        bring_part(l, b, op_guarded(), itself(), results + blockIdx.x);
    else if (threadIdx.x == 0)
        results[blockIdx.x] = {};   /* read with the others, and goes nowhere */
}

/* results: of all parts up to here. */
template <typename T>
__global__ void __launch_bounds__(THREADS) multiply_parts(scan_lines l, const T *results,
                                                          line_state<T> *states)
{
    __shared__ product_memory<T> shared;
    const block_part b = part_of_block(l);
    running<T> before = {b.part > 0, {}};
    if (before.any)
        before.product = results[blockIdx.x - 1];
    bool good = !(before.any && is_lost(before.product));
    for (int64_t at = b.from; good && at < b.end; at += tile<T>::SIZE)
        good = multiply_guarded(tile_at<T>(l, b, at), before, shared);
    if (!good && threadIdx.x == 0)
        atomicMin(&states[b.line].part, static_cast<int>(b.part));
}

/* A block goes along a line from the first part that was lost on, until its product is settled. */
template <typename T>
__global__ void __launch_bounds__(THREADS) multiply_lost(scan_lines l, line_state<T> *states)
{
    __shared__ product_memory<T> shared;
    const int64_t line = blockIdx.x;
    int64_t part = states[line].part;
    running<T> before = {part > 0, {}};
    if (part == l.parts)
        return;
    if (before.any)
        before.product = numbers<T>::read(l.out, l.out_dt, line * l.n + part * l.part - 1);
    for (; part < l.parts && !(before.any && is_settled(before.product)); part++) {
        const int64_t end = (part + 1) * l.part;
        multiply_part(l, {line, part, part * l.part, end < l.n ? end : l.n}, before, shared);
    }
    __syncthreads();   /* all have read the state */
    if (threadIdx.x == 0)
        states[line] = {static_cast<int>(part), before.product};
}

template <typename T>
__global__ void __launch_bounds__(THREADS) settle_together(scan_lines l, T *results,
                                                           const line_state<T> *states)
{
    const block_part b = part_of_block(l);
    const line_state<T> s = states[b.line];
    if (b.part >= s.part && b.part + 1 < l.parts)
        bring_part(l, b, op_multiply(), beside<T>{s.product}, results + blockIdx.x);
}

/* results: of each part alone. */
template <typename T>
__global__ void __launch_bounds__(THREADS) settle_parts(scan_lines l, const T *results,
                                                        const line_state<T> *states)
{
    using reducer = cub::BlockReduce<T, THREADS>;
    __shared__ product_memory<T> shared;
    __shared__ typename reducer::TempStorage summing;
    __shared__ T all;
    const block_part b = part_of_block(l);
    const line_state<T> s = states[b.line];
    const op_multiply op;
    T signs = beside<T>::one();
    if (b.part < s.part)
        return;
    for (int64_t i = s.part + static_cast<int64_t>(threadIdx.x); i < b.part; i += THREADS)
        signs = op(signs, results[b.line * l.parts + i]);
    signs = reducer(summing).Reduce(signs, op);
    if (threadIdx.x == 0)
        all = op(s.product, signs);
    __syncthreads();
    running<T> before = {true, all};
    for (int64_t at = b.from; at < b.end; at += tile<T>::SIZE)
        multiply_settled(tile_at<T>(l, b, at), before, shared);
}

/* ---- the call -------------------------------------------------------------------------------- */

template <typename T>
int scan_products(const hdi_cub_call *c, pieces p, size_t *bytes, cudaStream_t stream)
{
    scan_lines l;
    const bool cut = cut_lines(c, &l);
    T *results = cut ? p.take<T>(c->lines * l.parts) : nullptr;
    line_state<T> *states = cut ? p.take<line_state<T>>(c->lines) : nullptr;
    const T *before = results, *none = nullptr;
    const line_state<T> *known = states;
    *bytes = p.used;
    if (p.base == nullptr)
        return 0;
    if (c->lines * l.parts > INT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    const unsigned blocks = static_cast<unsigned>(c->lines * l.parts),
                   lines = static_cast<unsigned>(c->lines);
    if (!cut) {
        launch(multiply_lines<T>, lines, stream, l);
        return static_cast<int>(cudaGetLastError());
    }
    const scan_lines r = {results, results, numbers<T>::native, numbers<T>::native, l.parts,
                          l.parts, 1};
    launch(multiply_together<T>, blocks, stream, l, results, states);
    launch(run_through<T, op_guarded>, lines, stream, r, none);
    launch(multiply_parts<T>, blocks, stream, l, before, states);
    launch(multiply_lost<T>, lines, stream, l, states);
    launch(settle_together<T>, blocks, stream, l, results, known);
    launch(settle_parts<T>, blocks, stream, l, before, known);
    return static_cast<int>(cudaGetLastError());
}

}

#endif
