/* SPDX-License-Identifier: BSD-3-Clause */
/* glibc_2_34.h - lets a build on a newer glibc run on 2.34; included everywhere by flags.cmake.
 * glibc 2.35 gave these functions a new symbol version, which differs only in not setting errno. */
#ifndef HDI_GLIBC_2_34_H
#define HDI_GLIBC_2_34_H

__asm__(".symver hypot, hypot@GLIBC_2.2.5");
__asm__(".symver hypotf, hypotf@GLIBC_2.2.5");

#endif
