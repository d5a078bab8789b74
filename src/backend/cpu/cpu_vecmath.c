/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds libmvec's functions by the names of the x86-64 vector function ABI: _ZGV, the letter of
 * the instruction set, N (no mask), the number of lanes, a v for each vector argument. */
#include "backend/cpu/cpu_vecmath.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

#include "backend/cpu/loops/loops_near.h"

enum { OWN, LIB };
static const struct { const char *name; int nargs, use[2]; } functions[] = {
#define MATH1(f, body32, cpu32, cpu64) {#f, 1, {cpu32, cpu64}},
#define MATH2(f, body32, cpu32, cpu64) {#f, 2, {cpu32, cpu64}},
#include "ops/elementwise/math/functions.def"
};

typedef _Atomic(hdi_veccode) slot;
static slot found[HDI_VECFN_COUNT][2][HDI_VEC_WIDTHS];
static atomic_bool off;
_Thread_local bool hdi_vecmath_own;

/* What a slot holds when there is nothing to hold; never called. */
static void missing(void)
{
}

static void *library(void)
{
    static _Atomic(void *) handle;
    void *h = atomic_load_explicit(&handle, memory_order_acquire);
    if (h == NULL) {   /* two threads may open it twice, which only counts a reference more */
        h = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
        atomic_store_explicit(&handle, h, memory_order_release);
    }
    return h;
}

static hdi_veccode look_up(hdi_vecfn f, bool is_double, int width)
{
    char symbol[32];
    void *h = functions[f].use[is_double] == LIB ? library() : NULL;
    if (h == NULL)
        return missing;
    snprintf(symbol, sizeof symbol, "_ZGV%cN%d%s_%s%s", "bde"[width], (is_double ? 2 : 4) << width,
             functions[f].nargs == 1 ? "v" : "vv", functions[f].name, is_double ? "" : "f");
    hdi_veccode code = (hdi_veccode)dlsym(h, symbol);
    if (code == NULL)
        return missing;
#if defined(__x86_64__)
    return (width == HDI_VEC_SSE    ? hdi_near_v2
            : width == HDI_VEC_AVX2 ? hdi_near_v3
                                    : hdi_near_v4)(f, is_double, code);
#else
    return code;
#endif
}

hdi_veccode hdi_vecmath(hdi_vecfn f, bool is_double, int width)
{
    slot *s = &found[f][is_double][width];
    hdi_veccode code = atomic_load_explicit(s, memory_order_acquire);
    if (code == NULL) {
        code = look_up(f, is_double, width);
        atomic_store_explicit(s, code, memory_order_release);
    }
    bool none = code == missing || hdi_vecmath_own ||
                atomic_load_explicit(&off, memory_order_relaxed);
    return none ? NULL : code;
}

void hdi_vecmath_off(bool value)
{
    atomic_store(&off, value);
}
