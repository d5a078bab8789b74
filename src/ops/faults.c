/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c - which floating-point faults an operation can raise, and who is told of them. What
 * operations and jobs note goes into a list of the thread that recorded them, which waits for its
 * watched job anyway (exec/fault_watch.c) and reports the list when it is done. */
#include <heddle/faults.h>

#include <stdio.h>

#include "base/lock.h"
#include "ops/ops.h"

/* Operations of one public call; the last place takes what is too much. */
enum { LISTED = 8 };

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
    hdi_watching.asked = faults & HDI_ALL_FAULTS;
    hdi_watched.threads += (hdi_watching.asked != 0) - (before != 0);
    hdi_watchers_changed();
    hdi_faults_ask();
    hdi_unlock();
    return before;
}

void hd_set_faults_wanted(hd_faults_wanted wanted)
{
    hdi_lock();
    hdi_watched.wanted = wanted;
    hdi_watchers_changed();
    hdi_unlock();
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

const char *hdi_fault_name(hd_op op, bool scalar)
{
    const hdi_op_row *row = &hdi_op_rows[op];
    if (hdi_watching.whole != NULL)
        return hdi_watching.whole;
    if (op == HD_OP_copy)
        return "cast";
    if (op == HD_OP_sumproduct)
        return "matmul";
    if (row->info.cls == 'r')
        return "reduce";
    return scalar && row->of_scalars != NULL ? row->of_scalars : row->info.name;
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
    if (mine.n > 0)
        hdi_window_of(dev)->queued = dev->queued = true;
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
