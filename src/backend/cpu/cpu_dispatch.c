/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the instruction set of the inner loops for this processor. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/loops/loops.h"

/* Tables from the narrowest to the widest that this processor runs; returns their number. */
static int usable(const hdi_loops *tables[3])
{
    int n = 0;
    tables[n++] = &hdi_loops_v2;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (v3)
        tables[n++] = &hdi_loops_v3;
    if (v4)
        tables[n++] = &hdi_loops_v4;
#endif
    return n;
}

const hdi_loops *hdi_loops_best(void)
{
    const hdi_loops *tables[3];
    const char *wanted = getenv("HEDDLE_ISA");
    const int n = usable(tables);
    for (int i = 0; wanted != NULL && i < n; i++)
        if (strcmp(tables[i]->isa, wanted) == 0)
            return tables[i];
    return tables[n - 1];
}

const hdi_loops *hdi_loops_chosen(void)
{
    static _Atomic(const hdi_loops *) chosen;
    const hdi_loops *l = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (l == NULL)
        atomic_store_explicit(&chosen, l = hdi_loops_best(), memory_order_relaxed);
    return l;
}
