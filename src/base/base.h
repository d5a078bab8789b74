/* SPDX-License-Identifier: BSD-3-Clause */
/* base.h - what every file of the library includes: public status codes, raising errors, small
 * helpers.
 * Threads    the error record is per thread; the first error wins until hd_error_take()
 * Start at   hdi_fail(), HD_REQUIRE, HD_TRY */
#ifndef HDI_BASE_H
#define HDI_BASE_H

#include <assert.h>
#include <heddle/base.h>
#include <stdbool.h>
#include <string.h>

#define HDI_LIKELY(x) __builtin_expect(!!(x), 1)
#define HDI_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Before a loop over operands whose number is a constant where it matters. clang unrolls these by
 * itself, and warns where the number is none. */
#ifdef __clang__
#define HDI_UNROLL
#else
#define HDI_UNROLL _Pragma("GCC unroll 4")
#endif

/* For faults of ours, in debug builds only. */
#ifdef HDI_DEBUG
#define hd_assert(x) assert(x)
#else
#define hd_assert(x) ((void)0)
#endif

/* hdi_fail - records the first error of this thread (later ones are dropped) and returns code. */
hd_status hdi_fail(hd_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* hdi_fail_axis - HD_AXIS with the two numbers NumPy's AxisError carries. */
hd_status hdi_fail_axis(int axis, int ndim) __attribute__((cold));
/* hdi_fail_ndim - HD_VALUE: an array cannot have so many axes. */
hd_status hdi_fail_ndim(int ndim) __attribute__((cold));
/* hdi_fail_where - names the operation in the pending error, unless one is named already.
 * Returns its code. */
hd_status hdi_fail_where(const char *operation) __attribute__((cold));
/* hdi_error_set - puts a kept error back as this thread's (a failed generation that is read
 * again). */
hd_status hdi_error_set(const hd_error *kept) __attribute__((cold));

/* hdi_fail_null - what must not be NULL is: HD_VALUE, unless an error is pending, which is then why
 * it is. Returns the pending code. hdi_null - the same where NULL is returned. */
hd_status hdi_fail_null(const char *what) __attribute__((cold));
static inline void *hdi_null(const char *what)
{
    hdi_fail_null(what);
    return NULL;
}

/* Inside a function with the label `done` and a variable `status`. */
#define HD_REQUIRE(cond, code, ...)               \
    do {                                          \
        if (HDI_UNLIKELY(!(cond))) {              \
            status = hdi_fail(code, __VA_ARGS__); \
            goto done;                            \
        }                                         \
    } while (0)
#define HD_TRY(call)                              \
    do {                                          \
        status = (call);                          \
        if (HDI_UNLIKELY(status != HD_OK))        \
            goto done;                            \
    } while (0)

/* hdi_copy_element - memcpy() of the 1, 2, 4, 8 or 16 bytes of an element, by a move of that size.
 */
static inline void hdi_copy_element(void *to, const void *from, int64_t bytes)
{
    switch (bytes) {
    case 8: memcpy(to, from, 8); break;
    case 4: memcpy(to, from, 4); break;
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    default: memcpy(to, from, 16);
    }
}

static inline int64_t hdi_min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hdi_max64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t hdi_abs64(int64_t a) { return a < 0 ? -a : a; }
static inline int64_t hdi_gcd64(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}
/* hdi_mul64, hdi_add64 - false on overflow. */
static inline bool hdi_mul64(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}
static inline bool hdi_add64(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}

#endif
