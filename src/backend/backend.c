/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.c - what back ends share. */
#include "backend/backend.h"

bool (*hdi_poll_interrupt)(void);
