/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_drive.h - the loops themselves, around a scalar function that the compiler inlines and
 * vectorises.
 * Wants      T, operand (T as it lies in memory), and the vocabulary's FROM_INDEX where a row
 *            counts positions
 * Invariant  every input element is read before the output element that may lie on top of it is
 *            written: the output may start at the address of an input of the same or a larger
 *            element size, which is what HDI_NO_DEPENDENCE tells the compiler
 *
 * Loads go through `operand`: T without alignment or type-based aliasing, since blocks are
 * reused for other types. */
#include "backend/cpu/loops/loops_symbols.h"

typedef uint8_t byte_operand;
typedef int64_t index_operand __attribute__((may_alias, aligned(1)));
typedef int32_t int32_operand __attribute__((may_alias, aligned(1)));
typedef REAL_OF_T real_operand __attribute__((may_alias, aligned(1)));

/* The rules of ew.def differ in what they write: SAME a T, BOOL and UINT8 a byte, REAL the real
 * type. */
HDI_INLINE void drive1_SAME(void *out, const void *const *in, int64_t n, T (*f)(T))
{
    operand *o = out;
    const operand *x = in[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i]);
}

HDI_INLINE void drive1_BOOL(void *out, const void *const *in, int64_t n, uint8_t (*f)(T))
{
    byte_operand *o = out;
    const operand *x = in[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i]);
}

HDI_INLINE void drive1_REAL(void *out, const void *const *in, int64_t n, REAL_OF_T (*f)(T))
{
    real_operand *o = out;
    const operand *x = in[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i]);
}

HDI_INLINE void drive1_INT32(void *out, const void *const *in, int64_t n, int32_t (*f)(T))
{
    int32_operand *o = out;
    const operand *x = in[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i]);
}

#define drive1_PART drive1_SAME
#define drive1_UINT8 drive1_BOOL

/* Element i, or the single element, which is read before the loop so that the output may lie on
 * it. */
HDI_INLINE T element(const operand *x, int64_t i, bool is_single, T single)
{
    return is_single ? single : (T)x[i];
}

HDI_INLINE void drive2_SAME(void *out, const void *const *in, int64_t n, int variant, T (*f)(T, T))
{
    operand *o = out;
    const operand *x = in[0], *y = in[1];
    const T x0 = x[0], y0 = y[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(element(x, i, variant == HDI_SV, x0), element(y, i, variant == HDI_VS, y0));
}

HDI_INLINE void drive2_BOOL(void *out, const void *const *in, int64_t n, int variant,
                            uint8_t (*f)(T, T))
{
    byte_operand *o = out;
    const operand *x = in[0], *y = in[1];
    const T x0 = x[0], y0 = y[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(element(x, i, variant == HDI_SV, x0), element(y, i, variant == HDI_VS, y0));
}

#define drive2_WIDE drive2_SAME

HDI_INLINE void drive2_EXPO(void *out, const void *const *in, int64_t n, int variant,
                            T (*f)(T, int64_t))
{
    operand *o = out;
    const operand *x = in[0];
    const index_operand *y = in[1];
    const T x0 = x[0];
    const int64_t y0 = y[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(element(x, i, variant == HDI_SV, x0), variant == HDI_VS ? y0 : y[i]);
}

/* mask bit k: input k is a single element. */
HDI_INLINE void drive3_mask(void *out, const void *const *in, int64_t n, int mask, T (*f)(T, T, T))
{
    operand *o = out;
    const operand *x = in[0], *y = in[1], *z = in[2];
    const T x0 = x[0], y0 = y[0], z0 = z[0];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(element(x, i, (mask & 1) != 0, x0), element(y, i, (mask & 2) != 0, y0),
                 element(z, i, (mask & 4) != 0, z0));
}

HDI_INLINE void drive3_SAME(void *out, const void *const *in, int64_t n, T (*f)(T, T, T))
{
    drive3_mask(out, in, n, 0, f);
}

HDI_INLINE void drive3_COND(void *out, const void *const *in, int64_t n, T (*f)(uint8_t, T, T))
{
    operand *o = out;
    const byte_operand *x = in[0];
    const operand *y = in[1], *z = in[2];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i], y[i], z[i]);
}

#ifdef FROM_INDEX
HDI_INLINE void drive3_INDEX(void *out, const void *const *in, int64_t n, T (*f)(T, T, T))
{
    operand *o = out;
    const index_operand *x = in[0];
    const operand *y = in[1], *z = in[2];
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = f(FROM_INDEX(x[i]), y[i], z[i]);
}
#endif
