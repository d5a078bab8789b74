/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_factor.cu - QR of many small matrices at once: a block for each, the matrix in its shared
 * memory, by Householder's reflectors one after the other as LAPACK's geqr2 and org2r make them,
 * so that signs are those of LAPACK. Norms are of elements divided by the largest, which neither
 * overflow nor vanish before their result does. */
#include "backend/cuda/cub/cub_inside.cuh"
#include "backend/cuda/cub/cub_numbers.cuh"

using namespace hdi;

namespace {

enum { MOST_THREADS = 256 };

/* nan is the largest. */
template <typename R> __device__ R warp_max(R x)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        const R y = shuffled(x, step);
        x = x >= y || x != x ? x : y;
    }
    return x;
}

/* ---- one matrix ------------------------------------------------------------------------------ */

template <typename R> __device__ R larger(R most, R part)
{
    const R size = fabs(part);
    return most >= size || most != most ? most : size;
}

/* The norm of n elements, by each warp. */
template <typename T> __device__ typename parts<T>::real norm(const T *x, int n, int lane)
{
    using R = typename parts<T>::real;
    R most = 0, sum = 0;
    for (int i = lane; i < n; i += WARP)
        most = larger(larger(most, real_of(x[i])), imag_of(x[i]));
    most = warp_max(most);
    if (most == 0 || isinf(most))
        return most;
    for (int i = lane; i < n; i += WARP) {
        const R re = real_of(x[i]) / most, im = imag_of(x[i]) / most;
        sum += re * re + im * im;
    }
    return most * sqrt(warp_sum(sum));
}

/* Columns [first, last) of a, from row `row` on, become (1 - factor v v^H) of them; v is 1 and then
 * the rest of column `row`. A warp takes a column. */
template <typename T>
__device__ void reflect(T *a, int m, int row, int first, int last, T factor, int warp, int warps,
                        int lane)
{
    const T *v = a + static_cast<size_t>(row) * m;
    for (int j = first + warp; j < last; j += warps) {
        T *x = a + static_cast<size_t>(j) * m, dot;
        set(dot, typename parts<T>::real(0), typename parts<T>::real(0));
        for (int i = row + 1 + lane; i < m; i += WARP)
            dot = dot + conj(v[i]) * x[i];
        dot = (warp_sum(dot) + x[row]) * factor;
        __syncwarp();
        for (int i = row + 1 + lane; i < m; i += WARP)
            x[i] = x[i] - v[i] * dot;
        if (lane == 0)
            x[row] = x[row] - dot;
    }
}

/* Column k below the diagonal becomes v, the diagonal R's; returns the factor. */
template <typename T>
__device__ T make_reflector(T *a, int m, int k, int warp, int lane)
{
    using R = typename parts<T>::real;
    T *x = a + static_cast<size_t>(k) * m + k, factor;
    const T alpha = x[0];
    const R rest = norm(x + 1, m - k - 1, lane), re = real_of(alpha), im = imag_of(alpha);
    set(factor, R(0), R(0));
    if (rest == 0 && im == 0)
        return factor;
    const R beta = -copysign(hypot(hypot(re, im), rest), re);
    T by;
    set(by, re - beta, im);
    set(factor, (beta - re) / beta, -im / beta);
    __syncthreads();
    for (int i = 1 + lane; warp == 0 && i < m - k; i += WARP)
        x[i] = divided(x[i], by);
    if (warp == 0 && lane == 0)
        set(x[0], beta, R(0));
    __syncthreads();
    return factor;
}

/* A matrix of m x columns between memory and shared memory. */
template <typename T> __device__ void copy(T *to, const T *from, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[i] = from[i];
    __syncthreads();
}

template <typename T>
__global__ void __launch_bounds__(MOST_THREADS) make_r(T *all, T *factors, int m, int n,
                                                       int64_t step)
{
    extern __shared__ double2 memory[];
    T *a = reinterpret_cast<T *>(memory), *mine = all + blockIdx.x * step;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int count = m < n ? m : n;
    copy(a, mine, m * n);
    for (int k = 0; k < count; k++) {
        const T factor = make_reflector(a, m, k, warp, lane);
        reflect(a, m, k, k + 1, n, conj(factor), warp, warps, lane);
        if (threadIdx.x == 0)
            factors[static_cast<int64_t>(blockIdx.x) * count + k] = factor;
        __syncthreads();
    }
    copy(mine, a, m * n);
}

/* The first n columns of the product of `count` reflectors, from the last one on. */
template <typename T>
__global__ void __launch_bounds__(MOST_THREADS) make_q(T *all, const T *factors, int m, int n,
                                                       int count, int64_t step)
{
    using R = typename parts<T>::real;
    extern __shared__ double2 memory[];
    T *a = reinterpret_cast<T *>(memory), *mine = all + blockIdx.x * step;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    copy(a, mine, m * count);
    for (int i = m * count + threadIdx.x; i < m * n; i += blockDim.x)
        set(a[i], R(i / m == i % m ? 1 : 0), R(0));
    __syncthreads();
    for (int k = count - 1; k >= 0; k--) {
        const T factor = factors[static_cast<int64_t>(blockIdx.x) * count + k];
        T *x = a + static_cast<size_t>(k) * m;
        reflect(a, m, k, k + 1, n, factor, warp, warps, lane);
        __syncthreads();
        for (int i = threadIdx.x; i < m; i += blockDim.x) {
            T one, mark;
            set(one, R(i == k ? 1 : 0), R(0));
            set(mark, R(i >= k ? 1 : 0), R(0));
            x[i] = i == k ? one - factor : i < k ? mark : one - factor * x[i];
        }
        __syncthreads();
    }
    copy(mine, a, m * n);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A warp for every few columns. */
int threads_for(int64_t columns)
{
    int threads = WARP;
    while (threads < MOST_THREADS && threads / WARP * 4 < columns)
        threads *= 2;
    return threads;
}

template <typename T> cudaError_t factor(const hdi_cub_call *c, bool q, cudaStream_t stream)
{
    const int64_t bytes = c->m * c->n * static_cast<int64_t>(sizeof(T));
    const int m = static_cast<int>(c->m), n = static_cast<int>(c->n), shared = int(bytes);
    const unsigned blocks = static_cast<unsigned>(c->lines);
    const void *kernel = q ? reinterpret_cast<const void *>(make_q<T>)
                           : reinterpret_cast<const void *>(make_r<T>);
    if (bytes > HDI_CUB_FACTOR_BYTES || c->lines > INT32_MAX)
        return cudaErrorInvalidValue;
    const cudaError_t e = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, HDI_CUB_FACTOR_BYTES);
    if (e != cudaSuccess)
        return e;
    T *a = static_cast<T *>(c->out), *factors = static_cast<T *>(c->out2);
    if (q)
        make_q<<<blocks, threads_for(n), shared, stream>>>(a, factors, m, n,
                                                           static_cast<int>(c->k), c->step);
    else
        make_r<<<blocks, threads_for(n), shared, stream>>>(a, factors, m, n, c->step);
    return cudaGetLastError();
}

int call(const hdi_cub_call *c, bool q, const void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    *bytes = 0;
    if (scratch == nullptr || c->lines == 0)
        return 0;
    switch (c->dt) {
    case HD_FLOAT32: return static_cast<int>(factor<float>(c, q, s));
    case HD_FLOAT64: return static_cast<int>(factor<double>(c, q, s));
    case HD_COMPLEX64: return static_cast<int>(factor<complex<float>>(c, q, s));
    case HD_COMPLEX128: return static_cast<int>(factor<complex<double>>(c, q, s));
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}

}

int hdi_cub_geqrf(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return call(c, false, scratch, bytes, stream);
}

int hdi_cub_orgqr(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return call(c, true, scratch, bytes, stream);
}
