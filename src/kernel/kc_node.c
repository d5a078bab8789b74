/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_node.c - nodes and statements of the IR, with the line that they come from. */
#include "kernel/kc.h"

int32_t hdi_kc_line(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    if ((t->flags & KC_OURS) != 0 && c->r.called_at < c->r.tokens.n)
        t = &c->r.tokens.t[c->r.called_at];
    return t->line;
}

int32_t hdi_kc_node(kc *c, hdi_lir_op op, hdi_lir_type type, int64_t k, int32_t x, int32_t y,
                    int32_t z)
{
    if (c->l->nnodes > KC_MAX_NODES)
        hdi_kc_bad(c, "the kernel is too large: more than %d nodes, with what is called",
                   (int)KC_MAX_NODES);
    if (c->l->failed)
        hdi_kc_fail(&c->r, HD_NOMEM, NULL, "out of memory for a kernel");
    return hdi_lir_node3(c->l, op, type, hdi_kc_line(c), k, x, y, z);
}

void hdi_kc_emit(kc *c, hdi_lir_op op, int64_t k, int32_t x, int32_t y)
{
    const int32_t s = hdi_kc_node(c, op, HDI_LIR_VOID, k, x, y, -1);
    if (op == HDI_LIR_BARRIER || op == HDI_LIR_SYNCWARP)
        c->l->syncs = c->l->syncs || c->idle == 0;
    hdi_lir_list_add(c->l, c->list, s);
}

void hdi_kc_assign(kc *c, int32_t var, int32_t node)
{
    hdi_kc_emit(c, HDI_LIR_ASSIGN, var, node, -1);
}

void hdi_kc_splice(kc *c, const hdi_lir_list *list)
{
    if (list->first < 0 || c->l->failed)
        return;
    hdi_lir_list_add(c->l, c->list, list->first);
    c->list->last = list->last;
}

int32_t hdi_kc_variable(kc *c, const char *name, hdi_lir_type type, hdi_lir_space space)
{
    if (c->l->nvars > KC_MAX_NODES)
        hdi_kc_bad(c, "the kernel is too large: more than %d variables", (int)KC_MAX_NODES);
    return hdi_lir_variable(c->l, name, type, space);
}

int32_t hdi_kc_temporary(kc *c, hdi_lir_type type)
{
    const int32_t var = hdi_kc_variable(c, "", type, HDI_LIR_PRIVATE);
    hdi_kc_emit(c, HDI_LIR_DECLARE, var, -1, -1);
    return var;
}

bool hdi_kc_constant(const kc *c, int32_t node, int64_t *bits)
{
    if (c->l->failed || node < 0 || c->l->node[node].op != HDI_LIR_CONST)
        return false;
    *bits = c->l->node[node].k;
    return true;
}

hdi_lir_list *hdi_kc_list_open(kc *c, hdi_lir_list *list)
{
    hdi_lir_list *old = c->list;
    *list = HDI_LIR_EMPTY;
    c->list = list;
    return old;
}
