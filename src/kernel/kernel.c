/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c - a source and a name to a kernel. */
#include "kernel/kc_expr.h"

#include "base/alloc.h"
#include "base/strbuf.h"

/* What stands outside of functions is read. */
static void begin(kc *c, const hdi_kernel_source *s, hdi_lir_list *list)
{
    *c = (kc){.r = {.source = s}, .dynamic_shared = -1, .module = -1, .effect_at = -1};
    *list = HDI_LIR_EMPTY;
    c->list = list;
    c->l = hdi_lir_new(s->name != NULL ? s->name : "");
    c->r.failed = c->l == NULL;
    c->r.no_memory = c->l == NULL ? NULL : &c->l->failed;
    c->global = c->scope = hdi_kc_scope_new(c, NULL);
    if (c->r.failed)
        return;
    c->global->is_global = true;
    hdi_kc_own_words(&c->r);
    hdi_kc_builtin_words(c);
    hdi_kc_preprocess(&c->r);
    c->r.at = 0;
    if (!c->r.failed)
        hdi_kc_top(c);
    if (!c->r.failed && !hdi_kc_ended(c))
        hdi_kc_bad(c, "a declaration is expected here");
}

static void unknown_name(kc *c)
{
    hdi_strbuf known = {0};
    for (const kc_function *f = c->first_kernel; f != NULL && known.length < 200;
         f = f->next_kernel)
        hdi_strbuf_add(&known, "%s%s", known.length > 0 ? ", " : "", f->word->text);
    if (known.length == 0)
        hdi_strbuf_add(&known, "none");
    char *text = hdi_strbuf_take(&known);
    if (text != NULL)
        hdi_kc_fail(&c->r, HD_VALUE, NULL, "the source has no __global__ function %.100s; those "
                    "that it has: %.200s", c->r.source->name, text);
    c->r.failed = true;
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}

/* The kernel that the name means, of those with its word. */
static kc_function *chosen(kc_symbol *s, bool with_arguments)
{
    for (kc_symbol *x = s; x != NULL; x = x->below)
        if (x->scope == s->scope && x->kind == KC_S_FUNCTION && x->function->is_kernel &&
            (x->function->template_list >= 0) == with_arguments)
            return x->function;
    return NULL;
}

/* The name's own tokens stand behind the source. */
static void lower(kc *c)
{
    int ntokens, na = 0;
    kc_argument *a = hdi_kc_new(&c->r, KC_MAX_ARGUMENTS * sizeof *a);
    if (a == NULL)
        return;
    c->r.at++;
    kc_symbol *s = hdi_kc_find_here(c, &ntokens);
    hdi_kc_goto(c, c->r.at + ntokens);
    const bool with_arguments = hdi_kc_at(c, '<');
    kc_function *f = s == NULL ? NULL : chosen(s, with_arguments);
    if (f == NULL && s != NULL && !with_arguments)
        f = chosen(s, true);
    if (f == NULL || f->word == NULL) {
        unknown_name(c);
        return;
    }
    if (with_arguments)
        na = hdi_kc_arguments(c, a);
    if (!hdi_kc_ended(c))
        hdi_kc_bad(c, "the kernel's name is followed by something else");
    if (!c->r.failed)
        hdi_kc_kernel(c, f, a, na);
    if (!c->r.failed)
        hdi_kc_finish(c);
}

/* What c has made, NULL after a failure; c ends. */
static hdi_lir *lowered(kc *c)
{
    const bool failed = c->r.failed;
    hdi_kc_release(&c->r);
    if (!failed)
        return c->l;
    hdi_lir_free(c->l);
    return NULL;
}

hdi_lir *hdi_kernel_lower(const hdi_kernel_source *s)
{
    kc c;
    hdi_lir_list list;
    if (s->name == NULL || s->text == NULL)
        return hdi_null("a kernel's source or name");
    begin(&c, s, &list);
    if (!c.r.failed)
        lower(&c);
    return lowered(&c);
}

hdi_lir *hdi_kernel_globals(const hdi_kernel_source *s)
{
    kc c;
    hdi_lir_list list;
    hdi_kernel_source unnamed = *s;
    if (s->text == NULL)
        return hdi_null("a kernel's source");
    unnamed.name = NULL;
    begin(&c, &unnamed, &list);
    if (!c.r.failed)
        hdi_kc_globals_made(&c);
    if (!c.r.failed && c.l->failed)
        hdi_kc_fail(&c.r, HD_NOMEM, NULL, "out of memory for the variables of a module");
    return lowered(&c);
}

char *hdi_kernel_names(const hdi_kernel_source *s)
{
    kc c;
    hdi_lir_list list;
    hdi_kernel_source unnamed = *s;
    if (s->text == NULL)
        return hdi_null("a kernel's source");
    unnamed.name = NULL;
    begin(&c, &unnamed, &list);
    hdi_strbuf names = {0};
    hdi_strbuf_add(&names, "%s", "");
    for (const kc_function *f = c.first_kernel; f != NULL && !c.r.failed; f = f->next_kernel)
        hdi_strbuf_add(&names, "%s\n", f->word->text);
    const bool failed = c.r.failed;
    hdi_kc_release(&c.r);
    hdi_lir_free(c.l);
    char *text = hdi_strbuf_take(&names);
    if (failed && text != NULL) {
        hdi_free(text, strlen(text) + 1);
        text = NULL;
    }
    return text;
}
