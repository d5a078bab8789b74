/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_on_host.h - CUDA's words for g++: sources run as they are, one thread after the other.
 * Start at   grid.h */
#ifndef HEDDLE_TESTS_KERNEL_CUDA_ON_HOST_H
#define HEDDLE_TESTS_KERNEL_CUDA_ON_HOST_H

#include "grid.h"
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __constant__ static
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define warpSize 32
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

struct g_index { unsigned x, y, z; };
#define threadIdx (g_index{g_builtin(0), g_builtin(1), g_builtin(2)})
#define blockIdx (g_index{g_builtin(3), g_builtin(4), g_builtin(5)})
#define blockDim (g_index{g_builtin(6), g_builtin(7), g_builtin(8)})
#define gridDim (g_index{g_builtin(9), g_builtin(10), g_builtin(11)})

#define V(N, T, a2, a4) \
    struct N##1 { T x; }; struct __align__(a2) N##2 { T x, y; }; struct N##3 { T x, y, z; }; \
    struct __align__(a4) N##4 { T x, y, z, w; }; \
    static inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; } \
    static inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; } \
    static inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
V(char, char, 2, 4) V(uchar, unsigned char, 2, 4) V(short, short, 4, 8) V(ushort, unsigned short,
        4, 8)
V(int, int, 8, 16) V(uint, unsigned, 8, 16) V(float, float, 8, 16) V(double, double, 16, 16)
V(longlong, long long, 16, 16)
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a),
        y(b), z(c) {} };

static inline void __syncthreads() { g_yield(); }
static inline void __syncwarp(unsigned = ~0u) { g_yield(); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T> static inline uint64_t g_bits(T x) { uint64_t b = 0; memcpy(&b, &x, sizeof x);
        return b; }
template <class T> static inline T g_from(uint64_t b) { T x; memcpy(&x, &b, sizeof x); return x; }
template <class T> static inline T __shfl_sync(unsigned, T x, int l, int w = 32) {
        return g_from<T>(g_exchange(0, g_bits(x), l, w, 0)); }
template <class T> static inline T __shfl_up_sync(unsigned, T x, int l, int w = 32) {
        return g_from<T>(g_exchange(1, g_bits(x), l, w, 0)); }
template <class T> static inline T __shfl_down_sync(unsigned, T x, int l, int w = 32) {
        return g_from<T>(g_exchange(2, g_bits(x), l, w, 0)); }
template <class T> static inline T __shfl_xor_sync(unsigned, T x, int l, int w = 32) {
        return g_from<T>(g_exchange(3, g_bits(x), l, w, 0)); }
static inline int __any_sync(unsigned, int x) { return (int)g_exchange(4, x != 0, 0, 0, 0); }
static inline int __all_sync(unsigned, int x) { return (int)g_exchange(5, x != 0, 0, 0, 0); }
static inline unsigned __ballot_sync(unsigned, int x) { return (unsigned)g_exchange(6, x != 0, 0,
        0, 0); }
static inline unsigned __activemask() { return (unsigned)g_exchange(7, 0, 0, 0, 0); }
static inline unsigned __match_any_sync(unsigned, int x) { return (unsigned)g_exchange(8,
        (unsigned)x, 0, 0, 0); }
static inline int __syncthreads_count(int x) { return (int)g_exchange(9, x != 0, 0, 0, 1); }
static inline int __syncthreads_and(int x) { return (int)g_exchange(10, x != 0, 0, 0, 1); }
static inline int __syncthreads_or(int x) { return (int)g_exchange(11, x != 0, 0, 0, 1); }

template <class T, class U> static inline T atomicAdd(T *p, U x) { T o = *p; *p = o + (T)x;
        return o; }
template <class T, class U> static inline T atomicSub(T *p, U x) { T o = *p; *p = o - (T)x;
        return o; }
template <class T, class U> static inline T atomicMin(T *p, U x) { T o = *p;
        if ((T)x < o) *p = (T)x; return o; }
template <class T, class U> static inline T atomicMax(T *p, U x) { T o = *p;
        if ((T)x > o) *p = (T)x; return o; }
template <class T, class U> static inline T atomicAnd(T *p, U x) { T o = *p; *p = o & (T)x;
        return o; }
template <class T, class U> static inline T atomicOr(T *p, U x) { T o = *p; *p = o | (T)x;
        return o; }
template <class T, class U> static inline T atomicXor(T *p, U x) { T o = *p; *p = o ^ (T)x;
        return o; }
template <class T, class U> static inline T atomicExch(T *p, U x) { T o = *p; *p = (T)x; return o; }
template <class T, class U, class W> static inline T atomicCAS(T *p, U x, W y) { T o = *p;
        if (o == (T)x) *p = (T)y; return o; }
static inline unsigned atomicInc(unsigned *p, unsigned x) { unsigned o = *p;
        *p = o >= x ? 0 : o + 1; return o; }
static inline unsigned atomicDec(unsigned *p, unsigned x) { unsigned o = *p;
        *p = o == 0 || o > x ? x : o - 1; return o; }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32;
        i++) r |= (x >> i & 1u) << (31 - i); return r; }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline int __mul24(int x, int y) { return (int)((unsigned)x << 8) / 256 * ((int)((unsigned)y << 8) / 256); }
static inline int __float_as_int(float x) { return g_from<int>(g_bits(x)); }
static inline float __int_as_float(int x) { return g_from<float>((uint32_t)x); }
static inline long long __double_as_longlong(double x) { return (long long)g_bits(x); }
static inline double __longlong_as_double(long long x) { return g_from<double>((uint64_t)x); }
static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static inline float __fdividef(float x, float y) { return x / y; }
#define __sinf(x) sinf(x)
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrt(float x) { return 1 / sqrtf(x); }
template <class T> static inline T __ldg(const T *p) { return *p; }
using std::isfinite; using std::isinf; using std::isnan; using std::signbit;
#define M(T, U) typename std::common_type<decltype(+T()), decltype(+U())>::type
template <class T, class U> static inline M(T, U) min(T x, U y) { M(T, U) a = x, b = y;
        return a < b ? a : b; }
template <class T, class U> static inline M(T, U) max(T x, U y) { M(T, U) a = x, b = y;
        return a > b ? a : b; }
#undef M

template <class... A, size_t... I>
static inline void g_apply(void (*f)(A...), void **p, std::index_sequence<I...>) {
        f(*(typename std::remove_cv<A>::type *)p[I]...); }
template <class... A>
static inline void g_call(void (*f)(A...), void **p) { g_apply(f, p,
        std::index_sequence_for<A...>{}); }

#endif
