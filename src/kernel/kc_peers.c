/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_peers.c - atomics, values of the warp's other threads, printf and assert. */
#include "kernel/kc_expr.h"

/* ---- atomics --------------------------------------------------------------------------------- */

static bool atomic_fits(const kc_type *t, int which)
{
    const hdi_lir_type type = hdi_kc_lir(t);
    const int bytes = hdi_lir_types[type].bytes;
    if (!hdi_kc_is_number(t) || t->kind == KC_BOOL)
        return false;
    if (hdi_kc_is_real(t))
        return which == HDI_LIR_A_ADD || which == HDI_LIR_A_EXCHANGE;
    if (which == HDI_LIR_A_INC || which == HDI_LIR_A_DEC)
        return t->kind == KC_UINT;
    return bytes >= 4 || (bytes == 2 && which == HDI_LIR_A_CAS);
}

kc_value hdi_kc_atomic(kc *c, int which, kc_call *k)
{
    const kc_value p = hdi_kc_load(c, k->arg[0]);
    if (p.type->kind != KC_POINTER || !atomic_fits(p.type->of, which) || p.type->of->is_const) {
        hdi_kc_fail(&c->r, HD_UNSUPPORTED, k->token, "there is no such atomic function for %s",
                    hdi_kc_type_text(c, p.type));
        return hdi_kc_int(c, 0);
    }
    const kc_type *type = hdi_kc_bare(p.type->of);
    const int32_t x = hdi_kc_convert(c, k->arg[1], type).node;
    const int32_t y = which == HDI_LIR_A_CAS ? hdi_kc_convert(c, k->arg[2], type).node : -1;
    const int32_t old = hdi_kc_temporary(c, hdi_kc_lir(type));
    const int32_t s = hdi_kc_node(c, HDI_LIR_ATOMIC, HDI_LIR_VOID, old, p.node, x, y);
    if (!c->l->failed)
        c->l->node[s].kind = (uint8_t)which;
    hdi_lir_list_add(c->l, c->list, s);
    return hdi_kc_rvalue(type, hdi_lir_get(c->l, old), 1);
}

/* ---- warps ----------------------------------------------------------------------------------- */

static kc_value warp_node(kc *c, int which, const kc_type *type, int32_t x, int32_t y, int32_t z)
{
    const int32_t var = hdi_kc_temporary(c, hdi_kc_lir(type));
    const int32_t s = hdi_kc_node(c, HDI_LIR_WARP, HDI_LIR_VOID, var, x, y, z);
    if (!c->l->failed)
        c->l->node[s].kind = (uint8_t)which;
    c->l->syncs = c->l->syncs || c->idle == 0;
    hdi_lir_list_add(c->l, c->list, s);
    return hdi_kc_rvalue(type, hdi_lir_get(c->l, var), 1);
}

static kc_value shuffle(kc *c, int which, const kc_value *arg, int n)
{
    const kc_type *type = hdi_kc_promoted(arg[0].type);
    const kc_type *u = KC_PLAIN_TYPE(UINT);
    if (!hdi_kc_is_number(type)) {
        hdi_kc_beyond(c, "values of other threads must be numbers, and not %s: shuffle each part",
                      hdi_kc_type_text(c, arg[0].type));
        return hdi_kc_int(c, 0);
    }
    const int32_t x = hdi_kc_convert(c, arg[0], type).node;
    const int32_t lane = hdi_kc_convert(c, arg[1], u).node;
    const kc_value width = n > 2 ? arg[2] : hdi_kc_int(c, HDI_LIR_WARP_SIZE);
    return warp_node(c, which, type, x, lane, hdi_kc_convert(c, width, u).node);
}

static const kc_type *vote_type(int which)
{
    switch (which) {
    case HDI_LIR_W_ANY: case HDI_LIR_W_ALL: return KC_PLAIN_TYPE(BOOL);
    case HDI_LIR_W_BALLOT: case HDI_LIR_W_ACTIVE: case HDI_LIR_W_MATCH: return KC_PLAIN_TYPE(UINT);
    default: return KC_PLAIN_TYPE(INT);
    }
}

static kc_value vote(kc *c, int which, kc_value x)
{
    const kc_type *type = which != HDI_LIR_W_MATCH ? KC_PLAIN_TYPE(BOOL)
                                                   : hdi_kc_promoted(x.type);
    if (which == HDI_LIR_W_MATCH && hdi_kc_is_real(type)) {
        hdi_kc_beyond(c, "__match_any_sync takes whole numbers here: use __float_as_int()");
        return hdi_kc_int(c, 0);
    }
    const int32_t node = hdi_kc_convert(c, x, type).node;
    const kc_value v = warp_node(c, which, vote_type(which), node, -1, -1);
    return v.type->kind == KC_BOOL ? hdi_kc_convert(c, v, KC_PLAIN_TYPE(INT)) : v;
}

/* `first`: the operand behind the mask, which is not needed. */
kc_value hdi_kc_warp(kc *c, int which, int first, kc_call *k)
{
    const int n = k->n - first;
    const bool shuffles = which <= HDI_LIR_W_SHUFFLE_XOR;
    if (which == HDI_LIR_W_ACTIVE && n == 0)
        return warp_node(c, which, KC_PLAIN_TYPE(UINT), -1, -1, -1);
    if (shuffles ? n < 2 || n > 3 : n != 1) {
        hdi_kc_fail(&c->r, HD_VALUE, k->token, "this function is given %d arguments", k->n);
        return hdi_kc_int(c, 0);
    }
    return shuffles ? shuffle(c, which, k->arg + first, n) : vote(c, which, k->arg[first]);
}

/* ---- printf ---------------------------------------------------------------------------------- */

enum { MOST_PRINTED = 32 };     /* as code generators have room for */

/* The letters of a format's conversions, in their order; a * for each width that is a value. -1:
 * there are too many. */
static int conversions(const char *p, char letter[MOST_PRINTED])
{
    int n = 0;
    for (; *p != '\0'; p++) {
        if (*p != '%')
            continue;
        for (p++; *p != '\0' && strchr("0123456789.+- #hlLzjt*", *p) != NULL; p++)
            if (*p == '*' && n < MOST_PRINTED)
                letter[n++] = '*';
        if (*p == '\0')
            break;
        if (*p != '%' && n == MOST_PRINTED)
            return -1;
        if (*p != '%')
            letter[n++] = *p;
    }
    return n;
}

static bool is_text(const kc_type *t)
{
    return t->kind == KC_POINTER && t->of->kind >= KC_CHAR && t->of->kind <= KC_UCHAR;
}

static char *format(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    int32_t length;
    char *text = hdi_kc_joined(c, t, &length);
    if (t->what != KC_TEXT)
        hdi_kc_beyond(c, "the format of printf must be a text that stands there");
    return text;
}

static kc_value printed(kc *c)
{
    const kc_value v = hdi_kc_load(c, hdi_kc_assignment(c));
    if (v.type->kind == KC_FLOAT)
        return hdi_kc_convert(c, v, KC_PLAIN_TYPE(DOUBLE));
    if (hdi_kc_is_number(v.type))
        return hdi_kc_convert(c, v, hdi_kc_promoted(v.type));
    if (v.type->kind != KC_POINTER || v.kind != KC_V_NODE)
        hdi_kc_bad(c, "printf takes numbers and pointers, and not %s",
                   hdi_kc_type_text(c, v.type));
    return v;
}

/* Whether the values are what the conversions take: a text for %s, numbers and addresses as C
 * converts them for the others. */
static void check_printed(kc *c, const kc_token *at, const char *text, int n,
                          const kc_type *const *type)
{
    char letter[MOST_PRINTED];
    const int wanted = conversions(text, letter);
    if (wanted < 0 || n > MOST_PRINTED) {
        hdi_kc_fail(&c->r, HD_UNSUPPORTED, at, "printf of more than %d values", MOST_PRINTED);
        return;
    }
    if (wanted != n)
        hdi_kc_fail(&c->r, HD_VALUE, at, "the format needs %d values, and %d are given", wanted, n);
    for (int i = 0; i < n && !c->r.failed; i++) {
        if (letter[i] == 'n')
            hdi_kc_fail(&c->r, HD_UNSUPPORTED, at, "%%n of printf is not supported");
        if (letter[i] == 's' && !is_text(type[i]))
            hdi_kc_fail(&c->r, HD_VALUE, at, "%%s of printf takes a text, and not %s",
                        hdi_kc_type_text(c, type[i]));
    }
}

void hdi_kc_print(kc *c)
{
    const kc_token *at = hdi_kc_token(c);
    char *text = format(c);
    hdi_lir_list items = HDI_LIR_EMPTY;
    const kc_type *type[MOST_PRINTED];
    int n = 0;
    while (hdi_kc_take(c, ',') && !c->r.failed) {
        const kc_value v = printed(c);
        hdi_lir_list_add(c->l, &items, hdi_kc_node(c, HDI_LIR_ITEM, HDI_LIR_VOID, 0, v.node, -1,
                                                   -1));
        if (n < MOST_PRINTED)
            type[n] = v.type;
        n++;
    }
    hdi_kc_need(c, ')', "behind printf");
    if (text == NULL || c->r.failed)
        return;
    check_printed(c, at, text, n, type);
    hdi_kc_emit(c, HDI_LIR_PRINT, hdi_lir_name(c->l, text), items.first, -1);
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* The condition as it was written, but for its spaces. */
static void condition_text(const kc_token *t, const kc_token *end, char *text, size_t room)
{
    size_t n = 0;
    for (const kc_token *x = t; x < end; x++) {
        const bool space = x > t && (x->flags & KC_SPACE) != 0;
        if (n + (size_t)x->length + 2 > room)
            break;
        if (space)
            text[n++] = ' ';
        memcpy(text + n, x->text, (size_t)x->length);
        n += (size_t)x->length;
    }
    text[n] = '\0';
}

void hdi_kc_assert(kc *c)
{
    char text[160] = "assertion failed: ";
    const size_t n = strlen(text);
    const kc_token *from = hdi_kc_token(c);
    const kc_value v = hdi_kc_expression(c);
    condition_text(from, hdi_kc_token(c), text + n, sizeof text - n);
    hdi_kc_need(c, ')', "behind assert");
    int32_t when = hdi_kc_truth(c, v);
    when = hdi_kc_node(c, HDI_LIR_NOT, HDI_LIR_BOOL, 0, when, -1, -1);
    const int32_t trap = hdi_kc_node(c, HDI_LIR_TRAP, HDI_LIR_VOID, hdi_lir_name(c->l, text), -1,
                                     -1, -1);
    hdi_kc_emit(c, HDI_LIR_IF, 0, when, trap);
}
