/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_launch.c - from a launch to the driver's call: its layout, the function for that, its words,
 * memory for what blocks tell each other. */
#include "backend/cuda/cuda_launch.h"

#include <stddef.h>

#include "backend/cuda/cuda_tier.h"
#include "backend/cuda/cuda_tier0.h"
#include "base/alloc.h"

/* ---- the function ---------------------------------------------------------------------------- */

static bool same_grid(const hdi_kernel *k, const hdi_grid *a, const hdi_grid *b)
{
    size_t head = offsetof(hdi_grid, how);
    return memcmp((const char *)a + 1, (const char *)b + 1, head - 1 + k->nslots) == 0;
}

static hd_status add_variant(hdi_cuda *d, hdi_cuda_program *p, const hdi_cuda_layout *lay,
                             hdi_cuda_variant **out)
{
    hdi_cuda_variant *v = hdi_calloc(sizeof *v);
    if (v == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel");
    v->grid = lay->grid;
    v->grid.arch = hdi_cuda_arch(d);
    hd_status status = hdi_cuda_tier_begin(d, p->k, lay, v);
    if (status != HD_OK) {
        hdi_free(v, sizeof *v);
        return status;
    }
    v->next = p->variants;
    *out = p->variants = v;
    return HD_OK;
}

static hd_status variant_for(hdi_cuda *d, hdi_cuda_program *p, const hdi_cuda_layout *lay,
                             hdi_cuda_variant **out)
{
    _Static_assert(offsetof(hdi_grid, arch) == 0, "the device's, not the layout's");
    for (hdi_cuda_variant *v = p->variants; v != NULL; v = v->next)
        if (same_grid(p->k, &v->grid, &lay->grid)) {
            *out = v;
            return HD_OK;
        }
    return add_variant(d, p, lay, out);
}

/* ---- the shape ------------------------------------------------------------------------------- */

/* Addresses and first positions count as far as alignment goes. */
enum {
    LOW_BITS = 6,
    LINEAR = 1 << LOW_BITS,
    HAS_STRIDES = 2 << LOW_BITS,
    WRAPPED = 4 << LOW_BITS
};

static int64_t most_key_words(const hdi_kernel *k, int nd)
{
    return 2 + nd + (int64_t)(k->nslots + 1) * (2 + 2 * nd);
}

static uint64_t *add_arg(uint64_t *to, const hdi_arg *arg, int kind, int nd)
{
    uint64_t low = kind == HDI_SLOT_INDEX ? (uint64_t)arg->base : (uint64_t)(uintptr_t)arg->ptr;
    *to = low % LINEAR + (arg->linear ? LINEAR : 0) + (arg->strides != NULL ? HAS_STRIDES : 0);
    if (arg->strides == NULL)
        return to + 1;
    for (int a = 0; a < nd; a++)
        to[1 + a] = (uint64_t)arg->strides[a];
    return to + 1 + nd;
}

/* All that hdi_cuda_lay_out() looks at; returns how many words. */
static int64_t write_key(const hdi_kernel *k, const hdi_launch *l, uint64_t *key)
{
    uint64_t *to = key;
    *to++ = (uint64_t)l->nd | (uint64_t)l->order_arg << 32;
    *to++ = l->reduced;
    for (int a = 0; a < l->nd; a++)
        *to++ = (uint64_t)l->dims[a];
    for (int s = 0; s < k->nslots; s++)
        if (k->slots[s].kind != HDI_SLOT_SCALAR)
            to = add_arg(to, &l->args[s], k->slots[s].kind, l->nd);
    for (int s = 0; s < k->nslots && l->wrap != NULL; s++) {
        *to++ = WRAPPED + (uint64_t)s;
        for (int a = 0; a < l->nd && l->wrap[s] != NULL; a++)
            *to++ = (uint64_t)l->wrap[s][a];
    }
    if (l->order_arg == k->nslots)
        to = add_arg(to, &(hdi_arg){.strides = l->args[l->order_arg].strides,
                                    .linear = l->args[l->order_arg].linear}, HDI_SLOT_ARRAY, l->nd);
    return to - key;
}

static hdi_cuda_shape *find_shape(hdi_cuda_program *p, const uint64_t *key, int64_t nkey)
{
    for (int n = 0; n < HDI_CUDA_SHAPES; n++) {
        hdi_cuda_shape *s = &p->shape[n];
        if (s->key != NULL && s->nkey == nkey &&
            memcmp(s->key, key, sizeof *key * (size_t)nkey) == 0)
            return s;
    }
    return NULL;
}

/* Remembers it in the place of the oldest; not if there is no memory for it. */
static void keep_shape(hdi_cuda_program *p, const uint64_t *key, int64_t nkey,
                       hdi_cuda_variant *v)
{
    hdi_cuda_shape *s = &p->shape[p->nshapes % HDI_CUDA_SHAPES];
    size_t words = (size_t)nkey + (size_t)p->lay.nwords;
    uint64_t *block = hdi_alloc(sizeof *block * words);
    if (block == NULL)
        return;
    if (s->key != NULL)
        hdi_free(s->key, s->bytes);
    *s = (hdi_cuda_shape){block, nkey, sizeof *block * words, p->lay, v};
    s->lay.words = block + nkey;
    memcpy(s->key, key, sizeof *key * (size_t)nkey);
    memcpy(s->lay.words, p->lay.words, sizeof *block * (size_t)p->lay.nwords);
    p->nshapes++;
}

/* The launch's own addresses and scalars. */
static void refresh(const hdi_kernel *k, const hdi_launch *l, const hdi_cuda_layout *lay)
{
    uint64_t *w = lay->words + hdi_grid_slot_at(&lay->grid, k, 0);
    for (int s = 0; s < k->nslots; s++) {
        const hdi_arg *arg = &l->args[s];
        int kind = k->slots[s].kind;
        if (kind == HDI_SLOT_SCALAR) {
            w[0] = arg->scalar[0];
            w[1] = arg->scalar[1];
        } else {
            w[0] = kind == HDI_SLOT_INDEX ? (uint64_t)arg->base : (uint64_t)(uintptr_t)arg->ptr;
        }
        w += hdi_grid_slot_words(&lay->grid, k, s);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* For a key, and words behind it. */
static hd_status make_room(hdi_cuda_program *p, int nd)
{
    int64_t bytes = (int64_t)sizeof *p->room *
                    (most_key_words(p->k, nd) + hdi_cuda_most_words(p->k, nd));
    if (bytes <= p->room_bytes)
        return HD_OK;
    if (p->room != NULL)
        hdi_free(p->room, (size_t)p->room_bytes);
    p->room_bytes = 0;
    if ((p->room = hdi_alloc((size_t)bytes)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory to launch a kernel");
    p->room_bytes = bytes;
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
        hdi_cuda_give(d, d->counters);
    d->counter_bytes = 0;
    bytes = hdi_max64(bytes, 4096);
    d->counters = hdi_cuda_take(d, bytes);
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

static hd_status enqueue(hdi_cuda *d, CUfunction f, unsigned blocks, unsigned threads,
                         void *parameter, bool waits)
{
    void *parameters[1] = {parameter};
    CUlaunchAttribute early = {.id = CU_LAUNCH_PROGRAMMATIC, .value = {1}};
    CUlaunchConfig how = {.grid_x = blocks, .grid_y = 1, .grid_z = 1, .block_x = threads,
                          .block_y = 1, .block_z = 1, .stream = d->stream, .attributes = &early,
                          .nattributes = waits};
    CUresult r = hdi_cu.cuLaunchKernelEx(&how, f, parameters, NULL);
    if (HDI_UNLIKELY(r == CUDA_ERROR_OUT_OF_MEMORY) && hdi_cuda_make_room(d))
        r = hdi_cu.cuLaunchKernelEx(&how, f, parameters, NULL);   /* its threads' own memory */
    return hdi_cuda_check(d, r, "launching a kernel");
}

hd_status hdi_cuda_call(hdi_cuda *d, CUfunction f, unsigned blocks, unsigned threads,
                        void *parameter)
{
    return enqueue(d, f, blocks, threads, parameter, hdi_grid_waits(hdi_cuda_arch(d)));
}

hd_status hdi_cuda_call_plainly(hdi_cuda *d, CUfunction f, unsigned blocks, unsigned threads,
                                void *parameter)
{
    return enqueue(d, f, blocks, threads, parameter, false);
}

static hd_status call(hdi_cuda *d, const hdi_cuda_layout *lay, CUfunction f, void *parameter)
{
    return hdi_cuda_call(d, f, (unsigned)lay->blocks, lay->grid.threads, parameter);
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

hd_status hdi_cuda_lend(hdi_cuda *d, const hdi_cuda_layout *lay)
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

static hd_status lay_out_anew(hdi_cuda *d, hdi_cuda_program *p, hdi_launch *l, int64_t nkey,
                              hdi_cuda_variant **v)
{
    hdi_cuda_layout *lay = &p->lay;
    hdi_cuda_lay_out(p->k, l, p->room + nkey, lay);
    *v = NULL;
    if (lay->blocks > INT32_MAX)
        return hdi_fail(HD_UNSUPPORTED, "a kernel over %lld elements needs more blocks than a GPU "
                        "takes", (long long)l->size);
    hd_status status = lay->blocks == 0 ? HD_OK : variant_for(d, p, lay, v);
    if (status == HD_OK && lay->blocks > 0)
        keep_shape(p, p->room, nkey, *v);
    return status;
}

hd_status hdi_cuda_prepare(hdi_cuda *d, hdi_launch *l, hdi_cuda_layout **lay, hdi_cuda_variant **v)
{
    hdi_cuda_program *p = (hdi_cuda_program *)(uintptr_t)l->program;
    hd_status status = make_room(p, l->nd);
    if (status != HD_OK)
        return status;
    int64_t nkey = write_key(p->k, l, p->room);
    hdi_cuda_shape *s = find_shape(p, p->room, nkey);
    if (s != NULL) {
        refresh(p->k, l, &s->lay);
        *lay = &s->lay;
        *v = s->variant;
        return HD_OK;
    }
    *lay = &p->lay;
    return lay_out_anew(d, p, l, nkey, v);
}

/* Tier 0 knows no wrapped operands: it runs the boxes, for which nothing is compiled. */
static hd_status run_boxes(hdi_cuda *d, const hdi_kernel *k, hdi_launch *l)
{
    const size_t bytes = sizeof(uint64_t) * (size_t)hdi_cuda_most_words(k, l->nd);
    uint64_t *words = hdi_alloc(bytes);
    hd_status status = words != NULL ? HD_OK
                                     : hdi_fail(HD_NOMEM, "out of memory to launch a kernel");
    for (; l->box < l->nboxes && status == HD_OK; l->box += status == HD_OK) {
        hdi_cuda_layout lay;
        hdi_cuda_lay_out(k, &l->boxes[l->box], words, &lay);
        status = lay.blocks > 0 ? hdi_cuda_tier0_launch(d, k, &lay) : HD_OK;
    }
    if (words != NULL)
        hdi_free(words, bytes);
    return status;
}

static hd_status run(hdi_cuda *d, hdi_launch *l, const hdi_cuda_layout *lay, hdi_cuda_variant *v)
{
    const hdi_kernel *k = ((const hdi_cuda_program *)l->program)->k;
    if (hdi_cuda_tier_ready(v))
        return lay->grid.words_in_memory ? launch_from_memory(d, lay, v->function)
                                         : call(d, lay, v->function, lay->words);
    hd_status status = l->wrap != NULL ? run_boxes(d, k, l)
                                       : hdi_cuda_tier0_launch(d, k, lay);
    hdi_cuda_tier_note(d, k, l->size, v);
    return status;
}

hd_status hdi_cuda_launch(hdi_cuda *d, hdi_launch *l)
{
    hdi_cuda_layout *lay;
    hdi_cuda_variant *v;
    hd_status status = hdi_cuda_prepare(d, l, &lay, &v);
    if (status != HD_OK || v == NULL || (status = hdi_cuda_lend(d, lay)) != HD_OK)
        return status;
    hdi_cuda_note(d, ((const hdi_cuda_program *)l->program)->name);
    status = run(d, l, lay, v);
    hdi_cuda_lent_back(d, lay->words[HDI_WORD_PARTIALS], lay->partials);
    return status;
}
