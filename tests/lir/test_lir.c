/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lir.c - lowered IR is verified, printed, read and placed; also when it is damaged, and when
 * there is no memory. */
#include <stdio.h>

#include "base/alloc.h"
#include "lir/passes.h"
#include "lir/random_kernel.h"
#include "support.h"

static void free_text(char *text)
{
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}

/* The pending error has this code, and its message has `part` in it: takes it. */
static int failed_with(hd_status code, const char *part)
{
    hd_error e;
    hd_error_take(&e);
    const int good = e.code == code && strstr(e.message, part) != NULL;
    if (!good)
        fprintf(stderr, "error %d, \"%s\", has not \"%s\"\n", e.code, e.code != HD_OK ? e.message : "", part);
    return good;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *const all_of_it =
    "kernel \"a \\\"k\\\\\\n\\x7f\" params 3 max_threads 256 syncs\n"
    "data 40\n"
    "bytes 0 00ff102030000000000000000000000000000000000000000000000000000000\n"
    "bytes 32 0100000000000000\n"
    "var in ptr private param 0 reads restricted leads 16\n"
    "var out ptr private param 1 reads writes\n"
    "var n i64 private param 2\n"
    "var x f32 private\n"
    "var x f64 private\n"
    "var \"\" i32 private\n"
    "var v u8 private memory count 12 align 4\n"
    "var s i32 shared memory count 32 align 16\n"
    "var d u8 shared memory dynamic count 0\n"
    "var c u8 constant memory count 5\n"
    "var g u64 global memory at 32\n"
    "var p bool private\n"
    "var u u32 private\n"
    "body {\n"
    "  declare $.3\n"
    "  @7 $.3 = (load volatile align 16 f32 (offset 4 $in (convert i64 thread.x)))\n"
    "  @8 if (both (lt 1.5:f32 $.3) @9 (not @3 false)) {\n"
    "    $.4 = (mul 0x7ff8000000000000:f64 (sin -0.0:f64))\n"
    "    @9 store volatile align 2 (offset 1 &$v -1:i64) 200:u8\n"
    "  } else {\n"
    "    $u = atomic add &$s 18:u32\n"
    "    atomic cas &$s 1:i32 2:i32\n"
    "    $.5 = (choose (eq $in null) (neg $.5) (max $.5 (bits i32 0.1:f32)))\n"
    "  }\n"
    "  loop counted {\n"
    "    $u = warp shuffle_up $u 1:u32 32:u32\n"
    "    $u = warp active\n"
    "    @5 $p = warp any $p\n"
    "    if $p {\n"
    "      continue 1\n"
    "    }\n"
    "    break 1\n"
    "  } step {\n"
    "    $u = (shr (add $u 4294967295:u32) 3:u32)\n"
    "  }\n"
    "  barrier\n"
    "  syncwarp\n"
    "  fence\n"
    "  print \"%d\\n\" {\n"
    "    item $.5\n"
    "    @4 item @0 thread\n"
    "  }\n"
    "  trap \"no\"\n"
    "  return\n"
    "}\n";

TEST(lir, text_is_read_and_printed_the_same)
{
    hdi_lir *l = hdi_lir_read(all_of_it);
    if (!CHECK(l != NULL)) {
        failed_with(HD_OK, "");
        return;
    }
    CHECK(hdi_lir_verify(l) == HD_OK);
    char *text = hdi_lir_print(l);
    CHECK_STR(text, all_of_it);
    CHECK_STR(l->names + l->name, "a \"k\\\n\x7f");
    CHECK_EQ_I64(l->data[1], 255);
    CHECK_EQ_I64(l->data[32], 1);
    free_text(text);
    hdi_lir_free(l);
}

TEST(lir, reading_says_where_it_fails)
{
    static const char *const rows[][2] = {
        {"", "line 1, column 1: expected 'kernel', not \"\""},
        {"kernel k params x", "line 1, column 17: expected a number of parameters, not \"x\""},
        {"kernel k params -1", "a number of parameters"},
        {"kernel k params 99999999999", "a number of parameters"},
        {"kernel k params 0\nvar x i33 private", "line 2, column 7: expected a type, not \"i33\""},
        {"kernel k params 0\nvar x i32 nowhere", "expected a space"},
        {"kernel k params 0\ndata 4 bytes 2 0011223", "two hexadecimal digits"},
        {"kernel k params 0\ndata 4 bytes 5 00", "an offset in the data"},
        {"kernel k params 0\nbody {\n  $y = 1:i32 }", "line 3, column 4: expected the name of a variable, not \"y\""},
        {"kernel k params 0\nvar y i32 private body {\n  $y = (plus 1:i32) }", "line 3, column 9: expected an operator, not \"plus\""},
        {"kernel k params 0\nvar y i32 private body {\n  $y = (add 1:i32 x) }", "expected an expression, not \"x)\""},
        {"kernel k params 0\nvar y i32 private body {\n  $y = (add 1:i32 2:i32 }", "expected ')'"},
        {"kernel k params 0\nvar y i32 private body {\n  $y = 1x:i32 }", "a number of that type"},
        {"kernel k params 0\nvar y i32 private body {\n  $y = 99999999999999999999:i32 }", "a number of that type"},
        {"kernel k params 0\nbody {\n  jump }", "line 3, column 3: expected a statement, not \"jump\""},
        {"kernel k params 0\nbody {\n  trap \"abc", "a character of a text"},
        {"kernel k params 0\nbody {\n  trap \"a\\qc\" }", "a character of a text, not \"\\qc"},
        {"kernel k params 0\nbody {\n  loop { # }\n }", "a statement, not \"\""},
        {"kernel k params 0\nbody { } }", "the end of the text"},
        {"kernel k params 0\nbody { $.0 = true }", "the number of a variable"},
        {"kernel k params 0\nbody { @-1 return }", "a line"},
        {"kernel k params 0\nbody { store align 3 null 1:i8 }", "expected a power of 2"},
        {"kernel k params 0\nbody { store align 8192 null 1:i8 }", "expected an alignment"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hdi_lir *l = hdi_lir_read(rows[i][0]);
        if (!CHECK(l == NULL && failed_with(HD_VALUE, rows[i][1])))
            fprintf(stderr, "in %s\n", rows[i][0]);
        hdi_lir_free(l);
    }
}

/* One word must say whether it is an operator or a function. */
TEST(lir, words_of_operators_and_functions_differ)
{
    for (int op = 0; op < HDI_LIR_OPS; op++)
        for (int f = 0; f < HDI_LIR_MATHS; f++)
            CHECK(strcmp(hdi_lir_ops[op].text, hdi_lir_maths[f].text) != 0);
}

/* ---- verify ---------------------------------------------------------------------------------- */

#define VARS                                                                        \
    "kernel k params 2 syncs\ndata 16\n"                                            \
    "var q ptr private param 0\nvar n i32 private param 1\n"                        \
    "var i i32 private\nvar u u32 private\nvar f f32 private\nvar p bool private\n" \
    "var l i64 private\nvar h u16 private\nvar m i32 private memory\n"              \
    "var s i32 shared memory count 4\n"

static void check_refused(const char *text, const char *part)
{
    hdi_lir *l = hdi_lir_read(text);
    if (!CHECK(l != NULL && hdi_lir_verify(l) == HD_VALUE)) {
        fprintf(stderr, "in %s\n", text);
        failed_with(HD_OK, "");
    } else if (!CHECK(failed_with(HD_VALUE, part))) {
        fprintf(stderr, "in %s\n", text);
    }
    hdi_lir_free(l);
}

TEST(lir, wrong_types_are_refused)
{
    static const char *const rows[][2] = {
        {"@7 $i = $f", "kernel k, line 7: node 1 (assign void of f32, -, -; k 2): the variable has another type"},
        {"$i = 3000000000:i32", "do not fit"}, {"$u = -1:u32", "do not fit"},
        {"$f = 0x100000000:f32", "do not fit"}, {"$p = 2:bool", "a number of that type"},
        {"$m = 1:i32", "in memory"}, {"$i = $m", "in memory"}, {"store &$i 1:i32", "has no address"},
        {"$i = (add $i $u)", "the node's type, a number"}, {"$p = (add $p $p)", "the node's type, a number"},
        {"$p = (neg $p)", "a number"}, {"$f = (not $f)", "an integer or bool"},
        {"$f = (rem $f $f)", "an integer or bool"}, {"$i = (shl $i $i)", "shifted by a u32"},
        {"$p = (lt $i $u)", "numbers or pointers of one type"}, {"$p = (eq $p $p)", "numbers or pointers"},
        {"$p = (both $p $i)", "bools"}, {"$i = (choose $i $i $i)", "a bool chooses"},
        {"$i = (choose $p $i $u)", "a bool chooses"}, {"$u = (convert u32 $q)", "i64 and u64 only"},
        {"$l = (bits i64 $i)", "of one size"}, {"$i = (load i32 $l)", "from a pointer"},
        {"$i = (load void $q)", "from a pointer"}, {"$q = (offset 4 $q $i)", "a pointer moves by an i64"},
        {"$q = (offset 2000000000000 $q $l)", "a pointer moves by an i64"},
        {"$i = (sin $i)", "does not exist for this type"}, {"$f = (popcount $f)", "does not exist for this type"},
        {"$f = (pow $f $i)", "arguments have the node's type"}, {"store $l $i", "through a pointer"},
        {"$h = atomic add $q $h", "atomic operation does not exist"}, {"$f = atomic min $q $f", "does not exist"},
        {"$i = atomic inc $q $i", "does not exist"}, {"$i = atomic cas $q $i $u", "third operand"},
        {"$u = atomic add $q $i", "another type"}, {"atomic add $l $i", "needs a pointer"},
        {"$i = warp shuffle $i $i 32:u32", "a u32 lane"}, {"$u = warp shuffle $i $u 32:u32", "another type"},
        {"$u = warp any $p", "another type"}, {"$p = warp any $i", "of a bool"},
        {"$u = warp match $f", "MATCH is of integers"}, {"$p = warp block_or $p", "another type"},
        {"if $i { }", "the condition is a bool"}, {"declare $n", "not declared"},
        {"declare $s", "only PRIVATE variables"}, {"$i = (peer $i 0:u32)", "not SPREAD"},
        {"loop unroll 1025 { }", "unrolled so often"}, {"loop unroll -2 { }", "unrolled so often"},
    };
    char text[2048];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, VARS "body { %s }", rows[i][0]);
        if (strcmp(rows[i][0], "$p = 2:bool") == 0) {
            CHECK(hdi_lir_read(text) == NULL && failed_with(HD_VALUE, rows[i][1]));
            continue;
        }
        check_refused(text, rows[i][1]);
    }
}

TEST(lir, statements_at_wrong_places_are_refused)
{
    static const char *const rows[][2] = {
        {VARS "body { break 1 }", "only 0 loops"},
        {VARS "body { loop { continue 2 } }", "only 1 loops"},
        {VARS "body { loop { break 0 } }", "only 1 loops"},
        {VARS "body { loop { loop { } step { break 1 } } }", "only 0 loops"},
        {VARS "body { loop { } step { return } }", "nothing returns from a step"},
        {VARS "body { threads { } }", "in lockstep only"},
        {VARS "body { item $i }", "stand in PRINT"},
        {VARS "body { print \"\" { return } }", "stand in PRINT"},
        {"kernel k params 0 body { barrier }", "does not say `syncs`"},
        {"kernel k params 0 lockstep body { threads { threads { } } }", "outside of others"},
        {"kernel k params 0 lockstep body { loop { threads { break 1 } } }", "only 0 loops"},
        {"kernel k params 0 lockstep body { threads { return } }", "from THREADS"},
        {"kernel k params 0 lockstep body { threads { barrier } }", "within THREADS"},
        {"kernel k params 0 lockstep var p bool spread body { threads { $p = warp any $p } }", "no warps"},
        {"kernel k params 0 lockstep var p bool spread body { if $p { } }", "outside THREADS"},
        {"kernel k params 0 lockstep var p bool private body { $p = true }", "outside THREADS"},
        {"kernel k params 0 lockstep var u u32 uniform body { $u = thread.y }", "no thread outside"},
        {"kernel k params 1 lockstep var n u32 private param 0 body { $n = 1:u32 }", "outside THREADS"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(rows[i][0], rows[i][1]);
}

TEST(lir, wrong_variables_are_refused)
{
    static const char *const rows[][2] = {
        {"var x void private", "cannot have this type"},
        {"var x i32 private count 2", "not in memory"},
        {"var x i64 private memory count 137438953472", "number of elements that cannot be: 137438953472"},
        {"var x i64 private memory align 4", "alignment"}, {"var x i64 private memory align 24", "alignment"},
        {"var x i32 shared", "of this space are in memory"}, {"var x i32 spread", "not in lockstep"},
        {"var x i32 private memory dynamic", "dynamic, but not SHARED"},
        {"var x i32 private param 1", "cannot be this parameter: 1"},
        {"var x i32 shared memory param 0", "cannot be this parameter"},
        {"var x i32 private param 0 var y i32 private param 0", "variable 1 (y): another variable is this parameter"},
        {"var x i32 constant memory count 5", "does not lie in the data"},
        {"var x i32 global memory at 14", "does not lie in the data"},
        {"var x i32 global memory at 2", "does not lie in the data"},
        {"var x ptr private role module", "cannot have this role"},
        {"var x i64 private param 0 role low of 1", "of a parameter that is not there"},
    };
    char text[512];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "kernel k params 1 data 16 %s body { }", rows[i][0]);
        check_refused(text, rows[i][1]);
    }
    check_refused("kernel k params 0 lockstep var x i32 uniform memory body { }", "not in memory");
}

static hdi_lir *small(void)
{
    hdi_lir *l = hdi_lir_new("small");
    const int32_t v = hdi_lir_variable(l, "v", HDI_LIR_I32, HDI_LIR_PRIVATE);
    const int32_t one = hdi_lir_const(l, HDI_LIR_I32, 1), two = hdi_lir_const(l, HDI_LIR_I32, 2);
    const int32_t sum = hdi_lir_node3(l, HDI_LIR_ADD, HDI_LIR_I32, 1, 0, one, two, -1);
    l->body = hdi_lir_node3(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, 1, v, sum, -1, -1);
    l->node[l->body].next = hdi_lir_add(l, HDI_LIR_RETURN, HDI_LIR_VOID, 2);
    return l;
}
enum { ONE, TWO, SUM, SET, END };

TEST(lir, damaged_links_are_refused)
{
    static const struct { int node, field; int32_t value; const char *part; } rows[] = {
        {SUM, 0, 99, "no node: 99"}, {SUM, 1, -2, "missing: -2"}, {SUM, 1, -1, "missing"},
        {SUM, 1, ONE, "node 0 (const i32 of -, -, -; k 1): it is used twice"}, {SUM, 0, SUM, "used twice"},
        {SET, 3, SET, "used twice"}, {END, 3, SET, "used twice"}, {END, 3, 7, "no node: 7"},
        {END, 3, -5, "no node: -5"}, {SET, 0, END, "a statement stands where"},
        {SET, 3, ONE, "used twice"}, {SUM, 2, TWO, "must be -1"}, {ONE, 0, TWO, "must be -1"},
        {ONE, 3, END, "has no `next`"}, {SUM, 4, HDI_LIR_OPS, "no such op"},
        {SUM, 5, HDI_LIR_TYPES, "no such type"}, {SUM, 6, 1, "flags"}, {END, 5, HDI_LIR_I32, "type void"},
        {SUM, 7, -3, "not negative"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hdi_lir *l = small();
        hdi_lir_node *n = &l->node[rows[i].node];
        const int32_t x = rows[i].value;
        CHECK(hdi_lir_verify(l) == HD_OK);
        switch (rows[i].field) {
        case 3:  n->next = x; break;
        case 4:  n->op = (uint8_t)x; break;
        case 5:  n->type = (uint8_t)x; break;
        case 6:  n->flags = (uint8_t)x; break;
        case 7:  n->line = x; break;
        default: n->arg[rows[i].field] = x; break;
        }
        CHECK(hdi_lir_verify(l) == HD_VALUE && failed_with(HD_VALUE, rows[i].part));
        hdi_lir_free(l);
    }
}

TEST(lir, depth_has_a_limit)
{
    for (int kind = 0; kind < 2; kind++)
        for (int depth = HDI_LIR_DEPTH - 2; depth < HDI_LIR_DEPTH + 2; depth++) {
            hdi_lir *l = hdi_lir_new("deep");
            const int32_t v = hdi_lir_variable(l, "v", HDI_LIR_I32, HDI_LIR_PRIVATE);
            int32_t x = kind == 0 ? hdi_lir_const(l, HDI_LIR_I32, 1) : -1;
            for (int k = 2; k < depth; k++)
                x = kind == 0 ? hdi_lir_node3(l, HDI_LIR_NEG, HDI_LIR_I32, 0, 0, x, -1, -1)
                              : hdi_lir_node3(l, HDI_LIR_LOOP, HDI_LIR_VOID, 0, 0, x, -1, -1);
            l->body = kind == 0 ? hdi_lir_node3(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, 0, v, x, -1, -1)
                                : hdi_lir_node3(l, HDI_LIR_LOOP, HDI_LIR_VOID, 0, 0, x, -1, -1);
            if (hdi_lir_verify(l) == HD_OK) {
                CHECK(depth <= HDI_LIR_DEPTH + 1);
                CHECK(hdi_lir_lockstep(l) == HD_OK && hdi_lir_verify(l) == HD_OK);
                char *text = hdi_lir_print(l);
                hdi_lir *again = hdi_lir_read(text);
                CHECK(again != NULL);
                hdi_lir_free(again);
                free_text(text);
            } else {
                CHECK(depth >= HDI_LIR_DEPTH && failed_with(HD_VALUE, "nested deeper than 2000"));
            }
            hdi_lir_free(l);
        }
}

/* A million levels would be the end of any stack. */
TEST(lir, hostile_depth_ends_as_an_error)
{
    enum { LEVELS = 1000000 };
    char *text = malloc(6 * LEVELS + 100);
    REQUIRE(text != NULL);
    size_t n = (size_t)sprintf(text, "kernel k params 0 var p bool private body { $p = ");
    for (int i = 0; i < LEVELS; i++, n += 5)
        memcpy(text + n, "(not ", 6);
    CHECK(hdi_lir_read(text) == NULL && failed_with(HD_VALUE, "fewer levels"));
    n = (size_t)sprintf(text, "kernel k params 0 body { ");
    for (int i = 0; i < LEVELS; i++, n += 6)
        memcpy(text + n, "loop {", 7);
    CHECK(hdi_lir_read(text) == NULL && failed_with(HD_VALUE, "fewer levels"));
    free(text);
    hdi_lir *l = hdi_lir_new("deep");
    int32_t x = -1;
    for (int i = 0; i < LEVELS; i++)
        x = hdi_lir_node3(l, HDI_LIR_LOOP, HDI_LIR_VOID, 0, 0, x, -1, -1);
    l->body = x;
    CHECK(hdi_lir_verify(l) == HD_VALUE && failed_with(HD_VALUE, "nested deeper"));
    hdi_lir_free(l);
}

/* ---- place ----------------------------------------------------------------------------------- */

TEST(lir, places_are_aligned_and_apart)
{
    hdi_lir *l = hdi_lir_read("kernel k params 0 lockstep\n"
                              "var a u8 shared memory count 3\nvar b f64 shared memory count 2\n"
                              "var c f32 shared memory dynamic count 0\nvar e i32 shared memory align 32\n"
                              "var f u8 shared memory dynamic count 0\n"
                              "var g bool spread\nvar h f32 spread memory count 3 align 8\n"
                              "var i f64 spread memory align 64\nvar j i16 spread\n"
                              "body { }");
    REQUIRE(l != NULL);
    CHECK(hdi_lir_place(l) == HD_OK && hdi_lir_verify(l) == HD_OK);
    static const int64_t at[] = {0, 8, 48, 32, 48, 0, 16, 64, 128};
    for (int i = 0; i < 9; i++)
        CHECK_EQ_I64(l->var[i].at, at[i]);
    CHECK_EQ_I64(l->shared_bytes, 36);
    CHECK_EQ_I64(l->spread_bytes, 144);
    CHECK_EQ_I64(hdi_lir_spread_size(&l->var[6]), 16);
    CHECK_EQ_I64(hdi_lir_spread_size(&l->var[7]), 64);
    hdi_lir_free(l);
}

TEST(lir, too_many_bytes_have_no_places)
{
    hdi_lir *l = hdi_lir_read("kernel k params 0\n"
                              "var a u8 shared memory count 1000000000000\n"
                              "var b u8 shared memory count 1000000000000 body { }");
    REQUIRE(l != NULL);
    CHECK(hdi_lir_verify(l) == HD_OK);
    CHECK(hdi_lir_place(l) == HD_VALUE && failed_with(HD_VALUE, "2^40"));
    hdi_lir_free(l);
}

/* ---- damage by chance ------------------------------------------------------------------------ */

static int64_t rounds(void)
{
    const char *text = getenv("HEDDLE_TEST_ROUNDS");
    return text != NULL ? strtoll(text, NULL, 10) : 1;
}

static int64_t wild(int64_t usual)
{
    switch (t_below(6)) {
    case 0:  return INT64_MIN;
    case 1:  return INT64_MAX;
    case 2:  return (int64_t)t_random();
    case 3:  return -1;
    default: return t_between(-2, usual + 2);
    }
}

static void damage_node(hdi_lir *l)
{
    hdi_lir_node *n = &l->node[t_below(l->nnodes)];
    switch (t_below(9)) {
    case 0: n->op = (uint8_t)t_below(HDI_LIR_OPS + 1); break;
    case 1: n->type = (uint8_t)t_below(HDI_LIR_TYPES + 1); break;
    case 2: n->kind = (uint8_t)t_below(16); break;
    case 3: n->flags = (uint8_t)t_below(4); break;
    case 4: n->next = (int32_t)wild(l->nnodes); break;
    case 5: n->k = wild(l->nvars); break;
    case 6: n->k = t_between(1, 3); break;
    default: n->arg[t_below(3)] = (int32_t)wild(l->nnodes); break;
    }
}

static void damage_var(hdi_lir *l)
{
    hdi_lir_var *var = &l->var[t_below(l->nvars)];
    switch (t_below(9)) {
    case 0: var->name = (int32_t)wild(l->names_bytes); break;
    case 1: var->type = (uint8_t)t_below(HDI_LIR_TYPES + 1); break;
    case 2: var->space = (uint8_t)t_below(HDI_LIR_SPACES + 1); break;
    case 3: var->in_memory = !var->in_memory; break;
    case 4: var->dynamic = !var->dynamic; break;
    case 5: var->count = wild(8); break;
    case 6: var->param = (int32_t)wild(l->nparams); break;
    case 7: var->at = wild(l->data_bytes); break;
    default: var->align = (int32_t)wild(16); break;
    }
}

/* Either it is refused, or all passes take it. True: it was accepted. */
static int survives(hdi_lir *l)
{
    if (hdi_lir_verify(l) != HD_OK) {
        CHECK(t_failed(HD_VALUE));
        return 0;
    }
    char *text = hdi_lir_print(l);
    CHECK(text != NULL);
    hdi_lir *again = hdi_lir_read(text);
    char *second = again != NULL ? hdi_lir_print(again) : NULL;
    CHECK_STR(second, text);
    CHECK(hdi_lir_lockstep(l) == HD_OK);
    if (!CHECK(hdi_lir_verify(l) == HD_OK)) {
        fprintf(stderr, "%s\n%s\n", hd_error_peek()->message, text);
        t_clean();
    }
    if (hdi_lir_place(l) != HD_OK)
        CHECK(failed_with(HD_VALUE, "2^40"));
    free_text(text);
    free_text(second);
    hdi_lir_free(again);
    return 1;
}

TEST(lir, damaged_nodes_are_refused_or_harmless)
{
    int64_t accepted = 0;
    for (int64_t k = 0; k < 4000 * rounds(); k++) {
        hdi_lir *l = random_kernel((int)t_below(2));
        REQUIRE(l != NULL);
        if (t_below(4) == 0)
            CHECK(hdi_lir_lockstep(l) == HD_OK);
        for (int64_t n = t_between(1, 3); n > 0; n--)
            t_below(4) == 0 ? damage_var(l) : damage_node(l);
        accepted += survives(l);
        hdi_lir_free(l);
    }
    CHECK(accepted > 100);
}

TEST(lir, damaged_texts_are_refused_or_harmless)
{
    static const char letters[] = "(){}$@&#\":.-0129 \nabcexiu\\%";
    for (int64_t k = 0; k < 3000 * rounds(); k++) {
        hdi_lir *l = t_below(3) != 0 ? random_kernel((int)t_below(2)) : hdi_lir_read(all_of_it);
        REQUIRE(l != NULL);
        char *text = hdi_lir_print(l);
        REQUIRE(text != NULL);
        const size_t bytes = strlen(text) + 1;
        char *copy = malloc(bytes);
        memcpy(copy, text, bytes);
        free_text(text);
        for (int64_t n = t_between(1, 3); n > 0; n--)
            copy[t_below((int64_t)bytes - 1)] = letters[t_below(sizeof letters - 1)];
        if (t_below(10) == 0)
            copy[t_below((int64_t)bytes)] = '\0';
        hdi_lir *read = hdi_lir_read(copy);
        if (read != NULL)
            survives(read);
        else
            CHECK(t_failed(HD_VALUE));
        hdi_lir_free(read);
        hdi_lir_free(l);
        free(copy);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(lir, each_allocation_may_fail)
{
    for (int64_t n = 1, failed = 1; failed != 0; n++) {
        hdi_fail_after(n);
        hdi_lir *l = hdi_lir_read(all_of_it);
        char *text = NULL;
        const int good = l != NULL && hdi_lir_verify(l) == HD_OK && (text = hdi_lir_print(l)) != NULL;
        hdi_fail_after(0);
        failed = !good;
        if (failed)
            CHECK(t_failed(HD_NOMEM));
        else
            CHECK_STR(text, all_of_it);
        free_text(text);
        hdi_lir_free(l);
        REQUIRE(n < 2000);
    }
}
