/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kernel_ir.c - the verifier refuses each way a kernel can be wrong; equality ignores where
 * operands come from and nothing else. */
#include "fuse/kernel_ir.h"
#include "harness.h"

/* A softmax over rows: everything a kernel can have. */
enum { LOAD, MAX, SUB, EXP, SUM, DIV, STORE, INSTS };
static hdi_kinst inst[INSTS];
static hdi_kslot slot[2];
static hdi_kernel kernel;

static hdi_kernel *legal(void)
{
    const hdi_kinst all[INSTS] = {
        [LOAD] = {.kind = KIR_LOAD, .dt = HD_FLOAT64, .slot = 0},
        [MAX] = {.kind = KIR_REDUCE,
                 .dt = HD_FLOAT64,
                 .cdt = HD_FLOAT64,
                 .level = KIR_ROW,
                 .narg = 1,
                 .op = HD_OP_max,
                 .arg = {LOAD}},
        [SUB] = {.kind = KIR_EW,
                 .dt = HD_FLOAT64,
                 .cdt = HD_FLOAT64,
                 .phase = 1,
                 .narg = 2,
                 .op = HD_OP_subtract,
                 .arg = {LOAD, MAX}},
        [EXP] = {.kind = KIR_EW,
                 .dt = HD_FLOAT64,
                 .cdt = HD_FLOAT64,
                 .phase = 1,
                 .narg = 1,
                 .op = HD_OP_exp,
                 .arg = {SUB}},
        [SUM] = {.kind = KIR_REDUCE,
                 .dt = HD_FLOAT64,
                 .cdt = HD_FLOAT64,
                 .level = KIR_ROW,
                 .phase = 1,
                 .narg = 1,
                 .op = HD_OP_sum,
                 .arg = {EXP}},
        [DIV] = {.kind = KIR_EW,
                 .dt = HD_FLOAT64,
                 .cdt = HD_FLOAT64,
                 .phase = 2,
                 .narg = 2,
                 .op = HD_OP_divide,
                 .arg = {EXP, SUM}},
        [STORE] = {
            .kind = KIR_STORE, .dt = HD_FLOAT64, .phase = 2, .narg = 1, .slot = 1, .arg = {DIV}}};
    memcpy(inst, all, sizeof inst);
    slot[0] = (hdi_kslot){.record = 0, .operand = 1, .kind = HDI_SLOT_ARRAY, .dt = HD_FLOAT64};
    slot[1] = (hdi_kslot){
        .record = 4, .operand = 0, .kind = HDI_SLOT_ARRAY, .dt = HD_FLOAT64, .write = true};
    kernel = (hdi_kernel){.cls = 'w',
                          .nphases = 3,
                          .ninst = INSTS,
                          .nslots = 2,
                          .nrecords = 5,
                          .inst = inst,
                          .slots = slot};
    return &kernel;
}

static void refused(const char *why)
{
    hd_error e;
    CHECK(hdi_kernel_verify(&kernel) == HD_INTERNAL);
    hd_error_take(&e);
    CHECK(strstr(e.message, why) != NULL);
}

TEST(kernel_ir, verify)
{
    CHECK(hdi_kernel_verify(legal()) == HD_OK);
    legal()->inst[SUB].arg[1] = SUM;
    refused("comes later");
    legal()->inst[SUB].arg[1] = SUB;
    refused("comes later");
    legal()->inst[LOAD].slot = 2;
    refused("no such operand");
    legal()->inst[DIV].phase = 3;
    refused("no such phase");
    legal()->inst[STORE].slot = 0;
    refused("another kind");
    legal()->inst[STORE].dt = HD_FLOAT32;
    refused("another kind");
    legal()->inst[SUB].phase = 0;   /* needs the maximum of its own row before it is known */
    refused("its own phase");
    legal()->inst[MAX].phase = 2;
    refused("later phase");
    legal()->inst[SUM].kind = KIR_EW;
    refused("needs a full value");
    legal()->inst[DIV].kind = KIR_STORE;
    inst[DIV].slot = 1;
    refused("no value");
}

TEST(kernel_ir, equality)
{
    static hdi_kinst other_inst[INSTS];
    static hdi_kslot other_slot[2];
    hdi_kernel other = *legal();
    memcpy(other_inst, inst, sizeof inst);
    memcpy(other_slot, slot, sizeof slot);
    other.inst = other_inst;
    other.slots = other_slot;
    CHECK(hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) == hdi_kernel_hash(&other));
    other_slot[0].record = 17;
    other_slot[0].operand = 3;
    other.domain_record = 9;
    other.nrecords = 8;
    CHECK(hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) == hdi_kernel_hash(&other));
    other_slot[0].dt = HD_FLOAT32;
    CHECK(!hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) != hdi_kernel_hash(&other));
    other_slot[0] = slot[0];
    other_slot[0].level = KIR_ROW;
    CHECK(!hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) != hdi_kernel_hash(&other));
    other_slot[0] = slot[0];
    other_inst[EXP].op = HD_OP_sqrt;
    CHECK(!hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) != hdi_kernel_hash(&other));
    other_inst[EXP] = inst[EXP];
    other.nphases = 2;
    CHECK(!hdi_kernel_same(&kernel, &other) && hdi_kernel_hash(&kernel) != hdi_kernel_hash(&other));
}
