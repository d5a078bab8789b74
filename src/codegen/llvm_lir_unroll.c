/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_unroll.c - short loops of a GPU's kernel, four turns at once: a loop of some twenty
 * instructions spends a quarter of them on its counter, its addresses and the branch, and the loads
 * of a turn wait where those of four could be under way together. LLVM's own pass leaves such loops
 * as they are on this target, unless they are told how often.
 * The turns stay in their order, so sums of reals keep their bits.
 * Not unrolled: loops that threads meet in (a shuffle in the copy would not meet the one in the
 * rest of the loop), loops whose number of turns is not known before they begin (each copy would
 * keep its branch) or only by a division (i += gridDim.x * blockDim.x: such loops wait for memory
 * or for atomics, and three of them tripled the time to compile a histogram), and long ones, which
 * fill the instruction cache. */
#include <llvm-c/DebugInfo.h>

#include "codegen/llvm_lir.h"

enum { TURNS = 4, MOST_INSTRUCTIONS = 64 };

typedef LLVMBasicBlockRef block;

static bool meets_others(value call)
{
    static const char convergent[] = "convergent";
    const unsigned kind = LLVMGetEnumAttributeKindForName(convergent, sizeof convergent - 1);
    value f = LLVMIsAFunction(LLVMGetCalledValue(call));
    const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    return LLVMGetCallSiteEnumAttribute(call, whole, kind) != NULL ||
           (f != NULL && LLVMGetEnumAttributeAtIndex(f, whole, kind) != NULL);
}

static bool is_short(block b)
{
    int n = 0;
    for (value i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        if (++n > MOST_INSTRUCTIONS || (LLVMIsACallInst(i) != NULL && meets_others(i)))
            return false;
    return true;
}

static bool is_within(value x, block b)
{
    return LLVMIsAInstruction(x) != NULL && LLVMGetInstructionParent(x) == b;
}

/* x and a constant, or the address x and one. */
static bool is_step_of(value sum, value x, block b)
{
    return is_within(sum, b) && LLVMGetNumOperands(sum) == 2 && LLVMGetOperand(sum, 0) == x &&
           LLVMIsAConstantInt(LLVMGetOperand(sum, 1)) != NULL &&
           (LLVMGetInstructionOpcode(sum) == LLVMAdd ||
            LLVMGetInstructionOpcode(sum) == LLVMGetElementPtr);
}

/* A number or an address that each turn adds to; its sum for the next turn too. */
static bool counts(value x, block b)
{
    if (!is_within(x, b))
        return false;
    for (value i = LLVMGetFirstInstruction(b); LLVMIsAPHINode(i) != NULL;
         i = LLVMGetNextInstruction(i))
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if (LLVMGetIncomingBlock(i, k) == b && is_step_of(LLVMGetIncomingValue(i, k), i, b) &&
                (x == i || x == LLVMGetIncomingValue(i, k)))
                return true;
    return false;
}

/* Is it known before the loop begins how often it turns? */
static bool is_counted(value back, block b)
{
    value test = LLVMGetCondition(back);
    if (LLVMIsAICmpInst(test) == NULL)
        return false;
    value one = LLVMGetOperand(test, 0), other = LLVMGetOperand(test, 1);
    return (counts(one, b) && !is_within(other, b)) || (counts(other, b) && !is_within(one, b));
}

void lir_unroll_wish(LLVMContextRef context, value back, int64_t turns)
{
    const char *name = turns == HDI_LIR_UNROLL_ALL ? "llvm.loop.unroll.full"
                       : turns == 1                ? "llvm.loop.unroll.disable"
                                                   : "llvm.loop.unroll.count";
    value count = LLVMConstInt(LLVMInt32TypeInContext(context), (unsigned long long)turns, 0);
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef wish[2] = {LLVMMDStringInContext2(context, name, strlen(name)),
                               LLVMValueAsMetadata(count)};
    LLVMMetadataRef list[2] = {self, LLVMMDNodeInContext2(context, wish, turns > 1 ? 2 : 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, list, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(back, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                    LLVMMetadataAsValue(context, node));
}

/* A loop of one block: no loop is within it. True: it is to be unrolled, and says so. */
static bool mark(LLVMContextRef context, block b)
{
    const unsigned loop = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
    value back = LLVMGetBasicBlockTerminator(b);
    if (LLVMIsABranchInst(back) == NULL || !LLVMIsConditional(back) ||
        (LLVMGetSuccessor(back, 0) != b && LLVMGetSuccessor(back, 1) != b) ||
        LLVMGetMetadata(back, loop) != NULL || !is_counted(back, b) || !is_short(b))
        return false;
    lir_unroll_wish(context, back, TURNS);
    return true;
}

LLVMErrorRef lir_unroll(LLVMModuleRef module, LLVMTargetMachineRef machine,
                        LLVMPassBuilderOptionsRef options)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    bool any = false;
    for (value f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        for (block b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
            any |= mark(context, b);
    static const char passes[] = "function(loop-unroll<O2>,early-cse,instcombine,simplifycfg)";
    return any ? LLVMRunPasses(module, passes, machine, options) : NULL;
}
