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
    int32_t nbodies, alone;
} key_head;

/* Then, for each kernel, this, its instructions and its slots. */
typedef struct key_body {
    hdi_grid grid;
    uint16_t ninst, nslots, nphases, cls, pieces;
} key_body;

static size_t key_bytes(const hdi_sequence *s)
{
    size_t bytes = sizeof(key_head);
    for (int n = 0; n < s->nbodies; n++) {
        const hdi_kernel *k = s->body[n].k;
        bytes += sizeof(key_body) + sizeof *k->inst * k->ninst + sizeof *k->slots * k->nslots;
    }
    return bytes;
}

static uint8_t *append(uint8_t *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
}

/* Which record an operand belongs to is nothing to the code. */
static uint8_t *add_body(uint8_t *to, const hdi_kernel *k, const hdi_grid *g)
{
    key_body body;
    memset(&body, 0, sizeof body);
    body.grid = *g;
    body.ninst = k->ninst;
    body.nslots = k->nslots;
    body.nphases = k->nphases;
    body.cls = k->cls;
    body.pieces = (uint16_t)(k->pieces | k->some_empty << 8);
    to = append(to, &body, sizeof body);
    to = append(to, k->inst, sizeof *k->inst * k->ninst);
    for (int s = 0; s < k->nslots; s++) {
        hdi_kslot slot = k->slots[s];
        slot.record = 0;
        slot.operand = 0;
        to = append(to, &slot, sizeof slot);
    }
    return to;
}

static void *make_key(const hdi_sequence *s, const char *target)
{
    key_head *head = hdi_calloc(key_bytes(s));
    if (head == NULL)
        return NULL;
    snprintf(head->what, sizeof head->what, "grid %d " HDI_LLVM_NAME, HDI_LLVM_CODE_VERSION);
    snprintf(head->target, sizeof head->target, "%s", target);
    head->rows = hdi_chain_fingerprint();
    head->generator = *hdi_cg_generator_file();
    head->nbodies = s->nbodies;
    head->alone = s->alone;
    uint8_t *to = (uint8_t *)(head + 1);
    for (int n = 0; n < s->nbodies; n++)
        to = add_body(to, s->body[n].k, s->body[n].g);
    return head;
}

static hd_status generate(const hdi_sequence *s, hdi_cg_assemble assemble, void *ctx, void **image,
                          size_t *bytes)
{
    hdi_llvm_object o;
    const hdi_cg_generator *generator = hdi_cg_generator_open();
    if (generator == NULL)
        return hd_error_peek()->code;
    if (!(s->alone ? generator->grid(s->body[0].k, s->body[0].g, hdi_cg_dump_wish(), &o)
                   : generator->sequence(s, hdi_cg_dump_wish(), &o)))
        return hdi_fail(HD_UNSUPPORTED, "the code generator refused a kernel: %s", o.error);
    hdi_cg_dump(&o, "ptx", NULL);
    hd_status status = assemble(ctx, o.bytes, o.size, image, bytes);
    free(o.bytes);
    return status;
}

hd_status hdi_cg_image(const hdi_sequence *s, const char *target, hdi_cg_assemble assemble,
                       void *ctx, void **image, size_t *bytes)
{
    void *key = make_key(s, target);
    if (key == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel's code");
    hd_status status = HD_OK;
    *image = hdi_cg_dump_wish() ? NULL : hdi_cg_cache_get(key, key_bytes(s), bytes);
    if (*image == NULL && assemble != NULL &&
        (status = generate(s, assemble, ctx, image, bytes)) == HD_OK)
        hdi_cg_cache_put(key, key_bytes(s), *image, *bytes);
    hdi_free(key, key_bytes(s));
    return status;
}
