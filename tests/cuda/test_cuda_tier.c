/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cuda_tier.c - when a kernel on CUDA is compiled, on the fake driver: any file is a tier 0
 * there. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/cuda_tier0.h"
#include "backend/cuda/tier0/tier0.h"
#include "codegen/cg_compile.h"
#include "codegen/cg_generator.h"
#include "codegen/cg_words.h"
#include "core/device.h"
#include "core/op.h"
#include "cuda/fake.h"
#include "cuda/fake_leaks.h"
#include "fuse/kernel_ir.h"
#include "support.h"

RECORDS_SMALL_WORK

static long long (*count)(const char *what);
static char path[] = "/tmp/heddle-tier0-XXXXXX";

__attribute__((constructor)) static void use_the_fake(void)
{
    int file = mkstemp(path);
    if (file >= 0)
        close(file);
    setenv("HEDDLE_TIER0", path, 1);
    setenv("HEDDLE_DEVICE", "cuda:0", 1);
    setenv("HEDDLE_CACHE", "off", 1);
    unsetenv("HEDDLE_TIER");
    void *fake = fake_open("HEDDLE_LIBCUDA", "libfake_libcuda.so");
    if (fake != NULL)
        *(void **)&count = dlsym(fake, "fake_cuda_count");
}

__attribute__((destructor)) static void remove_file(void) { unlink(path); }

/* x op x over n elements, computed and forgotten. */
static void run(hd_array *(*op)(const hd_array *, const hd_array *), int64_t n)
{
    hd_array *one = hd_float(1), *x = hd_full(1, &n, one, HD_FLOAT64), *y = op(x, x);
    CHECK(hd_eval(x) == HD_OK);
    CHECK(hd_eval(y) == HD_OK);
    hd_release(y);
    hd_release(x);
    hd_release(one);
}

static int64_t modules_after(hd_array *(*op)(const hd_array *, const hd_array *), int64_t n)
{
    run(op, n);
    hdi_cg_wait();
    return count("cuModuleLoadDataEx");
}

TEST(cuda_tier, compiled_when_it_comes_again)
{
    if (count == NULL || hdi_cg_generator_open() == NULL)
        SKIP("no fake driver, or no code generator");
    modules_after(hd_add, 100);      /* tier 0 itself, and what makes the operand */
    modules_after(hd_add, 100);
    int64_t before = modules_after(hd_add, 100);
    CHECK_EQ_I64(modules_after(hd_subtract, 100), before);
    CHECK_EQ_I64(modules_after(hd_subtract, 50), before + 1);
    CHECK_EQ_I64(modules_after(hd_subtract, 200), before + 1);
}

TEST(cuda_tier, compiled_at_once_if_there_is_much_to_do)
{
    if (count == NULL || hdi_cg_generator_open() == NULL)
        SKIP("no fake driver, or no code generator");
    int64_t before = modules_after(hd_multiply, 10), n = 1 << 27;
    hd_array *one = hd_float(1), *x = hd_full(1, &n, one, HD_UINT8), *y = hd_bitwise_xor(x, x);
    CHECK(hd_eval(y) == HD_OK);
    hdi_cg_wait();
    CHECK(count("cuModuleLoadDataEx") > before);
    hd_release(y);
    hd_release(x);
    hd_release(one);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

typedef struct some_kernel {
    hdi_kernel k;
    hdi_kinst inst[4 * 128];
    hdi_kslot slots[257];
} some_kernel;

/* So many values at a time, added up from the last one back. */
static void make_kernel(some_kernel *s, int values)
{
    hdi_kernel *k = &s->k;
    *k = (hdi_kernel){.cls = 'e', .nphases = 1, .inst = s->inst, .slots = s->slots};
    for (int i = 0; i < values; i++) {
        s->slots[k->nslots] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = HD_FLOAT64};
        s->inst[k->ninst++] = (hdi_kinst){.kind = KIR_LOAD, .dt = HD_FLOAT64, .slot = k->nslots++};
    }
    for (int i = values - 2; i >= 0; i--) {
        uint16_t sum = (uint16_t)(k->ninst - 1);
        s->inst[k->ninst++] =
            (hdi_kinst){.kind = KIR_EW, .dt = HD_FLOAT64, .cdt = HD_FLOAT64, .op = HD_OP_add,
                        .narg = 2, .arg = {(uint16_t)i, sum}};
    }
    s->slots[k->nslots] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = HD_FLOAT64, .write = true};
    s->inst[k->ninst] = (hdi_kinst){.kind = KIR_STORE, .dt = HD_FLOAT64, .slot = k->nslots++,
                                    .narg = 1, .arg = {(uint16_t)(k->ninst - 1)}};
    k->ninst++;
}

/* A program that goes while its code is being made. */
TEST(cuda_tier, forgotten_meanwhile)
{
    enum { VALUES = 3, SIZE = 100 };
    hd_device *dev = hd_device_get("cuda:0");
    some_kernel s;
    void *program, *memory;
    int64_t dims[1] = {SIZE};
    hdi_arg args[VALUES + 1];
    if (count == NULL || dev == NULL || hdi_cg_generator_open() == NULL)
        SKIP("no fake driver, or no code generator");
    make_kernel(&s, VALUES);
    CHECK(dev->backend->compile(dev->state, &s.k, &program) == HD_OK);
    CHECK((memory = dev->backend->alloc(dev->state, SIZE * 8)) != NULL);
    for (int k = 0; k <= VALUES; k++)
        args[k] = (hdi_arg){.ptr = memory, .linear = true};
    hdi_launch l = {.program = program, .nd = 1, .dims = dims, .size = SIZE, .args = args,
                    .order_arg = VALUES};
    CHECK(dev->backend->launch(dev->state, &l) == HD_OK);
    int64_t loaded = count("cuModuleLoadDataEx") - count("cuModuleUnload");
    CHECK(dev->backend->launch(dev->state, &l) == HD_OK);
    dev->backend->destroy(dev->state, program);
    hdi_cg_wait();
    CHECK_EQ_I64(count("cuModuleLoadDataEx") - count("cuModuleUnload"), loaded);
    dev->backend->free(dev->state, memory, SIZE * 8);
}

/* Of a row each: the sums of so many operands, all of them the same bytes. */
static void make_sums(some_kernel *s, int values)
{
    hdi_kernel *k = &s->k;
    *k = (hdi_kernel){.cls = 'r', .nphases = 1, .inst = s->inst, .slots = s->slots};
    for (int i = 0; i < 2 * values; i++) {
        bool row = i >= values;
        s->slots[k->nslots++] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = HD_FLOAT64,
                                            .level = row ? KIR_ROW : KIR_FULL, .write = row};
    }
    for (uint16_t i = 0; i < 4 * values; i++) {
        uint16_t which = (uint16_t)(i % values), from = (uint16_t)(i - values);
        s->inst[k->ninst++] =
            i < values       ? (hdi_kinst){.kind = KIR_LOAD, .dt = HD_FLOAT64, .slot = which}
            : i < 2 * values ? (hdi_kinst){.kind = KIR_EW, .dt = HD_FLOAT64, .cdt = HD_FLOAT64,
                                           .op = HD_OP_multiply, .narg = 2, .arg = {from, 0}}
            : i < 3 * values ? (hdi_kinst){.kind = KIR_REDUCE, .dt = HD_FLOAT64,
                                           .cdt = HD_FLOAT64, .op = HD_OP_sum, .level = KIR_ROW,
                                           .narg = 1, .arg = {from}}
                             : (hdi_kinst){.kind = KIR_STORE, .dt = HD_FLOAT64, .level = KIR_ROW,
                                           .slot = (uint16_t)(values + which), .narg = 1,
                                           .arg = {from}};
    }
}

static int64_t launches_of_sums(hd_device *dev, int values, int64_t rows)
{
    static some_kernel s;
    static hdi_arg args[257];
    void *program, *memory = dev->backend->alloc(dev->state, 4096);
    int64_t dims[2] = {rows, 2}, none[2] = {0, 0}, dense[2] = {0, 8};
    make_sums(&s, values);
    CHECK(memory != NULL && dev->backend->compile(dev->state, &s.k, &program) == HD_OK);
    for (int k = 0; k < 2 * values; k++)
        args[k] = (hdi_arg){.ptr = memory, .strides = k < values ? dense : none};
    hdi_launch l = {.program = program, .nd = 2, .dims = dims, .size = 2 * rows, .reduced = 2,
                    .args = args, .order_arg = 0};
    int64_t before = count("cuLaunchKernelEx");
    CHECK(dev->backend->launch(dev->state, &l) == HD_OK);
    before = count("cuLaunchKernelEx") - before;
    dev->backend->destroy(dev->state, program);
    dev->backend->free(dev->state, memory, 4096);
    return before;
}

/* Cells in memory are for some hundred blocks at a time. */
TEST(cuda_tier, blocks_with_cells_in_memory_come_in_turns)
{
    hd_device *dev = hd_device_get("cuda:0");
    if (count == NULL || dev == NULL)
        SKIP("no fake driver");
    CHECK_EQ_I64(launches_of_sums(dev, 20, 1 << 20), 1);
    CHECK_EQ_I64(launches_of_sums(dev, 60, 100), 1);
    CHECK(launches_of_sums(dev, 60, 1 << 20) > 1);
}

/* ---- the words ------------------------------------------------------------------------------- */

TEST(cuda_tier, every_word_has_a_number)
{
    int n;
    const hdi_word *w = hdi_words_list(&n);
    CHECK(n > 800);
    for (int k = 0; k < n; k++) {
        if (w[k].op == HDI_CHAIN_CAST)
            CHECK_EQ_I64(hdi_word_cast((hd_dtype)w[k].cdt, (hd_dtype)w[k].dt), k);
        else
            CHECK_EQ_I64(hdi_word_number((hd_op)w[k].op, (hd_dtype)w[k].cdt), k);
    }
    CHECK_EQ_I64(hdi_word_number(HD_OP_add, HD_FLOAT16), -1);   /* is computed in float32 */
    CHECK_EQ_I64(hdi_word_cast(HD_FLOAT16, HD_INT8), -1);       /* goes in two steps */
}

static int words_for(int values, uint64_t *words)
{
    static some_kernel s;
    uint64_t from[1024] = {0};
    hdi_cuda_layout lay = {.words = from};
    make_kernel(&s, values);
    lay.grid = (hdi_grid){.map = HDI_GRID_ELEMENTS, .kept = 1, .lanes = 2, .unroll = 2,
                          .across = 1, .threads = 256};
    return hdi_cuda_tier0_words(&s.k, &lay, words);
}

TEST(cuda_tier, as_many_values_as_there_are_cells)
{
    const int of_one = 2 + 2;   /* an operand, and steps that load it and add it up */
    uint64_t words[HDI_TIER0_WORDS];
    CHECK_EQ_I64(words_for(T0_CELLS, words), T0_EXTENTS + 1 + 2 + of_one * T0_CELLS);
    CHECK_EQ_I64(words[T0_FAR_CELLS], 0);
    CHECK_EQ_I64(words[T0_WIDE], T0_NARROW);
    CHECK(words_for(T0_BLOCKS + 1, words) > 0);
    CHECK_EQ_I64(words[T0_WIDE], T0_NARROW);
    CHECK(words_for(T0_BLOCKS, words) > 0);
    CHECK_EQ_I64(words[T0_WIDE], T0_NEIGHBOURS);
    CHECK(words_for(T0_CELLS + 1, words) > 0);
    CHECK_EQ_I64(words[T0_FAR_CELLS], 1);
    CHECK(words_for(T0_MOST_CELLS, words) > HDI_GRID_PARAMETER_WORDS);
    CHECK_EQ_I64(words[T0_FAR_VALUES], T0_MOST_CELLS - T0_CELLS);
    CHECK_EQ_I64(words_for(T0_MOST_CELLS + 1, words), 0);
}
