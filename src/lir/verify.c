/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.c - lowered IR: are the variables sane, and is the body a tree whose nodes stand where
 * they may? */
#include "lir/passes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

static const int64_t MOST_BYTES = (int64_t)1 << 40;  /* of a variable: sums do not overflow */
enum { MOST_ALIGN = 1 << 16, MOST_PARAMS = 1 << 16, FAULT_BYTES = 160 };

/* Where a statement stands. */
typedef struct place {
    int64_t loops;             /* that BREAK and CONTINUE may leave from here */
    bool returns;              /* RETURN may stand here */
    bool in_threads;
} place;

typedef struct verifier {
    const hdi_lir *l;
    bool *seen;                /* of each node */
    int32_t depth, limit;
} verifier;

static hd_status list(verifier *v, int32_t first, int32_t from, place at, bool items);
static hd_status expression(verifier *v, int32_t i, int32_t from, bool in_threads);

static const char *kernel_name(const hdi_lir *l)
{
    return l->name >= 0 && l->name < l->names_bytes ? l->names + l->name : "?";
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *type_text(const hdi_lir *l, int32_t i)
{
    if (i < 0 || i >= l->nnodes)
        return "-";
    return l->node[i].type < HDI_LIR_TYPES ? hdi_lir_types[l->node[i].type].text : "?";
}

static hd_status bad(const verifier *v, int32_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
static hd_status bad(const verifier *v, int32_t i, const char *format, ...)
{
    const hdi_lir_node *n = &v->l->node[i];
    char fault[FAULT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(fault, sizeof fault, format, args);
    va_end(args);
    return hdi_fail(HD_VALUE,
                    "kernel %.60s, line %d: node %d (%s %s of %s, %s, %s; k %" PRId64 "): %s",
                    kernel_name(v->l), n->line, i,
                    n->op < HDI_LIR_OPS ? hdi_lir_ops[n->op].text : "?", type_text(v->l, i),
                    type_text(v->l, n->arg[0]), type_text(v->l, n->arg[1]),
                    type_text(v->l, n->arg[2]), n->k, fault);
}

static hd_status bad_var(const hdi_lir *l, int32_t i, const char *text, int64_t value)
{
    const hdi_lir_var *var = &l->var[i];
    const bool named = var->name >= 0 && var->name < l->names_bytes;
    return hdi_fail(HD_VALUE, "kernel %.60s: variable %d (%.60s): %s: %" PRId64, kernel_name(l), i,
                    named ? l->names + var->name : "?", text, value);
}

/* ---- variables ------------------------------------------------------------------------------- */

static hd_status var_size(const hdi_lir *l, int32_t i)
{
    const hdi_lir_var *var = &l->var[i];
    const int bytes = hdi_lir_types[var->type].bytes;
    if (var->count < 0 || var->count >= MOST_BYTES / bytes)
        return bad_var(l, i, "a number of elements that cannot be", var->count);
    if (!var->in_memory && var->count != 1)
        return bad_var(l, i, "not in memory, but its elements are", var->count);
    if (var->align < bytes || var->align > MOST_ALIGN || (var->align & (var->align - 1)) != 0)
        return bad_var(l, i, "an alignment that cannot be", var->align);
    if (var->at < 0 || var->at > MOST_BYTES)
        return bad_var(l, i, "an offset that cannot be", var->at);
    if (var->space != HDI_LIR_CONSTANT && var->space != HDI_LIR_GLOBAL)
        return HD_OK;
    if (var->at + var->count * bytes > l->data_bytes || var->at % bytes != 0)
        return bad_var(l, i, "it does not lie in the data, from offset", var->at);
    return HD_OK;
}

static hd_status var_space(const hdi_lir *l, int32_t i)
{
    const hdi_lir_var *var = &l->var[i];
    const bool private = var->space == HDI_LIR_PRIVATE;
    const bool steps = var->space == HDI_LIR_UNIFORM || var->space == HDI_LIR_SPREAD;
    if (steps && !l->lockstep)
        return bad_var(l, i, "UNIFORM or SPREAD, but the kernel is not in lockstep", var->space);
    if (var->space == HDI_LIR_UNIFORM && var->in_memory)
        return bad_var(l, i, "UNIFORM variables are not in memory", var->space);
    if (!private && !steps && !var->in_memory)
        return bad_var(l, i, "variables of this space are in memory", var->space);
    if (var->leads < 0 || var->leads > HDI_LIR_MOST_ALIGN || (var->leads & (var->leads - 1)) != 0
        || (var->leads > 0 && (var->param < 0 || var->type != HDI_LIR_POINTER)))
        return bad_var(l, i, "what it leads to cannot have this alignment", var->leads);
    if (var->dynamic && var->space != HDI_LIR_SHARED)
        return bad_var(l, i, "dynamic, but not SHARED", var->space);
    if (var->param < -1 || var->param >= l->nparams || (var->param >= 0 && !private))
        return bad_var(l, i, "it cannot be this parameter", var->param);
    if (var->role >= HDI_LIR_ROLES || (var->role != HDI_LIR_GIVEN && var->param < 0))
        return bad_var(l, i, "it cannot have this role", var->role);
    if (var->of < 0 || (var->of > 0 && var->of >= l->nparams))
        return bad_var(l, i, "it says something of a parameter that is not there", var->of);
    return HD_OK;
}

static hd_status one_var(const hdi_lir *l, int32_t i)
{
    const hdi_lir_var *var = &l->var[i];
    hd_status status = HD_OK;
    if (var->type >= HDI_LIR_TYPES || var->type == HDI_LIR_VOID)
        return bad_var(l, i, "it cannot have this type", var->type);
    if (var->space >= HDI_LIR_SPACES)
        return bad_var(l, i, "it cannot have this space", var->space);
    if (var->name < 0 || var->name >= l->names_bytes)
        return bad_var(l, i, "its name is no offset in names[]", var->name);
    HD_TRY(var_space(l, i));
    HD_TRY(var_size(l, i));
done:
    return status;
}

/* Each parameter is at most one variable. There may be more parameters than variables. */
static hd_status params_differ(const hdi_lir *l)
{
    hd_status status = HD_OK;
    const size_t size = (size_t)l->nparams + 1;
    bool *taken = hdi_calloc(size);
    HD_REQUIRE(taken != NULL, HD_NOMEM, "out of memory for %d parameters", l->nparams);
    for (int32_t i = 0; i < l->nvars && status == HD_OK; i++) {
        const int32_t param = l->var[i].param;
        if (param >= 0 && taken[param])
            status = bad_var(l, i, "another variable is this parameter", param);
        else if (param >= 0)
            taken[param] = true;
    }
done:
    hdi_free(taken, size);
    return status;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A node that is there, was not met before, and has an op and a type that exist. */
static hd_status enter(verifier *v, int32_t i, int32_t from)
{
    const hdi_lir *l = v->l;
    if (i < 0 || i >= l->nnodes) {
        if (from < 0)
            return hdi_fail(HD_VALUE, "kernel %.60s: its body is no node: %d", kernel_name(l), i);
        return bad(v, from, "an operand or `next` is no node: %d", i);
    }
    if (v->seen[i])
        return bad(v, i, "it is used twice");
    v->seen[i] = true;
    if (l->node[i].op >= HDI_LIR_OPS)
        return bad(v, i, "no such op: %d", l->node[i].op);
    if (l->node[i].type >= HDI_LIR_TYPES)
        return bad(v, i, "no such type: %d", l->node[i].type);
    if (l->node[i].line < 0)
        return bad(v, i, "a line is not negative");
    if (v->depth > v->limit)
        return bad(v, i, "it is nested deeper than %d", v->limit);
    return HD_OK;
}

/* What only a thread has, where the body runs for a whole block. */
static hd_status belongs(const verifier *v, int32_t i, bool in_threads)
{
    const hdi_lir_node *n = &v->l->node[i];
    if (!v->l->lockstep || in_threads)
        return HD_OK;
    if (n->op == HDI_LIR_BUILTIN)
        return n->k <= HDI_LIR_THREAD_Z || n->k == HDI_LIR_THREAD
                   ? bad(v, i, "there is no thread outside THREADS") : HD_OK;
    if (n->op == HDI_LIR_PEER || n->k < 0)
        return HD_OK;
    const hdi_lir_var *var = &v->l->var[n->k];
    const bool reads = n->op == HDI_LIR_GET || n->op == HDI_LIR_ADDRESS;
    if ((var->space == HDI_LIR_PRIVATE && !(reads && var->param >= 0))
        || var->space == HDI_LIR_SPREAD)
        return bad(v, i, "a thread's variable is used outside THREADS");
    return HD_OK;
}

static bool names_var(int op)
{
    switch (op) {
    case HDI_LIR_GET: case HDI_LIR_ADDRESS: case HDI_LIR_DECLARE: case HDI_LIR_ASSIGN:
    case HDI_LIR_ATOMIC: case HDI_LIR_BUILTIN: case HDI_LIR_PEER:
        return true;
    default:
        return false;
    }
}

/* The operands that are expressions. */
static hd_status operands(verifier *v, int32_t i, bool in_threads)
{
    const hdi_lir_node *n = &v->l->node[i];
    hd_status status = HD_OK;
    for (int a = 0; a < 3; a++) {
        const char shape = hdi_lir_ops[n->op].shape[a];
        const bool none = n->op == HDI_LIR_WARP && n->kind == HDI_LIR_W_ACTIVE;
        if (shape == '-' || (shape == 'e' && none)) {
            if (n->arg[a] != -1)
                return bad(v, i, "operand %d must be -1: %d", a, n->arg[a]);
        } else if (shape == 'e' || (shape == 'o' && n->arg[a] != -1)) {
            if (n->arg[a] < 0)
                return bad(v, i, "operand %d is missing: %d", a, n->arg[a]);
            HD_TRY(expression(v, n->arg[a], i, in_threads));
        }
    }
    const char *fault = hdi_lir_fault(v->l, n);
    if (fault != NULL)
        return bad(v, i, "%s", fault);
    if (names_var(n->op))
        status = belongs(v, i, in_threads);
done:
    return status;
}

static hd_status expression(verifier *v, int32_t i, int32_t from, bool in_threads)
{
    hd_status status = HD_OK;
    v->depth++;
    HD_TRY(enter(v, i, from));
    if (!hdi_lir_ops[v->l->node[i].op].is_expression)
        return bad(v, i, "a statement stands where an expression belongs");
    if (v->l->node[i].next != -1)
        return bad(v, i, "an expression has no `next`: %d", v->l->node[i].next);
    HD_TRY(operands(v, i, in_threads));
done:
    v->depth--;
    return status;
}

/* ---- statements ------------------------------------------------------------------------------ */

static hd_status inner_lists(verifier *v, int32_t i, place at)
{
    const hdi_lir_node *n = &v->l->node[i];
    const place step = {0, false, at.in_threads};
    hd_status status = HD_OK;
    switch (n->op) {
    case HDI_LIR_IF:
        HD_TRY(list(v, n->arg[1], i, at, false));
        HD_TRY(list(v, n->arg[2], i, at, false));
        break;
    case HDI_LIR_LOOP:
        at.loops++;
        HD_TRY(list(v, n->arg[0], i, at, false));
        HD_TRY(list(v, n->arg[1], i, step, false));
        break;
    case HDI_LIR_THREADS:
        HD_TRY(list(v, n->arg[0], i, (place){0, false, true}, false));
        break;
    case HDI_LIR_PRINT:
        HD_TRY(list(v, n->arg[0], i, at, true));
        break;
    default:
        break;
    }
done:
    return status;
}

static hd_status may_stand(const verifier *v, int32_t i, place at)
{
    const hdi_lir_node *n = &v->l->node[i];
    switch (n->op) {
    case HDI_LIR_BREAK: case HDI_LIR_CONTINUE:
        return n->k >= 1 && n->k <= at.loops
                   ? HD_OK : bad(v, i, "there are only %" PRId64 " loops to leave", at.loops);
    case HDI_LIR_RETURN:
        return at.returns ? HD_OK : bad(v, i, "nothing returns from a step or from THREADS");
    case HDI_LIR_THREADS:
        return v->l->lockstep && !at.in_threads
                   ? HD_OK : bad(v, i, "THREADS stands outside of others, and in lockstep only");
    case HDI_LIR_WARP:
        if (v->l->lockstep)
            return bad(v, i, "there are no warps in lockstep");
        break;
    case HDI_LIR_BARRIER: case HDI_LIR_SYNCWARP:
        if (at.in_threads)
            return bad(v, i, "threads cannot meet within THREADS");
        break;
    default:
        return HD_OK;
    }
    return v->l->syncs || v->l->lockstep ? HD_OK : bad(v, i, "the kernel does not say `syncs`");
}

static hd_status statement(verifier *v, int32_t i, place at, bool items)
{
    hd_status status = HD_OK;
    if (hdi_lir_ops[v->l->node[i].op].is_expression)
        return bad(v, i, "an expression stands where a statement belongs");
    if ((v->l->node[i].op == HDI_LIR_ITEM) != items)
        return bad(v, i, "items, and nothing else, stand in PRINT");
    HD_TRY(may_stand(v, i, at));
    HD_TRY(operands(v, i, at.in_threads));
    HD_TRY(inner_lists(v, i, at));
done:
    return status;
}

static hd_status list(verifier *v, int32_t first, int32_t from, place at, bool items)
{
    hd_status status = HD_OK;
    v->depth++;
    for (int32_t i = first; i != -1; from = i, i = v->l->node[i].next) {
        HD_TRY(enter(v, i, from));
        HD_TRY(statement(v, i, at, items));
    }
done:
    v->depth--;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static hd_status head(const hdi_lir *l)
{
    if (l->failed)
        return hdi_fail(HD_NOMEM, "out of memory for a kernel of %d nodes", l->nnodes);
    if (l->names_bytes <= 0 || l->names[l->names_bytes - 1] != '\0')
        return hdi_fail(HD_VALUE, "a kernel's names do not end: %" PRId64 " bytes", l->names_bytes);
    if (l->name < 0 || l->name >= l->names_bytes)
        return hdi_fail(HD_VALUE, "a kernel's name is no offset in names[]: %d", l->name);
    if (l->nparams < 0 || l->nparams > MOST_PARAMS || l->max_threads < 0)
        return hdi_fail(HD_VALUE, "kernel %.60s: %d parameters, %d threads at most", kernel_name(l),
                        l->nparams, l->max_threads);
    return HD_OK;
}

hd_status hdi_lir_verify(const hdi_lir *l)
{
    hd_status status = HD_OK;
    const size_t size = (size_t)l->nnodes + 1;
    bool *seen = hdi_calloc(size);
    HD_REQUIRE(seen != NULL, HD_NOMEM, "out of memory to verify %d nodes", l->nnodes);
    HD_TRY(head(l));
    for (int32_t i = 0; i < l->nvars; i++)
        HD_TRY(one_var(l, i));
    HD_TRY(params_differ(l));
    verifier v = {l, seen, 0, HDI_LIR_DEPTH + (l->lockstep ? HDI_LIR_DEPTH_ADDED : 0)};
    HD_TRY(list(&v, l->body, -1, (place){0, true, false}, false));
done:
    hdi_free(seen, size);
    return status;
}
