/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_parallel.c - what LLVM is told about the loops over a block's threads: what one thread
 * reads and writes between two barriers no other thread writes there. A kernel where that does not
 * hold has a data race. Without it LLVM compares all addresses of a region before it is
 * vectorized. */
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>

#include "codegen/llvm_lir.h"

static unsigned kind_of(const lir_emit *m, const char *name)
{
    return LLVMGetMDKindIDInContext(m->e.context, name, (unsigned)strlen(name));
}

/* A group of accesses is a distinct node of nothing. The C interface makes no such nodes, but reads
 * them. NULL: it did not, and nothing is promised. */
static value new_group(LLVMContextRef context)
{
    static const char text[] = "!group = !{!0}\n!0 = distinct !{}\n";
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "group");
    LLVMModuleRef module;
    char *message = NULL;
    value group = NULL;
    if (LLVMParseIRInContext(context, buffer, &module, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (LLVMGetNamedMetadataNumOperands(module, "group") == 1)
        LLVMGetNamedMetadataOperands(module, "group", &group);
    LLVMDisposeModule(module);
    return group;
}

void lir_parallel_open(lir_emit *m)
{
    m->group = new_group(m->e.context);
    for (int32_t i = 0; i < m->l->nvars; i++)
        m->own_memory |= m->l->var[i].space == HDI_LIR_PRIVATE && m->l->var[i].in_memory;
}

void lir_parallel_access(lir_emit *m, value access)
{
    if (m->group != NULL && m->in_threads)
        LLVMSetMetadata(access, kind_of(m, "llvm.access.group"), m->group);
}

/* A thread's own array is the next thread's too: one after the other they use the same memory. */
void lir_parallel_at(lir_emit *m, value access, int32_t pointer)
{
    const hdi_lir_node *n = &m->l->node[pointer];
    while (n->op == HDI_LIR_OFFSET)
        n = &m->l->node[n->arg[0]];
    if (n->op == HDI_LIR_ADDRESS ? m->l->var[n->k].space != HDI_LIR_PRIVATE : !m->own_memory)
        lir_parallel_access(m, access);
}

static LLVMMetadataRef property(const lir_emit *m, const char *name, LLVMMetadataRef x)
{
    LLVMMetadataRef pair[2] = {LLVMMDStringInContext2(m->e.context, name, strlen(name)), x};
    return LLVMMDNodeInContext2(m->e.context, pair, 2);
}

/* The first operand of a loop's node is the node itself. */
void lir_parallel_loop(lir_emit *m, value back, bool scattered)
{
    if (m->group == NULL)
        return;
    LLVMMetadataRef self = LLVMTemporaryMDNode(m->e.context, NULL, 0);
    value yes = LLVMConstInt(LLVMInt1TypeInContext(m->e.context), !scattered, 0);
    LLVMMetadataRef list[4] = {
        self, property(m, "llvm.loop.parallel_accesses", LLVMValueAsMetadata(m->group)),
        /* Rows of blocks are short: they hold few vectors. */
        property(m, "llvm.loop.interleave.count", LLVMValueAsMetadata(lir_u32(m, 1))),
        property(m, "llvm.loop.vectorize.enable", LLVMValueAsMetadata(yes))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(m->e.context, list, scattered ? 4 : 3);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(back, kind_of(m, "llvm.loop"), LLVMMetadataAsValue(m->e.context, node));
}
