/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_global.c - variables outside of functions. Those that are declared __device__, __constant__ or
 * __managed__ belong to the module: all kernels of the source share them, and find them in memory
 * that the launch gives. Others are the kernel's own: constants, shared memory, tables. */
#include "base/alloc.h"
#include "base/strbuf.h"
#include "kernel/kc_expr.h"

/* ---- declarations ---------------------------------------------------------------------------- */

static void list_global(kc *c, kc_symbol *s)
{
    if (c->last_global != NULL)
        c->last_global->next_global = s;
    else
        c->first_global = s;
    c->last_global = s;
    s->in_module = true;
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
    kc_symbol *s = hdi_kc_find_in(c->scope, word);
    if (s != NULL && s->kind == KC_S_GLOBAL && spec->is_extern && !has_value)
        return;                                        /* declared once more */
    if (s == NULL || s->kind != KC_S_GLOBAL)
        s = hdi_kc_declare(c, word, KC_S_GLOBAL);
    if (s == NULL)
        return;
    const kc_type *inner = type;
    while (inner->kind == KC_ARRAY)
        inner = inner->of;
    const bool is_const = spec->is_constant || spec->is_constexpr || inner->is_const;
    s->is_const = is_const;
    s->at = has_value ? c->r.at : -1;
    s->type = has_value ? hdi_kc_counted(c, type) : type;
    s->align = spec->align;
    s->space = spec->is_shared             ? HDI_LIR_SHARED
               : is_const && has_value     ? HDI_LIR_CONSTANT
                                           : HDI_LIR_GLOBAL;
    if (has_value)
        hdi_kc_skip_to(c, ',', ';');
    if (!s->in_module && (spec->is_device || spec->is_constant) && !spec->is_shared)
        list_global(c, s);
}

void hdi_kc_variables(kc *c)
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

/* ---- what a kernel uses ---------------------------------------------------------------------- */

/* What it begins as, at this place of data[]. */
static void global_begins(kc *c, kc_symbol *s, int64_t at)
{
    const int32_t here = c->r.at;
    kc_scope *scope = c->scope;
    if (s->at < 0)
        return;
    c->scope = s->scope;
    hdi_kc_goto(c, s->at);
    hdi_kc_initialise(c, &(kc_target){.is_data = true, .data = at}, s->type);
    hdi_kc_goto(c, here);
    c->scope = scope;
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
    global_begins(c, s, at);
}

/* The parameter that the memory of the module is. */
static void module_needed(kc *c)
{
    if (c->module >= 0)
        return;
    c->module =
        hdi_kc_variable(c, "variables of the module", HDI_LIR_POINTER, HDI_LIR_PRIVATE);
    if (c->l->failed)
        return;
    hdi_lir_var *v = &c->l->var[c->module];
    v->role = HDI_LIR_MODULE;
    v->reads = v->writes = v->restricted = true;
}

/* Where only constants are used, nothing that the kernel stores to can lead to them. */
static kc_value of_module(kc *c, kc_symbol *s)
{
    if (c->idle > 0)
        return hdi_kc_in_memory(s->type, hdi_lir_const(c->l, HDI_LIR_POINTER, 0));
    module_needed(c);
    if (!c->l->failed && !s->is_const)
        c->l->var[c->module].restricted = false;
    const int32_t memory =
        hdi_kc_node(c, HDI_LIR_GET, HDI_LIR_POINTER, c->module, -1, -1, -1);
    const int32_t at = hdi_kc_node(c, HDI_LIR_CONST, HDI_LIR_I64, s->offset, -1, -1, -1);
    return hdi_kc_in_memory(s->type, hdi_kc_node(c, HDI_LIR_OFFSET, HDI_LIR_POINTER, 1, memory, at,
                                                 -1));
}

kc_value hdi_kc_global(kc *c, kc_symbol *s)
{
    s = s->alias_of != NULL ? s->alias_of : s;
    if (s->in_module)
        return of_module(c, s);
    if (s->value.kind == KC_V_NONE)
        global_make(c, s);
    return s->value.kind == KC_V_NONE ? hdi_kc_int(c, 0) : hdi_kc_again(c, s->value);
}

/* ---- the memory of the module ---------------------------------------------------------------- */

/* In their order, each at a multiple of 16 and of what it asks for. */
void hdi_kc_globals(kc *c)
{
    int64_t end = 0;
    for (kc_symbol *s = c->first_global; s != NULL && !c->r.failed; s = s->next_global) {
        int64_t align = s->align > hdi_kc_align(s->type) ? s->align : hdi_kc_align(s->type);
        align = align > 16 ? align : 16;
        s->offset = (end + align - 1) / align * align;
        end = s->offset + hdi_kc_bytes(c, s->type);
        if (end > INT32_MAX)
            hdi_kc_bad(c, "the variables of the source are larger than 2 GB");
    }
    c->module_bytes = end;
}

static void global_name(kc_scope *inner, hdi_strbuf *name)
{
    if (inner->parent == NULL)
        return;
    global_name(inner->parent, name);
    for (const kc_symbol *s = inner->parent->symbols; s != NULL; s = s->next)
        if (s->kind == KC_S_NAMESPACE && s->inner == inner)
            hdi_strbuf_add(name, "%s::", s->word->text);
}

static void global_listed(kc *c, kc_symbol *s)
{
    int64_t count;
    hdi_strbuf name = {0};
    const hdi_lir_type element = hdi_kc_element(c, s->type, &count);
    global_name(s->scope, &name);
    hdi_strbuf_add(&name, "%s", s->word->text);
    char *text = hdi_strbuf_take(&name);
    const int32_t var = hdi_kc_variable(c, text != NULL ? text : "", element, HDI_LIR_GLOBAL);
    c->l->failed |= text == NULL;
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
    if (c->l->failed)
        return;
    c->l->var[var].at = s->offset;
    c->l->var[var].count = count;
    c->l->var[var].in_memory = true;
    global_begins(c, s, s->offset);
}

void hdi_kc_globals_made(kc *c)
{
    hdi_kc_globals(c);
    if (!c->r.failed && c->module_bytes > 0)
        hdi_lir_data(c->l, c->module_bytes);
    for (kc_symbol *s = c->first_global; s != NULL && !c->r.failed; s = s->next_global)
        global_listed(c, s);
}
