/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_run.h - kernels of the fake driver that are run: their parameters, gathered, and a launch.
 * Owns       a step's parameters: a copy, as the real driver makes one
 * Threads    a step belongs to one thread at a time */
#ifndef HEDDLE_TESTS_FAKE_RUN_H
#define HEDDLE_TESTS_FAKE_RUN_H

#include "ptx.h"

typedef struct fake_step {
    ptx_launch launch;             /* its parameters are the step's */
    uint8_t *parameters;
} fake_step;

typedef struct fake_size { unsigned x, y, z; } fake_size;

/* fake_step_take - what is to be launched; the parameters are copied from where the caller has each
 * of them. An error of the driver, or 0. */
int fake_step_take(fake_step *s, const ptx_function *f, fake_size grid, fake_size block,
                   unsigned shared_bytes, void **parameters);
void fake_step_copy(fake_step *to, const fake_step *from);
void fake_step_drop(fake_step *s);

/* fake_step_run - an error of the driver, said on stderr, or 0. */
int fake_step_run(fake_step *s, ptx_range (*find)(uint64_t address));

#endif
