/* SPDX-License-Identifier: BSD-3-Clause */
/* support.h - what several C tests share: numbers by chance that repeat, small arrays, reading
 * them back, counting.
 * Start at   SHAPE(), t_ramp(), t_equals() */
#ifndef HEDDLE_TESTS_SUPPORT_H
#define HEDDLE_TESTS_SUPPORT_H

#include <heddle/heddle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/* hd_zeros(SHAPE(3, 4), HD_FLOAT64); SCALAR_SHAPE for no axes */
#define SHAPE(...)                                                   \
    (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
        ((const int64_t[]){__VA_ARGS__})
#define SCALAR_SHAPE 0, NULL
#define AXES(...) \
    (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), ((const int[]){__VA_ARGS__})
#define SLICE(from, to, by) ((hd_index){HD_INDEX_SLICE, from, to, by})
#define ALL SLICE(HD_NONE, HD_NONE, HD_NONE)
#define AT(i) ((hd_index){HD_INDEX_INT, i, 0, 0})
#define NEWAXIS ((hd_index){HD_INDEX_NEWAXIS, 0, 0, 0})
#define ELLIPSIS ((hd_index){HD_INDEX_ELLIPSIS, 0, 0, 0})
/* t_slice(x, SLICE(0, 3, 1), AT(2)) */
#define t_slice(x, ...)                                                            \
    hd_slice(x, (int)(sizeof((const hd_index[]){__VA_ARGS__}) / sizeof(hd_index)), \
             (const hd_index[]){__VA_ARGS__})

/* Tests of what is recorded, pending and planned begin with this: small work is recorded too. */
#define RECORDS_SMALL_WORK                                                    \
    __attribute__((constructor)) static void t_records_small_work(void)       \
    {                                                                         \
        setenv("HEDDLE_SMALL", "-1", 1);                                      \
    }

/* ---- chance: the same in every run ----------------------------------------------------------- */

static uint64_t t_state = 0x2545F4914F6CDD1Du;

static inline uint64_t t_random(void)
{
    t_state ^= t_state << 13;
    t_state ^= t_state >> 7;
    t_state ^= t_state << 17;
    return t_state;
}

static inline int64_t t_below(int64_t n)
{
    return n <= 0 ? 0 : (int64_t)(t_random() >> 11) % n;
}

static inline int64_t t_between(int64_t low, int64_t high)
{
    return low + t_below(high - low + 1);
}

/* ---- small arrays ---------------------------------------------------------------------------- */

static inline void t_put(hd_dtype dt, void *base, int64_t i, double v)
{
    switch (dt) {
    case HD_BOOL:       ((uint8_t *)base)[i] = v != 0; break;
    case HD_INT8:       ((int8_t *)base)[i] = (int8_t)v; break;
    case HD_INT16:      ((int16_t *)base)[i] = (int16_t)v; break;
    case HD_INT32:      ((int32_t *)base)[i] = (int32_t)v; break;
    case HD_INT64:      ((int64_t *)base)[i] = (int64_t)v; break;
    case HD_UINT8:      ((uint8_t *)base)[i] = (uint8_t)v; break;
    case HD_UINT16:     ((uint16_t *)base)[i] = (uint16_t)v; break;
    case HD_UINT32:     ((uint32_t *)base)[i] = (uint32_t)v; break;
    case HD_UINT64:     ((uint64_t *)base)[i] = (uint64_t)v; break;
    case HD_FLOAT16:    ((uint16_t *)base)[i] = hd_float16_bits(v); break;
    case HD_BFLOAT16:   ((uint16_t *)base)[i] = hd_bfloat16_bits(v); break;
    case HD_FLOAT32:    ((float *)base)[i] = (float)v; break;
    case HD_FLOAT64:    ((double *)base)[i] = v; break;
    case HD_COMPLEX64:  ((float *)base)[2 * i] = (float)v; ((float *)base)[2 * i + 1] = 0; break;
    case HD_COMPLEX128: ((double *)base)[2 * i] = v; ((double *)base)[2 * i + 1] = 0; break;
    default: break;
    }
}

/* first, first + 1, ... in C order, computed already */
static inline hd_array *t_ramp_from(double first, int nd, const int64_t *shape, hd_dtype dt)
{
    int64_t size = 1;
    for (int a = 0; a < nd; a++)
        size *= shape[a];
    void *data = calloc((size_t)(size > 0 ? size : 1), (size_t)hd_dtype_size(dt));
    for (int64_t i = 0; data != NULL && i < size; i++)
        t_put(dt, data, i, first + (double)i);
    hd_array *x = data != NULL ? hd_from_data(nd, shape, NULL, dt, data) : NULL;
    free(data);
    return x;
}

static inline hd_array *t_ramp(int nd, const int64_t *shape, hd_dtype dt)
{
    return t_ramp_from(0.0, nd, shape, dt);
}

/* an array that has memory but no particular contents: input for plans on the null device */
static inline hd_array *t_ready(int nd, const int64_t *shape, hd_dtype dt)
{
    hd_array *x = hd_empty(nd, shape, dt);
    hd_eval(x);
    return x;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* real part of element i (C order); -12345 if it could not be read */
static inline double t_value(const hd_array *x, int64_t i)
{
    hd_value v;
    if (x == NULL || hd_item(x, i, &v) != HD_OK)
        return -12345.0;
    switch (v.kind) {
    case 'f': return v.as.f;
    case 'c': return v.as.c[0];
    case 'u': return (double)v.as.u;
    default:  return (double)v.as.i;
    }
}

/* elements that differ from want (C order) by more than tolerance; -1 if the size is another or
 * reading fails */
static inline int64_t t_differs(const hd_array *x, int64_t n, const double *want, double tolerance)
{
    int64_t wrong = 0;
    if (x == NULL || hd_size(x) != n || hd_eval(x) != HD_OK)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        double d = t_value(x, i) - want[i];
        wrong += !(d <= tolerance && d >= -tolerance);
    }
    return wrong;
}
#define t_equals(x, ...)                                                             \
    (t_differs(x, (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), \
               (const double[]){__VA_ARGS__}, 0.0) == 0)

/* every element is v */
static inline int t_all(const hd_array *x, double v)
{
    int64_t n = x != NULL ? hd_size(x) : 0;
    for (int64_t i = 0; i < n; i++)
        if (t_value(x, i) != v)
            return 0;
    return n > 0;
}

static inline hd_stats t_stats(hd_device *dev)
{
    hd_stats s = {.size = sizeof s};
    hd_device_stats(dev, &s);
    return s;
}

/* no error is pending: takes it if there is one and says so */
static inline int t_clean(void)
{
    hd_error e;
    return hd_error_take(&e) == HD_OK;
}

/* the pending error has this code: takes it */
static inline int t_failed(hd_status code)
{
    hd_error e;
    return hd_error_take(&e) == code;
}

#endif
