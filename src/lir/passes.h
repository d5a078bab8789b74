/* SPDX-License-Identifier: BSD-3-Clause */
/* passes.h - what is done with lowered IR once it is built: it is verified, printed and read, cut
 * for targets without threads of their own, and its variables get places.
 * Owns       nothing: each pass changes the hdi_lir that it is given
 * Invariant  verify takes any contents of the arrays; the other passes take what verify accepts
 *            and leave what it accepts
 * Threads    one thread at a time for one hdi_lir
 * Memory     a pass that fails with HD_NOMEM leaves an hdi_lir that can only be freed
 * Start at   hdi_lir_verify(), hdi_lir_lockstep()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_LIR_PASSES_H
#define HDI_LIR_PASSES_H

#include "lir/lir.h"

/* hdi_lir_verify - HD_OK, or HD_VALUE and an error that names the node, its line and what is wrong:
 * types, indexes, loops that are not there, nodes that are used twice (or in a circle), statements
 * where expressions belong. Costs O(nodes); never recurses deeper than HDI_LIR_DEPTH, and after
 * lockstep HDI_LIR_DEPTH_ADDED more, which is what that pass puts around a statement.
 * Nodes that the body does not lead to are not looked at.
 * Variables  PRIVATE ones may be in memory or not; SHARED, CONSTANT and GLOBAL ones are in memory.
 *            Only those in memory have a count other than 1. `at` of SHARED and SPREAD ones is
 *            place.c's, any number that is not negative
 * Lockstep   what belongs to a thread (PRIVATE and SPREAD variables, THREAD and THREAD_*) is used
 *            within THREADS only; a PRIVATE variable with a parameter may be read anywhere */
enum { HDI_LIR_DEPTH = 2000, HDI_LIR_DEPTH_ADDED = 24 };
hd_status hdi_lir_verify(const hdi_lir *l);

/* hdi_lir_fault - what is wrong with the types, `k` and `kind` of one node whose operands are nodes
 * (verify_types.c); NULL: nothing. */
const char *hdi_lir_fault(const hdi_lir *l, const hdi_lir_node *n);

/* hdi_lir_print - as text that hdi_lir_read() makes the same IR of; free it with hdi_free(text,
 * strlen(text) + 1). NULL: no memory. hdi_lir_read - NULL and an error that names the line.
 * lir_words.h has the grammar. What was read is not verified. */
char *hdi_lir_print(const hdi_lir *l);
hdi_lir *hdi_lir_read(const char *text);

/* hdi_lir_check - the kernel looks whether what it accesses is in bounds (lir_check.c). It gets
 * parameters for that, with roles; those of LOW and HIGH are i64. A thread that is out of bounds
 * stops; the first one writes the record, words of 64 bits that are 0 before. globals: the
 * variables that lie in the module's memory, NULL: that is one piece.
 * Errors       HD_NOMEM. What comes out is to be verified: it may be too deep
 * hdi_lir_trespass_of - what a record says whose first word is not 0. */
enum {
    HDI_LIR_RECORD_WHAT = 1, HDI_LIR_RECORD_AT, HDI_LIR_RECORD_END, HDI_LIR_RECORD_BLOCK,
    HDI_LIR_RECORD_THREAD = HDI_LIR_RECORD_BLOCK + 3,
    HDI_LIR_RECORD_WORDS = HDI_LIR_RECORD_THREAD + 3
};
typedef struct hdi_lir_trespass {
    int line, bytes;           /* of the source; of the access */
    bool writes;
    int32_t name;              /* of whose memory it is, in names[] */
    int64_t at, end;           /* its first byte, and where that memory ends, both from where its
                                  address leads */
    int64_t block[3], thread[3];
} hdi_lir_trespass;
hd_status hdi_lir_check(hdi_lir *l, const hdi_lir *globals);
hdi_lir_trespass hdi_lir_trespass_of(const int64_t *record);

/* hdi_lir_lockstep - for targets without threads of their own: what runs between two barriers
 * becomes a THREADS statement over the block, variables that live across one become SPREAD, and
 * control flow around one goes on while any thread is in it (masks). Kernels that have no barriers
 * become one THREADS. Does nothing where it was done before.
 * Masks        only where threads may differ: control flow that is the same for all of them is the
 *              block's, its variables UNIFORM (lockstep_uniform.c)
 * Parameters   stay PRIVATE with `param` >= 0 and are never assigned: the code emitter loads each
 *              once, at the entry, before everything, and they may be read everywhere. One that the
 *              source assigns, or whose address it takes, gets a copy at the start of the body. Its
 *              address remains in use only if it has several elements, and only for reading them
 * Variables    a PRIVATE variable that stays so has its DECLARE, if any, and all uses in one
 *              THREADS, and so have those that hold its address. Nobody declares SPREAD or UNIFORM
 *              ones
 * Shuffles     are PTX's: SHUFFLE takes the lane modulo the width, the others delta or mask modulo
 *              32; SHUFFLE_XOR may reach lower segments. A lane outside the mask is not there
 * Errors       HD_NOMEM */
hd_status hdi_lir_lockstep(hdi_lir *l);

/* hdi_lir_place - gives SHARED and SPREAD variables their places (`at`), and the sums.
 * SHARED   static ones at `at` of the block's memory, in order, aligned; shared_bytes is where the
 *          last ends. All dynamic ones begin at shared_bytes rounded up to 16
 * SPREAD   of thread t at   scratch + at * threads + t * size   with size = count * bytes of the
 *          type, rounded up to `align`, and threads = threads of the block; hdi_lir_spread_size()
 *          is size. `at` is a multiple of 16 and of `align`: so is at * threads, for any number of
 *          threads. scratch has spread_bytes * threads bytes and the greatest of these alignments
 * Errors   HD_VALUE: more than 2^40 bytes */
hd_status hdi_lir_place(hdi_lir *l);
int64_t hdi_lir_spread_size(const hdi_lir_var *var);

#endif
