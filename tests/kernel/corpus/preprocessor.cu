/* SPDX-License-Identifier: BSD-3-Clause */
/* preprocessor.cu - macros and conditions. */
#include <cuda_runtime.h>
#include "math.h"
#define N 16
#define SQUARE(x) ((x) * (x))
#define MAX2(a, b) \
    ((a) > (b) ? (a) : (b))
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define EMPTY
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define CALL(f, ...) f(__VA_ARGS__)
#define DO(x) do { x; } while (0)
#define INDEX(i, j) ((i) * N + (j))
#define f(x) x f
#define g(x) (x + 1)
#define LINE __LINE__
#define ID(x) x
#define STRING(x) #x
#if defined(N) && N > 8 && !defined(M) && (N << 1 == 32) /* comment */
#define BRANCH 1
#elif N == 3
#error no
#else
#error never
#endif
#ifdef M
this is no C
#elif 1
#define M 5 // five
#endif
#ifndef N
#if 1
garbage "
#endif
#else
#undef BRANCH
#define BRANCH 2
#endif
#if __CUDA_ARCH__ >= 600
#error arch
#endif
#if N == 16 ? 0 : 1
#error conditional
#endif
#define real float
#define DECLARE(type, name) type CAT(name, _v) = 3
#define PICK(_1, _2, NAME, ...) NAME
#define ONE(x) 1
#define TWO(x, y) 2
#define COUNT(...) PICK(__VA_ARGS__, TWO, ONE)(__VA_ARGS__)
/* a block
   comment */ __global__ void macros(int *o)
{
    int self = 1; // a comment \
    that goes on
#define self self + 1
    int CAT(ab, c) = 5, XCAT(v, M) = 6, EMPTY t = 7;
    FOR(i, 3) { o[i] = SQUARE(i + 1); }
    o[3] = MAX2(abc, v5) + BRANCH; DO(o[4] = CALL(MAX2, 3, 4)); o[INDEX(0, 5)] = self; o[6] = g(g(ID(g)(1)));
        o[7] = LINE;
    o[8] = sizeof(STRING(a + "b\n" c)); DECLARE(real, w); o[9] = w_v * M; o[10] = COUNT(1) * 10 + COUNT(1, 2);
        o[11] = STRING(x y)[1]; o[12] = t
    #pragma unroll
    ;
    _Pragma("unroll") for (int i = 13; i < 16; i++) o[i] = __LINE__;
}
// run macros 1 1 : i32*16:zero
#undef self
#undef f
#define TILE 4
#define KERNEL(name, type, op) __global__ void name(const type *x, type *o) { int i = threadIdx.x; o[i] = x[i] op x[(i + 1) % TILE]; }
KERNEL(sum_int, int, +)
KERNEL(product_float, float, *)
// run sum_int 1 4 : i32*4:data i32*4:zero
// run product_float 1 4 : f32*4:data f32*4:zero
