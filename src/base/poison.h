/* SPDX-License-Identifier: BSD-3-Clause */
/* poison.h - tells AddressSanitizer which bytes of an allocator's own memory are in use.
 * Invariant  nothing at all in builds without AddressSanitizer
 * Threads    any */
#ifndef HDI_POISON_H
#define HDI_POISON_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HDI_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HDI_ASAN
#endif
#ifdef HDI_ASAN
#include <sanitizer/asan_interface.h>
#define HDI_POISON(p, n) __asan_poison_memory_region(p, (size_t)(n))
#define HDI_UNPOISON(p, n) __asan_unpoison_memory_region(p, (size_t)(n))
#else
#define HDI_POISON(p, n) ((void)0)
#define HDI_UNPOISON(p, n) ((void)0)
#endif

#endif
