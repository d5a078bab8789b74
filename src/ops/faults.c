/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c - which floating-point faults an operation can raise, and who is told of them. What
 * operations and jobs note goes into a list of the thread that recorded them, which waits for its
 * watched job anyway (exec/fault_watch.c) and reports the list when it is done. */
#include <heddle/faults.h>

#include <stdio.h>

#include "base/lock.h"
#include "ops/ops.h"

/* Operations of one public call; the last place takes what is too much. */
enum { LISTED = 8, ALL_FAULTS = 15 };

struct hdi_fault_list {
    int n;
    bool reporting;            /* the handler's own operations are not reported to it */
    bool held;                 /* an operation is not at its end yet */
    struct { int faults; const char *operation; } at[LISTED];
};

static _Thread_local hdi_fault_list mine __attribute__((tls_model("initial-exec")));
static _Thread_local int noted;
static hd_fault_handler handler;

int hd_watch_faults(int faults)
{
    hdi_lock();
    int before = hdi_watching.asked;
    hdi_watching.asked = faults & ALL_FAULTS;
    hdi_watch_update();
    hdi_unlock();
    return before;
}

int hd_faults_take(void)
{
    int faults = noted;
    noted = 0;
    return faults;
}

void hd_set_fault_handler(hd_fault_handler h)
{
    hdi_lock();
    handler = h;
    hdi_unlock();
}

/* ---- what an operation can raise ------------------------------------------------------------- */

int hdi_cast_faults(hd_dtype from, hd_dtype to)
{
    /* integers that a float16 does not hold */
    if (to == HD_FLOAT16 && from != HD_BOOL && hdi_is_int(from))
        return hd_can_cast(from, to, HD_CAST_SAFE) ? 0 : HD_FAULT_OVERFLOW;
    /* to an integer: hdi_value_faults() sees it */
    if (from == HD_BOOL || hdi_is_int(from) || to == HD_BOOL || hdi_is_int(to))
        return 0;
    return hdi_itemsize(hd_dtype_real(to)) < hdi_itemsize(hd_dtype_real(from))
               ? HD_FAULT_OVERFLOW | HD_FAULT_UNDERFLOW
               : 0;
}

/* Functions of the mathematical library: what of their flags is the user's concern. */
static int faults_of_call(const char *function)
{
    static const char *const quiet[] = {"floor", "ceil", "trunc", "rint", "copysign"};
    for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
        if (strcmp(function, quiet[k]) == 0)
            return 0;
    /* of huge arguments these also overflow on the way */
    bool periodic = strcmp(function, "sin") == 0 || strcmp(function, "cos") == 0;
    return periodic ? HD_FAULT_INVALID : ALL_FAULTS;
}

/* The value column of the tables, read as what it can raise. The processor's flags tell more than
 * NumPy does: loops compare and select with nan in hand, and compute both sides of a choice. What
 * only moves, compares or chooses raises nothing. */
#define QUIET1(a) (a)
#define QUIET2(a, b) ((a) | (b))
#define QUIET3(a, b, c) ((a) | (b) | (c))
#define LOUD1(a) (ALL_FAULTS | (a))
#define LOUD2(a, b) (ALL_FAULTS | (a) | (b))
#define NEG QUIET1
#define SIGN QUIET1
#define CONJ QUIET1
#define NOT QUIET1
#define BNOT QUIET1
#define ISNAN QUIET1
#define ISINF QUIET1
#define ISFINITE QUIET1
#define FRACTION QUIET1
#define MANTISSA QUIET1
#define EXPONENT QUIET1
#define SIGNBIT QUIET1
#define POPCOUNT QUIET1
#define SPACING QUIET1
#define ABS(a) ((complex ? ALL_FAULTS : 0) | (a))
#define LT QUIET2
#define LE QUIET2
#define GT QUIET2
#define GE QUIET2
#define EQ QUIET2
#define NE QUIET2
#define AND QUIET2
#define OR QUIET2
#define XOR QUIET2
#define BAND QUIET2
#define BOR QUIET2
#define BXOR QUIET2
#define SHL QUIET2
#define SHR QUIET2
#define MAX QUIET2
#define MIN QUIET2
#define FMAX QUIET2
#define FMIN QUIET2
#define UNIFORM QUIET2
#define NORMAL QUIET2
#define RAW64 QUIET2
#define GCD QUIET2
#define LCM QUIET2
#define FMOD LOUD2
#define LDEXP LOUD2
#define BOUNDED QUIET3
#define GAMMA QUIET3
#define BETA QUIET3
#define POISSON QUIET2
#define BINOMIAL QUIET3
#define SELECT QUIET3
#define ADD LOUD2
#define SUB LOUD2
#define MUL LOUD2
#define DIV LOUD2
#define FLOORDIV LOUD2
#define MOD LOUD2
#define POW LOUD2
#define RECIP LOUD1
#define FMA(a, b, c) (ALL_FAULTS | (a) | (b) | (c))
#define CALL1(f, a) (faults_of_call(#f) | (a))
#define CALL2(f, a, b) (faults_of_call(#f) | (a) | (b))

static int faults_of_row(hd_op op, bool complex)
{
    enum { x = 0, y = 0, z = 0, a = 0, ZERO = 0, ONE = 0, DEGREE = 0, RADIAN = 0 };
    (void)complex;
    switch ((int)op) {
#define EW1(name, types, rule, value, vx, samples, doc) case HD_OP_##name: return value;
#define EW2(name, types, rule, value, vx, vy, samples, doc) case HD_OP_##name: return value;
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) case HD_OP_##name: return value;
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, combine, identity, vjp, doc) case HD_OP_##name: return combine;
#include "ops/reduce/red.def"
    /* LAPACK raises flags on its way to right results; what went wrong is an error of the call */
    case HD_OP_solve ... HD_OP_lstsq:
    case HD_OP_gather:
    case HD_OP_scatter:
    case HD_OP_true_words:
    case HD_OP_compress:
    case HD_OP_true_places:
    case HD_OP_random_order:
    case HD_OP_random_pick:
    case HD_OP_sort:
    case HD_OP_argsort:
    case HD_OP_partition:
    case HD_OP_argpartition:
    case HD_OP_searchsorted:
    case HD_OP_histogram:
        return 0;
    default:
        return ALL_FAULTS;
    }
}

int hdi_loop_faults(hd_op op, hd_dtype cdt)
{
    const hdi_rule rule = hdi_op_rows[op].rule;
    if (rule == HDI_RULE_BOOL || rule == HDI_RULE_ARG || rule == HDI_RULE_BITS ||
        rule == HDI_RULE_COND || rule == HDI_RULE_INDEX || rule == HDI_RULE_DRAW ||
        rule == HDI_RULE_UINT8 || rule == HDI_RULE_INT32)
        return 0;
    if (cdt == HD_BOOL || hdi_is_int(cdt))
        return 0;
    if (op == HD_OP_spacing && cdt == HD_FLOAT16)   /* NumPy's of wider types are silent */
        return HD_FAULT_OVERFLOW | HD_FAULT_INVALID;
    return faults_of_row(op, hdi_dtypes[cdt].kind == 'c');
}

const char *hdi_fault_name(hd_op op, bool scalar)
{
    static const char *const after_scalar[HD_OP_COUNT] = {
#define EW1(name, types, rule, value, vx, samples, doc) [HD_OP_##name] = "scalar " #name,
#define EW2(name, types, rule, value, vx, vy, samples, doc) [HD_OP_##name] = "scalar " #name,
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) [HD_OP_##name] = "scalar " #name,
#include "ops/elementwise/ew.def"
    };
    if (hdi_watching.whole != NULL)
        return hdi_watching.whole;
    if (op == HD_OP_copy)
        return "cast";
    if (op == HD_OP_sumproduct)
        return "matmul";
    if (hdi_op_rows[op].info.cls == 'r')
        return "reduce";
    return scalar && after_scalar[op] != NULL ? after_scalar[op] : hdi_op_rows[op].info.name;
}

/* ---- noting and telling ---------------------------------------------------------------------- */

hdi_fault_list *hdi_faults_here(void)
{
    return mine.reporting ? NULL : &mine;
}

static bool is_pair(const char *operation)
{
    for (int i = 0; hd_pair_info_of(i) != NULL; i++)
        if (hd_pair_info_of(i)->name == operation)
            return true;
    return false;
}

void hdi_faults_list(hdi_fault_list *list, int faults, const char *operation)
{
    if (faults == 0)
        return;
    if (list->n > 0 && list->at[list->n - 1].operation == operation && is_pair(operation)) {
        list->at[list->n - 1].faults |= faults;   /* of both results, told once */
        return;
    }
    if (list->n == LISTED) {
        list->at[LISTED - 1].faults |= faults;
        return;
    }
    list->at[list->n].faults = faults;
    list->at[list->n++].operation = operation;
}

void hdi_fault_note(int faults, const char *operation)
{
    if (!mine.reporting)
        hdi_faults_list(&mine, faults & hdi_watching.faults, operation);
}

void hdi_faults_hold(void)
{
    mine.held = true;
}

void hdi_faults_let_go(hd_device *dev)
{
    mine.held = false;
    dev->queued |= mine.n > 0;
}

hd_status hdi_faults_report(void)
{
    hd_status status = HD_OK;
    if (HDI_LIKELY(mine.n == 0) || mine.reporting || mine.held)
        return HD_OK;
    hdi_fault_list list = mine;
    mine.n = 0;
    mine.reporting = true;
    for (int k = 0; k < list.n && status == HD_OK; k++) {
        hdi_aside aside;
        int objects = 0;
        if (handler == NULL) {
            noted |= list.at[k].faults;
            continue;
        }
        hdi_host_begin(&aside);
        objects = handler(list.at[k].faults, list.at[k].operation);
        hdi_host_end(&aside);
        if (objects != 0)
            status = hdi_fail(HD_FLOATING, "floating-point fault in %s", list.at[k].operation);
    }
    mine.reporting = false;
    return status;
}
