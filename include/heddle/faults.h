/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.h - floating-point faults: division by zero, overflow, underflow, invalid operations.
 * Nobody looks for them unless asked; arithmetic then goes on with inf, 0 and nan.
 * Threads    each watches for itself, and is told of the operations that it recorded itself
 * NumPy      what errstate and seterr are made of */
#ifndef HEDDLE_FAULTS_H
#define HEDDLE_FAULTS_H

#include <heddle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NumPy's bits */
enum {
    HD_FAULT_DIVIDE = 1,
    HD_FAULT_OVERFLOW = 2,
    HD_FAULT_UNDERFLOW = 4,
    HD_FAULT_INVALID = 8
};

/* hd_watch_faults - from now on each operation of this thread runs before its call returns, and
 * of the faults that it raised those in the mask are noted. 0, the state at the start, ends this:
 * operations are recorded and fused again. Returns the mask before. Integer division counts as
 * well: by zero as DIVIDE, a quotient that does not fit as OVERFLOW. On a device that has no flags
 * (a GPU) faults are read off operands and results; docs/design/window.md says what that misses. */
HD_API int hd_watch_faults(int faults);

/* hd_set_faults_wanted - for hosts where such a setting belongs to something that threads hand on
 * to each other, as contexts in Python: besides what hd_watch_faults() says, operations look for
 * the faults that wanted() answers in the thread that calls them. It is asked several times for
 * each operation, with a lock held: it must not call the library. NULL: nobody is asked, which
 * makes the operations of threads that want nothing cheaper. */
typedef int (*hd_faults_wanted)(void);
HD_API void hd_set_faults_wanted(hd_faults_wanted wanted);

/* hd_faults_take - the faults noted in this thread since it last asked, when no handler is set. */
HD_API int hd_faults_take(void);

/* hd_set_fault_handler - instead of being noted, the faults of each operation go to handler, on
 * the thread that called the operation, with the operation's name as NumPy's warnings have it
 * ("divide", "scalar divide", "cast", "reduce"). No lock is held. If it returns non-zero the
 * call fails with HD_FLOATING; what it had to write is written all the same. NULL: noted again. */
typedef int (*hd_fault_handler)(int faults, const char *operation);
HD_API void hd_set_fault_handler(hd_fault_handler handler);

#ifdef __cplusplus
}
#endif
#endif
