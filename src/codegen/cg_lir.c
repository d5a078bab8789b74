/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_lir.c - kernels in lowered IR to code, by way of the disk cache. */
#include "codegen/cg_lir.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "codegen/cg_cache.h"
#include "codegen/cg_compile.h"
#include "codegen/cg_generator.h"
#include "lir/passes.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* What code depends on besides the kernel. Names of variables are no part of it, but lines are:
 * asserts name them. */
typedef struct head {
    char what[24];
    char device[40];           /* of a GPU: it and its driver */
    int64_t built, bytes;      /* the generator's file */
    hdi_lir_target target;
    int32_t nnodes, nvars, body, lockstep;
    int64_t data_bytes, names_bytes, shared_bytes, spread_bytes;
} head;

static uint8_t *put(uint8_t *at, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(at, from, bytes);
    return at + bytes;
}

/* NULL: no memory. */
static uint8_t *make_key(const hdi_lir *l, const hdi_lir_target *t, const char *device,
                         size_t *bytes)
{
    const size_t nodes = sizeof *l->node * (size_t)l->nnodes,
                 vars = sizeof *l->var * (size_t)l->nvars;
    head h;
    memset(&h, 0, sizeof h);   /* its padding too is part of the key */
    snprintf(h.what, sizeof h.what, "lir %d " HDI_LLVM_NAME, HDI_LLVM_CODE_VERSION);
    snprintf(h.device, sizeof h.device, "%s", device);
    h.built = hdi_cg_generator_file()->built;
    h.bytes = hdi_cg_generator_file()->bytes;
    h.target = *t;
    h.nnodes = l->nnodes;
    h.nvars = l->nvars;
    h.body = l->body;
    h.lockstep = l->lockstep;
    h.data_bytes = l->data_bytes;
    h.names_bytes = l->names_bytes;
    h.shared_bytes = l->shared_bytes;
    h.spread_bytes = l->spread_bytes;
    *bytes = sizeof h + nodes + vars + (size_t)l->names_bytes + (size_t)l->data_bytes;
    uint8_t *key = hdi_calloc(*bytes);
    if (key != NULL) {
        uint8_t *at = put(put(put(key, &h, sizeof h), l->node, nodes), l->var, vars);
        put(put(at, l->names, (size_t)l->names_bytes), l->data, (size_t)l->data_bytes);
    }
    return key;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* For HEDDLE_DUMP: the kernel as the generator gets it, beside what it made. */
static void dump(const hdi_lir *l, const hdi_lir_target *t, hdi_llvm_object *out)
{
    char *lowered = hdi_cg_dump_wish() & HDI_LLVM_IR ? hdi_lir_print(l) : NULL;
    hdi_cg_dump(out, t->arch != 0 ? "ptx" : "s", lowered);
    if (lowered != NULL)
        hdi_free(lowered, strlen(lowered) + 1);
}

/* out->bytes are to be freed. */
static hd_status compile(const hdi_lir *l, const hdi_lir_target *t, hdi_llvm_object *out)
{
    const hdi_cg_generator *g = hdi_cg_generator_open();
    if (g == NULL)
        return hd_error_peek()->code;
    if (!g->lir(l, t, hdi_cg_dump_wish(), out))
        return hdi_fail(HD_UNSUPPORTED, "the code generator refused the kernel %s: %s",
                        l->names + l->name, out->error);
    dump(l, t, out);
    return HD_OK;
}

static void *generate(const hdi_lir *l, const hdi_lir_target *t, const uint8_t *key,
                      size_t key_bytes, hdi_cg_resolve resolve, void *ctx)
{
    hdi_llvm_object object;
    if (compile(l, t, &object) != HD_OK)
        return NULL;
    void *code = hdi_cg_load(object.bytes, object.size, HDI_LIR_ENTRY, l->names + l->name, resolve,
                             ctx);
    if (code != NULL)
        hdi_cg_cache_put(key, key_bytes, object.bytes, object.size);
    free(object.bytes);
    return code;
}

static hdi_lir_code code_of(const hdi_lir *l, const hdi_lir_target *t, bool compiled,
                            hdi_cg_resolve resolve, void *ctx)
{
    hdi_lir_code code = NULL;
    size_t bytes;
    uint8_t *key = make_key(l, t, "", &bytes);
    if (key == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for the kernel %s", l->names + l->name);
        return NULL;
    }
    void *found =
        hdi_cg_code_kept(key, bytes, HDI_LIR_ENTRY, l->names + l->name, resolve, ctx);
    if (found == NULL && compiled)
        found = generate(l, t, key, bytes, resolve, ctx);
    hdi_free(key, bytes);
    *(void **)&code = found;
    return code;
}

hdi_lir_code hdi_cg_lir_code(const hdi_lir *l, const hdi_lir_target *t, hdi_cg_resolve resolve,
                             void *ctx)
{
    return code_of(l, t, true, resolve, ctx);
}

hdi_lir_code hdi_cg_lir_kept(const hdi_lir *l, const hdi_lir_target *t, hdi_cg_resolve resolve,
                             void *ctx)
{
    hdi_lir_code code = code_of(l, t, false, resolve, ctx);
    if (code == NULL)
        hd_error_take(NULL);
    return code;
}

static hd_status assemble_new(const hdi_lir *l, const hdi_lir_target *t, hdi_cg_assemble assemble,
                              void *ctx, void **image, size_t *bytes)
{
    hdi_llvm_object ptx;
    hd_status status = compile(l, t, &ptx);
    if (status != HD_OK)
        return status;
    status = assemble(ctx, ptx.bytes, ptx.size, image, bytes);
    free(ptx.bytes);
    return status;
}

hd_status hdi_cg_lir_image(const hdi_lir *l, const hdi_lir_target *t, const char *target,
                           hdi_cg_assemble assemble, void *ctx, void **image, size_t *bytes)
{
    hd_status status = HD_OK;
    size_t key_bytes;
    uint8_t *key = make_key(l, t, target, &key_bytes);
    if (key == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for the kernel %s", l->names + l->name);
    *image = hdi_cg_dump_wish() ? NULL : hdi_cg_cache_get(key, key_bytes, bytes);
    if (*image == NULL) {
        status = assemble_new(l, t, assemble, ctx, image, bytes);
        if (status == HD_OK)
            hdi_cg_cache_put(key, key_bytes, *image, *bytes);
    }
    hdi_free(key, key_bytes);
    return status;
}
