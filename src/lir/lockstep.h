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

/* What lockstep_uniform.c finds out. Of a statement of the source:
 * APART    only some of the threads that live may be there at a time
 * SPLITS   an IF whose condition differs between threads, a LOOP that they leave apart
 * BLOCK    the block runs it, and not each thread within a region: threads meet in it, or it is
 *          done once for all. With neither APART nor SPLITS no masks are needed
 * RETURNS  holds a RETURN that is APART
 * Of a variable: VARIES, it may differ between threads that live; OF_BLOCK, it becomes UNIFORM.
 * After the cut: AWAY, it lives in several regions. */
enum { HDI_LS_APART = 1, HDI_LS_SPLITS = 2, HDI_LS_BLOCK = 4, HDI_LS_RETURNS = 8 };
enum { HDI_LS_VARIES = 1, HDI_LS_OF_BLOCK = 2, HDI_LS_AWAY = 4 };
typedef struct hdi_ls_facts {
    uint8_t *node, *var;
    int32_t *assigned;         /* of each variable: the only ASSIGN, -1: none, -2: several */
    int32_t *times;            /* how many nodes set it */
    int32_t nnodes, nvars;     /* when they were found */
    bool cut;                  /* the block runs some statement */
} hdi_ls_facts;

typedef struct hdi_ls {
    hdi_lir *l;
    hdi_ls_facts facts;
    int depth;                 /* of lists that the block runs */
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

/* hdi_ls_find_uniform - HD_OK, or HD_NOMEM; hdi_ls_free_facts (lockstep_uniform.c). */
hd_status hdi_ls_find_uniform(const hdi_lir *l, hdi_ls_facts *facts);
void hdi_ls_free_facts(hdi_ls_facts *facts);

/* hdi_ls_cut_strides - loops with the block's stride become the block's; whether there were any:
 * then `facts` are old (lockstep_stride.c). */
bool hdi_ls_cut_strides(hdi_lir *l, const hdi_ls_facts *facts);
/* hdi_ls_copy - of an expression. hdi_ls_rename_reads - in a list, all GETs of a variable. */
int32_t hdi_ls_copy(hdi_lir *l, int32_t i);
void hdi_ls_rename_reads(hdi_lir *l, int32_t first, int32_t from, int32_t to);
static inline bool hdi_ls_names_var(int op)
{
    return op == HDI_LIR_ASSIGN || op == HDI_LIR_ATOMIC || op == HDI_LIR_WARP || op == HDI_LIR_GET
           || op == HDI_LIR_ADDRESS;
}

/* hdi_ls_recompute - variables that are AWAY, and have one value that is cheap to compute, become
 * variables of each region that uses them (lockstep_again.c). */
void hdi_ls_recompute(hdi_lir *l, const hdi_ls_facts *facts);

/* hdi_ls_copy_params - before all: parameters that are assigned or in memory get a copy.
 * hdi_ls_place_variables - after all: variables that live across regions are computed anew in each
 * or become SPREAD; HD_OK or HD_NOMEM.
 * hdi_ls_mentions - whether statements of a list, or in them, read or write a variable that is not
 * in memory (all lockstep_vars.c). */
void hdi_ls_copy_params(hdi_lir *l);
/* hdi_ls_split_variables - variables in memory whose parts are used one by one become several that
 * are not in memory (lockstep_split.c). */
void hdi_ls_split_variables(hdi_lir *l);
bool hdi_ls_mentions(const hdi_lir *l, int32_t first, int32_t var);
hd_status hdi_ls_place_variables(hdi_lir *l, const hdi_ls_facts *facts);

#endif
