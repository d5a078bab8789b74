/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret.h - runs lowered IR over a grid, node by node: what the passes and the code generators
 * are compared with.
 * Owns       the memory of blocks while it runs
 * Invariant  of the source form: threads are apart. Each runs until it meets others or ends; then
 *            those go on that wait at the place that comes first in the order of the program, in
 *            which a turn of a loop comes before the next, and the first part of an IF before the
 *            second. A group of a warp, or of the block at a barrier, is who waits at the same place
 *            in the same turns of all loops. That is what lockstep means too, found in another way.
 *            Of the lockstep form: the body runs once for a block; PRIVATE variables are spoiled
 *            before each thread of each THREADS
 * Threads    one
 * Memory     pointers are addresses of this process; SHARED and SPREAD variables need places
 * Start at   lir_interpret() */
#ifndef HEDDLE_TESTS_INTERPRET_H
#define HEDDLE_TESTS_INTERPRET_H

#include "base/strbuf.h"
#include "lir/lir.h"

typedef struct lir_run {
    const hdi_lir *l;
    uint32_t grid[3], block[3];
    const void *const *args;   /* of each parameter, the address of its value */
    int64_t dynamic_bytes;     /* of shared memory */
    uint8_t *data;             /* a copy of l->data that GLOBAL variables change; NULL: there is none */
    hdi_strbuf *printed;       /* what PRINT says: its text and the values; NULL: nobody listens */
    int64_t most_steps;        /* statements; 0: 100 million */
} lir_run;

/* lir_interpret - NULL, or what went wrong: a TRAP, too many steps, too deep. */
const char *lir_interpret(const lir_run *run);
/* lir_copied - l, printed and read again; NULL and an error: no memory. */
hdi_lir *lir_copied(const hdi_lir *l);

#endif
