/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_image.c - the key of a kernel's image, and how an image that is not on disk is come by. */
#include "codegen/cg_image.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "codegen/cg_cache.h"
#include "codegen/cg_generator.h"

typedef struct key_head {
    char what[24];
    char target[40];
    uint64_t rows;           /* what operations' numbers stand for */
    hdi_cg_file generator;
    hdi_grid grid;
    uint16_t ninst, nslots, nphases, cls, pieces;
} key_head;

static size_t key_bytes(const hdi_kernel *k)
{
    return sizeof(key_head) + sizeof *k->inst * k->ninst + sizeof *k->slots * k->nslots;
}

/* Which record an operand belongs to is nothing to the code. */
static void *make_key(const hdi_kernel *k, const hdi_grid *g, const char *target)
{
    key_head *head = hdi_calloc(key_bytes(k));
    if (head == NULL)
        return NULL;
    snprintf(head->what, sizeof head->what, "grid %d " HDI_LLVM_NAME, HDI_LLVM_CODE_VERSION);
    snprintf(head->target, sizeof head->target, "%s", target);
    head->rows = hdi_chain_fingerprint();
    head->generator = *hdi_cg_generator_file();
    head->grid = *g;
    head->ninst = k->ninst;
    head->nslots = k->nslots;
    head->nphases = k->nphases;
    head->cls = k->cls;
    head->pieces = k->pieces;
    hdi_kinst *inst = (hdi_kinst *)(head + 1);
    memcpy(inst, k->inst, sizeof *inst * k->ninst);
    hdi_kslot *slot = (hdi_kslot *)(inst + k->ninst);
    for (int s = 0; s < k->nslots; s++) {
        slot[s].kind = k->slots[s].kind;
        slot[s].dt = k->slots[s].dt;
        slot[s].level = k->slots[s].level;
        slot[s].write = k->slots[s].write;
        slot[s].by = k->slots[s].by;
    }
    return head;
}

static hd_status generate(const hdi_kernel *k, const hdi_grid *g, hdi_cg_assemble assemble,
                          void *ctx, void **image, size_t *bytes)
{
    hdi_llvm_object o;
    const hdi_cg_generator *generator = hdi_cg_generator_open();
    if (generator == NULL)
        return hd_error_peek()->code;
    if (!generator->grid(k, g, hdi_cg_dump_wish(), &o))
        return hdi_fail(HD_UNSUPPORTED, "the code generator refused a kernel: %s", o.error);
    hdi_cg_dump(&o, "ptx");
    hd_status status = assemble(ctx, o.bytes, o.size, image, bytes);
    free(o.bytes);
    return status;
}

hd_status hdi_cg_image(const hdi_kernel *k, const hdi_grid *g, const char *target,
                       hdi_cg_assemble assemble, void *ctx, void **image, size_t *bytes)
{
    void *key = make_key(k, g, target);
    if (key == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel's code");
    hd_status status = HD_OK;
    *image = hdi_cg_dump_wish() ? NULL : hdi_cg_cache_get(key, key_bytes(k), bytes);
    if (*image == NULL && (status = generate(k, g, assemble, ctx, image, bytes)) == HD_OK)
        hdi_cg_cache_put(key, key_bytes(k), *image, *bytes);
    hdi_free(key, key_bytes(k));
    return status;
}
