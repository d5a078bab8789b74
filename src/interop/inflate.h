/* SPDX-License-Identifier: BSD-3-Clause */
/* inflate.h - the method "deflate" backwards (RFC 1951), for members of zip files.
 * Start at   hdi_inflate() */
#ifndef HDI_INFLATE_H
#define HDI_INFLATE_H

#include "base/base.h"

/* hdi_inflate - exactly out_size bytes from at most size bytes; false if that is not what they
 * say, or where there is no memory for the tables (then HD_NOMEM is pending). */
bool hdi_inflate(const uint8_t *in, size_t size, uint8_t *out, size_t out_size);

#endif
