/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_powf.h - pow of float by way of double, within 0.51 ULP: with AVX-512 1.4 times as fast
 * as libmvec's, with AVX2 as fast.
 * Wants      loops_math.h with R = float, AVX2 and FMA
 * Invariant  what happens to one lane does not depend on the others, whichever path the vector
 *            takes
 * Source     log2 by the series of atanh, reduction of both functions: Muller, Elementary
 *            Functions, 3rd ed., ch. 11; coefficients by Chebyshev interpolation (relative
 *            errors 2^-37.8 and 2^-34.5, times |y log2 x| < 150) */

typedef double hdi_vd __attribute__((vector_size(HDI_VEC_BYTES)));
/* as many floats as hdi_vd has doubles */
typedef float hdi_vh __attribute__((vector_size(HDI_VEC_BYTES / 2)));
typedef int64_t hdi_vi64 __attribute__((vector_size(HDI_VEC_BYTES)));
typedef int32_t hdi_vi32 __attribute__((vector_size(HDI_VEC_BYTES / 2)));

static inline hdi_vd vd_select(hdi_vi64 c, hdi_vd a, hdi_vd b)
{
    return (hdi_vd)((c & (hdi_vi64)a) | (~c & (hdi_vi64)b));
}

static inline hdi_vh vh_select(hdi_vi32 c, hdi_vh a, hdi_vh b)
{
    return (hdi_vh)((c & (hdi_vi32)a) | (~c & (hdi_vi32)b));
}

static inline hdi_vd vd_fma(hdi_vd a, hdi_vd b, hdi_vd c)
{
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (hdi_vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
    return (hdi_vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}

static inline hdi_vd vd_from_float(hdi_vh x)   /* gcc's own conversion takes it in halves */
{
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (hdi_vd)_mm512_cvtps_pd((__m256)x);
#else
    return __builtin_convertvector(x, hdi_vd);
#endif
}

static inline int vd_all(hdi_vi64 c)
{
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)c) == 0xff;
#else
    return _mm256_movemask_pd((__m256d)c) == 0xf;
#endif
}

/* log2 of positive normal numbers: x = 2^k m with m in [sqrt(1/2), sqrt(2)), log2 m = s P(s^2)
 * with s = (m - 1) / (m + 1). */
static inline hdi_vd vd_log2(hdi_vd x)
{
    const hdi_vd zero = {0};
    const hdi_vu64 one = (hdi_vu64){0} + 0x3FF0000000000000u,
                   root_half = (hdi_vu64){0} + 0x3FE6A09E667F3BCDu;
    const hdi_vu64 exponent = ((hdi_vu64)x + (one - root_half)) >> 52;              /* k + 1023 */
    const hdi_vd m = (hdi_vd)((hdi_vu64)x - (exponent << 52) + one);
    const hdi_vd k = (hdi_vd)(exponent | 0x4330000000000000u) - (0x1p52 + 1023);
    const hdi_vd s = (m - 1) / (m + 1), s2 = s * s;
    hdi_vd p = zero + 0x1.5ce42aa8d1c0cp-2;
    p = vd_fma(p, s2, zero + 0x1.a58dc78dd320fp-2);
    p = vd_fma(p, s2, zero + 0x1.27777f54b0e3dp-1);
    p = vd_fma(p, s2, zero + 0x1.ec709d13ae363p-1);
    p = vd_fma(p, s2, zero + 0x1.71547652bed21p+1);
    return vd_fma(p, s, k);
}

/* 2^t for |t| < 1000: t = n + f, n the nearest integer. */
static inline hdi_vd vd_exp2(hdi_vd t)
{
    const hdi_vd zero = {0}, magic = zero + 0x1.8p52;
    const hdi_vd shifted = t + magic, f = t - (shifted - magic);
    const hdi_vd scale = (hdi_vd)(((hdi_vu64)shifted << 52) + 0x3FF0000000000000u);
    hdi_vd p = zero + 0x1.00c0e4e15189cp-16;
    p = vd_fma(p, f, zero + 0x1.446c79efd4834p-13);
    p = vd_fma(p, f, zero + 0x1.5d877598350dep-10);
    p = vd_fma(p, f, zero + 0x1.3b29d8bb0b97ep-7);
    p = vd_fma(p, f, zero + 0x1.c6b08da70cce3p-5);
    p = vd_fma(p, f, zero + 0x1.ebfbe0aa03df0p-3);
    p = vd_fma(p, f, zero + 0x1.62e42fef9cc69p-1);
    p = vd_fma(p, f, zero + 0x1.ffffffffa7135p-1);
    return p * scale;
}

/* Where x is 0, infinite or negative, either is nan or the result is past every float: r is
 * |x|^y as far as it came. */
static __attribute__((noinline)) hdi_vh vh_pow_special(hdi_vh x, hdi_vh y, hdi_vd log)
{
    const double inf = __builtin_inf();
    const hdi_vh none = {0};
    const hdi_vd zero = {0};
    const hdi_vi32 sign_bit = (hdi_vi32){0} + INT32_MIN;
    const hdi_vh size = (hdi_vh)((hdi_vi32)x & ~sign_bit),
                 y_size = (hdi_vh)((hdi_vi32)y & ~sign_bit);
    /* From 2^24 on every float is an even whole number; below, an int32 tells. */
    const hdi_vi32 large = y_size >= 0x1p24f,
                   n = __builtin_convertvector(vh_select(y_size < 0x1p24f, y, none), hdi_vi32);
    const hdi_vi32 whole = large | (__builtin_convertvector(n, hdi_vh) == y),
                   odd = whole & -(n & 1);
    const hdi_vi32 one = (y == 0) | (size == 1);
    const hdi_vi32 nan =
        ((x != x) & (y != 0)) | ((y != y) & (x != 1)) | ((x < 0) & (size < (float)inf) & ~whole);

    log = vd_select(vd_from_float(size) == 0, zero - inf, log);
    log = vd_select(vd_from_float(size) == inf, zero + inf, log);
    hdi_vd t = log * vd_from_float(y);
    t = vd_select(t > 300, zero + 300, t);
    t = vd_select(t < -300, zero - 300, t);
    hdi_vh r = __builtin_convertvector(vd_exp2(t), hdi_vh);
    r = vh_select(one, none + 1, r);
    r = vh_select(nan, none + __builtin_nanf(""), r);
    return (hdi_vh)((hdi_vi32)r | ((hdi_vi32)x & sign_bit & odd));
}

static inline hdi_vh vh_pow(hdi_vh x, hdi_vh y)
{
    const hdi_vi32 sign_bit = (hdi_vi32){0} + INT32_MIN;
    const hdi_vi64 sign_bits = (hdi_vi64){0} + INT64_MIN;
    const hdi_vd wide = vd_from_float((hdi_vh)((hdi_vi32)x & ~sign_bit)), log = vd_log2(wide),
                 t = log * vd_from_float(y);
    const hdi_vd t_size = (hdi_vd)((hdi_vi64)t & ~sign_bits);
    if (!vd_all((t_size < 1000) & (vd_from_float(x) > 0) & (wide < __builtin_inf())))
        return vh_pow_special(x, y, log);
    return __builtin_convertvector(vd_exp2(t), hdi_vh);
}

static inline hdi_vr own_pow(hdi_vr x, hdi_vr y)
{
    union { hdi_vr whole; hdi_vh half[2]; } a = {x}, b = {y}, r;
    r.half[0] = vh_pow(a.half[0], b.half[0]);
    r.half[1] = vh_pow(a.half[1], b.half[1]);
    return r.whole;
}

static void block2_own_pow(void *out, const void *const *in, int64_t n, int variant)
{
    vec_map2(out, in, n, variant, own_pow);
}
