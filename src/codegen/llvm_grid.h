/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid.h - a kernel as the code of one GPU thread.
 * Owns       hdi_grid_emit
 * Invariant  the values of up to HDI_GRID_UNROLL groups are made side by side, loads first. What
 *            changes in a loop lives in allocas, which LLVM turns into registers
 * Threads    one context per compiling thread
 * Start at   hdi_emit_grid(); llvm_grid.c operands, llvm_grid_values.c values of groups,
 *            llvm_grid_map.c the kernels, llvm_grid_red.c accumulators and how threads share them
 * See        docs/design/gpu-kernels.md */
#ifndef HDI_LLVM_GRID_H
#define HDI_LLVM_GRID_H

#include "codegen/cg_grid.h"
#include "codegen/cg_words.h"
#include "codegen/llvm_build.h"

enum { HDI_GRID_UNROLL = HDI_GRID_MOST_UNROLL };
enum { HDI_SPACE_GLOBAL = 1, HDI_SPACE_SHARED = 3 };

/* Where a group lies: its coordinate on each axis, in elements. */
typedef struct hdi_grid_place { LLVMValueRef at[2 * HD_MAXDIM]; } hdi_grid_place;

/* Room of a thread for an accumulator: allocas of its parts, NULL where it has no such part. */
enum { HDI_PART_RE, HDI_PART_IM, HDI_PART_AT, HDI_PARTS };
typedef struct hdi_grid_room { LLVMValueRef part[HDI_PARTS]; } hdi_grid_room;

typedef struct hdi_grid_red {
    int inst;                      /* of the kernel */
    int op;
    hd_dtype dt;                   /* of the accumulator */
    bool position;                 /* argmin, argmax: with a position beside the value */
    bool keyed;                    /* or as one number (llvm_grid_key.c), of which the largest */
    hdi_grid_room flight[HDI_GRID_UNROLL], row;
} hdi_grid_red;

/* What becomes of the value that the grid holds (cg_grid.h), in the phase at hand. */
typedef enum hdi_grid_holding { HDI_NOT_HELD, HDI_HELD, HDI_RECALLED } hdi_grid_holding;

typedef struct hdi_grid_emit {
    hdi_emit e;                    /* e.lanes: of the values at hand */
    const hdi_kernel *k;
    const hdi_grid *g;
    LLVMValueRef function, words, thread;
    /* of a part of a sequence, i32; NULL: the grid's own */
    LLVMValueRef block, blocks;
    LLVMTypeRef index;             /* what elements and bytes are counted in */
    hdi_value v[HDI_GRID_UNROLL][HDI_KERNEL_MAX_INSTS];
    bool need[HDI_KERNEL_MAX_INSTS];   /* FULL values of the loop at hand */
    int nreds;
    hdi_grid_red red[HDI_KERNEL_MAX_RECORDS];   /* each is a record */
    LLVMValueRef slot_base[HDI_KERNEL_MAX_SLOTS];   /* address at the kept index; NULL: not yet */
    /* is there such a group? NULL: there is. What is not there stands where the first group is, is
     * computed, and goes nowhere */
    LLVMValueRef valid[HDI_GRID_UNROLL];
    /* ELEMENTS: are all groups there, with all lanes? NULL: they are. How many lanes of each are;
     * NULL: all */
    LLVMValueRef whole, there[HDI_GRID_UNROLL];
    hdi_grid_holding held;
    LLVMValueRef group[HDI_GRID_UNROLL];   /* number in the row */
} hdi_grid_emit;

LLVMModuleRef hdi_emit_grid(LLVMContextRef context, const hdi_kernel *k, const hdi_grid *g);
LLVMModuleRef hdi_emit_sequence(LLVMContextRef context, const hdi_sequence *s);
/* hdi_emit_words - a function for each word, heddle_word(), and tier 0's kernel. */
LLVMModuleRef hdi_emit_words(LLVMContextRef context, const hdi_word *list, int n);

/* hdi_grid_new - a module without anything in it; NULL: out of memory. hdi_grid_open - an empty
 * function of one parameter, `words` words by value, or their address. hdi_grid_kernel_code - what
 * one block of a kernel does, e->block or the grid's; goes on behind it. hdi_grid_close - the
 * module, or NULL if that could not be done. */
hdi_grid_emit *hdi_grid_new(LLVMContextRef context);
void hdi_grid_open(hdi_grid_emit *e, int words, bool in_memory, const hdi_grid *g);
bool hdi_grid_kernel_code(hdi_grid_emit *e, const hdi_kernel *k, const hdi_grid *g);
LLVMModuleRef hdi_grid_close(hdi_grid_emit *e, bool done);

/* ---- small words ----------------------------------------------------------------------------- */

LLVMValueRef hdi_grid_number(const hdi_grid_emit *e, int64_t n);     /* of the index type */
LLVMValueRef hdi_grid_i32(const hdi_grid_emit *e, int64_t n);
LLVMValueRef hdi_grid_word(hdi_grid_emit *e, int n);                 /* a launch's word n, i64 */
LLVMValueRef hdi_grid_count(hdi_grid_emit *e, int n);                /* the same as an index */
LLVMValueRef hdi_grid_pointer(hdi_grid_emit *e, int n);              /* the same as an address */
/* hdi_grid_special - "tid.x", "ctaid.x" of the hardware, i32. hdi_grid_block_number - of the
 * kernel's blocks, as an index. */
LLVMValueRef hdi_grid_special(hdi_grid_emit *e, const char *name);
LLVMValueRef hdi_grid_block_number(hdi_grid_emit *e);
LLVMValueRef hdi_grid_call(hdi_grid_emit *e, const char *intrinsic, LLVMTypeRef result, int narg,
                           LLVMValueRef *args);
/* hdi_grid_assembly - PTX that LLVM has no words for. */
LLVMValueRef hdi_grid_assembly(hdi_grid_emit *e, const char *text, const char *constraints,
                               LLVMTypeRef result, int narg, LLVMValueRef *args);
void hdi_grid_call_void(hdi_grid_emit *e, const char *intrinsic);
LLVMBasicBlockRef hdi_grid_block(hdi_grid_emit *e);
void hdi_grid_jump(hdi_grid_emit *e, LLVMBasicBlockRef to);          /* and goes on there */
LLVMValueRef hdi_grid_alloca(hdi_grid_emit *e, LLVMTypeRef type);
LLVMValueRef hdi_grid_min(hdi_grid_emit *e, LLVMValueRef a, LLVMValueRef b);

/* hdi_grid_while - a loop: `body` runs while the index in alloca `at` is less than `end`, which
 * grows by `step` each time. */
typedef bool (*hdi_grid_body)(hdi_grid_emit *e, LLVMValueRef at, void *ctx);
bool hdi_grid_while(hdi_grid_emit *e, LLVMValueRef at, LLVMValueRef end, LLVMValueRef step,
                    hdi_grid_body body, void *ctx);

/* hdi_grid_are_bytes - a vector of eight or more? hdi_grid_load_bytes, hdi_grid_store_bytes - such
 * a vector, at that alignment. */
bool hdi_grid_are_bytes(LLVMTypeRef type);
LLVMValueRef hdi_grid_load_bytes(hdi_grid_emit *e, LLVMTypeRef type, LLVMValueRef from,
                                 unsigned align);
void hdi_grid_store_bytes(hdi_grid_emit *e, LLVMValueRef x, LLVMValueRef to, unsigned align);

/* ---- operands -------------------------------------------------------------------------------- */

/* hdi_grid_address - of operand `slot`: coordinates of axes [first, last) are added to its address
 * at the kept index; u: of which group is the offset that the slot may have. */
LLVMValueRef hdi_grid_address(hdi_grid_emit *e, int slot, const hdi_grid_place *p, int first,
                              int last, int u);
/* hdi_grid_step_along - from a group's first element to that of a lane. */
LLVMValueRef hdi_grid_step_along(hdi_grid_emit *e, int slot, LLVMValueRef from, int lane);
bool hdi_grid_is_complex(hd_dtype dt);
/* hdi_grid_memory_type - of elements in memory; elements of complex numbers are twice as many
 * reals. hdi_grid_from_memory, hdi_grid_to_memory - from them to values, and back. */
LLVMTypeRef hdi_grid_memory_type(hdi_grid_emit *e, hd_dtype dt, int lanes);
hdi_value hdi_grid_from_memory(hdi_grid_emit *e, LLVMValueRef x, hd_dtype dt);
LLVMValueRef hdi_grid_to_memory(hdi_grid_emit *e, hdi_value v, hd_dtype dt);
/* hdi_grid_load_some, hdi_grid_store_some - neighbours, as memory has them. hdi_grid_load_part,
 * hdi_grid_store_part - of a group, of which so many lanes are there, the first ones: the others
 * are what the last of these is. */
LLVMValueRef hdi_grid_load_some(hdi_grid_emit *e, hd_dtype dt, LLVMValueRef from, int lanes);
void hdi_grid_store_some(hdi_grid_emit *e, hd_dtype dt, LLVMValueRef x, LLVMValueRef to, int lanes);
LLVMValueRef hdi_grid_load_part(hdi_grid_emit *e, hd_dtype dt, LLVMValueRef from,
                                LLVMValueRef there);
void hdi_grid_store_part(hdi_grid_emit *e, hd_dtype dt, hdi_value v, LLVMValueRef to,
                         LLVMValueRef there);
/* hdi_grid_load_array, hdi_grid_store_array - a group, however it lies. hdi_grid_load_index - its
 * positions over that many axes; full: they ascend along it. hdi_grid_load_scalar - in all lanes.
 * hdi_grid_in_all_lanes - of one lane, or as many as there are.
 * hdi_grid_ascends_by_1 - do a slot's positions? */
hdi_value hdi_grid_load_array(hdi_grid_emit *e, int slot, LLVMValueRef from);
void hdi_grid_store_array(hdi_grid_emit *e, int slot, LLVMValueRef to, hdi_value v);
hdi_value hdi_grid_load_index(hdi_grid_emit *e, int slot, const hdi_grid_place *p, int axes,
                              bool full);
hdi_value hdi_grid_load_scalar(hdi_grid_emit *e, int slot);
hdi_value hdi_grid_in_all_lanes(hdi_grid_emit *e, hdi_value x);
bool hdi_grid_ascends_by_1(const hdi_grid_emit *e, int slot);

/* ---- groups ---------------------------------------------------------------------------------- */

/* hdi_grid_find - coordinates of number n over axes [first, last); the last one counts groups of
 * e.lanes where `grouped`. */
void hdi_grid_find(hdi_grid_emit *e, LLVMValueRef n, int first, int last, bool grouped,
                   hdi_grid_place *p);

/* hdi_grid_argument - what instruction i needs of an earlier one for group u: FULL values side by
 * side, ROW values for all lanes of the group. */
hdi_value hdi_grid_argument(hdi_grid_emit *e, int i, int a, int u);

/* hdi_grid_part_from_memory, hdi_grid_part_to_memory - real parts, as memory and as registers hold
 * them. */
LLVMValueRef hdi_grid_part_from_memory(hdi_grid_emit *e, LLVMValueRef x, hd_dtype dt);
LLVMValueRef hdi_grid_part_to_memory(hdi_grid_emit *e, LLVMValueRef x, hd_dtype dt);

/* hdi_grid_load_cell, hdi_grid_store_cell - one element, which lies at a multiple of 8 bytes. */
hdi_value hdi_grid_load_cell(hdi_grid_emit *e, hd_dtype dt, LLVMValueRef from);
void hdi_grid_store_cell(hdi_grid_emit *e, hd_dtype dt, LLVMValueRef to, hdi_value x);

/* hdi_grid_full - the FULL values of `count` groups, and the stores. reduce: called for each
 * reduction of the phase and group. */
typedef bool (*hdi_grid_reduce)(hdi_grid_emit *e, int inst, int u, void *ctx);
bool hdi_grid_full(hdi_grid_emit *e, hdi_grid_place const *places, int count, int phase,
                   hdi_grid_reduce reduce, void *ctx);

/* hdi_grid_held_in - sets e->held for a phase. hdi_grid_hold - keeps the value of group u for later
 * phases, hdi_grid_recall - has it again: the same thread. (llvm_grid_held.c) */
void hdi_grid_held_in(hdi_grid_emit *e, int phase);
void hdi_grid_hold(hdi_grid_emit *e, int u);
hdi_value hdi_grid_recall(hdi_grid_emit *e, int u);
/* hdi_grid_shared - so many bytes of shared memory, one and the same for equal names. */
LLVMValueRef hdi_grid_shared(hdi_grid_emit *e, const char *what, int bytes);

/* hdi_grid_atomic - instruction inst, an ATOMIC of one lane, on what lies at `to`. */
void hdi_grid_atomic(hdi_grid_emit *e, const hdi_kinst *inst, LLVMValueRef to, hdi_value x);

/* hdi_grid_row_scalars - ROW scalars, which FULL values may use in their own phase. */
void hdi_grid_row_scalars(hdi_grid_emit *e);

/* hdi_grid_row - the other ROW values of a phase at the kept index; hdi_grid_row_stores - its
 * stores. */
bool hdi_grid_row(hdi_grid_emit *e, const hdi_grid_place *p, int phase);
bool hdi_grid_row_stores(hdi_grid_emit *e, const hdi_grid_place *p, int phase);

/* ---- reductions ------------------------------------------------------------------------------ */

/* hdi_grid_red_open - the accumulators of a phase's reductions, at their identity. */
void hdi_grid_red_open(hdi_grid_emit *e, int phase, int unroll);
/* hdi_grid_red_step - takes in the arguments of reduction inst for group u; position: of its first
 * element in the row. */
bool hdi_grid_red_step(hdi_grid_emit *e, int inst, int u, LLVMValueRef position);
/* hdi_grid_scan_step - the same for a running value, which then is e->v[0][inst]. */
bool hdi_grid_scan_step(hdi_grid_emit *e, int inst, LLVMValueRef is_first);
/* hdi_grid_red_join - over what the thread has in flight: from here on e.lanes is that of a ROW
 * value. hdi_grid_red_across - over the threads that share a row: all of them have the result. */
void hdi_grid_red_join(hdi_grid_emit *e, int unroll);
void hdi_grid_red_across(hdi_grid_emit *e);
/* Between blocks: spill - results to memory as number `at`, reset - to the identity, collect -
 * takes in number `at`. */
void hdi_grid_red_spill(hdi_grid_emit *e, LLVMValueRef at);
void hdi_grid_red_reset(hdi_grid_emit *e);
void hdi_grid_red_collect(hdi_grid_emit *e, LLVMValueRef at);
/* hdi_grid_key - of a value and its position, which fits 31 bits: the larger, the sooner argmax (or
 * argmin) takes it. hdi_grid_key_position - the position of a key, as int64. */
LLVMValueRef hdi_grid_key(hdi_emit *e, bool largest, hd_dtype dt, LLVMValueRef x,
                          LLVMValueRef position);
LLVMValueRef hdi_grid_key_position(hdi_emit *e, LLVMValueRef key);
/* hdi_grid_red_close - results become ROW values. */
void hdi_grid_red_close(hdi_grid_emit *e);

#endif
