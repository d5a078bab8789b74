/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx.h - runs PTX on the host, so that kernels for GPUs are executed where there is no GPU. For
 * the fake driver of the tests.
 * Owns       modules: a text, decoded once
 * Invariant  an instruction, a modifier or an operand that is not known is an error with its text,
 *            and so is an access of memory that nobody has: nothing is passed over
 * Threads    modules may be shared; a launch runs in the calling thread */
#ifndef HEDDLE_TESTS_PTX_H
#define HEDDLE_TESTS_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ptx_module ptx_module;
typedef struct ptx_function ptx_function;

/* A block of device memory, and where the host finds its bytes. */
typedef struct ptx_range { uint64_t from, to; uint8_t *bytes; } ptx_range;

typedef struct ptx_launch {
    const ptx_function *function;
    unsigned grid[3], block[3], shared_bytes;
    const uint8_t *parameters;     /* as the function lays them out */
    /* The block of device memory around an address; none: from == to. */
    ptx_range (*find)(uint64_t address);
} ptx_launch;

enum { PTX_ILLEGAL_ADDRESS = 700, PTX_MISALIGNED = 716, PTX_LAUNCH_FAILED = 719 };
enum { PTX_MESSAGE = 512 };

/* ptx_load - NULL, and why, if there is something in the text that is not known. */
ptx_module *ptx_load(const char *text, char message[PTX_MESSAGE]);
void ptx_unload(ptx_module *m);
const ptx_function *ptx_find(const ptx_module *m, const char *entry);

/* Parameter k of a kernel: where it lies among their bytes. */
typedef struct ptx_parameter { int at, bytes; } ptx_parameter;
int ptx_nparameters(const ptx_function *f);
ptx_parameter ptx_parameter_of(const ptx_function *f, int k);
int ptx_parameter_bytes(const ptx_function *f);

/* ptx_run - all blocks one after the other; 0 or one of the errors above, and what happened. */
int ptx_run(const ptx_launch *l, char message[PTX_MESSAGE]);

#endif
