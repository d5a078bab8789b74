/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_builtin.c - functions and variables of CUDA and C that are nodes of the IR. */
#include "kernel/kc_expr.h"

enum how { MATH, LDEXP, BITS, LOAD, EFFECT, PRINT, ASSERT, ATOMIC, WARP, WARP_SYNC };

#define WHICH_MATH(x) HDI_LIR_M_##x
#define WHICH_LDEXP(x) HDI_LIR_M_##x
#define WHICH_BITS(x) 0
#define WHICH_LOAD(x) 0
#define WHICH_EFFECT(x) HDI_LIR_##x
#define WHICH_PRINT(x) 0
#define WHICH_ASSERT(x) 0
#define WHICH_WARP(x) HDI_LIR_W_##x
#define WHICH_WARP_SYNC(x) HDI_LIR_W_##x

typedef struct row { const char *text; uint8_t how, which, operand, result; } row;
static const row rows[] = {
#define KC_BUILTIN(text, how, which, operand, result) \
    {text, how, WHICH_##how(which), KC_##operand, KC_##result},
#define KC_MATH(name, which) \
    {#name, MATH, HDI_LIR_M_##which, KC_VOID, KC_VOID}, \
    {#name "f", MATH, HDI_LIR_M_##which, KC_FLOAT, KC_VOID},
#define KC_ATOMIC(name, which) \
    {#name, ATOMIC, HDI_LIR_A_##which, KC_VOID, KC_VOID}, \
    {#name "_block", ATOMIC, HDI_LIR_A_##which, KC_VOID, KC_VOID}, \
    {#name "_system", ATOMIC, HDI_LIR_A_##which, KC_VOID, KC_VOID},
#include "kernel/kc_builtins.def"
#undef KC_BUILTIN
#undef KC_MATH
#undef KC_ATOMIC
};

void hdi_kc_builtin_words(kc *c)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kc_word *w = hdi_kc_word(&c->r, rows[i].text, (int32_t)strlen(rows[i].text));
        if (w != NULL)
            w->builtin = (int16_t)i;
    }
}

static bool count_is(kc *c, const kc_call *k, const char *name, int least, int most)
{
    if (k->n >= least && k->n <= most)
        return true;
    hdi_kc_fail(&c->r, HD_VALUE, k->token, "%s takes %d argument%s, and not %d", name,
                k->n < least ? least : most, (k->n < least ? least : most) == 1 ? "" : "s", k->n);
    return false;
}

/* ---- mathematics ----------------------------------------------------------------------------- */

/* As C++ overloads: float alone stays float, whole numbers become double. KC_ARRAY: whole numbers
 * stay, as in min() and abs(). */
static const kc_type *type_of_call(kc *c, const kc_call *k, int kind, int n)
{
    if (kind != KC_VOID && kind != KC_ARRAY)
        return &hdi_kc_plain[kind];
    const kc_type *type = NULL;
    for (int i = 0; i < n; i++) {
        const kc_type *t = k->arg[i].type;
        if (!hdi_kc_is_number(t)) {
            hdi_kc_fail(&c->r, HD_VALUE, k->token, "this function takes numbers, and not %s",
                        hdi_kc_type_text(c, t));
            return KC_PLAIN_TYPE(DOUBLE);
        }
        if (kind == KC_VOID && hdi_kc_is_integer(t))
            t = KC_PLAIN_TYPE(DOUBLE);
        type = type == NULL ? hdi_kc_promoted(t) : hdi_kc_common(type, t);
    }
    return type == NULL ? KC_PLAIN_TYPE(DOUBLE) : type;
}

static kc_value math(kc *c, const row *r, kc_call *k)
{
    const int n = hdi_lir_maths[r->which].narg;
    int32_t arg[3] = {-1, -1, -1};
    int depth = 0;
    if (!count_is(c, k, r->text, n, n))
        return hdi_kc_int(c, 0);
    const kc_type *type = type_of_call(c, k, r->operand, r->how == LDEXP ? 1 : n);
    for (int i = 0; i < n; i++) {
        const kc_value v = hdi_kc_convert(c, k->arg[i], type);
        arg[i] = v.node;
        depth = v.depth > depth ? v.depth : depth;
    }
    if (r->which == HDI_LIR_M_FABS && hdi_kc_is_integer(type) && hdi_kc_is_unsigned(type))
        return hdi_kc_rvalue(type, arg[0], depth);
    const int32_t node = hdi_kc_node(c, HDI_LIR_MATH, hdi_kc_lir(type), r->which, arg[0], arg[1],
                                     arg[2]);
    const kc_value v = hdi_kc_load(c, hdi_kc_rvalue(type, node, depth + 1));
    return r->result == KC_VOID ? v : hdi_kc_convert(c, v, &hdi_kc_plain[r->result]);
}

static kc_value bits(kc *c, const row *r, kc_call *k)
{
    if (!count_is(c, k, r->text, 1, 1))
        return hdi_kc_int(c, 0);
    const kc_value v = hdi_kc_convert(c, k->arg[0], &hdi_kc_plain[r->operand]);
    const kc_type *type = &hdi_kc_plain[r->result];
    int64_t known;
    if (hdi_kc_constant(c, v.node, &known)) {
        /* Bits of 32: a float has them in the low half, an int with its sign. */
        if (r->result == KC_FLOAT || r->result == KC_UINT)
            known = (int64_t)(uint32_t)known;
        return hdi_kc_number(c, type, r->result == KC_INT ? (int32_t)(uint32_t)known : known);
    }
    const int32_t node = hdi_kc_node(c, HDI_LIR_BITS, hdi_kc_lir(type), 0, v.node, -1, -1);
    return hdi_kc_rvalue(type, node, v.depth + 1);
}

/* ---- others ---------------------------------------------------------------------------------- */

static kc_value loaded(kc *c, const row *r, kc_call *k)
{
    if (!count_is(c, k, r->text, 1, 1))
        return hdi_kc_int(c, 0);
    kc_value v = hdi_kc_deref(c, k->arg[0]);
    return hdi_kc_load(c, v);
}

static kc_value effect(kc *c, const row *r)
{
    int32_t text = 0;
    if (r->which == HDI_LIR_TRAP)
        text = hdi_lir_name(c->l, "__trap()");
    hdi_kc_emit(c, (hdi_lir_op)r->which, text, -1, -1);
    return hdi_kc_nothing();
}

static kc_value dispatch(kc *c, const row *r, kc_call *k)
{
    switch ((enum how)r->how) {
    case MATH: case LDEXP: return math(c, r, k);
    case BITS: return bits(c, r, k);
    case LOAD: return loaded(c, r, k);
    case EFFECT: return effect(c, r);
    case ATOMIC: return count_is(c, k, r->text, 2 + (r->which == HDI_LIR_A_CAS),
                                 2 + (r->which == HDI_LIR_A_CAS))
                            ? hdi_kc_atomic(c, r->which, k)
                            : hdi_kc_int(c, 0);
    case WARP: return hdi_kc_warp(c, r->which, 0, k);
    default: return hdi_kc_warp(c, r->which, 1, k);
    }
}

__attribute__((noinline)) bool hdi_kc_builtin(kc *c, kc_word *word, kc_value *result)
{
    if (word == NULL || word->builtin < 0)
        return false;
    const row *r = &rows[word->builtin];
    kc_call k = {.self = hdi_kc_nothing(), .token = c->r.at > 0 ? hdi_kc_token(c) - 1 : NULL};
    *result = hdi_kc_nothing();
    hdi_kc_need(c, '(', "of a call");
    if (r->how == PRINT) {
        hdi_kc_print(c);
        *result = hdi_kc_int(c, 0);
    } else if (r->how == ASSERT)
        hdi_kc_assert(c);
    else {
        hdi_kc_call_arguments(c, &k);
        *result = dispatch(c, r, &k);
    }
    return true;
}

/* ---- variables ------------------------------------------------------------------------------- */

static const struct { const char *name; uint8_t first; } indices[] = {
    {"threadIdx", HDI_LIR_THREAD_X}, {"blockIdx", HDI_LIR_BLOCK_X},
    {"blockDim", HDI_LIR_BLOCK_DIM_X}, {"gridDim", HDI_LIR_GRID_DIM_X},
};

static kc_value index_part(kc *c, int first, int part)
{
    const int32_t node = hdi_kc_node(c, HDI_LIR_BUILTIN, HDI_LIR_U32, first + part, -1, -1, -1);
    return hdi_kc_rvalue(KC_PLAIN_TYPE(UINT), node, 1);
}

/* threadIdx without .x is a uint3. */
static kc_value whole_index(kc *c, int first)
{
    kc_symbol *s = hdi_kc_find(c, c->global, hdi_kc_word(&c->r, "uint3", 5));
    if (s == NULL || s->kind != KC_S_TYPE || s->type->kind != KC_STRUCT)
        return hdi_kc_int(c, 0);
    const kc_value v = hdi_kc_local(c, NULL, s->type);
    for (int i = 0; i < 3; i++)
        hdi_kc_store(c, hdi_kc_at_offset(c, hdi_kc_again(c, v), 4 * i, KC_PLAIN_TYPE(UINT)),
                     index_part(c, first, i));
    return hdi_kc_again(c, v);
}

static kc_value index_of(kc *c, int first)
{
    const kc_token *part = hdi_kc_ahead(c, 1);
    if (!hdi_kc_at(c, '.'))
        return whole_index(c, first);
    hdi_kc_next(c);
    hdi_kc_need_name(c);
    if (part->length != 1 || part->text[0] < 'x' || part->text[0] > 'z') {
        hdi_kc_fail(&c->r, HD_VALUE, part, "it has .x, .y and .z");
        return hdi_kc_int(c, 0);
    }
    return index_part(c, first, part->text[0] - 'x');
}

bool hdi_kc_builtin_variable(kc *c, const kc_word *word, kc_value *result)
{
    for (size_t i = 0; word != NULL && i < sizeof indices / sizeof *indices; i++)
        if (strcmp(word->text, indices[i].name) == 0) {
            *result = index_of(c, indices[i].first);
            return true;
        }
    return false;
}
