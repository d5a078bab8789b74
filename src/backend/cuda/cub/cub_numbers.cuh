/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_numbers.cuh - real and complex numbers by one name each, and sums of them over a warp, for
 * kernels on matrices.
 * Threads    any */
#ifndef HDI_CUB_NUMBERS_CUH
#define HDI_CUB_NUMBERS_CUH

#include "backend/cuda/cub/cub_inside.cuh"

namespace hdi {

template <typename R> struct complex { R re, im; };
template <typename T> struct parts { using real = T; };
template <typename R> struct parts<complex<R>> { using real = R; };

template <typename R> __device__ R real_of(R x) { return x; }
template <typename R> __device__ R real_of(complex<R> x) { return x.re; }
template <typename R> __device__ R imag_of(R) { return 0; }
template <typename R> __device__ R imag_of(complex<R> x) { return x.im; }
template <typename R> __device__ R conj(R x) { return x; }
template <typename R> __device__ complex<R> conj(complex<R> x) { return {x.re, -x.im}; }
template <typename R> __device__ void set(R &to, R re, R) { to = re; }
template <typename R> __device__ void set(complex<R> &to, R re, R im) { to = {re, im}; }

template <typename R> __device__ complex<R> operator+(complex<R> a, complex<R> b)
{
    return {a.re + b.re, a.im + b.im};
}
template <typename R> __device__ complex<R> operator-(complex<R> a, complex<R> b)
{
    return {a.re - b.re, a.im - b.im};
}
template <typename R> __device__ complex<R> operator*(complex<R> a, complex<R> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename R> __device__ R divided(R a, R b) { return a / b; }
/* Smith's way: no square of b. */
template <typename R> __device__ complex<R> divided(complex<R> a, complex<R> b)
{
    const bool turned = fabs(b.re) < fabs(b.im);
    const R high = turned ? b.im : b.re, low = turned ? b.re : b.im;
    const R ratio = low / high, by = high + low * ratio;
    return turned ? complex<R>{(a.re * ratio + a.im) / by, (a.im * ratio - a.re) / by}
                  : complex<R>{(a.re + a.im * ratio) / by, (a.im - a.re * ratio) / by};
}

template <typename R> __device__ R shuffled(R x, int step)
{
    return __shfl_xor_sync(~0u, x, step);
}
template <typename R> __device__ complex<R> shuffled(complex<R> x, int step)
{
    return {shuffled(x.re, step), shuffled(x.im, step)};
}
template <typename T> __device__ T warp_sum(T x)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        x = x + shuffled(x, step);
    return x;
}

}

#endif
