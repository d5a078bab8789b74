/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_watch.c - floating-point faults of jobs. A watched operation is a job of its own; what the
 * back end saw during it goes into the list of the thread that recorded it (ops/faults.c). */
#include "exec/exec.h"
#include "ops/ops.h"

/* A call that repeats an operation raises what that one does, and what its own casts do. */
static int faults_of_steps(const hdi_record *r)
{
    const bool fold = hdi_op_rows[r->op].payload == HDI_PAYLOAD_fold;
    const hd_op steps = fold ? r->payload.fold.op : r->payload.places.op;
    const hd_dtype cdt = (hd_dtype)r->cdt;
    if (hdi_reports_values(steps, cdt))
        return 0;
    int faults = hdi_loop_faults(steps, cdt) | hdi_cast_faults(cdt, (hd_dtype)r->dt[0]);
    for (int k = 1; k <= r->nin; k++)
        faults |= hdi_cast_faults((hd_dtype)r->dt[k], cdt);
    return faults;
}

static int faults_of(const hdi_record *r)
{
    if (r->op == HD_OP_copy)
        return hdi_cast_faults((hd_dtype)r->dt[1], (hd_dtype)r->dt[0]);
    if (hdi_op_rows[r->op].raises & HDI_RAISES_STEPS)
        return faults_of_steps(r);
    if (hdi_reports_values((hd_op)r->op, (hd_dtype)r->cdt))
        return 0;
    return hdi_loop_faults((hd_op)r->op, (hd_dtype)r->cdt);
}

void hdi_faults_watch(hdi_job *job, const hdi_chunk *chunk)
{
    const hdi_record *r = hdi_watching.record;
    job->watcher = NULL;
    if (HDI_LIKELY(r == NULL) || chunk->record[0] != r ||
        chunk->n != hdi_record_slots(r))
        return;
    job->faults = faults_of(r) & hdi_watching.faults;
    job->operation = hdi_fault_name((hd_op)r->op, hdi_watching.scalar);
    job->watcher = job->faults != 0 ? hdi_faults_here() : NULL;
}

void hdi_faults_add(const hdi_job *job, int raised)
{
    hdi_faults_list(job->watcher, raised & job->faults, job->operation);
}
