/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_cast.h - casts from the element type at hand to every other.
 * Wants      KIND, DTYPE, T, its vocabulary and loops_drive.h
 * Invariant  no conversion is undefined: see loops_whole.h for reals that no integer is near to
 *
 * The class of T says how one element converts: bool and integers by C's rule, reals to integers
 * by the rule above, complex numbers by their real part. */

/* hdi_c_<DTYPE>: how C spells one element; hdi_r_<DTYPE>: its real type. */
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops)                                 \
    typedef ctype hdi_c_##NAME;                                                                    \
    typedef hdi_c_##real hdi_r_##NAME;
#include "core/dtype.def"

#define CAST_LOOP(D) void HDI_SYM3(cast, DTYPE, D)(void *out, const void *in, int64_t n)
#define CAST_EACH(ctype, o, x, n, value)                                                           \
    do {                                                                                           \
        HDI_NO_DEPENDENCE                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const ctype converted = (ctype)(value);                                                \
            o[i] = converted;                                                                      \
        }                                                                                          \
    } while (0)

#define CAST_PLAIN(D, value)                                                                       \
    CAST_LOOP(D)                                                                                   \
    {                                                                                              \
        typedef hdi_c_##D target __attribute__((may_alias, aligned(1)));                           \
        target *o = out;                                                                           \
        const operand *x = in;                                                                     \
        CAST_EACH(hdi_c_##D, o, x, n, value);                                                      \
    }

#define CAST_COMPLEX(D)                              \
    CAST_LOOP(D)                                     \
    {                                                \
        typedef struct {                             \
            hdi_r_##D re, im;                        \
        } __attribute__((may_alias, packed)) target; \
        target *o = out;                             \
        const operand *x = in;                       \
        HDI_NO_DEPENDENCE                            \
        for (int64_t i = 0; i < n; i++) {            \
            const T xi = x[i];                       \
            o[i].re = (hdi_r_##D)PART_RE(xi);        \
            o[i].im = (hdi_r_##D)PART_IM(xi);        \
        }                                            \
    }

/* CAST_<class of T>_<class of the target> */
#define CAST_B_B(D)
#define CAST_B_I(D) CAST_PLAIN(D, PART_RE(x[i]))
#define CAST_B_F(D) CAST_PLAIN(D, PART_RE(x[i]))
#define CAST_I_B(D) CAST_PLAIN(D, truth(x[i]))
#define CAST_I_I(D) CAST_PLAIN(D, x[i])
#define CAST_I_F(D) CAST_PLAIN(D, x[i])
#define CAST_F_B(D) CAST_PLAIN(D, truth(x[i]))
#define CAST_F_I(D) CAST_FROM_REAL_##D(D)
#define CAST_F_F(D) CAST_PLAIN(D, x[i])
#define CAST_C_B(D) CAST_PLAIN(D, truth(x[i]))
#define CAST_C_I(D) CAST_FROM_REAL_##D(D)
#define CAST_C_F(D) CAST_PLAIN(D, PART_RE(x[i]))
#define CAST_B_C CAST_COMPLEX
#define CAST_I_C CAST_COMPLEX
#define CAST_F_C CAST_COMPLEX
#define CAST_C_C CAST_COMPLEX

#define CAST_TO(K, D, ...) \
    HDI_CAT(HDI_WHEN_, HDI_DIFFER(DTYPE, D))(HDI_CAT(HDI_CAT(CAST_, KIND), _##K)(D))
HDI_EACH_DTYPE(CAST_TO, ~)
