/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_launch.c - from a launch to the driver's call: its layout, the function for that, its words,
 * memory for what blocks tell each other. */
#include "backend/cuda/cuda_launch.h"

#include <stddef.h>

#include "base/alloc.h"

/* ---- the function ---------------------------------------------------------------------------- */

static bool same_grid(const hdi_kernel *k, const hdi_grid *a, const hdi_grid *b)
{
    size_t head = offsetof(hdi_grid, how);
    return memcmp((const char *)a + 1, (const char *)b + 1, head - 1 + k->nslots) == 0;
}

static hd_status add_variant(hdi_cuda *d, hdi_cuda_program *p, const hdi_grid *g,
                             hdi_cuda_variant **out)
{
    hdi_cuda_variant *v = hdi_calloc(sizeof *v);
    if (v == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel");
    v->grid = *g;
    v->grid.arch = hdi_cuda_arch(d);
    hdi_sequence just_one = {.nbodies = 1, .alone = true, .body = {{p->k, &v->grid}}};
    hd_status status = hdi_cuda_code(d, &just_one, &v->module, &v->function);
    if (status != HD_OK) {
        hdi_free(v, sizeof *v);
        return status;
    }
    v->next = p->variants;
    *out = p->variants = v;
    return HD_OK;
}

static hd_status variant_for(hdi_cuda *d, hdi_cuda_program *p, const hdi_grid *g,
                             hdi_cuda_variant **out)
{
    _Static_assert(offsetof(hdi_grid, arch) == 0, "the device's, not the layout's");
    for (hdi_cuda_variant *v = p->variants; v != NULL; v = v->next)
        if (same_grid(p->k, &v->grid, g)) {
            *out = v;
            return HD_OK;
        }
    return add_variant(d, p, g, out);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static hd_status words_room(hdi_cuda_program *p, int nd)
{
    int64_t bytes = (int64_t)sizeof *p->words * hdi_cuda_most_words(p->k, nd);
    if (bytes <= p->words_bytes)
        return HD_OK;
    if (p->words != NULL)
        hdi_free(p->words, (size_t)p->words_bytes);
    p->words_bytes = 0;
    if ((p->words = hdi_alloc((size_t)bytes)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory to launch a kernel");
    p->words_bytes = bytes;
    return HD_OK;
}

static hd_status no_memory(int64_t nbytes)
{
    return hdi_fail(HD_NOMEM, "unable to allocate %lld bytes to run a kernel on the device",
                    (long long)nbytes);
}

/* Zeros that kernels leave as zeros. They run one after the other, so one set serves all. */
static hd_status counters_for(hdi_cuda *d, int64_t n)
{
    int64_t bytes = n * (int64_t)sizeof(uint32_t);
    if (bytes <= d->counter_bytes)
        return HD_OK;
    if (d->counters != 0)
        hdi_cuda_free(d, (void *)(uintptr_t)d->counters, d->counter_bytes);
    d->counter_bytes = 0;
    bytes = hdi_max64(bytes, 4096);
    d->counters = (CUdeviceptr)(uintptr_t)hdi_cuda_alloc(d, bytes);
    if (d->counters == 0)
        return no_memory(bytes);
    d->counter_bytes = bytes;
    return hdi_cuda_check(d, hdi_cu.cuMemsetD8Async(d->counters, 0, (size_t)bytes, d->stream),
                          "preparing a kernel");
}

/* Memory that only this launch needs: whoever gets it next runs after it. */
static hd_status borrow(hdi_cuda *d, int64_t nbytes, uint64_t *address)
{
    void *p = hdi_cuda_alloc(d, nbytes);
    if (p == NULL)
        return no_memory(nbytes);
    *address = (uint64_t)(uintptr_t)p;
    return HD_OK;
}

/* ---- launching ------------------------------------------------------------------------------- */

static hd_status call(hdi_cuda *d, const hdi_cuda_layout *lay, CUfunction f, void *parameter)
{
    void *parameters[1] = {parameter};
    return hdi_cuda_check(d,
                          hdi_cu.cuLaunchKernel(f, (unsigned)lay->blocks, 1, 1, lay->grid.threads,
                                                1, 1, 0, d->stream, parameters, NULL),
                          "launching a kernel");
}

static hd_status launch_from_memory(hdi_cuda *d, const hdi_cuda_layout *lay, CUfunction f)
{
    int64_t bytes = (int64_t)sizeof *lay->words * lay->nwords;
    uint64_t address;
    hd_status status = borrow(d, bytes, &address);
    if (status != HD_OK)
        return status;
    status = hdi_cuda_check(
        d, hdi_cu.cuMemcpyHtoDAsync(address, lay->words, (size_t)bytes, d->stream),
        "launching a kernel");
    if (status == HD_OK)
        status = call(d, lay, f, &address);
    hdi_cuda_lent_back(d, address, bytes);
    return status;
}

bool hdi_cuda_lends_anew(const hdi_cuda *d, const hdi_cuda_layout *lay)
{
    return lay->grid.split && lay->counters * (int64_t)sizeof(uint32_t) > d->counter_bytes;
}

hd_status hdi_cuda_lend(hdi_cuda *d, hdi_cuda_layout *lay)
{
    hd_status status = HD_OK;
    if (!lay->grid.split)
        return HD_OK;
    if ((status = counters_for(d, lay->counters)) != HD_OK)
        return status;
    lay->words[HDI_WORD_COUNTERS] = d->counters;
    return borrow(d, lay->partials, &lay->words[HDI_WORD_PARTIALS]);
}

void hdi_cuda_lent_back(hdi_cuda *d, uint64_t address, int64_t nbytes)
{
    if (address != 0)
        hdi_cuda_free(d, (void *)(uintptr_t)address, nbytes);
}

hd_status hdi_cuda_prepare(hdi_cuda *d, hdi_launch *l, hdi_cuda_layout *lay, hdi_cuda_variant **v)
{
    hdi_cuda_program *p = (hdi_cuda_program *)(uintptr_t)l->program;
    hd_status status = words_room(p, l->nd);
    *v = NULL;
    if (status != HD_OK)
        return status;
    hdi_cuda_lay_out(p->k, l, p->words, lay);
    if (lay->blocks == 0)
        return HD_OK;
    if (lay->blocks > INT32_MAX)
        return hdi_fail(HD_UNSUPPORTED, "a kernel over %lld elements needs more blocks than a GPU "
                        "takes", (long long)l->size);
    return variant_for(d, p, &lay->grid, v);
}

hd_status hdi_cuda_launch(hdi_cuda *d, hdi_launch *l)
{
    hdi_cuda_layout lay;
    hdi_cuda_variant *v;
    hd_status status = hdi_cuda_prepare(d, l, &lay, &v);
    if (status != HD_OK || v == NULL || (status = hdi_cuda_lend(d, &lay)) != HD_OK)
        return status;
    hdi_cuda_note(d, "kernel");
    status = lay.grid.words_in_memory ? launch_from_memory(d, &lay, v->function)
                                      : call(d, &lay, v->function, lay.words);
    hdi_cuda_lent_back(d, lay.words[HDI_WORD_PARTIALS], lay.partials);
    return status;
}
