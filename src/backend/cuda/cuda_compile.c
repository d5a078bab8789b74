/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_compile.c - compiling is remembering the kernel: code is made at the first launch, when it
 * is known how the operands lie. */
#include "backend/cuda/cuda_compile.h"

#include <stdio.h>

#include "backend/cuda/cuda_batch.h"
#include "backend/cuda/cuda_program.h"
#include "backend/cuda/cuda_tier.h"
#include "base/alloc.h"
#include "core/op.h"

static size_t kernel_bytes(const hdi_kernel *k)
{
    return sizeof *k + sizeof *k->inst * k->ninst + sizeof *k->slots * k->nslots;
}

hdi_kernel *hdi_cuda_kernel_copy(const hdi_kernel *k)
{
    hdi_kernel *copy = hdi_alloc(kernel_bytes(k));
    if (copy == NULL)
        return NULL;
    *copy = *k;
    copy->inst = (hdi_kinst *)(copy + 1);
    copy->slots = (hdi_kslot *)(copy->inst + k->ninst);
    memcpy(copy->inst, k->inst, sizeof *k->inst * k->ninst);
    memcpy(copy->slots, k->slots, sizeof *k->slots * k->nslots);
    return copy;
}

void hdi_cuda_kernel_free(hdi_kernel *k)
{
    hdi_free(k, kernel_bytes(k));
}

/* As many of its operations as there is room for. */
static void name_program(hdi_cuda_program *p)
{
    size_t used = 0;
    for (int i = 0; i < p->k->ninst && used < sizeof p->name; i++) {
        const hdi_kinst *inst = &p->k->inst[i];
        if (inst->kind == KIR_EW || inst->kind == KIR_REDUCE || inst->kind == KIR_SCAN)
            used += (size_t)snprintf(p->name + used, sizeof p->name - used, "%s%s",
                                     used > 0 ? "+" : "", hdi_op_rows[inst->op].info.name);
    }
    if (used == 0)
        snprintf(p->name, sizeof p->name, "copy");
}

hd_status hdi_cuda_compile(hdi_cuda *d, const hdi_kernel *k, void **program)
{
    (void)d;
    for (int i = 0; i < k->ninst; i++)
        if (hdi_kernel_is_flow(k->inst[i].kind))
            return hdi_fail(HD_UNSUPPORTED,
                            "branches and loops in a kernel do not run on CUDA yet");
    hdi_cuda_program *p = hdi_calloc(sizeof *p);
    if (p == NULL || (p->k = hdi_cuda_kernel_copy(k)) == NULL) {
        hdi_free(p, sizeof *p);
        return hdi_fail(HD_NOMEM, "out of memory for a kernel");
    }
    name_program(p);
    *program = p;
    return HD_OK;
}

void hdi_cuda_destroy(hdi_cuda *d, void *program)
{
    hdi_cuda_program *p = program;
    hdi_cuda_batch_forget(d, p);
    for (hdi_cuda_variant *v = p->variants, *next; v != NULL; v = next) {
        next = v->next;
        hdi_cuda_tier_end(d, v);
        hdi_free(v, sizeof *v);
    }
    for (int n = 0; n < HDI_CUDA_SHAPES; n++)
        if (p->shape[n].key != NULL)
            hdi_free(p->shape[n].key, p->shape[n].bytes);
    if (p->room != NULL)
        hdi_free(p->room, (size_t)p->room_bytes);
    hdi_cuda_kernel_free(p->k);
    hdi_free(p, sizeof *p);
}
