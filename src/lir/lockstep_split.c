/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_split.c - lowered IR in lockstep: a thread's variable in memory, say a float4, of which
 * only parts at known offsets are read and written, becomes a variable for each part. Loops with
 * such may then run for the block, and LLVM need not find out what lies in scratch memory. */
#include "base/alloc.h"
#include "lir/lockstep.h"

enum { MOST_PARTS = 16 };

/* The body leads to it; it is the ADDRESS of an access at a known offset. */
enum { REACHED = 1, ACCESSED = 2 };

typedef struct part { int64_t at; uint8_t type; int32_t var; } part;

typedef struct splitter {
    hdi_lir *l;
    uint8_t *seen;             /* of each node: REACHED, and what ACCESSED says */
    int32_t nnodes;
} splitter;

/* An access to var at a known offset: *at gets it. Notes the ADDRESS. */
static bool known_offset(const hdi_lir *l, int32_t pointer, int64_t *at, int32_t *address)
{
    const hdi_lir_node *n = &l->node[pointer];
    *at = 0;
    for (; n->op == HDI_LIR_OFFSET; pointer = n->arg[0], n = &l->node[pointer]) {
        const hdi_lir_node *by = &l->node[n->arg[1]];
        int64_t bytes;
        if (by->op != HDI_LIR_CONST || __builtin_mul_overflow(by->k, n->k, &bytes)
            || __builtin_add_overflow(*at, bytes, at))
            return false;
    }
    *address = pointer;
    return n->op == HDI_LIR_ADDRESS;
}

static int access_type(const hdi_lir *l, const hdi_lir_node *n)
{
    return n->op == HDI_LIR_LOAD ? n->type : l->node[n->arg[1]].type;
}

static bool is_access(const hdi_lir_node *n)
{
    return (n->op == HDI_LIR_LOAD || n->op == HDI_LIR_STORE) && !(n->flags & HDI_LIR_VOLATILE);
}

/* Adds the part; false: it is no part that can be a variable. */
static bool add_part(part *list, int *count, int64_t at, int type)
{
    const int64_t end = at + hdi_lir_types[type].bytes;
    for (int k = 0; k < *count; k++) {
        if (list[k].at == at && list[k].type == type)
            return true;
        if (at < list[k].at + hdi_lir_types[list[k].type].bytes && list[k].at < end)
            return false;
    }
    if (*count == MOST_PARTS)
        return false;
    list[(*count)++] = (part){at, (uint8_t)type, -1};
    return true;
}

/* All uses of the variable are accesses to at most so many parts, none of which overlap. */
static bool find_parts(const splitter *s, int32_t var, part *list, int *count)
{
    const hdi_lir *l = s->l;
    int64_t at;
    int32_t address;
    *count = 0;
    for (int32_t i = 0; i < s->nnodes; i++) {
        const hdi_lir_node *n = &l->node[i];
        if (s->seen[i] == 0)
            continue;
        if (n->op == HDI_LIR_ADDRESS && n->k == var && !(s->seen[i] & ACCESSED))
            return false;
        if (is_access(n) && known_offset(l, n->arg[0], &at, &address)
            && l->node[address].k == var && !add_part(list, count, at, access_type(l, n)))
            return false;
    }
    return *count > 0;
}

static int32_t part_at(const part *list, int count, int64_t at)
{
    for (int k = 0; k < count; k++)
        if (list[k].at == at)
            return list[k].var;
    return -1;
}

static void replace_access(hdi_lir_node *n, int32_t var)
{
    const bool loads = n->op == HDI_LIR_LOAD;
    n->op = loads ? HDI_LIR_GET : HDI_LIR_ASSIGN;
    n->k = var;
    n->arg[0] = loads ? -1 : n->arg[1];
    n->arg[1] = -1;
}

/* DECLARE of the variable: of each part, one after the other. */
static void replace_declare(hdi_lir *l, int32_t i, const part *list, int count)
{
    l->node[i].k = list[0].var;
    for (int k = 1; k < count; k++) {
        const int32_t d = hdi_lir_node3(l, HDI_LIR_DECLARE, HDI_LIR_VOID, l->node[i].line,
                                        list[k].var, -1, -1, -1);
        if (l->failed)
            return;
        l->node[d].next = l->node[i].next;
        l->node[i].next = d;
        i = d;
    }
}

static void split(splitter *s, int32_t var, part *list, int count)
{
    hdi_lir *l = s->l;
    int64_t at;
    int32_t address;
    for (int k = 0; k < count; k++) {
        list[k].var = hdi_lir_variable(l, "", (hdi_lir_type)list[k].type, HDI_LIR_PRIVATE);
        if (l->failed)
            return;
        l->var[list[k].var].name = l->var[var].name;
    }
    for (int32_t i = 0; i < s->nnodes && !l->failed; i++) {
        hdi_lir_node *n = &l->node[i];
        if (s->seen[i] == 0)
            continue;
        if (n->op == HDI_LIR_DECLARE && n->k == var)
            replace_declare(l, i, list, count);
        else if (is_access(n) && known_offset(l, n->arg[0], &at, &address)
                 && l->node[address].k == var)
            replace_access(n, part_at(list, count, at));
    }
}

/* The front end leaves nodes that the body does not lead to: addresses of what is not used. */
static void reach(const splitter *s, int32_t first)
{
    for (int32_t i = first; i >= 0; i = s->l->node[i].next) {
        s->seen[i] |= REACHED;
        for (int a = 0; a < 3; a++)
            reach(s, s->l->node[i].arg[a]);
    }
}

static void find_accesses(const splitter *s)
{
    int64_t at;
    int32_t address;
    for (int32_t i = 0; i < s->nnodes; i++)
        if (s->seen[i] != 0 && is_access(&s->l->node[i])
            && known_offset(s->l, s->l->node[i].arg[0], &at, &address))
            s->seen[address] |= ACCESSED;
}

void hdi_ls_split_variables(hdi_lir *l)
{
    enum { MOST_WORK = 1 << 24 };   /* each variable takes a walk over all nodes */
    const size_t size = (size_t)l->nnodes + 1;
    splitter s = {l, hdi_calloc(size), l->nnodes};
    part list[MOST_PARTS];
    int count;
    int64_t work = 0;
    const int32_t nvars = l->nvars;
    l->failed |= s.seen == NULL;
    if (!l->failed) {
        reach(&s, l->body);
        find_accesses(&s);
    }
    for (int32_t i = 0; i < nvars && !l->failed && work < MOST_WORK; i++) {
        const hdi_lir_var *v = &l->var[i];
        if (!v->in_memory || v->space != HDI_LIR_PRIVATE || v->param >= 0)
            continue;
        work += l->nnodes;
        if (find_parts(&s, i, list, &count))
            split(&s, i, list, count);
    }
    hdi_free(s.seen, size);
}
