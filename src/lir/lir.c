/* SPDX-License-Identifier: BSD-3-Clause */
/* lir.c - lowered IR is built. */
#include "lir/lir.h"

#include "base/alloc.h"

const hdi_lir_type_row hdi_lir_types[HDI_LIR_TYPES] = {
#define LIR_TYPE(NAME, text, kind, bytes) {text, kind, bytes},
#include "lir/types.def"
#undef LIR_TYPE
};

const hdi_lir_op_row hdi_lir_ops[HDI_LIR_OPS] = {
#define LIR_NODE(NAME, text, shape, rule, doc) \
    {text, shape, HDI_LIR_R_##rule, HDI_LIR_R_##rule < HDI_LIR_R_NAME},
#include "lir/nodes.def"
#undef LIR_NODE
};

const hdi_lir_math_row hdi_lir_maths[HDI_LIR_MATHS] = {
#define LIR_MATH(NAME, text, narg, kinds) {text, narg, kinds},
#include "lir/math.def"
#undef LIR_MATH
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room for `wanted` elements; false, and l has failed: there is no memory. */
static bool grow(hdi_lir *l, void **list, size_t size, int64_t *room, int64_t wanted)
{
    if (wanted <= *room)
        return true;
    int64_t next = wanted > 2 * *room ? wanted + 16 : 2 * *room;
    void *p = l->failed || next > INT32_MAX
                  ? NULL
                  : hdi_realloc(*list, (size_t)*room * size, (size_t)next * size);
    if (p == NULL) {
        l->failed = true;
        return false;
    }
    memset((char *)p + (size_t)*room * size, 0, (size_t)(next - *room) * size);
    *list = p;
    *room = next;
    return true;
}

hdi_lir *hdi_lir_new(const char *name)
{
    hdi_lir *l = hdi_calloc(sizeof *l);
    if (l != NULL) {
        l->body = -1;
        l->name = hdi_lir_name(l, name);
    }
    if (l == NULL || l->failed) {
        hdi_lir_free(l);
        hdi_fail(HD_NOMEM, "out of memory for the kernel %s", name);
        return NULL;
    }
    return l;
}

void hdi_lir_free(hdi_lir *l)
{
    if (l == NULL)
        return;
    hdi_free(l->node, (size_t)l->node_room * sizeof *l->node);
    hdi_free(l->var, (size_t)l->var_room * sizeof *l->var);
    hdi_free(l->names, (size_t)l->names_room);
    hdi_free(l->data, (size_t)l->data_room);
    hdi_free(l, sizeof *l);
}

/* ---- parts ----------------------------------------------------------------------------------- */

int32_t hdi_lir_name(hdi_lir *l, const char *text)
{
    const int64_t bytes = (int64_t)strlen(text) + 1, at = l->names_bytes;
    void *names = l->names;
    if (!grow(l, &names, 1, &l->names_room, at + bytes))
        return 0;
    l->names = names;
    memcpy(l->names + at, text, (size_t)bytes);
    l->names_bytes += bytes;
    return (int32_t)at;
}

int64_t hdi_lir_data(hdi_lir *l, int64_t bytes)
{
    const int64_t at = (l->data_bytes + 15) & ~(int64_t)15;
    void *data = l->data;
    if (!grow(l, &data, 1, &l->data_room, at + bytes))
        return 0;
    l->data = data;
    l->data_bytes = at + bytes;
    return at;
}

int32_t hdi_lir_variable(hdi_lir *l, const char *name, hdi_lir_type type, hdi_lir_space space)
{
    const int32_t text = hdi_lir_name(l, name);
    int64_t room = l->var_room;
    void *var = l->var;
    if (!grow(l, &var, sizeof *l->var, &room, (int64_t)l->nvars + 1))
        return 0;
    l->var = var;
    l->var_room = (int32_t)room;
    l->var[l->nvars] = (hdi_lir_var){.name = text, .type = (uint8_t)type, .space = (uint8_t)space,
                                     .count = 1, .param = -1, .align = hdi_lir_types[type].bytes};
    return l->nvars++;
}

int32_t hdi_lir_add(hdi_lir *l, hdi_lir_op op, hdi_lir_type type, int32_t line)
{
    int64_t room = l->node_room;
    void *node = l->node;
    if (!grow(l, &node, sizeof *l->node, &room, (int64_t)l->nnodes + 1))
        return 0;
    l->node = node;
    l->node_room = (int32_t)room;
    l->node[l->nnodes] = (hdi_lir_node){.op = (uint8_t)op, .type = (uint8_t)type, .line = line,
                                        .arg = {-1, -1, -1}, .next = -1};
    return l->nnodes++;
}

int32_t hdi_lir_node3(hdi_lir *l, hdi_lir_op op, hdi_lir_type type, int32_t line, int64_t k,
                      int32_t x, int32_t y, int32_t z)
{
    const int32_t i = hdi_lir_add(l, op, type, line);
    if (!l->failed) {
        l->node[i].k = k;
        l->node[i].arg[0] = x;
        l->node[i].arg[1] = y;
        l->node[i].arg[2] = z;
    }
    return i;
}

int32_t hdi_lir_const(hdi_lir *l, hdi_lir_type type, int64_t bits)
{
    return hdi_lir_node3(l, HDI_LIR_CONST, type, 0, bits, -1, -1, -1);
}

int32_t hdi_lir_get(hdi_lir *l, int32_t var)
{
    const hdi_lir_type type = l->failed ? HDI_LIR_I32 : (hdi_lir_type)l->var[var].type;
    return hdi_lir_node3(l, HDI_LIR_GET, type, 0, var, -1, -1, -1);
}

int64_t hdi_lir_bits_of(hdi_lir_type type, double x)
{
    if (type == HDI_LIR_F32) {
        const float single = (float)x;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return (int64_t)bits;
    }
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double hdi_lir_real_of(hdi_lir_type type, int64_t bits)
{
    if (type == HDI_LIR_F32) {
        const uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void hdi_lir_list_add(hdi_lir *l, hdi_lir_list *list, int32_t statement)
{
    if (l->failed)
        return;
    if (list->first < 0)
        list->first = statement;
    else
        l->node[list->last].next = statement;
    list->last = statement;
}

void hdi_lir_forget_alignment(hdi_lir *l)
{
    for (int32_t i = 0; i < l->nnodes; i++)
        if (l->node[i].op == HDI_LIR_LOAD || l->node[i].op == HDI_LIR_STORE)
            l->node[i].kind = 0;
    for (int32_t i = 0; i < l->nvars; i++)
        l->var[i].leads = 0;
}
