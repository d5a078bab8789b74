/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_library.c - which function does a library call. */
#include "backend/cpu/cpu_library.h"

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_lapack.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_sort.h"
#include "backend/cpu/cpu_user.h"
#include "core/object.h"

static hd_status run(const hdi_xcall *x)
{
    switch (x->op) {
    case HD_OP_matmul:
        return hdi_cpu_matmul(x);
    case HD_OP_solve ... HD_OP_lstsq:
        return hdi_cpu_linalg(x);
    case HD_OP_accumulate:
        return hdi_cpu_accumulate(x);
    case HD_OP_reduceat:
        return hdi_cpu_reduceat(x);
    case HD_OP_at:
        return hdi_cpu_at(x);
    case HD_OP_gather:
        return hdi_cpu_take(x);
    case HD_OP_scatter:
        return hdi_cpu_put(x);
    case HD_OP_compress:
    case HD_OP_true_places:
        return hdi_cpu_select(x);
    case HD_OP_random_order:
        return hdi_cpu_random_order(x);
    case HD_OP_random_pick:
        return hdi_cpu_random_pick(x);
    case HD_OP_fft:
        return hdi_cpu_fft(x);
    case HD_OP_correlate:
        return hdi_cpu_correlate(x);
    case HD_OP_sort:
    case HD_OP_argsort:
    case HD_OP_partition:
    case HD_OP_argpartition:
        return hdi_cpu_sort(x);
    case HD_OP_searchsorted:
        return hdi_cpu_searchsorted(x);
    case HD_OP_bincount:
        return hdi_cpu_bincount(x);
    case HD_OP_histogram:
        return hdi_cpu_histogram(x);
    case HD_OP_user_grid:
        return hdi_cpu_user_grid(x);
    case HD_OP_receive: {
        hdi_arrival *a = (hdi_arrival *)x->payload.object;
        return a->wait(a);
    }
    default:
        return hdi_fail(HD_UNSUPPORTED, "library call %d does not run on this back end",
                        (int)x->op);
    }
}

bool hdi_cpu_library_at_hand(hd_op op, hd_dtype cdt)
{
    const uint8_t traits = hdi_op_rows[op].traits;
    if (!(traits & HDI_TRAIT_OPENS))
        return traits & HDI_TRAIT_PLAIN;
    if (op == HD_OP_matmul)
        return !hdi_cpu_matmul_wants_blas(cdt) || hdi_cpu_blas_at_hand();
    return hdi_cpu_lapack_at_hand();
}

hd_status hdi_cpu_library(void *state, const hdi_xcall *x)
{
    (void)state;
    int depth = hdi_cpu_scratch_depth();
    hd_status status = run(x);
    hd_assert(hdi_cpu_scratch_depth() == depth);   /* every mark was released */
    (void)depth;
    return status;
}

/* ---- may it be stopped? ---------------------------------------------------------------------- */

static void extent(const hdi_xarg *a, uintptr_t *low, uintptr_t *high)
{
    *low = (uintptr_t)a->ptr;
    *high = *low + (uintptr_t)hd_dtype_size(a->dt);
    for (int i = 0; i < a->nd; i++)
        *(a->strides[i] < 0 ? low : high) += (uintptr_t)(a->strides[i] * (a->dims[i] - 1));
}

hdi_cpu_asker hdi_cpu_may_stop(const hdi_xcall *x)
{
    uintptr_t low, high, low2, high2;
    for (int k = 0; k < x->nout; k++) {
        extent(hdi_xcall_result(x, k), &low, &high);
        for (int i = 0; i < x->nin; i++) {
            extent(hdi_xcall_input(x, i), &low2, &high2);
            if (low < high2 && low2 < high)
                return NULL;
        }
    }
    return hdi_poll_interrupt;
}
