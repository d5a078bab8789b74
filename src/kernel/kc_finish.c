/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_finish.c - what is known only when the whole kernel was read. */
#include "kernel/kc_expr.h"

/* ---- variables whose address was taken ------------------------------------------------------- */

static int32_t address_of(hdi_lir *l, int32_t var)
{
    return hdi_lir_node3(l, HDI_LIR_ADDRESS, HDI_LIR_POINTER, 0, var, -1, -1, -1);
}

/* A parameter stays as it is; a copy of it goes to memory, at the kernel's beginning. */
static int32_t copy_of_parameter(hdi_lir *l, int32_t param, hdi_lir_list *head)
{
    const hdi_lir_type type = (hdi_lir_type)l->var[param].type;
    const int32_t copy = hdi_lir_variable(l, "", type, HDI_LIR_PRIVATE);
    hdi_lir_list_add(l, head, hdi_lir_node3(l, HDI_LIR_DECLARE, HDI_LIR_VOID, 0, copy, -1, -1, -1));
    const int32_t get = hdi_lir_get(l, param);
    hdi_lir_list_add(l, head, hdi_lir_node3(l, HDI_LIR_STORE, HDI_LIR_VOID, 0, 0,
                                            address_of(l, copy), get, -1));
    if (!l->failed) {
        l->var[copy].name = l->var[param].name;
        l->var[copy].in_memory = true;
        l->var[param].in_memory = false;
    }
    return copy;
}

static bool is_scalar_parameter(const hdi_lir_var *v)
{
    return v->param >= 0 && v->in_memory && v->count == 1 && v->type != HDI_LIR_U8;
}

static void rewrite(hdi_lir *l, int32_t i, int32_t var)
{
    const int32_t address = address_of(l, var);
    if (l->failed)
        return;
    hdi_lir_node *n = &l->node[i];
    if (n->op == HDI_LIR_ASSIGN)
        n->arg[1] = n->arg[0];
    n->op = n->op == HDI_LIR_GET ? HDI_LIR_LOAD : HDI_LIR_STORE;
    n->arg[0] = address;
    n->k = 0;
}

static void memory_variables(kc *c)
{
    hdi_lir *l = c->l;
    const int32_t nnodes = l->nnodes, nvars = l->nvars;
    int32_t *now = hdi_kc_new(&c->r, ((size_t)nvars + 1) * sizeof *now);
    hdi_lir_list head = HDI_LIR_EMPTY;
    for (int32_t v = 0; v < nvars && now != NULL && !l->failed; v++) {
        now[v] = l->var[v].in_memory && l->var[v].space == HDI_LIR_PRIVATE ? v : -1;
        if (is_scalar_parameter(&l->var[v]))
            now[v] = copy_of_parameter(l, v, &head);
    }
    for (int32_t i = 0; i < nnodes && now != NULL && !l->failed; i++) {
        const hdi_lir_node n = l->node[i];
        const bool reads = n.op == HDI_LIR_GET || n.op == HDI_LIR_ASSIGN;
        if (reads && now[n.k] >= 0)
            rewrite(l, i, now[n.k]);
        else if (n.op == HDI_LIR_ADDRESS && now[n.k] >= 0)
            l->node[i].k = now[n.k];
    }
    if (head.first >= 0 && !l->failed) {
        l->node[head.last].next = l->body;
        l->body = head.first;
    }
}

/* ---- what is done through pointers ----------------------------------------------------------- */

/* From ALIGNED on, a bit for each power of 2 that accesses promise. */
enum { READS = 1, WRITES = 2, CERTAIN = 4, ALIGNED = 8 };

typedef struct uses { hdi_lir *l; int32_t *parent, *of; } uses;

static int promises(const hdi_lir_node *n)
{
    return n->kind != 0 ? ALIGNED << n->kind : 0;
}

/* What a node does with the pointer that its operand i is. *flows: a variable that gets it. */
static int use_of(const uses *u, int32_t i, int32_t operand, int32_t *flows)
{
    const hdi_lir_node *n = &u->l->node[i];
    switch (n->op) {
    case HDI_LIR_LOAD:
        return READS | promises(n);
    case HDI_LIR_STORE:
        return n->arg[0] == operand ? WRITES | CERTAIN | promises(n) : READS | WRITES;
    case HDI_LIR_ATOMIC:
        return n->arg[0] == operand ? READS | WRITES | CERTAIN : READS | WRITES;
    case HDI_LIR_LT: case HDI_LIR_LE: case HDI_LIR_EQ: case HDI_LIR_NE:
        return 0;
    case HDI_LIR_ASSIGN:
        *flows = (int32_t)n->k;
        return 0;
    case HDI_LIR_OFFSET: case HDI_LIR_CHOOSE:
        return u->parent[i] < 0 ? 0 : use_of(u, u->parent[i], i, flows);
    default:
        return READS | WRITES;
    }
}

/* Adds to what each variable is used for; whether that changed anything. */
static bool uses_add(const uses *u)
{
    bool changed = false;
    for (int32_t i = 0; i < u->l->nnodes; i++) {
        const hdi_lir_node *n = &u->l->node[i];
        if (n->op != HDI_LIR_GET || n->type != HDI_LIR_POINTER || u->parent[i] < 0)
            continue;
        int32_t flows = -1;
        int use = use_of(u, u->parent[i], i, &flows);
        if (flows >= 0)
            use |= u->of[flows];
        const int32_t sum = u->of[n->k] | use;
        changed = changed || sum != u->of[n->k];
        u->of[n->k] = sum;
    }
    return changed;
}

static void parents(const uses *u)
{
    for (int32_t i = 0; i < u->l->nnodes; i++)
        u->parent[i] = -1;
    for (int32_t i = 0; i < u->l->nnodes; i++)
        for (int a = 0; a < 3; a++)
            if (u->l->node[i].arg[a] >= 0)
                u->parent[u->l->node[i].arg[a]] = i;
}

/* A pointer to const counts as written only where it is certain: a cast took the const away. */
static void pointer_uses(kc *c)
{
    hdi_lir *l = c->l;
    uses u = {l, hdi_kc_new(&c->r, ((size_t)l->nnodes + 1) * sizeof *u.parent),
              hdi_kc_new(&c->r, ((size_t)l->nvars + 1) * sizeof *u.of)};
    if (u.parent == NULL || u.of == NULL)
        return;
    parents(&u);
    while (uses_add(&u))
        ;
    for (int32_t v = 0; v < l->nvars; v++)
        if (l->var[v].param >= 0 && l->var[v].type == HDI_LIR_POINTER) {
            const bool certain = (u.of[v] & CERTAIN) != 0;
            l->var[v].writes = (u.of[v] & WRITES) != 0 && (l->var[v].writes || certain);
            l->var[v].reads = (u.of[v] & READS) != 0;
            if (u.of[v] >= ALIGNED)
                l->var[v].leads = 1 << (31 - __builtin_clz((unsigned)(u.of[v] / ALIGNED)));
        }
}

/* The memory of the module comes behind what the user gives. */
static void module_parameter(kc *c)
{
    if (c->module >= 0 && !c->l->failed)
        c->l->var[c->module].param = c->l->nparams++;
}

void hdi_kc_finish(kc *c)
{
    module_parameter(c);
    memory_variables(c);
    hdi_kc_counted_end(c);
    if (!c->l->failed && !c->r.failed)
        pointer_uses(c);
    if (c->l->failed)
        hdi_kc_fail(&c->r, HD_NOMEM, NULL, "out of memory for a kernel");
}
