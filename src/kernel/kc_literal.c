/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_literal.c - numbers and texts. */
#include "kernel/kc_expr.h"

#include <stdlib.h>

static bool has(const kc_token *t, const char *letters)
{
    for (int32_t i = 0; i < t->length; i++)
        if (strchr(letters, t->text[i]) != NULL)
            return true;
    return false;
}

static bool is_hex(const kc_token *t)
{
    return t->length > 2 && t->text[0] == '0' && (t->text[1] == 'x' || t->text[1] == 'X');
}

static bool is_real(const kc_token *t)
{
    return is_hex(t) ? has(t, "pP") : has(t, ".eE") || (has(t, "fF") && !has(t, "xXbB"));
}

static kc_value bad_number(kc *c, const kc_token *t)
{
    hdi_kc_fail(&c->r, HD_VALUE, t, "%.*s is no number", t->length < 60 ? (int)t->length : 60,
                t->text);
    return hdi_kc_int(c, 0);
}

/* Single numbers are read as such: by way of double they would be rounded twice. */
static kc_value real(kc *c, const kc_token *t)
{
    char text[128], *end;
    int n = 0;
    for (int32_t i = 0; i < t->length && n < 127; i++)
        if (t->text[i] != '\'')
            text[n++] = t->text[i];
    text[n] = '\0';
    const double x = strtod(text, &end);
    const bool single = *end == 'f' || *end == 'F';
    if (t->length > 126 || (*end != '\0' && !(strchr("fFlL", *end) != NULL && end[1] == '\0')))
        return bad_number(c, t);
    const kc_type *type = single ? KC_PLAIN_TYPE(FLOAT) : KC_PLAIN_TYPE(DOUBLE);
    const double value = single ? (double)strtof(text, NULL) : x;
    return hdi_kc_number(c, type, hdi_lir_bits_of(hdi_kc_lir(type), value));
}

static kc_kind kind_of(const kc_token *t, uint64_t value)
{
    int u = 0, l = 0;
    for (int32_t i = t->length; i-- > 0 && strchr("uUlLzZ", t->text[i]) != NULL;)
        *(t->text[i] == 'u' || t->text[i] == 'U' ? &u : &l) += 1;
    const bool decimal = t->text[0] != '0';
    if (l == 0 && value <= INT32_MAX && u == 0)
        return KC_INT;
    if (l == 0 && value <= UINT32_MAX && (u != 0 || !decimal))
        return KC_UINT;
    if (u == 0 && value <= INT64_MAX)
        return l == 2 ? KC_LLONG : KC_LONG;
    return l == 2 ? KC_ULLONG : KC_ULONG;
}

kc_value hdi_kc_literal(kc *c)
{
    const kc_token *t = hdi_kc_next(c);
    uint64_t value;
    if (t->what == KC_NUMBER && is_real(t))
        return real(c, t);
    if (!hdi_kc_integer(t, &value))
        return bad_number(c, t);
    if (t->what == KC_LETTER)
        return hdi_kc_number(c, KC_PLAIN_TYPE(CHAR), (int64_t)value);
    const kc_type *type = &hdi_kc_plain[kind_of(t, value)];
    return hdi_kc_number(c, type, (int64_t)value);
}

char *hdi_kc_joined(kc *c, const kc_token *t, int32_t *length)
{
    int64_t bytes = 1;
    int n = 0;
    for (; t[n].what == KC_TEXT; n++)
        bytes += t[n].length;
    char *text = hdi_kc_new(&c->r, (size_t)bytes);
    *length = 0;
    for (int i = 0; i < n && text != NULL; i++)
        *length += hdi_kc_letters(&t[i], text + *length);
    hdi_kc_goto(c, (int32_t)(t - c->r.tokens.t) + n);
    return text;
}

kc_value hdi_kc_text(kc *c, const kc_token *t)
{
    int32_t length;
    const char *text = hdi_kc_joined(c, t, &length);
    const kc_type *one = hdi_kc_qualified(c, KC_PLAIN_TYPE(CHAR), true, false);
    const kc_type *type = hdi_kc_type_of(c, KC_ARRAY, one, length + 1);
    const int32_t var = hdi_kc_variable(c, "", HDI_LIR_I8, HDI_LIR_CONSTANT);
    const int64_t at = hdi_lir_data(c->l, length + 1);
    if (text != NULL && !c->l->failed) {
        memcpy(c->l->data + at, text, (size_t)length);
        c->l->var[var].at = at;
        c->l->var[var].count = length + 1;
        c->l->var[var].in_memory = true;
    }
    return hdi_kc_of_variable(c, type, var);
}
