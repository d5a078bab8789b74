/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_c.h - lowered IR as C, for tests: what the front end made is compiled by gcc and compared
 * with the source itself, compiled by g++.
 * Memory     the text is hdi_free(text, strlen(text) + 1)
 * Start at   emit_c()
 * See        against_gcc.py, grid.h */
#ifndef HEDDLE_TESTS_KERNEL_EMIT_C_H
#define HEDDLE_TESTS_KERNEL_EMIT_C_H

#include "base/strbuf.h"
#include "lir/lir.h"

/* emit_c - `static void NAME(void **params)`: what one thread does, with the macros of grid.h. */
void emit_c(hdi_strbuf *s, const hdi_lir *l, const char *name);

#endif
