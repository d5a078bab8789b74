/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_text.h - kernel IR as text, for tests that say what a fusion must look like.
 * Start at   kernel_text()
 *
 *     e 1 phase                      class, phases 0 load f8 a0                   number, kind
 *     or operation, dtype; a: array operand, s: scalar, i: index 2 multiply f8 (1 0)
 *     loop dtype and arguments 5 sum f8 (4) row @1            level ROW, phase 1 store a3 = 5
 *     row */
#ifndef HEDDLE_TESTS_KERNEL_TEXT_H
#define HEDDLE_TESTS_KERNEL_TEXT_H

#include <stdio.h>

#include "core/op.h"
#include "window/inspect.h"

enum { KERNEL_TEXT = 1 << 14 };

static inline void dtype_text(char *to, uint8_t dt)
{
    hd_dtype d = (hd_dtype)dt;
    snprintf(to, 8, "%c%d", hd_dtype_kind(d), hd_dtype_size(d));
}

static inline int inst_text(char *to, size_t size, const hdi_kernel *k, int i)
{
    const hdi_kinst *n = &k->inst[i];
    char dt[8], cdt[8], args[40] = "", where[16] = "", phase[8] = "";
    dtype_text(dt, n->dt);
    dtype_text(cdt, n->cdt);
    for (int a = 0, used = 0; a < n->narg; a++)
        used += snprintf(args + used, sizeof args - (size_t)used, a > 0 ? " %d" : "%d", n->arg[a]);
    snprintf(where, sizeof where, "%s", n->level == KIR_ROW ? " row" : "");
    if (n->phase > 0)
        snprintf(phase, sizeof phase, " @%d", n->phase);
    switch (n->kind) {
    case KIR_LOAD: return snprintf(to, size, "%d load %s a%d%s%s\n", i, dt, n->slot, where, phase);
    case KIR_SCALAR:
        return snprintf(to, size, "%d scalar %s s%d%s%s\n", i, dt, n->slot, where, phase);
    case KIR_INDEX:
        return snprintf(to, size, "%d index %s i%d%s%s\n", i, dt, n->slot, where, phase);
    case KIR_CAST:   return snprintf(to, size, "%d cast %s (%s)%s%s\n", i, dt, args, where, phase);
    case KIR_STORE:  return snprintf(to, size, "store a%d = %s%s%s\n", n->slot, args, where, phase);
    default:
        return snprintf(to, size, "%d %s %s (%s)%s%s\n", i, hdi_op_rows[n->op].info.name, cdt, args,
                        where, phase);
    }
}

/* The kernel of group n of a plan; checked for legality on the way. "library" for a library
 * call. */
static inline const char *kernel_text(planned *p, int n)
{
    static char text[KERNEL_TEXT];
    if (p->partition.group[n].library) {
        snprintf(text, sizeof text, "library\n");
        return text;
    }
    hdi_lock();
    hdi_kernel *k = hdi_lower(p, n);
    hdi_unlock();
    if (k == NULL)
        return "out of memory";
    CHECK(hdi_kernel_verify(k) == HD_OK);
    int used = snprintf(text, sizeof text, "%c %d phase%s\n", k->cls, k->nphases,
                        k->nphases > 1 ? "s" : "");
    for (int i = 0; i < k->ninst; i++)
        used += inst_text(text + used, sizeof text - (size_t)used, k, i);
    hdi_kernel_free(k);
    return text;
}

#endif
