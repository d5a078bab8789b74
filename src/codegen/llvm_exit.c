/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_exit.c - exit() does not destroy the static objects of LLVM.
 *
 * Many of these are made at their first use, within a compile, so that exit() would destroy them
 * before any function that was registered earlier could wait for the compile under way in another
 * thread. All memory goes back with the process anyway. Hidden: only what is linked into this
 * library registers its destructors here. */

typedef void (*destructor)(void *object);

int __cxa_atexit(destructor f, void *object, void *library);

__attribute__((visibility("hidden"))) int __cxa_atexit(destructor f, void *object, void *library)
{
    (void)f;
    (void)object;
    (void)library;
    return 0;
}
