/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep.h - what the files of the lockstep pass share: the block's body under construction.
 * Owns       hdi_ls
 * Invariant  a region holds pieces: statements of one list under the mask of that list. A region is
 *            closed, as one THREADS, where threads meet. What is written for other threads to read
 *            (PEER) is read in a later region, and written again in a later one still
 * Threads    one
 * Memory     new nodes and variables are in the hdi_lir; scopes are on the stack
 * Start at   hdi_ls_region(), hdi_ls_flush() */
#ifndef HDI_LOCKSTEP_H
#define HDI_LOCKSTEP_H

#include "lir/lir.h"

/* A list that the block runs in lockstep; mask: of the threads that are in it, -1: all. */
typedef struct hdi_ls_scope {
    int32_t mask;
    int32_t stay;              /* of a loop: mask of the threads that have not left it; else -1 */
    struct hdi_ls_scope *outer;
} hdi_ls_scope;

typedef struct hdi_ls {
    hdi_lir *l;
    bool *meets;               /* of each node of the source: threads meet in that statement */
    hdi_ls_scope *scope;
    hdi_lir_list out;          /* statements of the block */
    hdi_lir_list region;       /* pieces of the THREADS that comes next */
    int32_t line;              /* of the statement that is being cut */
    /* Variables for operations of warps, -1: not made yet. Those that other threads read are two,
     * taken in turn: a region may read one operation's and write the next one's. */
    int32_t value[HDI_LIR_TYPES][2], there[2], lane, width, vote, ballot, so_far;
    int turn;
} hdi_ls;

/* ---- nodes ---- */
int32_t hdi_ls_var(hdi_ls *b, const char *name, hdi_lir_type type, hdi_lir_space space);
int32_t hdi_ls_get(hdi_ls *b, int32_t var);
int32_t hdi_ls_const(hdi_ls *b, hdi_lir_type type, int64_t bits);
int32_t hdi_ls_op(hdi_ls *b, hdi_lir_op op, hdi_lir_type type, int32_t x, int32_t y);
int32_t hdi_ls_assign(hdi_ls *b, int32_t var, int32_t x);
int32_t hdi_ls_break(hdi_ls *b, int64_t loops);
int32_t hdi_ls_if(hdi_ls *b, int32_t c, int32_t list);

/* ---- the block's body ---- */
/* hdi_ls_block - a statement that runs once for the block, before the region that is open.
 * hdi_ls_region - one that each thread runs. hdi_ls_guarded - a list that each thread of the mask
 * runs. hdi_ls_flush - closes the region.
 * hdi_ls_under - x, a bool, and false for threads that are not in the mask. */
void hdi_ls_block(hdi_ls *b, int32_t statement);
void hdi_ls_region(hdi_ls *b, int32_t statement);
void hdi_ls_guarded(hdi_ls *b, hdi_lir_list list);
void hdi_ls_flush(hdi_ls *b);
int32_t hdi_ls_under(hdi_ls *b, int32_t x);

/* hdi_ls_warp - in place of the WARP node i (lockstep_warp.c). */
void hdi_ls_warp(hdi_ls *b, int32_t i);

/* hdi_ls_copy_params - before all: parameters that are assigned or in memory get a copy.
 * hdi_ls_place_variables - after all: variables that live across regions become SPREAD; HD_OK or
 * HD_NOMEM (lockstep_vars.c). */
void hdi_ls_copy_params(hdi_lir *l);
hd_status hdi_ls_place_variables(hdi_lir *l);

#endif
