/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h - work of a device with a span of it (base/spans.h), for hd_profile_start().
 * Threads    whoever runs jobs
 * Start at   hdi_profile_launch() */
#ifndef HDI_PROFILE_H
#define HDI_PROFILE_H

#include "base/spans.h"
#include "exec/exec.h"

/* hdi_profile_launch, hdi_profile_library - the back end's launch() and library(), with a span.
 * hdi_profile_in, hdi_profile_out, hdi_profile_send, hdi_profile_between - its copy_in(),
 * copy_out(), send() and copy_between() (from dev), with one if somebody wants it. */
hd_status hdi_profile_launch(hd_device *dev, const hdi_kernel *k, hdi_launch *l);
hd_status hdi_profile_library(hd_device *dev, const hdi_xcall *x);
hd_status hdi_profile_in(hd_device *dev, void *to, const void *host, int64_t nbytes);
hd_status hdi_profile_out(hd_device *dev, void *host, const void *from, int64_t nbytes);
hd_status hdi_profile_send(hd_device *dev, void *host, const void *from, int64_t nbytes,
                           void **sent);
hd_status hdi_profile_between(hd_device *to, void *into, hd_device *dev, const void *from,
                              int64_t nbytes);

#endif
