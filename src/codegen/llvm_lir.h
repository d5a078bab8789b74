/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir.h - lowered IR as LLVM IR: a function over the blocks of a grid on a CPU, over one
 * thread on a GPU. Variables are allocas, LLVM's passes make registers of them.
 * Owns       lir_emit
 * Invariant  the IR is what hdi_lir_verify() accepts
 * Threads    one context per compiling thread
 * Start at   hdi_emit_lir()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_LLVM_LIR_H
#define HDI_LLVM_LIR_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/cg_lir.h"
#include "codegen/llvm_build.h"

/* A loop that is open: where BREAK and CONTINUE go. */
typedef struct lir_level {
    LLVMBasicBlockRef after, step;
    struct lir_level *outer;
} lir_level;

typedef struct lir_emit {
    hdi_emit e;
    const hdi_lir *l;
    const hdi_lir_target *target;
    LLVMValueRef function;
    LLVMValueRef *place;           /* of each variable: where it lies, or NULL */
    LLVMValueRef builtin[HDI_LIR_BUILTINS];
    LLVMValueRef call, spread, data;
    LLVMValueRef turns;            /* of loops that may go on for ever; NULL: nobody asks */
    LLVMBasicBlockRef entry;
    LLVMBasicBlockRef ended;       /* the function returns from there with `result` */
    LLVMBasicBlockRef over;        /* where RETURN goes: the end of a block (CPU) or thread (GPU) */
    LLVMValueRef result;
    lir_level *level;
    LLVMValueRef group;            /* of accesses that no other thread's meet; NULL: no promises */
    int32_t *assigned;             /* of each variable: its only ASSIGN, or none */
    int32_t holds;                 /* an IF whose condition is true, -1: none */
    bool in_threads, own_memory;   /* some variable in memory is PRIVATE */
} lir_emit;

/* ---- types ----------------------------------------------------------------------------------- */

static inline hdi_lir_type lir_type_of(const lir_emit *m, int32_t node)
{
    return (hdi_lir_type)m->l->node[node].type;
}

/* lir_kind - b i u f p, as types.def has it. lir_type - of values; lir_memory - as it lies. */
char lir_kind(hdi_lir_type t);
int lir_bytes(hdi_lir_type t);
LLVMTypeRef lir_type(const lir_emit *m, hdi_lir_type t);
LLVMTypeRef lir_memory(const lir_emit *m, hdi_lir_type t);

static inline LLVMTypeRef lir_i64_type(const lir_emit *m)
{
    return LLVMInt64TypeInContext(m->e.context);
}
static inline value lir_i64(const lir_emit *m, int64_t n)
{
    return LLVMConstInt(lir_i64_type(m), (unsigned long long)n, 1);
}
static inline value lir_u32(const lir_emit *m, uint32_t n)
{
    return LLVMConstInt(LLVMInt32TypeInContext(m->e.context), n, 0);
}

/* lir_promise - an attribute of a function or of a parameter (from 1), by name. */
void lir_promise(const lir_emit *m, value function, unsigned at, const char *name);
LLVMBasicBlockRef lir_block(const lir_emit *m);
void lir_at(lir_emit *m, LLVMBasicBlockRef block);
value lir_text(lir_emit *m, const char *text);
/* lir_outside - a function of the host's that the module calls. */
value lir_outside(lir_emit *m, const char *name, LLVMTypeRef type);
/* lir_room - memory of the function's own, for as long as it runs. */
value lir_room(lir_emit *m, LLVMTypeRef type);
/* lir_step - a pointer so many bytes further. */
value lir_step(lir_emit *m, value pointer, value bytes);

/* A loop of the emitter's own over from <= index < to; lir_count_close returns the branch back. */
typedef struct lir_count { LLVMBasicBlockRef head, turn, after; LLVMValueRef index; } lir_count;
lir_count lir_count_open(lir_emit *m, value from, value to);
value lir_count_close(lir_emit *m, const lir_count *c);

/* ---- parts ----------------------------------------------------------------------------------- */

value lir_value(lir_emit *m, int32_t node);
/* lir_from_memory, lir_to_memory - bool is a byte there. */
value lir_from_memory(lir_emit *m, hdi_lir_type t, value x);
value lir_to_memory(lir_emit *m, hdi_lir_type t, value x);
value lir_convert(lir_emit *m, value x, hdi_lir_type from, hdi_lir_type to);
value lir_math(lir_emit *m, const hdi_lir_node *n);
value lir_quotient(lir_emit *m, bool rest, hdi_lir_type t, value x, value y);
/* lir_address_of - of a variable in memory or SPREAD; thread: whose, NULL: the one at hand. */
value lir_address_of(lir_emit *m, int32_t var, value thread);
value lir_read_variable(lir_emit *m, int32_t var, value thread);
void lir_set_variable(lir_emit *m, int32_t var, value x);

/* lir_align - of a LOAD or STORE, where it promises more than the type: on a GPU, where four loads
 * become one. On a CPU arrays may begin anywhere, and vectors that need an alignment would trap. */
void lir_align(const lir_emit *m, const hdi_lir_node *n, hdi_lir_type t, value access);

/* lir_statements - of a list, before the statement `end` (-1: all). */
void lir_statements(lir_emit *m, int32_t first, int32_t end);
/* lir_atomic, lir_print, lir_trap - statements with a file of their own. */
void lir_atomic(lir_emit *m, const hdi_lir_node *n);
void lir_print(lir_emit *m, const hdi_lir_node *n);
void lir_trap(lir_emit *m, const hdi_lir_node *n);
/* lir_threads - arg[0] for all threads of the block (CPU). */
void lir_threads(lir_emit *m, const hdi_lir_node *n);

/* lir_parallel_open - before the body. lir_parallel_access - a load or store in THREADS of memory
 * that is not PRIVATE; lir_parallel_at - of one through that pointer, if it is so.
 * lir_parallel_loop - the branch back of a loop over threads; scattered: it is not to be vectorized
 * (llvm_lir_parallel.c). */
void lir_parallel_open(lir_emit *m);
void lir_parallel_access(lir_emit *m, value access);
void lir_parallel_at(lir_emit *m, value access, int32_t pointer);
void lir_parallel_loop(lir_emit *m, value back, bool scattered);
/* lir_strides_open - before lir_is_scattered(); false: no memory. lir_is_scattered - a thread
 * stores in the list under a condition of its own (or `condition`), not beside the one before. */
bool lir_strides_open(lir_emit *m);
bool lir_is_scattered(const lir_emit *m, int32_t first, bool condition);

/* lir_emit_thread - the function of a GPU's thread; false: more parameters than a kernel may have.
 * lir_meet - BARRIER, SYNCWARP, FENCE and WARP there. */
bool lir_emit_thread(lir_emit *m);
void lir_meet(lir_emit *m, const hdi_lir_node *n);
void lir_gpu_print(lir_emit *m, value format, value values);
void lir_gpu_trap(lir_emit *m, const hdi_lir_node *n);

/* hdi_emit_lir - a module with HDI_LIR_ENTRY. */
LLVMModuleRef hdi_emit_lir(LLVMContextRef context, const hdi_lir *l, const hdi_lir_target *t);
/* hdi_optimize_lir - what LLVM's passes make of it; NULL, or why not, to be freed. */
char *hdi_optimize_lir(LLVMModuleRef module, LLVMTargetMachineRef machine,
                       const hdi_lir_target *t);
/* lir_unroll_wish - the loop of that branch is to have so many turns at once: `k` of LOOP.
 * lir_unroll - short loops, several turns at once (llvm_lir_unroll.c). NULL: well. */
void lir_unroll_wish(LLVMContextRef context, value back, int64_t turns);
LLVMErrorRef lir_unroll(LLVMModuleRef module, LLVMTargetMachineRef machine,
                        LLVMPassBuilderOptionsRef options);

#endif
