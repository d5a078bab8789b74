/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all loops of one instruction set, laid out by the operation tables. */
#include <string.h>

#include "backend/cpu/loops/loops_half.h"

#define EW_ENTRY1(K, D, name, types, rule) \
    HDI_WHEN(                              \
        K, types,                          \
        HDI_UNLESS_KEEP(rule, .ew[HD_OP_##name][HD_##D][HDI_VV] = HDI_SYM(ew, name, D, vv), ))
#define EW_ENTRY2(K, D, name, types, rule)                                                         \
    HDI_WHEN(K, types, .ew[HD_OP_##name][HD_##D] = {[HDI_VV] = HDI_SYM(ew, name, D, vv),           \
             [HDI_VS] = HDI_SYM(ew, name, D, vs), [HDI_SV] = HDI_SYM(ew, name, D, sv)},)

/* A reduction's loops by its rule and number of inputs. */
#define RED_AT(array, name, D) .array[HD_OP_##name - HD_OP_sum][HD_##D]
#define ARG_AT(array, name, D) .array[HD_OP_##name - HD_OP_argmin][HD_##D]
#define RED_ENTRY1(name, D, MERGED)                                                                \
    RED_AT(red_chunk, name, D) = HDI_SYM(red, name, D, chunk),                                     \
    RED_AT(red_step, name, D)[HDI_VV] = HDI_SYM(red, name, D, step),                               \
    RED_AT(red_start, name, D)[HDI_VV] = HDI_SYM(red, name, D, start),                             \
    RED_AT(red_merge, name, D) = HDI_SYM(red, name, MERGED, step),
#define RED_ENTRY_SUM_1(name, D) RED_ENTRY1(name, D, D)
#define RED_ENTRY_SAME_1(name, D) RED_ENTRY1(name, D, D)
#define RED_ENTRY_BOOL_1(name, D) RED_ENTRY1(name, D, BOOL)   /* accumulators are bools */
#define RED_ENTRY_SAME_2(name, D)                                                                  \
    RED_AT(red_chunk, name, D) = HDI_SYM(red, name, D, chunk),                                     \
    RED_AT(red_step, name, D) = {[HDI_VV] = HDI_SYM(red, name, D, step_vv),                        \
        [HDI_VS] = HDI_SYM(red, name, D, step_vs), [HDI_SV] = HDI_SYM(red, name, D, step_sv)},     \
    RED_AT(red_start, name, D) = {[HDI_VV] = HDI_SYM(red, name, D, start_vv),                      \
        [HDI_VS] = HDI_SYM(red, name, D, start_vs), [HDI_SV] = HDI_SYM(red, name, D, start_sv)},   \
    RED_AT(red_merge, name, D) = HDI_SYM(red, name, D, merge),
#define RED_ENTRY_ARG_1(name, D)                                                                   \
    ARG_AT(arg_chunk, name, D) = HDI_SYM(red, name, D, chunk),                                     \
    ARG_AT(arg_step, name, D) = HDI_SYM(red, name, D, step),                                       \
    ARG_AT(arg_merge, name, D) = HDI_SYM(red, name, D, merge),
#define RED_ENTRY(K, D, name, types, how) HDI_WHEN(K, types, RED_ENTRY_##how(name, D))

/* Those of long rows. */
#define LONG_ENTRY_VALUE(K, D, name, any_order, in_order)                                         \
    HDI_WHEN_OF(K, any_order, RED_AT(red_extend, name, D) = HDI_SYM(red, name, D, extend),)       \
    HDI_WHEN_OF(K, in_order, RED_AT(red_run, name, D) = HDI_SYM(red, name, D, run),)
#define LONG_ENTRY_SUM LONG_ENTRY_VALUE
#define LONG_ENTRY_SAME LONG_ENTRY_VALUE
#define LONG_ENTRY_BOOL LONG_ENTRY_VALUE
#define LONG_ENTRY_ARG(K, D, name, any_order, in_order) \
    ARG_AT(arg_extend, name, D) = HDI_SYM(red, name, D, extend),
#define LONG_ENTRY(K, D, name, types, rule, any_order, in_order) \
    HDI_WHEN(K, types, LONG_ENTRY_##rule(K, D, name, any_order, in_order))

#define THIN_ENTRY(K, D, ...)                                   \
    HDI_WHEN(K, IF, .thin_rows[HD_##D] = HDI_THIN_NAME(D, rows), \
             .thin_turned[HD_##D] = HDI_THIN_NAME(D, turned),    \
             .thin_columns[HD_##D] = HDI_THIN_NAME(D, columns),)

#define SCAN_ENTRY(K, D, name, types) \
    HDI_WHEN(K, types, .scan[HDI_SCAN_##name][HD_##D] = HDI_SYM3(scan, name, D), \
             .at[HDI_SCAN_##name][HD_##D] = HDI_SYM3(at, name, D),)
#define CAST_ENTRY(K, D, FROM) \
    HDI_CAT(HDI_WHEN_, HDI_DIFFER(FROM, D))(.cast[HD_##FROM][HD_##D] = HDI_SYM3(cast, FROM, D),)
#define SUPER_MASK_ENTRY(mask, name, D) [mask] = HDI_SYM(super, name, D, mask),
#define SUPER_ENTRY(name, ...)                                                                     \
    .super[HDI_SUPER_##name] = {{HDI_EACH_MASK(SUPER_MASK_ENTRY, name, FLOAT32)},                  \
                                {HDI_EACH_MASK(SUPER_MASK_ENTRY, name, FLOAT64)}},
#define HALF_CAST_ENTRY(K, D, HALF)                       \
    .cast[HD_##HALF][HD_##D] = HDI_SYM3(cast, HALF, D),    \
    .cast[HD_##D][HD_##HALF] = HDI_SYM3(cast, D, HALF),
#define HALF_ENTRY(HALF, OTHER)                                            \
    HDI_EACH_DTYPE(HALF_CAST_ENTRY, HALF)                                  \
    .cast[HD_##HALF][HD_##OTHER] = HDI_SYM3(cast, HALF, OTHER),            \
    .ew[HD_OP_spacing][HD_##HALF][HDI_VV] = HDI_SYM(ew, spacing, HALF, vv), \
    .ew[HD_OP_nextafter][HD_##HALF] = {[HDI_VV] = HDI_SYM(ew, nextafter, HALF, vv), \
        [HDI_VS] = HDI_SYM(ew, nextafter, HALF, vs),                       \
        [HDI_SV] = HDI_SYM(ew, nextafter, HALF, sv)},
#define HALF_SCAN_ENTRY(name, types, HALF) \
    HDI_WHEN(F, types, .scan[HDI_SCAN_##name][HD_##HALF] = HDI_SYM3(scan, name, HALF),)

#define COPY_ENTRY(log2, bytes)                    \
    .gather[log2] = HDI_SYM3(copy, gather, bytes), \
    .scatter[log2] = HDI_SYM3(copy, scatter, bytes), .fill[log2] = HDI_SYM3(copy, fill, bytes),

#define CORRELATE_ENTRY(D, BY) .correlate[HD_##D] = HDI_SYM3(correlate, block, BY),

/* The number 0 or 1 as one element. */
static void write_number(hd_dtype dt, int number, void *out)
{
#define WRITE_0(NAME, ctype)
#define WRITE_1(NAME, ctype)                                 \
    case HD_##NAME:                                          \
        memcpy(out, &(ctype){(ctype)number}, sizeof(ctype)); \
        break;
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) \
    HDI_CAT(WRITE_, loops)(NAME, ctype)
    switch (dt) {
#include "core/dtype.def"
    default: break;
    }
}

static bool identity(int red, hd_dtype dt, void *out)
{
    enum { ZERO, ONE, NONE };
    static const struct { int value; bool is_bool; } rows[HDI_RED_COUNT] = {
#define ACCUMULATES_BOOL ~, true
#define RED(name, nin, types, rule, combine, identity, ...) \
    {identity, HDI_SECOND(ACCUMULATES_##rule, false)},
#include "ops/reduce/red.def"
    };
    if (rows[red].value == NONE)
        return false;
    write_number(rows[red].is_bool ? HD_BOOL : dt, rows[red].value, out);
    return true;
}

/* Every dtype but the half types has loops: the lists of loops_symbols.h and dtype.def agree. */
#define COUNT_ONE(K, D, ...) + 1
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) + loops
_Static_assert(0 HDI_EACH_DTYPE(COUNT_ONE, ~) == 0
#include "core/dtype.def"
, "HDI_EACH_DTYPE does not list the dtypes that have loops");

#define TABLE_NAME HDI_CAT(hdi_loops_, HDI_ISA)
#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x

const hdi_loops TABLE_NAME = {
    .isa = TEXT(HDI_ISA),
    .identity = identity,
#define EW1(name, types, rule, ...) HDI_EACH_DTYPE(EW_ENTRY1, name, types, rule)
#define EW2(name, types, rule, ...) HDI_EACH_DTYPE(EW_ENTRY2, name, types, rule)
#define EW3(name, types, rule, ...) HDI_EACH_DTYPE(EW_ENTRY1, name, types, rule)
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, ...) HDI_EACH_DTYPE(RED_ENTRY, name, types, rule##_##nin)
#include "ops/reduce/red.def"
#define RED(name, nin, types, rule, combine, ...) \
    HDI_EACH_DTYPE(LONG_ENTRY, name, types, rule, HDI_ANY_ORDER_##combine, HDI_IN_ORDER_##combine)
#include "ops/reduce/red.def"
#define SCAN(name, of, types, combine, doc)      \
    HDI_EACH_DTYPE(SCAN_ENTRY, name, types)      \
    HALF_SCAN_ENTRY(name, types, FLOAT16)        \
    HALF_SCAN_ENTRY(name, types, BFLOAT16)
#include "ops/scan/scan.def"
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) \
    HDI_CAT(HDI_WHEN_, loops)(HDI_EACH_DTYPE(CAST_ENTRY, NAME))
#include "core/dtype.def"
    HDI_EACH_HALF(HALF_ENTRY)
    HDI_EACH_DTYPE(THIN_ENTRY, ~)
    HDI_EACH_SUPER(SUPER_ENTRY, ~)
    HDI_EACH_SIZE(COPY_ENTRY)
    .index = {HDI_SYM3(places, index, 4), HDI_SYM3(places, index, 8)},
    .flags_count = HDI_SYM3(places, flags, count),
    .flags_find = HDI_SYM3(places, flags, find),
    HDI_EACH_CORRELATE(CORRELATE_ENTRY)
    .key = {&HDI_SYM3(key, loops, 0), &HDI_SYM3(key, loops, 1), &HDI_SYM3(key, loops, 2),
            &HDI_SYM3(key, loops, 3)},
    .order = HDI_ORDER_LOOPS,
    .fft = {&HDI_SYM3(fft, loops, FLOAT32), &HDI_SYM3(fft, loops, FLOAT64)},
};
