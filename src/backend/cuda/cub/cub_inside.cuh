/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_inside.cuh - what the files of libheddle_cub share: pieces of scratch, launches, keys.
 * Threads    any */
#ifndef HDI_CUB_INSIDE_CUH
#define HDI_CUB_INSIDE_CUH

#include <cuda_runtime.h>

#include "backend/cuda/cub/cub_api.h"
#include "backend/cuda/cub/cub_radix.cuh"

#define CUB_TRY(call)                       \
    do {                                    \
        const cudaError_t e_ = (call);      \
        if (e_ != cudaSuccess)              \
            return static_cast<int>(e_);    \
    } while (0)

namespace hdi {

/* Scratch, cut off piece by piece; without memory behind it, only counted. */
struct pieces {
    char *base;
    size_t used = 0;
    template <typename T> T *take(int64_t n)
    {
        used = (used + 255) / 256 * 256;
        T *p = base != nullptr ? reinterpret_cast<T *>(base + used) : nullptr;
        used += static_cast<size_t>(n) * sizeof(T);
        return p;
    }
};

#ifndef HDI_CUB_THREADS   /* fewer where a test stands in for a GPU */
#define HDI_CUB_THREADS 256
#endif
enum { THREADS = HDI_CUB_THREADS, WARP = 32 };

#ifdef __CUDACC__
template <typename Kernel, typename... A>
void launch(Kernel *kernel, unsigned blocks, cudaStream_t stream, A... arguments)
{
    kernel<<<blocks, THREADS, 0, stream>>>(arguments...);
}
#endif

/* Blocks for n elements, a thread taking up to `each` of them in steps of the whole grid. */
inline unsigned blocks_for(int64_t n, int each)
{
    const int64_t per = static_cast<int64_t>(THREADS) * each, blocks = (n + per - 1) / per;
    return static_cast<unsigned>(blocks < 1 << 20 ? (blocks > 0 ? blocks : 1) : 1 << 20);
}

/* for (int64_t i : every n-th thread's share of a grid) */
#define CUB_EACH(i, n)                                                                          \
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;                    \
    i < (n);                                                                                    \
    i += static_cast<int64_t>(gridDim.x) * blockDim.x

/* How many bits hold all numbers below n. */
inline int bits_below(uint64_t n)
{
    int bits = 0;
    while (bits < 64 && n > 0 && (n - 1) >> bits != 0)
        bits++;
    return bits;
}

/* ---- keys: unsigned integers in NumPy's order of the elements, equal where neither comes first.
 * The same as cpu_key.h has: nan last, the zeros equal, complex numbers by two words. ---------- */

enum key_kind { INTEGER, REAL, COMPLEX };
struct key_how {
    int kind, size;          /* size: bytes of an element */
    uint64_t sign, inf, all; /* of a real number, or a part of a complex one; integers: sign is
                              * what turns them, all their bits */
    uint64_t turn;           /* all ones: descending */
};

inline int dtype_bytes(int dt)
{
    static const int bytes[HD_DTYPE_COUNT] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return bytes[dt];
}

inline key_how key_of(int dt, bool down)
{
    key_how k = {INTEGER, dtype_bytes(dt), 0, 0, 0, down ? ~0ull : 0};
    const int part = dt == HD_COMPLEX64 || dt == HD_COMPLEX128 ? k.size / 2 : k.size;
    const uint64_t top = 1ull << (8 * part - 1);
    k.all = top | (top - 1);
    if (dt >= HD_INT8 && dt <= HD_INT64)
        k.sign = top;
    if (dt < HD_FLOAT16)
        return k;
    k.kind = dt >= HD_COMPLEX64 ? COMPLEX : REAL;
    k.sign = top;
    k.inf = dt == HD_FLOAT16 ? 0x7c00 : dt == HD_BFLOAT16 ? 0x7f80
            : part == 4 ? 0x7f800000ull : 0x7ffull << 52;
    return k;
}

__device__ __forceinline__ uint64_t bits_of(const void *p, int64_t i, int size)
{
    switch (size) {
    case 1: return static_cast<const uint8_t *>(p)[i];
    case 2: return static_cast<const uint16_t *>(p)[i];
    case 4: return static_cast<const uint32_t *>(p)[i];
    default: return static_cast<const uint64_t *>(p)[i];
    }
}

__device__ __forceinline__ uint64_t real_key(uint64_t bits, const key_how &k)
{
    const uint64_t size = bits & (k.sign - 1);
    const uint64_t key = size == 0 ? k.sign : (bits & k.sign ? ~bits & k.all : bits | k.sign);
    return size > k.inf ? k.all : key;
}

/* word 0 decides before word 1, which only complex128 has. */
__device__ __forceinline__ uint64_t key_word(const void *p, int64_t i, const key_how &k, int word)
{
    if (k.kind != COMPLEX) {
        const uint64_t bits = bits_of(p, i, k.size);
        const uint64_t key = k.kind == REAL ? real_key(bits, k) : bits ^ k.sign;
        return (key ^ k.turn) & k.all;
    }
    const uint64_t re = real_key(bits_of(p, 2 * i, k.size / 2), k),
                   im = real_key(bits_of(p, 2 * i + 1, k.size / 2), k);
    const bool aside = im == k.all && re != k.all;
    const uint64_t high = aside ? k.all - 1 : re, low = aside ? re : im;
    return (k.size == 8 ? high << 32 | low : word == 0 ? high : low) ^ k.turn;
}

/* cub_sort_lines.cu: lines that fit a block. */
bool lines_fit(int64_t n, const key_how &k);
cudaError_t sort_short_lines(const hdi_cub_call *c, const key_how &k, cudaStream_t stream);

}

#endif
