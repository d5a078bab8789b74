/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_all.c - each operation as a function of its own, one function that calls them by
 * number, and the kernel around the code that is written in C (src/backend/cuda/tier0): the parts
 * of tier 0 of GPUs that follow from the tables. */
#include <stdio.h>
#include <string.h>

#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

static LLVMTypeRef pointer(const emit *e)
{
    return LLVMPointerTypeInContext(e->e.context, 0);
}

static LLVMTypeRef i32(const emit *e)
{
    return LLVMInt32TypeInContext(e->e.context);
}

static void set_attribute(emit *e, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->e.context, kind, 0));
}

/* ---- a word ---------------------------------------------------------------------------------- */

/* word_<n>(d, a, b, c): addresses of the value and of up to three arguments. */
static LLVMTypeRef word_type(const emit *e)
{
    LLVMTypeRef p = pointer(e);
    return LLVMFunctionType(LLVMVoidTypeInContext(e->e.context), (LLVMTypeRef[]){p, p, p, p}, 4, 0);
}

static hdi_value value_of(emit *e, const hdi_word *w, hdi_value const *in)
{
    e->e.in_step = false;
    return w->op == HDI_CHAIN_CAST
               ? hdi_emit_convert(&e->e, in[0], (hd_dtype)w->cdt, (hd_dtype)w->dt)
               : hdi_emit_row(&e->e, (hd_op)w->op, (hd_dtype)w->cdt, in);
}

static void open_word(emit *e, const char *kind, int number)
{
    char name[24];
    snprintf(name, sizeof name, "%s_%d", kind, number);
    e->function = LLVMAddFunction(e->e.module, name, word_type(e));
    LLVMSetLinkage(e->function, LLVMInternalLinkage);
    set_attribute(e, "noinline");
    LLVMPositionBuilderAtEnd(e->e.build, hdi_grid_block(e));
    hdi_grid_jump(e, hdi_grid_block(e));
}

static bool add_word(emit *e, const hdi_word *w, int number)
{
    hdi_value in[3] = {{NULL, NULL}};
    open_word(e, "word", number);
    e->e.lanes = 1;
    for (int k = 0; k < w->narg; k++)
        in[k] = hdi_grid_load_cell(e, (hd_dtype)w->arg[k],
                              LLVMGetParam(e->function, (unsigned)k + 1));
    hdi_value r = value_of(e, w, in);
    if (r.re == NULL)
        return false;
    hdi_grid_store_cell(e, (hd_dtype)w->dt, LLVMGetParam(e->function, 0), r);
    LLVMBuildRetVoid(e->e.build);
    return true;
}

/* ---- several at a time ----------------------------------------------------------------------- */

/* Lanes lie side by side, the first at a multiple of 16 bytes. */
static unsigned wide_alignment(hd_dtype dt)
{
    int bytes = hdi_chain_size(dt) * HDI_WIDE_LANES;
    return (unsigned)(bytes < 16 ? bytes : 16);
}

static hdi_value load_wide(emit *e, hd_dtype dt, value from)
{
    value x = LLVMBuildLoad2(e->e.build, hdi_grid_memory_type(e, dt, HDI_WIDE_LANES), from, "");
    LLVMSetAlignment(x, wide_alignment(dt));
    return hdi_grid_from_memory(e, x, dt);
}

static bool add_wide(emit *e, const hdi_word *w)
{
    hd_dtype dt = (hd_dtype)w->dt;
    hdi_value in[3] = {{NULL, NULL}};
    open_word(e, "wide", w->wide - 1);
    e->e.lanes = HDI_WIDE_LANES;
    for (int k = 0; k < w->narg; k++)
        in[k] = load_wide(e, (hd_dtype)w->arg[k], LLVMGetParam(e->function, (unsigned)k + 1));
    hdi_value r = value_of(e, w, in);
    if (r.re == NULL)
        return false;
    LLVMSetAlignment(LLVMBuildStore(e->e.build, hdi_grid_to_memory(e, r, dt),
                                    LLVMGetParam(e->function, 0)), wide_alignment(dt));
    LLVMBuildRetVoid(e->e.build);
    return true;
}

/* ---- by number ------------------------------------------------------------------------------- */

/* heddle_word(number, d, a, b, c), heddle_wide(...); a number that there is not does nothing. */
static void add_choice(emit *e, const char *kind, int n)
{
    LLVMTypeRef p = pointer(e), none = LLVMVoidTypeInContext(e->e.context);
    LLVMTypeRef type = LLVMFunctionType(none, (LLVMTypeRef[]){i32(e), p, p, p, p}, 5, 0);
    LLVMBuilderRef b = e->e.build;
    char name[24];
    snprintf(name, sizeof name, "heddle_%s", kind);
    e->function = LLVMAddFunction(e->e.module, name, type);
    set_attribute(e, "noinline");
    LLVMPositionBuilderAtEnd(b, hdi_grid_block(e));
    LLVMBasicBlockRef end = hdi_grid_block(e);
    value choice = LLVMBuildSwitch(b, LLVMGetParam(e->function, 0), end, (unsigned)n);
    for (int k = 0; k < n; k++) {
        value args[4];
        LLVMBasicBlockRef here = hdi_grid_block(e);
        LLVMAddCase(choice, hdi_grid_i32(e, k), here);
        LLVMPositionBuilderAtEnd(b, here);
        for (unsigned a = 0; a < 4; a++)
            args[a] = LLVMGetParam(e->function, a + 1);
        snprintf(name, sizeof name, "%s_%d", kind, k);
        LLVMBuildCall2(b, word_type(e), LLVMGetNamedFunction(e->e.module, name), args, 4, "");
        LLVMBuildRetVoid(b);
    }
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Where words are copied from, and to. */
typedef struct copying { value from, to; } copying;

static bool copy_word(emit *e, value at, void *ctx)
{
    const copying *c = ctx;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value x = LLVMBuildLoad2(e->e.build, word,
                             LLVMBuildGEP2(e->e.build, word, c->from, &at, 1, ""), "");
    LLVMBuildStore(e->e.build, x, LLVMBuildGEP2(e->e.build, word, c->to, &at, 1, ""));
    return true;
}

static bool copy_words(emit *e, value from, value to)
{
    value at = hdi_grid_alloca(e, i32(e));
    LLVMBuildStore(e->e.build, hdi_grid_special(e, "tid.x"), at);
    return hdi_grid_while(e, at, hdi_grid_count(e, 0), hdi_grid_i32(e, HDI_TIER0_THREADS),
                          copy_word, &(copying){from, to});
}

/* The launch's words go to shared memory, the first of them says how many there are; then the code
 * in C goes on. */
static bool add_kernel(emit *e)
{
    static const hdi_grid plain = {.threads = HDI_TIER0_THREADS, .arch = 75};
    LLVMTypeRef none = LLVMVoidTypeInContext(e->e.context);
    LLVMTypeRef type = LLVMFunctionType(none, NULL, 0, 0);
    LLVMTypeRef words = LLVMArrayType2(LLVMInt64TypeInContext(e->e.context), HDI_TIER0_WORDS);
    value run = LLVMAddFunction(e->e.module, "heddle_tier0_run", type);
    value area = LLVMAddGlobalInAddressSpace(e->e.module, words, "heddle_tier0_words",
                                             HDI_SPACE_SHARED);
    LLVMSetInitializer(area, LLVMGetUndef(words));
    LLVMSetAlignment(area, 16);
    hdi_grid_open(e, HDI_GRID_PARAMETER_WORDS, false, &plain);
    e->index = i32(e);
    LLVMBasicBlockRef few = hdi_grid_block(e), many = hdi_grid_block(e), go_on = hdi_grid_block(e);
    value fit = LLVMBuildICmp(e->e.build, LLVMIntSLE, hdi_grid_count(e, 0),
                              hdi_grid_i32(e, HDI_GRID_PARAMETER_WORDS), "");
    LLVMBuildCondBr(e->e.build, fit, few, many);
    LLVMPositionBuilderAtEnd(e->e.build, few);
    if (!copy_words(e, e->words, area))
        return false;
    LLVMBuildBr(e->e.build, go_on);
    LLVMPositionBuilderAtEnd(e->e.build, many);
    if (!copy_words(e, hdi_grid_pointer(e, 1), area))
        return false;
    hdi_grid_jump(e, go_on);
    hdi_grid_call_void(e, "llvm.nvvm.barrier0");
    LLVMBuildCall2(e->e.build, type, run, NULL, 0, "");
    return true;
}

LLVMModuleRef hdi_emit_words(LLVMContextRef context, const hdi_word *list, int n)
{
    static const hdi_grid plain = {.lanes = 1};
    emit *e = hdi_grid_new(context);
    bool done = true;
    int nwide = 0;
    if (e == NULL)
        return NULL;
    e->g = &plain;
    for (int k = 0; k < n && done; k++) {
        done = add_word(e, &list[k], k) && (list[k].wide == 0 || add_wide(e, &list[k]));
        nwide += list[k].wide > 0;
    }
    if (done) {
        add_choice(e, "word", n);
        add_choice(e, "wide", nwide);
    }
    e->e.lanes = 1;
    return hdi_grid_close(e, done && add_kernel(e));
}
