/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_chain.c - which operations of a kernel become compiled chains, and their code.
 *
 * A chain is a run of operations of one phase and level, in the program's order, that the code
 * generator has words for. What it has no words for ends it, or a limit; the interpreter does that
 * step and the next chain begins. So no kernel is too large or too strange to compile, only less
 * of it is. */
#include <string.h>

#include "backend/cpu/cpu_builder.h"
#include "backend/cpu/cpu_vecmath.h"
#include "codegen/cg_compile.h"

/* One operation by itself is what the interpreter's loops are for, but for one whose value goes
 * into a reduction: that counts as an operation. */
enum { LEAST_OPS = 2 };

static bool is_cast(const hdi_kinst *inst)
{
    return inst->kind == KIR_CAST || (inst->kind == KIR_EW && inst->op == HD_OP_copy);
}

/* 0: chains have none. */
static uint16_t flow_op(int kind)
{
    switch (kind) {
    case KIR_IF:       return HDI_CHAIN_IF;
    case KIR_ELSE:     return HDI_CHAIN_ELSE;
    case KIR_END_IF:   return HDI_CHAIN_END_IF;
    case KIR_LOOP:     return HDI_CHAIN_LOOP;
    case KIR_BREAK:    return HDI_CHAIN_BREAK;
    case KIR_END_LOOP: return HDI_CHAIN_END_LOOP;
    case KIR_LOCAL:    return HDI_CHAIN_LOCAL;
    case KIR_GET:      return HDI_CHAIN_GET;
    case KIR_SET:      return HDI_CHAIN_SET;
    default:           return 0;
    }
}

static bool can(const hdi_kernel *k, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    if (hdi_kernel_is_flow(inst->kind))
        return flow_op(inst->kind) != 0;
    if (is_cast(inst))
        return hdi_chain_can_cast((hd_dtype)k->inst[inst->arg[0]].dt, (hd_dtype)inst->dt);
    return inst->kind == KIR_EW &&
           hdi_chain_can((hd_op)inst->op, (hd_dtype)inst->cdt, hdi_cpu_has_vector);
}

int hdi_cpu_isa(void)
{
    return hdi_loops_best()->isa[1] - '2';
}

/* ---- functions ------------------------------------------------------------------------------- */

/* libmvec's f over whole registers, as tier 0's loops call it; NULL where it has none. */
static hdi_veccode vector_code(const char *f, size_t length, bool is_double, int isa)
{
    static const char *const names[] = {
#define MATH1(f, ...) #f,
#define MATH2(f, ...) #f,
#include "ops/elementwise/math/functions.def"
    };
    for (int k = 0; k < HDI_VECFN_COUNT; k++)
        if (strlen(names[k]) == length && strncmp(names[k], f, length) == 0)
            return hdi_vecmath((hdi_vecfn)k, is_double, isa);
    return NULL;
}

bool hdi_cpu_has_vector(const char *f, bool is_double)
{
    return vector_code(f, strlen(f), is_double, hdi_cpu_isa()) != NULL;
}

/* name.d and name.s. ctx: the chain's isa. */
void *hdi_cpu_resolve(const char *symbol, void *ctx)
{
    size_t length = strlen(symbol);
    if (length < 3)
        return NULL;
    hdi_veccode code =
        vector_code(symbol, length - 2, symbol[length - 1] == 'd', *(const uint8_t *)ctx);
    void *address;
    _Static_assert(sizeof address == sizeof code, "code and data have addresses of one size");
    memcpy(&address, &code, sizeof address);
    return address;
}

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct members { int n; uint16_t inst[HDI_CHAIN_OPS]; } members;

static int find(const uint16_t *list, int n, int value)
{
    for (int k = 0; k < n; k++)
        if (list[k] == value)
            return k;
    return -1;
}

/* Adds what instruction i reads from outside; false if there is no room for it. */
static bool add_inputs(const hdi_kernel *k, const members *m, hdi_cpu_link *link, int i)
{
    hdi_chain *c = &link->chain;
    const hdi_kinst *inst = &k->inst[i];
    int before = c->nin;
    for (int a = 0; a < inst->narg; a++) {
        const hdi_kinst *arg = &k->inst[inst->arg[a]];
        if (find(m->inst, m->n, inst->arg[a]) >= 0 || find(link->in, c->nin, inst->arg[a]) >= 0)
            continue;
        if (c->nin == HDI_CHAIN_INPUTS) {
            c->nin = (uint16_t)before;
            return false;
        }
        link->in[c->nin] = inst->arg[a];
        c->in_dt[c->nin] = arg->dt;
        c->in_single[c->nin++] = arg->kind == KIR_SCALAR;
    }
    return true;
}

/* Is value v used by anything but the members? */
static bool used_outside(const hdi_kernel *k, const members *m, int v)
{
    for (int i = v + 1; i < k->ninst; i++)
        for (int a = 0; a < k->inst[i].narg; a++)
            if (k->inst[i].arg[a] == v && find(m->inst, m->n, i) < 0)
                return true;
    return false;
}

static bool is_reduced(const hdi_kernel *k, const members *m)
{
    for (int i = 0; i < k->ninst; i++)
        for (int a = 0; hdi_cpu_is_reducible(k, i) && a < k->inst[i].narg; a++)
            if (find(m->inst, m->n, k->inst[i].arg[a]) >= 0)
                return true;
    return false;
}

static uint16_t number_of(const hdi_cpu_link *link, const members *m, int v)
{
    int in = find(link->in, link->chain.nin, v);
    return (uint16_t)(in >= 0 ? in : link->chain.nin + find(m->inst, m->n, v));
}

/* False if the members hand out too many values. */
static bool describe(const hdi_kernel *k, const members *m, hdi_cpu_link *link)
{
    hdi_chain *c = &link->chain;
    c->isa = (uint8_t)hdi_cpu_isa();
    c->nops = (uint16_t)m->n;
    for (int j = 0; j < m->n; j++) {
        const hdi_kinst *inst = &k->inst[m->inst[j]];
        hdi_chain_op *o = &c->op[j];
        o->op = hdi_kernel_is_flow(inst->kind) ? flow_op(inst->kind)
                : is_cast(inst)                ? HDI_CHAIN_CAST
                                               : inst->op;
        o->dt = inst->dt;
        o->cdt = is_cast(inst) ? k->inst[inst->arg[0]].dt : inst->cdt;
        o->narg = inst->narg;
        for (int a = 0; a < inst->narg; a++)
            o->arg[a] = number_of(link, m, inst->arg[a]);
        if (!used_outside(k, m, m->inst[j]))
            continue;
        if (c->nout == HDI_CHAIN_OUTPUTS)
            return false;
        link->out[c->nout] = m->inst[j];
        c->out[c->nout++] = (uint16_t)(c->nin + j);
    }
    hdi_chain_choose(c, hdi_cpu_has_vector);
    return true;
}

/* The members as a chain; if they are too many for one, the first half of them. Leaves those
 * that are not in it to the interpreter. */
static void close_chain(hdi_cpu_builder *b, members *m)
{
    hdi_cpu_link *link = &b->link[b->nchains];
    int least = is_reduced(b->k, m) ? LEAST_OPS - 1 : LEAST_OPS;
    for (; m->n >= least && b->nchains < MAX_CHAINS; m->n /= 2) {
        members so_far = {0};
        memset(link, 0, sizeof *link);
        for (int j = 0; j < m->n; j++) {
            add_inputs(b->k, &so_far, link, m->inst[j]);
            so_far.inst[so_far.n++] = m->inst[j];
        }
        if (!describe(b->k, m, link))
            continue;
        link->first = m->inst[0];
        for (int j = 0; j < m->n; j++) {
            b->chain_of[m->inst[j]] = (uint16_t)b->nchains;
            b->absorbed[m->inst[j]] = j < m->n - 1;
        }
        b->nchains++;
        break;
    }
    m->n = 0;
}

static void find_in_section(hdi_cpu_builder *b, int phase, int level)
{
    const hdi_kernel *k = b->k;
    hdi_cpu_link trial;   /* only its inputs are looked at */
    members m = {0};
    memset(&trial, 0, sizeof trial);
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        bool computes = inst->kind == KIR_EW || inst->kind == KIR_CAST ||
                        hdi_kernel_is_flow(inst->kind);
        if (inst->phase != phase || inst->level != level || !computes)
            continue;
        bool fits = can(k, i) && m.n < HDI_CHAIN_OPS;
        if (!fits || !add_inputs(k, &m, &trial, i)) {
            close_chain(b, &m);
            memset(&trial, 0, sizeof trial);
            fits = can(k, i) && add_inputs(k, &m, &trial, i);
        }
        if (fits)
            m.inst[m.n++] = (uint16_t)i;
    }
    close_chain(b, &m);
}

bool hdi_cpu_has_flow(const hdi_kernel *k)
{
    for (int i = 0; i < k->ninst; i++)
        if (hdi_kernel_is_flow(k->inst[i].kind))
            return true;
    return false;
}

hd_status hdi_cpu_check_flow(const hdi_cpu_builder *b)
{
    uint16_t chain[MAX_PHASES][2];
    memset(chain, 0xff, sizeof chain);
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        uint16_t *mine = &chain[inst->phase][inst->level];
        if (!hdi_kernel_is_flow(inst->kind))
            continue;
        if (b->chain_of[i] == HDI_CPU_NONE || (*mine != HDI_CPU_NONE && *mine != b->chain_of[i]))
            return hdi_fail(HD_UNSUPPORTED, "a kernel with branches or loops wants operations that "
                            "are compiled, at most %d in a phase: near instruction %d",
                            HDI_CHAIN_OPS, i);
        *mine = b->chain_of[i];
    }
    return HD_OK;
}

bool hdi_cpu_is_strided(const hdi_cpu_builder *b, int v)
{
    const hdi_kinst *load = &b->k->inst[v];
    if (load->kind != KIR_LOAD || load->level != KIR_FULL || load->slot >= 64 ||
        !(b->strided >> load->slot & 1))
        return false;
    for (int i = v + 1; i < b->k->ninst; i++)
        for (int a = 0; a < b->k->inst[i].narg; a++)
            if (b->k->inst[i].arg[a] == v && b->chain_of[i] == HDI_CPU_NONE)
                return false;
    return true;
}

void hdi_cpu_find_chains(hdi_cpu_builder *b)
{
    for (int phase = 0; phase < b->k->nphases; phase++) {
        find_in_section(b, phase, KIR_FULL);
        find_in_section(b, phase, KIR_ROW);
    }
    for (int c = 0; c < b->nchains; c++)
        for (int k = 0; k < b->link[c].chain.nin; k++)
            b->link[c].chain.in_strided[k] = hdi_cpu_is_strided(b, b->link[c].in[k]);
}

/* Is i a reduction of what is computed, not loaded? */
static bool is_fed(const hdi_kernel *k, int i)
{
    int kind = k->inst[k->inst[i].arg[0]].kind;
    return hdi_cpu_is_reducible(k, i) && (kind == KIR_EW || kind == KIR_CAST);
}

bool hdi_cpu_worth_compiling(const hdi_kernel *k)
{
    int n = 0;
    for (int i = 0; i < k->ninst && n < LEAST_OPS; i++)
        n += ((k->inst[i].kind == KIR_EW || k->inst[i].kind == KIR_CAST) && can(k, i)) ||
             is_fed(k, i);
    return n == LEAST_OPS;
}

/* ---- code ------------------------------------------------------------------------------------ */

static hdi_chain_reduce reducing_code(hdi_chain *c, hdi_chain_mode mode)
{
    c->mode = (uint8_t)mode;
    hdi_chain_code code = hdi_cg_chain_code(c, hdi_cpu_resolve, &c->isa);
    return (hdi_chain_reduce)(void (*)(void))code;
}

/* Which of the ways a launch goes depends on its shape: code of both. */
static bool generate_reducer(hdi_chain *c, hdi_cpu_reducer *r)
{
    return r->n == 0 || ((r->rows = reducing_code(c, HDI_CHAIN_ROWS)) != NULL &&
                            (r->columns = reducing_code(c, HDI_CHAIN_COLUMNS)) != NULL);
}

hd_status hdi_cpu_generate(hdi_cpu_builder *b)
{
    for (int i = 0; i < b->nchains; i++) {
        hdi_chain *c = &b->link[i].chain;
        if ((b->chain[i].code = hdi_cg_chain_code(c, hdi_cpu_resolve, &c->isa)) == NULL ||
            !generate_reducer(&b->link[i].reducer, &b->reducer[i]))
            return hd_error_peek()->code;
    }
    return HD_OK;
}
