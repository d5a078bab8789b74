/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_math.h - loops of the C library's functions, on vectors of the real type.
 * Wants      R (float or double), R_SUFFIX, R_IS_DOUBLE
 * Invariant  every element goes through the same function whatever its place: the last vector is filled up, never finished by a scalar
 *            function, whose last bits differ. Without a vector function the scalar one serves all elements */
#include <string.h>

#include "backend/cpu/loops/loops_vec.h"

typedef R hdi_vr __attribute__((vector_size(HDI_VEC_BYTES)));
enum { R_LANES = HDI_VEC_BYTES / (int)sizeof(R) };
typedef hdi_vr (*vec_function1)(hdi_vr);
typedef hdi_vr (*vec_function2)(hdi_vr, hdi_vr);

static inline hdi_vr vec_load(const void *from)
{
    hdi_vr v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* The first n elements, and the last of them in the other lanes: a number of the same kind costs no more than it does itself. */
static inline hdi_vr vec_load_part(const char *from, int64_t n)
{
    R lane[R_LANES];
    for (int64_t i = 0; i < R_LANES; i++)
        memcpy(&lane[i], from + (i < n ? i : n - 1) * (int64_t)sizeof(R), sizeof(R));
    return vec_load(lane);
}

static inline void vec_store(void *to, hdi_vr v)
{
    memcpy(to, &v, sizeof v);
}

static inline hdi_vr vec_of(const void *element)
{
    R one;
    memcpy(&one, element, sizeof one);
    return one - (hdi_vr){0};   /* minus, so that -0 stays itself */
}

static inline __attribute__((unused)) void vec_map1(void *out, const void *in, int64_t n, vec_function1 f)
{
    char *o = out;
    const char *x = in;
    for (; n >= R_LANES; n -= R_LANES, o += HDI_VEC_BYTES, x += HDI_VEC_BYTES)
        vec_store(o, f(vec_load(x)));
    if (n > 0) {
        const hdi_vr last = f(vec_load_part(x, n));
        memcpy(o, &last, (size_t)n * sizeof(R));
    }
}

static inline __attribute__((unused)) void vec_map2(void *out, const void *const *in, int64_t n,
                                                    int variant, vec_function2 f)
{
    char *o = out;
    const char *x = in[0], *y = in[1];
    const hdi_vr x0 = vec_of(x), y0 = vec_of(y);
    for (; n >= R_LANES; n -= R_LANES, o += HDI_VEC_BYTES, x += HDI_VEC_BYTES, y += HDI_VEC_BYTES)
        vec_store(o, f(variant == HDI_SV ? x0 : vec_load(x), variant == HDI_VS ? y0 : vec_load(y)));
    if (n > 0) {
        const hdi_vr last = f(variant == HDI_SV ? x0 : vec_load_part(x, n),
                              variant == HDI_VS ? y0 : vec_load_part(y, n));
        memcpy(o, &last, (size_t)n * sizeof(R));
    }
}

/* vec_<f>: the vector function or NULL; libm_<f>: the scalar one. */
#define VEC_LOOKUP(f, type)                                                                        \
    static inline __attribute__((unused)) type vec_##f(void)                                       \
    {                                                                                              \
        return (type)hdi_vecmath(HDI_VEC_##f, R_IS_DOUBLE, HDI_VEC_WIDTH);                         \
    }
#define R_LIBM(f) HDI_CAT(__builtin_##f, R_SUFFIX)
#define VEC1(f)                                                                                    \
    VEC_LOOKUP(f, vec_function1)                                                                   \
    static inline __attribute__((unused)) R libm_##f(R x) { return R_LIBM(f)(x); }
#define VEC2(f)                                                                                    \
    VEC_LOOKUP(f, vec_function2)                                                                   \
    static inline __attribute__((unused)) R libm_##f(R x, R y) { return R_LIBM(f)(x, y); }
#include "backend/cpu/cpu_vecmath.def"
