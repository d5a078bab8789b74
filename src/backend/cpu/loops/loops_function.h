/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_function.h - block1_<f>, block2_<f>: each function of functions.def over a block of reals,
 * by libmvec or by our own text.
 * Wants      loops_math.h */
#if R_IS_DOUBLE
#define OWN_F(f) HDI_OWN(f, FLOAT64)
#else
#define OWN_F(f) HDI_OWN(f, FLOAT32)
#endif
#define VECTOR(f) hdi_vecmath(HDI_VEC_##f, R_IS_DOUBLE, HDI_VEC_WIDTH)

#define MATH1(f, ...)                                                                              \
    static __attribute__((unused)) void block1_##f(void *out, const void *const *in, int64_t n)    \
    {                                                                                              \
        vec_function1 vector = (vec_function1)VECTOR(f);                                           \
        if (vector != NULL)                                                                        \
            vec_map1(out, in[0], n, vector);                                                       \
        else                                                                                       \
            OWN_F(f)(out, in, n, HDI_VV);                                                          \
    }
#define MATH2(f, ...)                                                                              \
    static __attribute__((unused)) void block2_##f(void *out, const void *const *in, int64_t n,    \
                                                   int variant)                                    \
    {                                                                                              \
        vec_function2 vector = (vec_function2)VECTOR(f);                                           \
        if (vector != NULL)                                                                        \
            vec_map2(out, in, n, variant, vector);                                                 \
        else                                                                                       \
            OWN_F(f)(out, in, n, variant);                                                         \
    }
#include "ops/elementwise/math/functions.def"
