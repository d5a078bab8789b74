/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_value.c - values and places. A node is used once, so that what is used twice (x += 1) is made
 * stable first: its address goes to a variable, unless it is that of a variable. */
#include "kernel/kc.h"

/* Deeper trees are cut by variables, for those who walk them by recursion. */
enum { MAX_TREE = 40 };

kc_value hdi_kc_nothing(void)
{
    return (kc_value){.type = KC_PLAIN_TYPE(VOID), .kind = KC_V_NONE, .node = -1, .var = -1};
}

kc_value hdi_kc_rvalue(const kc_type *type, int32_t node, int depth)
{
    return (kc_value){.type = hdi_kc_bare(type), .kind = KC_V_NODE, .depth = (int16_t)depth,
                      .node = node, .var = -1};
}

kc_value hdi_kc_number(kc *c, const kc_type *type, int64_t bits)
{
    return hdi_kc_rvalue(type, hdi_kc_node(c, HDI_LIR_CONST, hdi_kc_lir(type), bits, -1, -1, -1),
                         1);
}

kc_value hdi_kc_int(kc *c, int64_t value)
{
    return hdi_kc_number(c, KC_PLAIN_TYPE(INT), value);
}

kc_value hdi_kc_in_memory(const kc_type *type, int32_t address)
{
    return (kc_value){.type = type, .kind = KC_V_MEMORY, .depth = 1, .node = address, .var = -1};
}

static int32_t get(kc *c, int32_t var)
{
    const hdi_lir_type type =
        c->l->failed ? HDI_LIR_I32 : (hdi_lir_type)c->l->var[var].type;
    return hdi_kc_node(c, HDI_LIR_GET, type, var, -1, -1, -1);
}

static int32_t address_of(kc *c, int32_t var)
{
    return hdi_kc_node(c, HDI_LIR_ADDRESS, HDI_LIR_POINTER, var, -1, -1, -1);
}

static bool in_memory(const kc_type *type)
{
    return type->kind == KC_ARRAY || type->kind == KC_STRUCT;
}

/* Arrays and structs are in memory from the beginning. */
kc_value hdi_kc_of_variable(kc *c, const kc_type *type, int32_t var)
{
    if (!c->l->failed && (in_memory(type) || c->l->var[var].space != HDI_LIR_PRIVATE))
        return hdi_kc_in_memory(type, address_of(c, var));
    return (kc_value){.type = type, .kind = KC_V_VARIABLE, .depth = 1, .node = -1, .var = var};
}

kc_value hdi_kc_local(kc *c, kc_word *word, const kc_type *type)
{
    int64_t count;
    const hdi_lir_type element = hdi_kc_element(c, type, &count);
    const int32_t var = hdi_kc_variable(c, word == NULL ? "" : word->text, element,
                                        HDI_LIR_PRIVATE);
    if (!c->l->failed) {
        c->l->var[var].count = count > 0 ? count : 1;
        c->l->var[var].in_memory = in_memory(type);
        c->l->var[var].align = hdi_kc_align(type);
    }
    hdi_kc_emit(c, HDI_LIR_DECLARE, var, -1, -1);
    return hdi_kc_of_variable(c, type, var);
}

bool hdi_kc_is_place(kc_value v) { return v.kind == KC_V_VARIABLE || v.kind == KC_V_MEMORY; }

/* ---- reading --------------------------------------------------------------------------------- */

/* Of a LOAD or STORE of v: what is known of it. */
static void describe(kc *c, int32_t node, kc_value v)
{
    if (c->l->failed)
        return;
    if (v.type->is_volatile)
        c->l->node[node].flags |= HDI_LIR_VOLATILE;
    if (v.align > hdi_kc_align(v.type))
        c->l->node[node].kind = (uint8_t)__builtin_ctz((unsigned)v.align);
}

static kc_value load_memory(kc *c, kc_value v)
{
    const int32_t node = hdi_kc_node(c, HDI_LIR_LOAD, hdi_kc_lir(v.type), 0, v.node, -1, -1);
    describe(c, node, v);
    return hdi_kc_rvalue(v.type, node, v.depth + 1);
}

static kc_value cut(kc *c, kc_value v)
{
    return v.depth > MAX_TREE && v.kind == KC_V_NODE ? hdi_kc_spill(c, v) : v;
}

kc_value hdi_kc_load(kc *c, kc_value v)
{
    if (v.kind == KC_V_VARIABLE)
        return hdi_kc_rvalue(v.type, get(c, v.var), 1);
    if (v.kind == KC_V_MEMORY && v.type->kind == KC_ARRAY)
        return cut(c, hdi_kc_rvalue(hdi_kc_type_of(c, KC_POINTER, v.type->of, 0), v.node, v.depth));
    if (v.kind == KC_V_MEMORY && v.type->kind != KC_STRUCT)
        return cut(c, load_memory(c, v));
    return cut(c, v);
}

kc_value hdi_kc_spill(kc *c, kc_value v)
{
    if (v.kind == KC_V_MEMORY && v.type->kind == KC_STRUCT) {
        const kc_value copy = hdi_kc_local(c, NULL, v.type);
        hdi_kc_store(c, hdi_kc_again(c, copy), v);
        return copy;
    }
    v = v.kind == KC_V_NODE ? v : hdi_kc_load(c, v);
    if (v.kind != KC_V_NODE)
        return v;
    const int32_t var = hdi_kc_temporary(c, hdi_kc_lir(v.type));
    hdi_kc_assign(c, var, v.node);
    return hdi_kc_rvalue(v.type, get(c, var), 1);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Whether the address is that of a variable, or a constant number of bytes behind it. */
static bool is_simple(const kc *c, int32_t node)
{
    if (c->l->failed)
        return false;
    const hdi_lir_node *n = &c->l->node[node];
    int64_t bits;
    return n->op == HDI_LIR_ADDRESS ||
           (n->op == HDI_LIR_OFFSET && hdi_kc_constant(c, n->arg[1], &bits) &&
            is_simple(c, n->arg[0]));
}

static int32_t copied(kc *c, int32_t node)
{
    if (c->l->failed)
        return node;
    const hdi_lir_node n = c->l->node[node];
    const int32_t x = n.arg[0] < 0 ? -1 : copied(c, n.arg[0]);
    const int32_t y = n.arg[1] < 0 ? -1 : copied(c, n.arg[1]);
    return hdi_kc_node(c, (hdi_lir_op)n.op, (hdi_lir_type)n.type, n.k, x, y, -1);
}

/* A pointer's variable, that of its GET, is kept in `var`, to be read again. */
kc_value hdi_kc_stable(kc *c, kc_value v)
{
    if (v.kind != KC_V_MEMORY || v.var >= 0 || is_simple(c, v.node))
        return v;
    v.var = hdi_kc_temporary(c, HDI_LIR_POINTER);
    hdi_kc_assign(c, v.var, v.node);
    v.node = get(c, v.var);
    v.depth = 1;
    return v;
}

kc_value hdi_kc_again(kc *c, kc_value v)
{
    if (v.kind == KC_V_MEMORY)
        v.node = v.var >= 0 ? get(c, v.var) : copied(c, v.node);
    return v;
}

int32_t hdi_kc_address(kc *c, kc_value place)
{
    if (place.kind == KC_V_MEMORY)
        return place.node;
    if (place.kind == KC_V_VARIABLE && !c->l->failed) {
        c->l->var[place.var].in_memory = true;              /* kc_finish.c sees to its uses */
        return address_of(c, place.var);
    }
    hdi_kc_bad(c, "this has no address: it is no variable or element");
    return hdi_kc_node(c, HDI_LIR_CONST, HDI_LIR_POINTER, 0, -1, -1, -1);
}

static int32_t offset(kc *c, int32_t pointer, int32_t index, int64_t bytes)
{
    return hdi_kc_node(c, HDI_LIR_OFFSET, HDI_LIR_POINTER, bytes, pointer, index, -1);
}

kc_value hdi_kc_at_offset(kc *c, kc_value place, int64_t at, const kc_type *type)
{
    place.type = type;
    place.var = -1;
    if (at == 0)
        return place;
    if ((at & -at) < place.align)
        place.align = (int16_t)(at & -at);
    const int32_t by = hdi_kc_node(c, HDI_LIR_CONST, HDI_LIR_I64, at, -1, -1, -1);
    place.node = offset(c, place.node, by, 1);
    place.depth = (int16_t)(place.depth + 1);
    return place;
}

static bool is_complete_pointer(kc *c, kc_value p)
{
    if (p.type->kind == KC_POINTER)
        return true;
    hdi_kc_bad(c, "a pointer or array is expected here, and not %s", hdi_kc_type_text(c, p.type));
    return false;
}

kc_value hdi_kc_step(kc *c, kc_value pointer, kc_value index, bool minus)
{
    pointer = hdi_kc_load(c, pointer);
    if (!is_complete_pointer(c, pointer))
        return pointer;
    if (!hdi_kc_is_integer(index.type)) {
        hdi_kc_bad(c, "an index must be a whole number, and not %s",
                   hdi_kc_type_text(c, index.type));
        return pointer;
    }
    kc_value by = hdi_kc_convert(c, index, KC_PLAIN_TYPE(LONG));
    int64_t bits;
    if (minus && hdi_kc_constant(c, by.node, &bits))
        by = hdi_kc_number(c, KC_PLAIN_TYPE(LONG), (int64_t)(0u - (uint64_t)bits));
    else if (minus)
        by.node = hdi_kc_node(c, HDI_LIR_NEG, HDI_LIR_I64, 0, by.node, -1, -1);
    const int depth = pointer.depth > by.depth ? pointer.depth : by.depth;
    const int64_t bytes = pointer.type->of->kind == KC_VOID ? 1 : hdi_kc_bytes(c, pointer.type->of);
    return cut(c, hdi_kc_rvalue(pointer.type, offset(c, pointer.node, by.node, bytes), depth + 1));
}

kc_value hdi_kc_deref(kc *c, kc_value pointer)
{
    pointer = hdi_kc_load(c, pointer);
    if (!is_complete_pointer(c, pointer))
        return pointer;
    if (pointer.type->of->kind == KC_VOID)
        hdi_kc_bad(c, "a pointer to void leads to no value: cast it first");
    kc_value v = hdi_kc_in_memory(pointer.type->of, pointer.node);
    v.depth = pointer.depth;
    if (v.type->kind == KC_STRUCT)
        v.align = (int16_t)hdi_kc_align(v.type);
    return v;
}

kc_value hdi_kc_element_of(kc *c, kc_value array, kc_value index)
{
    return hdi_kc_deref(c, hdi_kc_step(c, array, hdi_kc_load(c, index), false));
}

/* ---- conversions ----------------------------------------------------------------------------- */

static kc_value converted_number(kc *c, kc_value v, const kc_type *to)
{
    const hdi_lir_type from = hdi_kc_lir(v.type), type = hdi_kc_lir(to);
    int64_t bits;
    if (from == type)
        return hdi_kc_rvalue(to, v.node, v.depth);
    if (hdi_kc_is_real(v.type) && type != HDI_LIR_BOOL && hdi_lir_types[type].bytes < 4) {
        /* By way of int, as CUDA and C compilers do: what does not fit is cut, not saturated. */
        const kc_value whole = converted_number(c, v, KC_PLAIN_TYPE(INT));
        return converted_number(c, whole, to);
    }
    if (hdi_kc_constant(c, v.node, &bits) && v.type->kind != KC_POINTER)
        return hdi_kc_number(c, to, hdi_lir_fold_convert(from, type, bits));
    if (type == HDI_LIR_BOOL) {
        const int32_t zero = hdi_kc_node(c, HDI_LIR_CONST, from, 0, -1, -1, -1);
        return hdi_kc_rvalue(to, hdi_kc_node(c, HDI_LIR_NE, type, 0, v.node, zero, -1),
                             v.depth + 1);
    }
    return cut(c, hdi_kc_rvalue(to, hdi_kc_node(c, HDI_LIR_CONVERT, type, 0, v.node, -1, -1),
                                v.depth + 1));
}

static bool is_null(const kc *c, kc_value v)
{
    int64_t bits;
    return v.kind == KC_V_NODE && hdi_kc_is_integer(v.type) &&
           hdi_kc_constant(c, v.node, &bits) && bits == 0;
}

static bool points_alike(const kc_type *from, const kc_type *to)
{
    return to->of->kind == KC_VOID || from->of->kind == KC_VOID || hdi_kc_same(from->of, to->of);
}

static void refuse(kc *c, kc_value v, const kc_type *to)
{
    hdi_kc_bad(c, "%s cannot become %s%s", hdi_kc_type_text(c, v.type), hdi_kc_type_text(c, to),
               v.type->kind == KC_POINTER && to->kind == KC_POINTER ? " without a cast" : "");
}

static bool by_constructor(kc *c, kc_value v, const kc_type *to, kc_value *result)
{
    if (to->kind != KC_STRUCT && v.type->kind != KC_STRUCT)
        return false;
    if (to->kind == KC_STRUCT) {
        kc_call k = {.n = 1, .self = hdi_kc_nothing(), .token = hdi_kc_token(c)};
        k.arg[0] = v;
        *result = hdi_kc_construct(c, to, &k);
        return true;
    }
    return hdi_kc_operator(c, KC_W_OPERATOR, &v, 1, result);
}

static kc_value convert(kc *c, kc_value v, const kc_type *to, bool explicitly)
{
    v = hdi_kc_load(c, v);
    kc_value made;
    if (c->r.failed || (to->kind == KC_STRUCT && hdi_kc_same(v.type, to)))
        return v;
    if (hdi_kc_is_number(to) && hdi_kc_is_number(v.type))
        return converted_number(c, v, to);
    if (by_constructor(c, v, to, &made))
        return to->kind == KC_STRUCT ? made : convert(c, made, to, explicitly);
    if (to->kind == KC_BOOL && v.type->kind == KC_POINTER)
        return converted_number(c, v, to);
    if (to->kind == KC_POINTER && v.type->kind == KC_POINTER && v.kind == KC_V_NODE &&
        (explicitly || points_alike(v.type, to)))
        return hdi_kc_rvalue(to, v.node, v.depth);
    if (to->kind == KC_POINTER && is_null(c, v))
        return hdi_kc_number(c, to, 0);
    if (explicitly && to->kind == KC_POINTER && hdi_kc_is_integer(v.type))
        return converted_number(c, converted_number(c, v, KC_PLAIN_TYPE(ULONG)), to);
    if (explicitly && hdi_kc_is_integer(to) && v.type->kind == KC_POINTER)
        return converted_number(c, converted_number(c, v, KC_PLAIN_TYPE(ULONG)), to);
    refuse(c, v, to);
    return hdi_kc_is_scalar(to) ? hdi_kc_number(c, to, 0) : v;
}

kc_value hdi_kc_convert(kc *c, kc_value v, const kc_type *to) { return convert(c, v, to, false); }

kc_value hdi_kc_cast(kc *c, kc_value v, const kc_type *to)
{
    return to->kind == KC_VOID ? hdi_kc_nothing() : convert(c, v, to, true);
}

int32_t hdi_kc_truth(kc *c, kc_value v)
{
    return hdi_kc_convert(c, v, KC_PLAIN_TYPE(BOOL)).node;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The parts of a struct one by one, which LLVM then keeps in registers. */
static void copy_parts(kc *c, kc_value to, kc_value from, const kc_type *type, int64_t at);

static void copy_array(kc *c, kc_value to, kc_value from, const kc_type *type, int64_t at)
{
    const int64_t bytes = hdi_kc_bytes(c, type->of);
    for (int64_t i = 0; i < type->count && !c->r.failed; i++)
        copy_parts(c, to, from, type->of, at + i * bytes);
}

static void copy_parts(kc *c, kc_value to, kc_value from, const kc_type *type, int64_t at)
{
    if (type->kind == KC_ARRAY) {
        copy_array(c, to, from, type, at);
        return;
    }
    if (type->kind == KC_STRUCT && !type->st->is_union) {
        for (kc_field *f = type->st->first; f != NULL; f = f->next)
            copy_parts(c, to, from, f->type, at + f->offset);
        return;
    }
    if (type->kind == KC_STRUCT)                            /* a union: bytes */
        type = hdi_kc_type_of(c, KC_ARRAY, KC_PLAIN_TYPE(UCHAR), type->st->bytes);
    if (type->kind == KC_ARRAY) {
        copy_array(c, to, from, type, at);
        return;
    }
    const kc_value x = hdi_kc_load(c, hdi_kc_at_offset(c, hdi_kc_again(c, from), at, type));
    hdi_kc_store(c, hdi_kc_at_offset(c, hdi_kc_again(c, to), at, type), x);
}

enum { MOST_AT_ONCE = 16 };

/* The parts of a small struct, all read before the first is written: so LLVM makes one load and one
 * store of them, which it does not know to be of different memory. False: it is done in turn. */
static bool copy_at_once(kc *c, kc_value to, kc_value from, const kc_type *type)
{
    kc_value part[MOST_AT_ONCE];
    int n = 0;
    if (type->st->is_union || is_simple(c, to.node) || is_simple(c, from.node))
        return false;
    for (const kc_field *f = type->st->first; f != NULL; f = f->next, n++)
        if (n == MOST_AT_ONCE || !hdi_kc_is_scalar(f->type))
            return false;
    n = 0;
    for (const kc_field *f = type->st->first; f != NULL; f = f->next)
        part[n++] = hdi_kc_spill(c, hdi_kc_load(c, hdi_kc_at_offset(c, hdi_kc_again(c, from),
                                                                    f->offset, f->type)));
    n = 0;
    for (const kc_field *f = type->st->first; f != NULL; f = f->next)
        hdi_kc_store(c, hdi_kc_at_offset(c, hdi_kc_again(c, to), f->offset, f->type), part[n++]);
    return true;
}

/* Whole structs do not overlap in part: `a = f(a, b)` may have a and b the same. */
static void copy_struct(kc *c, kc_value to, kc_value from)
{
    if (to.kind != KC_V_MEMORY || from.kind != KC_V_MEMORY)
        return;
    to = hdi_kc_stable(c, to);
    from = hdi_kc_stable(c, from);
    if (!copy_at_once(c, to, from, to.type))
        copy_parts(c, to, from, to.type, 0);
}

void hdi_kc_store(kc *c, kc_value place, kc_value v)
{
    if (place.type->kind == KC_STRUCT && v.type->kind == KC_STRUCT)
        copy_struct(c, place, v);
    else if (place.kind == KC_V_VARIABLE)
        hdi_kc_assign(c, place.var, v.node);
    else if (place.kind == KC_V_MEMORY) {
        const int32_t s = hdi_kc_node(c, HDI_LIR_STORE, HDI_LIR_VOID, 0, place.node, v.node, -1);
        describe(c, s, place);
        hdi_lir_list_add(c->l, c->list, s);
    } else
        hdi_kc_bad(c, "this cannot be assigned to: it is no variable or element");
}
