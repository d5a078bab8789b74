/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_chain_red.c - chains that end in reductions, whose values then go from registers into
 * accumulators. The chain by itself and the reductions' own steps stay in the program: which of the
 * two runs is decided by the shape of a launch (cpu_reduce_chain.c). */
#include <string.h>

#include "backend/cpu/cpu_builder.h"

bool hdi_cpu_is_reducible(const hdi_kernel *k, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    return inst->kind == KIR_REDUCE && hdi_chain_can_reduce((hd_op)inst->op, (hd_dtype)inst->cdt,
                                                            (hdi_chain_isa)hdi_cpu_isa());
}

/* ---- finding --------------------------------------------------------------------------------- */

static int find(const uint16_t *list, int n, int value)
{
    for (int k = 0; k < n; k++)
        if (list[k] == value)
            return k;
    return -1;
}

/* Number of value v in the chain, as one more input if it has to be: -1 if it cannot. Loads come
 * before all chains. */
static int number_of(const hdi_cpu_builder *b, hdi_cpu_link *link, int number, int v)
{
    hdi_chain *c = &link->reducer;
    const hdi_kinst *inst = &b->k->inst[v];
    int in = find(link->red_in, c->nin, v), op = 0;
    if (in >= 0)
        return in;
    for (int i = link->first; i < v; i++)
        op += b->chain_of[i] == number;
    if (b->chain_of[v] == number)
        return HDI_CHAIN_INPUTS + op;   /* inputs may still be added before it */
    if (!hdi_cpu_is_load(inst) || inst->level != KIR_FULL || c->nin == HDI_CHAIN_INPUTS)
        return -1;
    link->red_in[c->nin] = (uint16_t)v;
    c->in_dt[c->nin] = inst->dt;
    return c->nin++;
}

static void add_reduction(hdi_cpu_builder *b, hdi_cpu_link *link, int number, int i)
{
    const hdi_kinst *inst = &b->k->inst[i];
    hdi_chain *c = &link->reducer;
    int x = number_of(b, link, number, inst->arg[0]);
    int y = inst->narg > 1 ? number_of(b, link, number, inst->arg[1]) : x;
    bool fed = x >= HDI_CHAIN_INPUTS || y >= HDI_CHAIN_INPUTS;
    if (x < 0 || y < 0 || !fed || c->nred == HDI_CHAIN_REDS)
        return;
    link->red[c->nred] = (uint16_t)i;
    c->red[c->nred++] = (hdi_chain_red){.op = inst->op,
                                        .dt = inst->op == HD_OP_any || inst->op == HD_OP_all
                                                  ? HD_BOOL
                                                  : inst->cdt,
                                        .cdt = inst->cdt,
                                        .arg = {(uint16_t)x, (uint16_t)y}};
}

/* Is v, a value of the chain, used by anything but the chain and its reductions? */
static bool used_outside(const hdi_cpu_builder *b, const hdi_cpu_link *link, int number, int v)
{
    for (int i = v + 1; i < b->k->ninst; i++)
        for (int a = 0; a < b->k->inst[i].narg; a++)
            if (b->k->inst[i].arg[a] == v && b->chain_of[i] != number &&
                find(link->red, link->reducer.nred, i) < 0)
                return true;
    return false;
}

/* Values behind the inputs move up by as many inputs as were added. */
static void renumber(hdi_cpu_link *link)
{
    hdi_chain *c = &link->reducer;
    int before = link->chain.nin, more = c->nin - before;
    for (int j = 0; j < c->nops; j++)
        for (int a = 0; a < c->op[j].narg; a++)
            if (c->op[j].arg[a] >= before)
                c->op[j].arg[a] = (uint16_t)(c->op[j].arg[a] + more);
    for (int k = 0; k < c->nred; k++)
        for (int a = 0; a < 2; a++)
            if (c->red[k].arg[a] >= HDI_CHAIN_INPUTS)
                c->red[k].arg[a] = (uint16_t)(c->red[k].arg[a] - HDI_CHAIN_INPUTS + c->nin);
}

static void keep_outputs(const hdi_cpu_builder *b, hdi_cpu_link *link, int number)
{
    hdi_chain *c = &link->reducer;
    int more = c->nin - link->chain.nin;
    c->nout = 0;
    memset(c->out, 0, sizeof c->out);
    for (int k = 0; k < link->chain.nout; k++)
        if (used_outside(b, link, number, link->out[k])) {
            link->red_out[c->nout] = link->out[k];
            c->out[c->nout++] = (uint16_t)(link->chain.out[k] + more);
        }
}

/* ---- the program's part ---------------------------------------------------------------------- */

void hdi_cpu_neutral(const hdi_loops *l, hd_op op, hd_dtype dt, uint8_t *to)
{
    bool larger = op == HD_OP_max || op == HD_OP_nanmax;
    bool drops = op == HD_OP_nanmin || op == HD_OP_nanmax;
    size_t size = (size_t)hd_dtype_size(dt);
    if (l->identity((int)op - HD_OP_sum, dt, to))
        return;
    if (dt == HD_FLOAT32 || dt == HD_FLOAT64) {
        double end = (double)__builtin_inff();
        double x = drops ? (double)__builtin_nanf("") : larger ? -end : end;
        if (dt == HD_FLOAT64)
            memcpy(to, &x, sizeof x);
        else
            memcpy(to, &(float){(float)x}, sizeof(float));
        return;
    }
    memset(to, larger ? 0 : 0xff, size);
    if (hdi_chain_kind(dt) == 'i')
        to[size - 1] = larger ? 0x80 : 0x7f;
    if (dt == HD_BOOL)
        to[0] = !larger;
}

/* The accumulator that no element changes, where its bits are known: the neutral one of the
 * opposite. */
static void find_settled(const hdi_loops *l, hdi_cpu_red *red)
{
    hd_dtype dt = (hd_dtype)red->dt;
    bool ordered = dt == HD_BOOL || hdi_chain_kind(dt) == 'i' || hdi_chain_kind(dt) == 'u';
    red->can_settle = true;
    switch ((hd_op)(HD_OP_sum + red->row)) {
    case HD_OP_any: red->settled[0] = 1; break;
    case HD_OP_all: red->settled[0] = 0; break;
    case HD_OP_min:
    case HD_OP_nanmin:
        red->can_settle = ordered;
        hdi_cpu_neutral(l, HD_OP_max, dt, red->settled);
        break;
    case HD_OP_max:
    case HD_OP_nanmax:
        red->can_settle = ordered;
        hdi_cpu_neutral(l, HD_OP_min, dt, red->settled);
        break;
    default: red->can_settle = false;
    }
}

static void describe(hdi_cpu_builder *b, hdi_cpu_link *link, hdi_cpu_reducer *r)
{
    const hdi_chain *c = &link->reducer;
    *r = (hdi_cpu_reducer){.n = (uint16_t)(c->nin + c->nout), .nred = c->nred,
                            .nout = c->nout};
    for (int k = 0; k < r->n; k++) {
        int v = k < c->nin ? link->red_in[k] : link->red_out[k - c->nin];
        uint8_t size = (uint8_t)hd_dtype_size((hd_dtype)b->k->inst[v].dt);
        bool per_row = k < c->nin && c->in_row[k], single = k < c->nin && c->in_single[k];
        r->reg[k] = b->reg[v];
        r->size[k] = single || per_row ? 0 : size;
        r->per_row[k] = per_row ? size : 0;
        r->row_values |= per_row;
        r->stride[k] = k < c->nin && c->in_strided[k] ? b->load[b->operand[v]].stride
                                                      : HDI_CPU_NONE;
    }
    for (int k = 0; k < r->nred; k++) {
        hdi_cpu_red *red = &b->red[b->operand[link->red[k]]];
        r->red[k] = b->operand[link->red[k]];
        red->chain = (uint16_t)(link - b->link);
        hdi_cpu_neutral(b->p.loops, (hd_op)(HD_OP_sum + red->row), (hd_dtype)red->dt, red->neutral);
        find_settled(b->p.loops, red);
    }
}

static void find_reducer(hdi_cpu_builder *b, int number)
{
    hdi_cpu_link *link = &b->link[number];
    const hdi_kinst *first = &b->k->inst[link->first];
    bool row_values = false;
    b->reducer[number] = (hdi_cpu_reducer){.n = 0};
    if (first->level != KIR_FULL)
        return;
    link->reducer = link->chain;
    memcpy(link->red_in, link->in, sizeof link->in);
    for (int k = 0; k < link->chain.nin; k++) {
        const hdi_kinst *in = &b->k->inst[link->in[k]];
        link->reducer.in_row[k] = in->level == KIR_ROW && in->kind != KIR_SCALAR;
        row_values |= link->reducer.in_row[k];
    }
    for (int i = 0; i < b->k->ninst; i++)
        if (b->k->inst[i].phase == first->phase && hdi_cpu_is_reducible(b->k, i) &&
            b->red[b->operand[i]].chain == HDI_CPU_NONE)
            add_reduction(b, link, number, i);
    if (link->reducer.nred == 0 && !row_values)
        return;
    renumber(link);
    keep_outputs(b, link, number);
    describe(b, link, &b->reducer[number]);
}

/* Does anything but chains that take it as it is want ROW value `reg` repeated? */
static bool in_chains_only(const hdi_cpu_builder *b, uint16_t reg)
{
    for (int i = 0; i < b->k->ninst; i++)
        for (int a = 0; a < b->k->inst[i].narg; a++) {
            int v = b->k->inst[i].arg[a];
            if (b->k->inst[v].level != KIR_ROW || b->reg[v] != reg ||
                !hdi_cpu_runs_full(&b->k->inst[i]))
                continue;
            if (b->chain_of[i] == HDI_CPU_NONE || b->reducer[b->chain_of[i]].n == 0)
                return false;
        }
    return true;
}

void hdi_cpu_find_reducers(hdi_cpu_builder *b)
{
    for (int i = 0; i < b->nchains; i++)
        find_reducer(b, i);
    for (int i = 0; i < b->p.nspreads; i++)
        b->spread[i].in_chain = in_chains_only(b, b->spread[i].from);
}
