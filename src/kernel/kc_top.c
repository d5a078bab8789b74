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

/* ---- variables of the module ----------------------------------------------------------------- */

static void list_global(kc *c, kc_symbol *s)
{
    if (c->last_global != NULL)
        c->last_global->next_global = s;
    else
        c->first_global = s;
    c->last_global = s;
}

/* A number that is known needs no memory. */
static bool known_number(kc *c, kc_word *word, const kc_spec *spec, const kc_type *type)
{
    int64_t bits = 0;
    const bool fits = (type->is_const || spec->is_constexpr) &&
                      (hdi_kc_is_number(type) || type->kind == KC_AUTO);
    if (!fits || spec->is_constant || !(hdi_kc_at(c, '=') || hdi_kc_at(c, '{')))
        return false;
    const bool brace = hdi_kc_next(c)->what == '{';
    hdi_lir_list list;
    hdi_lir_list *old = hdi_kc_list_open(c, &list);
    c->idle++;
    kc_value v = hdi_kc_load(c, hdi_kc_assignment(c));
    if (type->kind != KC_AUTO)
        v = hdi_kc_convert(c, v, hdi_kc_bare(type));
    c->idle--;
    c->list = old;
    if (brace)
        hdi_kc_need(c, '}', "behind a value");
    if (v.kind != KC_V_NODE || !hdi_kc_constant(c, v.node, &bits))
        hdi_kc_bad(c, "the value of %s must be a constant", word == NULL ? "this" : word->text);
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_CONSTANT);
    if (s != NULL) {
        s->value = (kc_value){.type = hdi_kc_bare(v.type), .kind = KC_V_NODE};
        s->bits = bits;
    }
    return true;
}

static void global(kc *c, const kc_spec *spec)
{
    kc_word *word;
    const kc_type *type = hdi_kc_declarator(c, spec->base, &word);
    if (word == NULL) {
        hdi_kc_bad(c, "a declaration needs a name");
        return;
    }
    if (known_number(c, word, spec, type))
        return;
    const bool has_value = hdi_kc_take(c, '=') || hdi_kc_at(c, '{');
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_GLOBAL);
    if (s == NULL)
        return;
    const kc_type *inner = type;
    while (inner->kind == KC_ARRAY)
        inner = inner->of;
    const bool is_const = spec->is_constant || spec->is_constexpr || inner->is_const;
    s->at = has_value ? c->r.at : -1;
    s->type = has_value ? hdi_kc_counted(c, type) : type;
    s->align = spec->align;
    s->space = spec->is_shared             ? HDI_LIR_SHARED
               : is_const && has_value     ? HDI_LIR_CONSTANT
                                           : HDI_LIR_GLOBAL;
    if (has_value)
        hdi_kc_skip_to(c, ',', ';');
    if ((spec->is_device || spec->is_constant) && !spec->is_shared)
        list_global(c, s);
}

static void variables(kc *c)
{
    kc_spec spec;
    hdi_kc_spec_read(c, &spec);
    while (!hdi_kc_at(c, ';') && !hdi_kc_ended(c)) {
        global(c, &spec);
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, ';', "behind a declaration");
}

static void global_make(kc *c, kc_symbol *s)
{
    int64_t count;
    if (s->space == HDI_LIR_SHARED && s->type->kind == KC_ARRAY && s->type->count < 0) {
        s->value = hdi_kc_extern_shared(c, s->type);
        return;
    }
    const hdi_lir_type element = hdi_kc_element(c, s->type, &count);
    const int64_t bytes = hdi_kc_bytes(c, s->type);
    const int64_t at = s->space == HDI_LIR_SHARED ? 0 : hdi_lir_data(c->l, bytes);
    const int32_t var = hdi_kc_variable(c, s->word->text, element, (hdi_lir_space)s->space);
    if (c->l->failed || c->r.failed)
        return;
    c->l->var[var].at = at;
    c->l->var[var].count = count;
    c->l->var[var].in_memory = true;
    c->l->var[var].align = s->align > hdi_kc_align(s->type) ? s->align : hdi_kc_align(s->type);
    s->value = hdi_kc_of_variable(c, s->type, var);
    if (s->at < 0)
        return;
    const int32_t here = c->r.at;
    kc_scope *scope = c->scope;
    c->scope = s->scope;
    hdi_kc_goto(c, s->at);
    hdi_kc_initialise(c, &(kc_target){.is_data = true, .data = at}, s->type);
    hdi_kc_goto(c, here);
    c->scope = scope;
}

kc_value hdi_kc_global(kc *c, kc_symbol *s)
{
    if (s->value.kind == KC_V_NONE)
        global_make(c, s);
    return s->value.kind == KC_V_NONE ? hdi_kc_int(c, 0) : hdi_kc_again(c, s->value);
}

/* All of the module, in its order, so that each kernel has them at the same place of its data. */
void hdi_kc_globals(kc *c)
{
    for (kc_symbol *s = c->first_global; s != NULL && !c->r.failed; s = s->next_global)
        hdi_kc_global(c, s);
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
        variables(c);
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
