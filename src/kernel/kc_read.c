/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_read.c - going through the tokens. */
#include "kernel/kc.h"

const kc_token *hdi_kc_token(kc *c) { return &c->r.tokens.t[c->r.at]; }

const kc_token *hdi_kc_ahead(kc *c, int n)
{
    const kc_token *t = hdi_kc_token(c);
    while (n-- > 0 && t->what != KC_END)
        t++;
    return t;
}

const kc_token *hdi_kc_next(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    if (t->what != KC_END)
        c->r.at++;
    if (++c->r.steps > KC_MAX_STEPS)
        hdi_kc_fail(&c->r, HD_VALUE, t, "the kernel is too large: more than %d tokens are read, "
                    "with what is called", (int)KC_MAX_STEPS);
    return t;
}

bool hdi_kc_take(kc *c, int what)
{
    const bool is = hdi_kc_at(c, what);
    if (is)
        hdi_kc_next(c);
    return is;
}

static const char *text_of(int what, char *room)
{
    static const char *const long_ones[] = {"->", "++", "--", "<<", "<=", ">=", "==", "!=", "&&"};
    if (what < 256) {
        room[0] = (char)what;
        room[1] = '\0';
        return room;
    }
    if (what < KC_ARROW + 9)
        return long_ones[what - KC_ARROW];
    return what == KC_SCOPE ? "::" : what == KC_W_WHILE ? "while" : "a word";
}

void hdi_kc_need(kc *c, int what, const char *why)
{
    char room[2];
    if (hdi_kc_take(c, what))
        return;
    const kc_token *t = hdi_kc_token(c);
    if (t->what == KC_END)
        hdi_kc_bad(c, "the source ends where a %s is expected %s", text_of(what, room), why);
    else
        hdi_kc_bad(c, "a %s is expected %s, and not %.*s", text_of(what, room), why,
                   t->length < 60 ? (int)t->length : 60, t->text);
}

kc_word *hdi_kc_need_name(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    if (t->what == KC_NAME)
        return hdi_kc_next(c)->word;
    hdi_kc_bad(c, "a name is expected, and not %.*s", t->length < 60 ? (int)t->length : 60,
               t->what == KC_END ? "the end" : t->text);
    return NULL;
}

/* ---- skipping -------------------------------------------------------------------------------- */

static bool opens(int what) { return what == '(' || what == '[' || what == '{'; }

void hdi_kc_skip(kc *c)
{
    const kc_token *first = hdi_kc_token(c);
    /* Only its own kind is counted, so that a ) that is missing is told where it is. */
    const int open = first->what, close = open == '(' ? ')' : open + 2;
    int depth = 0;
    do {
        const int what = hdi_kc_next(c)->what;
        depth += (what == open) - (what == close);
    } while (depth > 0 && !hdi_kc_ended(c));
    if (depth > 0)
        hdi_kc_fail(&c->r, HD_VALUE, first, "the %.*s here is not closed", (int)first->length,
                    first->text);
}

void hdi_kc_skip_to(kc *c, int what, int other)
{
    while (!hdi_kc_at(c, what) && !hdi_kc_at(c, other) && !hdi_kc_ended(c))
        if (opens(hdi_kc_token(c)->what))
            hdi_kc_skip(c);
        else
            hdi_kc_next(c);
}

bool hdi_kc_skip_angles(kc *c)
{
    const int32_t start = c->r.at;
    int depth = 0;
    do {
        const int what = hdi_kc_token(c)->what;
        if (what == ';' || what == '{' || what == '}' || what == ')' || what == KC_END)
            break;
        if (opens(what)) {
            hdi_kc_skip(c);
            continue;
        }
        depth += (what == '<') - (what == '>');
        hdi_kc_next(c);
    } while (depth > 0);
    if (depth > 0 && !c->r.failed)
        hdi_kc_goto(c, start);
    return depth == 0;
}

void hdi_kc_skip_unroll(kc *c)
{
    while (hdi_kc_take(c, KC_UNROLL))
        while (!hdi_kc_ended(c) && !hdi_kc_take(c, KC_UNROLL_END))
            hdi_kc_next(c);
}

static void skip_head(kc *c)
{
    hdi_kc_next(c);
    hdi_kc_take(c, KC_W_CONSTEXPR);
    if (hdi_kc_at(c, '('))
        hdi_kc_skip(c);
}

/* What stands under a condition that is never true need not mean anything. */
void hdi_kc_skip_statement(kc *c)
{
    if (!hdi_kc_enter(c))
        return;
    hdi_kc_skip_unroll(c);
    const int what = hdi_kc_token(c)->what;
    if (what == '{')
        hdi_kc_skip(c);
    else if (what == KC_W_IF || what == KC_W_WHILE || what == KC_W_FOR || what == KC_W_SWITCH) {
        skip_head(c);
        hdi_kc_skip_statement(c);
        if (what == KC_W_IF && hdi_kc_take(c, KC_W_ELSE))
            hdi_kc_skip_statement(c);
    } else if (what == KC_W_DO) {
        hdi_kc_next(c);
        hdi_kc_skip_statement(c);
        hdi_kc_skip_to(c, ';', '}');
        hdi_kc_take(c, ';');
    } else {
        hdi_kc_skip_to(c, ';', '}');
        hdi_kc_take(c, ';');
    }
    hdi_kc_leave(c);
}

void hdi_kc_goto(kc *c, int32_t at)
{
    if (!c->r.failed)
        c->r.at = at;
}

bool hdi_kc_enter(kc *c)
{
    if (++c->r.depth <= KC_MAX_DEPTH)
        return true;
    c->r.depth--;
    hdi_kc_bad(c, "this is nested deeper than %d, with what is called", (int)KC_MAX_DEPTH);
    return false;
}
