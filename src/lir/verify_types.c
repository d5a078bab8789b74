/* SPDX-License-Identifier: BSD-3-Clause */
/* verify_types.c - lowered IR: the types that nodes.def demands of a node and its operands. */
#include "lir/passes.h"

static const int64_t MOST_STEP = (int64_t)1 << 40;   /* bytes of an element of OFFSET */

static char kind_of(int type)
{
    return hdi_lir_types[type].kind;
}

static bool is_whole(int type)
{
    return kind_of(type) == 'i' || kind_of(type) == 'u';
}

static bool is_number(int type)
{
    return is_whole(type) || kind_of(type) == 'f';
}

static bool is_whole_or_bool(int type)
{
    return is_whole(type) || type == HDI_LIR_BOOL;
}

/* Type of an operand; VOID: there is none. */
static int arg_type(const hdi_lir *l, const hdi_lir_node *n, int a)
{
    return n->arg[a] < 0 ? HDI_LIR_VOID : l->node[n->arg[a]].type;
}

static bool all_have(const hdi_lir *l, const hdi_lir_node *n, int first, int last, int type)
{
    for (int a = first; a <= last; a++)
        if (arg_type(l, n, a) != type)
            return false;
    return true;
}

/* ---- operands that are not nodes ------------------------------------------------------------- */

static bool fits(int type, int64_t bits)
{
    const int width = 8 * hdi_lir_types[type].bytes;
    switch (kind_of(type)) {
    case 'b': return bits == 0 || bits == 1;
    case 'p': return bits == 0;
    case 'i': return width == 64 || (bits >> (width - 1)) == 0 || (bits >> (width - 1)) == -1;
    case 'u':
    case 'f': return width == 64 || (bits >> width) == 0;
    default:  return false;
    }
}

static const hdi_lir_var *var_of(const hdi_lir *l, int64_t k)
{
    return k < 0 || k >= l->nvars ? NULL : &l->var[k];
}

static const char *value_fault(const hdi_lir *l, int64_t k, int type)
{
    const hdi_lir_var *var = var_of(l, k);
    if (var == NULL)
        return "k is no variable";
    if (var->in_memory)
        return "the variable is in memory: LOAD and STORE reach it";
    return var->type == type ? NULL : "the variable has another type";
}

static const char *place_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const hdi_lir_var *var = var_of(l, n->k);
    if (var == NULL)
        return "k is no variable";
    if (!var->in_memory)
        return "the variable is not in memory: it has no address";
    return n->type == HDI_LIR_POINTER ? NULL : "an address is a pointer";
}

static const char *name_fault(const hdi_lir *l, int64_t k)
{
    const hdi_lir_var *var = var_of(l, k);
    if (var == NULL)
        return "k is no variable";
    if (var->param >= 0)
        return "a parameter has its value at the entry: it is not declared";
    return var->space == HDI_LIR_PRIVATE ? NULL : "only PRIVATE variables are declared";
}

static const char *text_fault(const hdi_lir *l, int64_t k)
{
    return k >= 0 && k < l->names_bytes ? NULL : "k is no offset in names[]";
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const char *cast_fault(int from, int to)
{
    if (from == HDI_LIR_POINTER || to == HDI_LIR_POINTER) {
        const int other = from == HDI_LIR_POINTER ? to : from;
        return other == HDI_LIR_I64 || other == HDI_LIR_U64
                   ? NULL : "a pointer converts to and from i64 and u64 only";
    }
    return (is_number(from) || from == HDI_LIR_BOOL) && (is_number(to) || to == HDI_LIR_BOOL)
               ? NULL : "conversions are between numbers, bool and pointers";
}

static const char *math_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    if (n->k < 0 || n->k >= HDI_LIR_MATHS)
        return "k is no function of math.def";
    const hdi_lir_math_row *row = &hdi_lir_maths[n->k];
    if (row->kinds == 'f' ? kind_of(n->type) != 'f'
                          : row->kinds == 'w' ? !is_whole(n->type) : !is_number(n->type))
        return "the function does not exist for this type";
    for (int a = 0; a < 3; a++)
        if ((a < row->narg) != (n->arg[a] >= 0))
            return "the function has another number of arguments";
    return all_have(l, n, 0, row->narg - 1, n->type) ? NULL : "arguments have the node's type";
}

static const char *peer_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const char *fault = value_fault(l, n->k, n->type);
    if (fault == NULL && l->var[n->k].space != HDI_LIR_SPREAD)
        return "the variable is not SPREAD";
    if (fault == NULL && arg_type(l, n, 0) != HDI_LIR_U32)
        return "the number of a thread is a u32";
    return fault;
}

static const char *choose(bool good, const char *text)
{
    return good ? NULL : text;
}

/* Operators: the types of operands and node alone decide. */
static const char *operator_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const int t = n->type, x = arg_type(l, n, 0), y = arg_type(l, n, 1);
    switch (hdi_lir_ops[n->op].rule) {
    case HDI_LIR_R_SAME1:
        return choose(is_number(t) && x == t, "the operand has the node's type, a number");
    case HDI_LIR_R_WHOLE1:
        return choose(is_whole_or_bool(t) && x == t,
                      "the operand has the node's type, an integer or bool");
    case HDI_LIR_R_SAME2:
        return choose(is_number(t) && x == t && y == t,
                      "the operands have the node's type, a number");
    case HDI_LIR_R_WHOLE2:
        return choose(is_whole_or_bool(t) && x == t && y == t,
                      "the operands have the node's type, an integer or bool");
    case HDI_LIR_R_SHIFT:
        return choose(is_whole(t) && x == t && y == HDI_LIR_U32,
                      "an integer of the node's type is shifted by a u32");
    case HDI_LIR_R_COMPARE:
        return choose(t == HDI_LIR_BOOL && x == y && (is_number(x) || x == HDI_LIR_POINTER),
                      "numbers or pointers of one type are compared; the result is a bool");
    case HDI_LIR_R_TRUTH2:
        return choose(t == HDI_LIR_BOOL && x == t && y == t, "operands and result are bools");
    default: /* CHOICE */
        return choose(x == HDI_LIR_BOOL && t != HDI_LIR_VOID && all_have(l, n, 1, 2, t),
                      "a bool chooses between two values of the node's type");
    }
}

static const char *expression_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const int t = n->type, x = arg_type(l, n, 0);
    switch (hdi_lir_ops[n->op].rule) {
    case HDI_LIR_R_CONSTANT:
        return choose(fits(t, n->k), "the bits of the constant do not fit its type");
    case HDI_LIR_R_VARIABLE:
        return value_fault(l, n->k, t);
    case HDI_LIR_R_PLACE:
        return place_fault(l, n);
    case HDI_LIR_R_BUILTIN:
        return choose(n->k >= 0 && n->k < HDI_LIR_BUILTINS && t == HDI_LIR_U32,
                      "k is a builtin number, of type u32");
    case HDI_LIR_R_CAST:
        return cast_fault(x, t);
    case HDI_LIR_R_BITS:
        return choose(is_number(x) && is_number(t)
                      && hdi_lir_types[x].bytes == hdi_lir_types[t].bytes,
                      "bits are taken between numbers of one size");
    case HDI_LIR_R_READ:
        return choose(x == HDI_LIR_POINTER && t != HDI_LIR_VOID, "a value is read from a pointer");
    case HDI_LIR_R_STEP:
        return choose(t == HDI_LIR_POINTER && x == t && arg_type(l, n, 1) == HDI_LIR_I64
                      && n->k >= 0 && n->k < MOST_STEP,
                      "a pointer moves by an i64, in steps of k bytes, 0 to 2^40");
    case HDI_LIR_R_MATH:
        return math_fault(l, n);
    case HDI_LIR_R_PEER:
        return peer_fault(l, n);
    default:
        return operator_fault(l, n);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool atomic_is_of(int atomic, int type)
{
    const int bytes = hdi_lir_types[type].bytes;
    switch (atomic) {
    case HDI_LIR_A_CAS:
        return is_number(type) && bytes >= 2;
    case HDI_LIR_A_ADD: case HDI_LIR_A_EXCHANGE:
        return is_number(type) && bytes >= 4;
    case HDI_LIR_A_INC: case HDI_LIR_A_DEC:
        return type == HDI_LIR_U32;
    default:
        return is_whole(type) && bytes >= 4;
    }
}

static const char *atomic_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const int type = arg_type(l, n, 1);
    if (n->kind >= HDI_LIR_ATOMICS)
        return "kind is no atomic operation";
    if (arg_type(l, n, 0) != HDI_LIR_POINTER)
        return "an atomic operation needs a pointer";
    if (!atomic_is_of(n->kind, type))
        return "the atomic operation does not exist for this type";
    if (arg_type(l, n, 2) != (n->kind == HDI_LIR_A_CAS ? type : HDI_LIR_VOID))
        return "CAS, and no other, has a third operand, of the type of the second";
    return n->k == -1 ? NULL : value_fault(l, n->k, type);
}

static const char *shuffle_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    if (!is_number(arg_type(l, n, 0)) || !all_have(l, n, 1, 2, HDI_LIR_U32))
        return "a number, a u32 lane and a u32 width are shuffled";
    return value_fault(l, n->k, arg_type(l, n, 0));
}

static const char *warp_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const int x = arg_type(l, n, 0);
    if (n->kind >= HDI_LIR_WARPS)
        return "kind is no operation of a warp";
    if (n->kind <= HDI_LIR_W_SHUFFLE_XOR)
        return shuffle_fault(l, n);
    if (!all_have(l, n, 1, 2, HDI_LIR_VOID))
        return "a vote has one operand";
    switch (n->kind) {
    case HDI_LIR_W_ACTIVE:
        return x != HDI_LIR_VOID ? "ACTIVE has no operand" : value_fault(l, n->k, HDI_LIR_U32);
    case HDI_LIR_W_MATCH:
        return !is_whole(x) ? "MATCH is of integers" : value_fault(l, n->k, HDI_LIR_U32);
    default:
        break;
    }
    if (x != HDI_LIR_BOOL)
        return "the vote is of a bool";
    return value_fault(l, n->k, n->kind >= HDI_LIR_W_BLOCK_COUNT ? HDI_LIR_I32
                                : n->kind == HDI_LIR_W_BALLOT ? HDI_LIR_U32 : HDI_LIR_BOOL);
}

static const char *statement_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    if (n->type != HDI_LIR_VOID)
        return "a statement has the type void";
    switch (hdi_lir_ops[n->op].rule) {
    case HDI_LIR_R_NAME:
        return name_fault(l, n->k);
    case HDI_LIR_R_SET:
        return value_fault(l, n->k, arg_type(l, n, 0));
    case HDI_LIR_R_WRITE:
        return choose(arg_type(l, n, 0) == HDI_LIR_POINTER, "a value is stored through a pointer");
    case HDI_LIR_R_ATOMIC:
        return atomic_fault(l, n);
    case HDI_LIR_R_WARP:
        return warp_fault(l, n);
    case HDI_LIR_R_WHEN:
        return choose(arg_type(l, n, 0) == HDI_LIR_BOOL, "the condition is a bool");
    case HDI_LIR_R_TURNS:
        return choose(n->op != HDI_LIR_LOOP ||
                      (n->k >= HDI_LIR_UNROLL_ALL && n->k <= HDI_LIR_MOST_UNROLL),
                      "a loop cannot be unrolled so often");
    case HDI_LIR_R_TEXT:
        return text_fault(l, n->k);
    case HDI_LIR_R_NOTHING:
        return n->op == HDI_LIR_TRAP ? text_fault(l, n->k) : NULL;
    default:
        return NULL;
    }
}

const char *hdi_lir_fault(const hdi_lir *l, const hdi_lir_node *n)
{
    const int flags = n->op == HDI_LIR_LOAD || n->op == HDI_LIR_STORE ? HDI_LIR_VOLATILE
                      : n->op == HDI_LIR_LOOP ? HDI_LIR_COUNTED : 0;
    if ((n->flags & ~flags) != 0)
        return "it has flags that it cannot have";
    if ((n->op == HDI_LIR_LOAD || n->op == HDI_LIR_STORE) && n->kind > HDI_LIR_MOST_KIND)
        return "it promises an alignment that cannot be";
    return hdi_lir_ops[n->op].is_expression ? expression_fault(l, n) : statement_fault(l, n);
}
