/* SPDX-License-Identifier: BSD-3-Clause */
/* apply.c - statements of lowered IR under a mask of the elements that take part. A condition that
 * is the same for all elements chooses a branch; any other makes both be gone through, each under
 * its part of the mask, and assignments become choices. A loop turns until no element is left in
 * it, which has to come about by known conditions. */
#include "exec/apply.h"

#include "base/alloc.h"

enum { MOST_TURNS = 4096 };

static void run_list(hdi_apply *a, int32_t first);

static void set(hdi_value *v, hdi_value to)
{
    hdi_apply_drop(v);
    *v = to;
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* v becomes x, where the mask holds. Takes x. */
static void assign(hdi_apply *a, int64_t var, hdi_value x)
{
    hdi_value *v = &a->var[var];
    if (v->type != x.type)
        hdi_apply_drop(v);
    const hdi_value to = hdi_apply_select(a, &a->mask, &x, v);
    hdi_apply_drop(&x);
    set(v, to);
}

static void store(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node], *to = &a->l->node[n->arg[0]];
    if (to->op != HDI_LIR_GET || a->l->var[to->k].param < 0) {
        hdi_apply_refuse(a, node, "writing at an address");
        return;
    }
    const hdi_value *old = &a->var[to->k];
    const uint8_t type = a->l->node[n->arg[1]].type;
    if (old->x != NULL && old->type != type) {
        hdi_apply_refuse(a, node, "writing as another type");
        return;
    }
    assign(a, to->k, hdi_apply_eval(a, n->arg[1]));
}

static void declare(hdi_apply *a, int32_t node)
{
    const int64_t k = a->l->node[node].k;
    if (a->l->var[k].in_memory)
        hdi_apply_refuse(a, node, "a variable in memory");
    hdi_apply_drop(&a->var[k]);
}

/* ---- control flow ---------------------------------------------------------------------------- */

/* Does control go further out than `depth` loops from here, or by `continue`? */
static bool leaves(const hdi_lir *l, int32_t first, int depth)
{
    for (int32_t s = first; s >= 0; s = l->node[s].next) {
        const hdi_lir_node *n = &l->node[s];
        if (n->op == HDI_LIR_RETURN || n->op == HDI_LIR_CONTINUE ||
            (n->op == HDI_LIR_BREAK && n->k > depth))
            return true;
        if (n->op == HDI_LIR_IF && (leaves(l, n->arg[1], depth) || leaves(l, n->arg[2], depth)))
            return true;
        if (n->op == HDI_LIR_LOOP && (leaves(l, n->arg[0], depth + 1) ||
                                      leaves(l, n->arg[1], depth + 1)))
            return true;
    }
    return false;
}

/* A branch under the mask `under`; returns the mask of those that come to its end. Takes it. */
static hdi_value branch(hdi_apply *a, hdi_value under, int32_t first)
{
    set(&a->mask, under);
    run_list(a, first);
    const hdi_value end = a->mask;
    a->mask = hdi_apply_known(HDI_LIR_BOOL, 0);
    return end;
}

static void both_branches(hdi_apply *a, const hdi_lir_node *n, const hdi_value *c)
{
    const bool leave = leaves(a->l, n->arg[1], 0) || leaves(a->l, n->arg[2], 0);
    hdi_value before = hdi_apply_hold(a->mask), other = {.type = HDI_LIR_BOOL};
    hdi_value x = branch(a, hdi_apply_logical(a, HD_OP_logical_and, &before, c), n->arg[1]);
    hdi_value y = {0};
    if (leave || n->arg[2] >= 0) {
        other = hdi_apply_not(a, c);
        y = branch(a, hdi_apply_logical(a, HD_OP_logical_and, &before, &other), n->arg[2]);
    }
    set(&a->mask, leave ? hdi_apply_logical(a, HD_OP_logical_or, &x, &y) : hdi_apply_hold(before));
    hdi_apply_drop(&x);
    hdi_apply_drop(&y);
    hdi_apply_drop(&other);
    hdi_apply_drop(&before);
}

static void run_if(hdi_apply *a, const hdi_lir_node *n)
{
    hdi_value c = hdi_apply_eval(a, n->arg[0]);
    if (c.known)
        run_list(a, n->arg[c.bits ? 1 : 2]);
    else
        both_branches(a, n, &c);
    hdi_apply_drop(&c);
}

static void run_break(hdi_apply *a, int64_t k)
{
    hdi_apply_loop *of = a->loop;
    for (int64_t i = 1; i < k; i++)
        of = of->outer;
    if (of->counts)
        set(&of->left, hdi_apply_logical(a, HD_OP_logical_or, &of->left, &a->mask));
    set(&a->mask, hdi_apply_known(HDI_LIR_BOOL, 0));
}

static void run_loop(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node];
    hdi_apply_loop here = {.outer = a->loop, .left = hdi_apply_known(HDI_LIR_BOOL, 0),
                           .counts = leaves(a->l, n->arg[0], 1)};
    hdi_value before = hdi_apply_hold(a->mask);
    a->loop = &here;
    for (int turn = 0; a->status == HD_OK && !hdi_apply_is(&a->mask, false); turn++) {
        if (turn == MOST_TURNS)
            hdi_apply_refuse(a, node, "a loop of many turns");
        run_list(a, n->arg[0]);
        if (!hdi_apply_is(&a->mask, false))
            run_list(a, n->arg[1]);
    }
    a->loop = here.outer;
    set(&a->mask, hdi_apply_hold(here.counts ? here.left : before));
    hdi_apply_drop(&here.left);
    hdi_apply_drop(&before);
}

static void run(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node];
    switch (n->op) {
    case HDI_LIR_DECLARE: declare(a, node); break;
    case HDI_LIR_ASSIGN:  assign(a, n->k, hdi_apply_eval(a, n->arg[0])); break;
    case HDI_LIR_STORE:   store(a, node); break;
    case HDI_LIR_IF:      run_if(a, n); break;
    case HDI_LIR_LOOP:    run_loop(a, node); break;
    case HDI_LIR_BREAK:   run_break(a, n->k); break;
    case HDI_LIR_RETURN:  set(&a->mask, hdi_apply_known(HDI_LIR_BOOL, 0)); break;
    default:              hdi_apply_refuse(a, node, hdi_lir_ops[n->op].text);
    }
}

static void run_list(hdi_apply *a, int32_t first)
{
    for (int32_t s = first; s >= 0 && a->status == HD_OK && !hdi_apply_is(&a->mask, false);
         s = a->l->node[s].next)
        run(a, s);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int type_of_dtype(int dt)
{
    for (int t = 0; t < HDI_LIR_TYPES; t++)
        if (t != HDI_LIR_VOID && (int)hdi_apply_dtype(t) == dt)
            return t;
    return HDI_LIR_VOID;
}

/* An array has to have the type that the kernel says; that of a result is seen when it is read or
 * written. */
static hd_status take_array(hdi_apply *a, int32_t v, hd_array *x)
{
    const hdi_lir_var *of = &a->l->var[v];
    const char *name = a->l->names + of->name;
    const bool result = of->type == HDI_LIR_POINTER;
    const int type = type_of_dtype(x->dtype);
    if (hdi_is_weak(x) || type == HDI_LIR_VOID || (!result && type != of->type))
        return hdi_fail(HD_DTYPE, "%s: the array for %s is %s, and it has to be %s", a->name, name,
                        hd_dtype_name((hd_dtype)x->dtype),
                        result ? "of a type of C's" : hd_dtype_name(hdi_apply_dtype(of->type)));
    if (result && x->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "%s: %s is a read-only array", a->name, name);
    x->rc++;
    a->var[v] = (hdi_value){.x = x, .type = (uint8_t)type};
    return HD_OK;
}

static hd_status take_number(hdi_apply *a, int32_t v, const hd_launch_arg *arg)
{
    const hdi_lir_type type = (hdi_lir_type)a->l->var[v].type;
    const size_t bytes = (size_t)hdi_lir_types[type].bytes;
    int64_t bits = 0;
    if (arg->value == NULL || arg->bytes < bytes)
        return hdi_fail(HD_VALUE, "%s: no array and no value of %zu bytes for %s", a->name, bytes,
                        a->l->names + a->l->var[v].name);
    memcpy(&bits, arg->value, bytes);
    if (hdi_lir_types[type].kind != 'f')
        bits = hdi_lir_fold_convert(HDI_LIR_I64, type, bits);
    a->var[v] = hdi_apply_known(type, bits);
    return HD_OK;
}

static hd_status take_arguments(hdi_apply *a, const hd_launch_arg *args)
{
    hd_status status = HD_OK;
    for (int32_t v = 0; v < a->l->nvars && status == HD_OK; v++) {
        const hdi_lir_var *of = &a->l->var[v];
        a->var[v].type = of->type;
        if (of->param < 0)
            continue;
        if (of->count != 1 || of->in_memory)
            status = hdi_fail(HD_UNSUPPORTED, "%s: %s is a struct, or has an address", a->name,
                              a->l->names + of->name);
        else if (args[of->param].array != NULL)
            status = take_array(a, v, args[of->param].array);
        else if (of->type != HDI_LIR_POINTER)
            status = take_number(a, v, &args[of->param]);
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct extents { int nd; int64_t dims[HD_MAXDIM]; } extents;

/* What all arrays broadcast to. */
static hd_status find_extents(const hdi_apply *a, const hd_launch_arg *args, extents *e)
{
    int n = 0;
    const hdi_layout **lay = hdi_alloc(sizeof *lay * (size_t)a->l->nparams + 1);
    if (lay == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for the arguments of %s", a->name);
    for (int i = 0; i < a->l->nparams; i++)
        if (args[i].array != NULL)
            lay[n++] = args[i].array->lay;
    e->nd = n > 0 ? hdi_broadcast_dims(n, lay, e->dims) : 0;
    hdi_free(lay, sizeof *lay * (size_t)a->l->nparams + 1);
    return e->nd >= 0 ? HD_OK : hd_error_peek()->code;
}

/* The array that is given for a result; NULL: variable v is none, or its array is to be made. */
static hd_array *given_for(const hdi_apply *a, int32_t v, const hd_launch_arg *args)
{
    const hdi_lir_var *of = &a->l->var[v];
    return of->param >= 0 && of->type == HDI_LIR_POINTER ? args[of->param].array : NULL;
}

/* Results that are given have these extents. */
static hd_status check_results(const hdi_apply *a, const hd_launch_arg *args, const extents *e)
{
    char has[80], wanted[80];
    for (int32_t v = 0; v < a->l->nvars; v++) {
        const hd_array *x = given_for(a, v, args);
        if (x != NULL && (x->lay->nd != e->nd ||
                          memcmp(x->lay->dims, e->dims, sizeof *e->dims * (size_t)e->nd) != 0))
            return hdi_fail(HD_SHAPE, "%s: %s has shape %s, and the elements have %s", a->name,
                            a->l->names + a->l->var[v].name,
                            hdi_shape_text(x->lay->nd, x->lay->dims, has, sizeof has),
                            hdi_shape_text(e->nd, e->dims, wanted, sizeof wanted));
    }
    return HD_OK;
}

/* May the value be the result as it is: a new array, of these extents and in C's order? */
static bool is_result(const hdi_value *v, const extents *e)
{
    const hd_array *x = v->x;
    return x != NULL && x->rc == 1 && x->lay->nd == e->nd && e->nd > 0 && x->lay->c_contiguous &&
           memcmp(x->lay->dims, e->dims, sizeof *e->dims * (size_t)e->nd) == 0;
}

static hd_status fill(hd_array *x, const hdi_value *v)
{
    const hd_number number = hdi_apply_number(v);
    const hdi_in in = v->x != NULL ? hdi_in_array(v->x) : hdi_in_number(&number);
    return hdi_store(x, HD_OP_copy, (hd_dtype)x->dtype, 1, &in);
}

/* A new array with the value's elements. */
static hd_array *make(const hdi_value *v, hd_device *dev, const extents *e)
{
    hd_array *x = hdi_new(dev, e->nd, e->dims, hdi_apply_dtype(v->type));
    if (x != NULL && fill(x, v) != HD_OK) {
        hdi_array_release(x);
        return NULL;
    }
    return x;
}

static bool is_argument(const hd_array *x, int n, const hd_launch_arg *args)
{
    for (int i = 0; i < n; i++)
        if (args[i].array == x)
            return true;
    return false;
}

/* What a result's parameter points to in the end becomes an array of its own, so that results may
 * be written to one after the other. */
static hd_status make_values(hdi_apply *a, hd_device *dev, const hd_launch_arg *args,
                             const extents *e)
{
    for (int32_t v = 0; v < a->l->nvars; v++) {
        hdi_value *value = &a->var[v];
        const hd_array *given = given_for(a, v, args);
        if (a->l->var[v].param < 0 || a->l->var[v].type != HDI_LIR_POINTER ||
            (given != NULL && value->x == given))
            continue;
        if (value->x == NULL && !value->known)
            return hdi_fail(HD_VALUE, "%s: nothing is written to %s", a->name,
                            a->l->names + a->l->var[v].name);
        const bool alone = given == NULL ? is_result(value, e)
                                         : !is_argument(value->x, a->l->nparams, args);
        if (alone)
            continue;
        hd_array *x = make(value, dev, e);
        if (x == NULL)
            return hd_error_peek()->code;
        hdi_apply_drop(value);
        value->x = x;
    }
    return HD_OK;
}

/* The variable that begins as a parameter. */
static int32_t variable_of(const hdi_lir *l, int param)
{
    int32_t v = 0;
    while (l->var[v].param != param)
        v++;
    return v;
}

static hd_status write_given(hdi_apply *a, const hd_launch_arg *args)
{
    hd_status status = HD_OK;
    for (int32_t v = 0; v < a->l->nvars && status == HD_OK; v++) {
        hd_array *given = given_for(a, v, args);
        if (given != NULL && a->var[v].x != given)
            status = fill(given, &a->var[v]);
    }
    return status;
}

static void give(const hdi_apply *a, const hd_launch_arg *args, hd_array **results)
{
    for (int i = 0, n = 0; i < a->l->nparams; i++) {
        const int32_t v = variable_of(a->l, i);
        if (a->l->var[v].type != HDI_LIR_POINTER)
            continue;
        results[n] = args[i].array != NULL ? args[i].array : a->var[v].x;
        results[n++]->rc++;
    }
}

hd_status hdi_apply_kernel(const hdi_lir *l, const char *name, hd_device *dev,
                           const hd_launch_arg *args, hd_array **results)
{
    hdi_apply a = {.l = l, .name = name, .mask = hdi_apply_known(HDI_LIR_BOOL, 1)};
    const size_t bytes = sizeof *a.var * (size_t)l->nvars + 1;
    extents e;
    a.var = hdi_calloc(bytes);
    if (a.var == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for the variables of %s", name);
    a.status = take_arguments(&a, args);
    if (a.status == HD_OK)
        a.status = find_extents(&a, args, &e);
    if (a.status == HD_OK)
        a.status = check_results(&a, args, &e);
    run_list(&a, l->body);
    hdi_apply_drop(&a.mask);
    if (a.status == HD_OK)
        a.status = make_values(&a, dev, args, &e);
    if (a.status == HD_OK)
        a.status = write_given(&a, args);
    if (a.status == HD_OK)
        give(&a, args, results);
    for (int32_t v = 0; v < l->nvars; v++)
        hdi_apply_drop(&a.var[v]);
    hdi_free(a.var, bytes);
    return a.status;
}
