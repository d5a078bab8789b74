/* SPDX-License-Identifier: BSD-3-Clause */
/* ops_table.h - made by tools/gen.c from src/ops: do not edit; `make gen` writes it again. */
#ifndef HEDDLE_OPS_TABLE_H
#define HEDDLE_OPS_TABLE_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hd_op {
    HD_OP_copy,
    HD_OP_negative,
    HD_OP_positive,
    HD_OP_absolute,
    HD_OP_fabs,
    HD_OP_sign,
    HD_OP_square,
    HD_OP_sqrt,
    HD_OP_cbrt,
    HD_OP_reciprocal,
    HD_OP_exp,
    HD_OP_exp2,
    HD_OP_expm1,
    HD_OP_log,
    HD_OP_log2,
    HD_OP_log10,
    HD_OP_log1p,
    HD_OP_sin,
    HD_OP_cos,
    HD_OP_tan,
    HD_OP_arcsin,
    HD_OP_arccos,
    HD_OP_arctan,
    HD_OP_sinh,
    HD_OP_cosh,
    HD_OP_tanh,
    HD_OP_arcsinh,
    HD_OP_arccosh,
    HD_OP_arctanh,
    HD_OP_expit,
    HD_OP_logit,
    HD_OP_erf,
    HD_OP_erfc,
    HD_OP_gamma,
    HD_OP_gammaln,
    HD_OP_digamma,
    HD_OP_deg2rad,
    HD_OP_radians,
    HD_OP_rad2deg,
    HD_OP_degrees,
    HD_OP_floor,
    HD_OP_ceil,
    HD_OP_trunc,
    HD_OP_rint,
    HD_OP_modf_fraction,
    HD_OP_modf_whole,
    HD_OP_frexp_mantissa,
    HD_OP_frexp_exponent,
    HD_OP_spacing,
    HD_OP_conjugate,
    HD_OP_isnan,
    HD_OP_isinf,
    HD_OP_isfinite,
    HD_OP_signbit,
    HD_OP_logical_not,
    HD_OP_invert,
    HD_OP_bitwise_count,
    HD_OP_add,
    HD_OP_subtract,
    HD_OP_multiply,
    HD_OP_divide,
    HD_OP_floor_divide,
    HD_OP_remainder,
    HD_OP_fmod,
    HD_OP_power,
    HD_OP_float_power,
    HD_OP_logaddexp,
    HD_OP_logaddexp2,
    HD_OP_arctan2,
    HD_OP_hypot,
    HD_OP_copysign,
    HD_OP_nextafter,
    HD_OP_ldexp,
    HD_OP_heaviside,
    HD_OP_maximum,
    HD_OP_minimum,
    HD_OP_fmax,
    HD_OP_fmin,
    HD_OP_equal,
    HD_OP_not_equal,
    HD_OP_less,
    HD_OP_less_equal,
    HD_OP_greater,
    HD_OP_greater_equal,
    HD_OP_logical_and,
    HD_OP_logical_or,
    HD_OP_logical_xor,
    HD_OP_bitwise_and,
    HD_OP_bitwise_or,
    HD_OP_bitwise_xor,
    HD_OP_gcd,
    HD_OP_lcm,
    HD_OP_left_shift,
    HD_OP_right_shift,
    HD_OP_where,
    HD_OP_clip,
    HD_OP_ramp,
    HD_OP_random_uniform,
    HD_OP_random_normal,
    HD_OP_random_raw,
    HD_OP_random_integers,
    HD_OP_random_gamma,
    HD_OP_random_beta,
    HD_OP_random_poisson,
    HD_OP_random_binomial,
    HD_OP_sum,
    HD_OP_prod,
    HD_OP_min,
    HD_OP_max,
    HD_OP_nanmin,
    HD_OP_nanmax,
    HD_OP_any,
    HD_OP_all,
    HD_OP_argmin,
    HD_OP_argmax,
    HD_OP_sumproduct,
    HD_OP_matmul,
    HD_OP_solve,
    HD_OP_inv,
    HD_OP_det,
    HD_OP_slogdet,
    HD_OP_cholesky,
    HD_OP_qr,
    HD_OP_svd,
    HD_OP_eigh,
    HD_OP_eig,
    HD_OP_lstsq,
    HD_OP_accumulate,
    HD_OP_reduceat,
    HD_OP_at,
    HD_OP_gather,
    HD_OP_scatter,
    HD_OP_true_words,
    HD_OP_compress,
    HD_OP_true_places,
    HD_OP_random_order,
    HD_OP_random_pick,
    HD_OP_fft,
    HD_OP_correlate,
    HD_OP_sort,
    HD_OP_argsort,
    HD_OP_partition,
    HD_OP_argpartition,
    HD_OP_searchsorted,
    HD_OP_bincount,
    HD_OP_receive,
    HD_OP_user_grid,
    HD_OP_histogram,
    HD_OP_COUNT
} hd_op;

/* -x */
HD_API hd_array *hd_negative(const hd_array *x);
/* +x */
HD_API hd_array *hd_positive(const hd_array *x);
/* absolute value; of a complex number its modulus, as a real */
HD_API hd_array *hd_absolute(const hd_array *x);
/* absolute value, as a real number */
HD_API hd_array *hd_fabs(const hd_array *x);
/* -1, 0 or 1 by the sign of x; x / abs(x) for complex */
HD_API hd_array *hd_sign(const hd_array *x);
/* x * x */
HD_API hd_array *hd_square(const hd_array *x);
/* square root; nan below 0 */
HD_API hd_array *hd_sqrt(const hd_array *x);
/* real cube root, negative below 0 */
HD_API hd_array *hd_cbrt(const hd_array *x);
/* 1 / x */
HD_API hd_array *hd_reciprocal(const hd_array *x);
/* e to the power x */
HD_API hd_array *hd_exp(const hd_array *x);
/* 2 to the power x */
HD_API hd_array *hd_exp2(const hd_array *x);
/* exp(x) - 1, exact near 0 */
HD_API hd_array *hd_expm1(const hd_array *x);
/* natural logarithm; nan below 0, -inf at 0 */
HD_API hd_array *hd_log(const hd_array *x);
/* logarithm to base 2 */
HD_API hd_array *hd_log2(const hd_array *x);
/* logarithm to base 10 */
HD_API hd_array *hd_log10(const hd_array *x);
/* log(1 + x), exact near 0 */
HD_API hd_array *hd_log1p(const hd_array *x);
/* sine of x radians */
HD_API hd_array *hd_sin(const hd_array *x);
/* cosine of x radians */
HD_API hd_array *hd_cos(const hd_array *x);
/* tangent of x radians */
HD_API hd_array *hd_tan(const hd_array *x);
/* angle in radians whose sine is x */
HD_API hd_array *hd_arcsin(const hd_array *x);
/* angle in radians whose cosine is x */
HD_API hd_array *hd_arccos(const hd_array *x);
/* angle in radians whose tangent is x */
HD_API hd_array *hd_arctan(const hd_array *x);
/* hyperbolic sine */
HD_API hd_array *hd_sinh(const hd_array *x);
/* hyperbolic cosine */
HD_API hd_array *hd_cosh(const hd_array *x);
/* hyperbolic tangent */
HD_API hd_array *hd_tanh(const hd_array *x);
/* inverse hyperbolic sine */
HD_API hd_array *hd_arcsinh(const hd_array *x);
/* inverse hyperbolic cosine; nan below 1 */
HD_API hd_array *hd_arccosh(const hd_array *x);
/* inverse hyperbolic tangent */
HD_API hd_array *hd_arctanh(const hd_array *x);
/* 1 / (1 + exp(-x)), the logistic function */
HD_API hd_array *hd_expit(const hd_array *x);
/* log(x / (1 - x)), the inverse of expit; nan outside of [0, 1] */
HD_API hd_array *hd_logit(const hd_array *x);
/* error function: the integral of 2/sqrt(pi) exp(-t**2) from 0 to x */
HD_API hd_array *hd_erf(const hd_array *x);
/* 1 - erf(x), also where that is small */
HD_API hd_array *hd_erfc(const hd_array *x);
/* gamma function: (x - 1)! of whole numbers; nan at negative ones */
HD_API hd_array *hd_gamma(const hd_array *x);
/* logarithm of the size of gamma(x) */
HD_API hd_array *hd_gammaln(const hd_array *x);
/* derivative of gammaln */
HD_API hd_array *hd_digamma(const hd_array *x);
/* degrees as radians */
HD_API hd_array *hd_deg2rad(const hd_array *x);
/* degrees as radians */
HD_API hd_array *hd_radians(const hd_array *x);
/* radians as degrees */
HD_API hd_array *hd_rad2deg(const hd_array *x);
/* radians as degrees */
HD_API hd_array *hd_degrees(const hd_array *x);
/* largest integer not above x */
HD_API hd_array *hd_floor(const hd_array *x);
/* smallest integer not below x */
HD_API hd_array *hd_ceil(const hd_array *x);
/* x without its fraction */
HD_API hd_array *hd_trunc(const hd_array *x);
/* nearest integer, ties to even */
HD_API hd_array *hd_rint(const hd_array *x);
/* x - trunc(x), with the sign of x */
HD_API hd_array *hd_modf_fraction(const hd_array *x);
/* x without its fraction */
HD_API hd_array *hd_modf_whole(const hd_array *x);
/* x scaled by a power of 2 to a size in [0.5, 1) */
HD_API hd_array *hd_frexp_mantissa(const hd_array *x);
/* that power of 2: x is mantissa * 2**exponent */
HD_API hd_array *hd_frexp_exponent(const hd_array *x);
/* distance to the next number away from 0 */
HD_API hd_array *hd_spacing(const hd_array *x);
/* complex conjugate */
HD_API hd_array *hd_conjugate(const hd_array *x);
/* is x not a number */
HD_API hd_array *hd_isnan(const hd_array *x);
/* is x infinite */
HD_API hd_array *hd_isinf(const hd_array *x);
/* is x neither infinite nor nan */
HD_API hd_array *hd_isfinite(const hd_array *x);
/* is the sign bit set: x < 0, or -0.0 */
HD_API hd_array *hd_signbit(const hd_array *x);
/* x == 0, as bool */
HD_API hd_array *hd_logical_not(const hd_array *x);
/* every bit of x flipped; logical not of a bool */
HD_API hd_array *hd_invert(const hd_array *x);
/* number of bits set in the absolute value */
HD_API hd_array *hd_bitwise_count(const hd_array *x);
/* x + y; of bools x or y */
HD_API hd_array *hd_add(const hd_array *x, const hd_array *y);
/* x - y */
HD_API hd_array *hd_subtract(const hd_array *x, const hd_array *y);
/* x * y; of bools x and y */
HD_API hd_array *hd_multiply(const hd_array *x, const hd_array *y);
/* x / y, as real or complex numbers */
HD_API hd_array *hd_divide(const hd_array *x, const hd_array *y);
/* floor(x / y); 0 for an integer division by 0 */
HD_API hd_array *hd_floor_divide(const hd_array *x, const hd_array *y);
/* x - y * floor(x / y), with the sign of y */
HD_API hd_array *hd_remainder(const hd_array *x, const hd_array *y);
/* x - y * trunc(x / y), with the sign of x; 0 for an integer division by 0 */
HD_API hd_array *hd_fmod(const hd_array *x, const hd_array *y);
/* x to the power y */
HD_API hd_array *hd_power(const hd_array *x, const hd_array *y);
/* x to the power y, in double precision */
HD_API hd_array *hd_float_power(const hd_array *x, const hd_array *y);
/* log(exp(x) + exp(y)) without overflow */
HD_API hd_array *hd_logaddexp(const hd_array *x, const hd_array *y);
/* log2(2**x + 2**y) without overflow */
HD_API hd_array *hd_logaddexp2(const hd_array *x, const hd_array *y);
/* angle in radians of the point with ordinate x and abscissa y */
HD_API hd_array *hd_arctan2(const hd_array *x, const hd_array *y);
/* sqrt(x*x + y*y) without overflow */
HD_API hd_array *hd_hypot(const hd_array *x, const hd_array *y);
/* x with the sign of y */
HD_API hd_array *hd_copysign(const hd_array *x, const hd_array *y);
/* the next number after x in the direction of y */
HD_API hd_array *hd_nextafter(const hd_array *x, const hd_array *y);
/* x * 2**y */
HD_API hd_array *hd_ldexp(const hd_array *x, const hd_array *y);
/* 0 where x < 0, 1 where x > 0, y where x is 0 */
HD_API hd_array *hd_heaviside(const hd_array *x, const hd_array *y);
/* the larger; nan if either is nan */
HD_API hd_array *hd_maximum(const hd_array *x, const hd_array *y);
/* the smaller; nan if either is nan */
HD_API hd_array *hd_minimum(const hd_array *x, const hd_array *y);
/* the larger; the other one where one is nan */
HD_API hd_array *hd_fmax(const hd_array *x, const hd_array *y);
/* the smaller; the other one where one is nan */
HD_API hd_array *hd_fmin(const hd_array *x, const hd_array *y);
/* x == y, as bool */
HD_API hd_array *hd_equal(const hd_array *x, const hd_array *y);
/* x != y, as bool */
HD_API hd_array *hd_not_equal(const hd_array *x, const hd_array *y);
/* x < y, as bool */
HD_API hd_array *hd_less(const hd_array *x, const hd_array *y);
/* x <= y, as bool */
HD_API hd_array *hd_less_equal(const hd_array *x, const hd_array *y);
/* x > y, as bool */
HD_API hd_array *hd_greater(const hd_array *x, const hd_array *y);
/* x >= y, as bool */
HD_API hd_array *hd_greater_equal(const hd_array *x, const hd_array *y);
/* truth of x and y */
HD_API hd_array *hd_logical_and(const hd_array *x, const hd_array *y);
/* truth of x or y */
HD_API hd_array *hd_logical_or(const hd_array *x, const hd_array *y);
/* truth of x xor y */
HD_API hd_array *hd_logical_xor(const hd_array *x, const hd_array *y);
/* bits set in both */
HD_API hd_array *hd_bitwise_and(const hd_array *x, const hd_array *y);
/* bits set in either */
HD_API hd_array *hd_bitwise_or(const hd_array *x, const hd_array *y);
/* bits set in one of them */
HD_API hd_array *hd_bitwise_xor(const hd_array *x, const hd_array *y);
/* greatest common divisor of the absolute values */
HD_API hd_array *hd_gcd(const hd_array *x, const hd_array *y);
/* least common multiple of the absolute values */
HD_API hd_array *hd_lcm(const hd_array *x, const hd_array *y);
/* x * 2**y; 0 for shifts by the width or more */
HD_API hd_array *hd_left_shift(const hd_array *x, const hd_array *y);
/* floor(x / 2**y) */
HD_API hd_array *hd_right_shift(const hd_array *x, const hd_array *y);
/* y where x is true, else z */
HD_API hd_array *hd_where(const hd_array *x, const hd_array *y, const hd_array *z);
/* x limited to the interval [y, z] */
HD_API hd_array *hd_clip(const hd_array *x, const hd_array *y, const hd_array *z);
/* sum of the elements */
HD_API hd_array *hd_sum(const hd_array *x, int naxes, const int *axes, int keepdims);
/* product of the elements */
HD_API hd_array *hd_prod(const hd_array *x, int naxes, const int *axes, int keepdims);
/* smallest element; nan if there is one */
HD_API hd_array *hd_min(const hd_array *x, int naxes, const int *axes, int keepdims);
/* largest element; nan if there is one */
HD_API hd_array *hd_max(const hd_array *x, int naxes, const int *axes, int keepdims);
/* smallest element that is no nan; nan if there is none */
HD_API hd_array *hd_nanmin(const hd_array *x, int naxes, const int *axes, int keepdims);
/* largest element that is no nan; nan if there is none */
HD_API hd_array *hd_nanmax(const hd_array *x, int naxes, const int *axes, int keepdims);
/* is any element true */
HD_API hd_array *hd_any(const hd_array *x, int naxes, const int *axes, int keepdims);
/* are all elements true */
HD_API hd_array *hd_all(const hd_array *x, int naxes, const int *axes, int keepdims);
/* position of the first smallest element */
HD_API hd_array *hd_argmin(const hd_array *x, int naxes, const int *axes, int keepdims);
/* position of the first largest element */
HD_API hd_array *hd_argmax(const hd_array *x, int naxes, const int *axes, int keepdims);
/* running sum along one axis */
HD_API hd_array *hd_cumsum(const hd_array *x, int axis, hd_dtype dt, hd_array *out);
/* running product along one axis */
HD_API hd_array *hd_cumprod(const hd_array *x, int axis, hd_dtype dt, hd_array *out);
/* smallest element so far along one axis; nan from the first nan on */
HD_API hd_array *hd_cummin(const hd_array *x, int axis, hd_dtype dt, hd_array *out);
/* largest element so far along one axis; nan from the first nan on */
HD_API hd_array *hd_cummax(const hd_array *x, int axis, hd_dtype dt, hd_array *out);

#ifdef __cplusplus
}
#endif
#endif
