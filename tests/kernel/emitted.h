/* SPDX-License-Identifier: BSD-3-Clause */
/* emitted.h - what emit_c.c calls: nodes of lowered IR that are no operators of C.
 * Start at   grid.h */
#ifndef HEDDLE_TESTS_KERNEL_EMITTED_H
#define HEDDLE_TESTS_KERNEL_EMITTED_H

#include "grid.h"

static inline float g_f32(uint32_t b) { float x; memcpy(&x, &b, 4); return x; }
static inline double g_f64(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }

#define WHOLE_OF(N, T, LOW, HIGH) \
    static inline T g_whole_##N(double x) \
    { \
        return x != x ? 0 : x >= (double)(HIGH) ? (HIGH) : x <= (double)(LOW) ? (LOW) : (T)x; \
    }
WHOLE_OF(i8, int8_t, INT8_MIN, INT8_MAX) WHOLE_OF(u8, uint8_t, 0, UINT8_MAX)
WHOLE_OF(i16, int16_t, INT16_MIN, INT16_MAX) WHOLE_OF(u16, uint16_t, 0, UINT16_MAX)
WHOLE_OF(i32, int32_t, INT32_MIN, INT32_MAX) WHOLE_OF(u32, uint32_t, 0, UINT32_MAX)
WHOLE_OF(i64, int64_t, INT64_MIN, INT64_MAX) WHOLE_OF(u64, uint64_t, 0, UINT64_MAX)

#define BITS_OF(N, T) \
    static inline T g_bits_##N##_(const void *p) { T r; memcpy(&r, p, sizeof r); return r; }
BITS_OF(i32, int32_t) BITS_OF(u32, uint32_t) BITS_OF(i64, int64_t) BITS_OF(u64, uint64_t)
BITS_OF(f32, float) BITS_OF(f64, double)
#define g_bits_i32(x) ({ __typeof__(x) y_ = (x); g_bits_i32_(&y_); })
#define g_bits_u32(x) ({ __typeof__(x) y_ = (x); g_bits_u32_(&y_); })
#define g_bits_i64(x) ({ __typeof__(x) y_ = (x); g_bits_i64_(&y_); })
#define g_bits_u64(x) ({ __typeof__(x) y_ = (x); g_bits_u64_(&y_); })
#define g_bits_f32(x) ({ __typeof__(x) y_ = (x); g_bits_f32_(&y_); })
#define g_bits_f64(x) ({ __typeof__(x) y_ = (x); g_bits_f64_(&y_); })

#define INTEGER(N, T, U, BITS, IS_SIGNED) \
    static inline T g_neg_##N(T x) { return (T)(0u - (U)x); } \
    static inline T g_not_##N(T x) { return (T)~x; } \
    static inline T g_div_##N(T x, T y) \
    { return y == 0 ? (T)-1 : IS_SIGNED && y == (T)-1 ? (T)(0u - (U)x) : (T)(x / y); } \
    static inline T g_rem_##N(T x, T y) \
    { return y == 0 ? x : IS_SIGNED && y == (T)-1 ? 0 : (T)(x % y); } \
    static inline T g_shl_##N(T x, uint32_t y) { return y >= BITS ? 0 : (T)((U)x << y); } \
    static inline T g_shr_##N(T x, uint32_t y) \
    { return y >= BITS ? (T)(IS_SIGNED && x < 0 ? -1 : 0) : (T)(x >> y); } \
    static inline T g_min_##N(T x, T y) { return x < y ? x : y; } \
    static inline T g_max_##N(T x, T y) { return x > y ? x : y; } \
    static inline T g_abs_##N(T x) { return IS_SIGNED && x < 0 ? (T)(0u - (U)x) : x; } \
    static inline T g_atomic0_##N(char *p, T x) { T o = *(T *)p; *(T *)p = (T)(o + x); return o; } \
    static inline T g_atomic1_##N(char *p, T x) { T o = *(T *)p; *(T *)p = (T)(o - x); return o; } \
    static inline T g_atomic2_##N(char *p, T x) { T o = *(T *)p; if (x < o) *(T *)p = x; return o; } \
    static inline T g_atomic3_##N(char *p, T x) { T o = *(T *)p; if (x > o) *(T *)p = x; return o; } \
    static inline T g_atomic4_##N(char *p, T x) { T o = *(T *)p; *(T *)p = o & x; return o; } \
    static inline T g_atomic5_##N(char *p, T x) { T o = *(T *)p; *(T *)p = o | x; return o; } \
    static inline T g_atomic6_##N(char *p, T x) { T o = *(T *)p; *(T *)p = o ^ x; return o; } \
    static inline T g_atomic7_##N(char *p, T x) { T o = *(T *)p; *(T *)p = x; return o; } \
    static inline T g_atomic8_##N(char *p, T x, T y) \
    { T o = *(T *)p; if (o == x) *(T *)p = y; return o; } \
    static inline T g_warp_##N(int k, T x, uint32_t y, uint32_t z) \
    { return (T)g_exchange(k, (uint64_t)x, y, z, k >= 9); }
INTEGER(i8, int8_t, uint8_t, 8, 1) INTEGER(u8, uint8_t, uint8_t, 8, 0)
INTEGER(i16, int16_t, uint16_t, 16, 1) INTEGER(u16, uint16_t, uint16_t, 16, 0)
INTEGER(i32, int32_t, uint32_t, 32, 1) INTEGER(u32, uint32_t, uint32_t, 32, 0)
INTEGER(i64, int64_t, uint64_t, 64, 1) INTEGER(u64, uint64_t, uint64_t, 64, 0)
static inline uint32_t g_atomic9_u32(char *p, uint32_t x)
{ uint32_t o = *(uint32_t *)p; *(uint32_t *)p = o >= x ? 0 : o + 1; return o; }
static inline uint32_t g_atomic10_u32(char *p, uint32_t x)
{ uint32_t o = *(uint32_t *)p; *(uint32_t *)p = o == 0 || o > x ? x : o - 1; return o; }
static inline _Bool g_not_bool(_Bool x) { return !x; }
static inline uint64_t g_warp_bool(int k, _Bool x, uint32_t y, uint32_t z)
{ return g_exchange(k, x, y, z, k >= 9); }

#define COUNTS(N, T, U, S) \
    static inline T g_popcount_##N(T x) { return (T)__builtin_popcount##S((U)x); } \
    static inline T g_clz_##N(T x) \
    { return (T)(x == 0 ? (int)sizeof(T) * 8 : __builtin_clz##S((U)x)); } \
    static inline T g_brev_##N(T x) \
    { U r = 0; for (unsigned i = 0; i < sizeof(T) * 8; i++) r |= ((U)x >> i & 1) << (sizeof(T) * 8 - 1 - i); return (T)r; }
COUNTS(u32, uint32_t, uint32_t, ) COUNTS(u64, uint64_t, uint64_t, ll)
static inline int32_t g_mulhi_i32(int32_t x, int32_t y) { return (int32_t)((int64_t)x * y >> 32); }
static inline uint32_t g_mulhi_u32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }
static inline int64_t g_mulhi_i64(int64_t x, int64_t y) { return (int64_t)((__int128)x * y >> 64); }
static inline uint64_t g_mulhi_u64(uint64_t x, uint64_t y)
{ return (uint64_t)((unsigned __int128)x * y >> 64); }

#define REAL(N, T, U, F) \
    static inline T g_neg_##N(T x) { return -x; } \
    static inline T g_atomic0_##N(char *p, T x) { T o = *(T *)p; *(T *)p = o + x; return o; } \
    static inline T g_atomic7_##N(char *p, T x) { T o = *(T *)p; *(T *)p = x; return o; } \
    static inline T g_warp_##N(int k, T x, uint32_t y, uint32_t z) \
    { U b = 0; memcpy(&b, &x, sizeof x); b = (U)g_exchange(k, b, y, z, 0); memcpy(&x, &b, sizeof x); return x; } \
    static inline T g_rsqrt_##N(T x) { return 1 / sqrt##F(x); } \
    static inline T g_sinpi_##N(T x) { return sin##F((T)M_PI * x); } \
    static inline T g_cospi_##N(T x) { return cos##F((T)M_PI * x); } \
    static inline T g_abs_##N(T x) { return fabs##F(x); } \
    static inline T g_min_##N(T x, T y) { return fmin##F(x, y); } \
    static inline T g_max_##N(T x, T y) { return fmax##F(x, y); } \
    static inline T g_exp10_##N(T x) { return pow##F(10, x); } \
    static inline T g_ldexp_##N(T x, T y) { return ldexp##F(x, (int)y); } \
    static inline T g_fma_##N(T x, T y, T z) { return fma##F(x, y, z); }
REAL(f32, float, uint32_t, f) REAL(f64, double, uint64_t, )
#define ONE(M) static inline float g_##M##_f32(float x) { return M##f(x); } \
               static inline double g_##M##_f64(double x) { return M(x); }
#define TWO(M) static inline float g_##M##_f32(float x, float y) { return M##f(x, y); } \
               static inline double g_##M##_f64(double x, double y) { return M(x, y); }
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh)
ONE(acosh) ONE(atanh) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p)
ONE(sqrt) ONE(cbrt) ONE(erf) ONE(erfc) ONE(tgamma) ONE(lgamma) ONE(j0) ONE(j1) ONE(y0) ONE(y1)
ONE(floor) ONE(ceil) ONE(trunc) ONE(rint) ONE(round)
TWO(atan2) TWO(pow) TWO(hypot) TWO(copysign) TWO(fmod) TWO(remainder) TWO(nextafter)

#endif
