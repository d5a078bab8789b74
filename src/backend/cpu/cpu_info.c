/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_info.c - what this back end has to work with, for hd_device_info(). Opens no library that is
 * not open already. */
#include <string.h>

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_tier.h"
#include "backend/cpu/cpu_vecmath.h"
#include "codegen/cg_cache.h"
#include "codegen/cg_compile.h"

static void generator(hdi_strbuf *s)
{
    hdi_cg_stats g;
    hdi_cg_stats_get(&g);
    if (!hdi_cg_available())
        hdi_strbuf_add(s, "code generator\tnot for this processor\n");
    else if (g.library_loaded)
        hdi_strbuf_add(s, "code generator\tLLVM %s\n", g.version);
    else
        hdi_strbuf_add(s, "code generator\tnot needed yet\n");
    hdi_strbuf_add(s, "kernels\t%lld compiled: %lld by LLVM, %lld from disk\n",
                   (long long)g.kernels, (long long)g.compiled, (long long)g.from_disk);
    if (g.reason[0] != '\0')
        hdi_strbuf_add(s, "on tier 0 because\t%s\n", g.reason);
}

static void cache(hdi_strbuf *s)
{
    hdi_cg_cache_stats c;
    hdi_cg_cache_info(&c);
    hdi_strbuf_add(s, "kernel cache\t%s", c.folder[0] != '\0' ? c.folder : "none");
    if (c.usable)
        hdi_strbuf_add(s, ", %.1f of %lld MB\n", (double)c.bytes / 1e6,
                       (long long)(c.limit / 1000000));
    else
        hdi_strbuf_add(s, ", not used: %s\n", c.reason);
}

void hdi_cpu_info(void *state, hdi_strbuf *lines)
{
    const char *isa = hdi_loops_best()->isa, *blas = hdi_cpu_blas_name();
    (void)state;
    hdi_strbuf_add(lines, "instructions\tx86-64-%s\n", isa);
    hdi_strbuf_add(lines, "vector math\t%s\n",
                   hdi_vecmath(HDI_VEC_exp, true, isa[1] - '2') != NULL ? "libmvec" : "own");
    hdi_strbuf_add(lines, "blas\t%s\n", blas != NULL ? blas : "not needed yet");
    generator(lines);
    cache(lines);
}
