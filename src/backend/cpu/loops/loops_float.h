/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_float.h - everything of a real type: what loops_float32.c and loops_float64.c have in
 * common.
 * Wants      DTYPE, FLOAT_T, FLOAT_SUFFIX, FLOAT_BITS */
#define KIND F
#define R FLOAT_T
#define R_IS_DOUBLE (FLOAT_BITS == 64)

#include "backend/cpu/loops/loops_symbols.h"

#include "backend/cpu/loops/loops_vocab_float.h"

#include "backend/cpu/loops/loops_drive.h"
#include "backend/cpu/loops/loops_math.h"
#include "backend/cpu/loops/loops_function.h"
#include "backend/cpu/loops/loops_random.h"
#include "backend/cpu/loops/loops_random_float.h"
#include "backend/cpu/loops/loops_draw.h"

/* ---- rows whose value is one library function ------------------------------------------------ */

#define HOW_CALL1(f, x) ~, BLOCK, f
#define HOW_CALL2(f, x, y) ~, BLOCK, f
#define HOW_FLOORDIV(x, y) ~, BLOCK, floordiv
#define HOW_MOD(x, y) ~, BLOCK, mod
#define HOW_FMOD(x, y) ~, BLOCK, fmod
#define HOW_UNIFORM(x, y) ~, BLOCK, uniform
#define HOW_NORMAL(x, y) ~, BLOCK, normal

#define HOW_POW(x, y) ~, BLOCK, pow

/* Those that are an instruction or a few. */
#define INSTRUCTION1(f)                                                                            \
    HDI_INLINE T scalar_##f(T x) { return LIBM(f)(x); }                                            \
    HDI_INLINE void block1_##f(void *out, const void *const *in, int64_t n)                        \
    {                                                                                              \
        drive1_SAME(out, in, n, scalar_##f);                                                       \
    }
INSTRUCTION1(sqrt)
INSTRUCTION1(floor)
INSTRUCTION1(ceil)
INSTRUCTION1(trunc)
INSTRUCTION1(rint)

#define INSTRUCTION2(f)                                                                            \
    HDI_INLINE T scalar_##f(T x, T y) { return LIBM(f)(x, y); }                                    \
    HDI_INLINE void block2_##f(void *out, const void *const *in, int64_t n, int variant)           \
    {                                                                                              \
        drive2_SAME(out, in, n, variant, scalar_##f);                                              \
    }
INSTRUCTION2(copysign)
INSTRUCTION2(nextafter)

/* ---- remainder and floor division ------------------------------------------------------------ */

/* fmod in a few instructions, exact wherever divides_simply(): x - trunc(x / y) * y by one fused
 * operation is exact, because the quotient is off by one at most and both that difference and
 * the true remainder are multiples of the last bit of x or y that fit in T; adding y back is
 * exact for the same reason. Without fused instructions the C library's fmod is faster. */
#if defined(__FMA__)
HDI_INLINE T quick_fmod(T x, T y)
{
    const T r = FMA(-LIBM(trunc)(x / y), y, x);
    return v_signs_differ(r, x) ? r + LIBM(copysign)(y, x) : r;
}

HDI_INLINE int divides_simply(T x, T y)
{
    const T limit = FLOAT_BITS == 64 ? (T)0x1p52 : (T)0x1p23;
    return (ABS(x / y) < limit) & (ABS(y) < INF);
}
#else
#define quick_fmod LIBM(fmod)
HDI_INLINE int divides_simply(T x, T y)
{
    return (void)x, (void)y, 0;
}
#endif

HDI_INLINE T general_fmod(T x, T y) { return LIBM(fmod)(x, y); }
HDI_INLINE T signed_fmod(T x, T y) { return LIBM(copysign)(quick_fmod(x, y), x); }
HDI_INLINE T quick_mod(T x, T y) { return v_mod_of(y, quick_fmod(x, y)); }
HDI_INLINE T quick_floordiv(T x, T y) { return v_floordiv_of(x, y, quick_fmod(x, y)); }

enum { DIVMOD_BLOCK = 64 };

HDI_INLINE int all_divide_simply(const operand *x, const operand *y, int64_t n, int variant)
{
    int simple = 1;
    for (int64_t i = 0; i < n; i++)
        simple &= divides_simply(x[variant == HDI_SV ? 0 : i], y[variant == HDI_VS ? 0 : i]);
    return simple;
}

HDI_INLINE void divmod(void *out, const void *const *in, int64_t n, int variant, T (*quick)(T, T),
                       T (*general)(T, T))
{
    const operand single[2] = {((const operand *)in[0])[0], ((const operand *)in[1])[0]};
    for (int64_t i = 0, m; i < n; i += m) {
        m = n - i < DIVMOD_BLOCK ? n - i : DIVMOD_BLOCK;
        const operand *x = variant == HDI_SV ? single : (const operand *)in[0] + i;
        const operand *y = variant == HDI_VS ? single + 1 : (const operand *)in[1] + i;
        const void *const part[2] = {x, y};
        if (all_divide_simply(x, y, m, variant))
            drive2_SAME((operand *)out + i, part, m, variant, quick);
        else
            drive2_SAME((operand *)out + i, part, m, variant, general);
    }
}

HDI_INLINE void block2_mod(void *out, const void *const *in, int64_t n, int variant)
{
    divmod(out, in, n, variant, quick_mod, v_mod);
}

HDI_INLINE void block2_fmod(void *out, const void *const *in, int64_t n, int variant)
{
    divmod(out, in, n, variant, signed_fmod, general_fmod);
}

HDI_INLINE void block2_floordiv(void *out, const void *const *in, int64_t n, int variant)
{
    divmod(out, in, n, variant, quick_floordiv, v_floordiv);
}

#include "backend/cpu/loops/loops_whole.h"

#include "backend/cpu/loops/loops_cast.h"
#include "backend/cpu/loops/loops_ew.h"
#include "backend/cpu/loops/loops_scan.h"

/* In a reduction only x's own comparison with itself is off the chain of dependent steps: a nan
 * in x is looked for, one in a stays by itself, since no comparison with it holds. Of 0 and -0
 * the first one stays in all of these; in NumPy's it depends on the length. */
HDI_INLINE T next_max(T a, T x)
{
    const T larger = x > a ? x : a;
    return x != x ? x : larger;
}

HDI_INLINE T next_min(T a, T x)
{
    const T smaller = x < a ? x : a;
    return x != x ? x : smaller;
}

HDI_INLINE T next_fmax(T a, T x) { return (!(x <= a) & (x == x)) ? x : a; }
HDI_INLINE T next_fmin(T a, T x) { return (!(x >= a) & (x == x)) ? x : a; }

#undef MAX
#undef MIN
#undef FMAX
#undef FMIN
#define MAX(a, x) next_max(a, x)
#define MIN(a, x) next_min(a, x)
#define FMAX(a, x) next_fmax(a, x)
#define FMIN(a, x) next_fmin(a, x)
#include "backend/cpu/loops/loops_red.h"
#include "backend/cpu/loops/loops_long.h"
#include "backend/cpu/loops/loops_super.h"
#define THIN_PICKS 1
#include "backend/cpu/loops/loops_thin.h"
