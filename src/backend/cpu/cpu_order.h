/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_order.h - putting a row of unsigned words in order, or those of given ranks where order
 * would, by the vectors of loops_order.h.
 * Owns       nothing: callers bring memory for the words and as much again
 * Invariant  a row in order has the same words whoever did it. Between given ranks, words are in
 *            an order that depends on the row alone, not on threads
 * Threads    the pool; alone from inside one of its tasks
 * Start at   hdi_cpu_order_row()
 * See        docs/design/sort.md */
#ifndef HDI_CPU_ORDER_H
#define HDI_CPU_ORDER_H

#include "backend/cpu/cpu_library.h"
#include "backend/cpu/loops/loops.h"

typedef struct hdi_cpu_order {
    const hdi_order_loops *l;
    int size;                    /* bytes of a word */
    uint64_t high;               /* no word is greater */
    int64_t n;
    void *x, *y;                 /* room for n words each; they end in x */
    const int64_t *rank;         /* NULL: all */
    int64_t ranks;
    hdi_cpu_asker ask;           /* NULL: not to be stopped */
    /* Words [from, to) are written to a place of their own, by any thread and more than once; and
     * have found their place in x. */
    void (*load)(void *ctx, void *words, int64_t from, int64_t to);
    void (*store)(void *ctx, int64_t from, int64_t to);
    void *ctx;
} hdi_cpu_order;

/* hdi_cpu_order_room - bytes of scratch that a row of n words needs of the calling thread. */
int64_t hdi_cpu_order_room(int64_t n, int size);
/* hdi_cpu_order_row - HD_NOMEM, without a message: there is less than that. */
hd_status hdi_cpu_order_row(const hdi_cpu_order *o);

#endif
