/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype.h - element types and NumPy 2's promotion.
 * Owns       hd_dtype
 * Invariant  the order of the enumerators is src/core/dtype.def's; checked when the library is
 *            built */
#ifndef HEDDLE_DTYPE_H
#define HEDDLE_DTYPE_H

#include <heddle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* HD_NO_DTYPE is 0: what a field or an argument that was left zero asks for, the default.
 * HD_DTYPE_SIGNED is no dtype: it makes the type an int with every compiler. */
typedef enum hd_dtype {
    HD_DTYPE_SIGNED = -1,
    HD_NO_DTYPE,
    HD_BOOL, HD_INT8, HD_INT16, HD_INT32, HD_INT64, HD_UINT8, HD_UINT16, HD_UINT32, HD_UINT64,
    HD_FLOAT16, HD_BFLOAT16, HD_FLOAT32, HD_FLOAT64, HD_COMPLEX64, HD_COMPLEX128,
    HD_DTYPE_COUNT
} hd_dtype;

/* NumPy's casting levels. HD_CAST_DEFAULT, which is 0, is what NumPy's function of that name takes
 * when it is not told: HD_CAST_SAME_KIND, of hd_astype() HD_CAST_UNSAFE, of hd_can_cast()
 * HD_CAST_SAFE. */
typedef enum hd_casting {
    HD_CAST_DEFAULT,
    HD_CAST_NO,
    HD_CAST_EQUIV,
    HD_CAST_SAFE,
    HD_CAST_SAME_KIND,
    HD_CAST_UNSAFE
} hd_casting;

/* Kinds of Python scalar that adapt to the arrays beside them (NEP 50). */
typedef enum hd_weak { HD_WEAK_BOOL, HD_WEAK_INT, HD_WEAK_FLOAT, HD_WEAK_COMPLEX } hd_weak;

/* hd_dtype_size - bytes of one element; 0 for no dtype. */
HD_API int hd_dtype_size(hd_dtype dt);
/* hd_dtype_name - NumPy's name, as "float64"; "" for no dtype. */
HD_API const char *hd_dtype_name(hd_dtype dt);
/* hd_dtype_char - NumPy's type character, as 'd'; hd_dtype_kind - one of b i u f c. */
HD_API char hd_dtype_char(hd_dtype dt);
HD_API char hd_dtype_kind(hd_dtype dt);
/* hd_dtype_from_name - HD_NO_DTYPE if unknown. */
HD_API hd_dtype hd_dtype_from_name(const char *name);
/* hd_dtype_real - dtype of the absolute value: float64 for complex128, itself for the rest. */
HD_API hd_dtype hd_dtype_real(hd_dtype dt);
/* hd_dtype_ready - 1 when arrays of this dtype can be made: of every dtype there is. */
HD_API int hd_dtype_ready(hd_dtype dt);
/* hd_promote - smallest dtype that both cast to safely, by NumPy 2's table; HD_NO_DTYPE if there
 * is none. */
HD_API hd_dtype hd_promote(hd_dtype a, hd_dtype b);
/* hd_promote_weak - dtype of an operation of dt with a Python scalar of that kind. */
HD_API hd_dtype hd_promote_weak(hd_dtype dt, hd_weak weak);
/* hd_can_cast - may a value of `from` be cast to `to` at that level? */
HD_API int hd_can_cast(hd_dtype from, hd_dtype to, hd_casting level);
/* Elements of half types lie in memory as uint16_t. hd_..._bits - the nearest one to value, ties to
 * even (bfloat16: to the nearest float32 first, as ml_dtypes); hd_..._value - what it is. */
HD_API uint16_t hd_float16_bits(double value);
HD_API double hd_float16_value(uint16_t bits);
HD_API uint16_t hd_bfloat16_bits(double value);
HD_API double hd_bfloat16_value(uint16_t bits);
/* hd_casting_name - "no", "equiv", "safe", "same_kind", "unsafe". */
HD_API const char *hd_casting_name(hd_casting level);

#ifdef __cplusplus
}
#endif
#endif
