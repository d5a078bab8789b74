/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype.h - facts about element types that the library asks often, from the rows of dtype.def.
 * Owns       hdi_dtypes
 * Threads    constant
 * Start at   hdi_itemsize() */
#ifndef HDI_DTYPE_H
#define HDI_DTYPE_H

#include <heddle/dtype.h>

#include "base/base.h"

typedef struct hdi_dtype_row {
    const char *name;
    uint8_t size;
    char code, kind;
    uint8_t real, loops;
} hdi_dtype_row;

extern const hdi_dtype_row hdi_dtypes[HD_DTYPE_COUNT];
extern const int8_t hdi_promotion[HD_DTYPE_COUNT][HD_DTYPE_COUNT];
extern const int8_t hdi_weak_promotion[HD_DTYPE_COUNT][4];   /* by hd_weak */

static inline int64_t hdi_itemsize(hd_dtype dt) { return hdi_dtypes[dt].size; }
static inline bool hdi_is_int(hd_dtype dt)
{
    return hdi_dtypes[dt].kind == 'i' || hdi_dtypes[dt].kind == 'u';
}
static inline bool hdi_is_half(hd_dtype dt) { return !hdi_dtypes[dt].loops; }
static inline bool hdi_is_complex(hd_dtype dt) { return hdi_dtypes[dt].kind == 'c'; }
/* Letter of ew.def's types column: B I F C. */
static inline char hdi_type_letter(hd_dtype dt)
{
    return "BIFC"[hdi_dtypes[dt].kind == 'b' ? 0 : hdi_is_int(dt) ? 1 : hdi_is_complex(dt) ? 3 : 2];
}

/* hdi_dtype_check - HD_DTYPE unless dt is a dtype. */
hd_status hdi_dtype_check(hd_dtype dt);
/* hdi_cast_via - the dtype between the two steps of a cast from or to a half type; HD_NO_DTYPE if
 * it takes one step. Half types go by way of float32, which holds each of their values, but a
 * float64 becomes a float16 in one rounding. */
hd_dtype hdi_cast_via(hd_dtype from, hd_dtype to);

/* hdi_decode_half - the value of an element of a half type. */
float hdi_decode_half(hd_dtype dt, uint16_t element);

/* hdi_encode - value as one element of dt, in 16 bytes (rest zero). Integers wrap; the caller
 * has checked ranges. */
void hdi_encode_i64(hd_dtype dt, int64_t value, uint64_t out[2]);
void hdi_encode_u64(hd_dtype dt, uint64_t value, uint64_t out[2]);
void hdi_encode_f64(hd_dtype dt, double re, double im, uint64_t out[2]);

#endif
