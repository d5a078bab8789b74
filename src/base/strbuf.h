/* SPDX-License-Identifier: BSD-3-Clause */
/* strbuf.h - text that grows.
 * Owns       hdi_strbuf; all zero is empty
 * Memory     after a failed allocation additions are dropped and take() returns NULL with HD_NOMEM
 * Start at   hdi_strbuf_add() */
#ifndef HDI_STRBUF_H
#define HDI_STRBUF_H

#include "base/base.h"

typedef struct hdi_strbuf { char *text; size_t length, capacity; bool failed; } hdi_strbuf;

void hdi_strbuf_add(hdi_strbuf *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* hdi_strbuf_take - the text, to be freed with hdi_free(text, strlen(text) + 1). */
char *hdi_strbuf_take(hdi_strbuf *s);

#endif
