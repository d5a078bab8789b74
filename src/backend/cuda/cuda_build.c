/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_build.c - see cuda_build.h. */
#include "backend/cuda/cuda_build.h"

#include "backend/cuda/cuda_compile.h"
#include "backend/cuda/cuda_launch.h"
#include "base/alloc.h"

/* ---- programs: one for each kernel that was ever made here ----------------------------------- */

typedef struct hdi_cuda_calls {
    struct hdi_cuda_calls *next;
    call c;
    void *program;
} known_call;

static hd_status program_for(hdi_cuda *d, const call *c, void **program)
{
    for (known_call *e = d->calls; e != NULL; e = e->next)
        if (hdi_kernel_same(&e->c.k, &c->k)) {
            *program = e->program;
            return HD_OK;
        }
    known_call *e = hdi_alloc(sizeof *e);
    if (e == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel");
    e->c = *c;
    e->c.k.inst = e->c.inst;
    e->c.k.slots = e->c.slot;
    hd_status status = hdi_cuda_compile(d, &e->c.k, &e->program);
    if (status != HD_OK) {
        hdi_free(e, sizeof *e);
        return status;
    }
    e->next = d->calls;
    d->calls = e;
    *program = e->program;
    return HD_OK;
}

hd_status hdi_cuda_run_call(hdi_cuda *d, call *c, int order_slot)
{
    void *program = NULL;
    hdi_launch l = {.nd = c->nd, .dims = c->dims, .reduced = c->reduced, .size = 1,
                    .args = c->arg, .order_arg = order_slot};
    for (int a = 0; a < c->nd; a++)
        l.size *= c->dims[a];
    for (int s = 0; s < c->k.nslots; s++)
        if (c->slot[s].kind != HDI_SLOT_SCALAR)
            c->arg[s].strides = c->strides[s];
    hd_status status = program_for(d, c, &program);
    l.program = program;
    return status == HD_OK ? hdi_cuda_launch(d, &l) : status;
}
