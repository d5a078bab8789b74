/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_call.c - which function a call means. Each operand has a cost for each candidate, as C++ ranks
 * conversions; the least sum wins, and of equals the one that was defined last. */
#include "kernel/kc_expr.h"

void hdi_kc_call_arguments(kc *c, kc_call *k)
{
    const bool closed = c->closed_list;
    c->closed_list = false;
    while (!hdi_kc_at(c, ')') && !hdi_kc_ended(c)) {
        if (k->n == KC_MAX_CALL_ARGUMENTS) {
            hdi_kc_bad(c, "a call has at most %d arguments", (int)KC_MAX_CALL_ARGUMENTS);
            break;
        }
        if (hdi_kc_at(c, '{')) {
            hdi_kc_beyond(c, "lists as arguments are not supported: write the type before the {");
            break;
        }
        k->arg[k->n++] = hdi_kc_assignment(c);
        if (!hdi_kc_take(c, ','))
            break;
    }
    c->closed_list = closed;
    hdi_kc_need(c, ')', "behind the arguments of a call");
}

/* ---- costs ----------------------------------------------------------------------------------- */

enum { NONE = 1000000 };

static bool constructible(const kc_type *to)
{
    if (to->kind != KC_STRUCT)
        return false;
    const kc_symbol *s = hdi_kc_find_in(to->st->scope, to->st->word);
    return s != NULL && s->kind == KC_S_FUNCTION;
}

static bool is_small(const kc_type *t) { return t->kind < KC_INT; }

static int cost_of_numbers(const kc_type *to, const kc_type *from)
{
    if (to->kind == from->kind)
        return 0;
    if ((to->kind == KC_INT && is_small(from)) || (to->kind == KC_DOUBLE && from->kind == KC_FLOAT))
        return 2;
    return hdi_kc_is_real(to) == hdi_kc_is_real(from) ? 4 : 5;
}

static int cost_of_pointers(const kc_type *to, const kc_type *from)
{
    if (to->of->kind == from->of->kind && hdi_kc_same(to->of, from->of))
        return to->of->is_const == from->of->is_const ? 0 : to->of->is_const ? 2 : NONE;
    return to->of->kind == KC_VOID ? 8 : NONE;
}

static bool is_zero(const kc *c, kc_value v)
{
    int64_t bits;
    return v.kind == KC_V_NODE && hdi_kc_constant(c, v.node, &bits) && bits == 0;
}

static int cost_by_value(kc *c, const kc_type *to, kc_value v)
{
    const kc_type *from = v.type;
    if (hdi_kc_is_number(to) && hdi_kc_is_number(from))
        return cost_of_numbers(to, from);
    if (to->kind == KC_POINTER && is_zero(c, v) && (hdi_kc_is_integer(from) ||
                                                    from->kind == KC_POINTER))
        return 5;
    if (to->kind == KC_POINTER && (from->kind == KC_POINTER || from->kind == KC_ARRAY))
        return cost_of_pointers(to, from);
    if (to->kind == KC_BOOL && from->kind == KC_POINTER)
        return 6;
    if (to->kind == KC_STRUCT)
        return hdi_kc_same(to, from) ? 0 : constructible(to) ? 10 : NONE;
    if (from->kind == KC_STRUCT && hdi_kc_is_number(to))
        return hdi_kc_converts(c, from) ? 8 + (to->kind != KC_FLOAT) : NONE;
    return to->kind == KC_AUTO ? 1 : NONE;
}

static int cost(kc *c, const kc_type *to, kc_value v)
{
    if (to->kind != KC_REFERENCE)
        return cost_by_value(c, to, v);
    const bool same = hdi_kc_same(to->of, v.type);
    if (same && hdi_kc_is_place(v))
        return to->of->is_const == v.type->is_const ? 0 : to->of->is_const ? 1 : NONE;
    return to->of->is_const ? cost_by_value(c, to->of, v) : NONE;
}

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct match { kc_function *f; kc_argument a[KC_MAX_ARGUMENTS]; int na, cost; } match;

static const kc_type *operand_type(kc *c, const kc_type *pattern, const kc_type *given)
{
    return pattern->kind == KC_REFERENCE ? given : hdi_kc_unqualified(c, given);
}

/* The cost of all operands; deduces what the template's arguments are. */
static int costs(kc *c, const kc_parameter *p, int np, const kc_call *k, kc_argument *a)
{
    int sum = 0;
    if (k->n > np || (k->n < np && p[k->n].standard < 0))
        return NONE;
    for (int i = 0; i < k->n && sum < NONE; i++) {
        const kc_type *t = p[i].type;
        if (!hdi_kc_depends(t))
            sum += cost(c, t, k->arg[i]);
        else if (!hdi_kc_deduce(c, t, operand_type(c, t, k->arg[i].type), a))
            sum = NONE;
        else if (t->kind == KC_REFERENCE && !t->of->is_const &&
                 (!hdi_kc_is_place(k->arg[i]) || k->arg[i].type->is_const))
            sum += hdi_kc_is_place(k->arg[i]) ? 1 : NONE;
        else
            sum += 1;                                       /* no template is better */
    }
    return sum;
}

/* A function that does not change its object is second best for one that may be changed. */
static int cost_of_self(const kc_function *f, kc_value self)
{
    if (f->owner == NULL || f->is_static || self.kind != KC_V_MEMORY || f->is_constructor)
        return 0;
    return self.type->is_const ? (f->is_const ? 0 : NONE) : f->is_const;
}

static bool given_fit(kc *c, const kc_function *f, const kc_call *k)
{
    kc_argument a[KC_MAX_ARGUMENTS];
    if (!k->has_given)
        return true;
    if (f->special < 0)
        return f->template_list >= 0;
    const int32_t at = c->r.at;
    hdi_kc_goto(c, f->special);
    const int n = hdi_kc_arguments(c, a);
    hdi_kc_goto(c, at);
    for (int i = 0; i < n; i++)
        if (i >= k->ngiven || a[i].is_value != k->given[i].is_value ||
            (a[i].is_value ? a[i].value != k->given[i].value
                           : !hdi_kc_same(a[i].type, k->given[i].type)))
            return false;
    return n == k->ngiven;
}

static kc_parameter *plain_parameters(kc *c, kc_function *f, int *n)
{
    if (f->parameter == NULL) {
        kc_scope *old = c->scope;
        c->scope = f->scope;
        f->parameter = hdi_kc_parameters(c, f, &f->nparameters);
        c->scope = old;
    }
    *n = f->nparameters;
    return f->parameter;
}

static void try_template(kc *c, kc_function *f, const kc_call *k, match *m)
{
    kc_argument a[KC_MAX_ARGUMENTS] = {{NULL, false, false, 0}};
    kc_scope *old = c->scope, *scope = hdi_kc_scope_new(c, f->scope);
    int np, na = k->has_given ? k->ngiven : 0;
    memcpy(a, k->given, (size_t)na * sizeof *a);
    c->scope = scope;
    hdi_kc_bind(c, f->template_list, a, &na, true);
    kc_parameter *p = hdi_kc_parameters(c, f, &np);
    for (int i = 0; i < na; i++)                            /* deduce() sees what was given only */
        a[i].given = a[i].given && i < (k->has_given ? k->ngiven : 0);
    int sum = p == NULL ? NONE : costs(c, p, np, k, a) + 1;
    hdi_kc_scope_close(c, scope);
    if (sum < NONE) {
        c->scope = scope;
        sum = hdi_kc_bind(c, f->template_list, a, &na, false) ? sum : NONE;
        hdi_kc_scope_close(c, scope);
    }
    c->scope = old;
    m->f = f;
    m->cost = sum;
    m->na = na;
    memcpy(m->a, a, sizeof a);
}

static void try_function(kc *c, kc_function *f, const kc_call *k, match *m)
{
    int np;
    m->f = f;
    m->na = 0;
    m->cost = NONE;
    if (!given_fit(c, f, k) || cost_of_self(f, k->self) == NONE)
        return;
    if (f->template_list >= 0) {
        try_template(c, f, k, m);
        return;
    }
    const kc_parameter *p = plain_parameters(c, f, &np);
    m->cost = p == NULL ? NONE : costs(c, p, np, k, NULL);
}

static void refuse(kc *c, const kc_symbol *s, const kc_call *k)
{
    char text[160];
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < k->n && n < 120; i++) {
        const char *one = hdi_kc_type_text(c, k->arg[i].type);
        const size_t length = strlen(one) < 40 ? strlen(one) : 40;
        if (i > 0) {
            memcpy(text + n, ", ", 2);
            n += 2;
        }
        memcpy(text + n, one, length);
        n += length;
        text[n] = '\0';
    }
    hdi_kc_fail(&c->r, HD_VALUE, k->token, "no function %.60s takes (%s)", s->word->text, text);
}

/* Functions of a scope further out count only if those here do not fit. */
static bool best_of(kc *c, const kc_symbol *s, const kc_call *k, match *best)
{
    best->cost = NONE;
    for (const kc_symbol *x = s; x != NULL && !c->r.failed; x = x->below) {
        match *m = x->scope != s->scope || x->kind != KC_S_FUNCTION
                       ? NULL
                       : hdi_kc_new(&c->r, sizeof *m);
        if (m == NULL)
            continue;
        try_function(c, x->function, k, m);
        m->cost += cost_of_self(x->function, k->self);
        if (m->cost < best->cost)
            *best = *m;
    }
    return best->cost < NONE;
}

bool hdi_kc_call(kc *c, kc_symbol *s, kc_call *k, bool must, kc_value *result)
{
    match *best = hdi_kc_new(&c->r, sizeof *best);
    *result = hdi_kc_int(c, 0);
    if (best == NULL)
        return false;
    for (kc_symbol *x = s; x != NULL && !c->r.failed;) {
        if (best_of(c, x, k, best)) {
            *result = hdi_kc_inline(c, best->f, k, best->a, best->na);
            return true;
        }
        kc_scope *outer = x->scope->parent;
        x = s->scope->st != NULL ? NULL : hdi_kc_find(c, outer, s->word);
        if (x != NULL && x->kind != KC_S_FUNCTION)
            x = NULL;
    }
    if (must)
        refuse(c, s, k);
    return false;
}

/* ---- construction ---------------------------------------------------------------------------- */

/* T() sets all to 0, T(x, y) runs a constructor; without one, T(x) copies. */
kc_value hdi_kc_construct(kc *c, const kc_type *type, kc_call *k)
{
    kc_value made, r;
    if (type->kind != KC_STRUCT || c->r.failed)
        return hdi_kc_int(c, 0);
    if (k->n == 1 && hdi_kc_same(k->arg[0].type, type))
        return k->arg[0];
    made = hdi_kc_local(c, NULL, hdi_kc_unqualified(c, type));
    kc_symbol *s = hdi_kc_find_in(type->st->scope, type->st->word);
    if (s != NULL && s->kind == KC_S_FUNCTION) {
        k->self = hdi_kc_again(c, made);
        hdi_kc_call(c, s, k, k->n > 0, &r);
    } else if (k->n == 0)
        hdi_kc_zero(c, &(kc_target){.place = made}, type);
    else if (!(k->n == 1 && k->arg[0].type->kind == KC_STRUCT &&
               hdi_kc_operator(c, KC_X_CONVERSION, k->arg, 1, &r) && hdi_kc_same(r.type, type)))
        hdi_kc_bad(c, "%s has no constructor for this", hdi_kc_type_text(c, type));
    else
        hdi_kc_store(c, hdi_kc_again(c, made), r);
    return hdi_kc_again(c, made);
}

/* ---- operators ------------------------------------------------------------------------------- */

static const struct { uint16_t what; char text[4]; } names[] = {
    {'+', "+"}, {'-', "-"}, {'*', "*"}, {'/', "/"}, {'%', "%"}, {'&', "&"}, {'|', "|"}, {'^', "^"},
    {'<', "<"}, {'>', ">"}, {'!', "!"}, {'~', "~"}, {'=', "="}, {KC_EQ, "=="}, {KC_NE, "!="},
    {KC_LE, "<="}, {KC_GE, ">="}, {KC_SHL, "<<"}, {KC_X_SHR, ">>"}, {KC_AND, "&&"}, {KC_OR, "||"},
    {KC_INC, "++"}, {KC_DEC, "--"}, {KC_ADD_SET, "+="}, {KC_SUB_SET, "-="}, {KC_MUL_SET, "*="},
    {KC_DIV_SET, "/="}, {KC_REM_SET, "%="}, {KC_AND_SET, "&="}, {KC_OR_SET, "|="},
    {KC_XOR_SET, "^="}, {KC_SHL_SET, "<<="}, {KC_X_SHR_SET, ">>="}, {KC_X_CALL, "()"},
    {KC_X_INDEX, "[]"}, {KC_ARROW, "->"}, {KC_X_CONVERSION, "to"},
};

kc_word *hdi_kc_operator_name(kc *c, int what)
{
    char text[16] = "operator ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].what == what) {
            memcpy(text + 9, names[i].text, strlen(names[i].text));
            return hdi_kc_word(&c->r, text, (int32_t)strlen(text));
        }
    return NULL;
}

int hdi_kc_operator_read(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    int n = 1, what = t->what;
    if (what == '(' || what == '[') {
        n = 2;
        what = what == '(' ? KC_X_CALL : KC_X_INDEX;
    } else if (what == '>' && (t[1].what == '>' || t[1].what == KC_GE) &&
               (t[1].flags & KC_SPACE) == 0) {
        n = 2;
        what = t[1].what == '>' ? KC_X_SHR : KC_X_SHR_SET;
    } else if (what == KC_NAME || what >= KC_W_FIRST)
        return KC_X_CONVERSION;
    hdi_kc_goto(c, c->r.at + n);
    return what;
}

bool hdi_kc_converts(kc *c, const kc_type *t)
{
    return t->kind == KC_STRUCT &&
           hdi_kc_find_in(t->st->scope, hdi_kc_operator_name(c, KC_X_CONVERSION)) != NULL;
}

static bool of_member(kc *c, kc_word *word, kc_value *arg, int n, kc_value *result)
{
    if (arg[0].type->kind != KC_STRUCT)
        return false;
    kc_symbol *s = hdi_kc_find_in(arg[0].type->st->scope, word);
    if (s == NULL || s->kind != KC_S_FUNCTION)
        return false;
    kc_call k = {.self = arg[0], .n = n - 1, .token = hdi_kc_token(c)};
    if (n == 2)
        k.arg[0] = arg[1];
    return hdi_kc_call(c, s, &k, false, result);
}

static bool of_free(kc *c, kc_scope *scope, kc_word *word, kc_value *arg, int n, kc_value *result)
{
    kc_symbol *s = hdi_kc_find(c, scope, word);
    if (s == NULL || s->kind != KC_S_FUNCTION)
        return false;
    kc_call k = {.self = hdi_kc_nothing(), .n = n, .token = hdi_kc_token(c)};
    for (int i = 0; i < n; i++)
        k.arg[i] = arg[i];
    return hdi_kc_call(c, s, &k, false, result);
}

bool hdi_kc_operator(kc *c, int what, kc_value *arg, int n, kc_value *result)
{
    kc_word *word = hdi_kc_operator_name(c, what == KC_W_OPERATOR ? KC_X_CONVERSION : what);
    if (word == NULL || word->symbols == NULL || c->r.failed)
        return false;
    if (of_member(c, word, arg, n, result) || of_free(c, c->scope, word, arg, n, result))
        return true;
    for (int i = 0; i < n; i++)
        if (arg[i].type->kind == KC_STRUCT &&
            of_free(c, arg[i].type->st->scope->parent, word, arg, n, result))
            return true;
    return false;
}
