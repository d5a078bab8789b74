/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c - who is told of which floating-point faults. A watched operation is a job of its own;
 * what the back end saw during it goes into a list of the thread that recorded it, which waits
 * for the job anyway and reports the list when it is done. */
#include <heddle/faults.h>

#include <stdio.h>

#include "base/lock.h"
#include "exec/exec.h"
#include "ops/ops.h"

/* Operations of one public call; the last place takes what is too much. */
enum { LISTED = 8, ALL_FAULTS = 15 };

typedef struct hdi_fault_list {
    int n;
    bool reporting;            /* the handler's own operations are not reported to it */
    struct { int faults; const char *operation; } at[LISTED];
} hdi_fault_list;

static _Thread_local hdi_fault_list mine __attribute__((tls_model("initial-exec")));
static _Thread_local int noted;
static hd_fault_handler handler;

int hd_watch_faults(int faults)
{
    hdi_lock();
    int before = hdi_watching.faults;
    hdi_watching.faults = faults & ALL_FAULTS;
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

static int faults_of_cast(hd_dtype from, hd_dtype to)
{
    /* to an integer: hdi_value_faults() sees it */
    if (from == HD_BOOL || hdi_is_int(from) || to == HD_BOOL || hdi_is_int(to))
        return 0;
    return hdi_itemsize(hd_dtype_real(to)) < hdi_itemsize(hd_dtype_real(from))
               ? HD_FAULT_OVERFLOW | HD_FAULT_UNDERFLOW
               : 0;
}

/* The processor's flags tell more than NumPy does: loops compare and select with nan in hand,
 * and compute both sides of a choice. What only moves, compares or chooses raises nothing. */
static int faults_of(const hdi_record *r)
{
    const hdi_op_row *row = &hdi_op_rows[r->op];
    if (r->op == HD_OP_copy)
        return faults_of_cast((hd_dtype)r->dt[1], (hd_dtype)r->dt[0]);
    if (row->rule == HDI_RULE_BOOL || row->rule == HDI_RULE_ARG || row->rule == HDI_RULE_BITS ||
        row->rule == HDI_RULE_COND || row->rule == HDI_RULE_INDEX)
        return 0;
    if (r->cdt == HD_BOOL || hdi_is_int((hd_dtype)r->cdt))
        return 0;
    if (hdi_reports_values((hd_op)r->op, (hd_dtype)r->cdt))
        return 0;
    switch (r->op) {
    case HD_OP_sin: case HD_OP_cos:
        return HD_FAULT_INVALID;   /* of huge arguments they also overflow on the way */
    case HD_OP_negative: case HD_OP_positive: case HD_OP_sign: case HD_OP_conjugate:
    case HD_OP_floor: case HD_OP_ceil: case HD_OP_trunc: case HD_OP_rint: case HD_OP_copysign:
    case HD_OP_maximum: case HD_OP_minimum: case HD_OP_fmax: case HD_OP_fmin: case HD_OP_clip:
    case HD_OP_heaviside:
    case HD_OP_min: case HD_OP_max: case HD_OP_gather: case HD_OP_scatter:
        return 0;
    case HD_OP_absolute:
        return hdi_dtypes[r->cdt].kind == 'c' ? ALL_FAULTS : 0;
    default:
        return ALL_FAULTS;
    }
}

const char *hdi_fault_name(hd_op op, bool scalar)
{
    static const char *const after_scalar[HD_OP_COUNT] = {
#define EW1(name, types, rule, value, vx, samples, doc) [HD_OP_##name] = "scalar " #name,
#define EW2(name, types, rule, value, vx, vy, samples, doc) [HD_OP_##name] = "scalar " #name,
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) [HD_OP_##name] = "scalar " #name,
#include "ops/elementwise/ew.def"
    };
    if (op == HD_OP_copy)
        return "cast";
    if (op == HD_OP_cumsum)
        return "accumulate";
    if (op == HD_OP_sumproduct)
        return "matmul";
    if (hdi_op_rows[op].info.cls == 'r')
        return "reduce";
    return scalar && after_scalar[op] != NULL ? after_scalar[op] : hdi_op_rows[op].info.name;
}

/* ---- noting and telling ---------------------------------------------------------------------- */

void hdi_faults_watch(hdi_job *job, const hdi_chunk *chunk)
{
    const hdi_record *r = hdi_watching.record;
    job->watcher = NULL;
    if (HDI_LIKELY(r == NULL) || chunk->n != 1 || chunk->record[0] != r || mine.reporting)
        return;
    job->faults = faults_of(r) & hdi_watching.faults;
    job->operation = hdi_fault_name((hd_op)r->op, hdi_watching.scalar);
    job->watcher = job->faults != 0 ? &mine : NULL;
}

static void add(hdi_fault_list *list, int faults, const char *operation)
{
    if (faults == 0)
        return;
    if (list->n == LISTED) {
        list->at[LISTED - 1].faults |= faults;
        return;
    }
    list->at[list->n].faults = faults;
    list->at[list->n++].operation = operation;
}

void hdi_faults_add(const hdi_job *job, int raised)
{
    add(job->watcher, raised & job->faults, job->operation);
}

void hdi_fault_note(int faults, const char *operation)
{
    if (!mine.reporting)
        add(&mine, faults & hdi_watching.faults, operation);
}

hd_status hdi_faults_report(void)
{
    hd_status status = HD_OK;
    if (HDI_LIKELY(mine.n == 0) || mine.reporting)
        return HD_OK;
    hdi_fault_list list = mine;
    mine.n = 0;
    mine.reporting = true;
    for (int k = 0; k < list.n && status == HD_OK; k++) {
        if (handler == NULL)
            noted |= list.at[k].faults;
        else if (handler(list.at[k].faults, list.at[k].operation) != 0)
            status = hdi_fail(HD_FLOATING, "floating-point fault in %s", list.at[k].operation);
    }
    mine.reporting = false;
    return status;
}
