/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_check.c - accesses that are out of bounds, found by the kernel itself (HEDDLE_DEBUG). Before
 * a statement that reads or writes memory, the address is compared with the memory that it was made
 * from: the array of a parameter, a shared or local array. A thread that is beyond it notes what it
 * was about to do and stops; the first one of a launch writes that into a record, which the launch
 * has given it. Nothing of this is known to code generators.
 * Which memory an address was made from is known of the expression, or of all that is assigned to a
 * pointer; where it may be one or another, or comes out of memory, nothing is checked. What a
 * parameter leads to is the whole memory of its array, as a view's neighbours are within reach. */
#include "lir/passes.h"

#include "base/alloc.h"

enum { NOTHING = -1, MANY = -2 };   /* no address was assigned; more than one memory's */

typedef struct check {
    hdi_lir *l;
    const hdi_lir *globals;      /* the module's variables, NULL: none is known */
    int32_t nvars;               /* that there were */
    int32_t *root;               /* of each: whose memory its pointer leads to; nvars + k: that of
                                    variable k of the module */
    int32_t *base;               /* of each parameter that is assigned: what it began as; -1 */
    int32_t *low, *high;         /* of each root: the parameters that say its bounds; -1: none */
    int32_t shared, record;      /* such parameters; -1: none */
    int32_t what, at, end;       /* variables: what the thread did (0: nothing wrong), where, and
                                    where that memory ends */
    hdi_lir_list *list;          /* where statements go */
    int loops, step_loops;       /* around the place; within a step */
    bool in_step, step_checked;
    int nchecks;
} check;

/* ---- nodes ----------------------------------------------------------------------------------- */

static int32_t node(check *c, hdi_lir_op op, hdi_lir_type type, int64_t k, int32_t x, int32_t y)
{
    return hdi_lir_node3(c->l, op, type, 0, k, x, y, -1);
}

static int32_t whole(check *c, int64_t x) { return hdi_lir_const(c->l, HDI_LIR_I64, x); }

static int32_t copied(check *c, int32_t i)
{
    const hdi_lir_node n = c->l->node[i];
    int32_t arg[3] = {-1, -1, -1};
    for (int a = 0; a < 3; a++)
        if (n.arg[a] >= 0)
            arg[a] = copied(c, n.arg[a]);
    const int32_t copy = hdi_lir_add(c->l, (hdi_lir_op)n.op, (hdi_lir_type)n.type, n.line);
    if (!c->l->failed) {
        c->l->node[copy] = n;
        memcpy(c->l->node[copy].arg, arg, sizeof arg);
        c->l->node[copy].next = -1;
    }
    return copy;
}

static void add(check *c, int32_t statement) { hdi_lir_list_add(c->l, c->list, statement); }

static void assign(check *c, int32_t var, int32_t x)
{
    add(c, node(c, HDI_LIR_ASSIGN, HDI_LIR_VOID, var, x, -1));
}

/* A variable of a thread, declared here. */
static int32_t variable(check *c, hdi_lir_type type)
{
    const int32_t var = hdi_lir_variable(c->l, "", type, HDI_LIR_PRIVATE);
    add(c, node(c, HDI_LIR_DECLARE, HDI_LIR_VOID, var, -1, -1));
    return var;
}

/* A parameter that the launch gives without being asked. */
static int32_t hidden(check *c, hdi_lir_role role, int32_t of, hdi_lir_type type)
{
    const int32_t var = hdi_lir_variable(c->l, "", type, HDI_LIR_PRIVATE);
    if (!c->l->failed) {
        hdi_lir_var *v = &c->l->var[var];
        v->param = c->l->nparams++;
        v->role = (uint8_t)role;
        v->of = of;
        v->reads = v->writes = type == HDI_LIR_POINTER;
    }
    return var;
}

/* ---- whose memory ---------------------------------------------------------------------------- */

static int32_t merged(int32_t a, int32_t b)
{
    return a == NOTHING || a == b ? b : b == NOTHING ? a : MANY;
}

/* The variable of the module that lies so many bytes behind the beginning; NULL: none does. */
static const hdi_lir_var *global_of(const check *c, int32_t root)
{
    return root >= c->nvars ? &c->globals->var[root - c->nvars] : NULL;
}

static int64_t size_of(const hdi_lir_var *v) { return v->count * hdi_lir_types[v->type].bytes; }

/* Whose memory it is that a constant number of bytes leads to from the parameter's. */
static int32_t root_behind(const check *c, int32_t param, const hdi_lir_node *by)
{
    const bool is_module = param >= 0 && param < c->nvars && c->globals != NULL &&
                           c->l->var[param].role == HDI_LIR_MODULE && by->op == HDI_LIR_CONST;
    for (int32_t g = 0; is_module && g < c->globals->nvars; g++) {
        const hdi_lir_var *v = &c->globals->var[g];
        if (by->k >= v->at && by->k < v->at + size_of(v))
            return c->nvars + g;
    }
    return param;
}

static int32_t root_of(const check *c, int32_t i)
{
    const hdi_lir_node *n = &c->l->node[i];
    switch (n->op) {
    case HDI_LIR_CONST: return NOTHING;
    case HDI_LIR_GET: return n->k < c->nvars ? c->root[n->k] : MANY;
    case HDI_LIR_ADDRESS: return (int32_t)n->k;
    case HDI_LIR_OFFSET: return root_behind(c, root_of(c, n->arg[0]), &c->l->node[n->arg[1]]);
    case HDI_LIR_CHOOSE: return merged(root_of(c, n->arg[1]), root_of(c, n->arg[2]));
    default: return MANY;
    }
}

/* Adds what the statements assign to pointers; whether that changed anything. */
static bool roots_add(check *c, int32_t first)
{
    bool changed = false;
    for (int32_t i = first; i >= 0; i = c->l->node[i].next) {
        const hdi_lir_node *n = &c->l->node[i];
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's' && n->op != HDI_LIR_PRINT)
                changed |= roots_add(c, n->arg[a]);
        const bool sets = n->op == HDI_LIR_ASSIGN ||
                          ((n->op == HDI_LIR_ATOMIC || n->op == HDI_LIR_WARP) && n->k >= 0);
        if (!sets || c->l->var[n->k].type != HDI_LIR_POINTER)
            continue;
        const int32_t is = n->op == HDI_LIR_ASSIGN ? root_of(c, n->arg[0]) : MANY;
        const int32_t sum = merged(c->root[n->k], is);
        changed |= sum != c->root[n->k];
        c->root[n->k] = sum;
    }
    return changed;
}

/* Parameters that are assigned keep what they began as in a variable, declared in the list. */
static void bases(check *c, int32_t first)
{
    for (int32_t i = first; i >= 0; i = c->l->node[i].next) {
        const hdi_lir_node n = c->l->node[i];
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n.op].shape[a] == 's' && n.op != HDI_LIR_PRINT)
                bases(c, n.arg[a]);
        if (n.op != HDI_LIR_ASSIGN || c->l->var[n.k].param < 0 || c->base[n.k] >= 0 ||
            c->l->var[n.k].type != HDI_LIR_POINTER)
            continue;
        c->base[n.k] = variable(c, HDI_LIR_POINTER);
        assign(c, c->base[n.k], hdi_lir_get(c->l, (int32_t)n.k));
    }
}

static void find_roots(check *c)
{
    for (int32_t v = 0; v < c->nvars; v++) {
        const hdi_lir_var *var = &c->l->var[v];
        const bool is_parameter = var->param >= 0 && var->type == HDI_LIR_POINTER;
        c->root[v] = is_parameter ? v : NOTHING;
        c->base[v] = c->low[v] = c->high[v] = -1;
    }
    while (roots_add(c, c->l->body))
        ;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The first byte of a root's memory, and how many there are behind it, both from where its address
 * leads. */
static int32_t low_of(check *c, int32_t root)
{
    if (global_of(c, root) != NULL)
        return whole(c, 0);
    const hdi_lir_var v = c->l->var[root];
    if (v.in_memory)
        return whole(c, 0);
    if (c->low[root] < 0)
        c->low[root] = hidden(c, HDI_LIR_LOW, v.param, HDI_LIR_I64);
    return hdi_lir_get(c->l, c->low[root]);
}

static int32_t high_of(check *c, int32_t root)
{
    if (global_of(c, root) != NULL)
        return whole(c, size_of(global_of(c, root)));
    const hdi_lir_var v = c->l->var[root];
    if (v.in_memory && !v.dynamic)
        return whole(c, size_of(&v));
    int32_t *param = v.in_memory ? &c->shared : &c->high[root];
    if (*param < 0)
        *param = v.in_memory ? hidden(c, HDI_LIR_SHARED_BYTES, 0, HDI_LIR_I64)
                             : hidden(c, HDI_LIR_HIGH, v.param, HDI_LIR_I64);
    return hdi_lir_get(c->l, *param);
}

static int32_t module_parameter(const check *c)
{
    int32_t v = 0;
    while (v < c->nvars - 1 && c->l->var[v].role != HDI_LIR_MODULE)
        v++;
    return v;
}

static int32_t address_of_root(check *c, int32_t root)
{
    if (global_of(c, root) != NULL)
        return node(c, HDI_LIR_OFFSET, HDI_LIR_POINTER, 1,
                    hdi_lir_get(c->l, module_parameter(c)), whole(c, global_of(c, root)->at));
    if (c->l->var[root].in_memory)
        return node(c, HDI_LIR_ADDRESS, HDI_LIR_POINTER, root, -1, -1);
    return hdi_lir_get(c->l, c->base[root] >= 0 ? c->base[root] : root);
}

/* Is it a constant number of bytes within a variable? */
static bool is_within(const check *c, int32_t address, int32_t root, int bytes)
{
    int64_t at = 0;
    const hdi_lir_node *n = &c->l->node[address];
    for (; n->op == HDI_LIR_OFFSET; n = &c->l->node[n->arg[0]]) {
        const hdi_lir_node *by = &c->l->node[n->arg[1]];
        int64_t step;
        if (by->op != HDI_LIR_CONST || !hdi_mul64(by->k, n->k, &step) ||
            !hdi_add64(at, step, &at))
            return false;
    }
    const hdi_lir_var *g = global_of(c, root), *v = g != NULL ? g : &c->l->var[root];
    const bool is_known = g != NULL ? n->op == HDI_LIR_GET && c->l->var[n->k].role == HDI_LIR_MODULE
                                    : n->op == HDI_LIR_ADDRESS && !v->dynamic;
    at -= g != NULL ? g->at : 0;
    return is_known && at >= 0 && at <= size_of(v) - bytes;
}

/* ---- one access ------------------------------------------------------------------------------ */

/* What is noted of an access: a word that is not 0. */
enum { WRITE = 1 << 7, NAME_SHIFT = 8, MOST_NAME = 1 << 24, LINE_SHIFT = 32 };

static int64_t description(const check *c, int32_t access, int32_t root, int bytes, bool writes)
{
    const hdi_lir_var *g = global_of(c, root);
    const int64_t name = g != NULL ? hdi_lir_name(c->l, c->globals->names + g->name)
                                   : c->l->var[root].name;
    return (int64_t)c->l->node[access].line << LINE_SHIFT |
           (name < MOST_NAME ? name << NAME_SHIFT : 0) | (writes ? WRITE : 0) | bytes;
}

/* Nothing leaves a step: what comes behind a fault in one asks whether there was any. */
static bool stays(const check *c) { return c->in_step && c->step_loops == 0; }

static int32_t when(check *c, int32_t condition, int32_t first, int32_t other)
{
    return hdi_lir_node3(c->l, HDI_LIR_IF, HDI_LIR_VOID, 0, 0, condition, first, other);
}

/* Is nothing wrong yet? */
static int32_t sound(check *c, hdi_lir_op op)
{
    return node(c, op, HDI_LIR_BOOL, 0, hdi_lir_get(c->l, c->what), whole(c, 0));
}

/* Adds statements that look at memory: not behind a fault. */
static void add_sound(check *c, int32_t first)
{
    if (first >= 0)
        add(c, stays(c) ? when(c, sound(c, HDI_LIR_EQ), first, -1) : first);
}

/* The thread leaves everything; within a step the loops that are in it. */
static void leave(check *c)
{
    const int loops = c->in_step ? c->step_loops : c->loops;
    if (loops > 0)
        add(c, node(c, HDI_LIR_BREAK, HDI_LIR_VOID, loops, -1, -1));
}

static int32_t fault(check *c, int64_t what, int32_t at, int32_t root)
{
    hdi_lir_list *outside = c->list, inside = HDI_LIR_EMPTY;
    c->list = &inside;
    assign(c, c->what, whole(c, what));
    assign(c, c->at, hdi_lir_get(c->l, at));
    assign(c, c->end, high_of(c, root));
    leave(c);
    c->list = outside;
    return inside.first;
}

static void compare(check *c, int32_t address, int32_t root, int bytes, int64_t what)
{
    hdi_lir_list *outside = c->list, inside = HDI_LIR_EMPTY;
    c->list = &inside;
    const int32_t at = variable(c, HDI_LIR_I64);
    const int32_t here = node(c, HDI_LIR_CONVERT, HDI_LIR_I64, 0, copied(c, address), -1);
    const int32_t from =
        node(c, HDI_LIR_CONVERT, HDI_LIR_I64, 0, address_of_root(c, root), -1);
    assign(c, at, node(c, HDI_LIR_SUB, HDI_LIR_I64, 0, here, from));
    const int32_t before =
        node(c, HDI_LIR_LT, HDI_LIR_BOOL, 0, hdi_lir_get(c->l, at), low_of(c, root));
    const int32_t last =
        node(c, HDI_LIR_SUB, HDI_LIR_I64, 0, high_of(c, root), whole(c, bytes));
    const int32_t behind = node(c, HDI_LIR_LT, HDI_LIR_BOOL, 0, last, hdi_lir_get(c->l, at));
    add(c, when(c, node(c, HDI_LIR_EITHER, HDI_LIR_BOOL, 0, before, behind),
                fault(c, what, at, root), -1));
    c->list = outside;
    if (stays(c)) {
        add_sound(c, inside.first);
    } else if (!c->l->failed) {
        add(c, inside.first);
        c->list->last = inside.last;
    }
    c->nchecks++;
}

static void access_at(check *c, int32_t address, int32_t access, hdi_lir_type type, bool writes)
{
    const int32_t root = root_of(c, address);
    const int bytes = hdi_lir_types[type].bytes;
    if (root < 0 || c->l->failed || is_within(c, address, root, bytes))
        return;
    compare(c, address, root, bytes, description(c, access, root, bytes, writes));
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void expression(check *c, int32_t i);

/* The checks of an operand that is evaluated under a condition. */
static int32_t operand(check *c, int32_t i)
{
    hdi_lir_list *outside = c->list, inside = HDI_LIR_EMPTY;
    c->list = &inside;
    expression(c, i);
    c->list = outside;
    return inside.first;
}

static void under(check *c, int32_t condition, int32_t first, int32_t other)
{
    if (first >= 0 || other >= 0)
        add_sound(c, when(c, copied(c, condition), first, other));
}

/* In the order in which they are evaluated: an address may itself be read from memory. */
static void expression(check *c, int32_t i)
{
    if (i < 0 || c->l->failed)
        return;
    const hdi_lir_node n = c->l->node[i];
    expression(c, n.arg[0]);
    if (n.op == HDI_LIR_BOTH) {
        under(c, n.arg[0], operand(c, n.arg[1]), -1);
    } else if (n.op == HDI_LIR_EITHER) {
        under(c, n.arg[0], -1, operand(c, n.arg[1]));
    } else if (n.op == HDI_LIR_CHOOSE) {
        const int32_t first = operand(c, n.arg[1]), other = operand(c, n.arg[2]);
        under(c, n.arg[0], first, other);
    } else {
        expression(c, n.arg[1]);
        expression(c, n.arg[2]);
    }
    if (n.op == HDI_LIR_LOAD)
        access_at(c, n.arg[0], i, (hdi_lir_type)n.type, false);
}

/* ---- statements ------------------------------------------------------------------------------ */

static int32_t checked_list(check *c, int32_t first);

static void operands(check *c, int32_t i)
{
    const hdi_lir_node n = c->l->node[i];
    if (n.op == HDI_LIR_PRINT)
        for (int32_t item = n.arg[0]; item >= 0; item = c->l->node[item].next)
            expression(c, c->l->node[item].arg[0]);
    for (int a = 0; a < 3; a++)
        if (hdi_lir_ops[n.op].shape[a] == 'e' || hdi_lir_ops[n.op].shape[a] == 'o')
            expression(c, n.arg[a]);
    if (n.op == HDI_LIR_STORE || n.op == HDI_LIR_ATOMIC)
        access_at(c, n.arg[0], i, (hdi_lir_type)c->l->node[n.arg[1]].type, true);
}

/* The loop's body begins with a look at what its step has found. */
static int32_t behind_step(check *c, int32_t body)
{
    hdi_lir_list list = HDI_LIR_EMPTY, *outside = c->list;
    c->list = &list;
    const int32_t out = node(c, HDI_LIR_BREAK, HDI_LIR_VOID,
                             c->in_step ? c->step_loops : c->loops, -1, -1);
    add(c, when(c, sound(c, HDI_LIR_NE), out, -1));
    c->list = outside;
    if (!c->l->failed)
        c->l->node[list.last].next = body;
    return list.first;
}

static void loop(check *c, int32_t i)
{
    const hdi_lir_node n = c->l->node[i];
    const check old = *c;
    *(c->in_step ? &c->step_loops : &c->loops) += 1;
    int32_t body = checked_list(c, n.arg[0]);
    const int step_loops = c->step_loops;
    const bool in_step = c->in_step;
    c->in_step = true;
    c->step_loops = 0;
    c->step_checked = false;
    const int32_t step = checked_list(c, n.arg[1]);
    c->in_step = in_step;
    c->step_loops = step_loops;
    if (c->step_checked)
        body = behind_step(c, body);
    c->loops = old.loops;
    c->step_loops = old.step_loops;
    c->step_checked = old.step_checked;
    if (!c->l->failed) {
        c->l->node[i].arg[0] = body;
        c->l->node[i].arg[1] = step;
    }
}

static void statement(check *c, int32_t i)
{
    const int before = c->nchecks;
    operands(c, i);
    const hdi_lir_node n = c->l->node[i];
    if (n.op == HDI_LIR_IF) {
        const int32_t first = checked_list(c, n.arg[1]), other = checked_list(c, n.arg[2]);
        if (!c->l->failed) {
            c->l->node[i].arg[1] = first;
            c->l->node[i].arg[2] = other;
        }
    } else if (n.op == HDI_LIR_LOOP) {
        loop(c, i);
    }
    const bool guarded = c->nchecks > before && c->in_step;
    c->step_checked = c->step_checked || guarded;
    add(c, guarded && stays(c) ? when(c, sound(c, HDI_LIR_EQ), i, -1) : i);
}

static int32_t checked_list(check *c, int32_t first)
{
    hdi_lir_list list = HDI_LIR_EMPTY, *outside = c->list;
    c->list = &list;
    for (int32_t i = first, next; i >= 0 && !c->l->failed; i = next) {
        next = c->l->node[i].next;
        c->l->node[i].next = -1;
        statement(c, i);
    }
    c->list = outside;
    return list.first;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void note(check *c, int word, int32_t x)
{
    const int32_t to = node(c, HDI_LIR_OFFSET, HDI_LIR_POINTER, 8, hdi_lir_get(c->l, c->record),
                            whole(c, word));
    add(c, node(c, HDI_LIR_STORE, HDI_LIR_VOID, 0, to, x));
}

/* The first thread that did something wrong says so. */
static void tell(check *c)
{
    hdi_lir *l = c->l;
    hdi_lir_list *outside = c->list, inside = HDI_LIR_EMPTY, first = HDI_LIR_EMPTY;
    c->list = &inside;
    const int32_t old = variable(c, HDI_LIR_U32);
    const int32_t take =
        hdi_lir_node3(l, HDI_LIR_ATOMIC, HDI_LIR_VOID, 0, old, hdi_lir_get(l, c->record),
                      hdi_lir_const(l, HDI_LIR_U32, 0), hdi_lir_const(l, HDI_LIR_U32, 1));
    if (!l->failed)
        l->node[take].kind = HDI_LIR_A_CAS;
    add(c, take);
    c->list = &first;
    note(c, HDI_LIR_RECORD_WHAT, hdi_lir_get(l, c->what));
    note(c, HDI_LIR_RECORD_AT, hdi_lir_get(l, c->at));
    note(c, HDI_LIR_RECORD_END, hdi_lir_get(l, c->end));
    for (int a = 0; a < 3; a++) {
        const int32_t b = node(c, HDI_LIR_BUILTIN, HDI_LIR_U32, HDI_LIR_BLOCK_X + a, -1, -1);
        note(c, HDI_LIR_RECORD_BLOCK + a, node(c, HDI_LIR_CONVERT, HDI_LIR_I64, 0, b, -1));
        const int32_t t = node(c, HDI_LIR_BUILTIN, HDI_LIR_U32, HDI_LIR_THREAD_X + a, -1, -1);
        note(c, HDI_LIR_RECORD_THREAD + a, node(c, HDI_LIR_CONVERT, HDI_LIR_I64, 0, t, -1));
    }
    c->list = &inside;
    const int32_t none = hdi_lir_const(l, HDI_LIR_U32, 0);
    add(c, when(c, node(c, HDI_LIR_EQ, HDI_LIR_BOOL, 0, hdi_lir_get(l, old), none), first.first,
                -1));
    c->list = outside;
    add(c, when(c, sound(c, HDI_LIR_NE), inside.first, -1));
}

/* The body in a loop of one turn, which a thread leaves that did something wrong. */
static void whole_body(check *c)
{
    hdi_lir *l = c->l;
    hdi_lir_list list = HDI_LIR_EMPTY;
    c->list = &list;
    c->what = variable(c, HDI_LIR_I64);
    c->at = variable(c, HDI_LIR_I64);
    c->end = variable(c, HDI_LIR_I64);
    assign(c, c->what, whole(c, 0));
    assign(c, c->at, whole(c, 0));
    assign(c, c->end, whole(c, 0));
    bases(c, l->body);
    c->loops = 1;
    int32_t body = checked_list(c, l->body);
    hdi_lir_list turn = {body, body};
    while (turn.last >= 0 && !l->failed && l->node[turn.last].next >= 0)
        turn.last = l->node[turn.last].next;
    hdi_lir_list_add(l, &turn, node(c, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1));
    const int32_t once = node(c, HDI_LIR_LOOP, HDI_LIR_VOID, 0, turn.first, -1);
    if (!l->failed)
        l->node[once].flags |= HDI_LIR_COUNTED;
    add(c, once);
    c->record = hidden(c, HDI_LIR_RECORD, 0, HDI_LIR_POINTER);
    tell(c);
    if (!l->failed)
        l->body = list.first;
}

hd_status hdi_lir_check(hdi_lir *l, const hdi_lir *globals)
{
    const size_t n = (size_t)l->nvars + 1;
    int32_t *rooms = hdi_alloc(4 * n * sizeof *rooms);
    if (rooms == NULL)
        return hdi_fail(HD_NOMEM, "out of memory to check a kernel's accesses");
    check c = {.l = l, .globals = globals, .nvars = l->nvars, .root = rooms, .base = rooms + n,
               .low = rooms + 2 * n, .high = rooms + 3 * n, .shared = -1, .record = -1};
    find_roots(&c);
    whole_body(&c);
    hdi_free(rooms, 4 * n * sizeof *rooms);
    return l->failed ? hdi_fail(HD_NOMEM, "out of memory to check a kernel's accesses") : HD_OK;
}

hdi_lir_trespass hdi_lir_trespass_of(const int64_t *record)
{
    const int64_t what = record[HDI_LIR_RECORD_WHAT];
    hdi_lir_trespass t = {.line = (int)(what >> LINE_SHIFT), .bytes = (int)(what & (WRITE - 1)),
                          .writes = (what & WRITE) != 0,
                          .name = (int32_t)(what >> NAME_SHIFT & (MOST_NAME - 1)),
                          .at = record[HDI_LIR_RECORD_AT],
                          .end = record[HDI_LIR_RECORD_END]};
    memcpy(t.block, record + HDI_LIR_RECORD_BLOCK, sizeof t.block);
    memcpy(t.thread, record + HDI_LIR_RECORD_THREAD, sizeof t.thread);
    return t;
}
