/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_compile.c - a kernel to a program: facts about the whole, and all of it laid out in one
 * block. */
#include <pthread.h>
#include <stdlib.h>

#include "backend/cpu/cpu_builder.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

enum {
    BLOCK_BYTES = 4096,
    STAGGER = 128   /* buffers a whole number of pages apart would share the cache's sets */
};

/* ---- the whole ------------------------------------------------------------------------------- */

/* Nothing to look at when no load is read after memory may have changed, and no two stores could
 * meet. */
static bool alias_safe(const hdi_cpu_builder *b)
{
    for (int s = 0; s < b->p.nstores; s++)
        for (int l = 0; l < b->p.nloads; l++)
            if (b->load[l].until > b->store[s].until || b->load[l].crosses)
                return false;
    return b->p.nstores <= 1;
}

/* Elements of a block: BLOCK_BYTES of the largest type, in whole chunks of a reduction.
 * HEDDLE_BLOCK (a test aid) sets it. */
static int block_elements(uint8_t lsize, bool rows)
{
    const char *text = getenv("HEDDLE_BLOCK");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;
    if (n < 1 || n > 1 << 20)
        n = BLOCK_BYTES >> lsize;
    if (rows)
        n = (n + HDI_RED_CHUNK - 1) / HDI_RED_CHUNK * HDI_RED_CHUNK;
    return (int)n;
}

static void measure(hdi_cpu_builder *b)
{
    hdi_cpu_program *p = &b->p;
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        uint8_t lsize = hdi_cpu_log2_size(inst->dt);
        if (lsize > p->max_lsize && inst->kind != KIR_SCALAR)
            p->max_lsize = lsize;
        int cost = inst->kind == KIR_EW ? hdi_cpu_ew_cost[inst->op] : inst->kind != KIR_SCALAR;
        cost <<= lsize + (inst->dt >= HD_COMPLEX64);
        *(hdi_cpu_runs_full(inst) ? &p->cost : &p->row_cost) += cost;
        p->rows |= !hdi_cpu_runs_full(inst) || inst->kind == KIR_REDUCE;
    }
    for (int i = 0; i < p->nscalars; i++)
        if (b->scalar[i].fill != HDI_CPU_NONE && b->scalar[i].lsize > p->max_lsize)
            p->max_lsize = b->scalar[i].lsize;
    p->cost = hdi_max64(p->cost, 1);
    p->block = block_elements(p->max_lsize, p->rows);
    p->buffer_bytes = (((int64_t)p->block << p->max_lsize) + STAGGER + 63) & -(int64_t)64;
    p->nphases = b->k->nphases;
    p->nslots = b->k->nslots;
    p->alias_safe = alias_safe(b);
}

/* Copies n elements of size bytes to the next free place of the program's block. With at == NULL
 * only counts. */
static void *place(uint8_t *base, size_t *at, const void *from, int n, size_t size)
{
    void *to = base != NULL ? base + *at : NULL;
    if (base != NULL && n > 0)
        memcpy(to, from, (size_t)n * size);
    *at += ((size_t)n * size + 15) & ~(size_t)15;
    return to;
}

/* Lays the program out in one block; with base == NULL only counts its bytes. */
static size_t lay_out(const hdi_cpu_builder *b, uint8_t *base)
{
    size_t at = 0;
    hdi_cpu_program only_counting, *p = place(base, &at, &b->p, 1, sizeof b->p);
    if (p == NULL)
        p = &only_counting;
    p->steps = place(base, &at, b->step, b->p.nsteps, sizeof *b->step);
    p->compute = place(base, &at, b->compute, b->p.ncompute, sizeof *b->compute);
    p->full = place(base, &at, b->full, b->k->nphases, sizeof *b->full);
    p->row = place(base, &at, b->row, b->k->nphases, sizeof *b->row);
    p->loads = place(base, &at, b->load, b->p.nloads, sizeof *b->load);
    p->stores = place(base, &at, b->store, b->p.nstores, sizeof *b->store);
    p->scalars = place(base, &at, b->scalar, b->p.nscalars, sizeof *b->scalar);
    p->reds = place(base, &at, b->red, b->p.nreds, sizeof *b->red);
    p->kept = place(base, &at, b->kept, b->p.nkept, sizeof *b->kept);
    p->spreads = place(base, &at, b->spread, b->p.nspreads, sizeof *b->spread);
    p->row_values = place(base, &at, b->row_value, b->p.nrows, sizeof *b->row_value);
    p->home = place(base, &at, b->home, b->p.nregs, sizeof *b->home);
    p->chains = place(base, &at, b->chain, b->nchains, sizeof *b->chain);
    p->reducers = place(base, &at, b->reducer, b->nchains, sizeof *b->reducer);
    p->shared = place(base, &at, b->shared_list, b->p.nshared, sizeof *b->shared_list);
    p->bytes = at;
    return at;
}

static hd_status check(const hdi_kernel *k)
{
    if (k->ninst > MAX || k->nslots > HDI_KERNEL_MAX_SLOTS || k->nphases > MAX_PHASES)
        return hdi_fail(HD_UNSUPPORTED, "a kernel of %d instructions in %d phases is too large",
                        k->ninst, k->nphases);
    for (int i = 0; i < k->ninst; i++)
        if (k->inst[i].kind > KIR_STORE && !hdi_kernel_is_flow(k->inst[i].kind))
            return hdi_fail(HD_UNSUPPORTED, "instruction kind %d does not run on this back end yet",
                            k->inst[i].kind);
    return HD_OK;
}

/* Can the program do without load and store steps? */
static void find_plain(hdi_cpu_builder *b)
{
    bool plain = !b->p.rows;
    for (int i = 0; i < b->p.nloads; i++)
        plain = plain && !b->load[i].index && b->load[i].stride == HDI_CPU_NONE;
    for (int i = 0; i < b->p.nstores; i++)
        plain = plain && b->store[i].reg != HDI_CPU_NONE;
    for (int s = 0; plain && s < b->p.nsteps; s++)
        if (b->step[s].kind != CPU_LOAD && b->step[s].kind != CPU_STORE)
            b->compute[b->p.ncompute++] = b->step[s];
    b->p.plain = plain;
    b->p.whole = plain && b->p.ncompute == 1 && b->compute[0].kind == CPU_CHAIN;
}

/* May the elements that come after all reductions have settled be left out? */
static bool ends_early(const hdi_cpu_builder *b)
{
    bool ends = b->p.nphases == 1 && b->p.nkept == 0 && b->p.nreds > 0;
    for (int i = 0; i < b->p.nstores; i++)
        ends = ends && b->store[i].level == KIR_ROW;
    for (int i = 0; i < b->p.nreds; i++)
        ends = ends && (b->red[i].extend != NULL || b->red[i].arg_extend != NULL);
    return ends;
}

static void reset(hdi_cpu_builder *b, const hdi_kernel *k, bool chained)
{
    b->k = k;
    b->p = (hdi_cpu_program){.loops = hdi_loops_best(), .chained = chained};
    b->chained = chained;
    b->strided = 0;
    b->nevents = b->nchains = b->values.n = b->gathers.n = b->rows.n = 0;
    for (int i = 0; i < k->ninst; i++) {
        b->full_uses[i] = 0;
        b->pos[i] = b->last[i] = 0;
        b->buffer[i] = b->vector[i] = b->store_of[i] = b->operand[i] = HDI_CPU_NONE;
        b->chain_of[i] = HDI_CPU_NONE;
    }
}

static hd_status finish(hdi_cpu_builder *b, hdi_cpu_program **program)
{
    measure(b);
    find_plain(b);
    b->p.ends_early = ends_early(b);
    size_t bytes = lay_out(b, NULL);
    *program = hdi_alloc(bytes);
    if (*program == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a program of %d instructions", b->k->ninst);
    lay_out(b, (uint8_t *)*program);
    return HD_OK;
}

hd_status hdi_cpu_compile_chained(const hdi_kernel *k, uint64_t strided, hdi_cpu_program **program)
{
    hdi_cpu_builder *b = hdi_alloc(sizeof *b);
    hd_status status;
    *program = NULL;
    HD_REQUIRE(b != NULL, HD_NOMEM, "out of memory to compile a kernel");
    reset(b, k, true);
    b->strided = strided;
    HD_TRY(hdi_cpu_build(b));
    if (b->nchains > 0) {
        HD_TRY(hdi_cpu_generate(b));
        HD_TRY(finish(b, program));
    }
done:
    hdi_free(b, sizeof *b);
    return status;
}

/* Branches and loops have no interpreter: such kernels wait for the compiler. */
static hd_status compile_flow(const hdi_kernel *k, void **program)
{
    hdi_cpu_program *p = NULL;
    hd_status status = check(k);
    if (status == HD_OK && !hdi_cg_available())
        status = hdi_fail(HD_UNSUPPORTED, "branches and loops in a kernel need the code generator");
    if (status == HD_OK)
        status = hdi_cpu_compile_chained(k, 0, &p);
    *program = p;
    return status;
}

/* The state of a CPU's device. The builder is too large for a stack, and its pages stay. */
typedef struct compiler {
    pthread_mutex_t mutex;
    hdi_cpu_builder builder;
} compiler;

void *hdi_cpu_compiler(void)
{
    static compiler of_the_cpu = {.mutex = PTHREAD_MUTEX_INITIALIZER};   /* there is one */
    return &of_the_cpu;
}

hd_status hdi_cpu_compile(void *state, const hdi_kernel *k, void **program)
{
    compiler *own = state;
    hdi_cpu_builder *b = &own->builder;
    hdi_cpu_program *p = NULL;
    hd_status status;
    if (hdi_cpu_has_flow(k))
        return compile_flow(k, program);
    pthread_mutex_lock(&own->mutex);
    HD_TRY(check(k));
    reset(b, k, false);
    HD_TRY(hdi_cpu_build(b));
    HD_TRY(finish(b, &p));
    p->tier = hdi_cpu_tier_new(k);
    *program = p;
done:
    pthread_mutex_unlock(&own->mutex);
    return status;
}

void hdi_cpu_destroy(void *state, void *program)
{
    hdi_cpu_program *p = program;
    (void)state;
    hdi_cpu_tier_release(p->tier);
    hdi_free(p, p->bytes);
}
