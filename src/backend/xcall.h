/* SPDX-License-Identifier: BSD-3-Clause */
/* xcall.h - a recorded library call with its addresses. */
#ifndef HDI_XCALL_H
#define HDI_XCALL_H

#include "backend/backend.h"
#include "window/window.h"

/* hdi_xcall_bind - r as a call; memory[k] is where the generation of operand k lies. */
void hdi_xcall_bind(hdi_xcall *x, const hdi_record *r, uint8_t *const memory[1 + HDI_MAX_IN]);

#endif
