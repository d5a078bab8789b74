/* SPDX-License-Identifier: BSD-3-Clause */
/* base.h - what every public header needs: export macro, version, status codes, the error
 * record, memory and wait hooks.
 * Threads    every function may be called from any thread; the error record is per thread
 * See        ARCHITECTURE.md, "Errors" */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(HDI_BUILD)
#define HD_API __attribute__((visibility("default")))
#else
#define HD_API
#endif

#define HD_VERSION_MAJOR 0
#define HD_VERSION_MINOR 1
#define HD_VERSION_PATCH 0
/* Rises whenever programs must be built again; see hd_abi_version(). 1: zero means the default in
 * every option, so HD_NO_DTYPE is 0 and HD_BOOL 1. */
#define HD_ABI_VERSION 1
#define HD_MAXDIM 64

/* name, text, Python exception: the one list of failures */
#define HD_ERRORS(X)                                                            \
    X(OK,          "no error",                              Exception)          \
    X(NOMEM,       "out of memory",                         MemoryError)        \
    X(SHAPE,       "shapes do not match",                   ValueError)         \
    X(AXIS,        "axis out of range",                     AxisError)          \
    X(DTYPE,       "dtype not supported here",              TypeError)          \
    X(CAST,        "cast not allowed",                      UFuncTypeError)     \
    X(INDEX,       "index out of range",                    IndexError)         \
    X(VALUE,       "value not allowed",                     ValueError)         \
    X(OVERFLOW,    "number too large",                      OverflowError)      \
    X(READONLY,    "array is read-only",                    ValueError)         \
    X(DEVICE,      "wrong or missing device",               RuntimeError)       \
    X(LIBRARY,     "a library is missing or failed",        ImportError)        \
    X(INTERRUPTED, "stopped by the user",                   KeyboardInterrupt)  \
    X(UNSUPPORTED, "not supported",                         NotImplementedError)\
    X(EXPORT,      "memory is shared in another way",       BufferError)        \
    X(INTERNAL,    "a fault of heddle itself",              RuntimeError)       \
    X(FLOATING,    "floating-point fault",                  FloatingPointError) \
    X(LINALG,      "the matrix does not allow it",          LinAlgError)        \
    X(FILE,        "a file cannot be read or written",      OSError)

typedef enum hd_status {
#define HD_ERROR_ENUM(name, text, python) HD_##name,
    HD_ERRORS(HD_ERROR_ENUM)
#undef HD_ERROR_ENUM
    HD_STATUS_COUNT
} hd_status;

/* The first error since the last hd_error_take() of this thread. */
typedef struct hd_error {
    hd_status code;
    /* set when code is HD_AXIS: the bad axis and the number of dimensions */
    int axis, ndim;
    char where[40];          /* operation or function that failed, "" if unknown */
    char message[472];       /* one sentence with the values at fault */
} hd_error;

/* hd_error_peek - the pending error of this thread; never NULL, code HD_OK when there is none. */
HD_API const hd_error *hd_error_peek(void);

/* hd_error_take - copies the pending error to *into (which may be NULL), clears it, returns its
 * code. */
HD_API hd_status hd_error_take(hd_error *into);

/* hd_status_text - the fixed text of a status code. */
HD_API const char *hd_status_text(hd_status code);

/* hd_version - "major.minor.patch"; hd_abi_version - the HD_ABI_VERSION that the library was built
 * with. The library's file is named by the major version alone: a program that may meet another
 * build than the one it was compiled for compares the two first, as the Python package does. */
HD_API const char *hd_version(void);
HD_API int hd_abi_version(void);

/* hd_set_allocator - replaces the allocator of the library's own small objects (not of array
 * data). Called with (ctx, NULL, 0, n) to get n bytes, (ctx, p, old, n) to resize, (ctx, p, old,
 * 0) to free; NULL means out of memory. Several threads may call it at once. Must be set before the
 * first other call. NULL restores malloc. */
typedef void *(*hd_allocator)(void *ctx, void *old, size_t old_size, size_t new_size);
HD_API void hd_set_allocator(hd_allocator allocator, void *ctx);

/* hd_set_wait_hooks - how a host language lets go of its own lock while kernels run. release()
 * is called before a call of unknown length, without any of our locks held; its result goes to
 * acquire() afterwards. interrupted() is called now and then by the waiting thread, outside
 * release/acquire pairs: non-zero stops the work between blocks. */
typedef struct hd_wait_hooks {
    void *(*release)(void);
    void (*acquire)(void *saved);
    /* called between release and acquire, with the value of release() */
    int (*interrupted)(void *saved);
} hd_wait_hooks;
HD_API void hd_set_wait_hooks(const hd_wait_hooks *hooks);

#ifdef __cplusplus
}
#endif
#endif
