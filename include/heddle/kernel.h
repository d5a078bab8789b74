/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h - kernels in C source with CUDA's words, compiled here, for any device that runs them.
 * Threads    any
 * Start at   hd_kernel_new(), hd_kernel_launch()
 * See        docs/design/lowered-ir.md */
#ifndef HEDDLE_KERNEL_H
#define HEDDLE_KERNEL_H

#include <heddle/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hd_kernel hd_kernel;

/* hd_kernel_new - the __global__ function `name` of a source; of a template "f<float, 4>".
 * options   as NVRTC's: -DNAME=VALUE; others change nothing
 * The source is read now; code is made at the first launch on a device, which takes milliseconds,
 * or comes from the disk cache. NULL and HD_VALUE: it is no C, or has no such kernel;
 * HD_UNSUPPORTED: C++ or CUDA that is not handled. The message says line and column. */
HD_API hd_kernel *hd_kernel_new(const char *source, const char *name, int noptions,
                                const char *const *options);
/* hd_kernel_names - the __global__ functions of a source, a line each, in their order; free it with
 * hd_free_text(). NULL and an error as above. */
HD_API char *hd_kernel_names(const char *source, int noptions, const char *const *options);
/* hd_kernel_free - launches that have not run yet keep it. NULL does nothing. */
HD_API void hd_kernel_free(hd_kernel *k);

/* A source whose kernels share its variables: those that are declared __device__, __constant__ or
 * __managed__ outside of functions. */
typedef struct hd_module hd_module;

/* hd_module_new - options as for hd_kernel_new(). The source is read when something is asked of it.
 * NULL and an error: no memory, or no source. hd_module_free - its kernels keep it; NULL does
 * nothing. */
HD_API hd_module *hd_module_new(const char *source, int noptions, const char *const *options);
HD_API void hd_module_free(hd_module *m);
/* hd_module_kernel - as hd_kernel_new(); what one kernel of a module writes to a variable is what
 * the others read. */
HD_API hd_kernel *hd_module_kernel(hd_module *m, const char *name);
/* hd_module_memory - the memory of its variables on a device (NULL: the current one), an array of
 * uint8: a new reference. Launches of its kernels are ordered with whatever else is done with it.
 * It begins as the source says, or as zeros. */
HD_API hd_array *hd_module_memory(hd_module *m, hd_device *dev);
typedef struct hd_module_variable {
    const char *name;            /* "x" or "space::x", valid while the module lives */
    int64_t offset, bytes;       /* where it lies in that memory */
} hd_module_variable;
/* hd_module_nvariables - how many there are; -1 and an error: the source is no C, or m is NULL.
 * hd_module_variable_at - *variable: the i-th of them; HD_INDEX if there is none. */
HD_API int hd_module_nvariables(hd_module *m);
HD_API hd_status hd_module_variable_at(hd_module *m, int i, hd_module_variable *variable);

/* What the source says of a parameter. */
typedef struct hd_kernel_param {
    const char *name;
    char kind;                   /* p pointer, i signed, u unsigned, b bool, f real, s struct */
    size_t bytes;
    int access;                  /* of a pointer: HD_READS, HD_WRITES or both */
} hd_kernel_param;
/* hd_kernel_nparams - how many; -1 and an error: k is NULL. hd_kernel_param_at - *param: the i-th
 * of them; HD_INDEX if there is none. */
HD_API int hd_kernel_nparams(const hd_kernel *k);
HD_API hd_status hd_kernel_param_at(const hd_kernel *k, int i, hd_kernel_param *param);

/* hd_kernel_compile - makes its code for a device (NULL: the current one) now. */
HD_API hd_status hd_kernel_compile(hd_kernel *k, hd_device *dev);

/* hd_kernel_launch - as hd_launch(), with as many arguments as the kernel has parameters. What is
 * done with an array is known from the source: `access` is not looked at. A value may have more
 * bytes than an integer parameter: the low ones are taken.
 * HD_VALUE also: too few or too many arguments, or bytes; a value that is no address for a pointer;
 * an array for a number. HD_UNSUPPORTED: the device runs no such kernels. With HEDDLE_DEBUG=1 it is
 * waited for, and HD_INDEX says which thread was out of bounds first, and where. */
HD_API hd_status hd_kernel_launch(hd_kernel *k, hd_device *dev, const unsigned *grid,
                                  const unsigned *block, unsigned shared_bytes, int nargs,
                                  const hd_launch_arg *args);

/* hd_kernel_apply - a kernel that is written for one element, as an operation on arrays:
 *     __global__ void axpy(float a, float x, float *y) { *y = a * x + *y; }
 * A parameter that is a number gets an array of its dtype, or a value; all arrays broadcast
 * together. A pointer is a result: an array that is written to, which has to have the extents of
 * all together; or NULL, and an array is made. results: a new reference for each pointer. It is
 * recorded as operations, which fuse with those before and after it.
 * HD_UNSUPPORTED: a statement is no operation on arrays (addresses but for *result, numbers of
 * threads, loops as long as the data say, shared memory, atomics), or there are more than 96. */
HD_API hd_status hd_kernel_apply(hd_kernel *k, hd_device *dev, int nargs,
                                 const hd_launch_arg *args, hd_array **results);

#ifdef __cplusplus
}
#endif
#endif
