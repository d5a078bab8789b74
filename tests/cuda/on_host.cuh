/* SPDX-License-Identifier: BSD-3-Clause */
/* on_host.cuh - stands in for CUDA and CUB where kernels of src/backend/cuda/cub are compiled for the host by a C++
 * compiler. Blocks run one after the other; the threads of a block take turns, each as far as the next barrier.
 * How CUB's scans and reductions are joined is not known: here it is drawn. Empty files stand in for their headers. */
#ifndef ON_HOST_CUH
#define ON_HOST_CUH

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>

#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define HDI_CUB_THREADS 4
#define HDI_CUB_PART 256   /* elements: lines are cut sooner */

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
typedef void *cudaStream_t;
inline cudaError_t cudaGetLastError() { return cudaSuccess; }

/* ---- numbers --------------------------------------------------------------------------------- */

struct __half { uint16_t bits; };
struct __nv_bfloat16 { uint16_t bits; };
inline float __half2float(__half) { abort(); }
inline __half __float2half_rn(float) { abort(); }
inline float __bfloat162float(__nv_bfloat16) { abort(); }
inline __nv_bfloat16 __float2bfloat16_rn(float) { abort(); }

template <typename To, typename From> To bits_as(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "");
    memcpy(&to, &from, sizeof to);
    return to;
}
inline uint32_t __float_as_uint(float x) { return bits_as<uint32_t>(x); }
inline float __int_as_float(int x) { return bits_as<float>(x); }
inline int __double2hiint(double x) { return static_cast<int>(bits_as<uint64_t>(x) >> 32); }
inline double __hiloint2double(int high, int low)
{
    return bits_as<double>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low));
}

inline uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % below);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct on_axis { unsigned x; };
static on_axis threadIdx, blockIdx;
static const on_axis blockDim = {HDI_CUB_THREADS};

namespace on_host {

enum { THREADS = HDI_CUB_THREADS, STACK = 1 << 18 };
static ucontext_t caller, thread[THREADS];
alignas(64) static char stack[THREADS][STACK];
static bool ended[THREADS];
static int barriers[THREADS], any[3];
static std::function<void()> body;

/* To the next thread; all of them come by the same barriers. */
inline void next()
{
    const unsigned me = threadIdx.x, after = (me + 1) % THREADS;
    threadIdx.x = after;
    swapcontext(&thread[me], &thread[after]);
    threadIdx.x = me;
}

inline void begin()
{
    const unsigned me = threadIdx.x;
    body();
    ended[me] = true;
    if (me + 1 < THREADS) {   /* the others end after the same number of barriers, in turn */
        threadIdx.x = me + 1;
        setcontext(&thread[me + 1]);
    }
    setcontext(&caller);
}

inline void run_block()
{
    for (unsigned t = 0; t < THREADS; t++) {
        getcontext(&thread[t]);
        thread[t].uc_stack.ss_sp = stack[t];
        thread[t].uc_stack.ss_size = STACK;
        thread[t].uc_link = &caller;
        makecontext(&thread[t], begin, 0);
        ended[t] = false;
        barriers[t] = 0;
    }
    any[0] = any[1] = any[2] = 0;
    threadIdx.x = 0;
    swapcontext(&caller, &thread[0]);
    for (unsigned t = 0; t < THREADS; t++)
        if (!ended[t] || barriers[t] != barriers[0])
            abort();   /* threads differ in the barriers that they come by */
}

}

inline int __syncthreads_or(int yes)
{
    const int number = on_host::barriers[threadIdx.x]++;
    on_host::any[number % 3] |= yes;
    on_host::next();
    on_host::any[(number + 2) % 3] = 0;
    return on_host::any[number % 3] != 0;
}
inline void __syncthreads() { __syncthreads_or(0); }

inline int atomicMin(int *p, int x)
{
    const int old = *p;
    *p = std::min(old, x);
    return old;
}

inline int atomicMax(int *p, int x)
{
    const int old = *p;
    *p = std::max(old, x);
    return old;
}

template <typename Kernel, typename... A>
void launch(Kernel *kernel, unsigned blocks, cudaStream_t, A... arguments)
{
    on_host::body = [=] { kernel(arguments...); };
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        on_host::run_block();
}

/* ---- CUB ------------------------------------------------------------------------------------- */

namespace cub {

/* x[0..n) joined, in order, in some way. */
template <typename T, typename Op> T join(const T *x, int n, Op op)
{
    if (n == 1)
        return x[0];
    const int first = 1 + static_cast<int>(draw(static_cast<uint32_t>(n - 1)));
    return op(join(x, first, op), join(x + first, n - first, op));
}

template <typename T, int N, int ITEMS> struct BlockExchange {
    struct TempStorage { T all[N * ITEMS]; };
    TempStorage &s;
    explicit BlockExchange(TempStorage &storage) : s(storage) {}
    void StripedToBlocked(T (&in)[ITEMS], T (&out)[ITEMS])
    {
        for (int i = 0; i < ITEMS; i++)
            s.all[i * N + static_cast<int>(threadIdx.x)] = in[i];
        __syncthreads();
        memcpy(out, s.all + threadIdx.x * ITEMS, sizeof out);
    }
    void BlockedToStriped(T (&in)[ITEMS], T (&out)[ITEMS])
    {
        memcpy(s.all + threadIdx.x * ITEMS, in, sizeof in);
        __syncthreads();
        for (int i = 0; i < ITEMS; i++)
            out[i] = s.all[i * N + static_cast<int>(threadIdx.x)];
    }
};

template <typename T, int N> struct BlockScan {
    struct TempStorage { T part[N]; };
    TempStorage &s;
    explicit BlockScan(TempStorage &storage) : s(storage) {}
    template <int ITEMS, typename Op>
    void InclusiveScan(T (&in)[ITEMS], T (&out)[ITEMS], Op op, T &whole)
    {
        const int me = static_cast<int>(threadIdx.x);
        s.part[me] = join(in, ITEMS, op);
        __syncthreads();
        if (me > 0)
            out[0] = op(join(s.part, me, op), in[0]);
        for (int i = 1; i < ITEMS; i++)
            out[i] = op(out[i - 1], in[i]);
        whole = join(s.part, N, op);
    }
};

/* All threads but the first get something else. */
template <typename T, int N> struct BlockReduce {
    struct TempStorage { T part[N]; };
    TempStorage &s;
    explicit BlockReduce(TempStorage &storage) : s(storage) {}
    template <typename Op> T Reduce(T x, Op op)
    {
        s.part[threadIdx.x] = x;
        __syncthreads();
        return threadIdx.x == 0 ? join(s.part, N, op) : x;
    }
};

}

#endif
