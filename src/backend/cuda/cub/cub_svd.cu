/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_svd.cu - singular values of many small matrices at once: a warp for each, the matrix in its
 * shared memory. Jacobi's method from one side: pairs of columns are turned until all are at right
 * angles; then their lengths are the singular values, they themselves, divided by these, the left
 * vectors, and what was done to them the right ones. Elements are divided by a power of two, so
 * that no square overflows. */
#include "backend/cuda/cub/cub_inside.cuh"
#include "backend/cuda/cub/cub_numbers.cuh"

using namespace hdi;

namespace {

enum { MOST = 32, MOST_WARPS = 4, SHARED_BYTES = 48 << 10, MOST_SWEEPS = 40 };

/* Below this, beside 1, the square of a column's length counts as 0. */
constexpr double NOTHING = 0x1p-960;

/* ---- one matrix ------------------------------------------------------------------------------ */

/* What a warp works on: columns of m and of n elements, an odd number of them from one to the
 * next, so that lanes that walk columns side by side do not meet in the memory's banks. v is NULL
 * where no vectors are asked for. */
template <typename T> struct matrix {
    T *a, *v;
    int m, n, lane;
    __device__ T *column(int j) const { return a + j * (m | 1); }
    __device__ T *turns(int j) const { return v + j * (n | 1); }
};

__device__ double largest(double x, double part)
{
    return fmax(x, fabs(part));
}

/* The exponent of the largest part of an element; 0 of a matrix of zeros. */
template <typename T> __device__ int exponent(const matrix<T> &x)
{
    double most = 0;
    int e = 0;
    for (int j = 0; j < x.n && x.lane < x.m; j++) {
        const T part = x.column(j)[x.lane];
        most = largest(largest(most, real_of(part)), imag_of(part));
    }
    for (int step = WARP / 2; step > 0; step /= 2)
        most = fmax(most, shuffled(most, step));
    frexp(most, &e);
    return e;
}

__device__ double scaled(double x, int e) { return ldexp(x, e); }
__device__ complex<double> scaled(complex<double> x, int e)
{
    return {ldexp(x.re, e), ldexp(x.im, e)};
}
__device__ double times(double x, double by) { return x * by; }
__device__ complex<double> times(complex<double> x, double by) { return {x.re * by, x.im * by}; }
__device__ double square(double x) { return x * x; }
__device__ double square(complex<double> x) { return x.re * x.re + x.im * x.im; }
__device__ double size(double x) { return fabs(x); }
__device__ double size(complex<double> x) { return hypot(x.re, x.im); }

/* The turn that brings two columns to right angles: p becomes c p - s q f, q becomes s p + c q f,
 * f of size 1. */
template <typename T> struct turn { double c, s; T f; };

template <typename T> __device__ turn<T> find_turn(double pp, double qq, T pq, double length)
{
    const double zeta = (qq - pp) / (2 * length), far = fabs(zeta);
    /* where zeta is large its square adds nothing, and might overflow */
    const double t = far > 0x1p30 ? 0.5 / zeta
                                  : copysign(1 / (far + sqrt(1 + zeta * zeta)), zeta);
    const double c = 1 / sqrt(1 + t * t);
    return {c, c * t, times(conj(pq), 1 / length)};
}

template <typename T>
__device__ void apply(T *p, T *q, int n, const turn<T> &by, int first, int step)
{
    for (int i = first; i < n; i += step) {
        const T x = p[i], y = q[i] * by.f;
        p[i] = times(x, by.c) - times(y, by.s);
        q[i] = times(x, by.s) + times(y, by.c);
    }
}

/* Columns p and q, by `lanes` neighbouring lanes of which this is number `mine`; p = q: none, but
 * the lanes are there for the sums. Was there anything to do? */
template <typename T>
__device__ bool turn_pair(const matrix<T> &x, int p, int q, int mine, int lanes, double tolerance)
{
    T *a = x.column(p), *b = x.column(q), pq;
    double pp = 0, qq = 0;
    set(pq, 0.0, 0.0);
    for (int i = mine; i < x.m && p != q; i += lanes) {
        pp += square(a[i]);
        qq += square(b[i]);
        pq = pq + conj(a[i]) * b[i];
    }
    for (int step = lanes / 2; step > 0; step /= 2) {
        pp += shuffled(pp, step);
        qq += shuffled(qq, step);
        pq = pq + shuffled(pq, step);
    }
    const double length = size(pq);
    const bool turns = p != q && pp > NOTHING && qq > NOTHING &&
                       length > tolerance * (sqrt(pp) * sqrt(qq));
    if (turns) {
        const turn<T> by = find_turn(pp, qq, pq, length);
        apply(a, b, x.m, by, mine, lanes);
        if (x.v != nullptr)
            apply(x.turns(p), x.turns(q), x.n, by, mine, lanes);
    }
    __syncwarp();
    return turns;
}

/* All pairs, in rounds in which no column comes twice: the last one stays, the others go round. */
template <typename T> __device__ bool sweep(const matrix<T> &x, double tolerance)
{
    const int players = x.n + x.n % 2, round = players - 1, pairs = players / 2;
    int lanes = WARP;
    while (lanes * pairs > WARP)
        lanes /= 2;
    const int k = x.lane / lanes, mine = x.lane % lanes;
    bool any = false;
    for (int r = 0; r < round; r++) {
        int p = (r + k) % round, q = k == 0 ? round : (r + round - k) % round;
        if (k >= pairs || p >= x.n || q >= x.n)
            p = q = 0;
        any |= turn_pair(x, p, q, mine, lanes, tolerance);
    }
    return __any_sync(~0u, any);
}

template <typename T> __device__ bool turn_all(const matrix<T> &x)
{
    const double tolerance = 0x1p-52 * sqrt(static_cast<double>(x.m));
    for (int i = 0; i < MOST_SWEEPS; i++)
        if (!sweep(x, tolerance))
            return true;
    return false;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Of lane j: the length of column j, and its place among the others; beyond them 0 and its own. */
template <typename T> __device__ double length_of(const matrix<T> &x, int *place)
{
    double sum = 0;
    if (x.lane < x.n)
        for (int i = 0; i < x.m; i++)
            sum += square(x.column(x.lane)[i]);
    const double s = sum > NOTHING ? sqrt(sum) : 0;
    *place = 0;
    for (int j = 0; j < x.n; j++) {
        const double other = __shfl_sync(~0u, s, j);
        *place += other > s || (other == s && j < x.lane);
    }
    return s;
}

/* Column `at` of u, at right angles to those before it: the unit vector that these say least about
 * less what they say. A lane has a row. */
template <typename T> __device__ void complete(T *u, int m, int at, int lane)
{
    double left = lane < m ? 1 : -1;
    for (int c = 0; c < at && lane < m; c++)
        left -= square(u[c * m + lane]);
    int best = lane;
    for (int step = WARP / 2; step > 0; step /= 2) {
        const double other = shuffled(left, step);
        const int which = __shfl_xor_sync(~0u, best, step);
        const bool wins = other > left || (other == left && which < best);
        left = wins ? other : left;
        best = wins ? which : best;
    }
    T x;
    set(x, lane == best ? 1.0 : 0.0, 0.0);
    for (int c = 0; c < 2 * at; c++) {   /* twice: the first leaves something of them */
        T y, none;
        set(none, 0.0, 0.0);
        y = lane < m ? u[c % at * m + lane] : none;
        x = x - y * warp_sum(conj(y) * x);
    }
    x = times(x, 1 / sqrt(warp_sum(square(x))));
    if (lane < m)
        u[at * m + lane] = x;
    __syncwarp();
}

template <typename T>
__device__ void store_vectors(const matrix<T> &x, double s, int place, int left, T *u, T *v)
{
    const int good = __popc(__ballot_sync(~0u, s > 0));
    for (int j = 0; j < x.n; j++) {
        const double length = __shfl_sync(~0u, s, j);
        const int to = __shfl_sync(~0u, place, j);
        if (x.lane < x.m && length > 0)
            u[to * x.m + x.lane] = times(x.column(j)[x.lane], 1 / length);
        if (x.lane < x.n)
            v[to * x.n + x.lane] = x.turns(j)[x.lane];
    }
    __syncwarp();
    for (int at = good; at < left; at++)
        complete(u, x.m, at, x.lane);
}

struct call {
    const void *a;
    void *u, *v;
    double *s;
    int *info;
    int64_t lines;
    int m, n, left;
};

/* Elements of a warp's memory. */
__host__ __device__ int elements_of(const call &c)
{
    return c.n * (c.m | 1) + (c.u != nullptr ? c.n * (c.n | 1) : 0);
}

/* The matrix, divided by 2^e, and the identity. */
template <typename T> __device__ int load(const matrix<T> &x, const T *from)
{
    for (int j = 0; j < x.n; j++) {
        if (x.lane < x.m)
            x.column(j)[x.lane] = from[j * x.m + x.lane];
        if (x.v != nullptr && x.lane < x.n)
            set(x.turns(j)[x.lane], x.lane == j ? 1.0 : 0.0, 0.0);
    }
    const int e = exponent(x);
    for (int j = 0; j < x.n; j++)
        if (x.lane < x.m)
            x.column(j)[x.lane] = scaled(x.column(j)[x.lane], -e);
    __syncwarp();
    return e;
}

template <typename T> __global__ void __launch_bounds__(MOST_WARPS * WARP) decompose(call c)
{
    extern __shared__ double2 memory[];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int64_t line = static_cast<int64_t>(blockIdx.x) * (blockDim.x / WARP) + warp;
    T *mine = reinterpret_cast<T *>(memory) + warp * elements_of(c);
    const matrix<T> x = {mine, c.u != nullptr ? mine + c.n * (c.m | 1) : nullptr, c.m, c.n, lane};
    if (line >= c.lines)
        return;
    const int e = load(x, static_cast<const T *>(c.a) + line * c.m * c.n);
    const bool done = turn_all(x);
    int place = 0;
    const double s = length_of(x, &place);
    if (lane < c.n)
        c.s[line * c.n + place] = ldexp(s, e);
    if (lane == 0)
        c.info[line] = !done;
    if (x.v != nullptr)
        store_vectors(x, s, place, c.left, static_cast<T *>(c.u) + line * c.m * c.left,
                      static_cast<T *>(c.v) + line * c.n * c.n);
}

template <typename T> cudaError_t enqueue(const hdi_cub_call *c, cudaStream_t stream)
{
    const call k = {c->in, c->out, c->out3, static_cast<double *>(c->out2), c->info, c->lines,
                    static_cast<int>(c->m), static_cast<int>(c->n), static_cast<int>(c->k)};
    if (c->m > MOST || c->n > c->m || c->n < 1)
        return cudaErrorInvalidValue;
    const int each = elements_of(k) * static_cast<int>(sizeof(T)), fit = SHARED_BYTES / each;
    const int warps = fit < MOST_WARPS ? fit : MOST_WARPS;
    const int64_t blocks = (c->lines + warps - 1) / warps;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    decompose<T><<<static_cast<unsigned>(blocks), warps * WARP, warps * each, stream>>>(k);
    return cudaGetLastError();
}

}

int hdi_cub_gesvdj(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    *bytes = 0;
    if (scratch == nullptr || c->lines == 0)
        return 0;
    switch (c->dt) {
    case HD_FLOAT64: return static_cast<int>(enqueue<double>(c, s));
    case HD_COMPLEX128: return static_cast<int>(enqueue<complex<double>>(c, s));
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}
