/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_top.c - what stands outside of functions. Functions are only found here, not read. */
#include "kernel/kc_expr.h"

/* ---- functions ------------------------------------------------------------------------------- */

/* The name before the ( of a function's parameters; -1: what begins here is no function. */
static int32_t function_name(kc *c)
{
    const int32_t start = c->r.at;
    int32_t name = -1;
    while (name < 0 && !hdi_kc_ended(c)) {
        const kc_token *t = hdi_kc_token(c);
        if (t->what == KC_W_OPERATOR)
            name = c->r.at;
        else if (t->what == KC_NAME && t[1].what == '(')
            name = c->r.at;
        else if (t->what == '(' || (t->what == '[' && t[1].what == '['))
            hdi_kc_skip(c);
        else if (t->what == '<' && c->r.at > start) {
            if (!hdi_kc_skip_angles(c))
                break;
            if (hdi_kc_at(c, '(') && t[-1].what == KC_NAME)   /* a template that is specialised */
                name = (int32_t)(t - 1 - c->r.tokens.t);
        } else if (t->what == ';' || t->what == '{' || t->what == '=' || t->what == '[' ||
                   t->what == ',' || t->what == '}')
            break;
        else
            hdi_kc_next(c);
    }
    hdi_kc_goto(c, start);
    return name;
}

bool hdi_kc_at_function(kc *c) { return function_name(c) >= 0; }

static kc_function *function_new(kc *c, int32_t template_list, kc_struct *owner)
{
    kc_function *f = hdi_kc_new(&c->r, sizeof *f);
    if (f == NULL)
        return NULL;
    *f = (kc_function){.start = c->r.at, .body = -1, .initialisers = -1, .special = -1,
                       .template_list = template_list, .scope = c->scope, .owner = owner};
    f->ours = (hdi_kc_token(c)->flags & KC_OURS) != 0;
    f->name = function_name(c);
    return f;
}

static void function_words(kc *c, kc_function *f)
{
    for (int32_t i = f->start; i < f->name; i++) {
        f->is_kernel = f->is_kernel || c->r.tokens.t[i].what == KC_W_GLOBAL;
        f->is_static = f->is_static || c->r.tokens.t[i].what == KC_W_STATIC;
    }
}

/* The name, up to the ( of the parameters. */
static void function_heading(kc *c, kc_function *f)
{
    hdi_kc_goto(c, f->name);
    const kc_token *t = hdi_kc_next(c);
    f->word = t->word;
    if (t->what == KC_W_OPERATOR) {
        const int what = hdi_kc_operator_read(c);
        f->is_conversion = what == KC_X_CONVERSION;
        f->word = hdi_kc_operator_name(c, what);
        hdi_kc_skip_to(c, '(', ';');
    }
    if (hdi_kc_at(c, '<')) {
        f->special = c->r.at;
        hdi_kc_skip_angles(c);
    }
    f->is_constructor = f->owner != NULL && f->word != NULL && f->word == f->owner->word;
    f->list = c->r.at;
}

/* Behind the parameters: up to the body, a ; or what is not understood. */
static void function_tail(kc *c, kc_function *f)
{
    while (!hdi_kc_at(c, '{') && !hdi_kc_at(c, ';') && !hdi_kc_ended(c)) {
        const kc_token *t = hdi_kc_token(c);
        f->is_const = f->is_const || t->what == KC_W_CONST;
        if (t->what == ':') {
            hdi_kc_next(c);
            f->initialisers = c->r.at;
            do {
                hdi_kc_skip_to(c, '{', '(');
                hdi_kc_skip(c);
            } while (hdi_kc_take(c, ','));
            return;
        }
        if (t->what == '(')
            hdi_kc_skip(c);
        else if (t->what == '}')
            break;
        else
            hdi_kc_next(c);
    }
}

static void function_name_it(kc *c, kc_function *f)
{
    kc_symbol *s = hdi_kc_declare(c, f->word, KC_S_FUNCTION);
    if (s == NULL)
        return;
    s->function = f;
    if (!f->is_kernel)
        return;
    if (c->last_kernel != NULL)
        c->last_kernel->next_kernel = f;
    else
        c->first_kernel = f;
    c->last_kernel = f;
}

/* What a parameter's list looks like that is no declaration: T x(1, 2); skipping a ( that opens
 * nothing known would hide errors, so that the tail says what is wrong. */
void hdi_kc_function_read(kc *c, int32_t template_list, kc_struct *owner)
{
    kc_function *f = function_new(c, template_list, owner);
    if (f == NULL)
        return;
    if (f->name < 0) {
        hdi_kc_bad(c, "a function is expected here");
        return;
    }
    function_words(c, f);
    function_heading(c, f);
    if (!hdi_kc_at(c, '(')) {
        hdi_kc_bad(c, "the parameters of a function are expected here");
        return;
    }
    hdi_kc_skip(c);
    function_tail(c, f);
    if (hdi_kc_at(c, '{')) {
        f->body = c->r.at;
        hdi_kc_skip(c);
        function_name_it(c, f);
    } else
        hdi_kc_need(c, ';', "or a { behind a function's parameters");
}

/* ---- templates ------------------------------------------------------------------------------- */

static void struct_template(kc *c, int32_t list)
{
    const int32_t at = c->r.at;
    hdi_kc_next(c);
    kc_spec ignored = {.base = NULL};
    while (hdi_kc_attribute(c, &ignored))
        ;
    kc_word *word = hdi_kc_need_name(c);
    kc_symbol *known = hdi_kc_find_in(c->scope, word);
    if (hdi_kc_at(c, '<') && known != NULL && known->kind == KC_S_TEMPLATE &&
        c->r.tokens.t[list + 1].what == '>') {
        hdi_kc_specialise(c, known);
        return;
    }
    if (hdi_kc_at(c, '<')) {
        hdi_kc_beyond(c, "templates for some of their arguments are not supported");
        return;
    }
    const bool defined = !hdi_kc_at(c, ';');
    hdi_kc_skip_to(c, ';', '}');
    hdi_kc_need(c, ';', "behind a struct");
    kc_symbol *s = known != NULL && known->kind == KC_S_TEMPLATE
                       ? known
                       : hdi_kc_declare(c, word, KC_S_TEMPLATE);
    if (s != NULL && defined) {
        s->parameters = list;
        s->at = at;
    }
}

static void alias_template(kc *c, int32_t list)
{
    hdi_kc_next(c);
    kc_symbol *s = hdi_kc_declare(c, hdi_kc_need_name(c), KC_S_TEMPLATE);
    hdi_kc_need(c, '=', "behind using");
    if (s != NULL) {
        s->parameters = list;
        s->at = c->r.at;
        s->is_alias = true;
    }
    hdi_kc_skip_to(c, ';', '}');
    hdi_kc_need(c, ';', "behind using");
}

bool hdi_kc_template_read(kc *c, kc_struct *owner)
{
    hdi_kc_next(c);
    int32_t list = c->r.at;
    if (!hdi_kc_at(c, '<')) {                               /* template void f<int>(...); */
        hdi_kc_skip_to(c, ';', '}');
        hdi_kc_need(c, ';', "behind template");
        return true;
    }
    if (!hdi_kc_skip_angles(c))
        hdi_kc_bad(c, "the parameters of the template have no end");
    const int what = hdi_kc_token(c)->what;
    const bool is_struct = what == KC_W_STRUCT || what == KC_W_CLASS || what == KC_W_UNION;
    if (c->r.failed)
        return true;
    if (is_struct && !hdi_kc_at_function(c))
        struct_template(c, list);
    else if (what == KC_W_USING)
        alias_template(c, list);
    else if (what == KC_W_TEMPLATE || !hdi_kc_at_function(c))
        hdi_kc_beyond(c, "this kind of template is not supported");
    else
        hdi_kc_function_read(c, c->r.tokens.t[list + 1].what == '>' ? -1 : list, owner);
    return true;
}

/* ---- the outermost level --------------------------------------------------------------------- */

static void declarations(kc *c, int end);

static void name_space(kc *c)
{
    hdi_kc_next(c);
    kc_word *word = hdi_kc_at(c, KC_NAME) ? hdi_kc_next(c)->word : NULL;
    if (hdi_kc_at(c, '=')) {
        const kc_token *t = hdi_kc_ahead(c, 1);
        if (t->what == KC_NAME && strcmp(t->word->text, "cooperative_groups") == 0)
            hdi_kc_beyond(c, "cooperative groups are not supported: use __syncthreads(), "
                          "__syncwarp() and __shfl_sync()");
        hdi_kc_skip_to(c, ';', '}');
        hdi_kc_need(c, ';', "behind namespace");
        return;
    }
    kc_symbol *s = word == NULL ? NULL : hdi_kc_find_in(c->scope, word);
    kc_scope *old = c->scope;
    hdi_kc_need(c, '{', "behind namespace");
    if (word != NULL && s == NULL && (s = hdi_kc_declare(c, word, KC_S_NAMESPACE)) != NULL) {
        s->inner = hdi_kc_scope_new(c, old);
        s->inner->is_global = !c->r.failed;
    }
    if (s != NULL && s->kind == KC_S_NAMESPACE && s->inner != NULL)
        c->scope = s->inner;
    declarations(c, '}');
    hdi_kc_need(c, '}', "behind namespace");
    c->scope = old;
}

static bool at_linkage(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    return t->what == KC_W_EXTERN && t[1].what == KC_TEXT && t[2].what == '{';
}

static void declaration(kc *c)
{
    const int what = hdi_kc_token(c)->what;
    if (hdi_kc_take(c, ';'))
        return;
    if (at_linkage(c)) {
        hdi_kc_goto(c, c->r.at + 3);
        declarations(c, '}');
        hdi_kc_need(c, '}', "behind extern \"C\"");
    } else if (what == KC_W_NAMESPACE ||
               (what == KC_W_INLINE && hdi_kc_ahead(c, 1)->what == KC_W_NAMESPACE)) {
        hdi_kc_take(c, KC_W_INLINE);
        name_space(c);
    } else if (what == KC_W_TEMPLATE)
        hdi_kc_template_read(c, NULL);
    else if (hdi_kc_common_declaration(c))
        return;
    else if (hdi_kc_at_function(c))
        hdi_kc_function_read(c, -1, NULL);
    else
        hdi_kc_variables(c);
}

static void declarations(kc *c, int end)
{
    if (!hdi_kc_enter(c))
        return;
    while (!hdi_kc_at(c, end) && !hdi_kc_ended(c))
        declaration(c);
    hdi_kc_leave(c);
}

void hdi_kc_top(kc *c) { declarations(c, KC_END); }
