/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_mirrored.c - small work on arrays of a GPU that the host has mirrors of, where the loops have
 * the GPU's bits (nan apart, whose sign and payload are the processor's).
 * See        docs/design/window.md, "Mirrors" */
#include "backend/cpu/cpu_program.h"
#include "backend/cpu/cpu_small.h"
#include "backend/cpu/cpu_small_work.h"
#include "backend/cpu/cpu_vecmath.h"
#include "core/op.h"

/* Rows of at least this cost call mathematical functions, whose texts want a fused multiply and add
 * (docs/design/math.md, "The same bits"). */
enum { CALL_COST = 6 };

static bool fuses(void)
{
    return strcmp(hdi_loops_chosen()->isa, "v2") != 0;
}

/* Do the results of repeating an operation depend on the order? Of extremes of reals the order
 * decides which of two zeros it is. */
static bool depends_on_order(hd_dtype dt)
{
    const char kind = hdi_dtypes[dt].kind;
    return kind == 'f' || kind == 'c';
}

/* Running results of short lines are made one after the other on GPUs too (cuda_cub.c). */
static bool runs_alike(const hdi_record *r)
{
    const hdi_layout *x = r->operand[1].lay;
    const int64_t n = x->dims[r->payload.fold.axis];
    return !depends_on_order((hd_dtype)r->cdt) || (n > 0 && hdi_is_short(x->size / n, n));
}

/* All elements, which lie in the order in which both sides walk them? */
static bool is_one_row(const hdi_record *r)
{
    const hdi_layout *x = r->operand[1].lay;
    return r->sqaxes == ((uint64_t)1 << r->domain->nsq) - 1 &&
           (x->nsq == 1 || (r->nin == 1 && (x->c_contiguous || x->f_contiguous)));
}

/* The elements of each result along one axis, or all of them as they lie? */
static bool is_one_line(const hdi_record *r)
{
    return (r->sqaxes & (r->sqaxes - 1)) == 0 || is_one_row(r);
}

static bool is_short(const hdi_record *r)
{
    int64_t results = 1;
    for (int a = 0; a < r->domain->nsq; a++)
        results *= r->sqaxes >> a & 1 ? 1 : r->domain->sqdims[a];
    return results > 0 && hdi_is_short(results, r->domain->size / results);
}

/* A GPU reduces short rows in the order of a chunk (cuda_layout.c). */
static bool reduces_alike(const hdi_record *r)
{
    const bool fused = r->op == HD_OP_sumproduct;
    const bool truth = r->op == HD_OP_any || r->op == HD_OP_all;
    /* Of complex numbers: a GPU rounds each product, and then the sum (llvm_grid_red.c); what is
     * not finite depends on where 1 is multiplied with for want of an element, and on the nan. */
    if (hdi_dtypes[r->cdt].kind == 'c' && r->op != HD_OP_sum && !truth)
        return false;
    return !depends_on_order((hd_dtype)r->cdt) || truth ||
           hdi_op_rows[r->op].rule == HDI_RULE_ARG ||
           (is_one_line(r) && (!fused || fuses()) && is_short(r));
}

/* Library calls whose results are the only ones possible, and that both sides take the same
 * operands for. */
static bool calls_alike(const hdi_record *r)
{
    switch (r->op) {
    case HD_OP_gather:
        return (r->payload.places.flags & HDI_PLACES_UNSEEN) == 0;
    case HD_OP_scatter:
    case HD_OP_sort:
    case HD_OP_argsort:
    case HD_OP_searchsorted:
    case HD_OP_histogram:
        return true;
    case HD_OP_bincount:
        return r->nin == 1;
    case HD_OP_accumulate:
        return runs_alike(r);
    case HD_OP_at:   /* place after place, which a GPU does too, or in any order */
        return hdi_cpu_ew_cost[r->payload.places.op] < CALL_COST || fuses();
    case HD_OP_reduceat:
        return !depends_on_order((hd_dtype)r->cdt);
    default:
        return false;
    }
}

/* On GPUs a partition is a sort. */
static bool partition(const hdi_record *r)
{
    hdi_record sorted = *r;
    sorted.op = r->op == HD_OP_partition ? HD_OP_sort : HD_OP_argsort;
    sorted.payload.sort.descending = 0;
    return hdi_cpu_small_call(&sorted);
}

bool hdi_cpu_run_mirrored(const hdi_record *r)
{
    if (r->op == HD_OP_partition || r->op == HD_OP_argpartition)
        return partition(r);
    if (r->cls == 'r')
        return reduces_alike(r) && hdi_cpu_small_reduction(r, true);
    if (r->cls == 'x' ? !calls_alike(r) : hdi_cpu_ew_cost[r->op] >= CALL_COST && !fuses())
        return false;
    hdi_vecmath_own = true;
    bool done = r->cls == 'x' ? hdi_cpu_small_call(r)
                              : hdi_cpu_small_ew(r, HDI_CPU_MIRRORED_WORK);
    hdi_vecmath_own = false;
    return done;
}
