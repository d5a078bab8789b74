/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_draw.h - loops of the rows of rule DRAW: parameters and a random word to a number, by
 * rejection where it takes that. One element at a time.
 * Wants      T and operand; INT_BITS and U of an integer type
 * Invariant  an element depends on its word and its parameters only */
#include "base/random_stream.h"

typedef uint64_t random_operand __attribute__((may_alias, aligned(1)));

#ifdef INT_BITS
/* low to last, both included; whatever last - low is, and if last < low through the end of the
 * type. */
static T draw_bounded(uint64_t word, T low, T last)
{
    random_stream s = stream_of(word);
    const uint64_t bound = (uint64_t)(U)((U)last - (U)low) + 1;
    return (T)((U)low + (U)stream_below(word, bound, &s));
}
#define BOUNDED(x, y, z) draw_bounded(x, y, z)
#else
#include "backend/cpu/loops/loops_samplers.h"
#define GAMMA(x, y, z) ((T)(sample_gamma_of(x, y) * (double)(z)))
#define BETA(x, y, z) ((T)sample_beta(x, y, z))
#define POISSON(x, y) ((T)sample_poisson(x, y))
#define BINOMIAL(x, y, z) ((T)sample_binomial(x, y, z))

HDI_INLINE void drive2_DRAW(void *out, const void *const *in, int64_t n, int variant,
                            T (*f)(uint64_t, T))
{
    operand *o = out;
    const random_operand *x = in[0];
    const operand *y = in[1];
    const uint64_t x0 = x[0];
    const T y0 = y[0];
    for (int64_t i = 0; i < n; i++)
        o[i] = f(variant == HDI_SV ? x0 : x[i], element(y, i, variant == HDI_VS, y0));
}
#endif

HDI_INLINE void drive3_DRAW(void *out, const void *const *in, int64_t n, T (*f)(uint64_t, T, T))
{
    operand *o = out;
    const random_operand *x = in[0];
    const operand *y = in[1], *z = in[2];
    for (int64_t i = 0; i < n; i++)
        o[i] = f(x[i], y[i], z[i]);
}
