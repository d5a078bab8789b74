/* SPDX-License-Identifier: BSD-3-Clause */
/* code_generator.h - is there one in this build? If not, the test that asks is skipped. */
#ifndef HEDDLE_TESTS_CODE_GENERATOR_H
#define HEDDLE_TESTS_CODE_GENERATOR_H

#include "harness.h"

#include "backend/cpu/cpu_builder.h"
#include "codegen/cg_compile.h"

static int code_generator(void)
{
    hdi_chain c = {.isa = HDI_CHAIN_V2, .nin = 1, .nops = 1, .nout = 1};
    c.in_dt[0] = HD_FLOAT64;
    c.op[0] = (hdi_chain_op){HD_OP_negative, HD_FLOAT64, HD_FLOAT64, {0}, 1};
    c.out[0] = 1;
    if (hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa) != NULL)
        return 1;
    hd_error_take(NULL);
    harness_skip("no code generator in this build");
    return 0;
}

#endif
