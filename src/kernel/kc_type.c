/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_type.c - C's types and their conversions. */
#include "kernel/kc.h"

#include <stdio.h>

static const struct { const char *text; uint8_t lir, bytes, rank; } rows[] = {
    [KC_VOID] = {"void", HDI_LIR_VOID, 1, 0},
    [KC_BOOL] = {"bool", HDI_LIR_BOOL, 1, 0},
    [KC_CHAR] = {"char", HDI_LIR_I8, 1, 1},
    [KC_SCHAR] = {"signed char", HDI_LIR_I8, 1, 1},
    [KC_UCHAR] = {"unsigned char", HDI_LIR_U8, 1, 1},
    [KC_SHORT] = {"short", HDI_LIR_I16, 2, 2},
    [KC_USHORT] = {"unsigned short", HDI_LIR_U16, 2, 2},
    [KC_INT] = {"int", HDI_LIR_I32, 4, 3},
    [KC_UINT] = {"unsigned int", HDI_LIR_U32, 4, 3},
    [KC_LONG] = {"long", HDI_LIR_I64, 8, 4},
    [KC_ULONG] = {"unsigned long", HDI_LIR_U64, 8, 4},
    [KC_LLONG] = {"long long", HDI_LIR_I64, 8, 5},
    [KC_ULLONG] = {"unsigned long long", HDI_LIR_U64, 8, 5},
    [KC_FLOAT] = {"float", HDI_LIR_F32, 4, 6},
    [KC_DOUBLE] = {"double", HDI_LIR_F64, 8, 7},
};

const kc_type hdi_kc_plain[KC_DOUBLE + 1] = {
    [KC_VOID] = {.kind = KC_VOID},     [KC_BOOL] = {.kind = KC_BOOL},
    [KC_CHAR] = {.kind = KC_CHAR},     [KC_SCHAR] = {.kind = KC_SCHAR},
    [KC_UCHAR] = {.kind = KC_UCHAR},   [KC_SHORT] = {.kind = KC_SHORT},
    [KC_USHORT] = {.kind = KC_USHORT}, [KC_INT] = {.kind = KC_INT},
    [KC_UINT] = {.kind = KC_UINT},     [KC_LONG] = {.kind = KC_LONG},
    [KC_ULONG] = {.kind = KC_ULONG},   [KC_LLONG] = {.kind = KC_LLONG},
    [KC_ULLONG] = {.kind = KC_ULLONG}, [KC_FLOAT] = {.kind = KC_FLOAT},
    [KC_DOUBLE] = {.kind = KC_DOUBLE},
};

const kc_type *hdi_kc_type_of(kc *c, kc_kind kind, const kc_type *of, int64_t count)
{
    kc_type *t = hdi_kc_new(&c->r, sizeof *t);
    if (t == NULL)
        return KC_PLAIN_TYPE(INT);
    *t = (kc_type){.kind = (uint8_t)kind, .of = of, .count = count};
    return t;
}

const kc_type *hdi_kc_qualified(kc *c, const kc_type *t, bool is_const, bool is_volatile)
{
    if ((t->is_const || !is_const) && (t->is_volatile || !is_volatile))
        return t;
    if (t->kind == KC_ARRAY)
        return hdi_kc_type_of(c, KC_ARRAY, hdi_kc_qualified(c, t->of, is_const, is_volatile),
                              t->count);
    kc_type *made = hdi_kc_new(&c->r, sizeof *made);
    if (made == NULL)
        return t;
    *made = *t;
    made->is_const = t->is_const || is_const;
    made->is_volatile = t->is_volatile || is_volatile;
    return made;
}

const kc_type *hdi_kc_bare(const kc_type *t)
{
    return t->kind <= KC_DOUBLE ? &hdi_kc_plain[t->kind] : t;
}

const kc_type *hdi_kc_unqualified(kc *c, const kc_type *t)
{
    if (t->kind <= KC_DOUBLE || (!t->is_const && !t->is_volatile))
        return hdi_kc_bare(t);
    kc_type *made = hdi_kc_new(&c->r, sizeof *made);
    if (made == NULL)
        return t;
    *made = *t;
    made->is_const = made->is_volatile = false;
    return made;
}

const kc_type *hdi_kc_unreferenced(const kc_type *t)
{
    return t->kind == KC_REFERENCE ? t->of : t;
}

bool hdi_kc_same(const kc_type *a, const kc_type *b)
{
    for (;; a = a->of, b = b->of) {
        if (a->kind != b->kind)
            return false;
        if (a->kind == KC_STRUCT)
            return a->st == b->st;
        if (a->kind == KC_DEPENDENT || (a->kind == KC_ARRAY && a->count != b->count))
            return a->count == b->count;
        if (a->of == NULL)
            return true;
        if (a->kind != KC_ARRAY && a->of->is_const != b->of->is_const)
            return false;
    }
}

int64_t hdi_kc_bytes(kc *c, const kc_type *t)
{
    int64_t n = 1;
    for (; t->kind == KC_ARRAY; t = t->of)
        if (t->count < 0 || !hdi_mul64(n, t->count, &n) || n > INT32_MAX) {
            hdi_kc_bad(c, t->count < 0 ? "the size of an array is missing"
                                       : "an array is larger than 2 GB");
            return 1;
        }
    int64_t one = t->kind <= KC_DOUBLE ? rows[t->kind].bytes : 8;
    if (t->kind == KC_STRUCT) {
        if (!t->st->complete)
            hdi_kc_bad(c, "struct %s is only declared here", hdi_kc_type_text(c, t));
        one = t->st->bytes;
    }
    if (!hdi_mul64(n, one, &n) || n > INT32_MAX) {
        hdi_kc_bad(c, "an array is larger than 2 GB");
        return 1;
    }
    return n;
}

int hdi_kc_align(const kc_type *t)
{
    while (t->kind == KC_ARRAY)
        t = t->of;
    return t->kind == KC_STRUCT ? t->st->align : t->kind <= KC_DOUBLE ? rows[t->kind].bytes : 8;
}

hdi_lir_type hdi_kc_lir(const kc_type *t)
{
    return t->kind <= KC_DOUBLE ? (hdi_lir_type)rows[t->kind].lir : HDI_LIR_POINTER;
}

hdi_lir_type hdi_kc_element(kc *c, const kc_type *t, int64_t *count)
{
    const int64_t bytes = hdi_kc_bytes(c, t);
    while (t->kind == KC_ARRAY)
        t = t->of;
    const hdi_lir_type type = t->kind == KC_STRUCT ? HDI_LIR_U8 : hdi_kc_lir(t);
    const int64_t one = hdi_lir_types[type].bytes;
    *count = one > 0 ? bytes / one : bytes;
    return type;
}

bool hdi_kc_is_unsigned(const kc_type *t)
{
    const char kind = hdi_lir_types[hdi_kc_lir(t)].kind;
    return kind == 'u' || kind == 'b';
}

const kc_type *hdi_kc_promoted(const kc_type *t)
{
    return t->kind < KC_INT ? KC_PLAIN_TYPE(INT) : hdi_kc_bare(t);
}

/* C's usual arithmetic conversions. */
const kc_type *hdi_kc_common(const kc_type *a, const kc_type *b)
{
    a = hdi_kc_promoted(a);
    b = hdi_kc_promoted(b);
    if (hdi_kc_is_real(a) || hdi_kc_is_real(b) || hdi_kc_is_unsigned(a) == hdi_kc_is_unsigned(b))
        return rows[a->kind].rank >= rows[b->kind].rank ? a : b;
    const kc_type *u = hdi_kc_is_unsigned(a) ? a : b, *s = u == a ? b : a;
    if (rows[u->kind].rank >= rows[s->kind].rank)
        return u;
    if (rows[s->kind].bytes > rows[u->kind].bytes)
        return s;
    return &hdi_kc_plain[s->kind + 1];                 /* long long with unsigned long */
}

/* ---- text, for messages ---------------------------------------------------------------------- */

const char *hdi_kc_type_text(kc *c, const kc_type *t)
{
    char text[120];
    int depth = 0;
    const kc_type *base = t;
    while (base->kind == KC_POINTER || base->kind == KC_ARRAY || base->kind == KC_REFERENCE) {
        base = base->of;
        depth++;
    }
    const kc_word *word = base->kind == KC_STRUCT ? base->st->word : NULL;
    const char *name = base->kind <= KC_DOUBLE ? rows[base->kind].text
                       : word != NULL          ? word->text
                       : base->kind == KC_AUTO ? "auto"
                                               : "struct";
    int n = snprintf(text, sizeof text, "%s%.60s", base->is_const ? "const " : "", name);
    if (depth > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " ");
    for (base = t; depth-- > 0 && n < 100; base = base->of)
        text[n++] = base->kind == KC_POINTER ? '*' : base->kind == KC_ARRAY ? '[' : '&';
    text[n] = '\0';
    const char *copy = hdi_kc_copy(&c->r, text, n);
    return copy == NULL ? "" : copy;
}
