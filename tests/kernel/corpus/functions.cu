/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.cu - device functions: returns, overloads, references, defaults, templates. */

__device__ float square(float x) { return x * x; }
__device__ inline int sign(int x) { if (x > 0) return 1; if (x < 0) return -1; return 0; }
static __device__ __forceinline__ double mean(const float *x, int n) { double s = 0;
        for (int i = 0; i < n;
        ++i) s += x[i]; return n ? s / n : 0; }
__host__ __device__ int early(int n) { for (int i = 0; i < n; i++) { if (i * i > n) return i;
        for (int j = 0; j < 3;
        j++) if (i * j == 14) return -j; } return n; }
__device__ void none(float *x) { if (*x < 0) return; *x += 1; }
__device__ int kind(int) { return 1; }
__device__ int kind(float) { return 2; }
__device__ int kind(double) { return 3; }
__device__ int kind(unsigned) { return 4; }
__device__ int kind(const float *) { return 5; }
__device__ int kind(int, int) { return 6; }
__device__ float with_default(float x, float y = 2, int n = 3) { float r = 1; for (int i = 0;
        i < n; i++) r *= x + y;
        return r; }
__device__ int nested(int x) { return early(sign(x) + early(x < 0 ? -x : x)); }
__device__ int by_value(int x) { x += 5; int y = x; x = 0; return y; }
__device__ int in_else(int x) { if (x > 3) { return 1; } else { return 2; } }
__device__ int in_switch(int x) { switch (x & 3) { case 0: return 10; case 1: x += 5; break;
        default: return x; }
        return x * 2; }
__device__ bool in_loop(const int *p, int n, int v) { while (n--) { if (*p++ == v) return true;
        } return false; }
__global__ void calls(const int *x, const float *y, float *o)
{
    int i = threadIdx.x, v = x[i];
    o += i * 20;
    o[0] = square(y[i]) + square(v); o[1] = sign(v); o[2] = mean(y, i); o[3] = early(v & 63);
        none(&o[3]);
        o[4] = y[i]; none(o + 4);
    o[5] = kind(v); o[6] = kind(y[i]); o[7] = kind(1.0); o[8] = kind(3u); o[9] = kind(y);
        o[10] = kind('a') + kind(1, 2) * 10;
    o[11] = with_default(y[i]); o[12] = with_default(y[i], 1); o[13] = with_default(1, 2, 5);
        o[14] = nested(v);
    o[15] = by_value(v) + v; o[16] = in_else(v); o[17] = in_switch(v);
        o[18] = in_loop(x, 32, v) + 2 * in_loop(x, i, v);
    o[19] = square(square(square(0.5f)));
}
// run calls 1 32 : i32*32:data f32*32:data f32*640:zero

template <typename T> __device__ T add(T a, T b) { return a + b; }
template <typename T> __device__ void fill(T *p, int n, T v) { for (int i = 0; i < n;
        i++) p[i] = v; }
template <typename T, int N> __device__ T sum_of(const T *p) { T s = 0; for (int i = 0; i < N;
        i++) s += p[i];
        return s; }
template <int N> __device__ int power(int x) { if constexpr (N == 0) return 1;
        else return x * power<N - 1>(x); }
template <typename T> struct twice_of { T v; __device__ T get() const { return v + v; } };
template <typename A, typename B> __device__ auto mixed(A a, B b) -> decltype(a * b) {
        return a * b; }
template <> __device__ float add<float>(float a, float b) { return a + b + 100; }
template <typename T, size_t N> __device__ int length(T (&)[N]) { return N; }
template <typename F> __global__ void generic(const F *x, F *o, int n)
{
    int i = threadIdx.x; F t[4]; fill(t, 4, x[i]); twice_of<F> w = {x[i]};
    if (i < n) o[i] = add(x[i], (F)1) + sum_of<F, 4>(t) + power<3>(2) + w.get() + length(t);
}
// run generic<float> 1 16 : f32*16:data f32*16:zero i32=12
// run generic<int> 1 16 : i32*16:data i32*16:zero i32=12
// run generic<double> 1 16 : f64*16:data f64*16:zero i32=16
template <typename T, int BLOCK, bool TWICE> __global__ void sized(T *o)
{
    __shared__ T s[BLOCK];
    s[threadIdx.x] = threadIdx.x; __syncthreads();
    o[threadIdx.x] = s[BLOCK - 1 - threadIdx.x] * (TWICE ? 2 : 1);
}
// run sized<float,16,true> 1 16 : f32*16:zero
// run sized<long,8,false> 1 8 : i64*8:zero

namespace tools { const int offset = 3; __device__ int shift(int x) { return x + offset;
        } namespace inner {
        struct pair { int a, b; }; __device__ int both(pair p) { return p.a * p.b; } } }
using tools::inner::pair;
using real = double;
typedef unsigned int word;
enum color { RED, GREEN = 5, BLUE };
enum class mode : int { A = 1, B };
namespace { __device__ int hidden() { return 77; } }
__device__ int clashing(int offset) { return offset; }
__global__ void names(int *o)
{
    using namespace tools; pair p = {3, 4}; real r = 2.5; word w = -1; mode m = mode::B;
        color c = BLUE;
    o[0] = tools::shift(1); o[1] = shift(2); o[2] = tools::inner::both(p); o[3] = r * 2;
        o[4] = w >> 28;
        o[5] = c + GREEN; o[6] = (int)m;
    o[7] = hidden(); o[8] = ::clashing(9); o[9] = m == mode::A; typedef float local; local f = 3;
        o[10] = f; enum {
        LAST = 99 }; o[11] = LAST;
}
// run names 1 1 : i32*12:zero
extern "C" { __device__ int linked(int x) { return x ^ 5; } __global__ void in_c(int *o) {
        o[threadIdx.x] = linked(threadIdx.x); } }
// run in_c 1 4 : i32*4:zero
__device__ void two_results(float x, float *s, float &c) { *s = x + 1; c = x - 1; }
__global__ void results(const float *x, float *o)
{
    int i = threadIdx.x; float a, b; two_results(x[i], &a, b); o[i * 2] = a; o[i * 2 + 1] = b;
        two_results(a, &o[i * 2], o[i * 2 + 1]);
}
// run results 1 8 : f32*8:data f32*16:zero
