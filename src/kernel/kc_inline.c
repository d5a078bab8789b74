/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_inline.c - a function's body is put in place of its call; a kernel's becomes the body of the
 * IR. `return` stores the result and leaves a loop of one turn around the body, which is not there
 * where the only `return` is the last statement. */
#include "kernel/kc_expr.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static void parameter(kc *c, kc_parameter *p)
{
    kc_spec spec;
    hdi_kc_spec_read(c, &spec);
    p->type = hdi_kc_declarator(c, spec.base, &p->word);
    p->standard = -1;
    if (p->type->kind == KC_ARRAY)
        p->type = hdi_kc_type_of(c, KC_POINTER, p->type->of, 0);
    if (hdi_kc_take(c, '=')) {
        p->standard = c->r.at;
        hdi_kc_skip_to(c, ',', ')');
    }
}

__attribute__((noinline)) kc_parameter *hdi_kc_parameters(kc *c, kc_function *f, int *n)
{
    kc_parameter p[KC_MAX_CALL_ARGUMENTS];
    const int32_t at = c->r.at;
    *n = 0;
    hdi_kc_goto(c, f->list + 1);
    if (hdi_kc_at(c, KC_W_VOID) && hdi_kc_ahead(c, 1)->what == ')')
        hdi_kc_next(c);
    while (!hdi_kc_at(c, ')') && !hdi_kc_ended(c)) {
        if (hdi_kc_at(c, KC_DOTS) || *n == KC_MAX_CALL_ARGUMENTS) {
            hdi_kc_beyond(c, "functions with any number of parameters are not supported");
            break;
        }
        parameter(c, &p[(*n)++]);
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, ')', "behind the parameters");
    hdi_kc_goto(c, at);
    kc_parameter *kept = hdi_kc_new(&c->r, ((size_t)*n + 1) * sizeof *kept);
    if (kept != NULL && *n > 0)
        memcpy(kept, p, (size_t)*n * sizeof *kept);
    return kept;
}

static void name_it(kc *c, kc_word *word, kc_value v, const kc_type *type)
{
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_VALUE);
    v.type = type;
    if (s != NULL)
        s->value = v;
}

static void bind_operand(kc *c, const kc_parameter *p, kc_value v)
{
    const kc_type *type = hdi_kc_unreferenced(p->type);
    if (p->type->kind == KC_REFERENCE && hdi_kc_is_place(v) && hdi_kc_same(type, v.type)) {
        name_it(c, p->word, hdi_kc_stable(c, v), type);
        return;
    }
    v = hdi_kc_convert(c, v, hdi_kc_unqualified(c, type));
    const kc_value own = hdi_kc_local(c, p->word, type);
    hdi_kc_store(c, hdi_kc_again(c, own), v);
    name_it(c, p->word, own, type);
}

static void bind_operands(kc *c, kc_function *f, kc_call *k)
{
    int n;
    const kc_parameter *p = hdi_kc_parameters(c, f, &n);
    for (int i = 0; i < n && p != NULL && !c->r.failed; i++) {
        kc_value v = i < k->n ? k->arg[i] : hdi_kc_nothing();
        if (i >= k->n) {
            hdi_kc_goto(c, p[i].standard);
            v = hdi_kc_assignment(c);
        }
        bind_operand(c, &p[i], v);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static const kc_type *result_type(kc *c, const kc_function *f)
{
    if (f->is_constructor)
        return KC_PLAIN_TYPE(VOID);
    hdi_kc_goto(c, f->is_conversion ? f->name + 1 : f->start);
    return hdi_kc_type_name(c);
}

static kc_value result_new(kc *c, const kc_type *type)
{
    if (type->kind == KC_VOID || type->kind == KC_AUTO)
        return hdi_kc_nothing();
    if (type->kind == KC_REFERENCE)
        return hdi_kc_local(c, NULL, hdi_kc_type_of(c, KC_POINTER, type->of, 0));
    return hdi_kc_local(c, NULL, hdi_kc_unqualified(c, type));
}

static kc_value result_value(kc *c, const kc_frame *f)
{
    if (f->result.kind == KC_V_NONE)
        return f->result;
    const kc_value v = hdi_kc_again(c, f->result);
    if (f->result_type->kind == KC_REFERENCE)
        return hdi_kc_deref(c, v);
    return v.type->kind == KC_STRUCT ? v : hdi_kc_load(c, v);
}

static void result_store(kc *c, kc_frame *f, kc_value v)
{
    if (f->result_type->kind == KC_AUTO) {
        f->result_type = hdi_kc_load(c, v).type;
        f->result = result_new(c, f->result_type);
    }
    if (f->result_type->kind == KC_VOID && v.kind != KC_V_NONE)
        hdi_kc_bad(c, "a function that gives nothing back returns a value");
    else if (f->result_type->kind == KC_REFERENCE)
        hdi_kc_assign(c, f->result.var, hdi_kc_address(c, v));
    else if (f->result.kind != KC_V_NONE)
        hdi_kc_store(c, hdi_kc_again(c, f->result), hdi_kc_convert(c, v, f->result.type));
}

static kc_value returned_list(kc *c, const kc_frame *f)
{
    if (f->result.kind == KC_V_NONE)
        hdi_kc_beyond(c, "a list cannot be returned where the type is not known");
    const kc_value v = hdi_kc_local(c, NULL, f->result.type);
    hdi_kc_initialise(c, &(kc_target){.place = v}, v.type);
    return hdi_kc_again(c, v);
}

void hdi_kc_return(kc *c)
{
    kc_frame *f = c->frame;
    if (hdi_kc_at(c, '{'))
        result_store(c, f, returned_list(c, f));
    else if (!hdi_kc_at(c, ';')) {
        c->want_place = f->result_type->kind == KC_REFERENCE;
        const kc_value v = hdi_kc_expression(c);
        result_store(c, f, v);
    } else if (f->result.kind != KC_V_NONE)
        hdi_kc_bad(c, "`return` needs a value here");
    hdi_kc_need(c, ';', "behind return");
    f->returned = true;
    if (f->function->is_kernel)
        hdi_kc_emit(c, HDI_LIR_RETURN, 0, -1, -1);
    else if (f->loop > 0)
        hdi_kc_leave_loop(c, HDI_LIR_BREAK, f->loop);
}

/* Whether a return is elsewhere than at the end. */
static bool returns_early(const kc *c, const kc_function *f)
{
    const kc_token *t = &c->r.tokens.t[f->body], *found = NULL;
    int depth = 0;
    do {
        depth += (t->what == '{') - (t->what == '}');
        if (t->what == KC_W_RETURN) {
            if (found != NULL || depth > 1)
                return true;
            found = t;
        }
    } while ((++t)->what != KC_END && depth > 0);
    if (found == NULL)
        return false;
    const int before = found[-1].what;
    while (found->what != ';' && found->what != KC_END)
        found++;
    return !(before == ';' || before == '{' || before == '}') || found[1].what != '}';
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* : a(x), b(y) before a constructor's body. */
static void member_initialisers(kc *c, const kc_function *f)
{
    hdi_kc_goto(c, f->initialisers);
    do {
        kc_word *word = hdi_kc_need_name(c);
        int64_t offset = 0;
        const kc_value self = hdi_kc_again(c, c->frame->self);
        const kc_field *field = hdi_kc_field(self.type->st, word, &offset);
        if (field == NULL || !(hdi_kc_at(c, '(') || hdi_kc_at(c, '{'))) {
            hdi_kc_bad(c, "a field's name and (value) is expected");
            return;
        }
        const kc_value place = hdi_kc_at_offset(c, self, offset, field->type);
        const int close = hdi_kc_next(c)->what == '(' ? ')' : '}';
        if (hdi_kc_at(c, close))
            hdi_kc_zero(c, &(kc_target){.place = hdi_kc_stable(c, place)}, field->type);
        else
            hdi_kc_store(c, place, hdi_kc_convert(c, hdi_kc_assignment(c), field->type));
        hdi_kc_need(c, close, "behind a field's value");
    } while (hdi_kc_take(c, ','));
}

static void body_read(kc *c, const kc_function *f)
{
    if (f->initialisers >= 0)
        member_initialisers(c, f);
    hdi_kc_goto(c, f->body + 1);
    hdi_kc_block(c);
}

static void body_in_loop(kc *c, kc_frame *frame)
{
    hdi_lir_list list;
    hdi_lir_list *old = hdi_kc_list_open(c, &list);
    frame->loop = ++c->loops;
    body_read(c, frame->function);
    hdi_kc_emit(c, HDI_LIR_BREAK, 1, -1, -1);
    c->loops--;
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, 0, list.first, -1);
}

/* What the caller has and gets back. */
typedef struct caller {
    int32_t at, called_at, effect_at;
    kc_scope *scope;
    kc_frame *frame;
    bool closed_list;
} caller;

static bool call_begin(kc *c, kc_function *f, const kc_call *k, caller *old)
{
    if (f->body < 0)
        hdi_kc_fail(&c->r, HD_VALUE, k->token, "%.80s has no body", f->word->text);
    else if (f->is_kernel)
        hdi_kc_fail(&c->r, HD_UNSUPPORTED, k->token, "%.80s is a kernel: a kernel cannot start or "
                    "call another; make it a __device__ function", f->word->text);
    else if (f->active > 0 && (f->template_list < 0 || f->active > KC_MAX_CALLS / 2))
        hdi_kc_fail(&c->r, HD_UNSUPPORTED, k->token, "%.80s calls itself: recursion is not "
                    "supported, use a loop", f->word->text);
    else if (c->calls >= KC_MAX_CALLS)
        hdi_kc_fail(&c->r, HD_VALUE, k->token, "calls are nested deeper than %d",
                    (int)KC_MAX_CALLS);
    if (c->r.failed || !hdi_kc_enter(c))
        return false;
    *old = (caller){c->r.at, c->r.called_at, c->effect_at, c->scope, c->frame, c->closed_list};
    if (f->ours && (hdi_kc_token(c)->flags & KC_OURS) == 0)
        c->r.called_at = (int32_t)(k->token - c->r.tokens.t);
    f->active++;
    c->calls++;
    c->closed_list = false;
    return true;
}

static void call_end(kc *c, kc_function *f, const caller *old)
{
    f->active--;
    c->calls--;
    c->scope = old->scope;
    c->frame = old->frame;
    c->closed_list = old->closed_list;
    c->effect_at = old->effect_at;
    c->r.called_at = old->called_at;
    hdi_kc_goto(c, old->at);
    hdi_kc_leave(c);
}

static kc_value self_of(kc *c, const kc_function *f, kc_value object)
{
    if (object.kind != KC_V_MEMORY || f->owner == NULL || f->is_static)
        return hdi_kc_nothing();
    object = hdi_kc_stable(c, object);
    object.type = hdi_kc_qualified(c, object.type, f->is_const, false);
    return object;
}

kc_value hdi_kc_inline(kc *c, kc_function *f, kc_call *k, kc_argument *a, int na)
{
    caller old;
    kc_frame frame = {.outer = c->frame, .function = f, .result = hdi_kc_nothing()};
    if (!call_begin(c, f, k, &old))
        return hdi_kc_int(c, 0);
    frame.self = self_of(c, f, k->self);
    kc_scope *scope = hdi_kc_scope_new(c, f->scope);
    c->scope = scope;
    if (f->template_list >= 0)
        hdi_kc_bind(c, f->template_list, a, &na, false);
    bind_operands(c, f, k);
    c->frame = &frame;
    frame.result_type = result_type(c, f);
    frame.result = result_new(c, frame.result_type);
    if (returns_early(c, f) && frame.result_type->kind == KC_AUTO)
        hdi_kc_beyond(c, "a function with several returns needs its type written, not auto");
    else if (returns_early(c, f))
        body_in_loop(c, &frame);
    else
        body_read(c, f);
    hdi_kc_scope_close(c, scope);
    call_end(c, f, &old);
    return result_value(c, &frame);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int32_t kernel_parameter(kc *c, const kc_parameter *p, int i)
{
    int64_t count;
    if (p->type->kind == KC_REFERENCE)
        hdi_kc_bad(c, "a kernel's parameter cannot be a reference: pass a pointer or a value");
    const hdi_lir_type type = hdi_kc_element(c, p->type, &count);
    const int32_t var = hdi_kc_variable(c, p->word == NULL ? "" : p->word->text, type,
                                        HDI_LIR_PRIVATE);
    if (c->l->failed || c->r.failed)
        return var;
    hdi_lir_var *v = &c->l->var[var];
    v->param = i;
    v->count = count;
    v->align = hdi_kc_align(p->type);
    v->in_memory = p->type->kind == KC_STRUCT;
    if (p->type->kind == KC_POINTER) {
        v->reads = true;
        v->writes = !p->type->of->is_const;
        v->restricted = p->type->is_restrict;
    }
    return var;
}

static void kernel_parameters(kc *c, kc_function *f)
{
    int n;
    const kc_parameter *p = hdi_kc_parameters(c, f, &n);
    int32_t var[KC_MAX_CALL_ARGUMENTS];
    for (int i = 0; i < n && p != NULL; i++)
        var[i] = kernel_parameter(c, &p[i], i);
    for (int i = 0; i < n && p != NULL && !c->r.failed; i++)
        name_it(c, p[i].word, hdi_kc_of_variable(c, p[i].type, var[i]), p[i].type);
    c->l->nparams = n;
}

static void kernel_head(kc *c, kc_function *f)
{
    kc_spec spec;
    hdi_kc_goto(c, f->start);
    hdi_kc_spec_read(c, &spec);
    while (hdi_kc_attribute(c, &spec))
        ;
    if (spec.base->kind != KC_VOID)
        hdi_kc_bad(c, "a kernel is of type void");
    c->l->max_threads = spec.max_threads;
}

void hdi_kc_kernel(kc *c, kc_function *f, kc_argument *a, int na)
{
    hdi_lir_list list = HDI_LIR_EMPTY;
    kc_frame frame = {.function = f, .result_type = KC_PLAIN_TYPE(VOID),
                      .result = hdi_kc_nothing(), .self = hdi_kc_nothing()};
    c->scope = hdi_kc_scope_new(c, f->scope);
    c->list = &list;
    c->frame = &frame;
    f->active = 1;
    if (f->template_list >= 0 && !hdi_kc_bind(c, f->template_list, a, &na, false))
        hdi_kc_bad(c, "the kernel %s is a template: name it with its arguments, as in "
                   "\"%s<float>\"", f->word->text, f->word->text);
    kernel_head(c, f);
    kernel_parameters(c, f);
    hdi_kc_globals(c);
    hdi_kc_goto(c, f->body + 1);
    hdi_kc_block(c);
    c->frame = NULL;
    c->l->body = list.first;
}
