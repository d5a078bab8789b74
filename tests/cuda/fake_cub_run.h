/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_cub_run.h - what the fake of libheddle_cub does with numbers.
 * Threads    any */
#ifndef HEDDLE_TESTS_FAKE_CUB_RUN_H
#define HEDDLE_TESTS_FAKE_CUB_RUN_H

#include <stdbool.h>

#include "backend/cuda/cub/cub_api.h"

/* fake_cub_run - does the call, or not: false. Integers, float32 and float64. */
bool fake_cub_run(const char *name, const hdi_cub_call *c);

#endif
