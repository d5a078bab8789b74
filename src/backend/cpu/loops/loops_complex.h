/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_complex.h - everything of a complex type: what loops_complex64.c and loops_complex128.c
 * have in common.
 * Wants      DTYPE, R, R_SUFFIX, R_BITS, R_IS_DOUBLE */
#define KIND C

#include "backend/cpu/loops/loops_symbols.h"

#include "backend/cpu/loops/loops_vocab_complex.h"

#include "backend/cpu/loops/loops_drive.h"
#include "backend/cpu/loops/loops_math.h"
#include "backend/cpu/loops/loops_function.h"

/* ---- rows whose value is one function: our own texts, over whole vectors --------------------- */

#define HOW_CALL1(f, x) ~, BLOCK, c_##f
#define HOW_POW(x, y) ~, BLOCK, c_pow

#define OWN_C(f) HDI_OWN(f, DTYPE)
#define COMPLEX1(f)                                                                                \
    HDI_INLINE void block1_c_##f(void *out, const void *const *in, int64_t n)                      \
    {                                                                                              \
        OWN_C(f)(out, in, n, HDI_VV);                                                              \
    }
#define COMPLEX2(f)                                                                                \
    HDI_INLINE void block2_c_##f(void *out, const void *const *in, int64_t n, int variant)         \
    {                                                                                              \
        OWN_C(f)(out, in, n, variant);                                                             \
    }
#include "ops/elementwise/math/functions_complex.def"

HDI_INLINE void block1_c_rint(void *out, const void *const *in, int64_t n)
{
    drive1_SAME(out, in, n, c_rint);
}

/* ---- rows that need the modulus: hypot of whole vectors -------------------------------------- */

#define HOW_ABS(x) ~, BLOCK, abs
#define HOW_SIGN(x) ~, BLOCK, sign

enum { MODULUS_BLOCK = 128 };

static void moduli(R *out, const operand *x, int64_t n)
{
    R re[MODULUS_BLOCK], im[MODULUS_BLOCK];
    for (int64_t i = 0; i < n; i++) {
        re[i] = x[i].re;
        im[i] = x[i].im;
    }
    block2_hypot(out, (const void *const[]){re, im}, n, HDI_VV);
}

static void block1_abs(void *out, const void *const *in, int64_t n)
{
    R r[MODULUS_BLOCK];
    const operand *x = in[0];
    real_operand *o = out;
    for (int64_t m; n > 0; n -= m, x += m, o += m) {
        m = n < MODULUS_BLOCK ? n : MODULUS_BLOCK;
        moduli(r, x, m);
        memcpy(o, r, (size_t)m * sizeof *r);
    }
}

static void block1_sign(void *out, const void *const *in, int64_t n)
{
    R r[MODULUS_BLOCK];
    const operand *x = in[0];
    operand *o = out;
    for (int64_t m; n > 0; n -= m, x += m, o += m) {
        m = n < MODULUS_BLOCK ? n : MODULUS_BLOCK;
        moduli(r, x, m);
        for (int64_t i = 0; i < m; i++)
            o[i] = v_sign_by(x[i], r[i]);
    }
}

#include "backend/cpu/loops/loops_whole.h"

#include "backend/cpu/loops/loops_cast.h"
#include "backend/cpu/loops/loops_ew.h"
#include "backend/cpu/loops/loops_scan.h"
#include "backend/cpu/loops/loops_red.h"
#include "backend/cpu/loops/loops_long.h"
