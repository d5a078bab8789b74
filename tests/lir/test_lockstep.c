/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lockstep.c - kernels in lowered IR and what lockstep.c makes of them do the same; by hand and
 * by chance. HEDDLE_TEST_ROUNDS=n: so many times as many kernels by chance. */
#include <stdio.h>

#include "base/alloc.h"
#include "lir/interpret.h"
#include "lir/passes.h"
#include "lir/random_kernel.h"
#include "support.h"

enum { MOST = 512 };           /* results */

/* ---- running --------------------------------------------------------------------------------- */

static int prints_the_same(const hdi_lir *l)
{
    char *one = hdi_lir_print(l);
    hdi_lir *copy = one != NULL ? hdi_lir_read(one) : NULL;
    char *two = copy != NULL ? hdi_lir_print(copy) : NULL;
    const int same = two != NULL && strcmp(one, two) == 0;
    if (one != NULL)
        hdi_free(one, strlen(one) + 1);
    if (two != NULL)
        hdi_free(two, strlen(two) + 1);
    hdi_lir_free(copy);
    return same;
}

static void complain(const char *what, const hdi_lir *l)
{
    hd_error e;
    hd_error_take(&e);
    char *text = hdi_lir_print(l);
    fprintf(stderr, "%s: %s\n%s", what, e.code != HD_OK ? e.message : "", text != NULL ? text : "");
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}

/* Verified, in lockstep, with places; NULL: it failed. */
static hdi_lir *in_lockstep(const hdi_lir *l)
{
    hdi_lir *cut = lir_copied(l);
    if (cut != NULL && hdi_lir_lockstep(cut) == HD_OK && hdi_lir_verify(cut) == HD_OK
        && hdi_lir_place(cut) == HD_OK && hdi_lir_verify(cut) == HD_OK && prints_the_same(cut))
        return cut;
    complain("lockstep", cut != NULL ? cut : l);
    hdi_lir_free(cut);
    return NULL;
}

typedef struct result { int32_t out[MOST]; uint32_t count; const char *error; } result;

static result run(const hdi_lir *l, uint32_t grid, uint32_t threads, const int32_t *in)
{
    static const int32_t three[3] = {7, 11, 13}, five = 5;
    result r = {0};
    int32_t *out = r.out;
    uint32_t *count = &r.count;
    const void *args[] = {&in, &out, &count, &five, three};
    const lir_run how = {.l = l, .grid = {grid, 1, 1}, .block = {threads, 1, 1}, .args = args,
                         .dynamic_bytes = 4 * (int64_t)threads, .data = l->data,
                         .most_steps = 20000000};
    r.error = lir_interpret(&how);
    return r;
}

static void fill(int32_t *in)
{
    for (int i = 0; i < MOST; i++)
        in[i] = (int32_t)t_between(-5, 60);
}

static int agree(const result *x, const result *y)
{
    return x->error == NULL && y->error == NULL && memcmp(x->out, y->out, sizeof x->out) == 0
           && x->count == y->count;
}

static int same_in_lockstep(hdi_lir *l, uint32_t grid, uint32_t threads, const int32_t *in)
{
    if (hdi_lir_verify(l) != HD_OK || hdi_lir_place(l) != HD_OK || !prints_the_same(l)) {
        complain("source", l);
        return 0;
    }
    hdi_lir *cut = in_lockstep(l);
    if (cut == NULL)
        return 0;
    const result x = run(l, grid, threads, in), y = run(cut, grid, threads, in);
    const int same = agree(&x, &y);
    if (!same) {
        fprintf(stderr, "%u blocks of %u threads; errors: %s, %s; counts: %u, %u\n", grid, threads,
                x.error != NULL ? x.error : "none", y.error != NULL ? y.error : "none", x.count, y.count);
        for (int i = 0; i < MOST; i++)
            if (x.out[i] != y.out[i]) {
                fprintf(stderr, "result %d: %d is not %d\n", i, x.out[i], y.out[i]);
                break;
            }
        complain("source", l);
        complain("lockstep", cut);
    }
    hdi_lir_free(cut);
    return same;
}

/* ---- by hand --------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "kernel k params 5 syncs\n"                                                                    \
    "var in ptr private param 0 reads\n"                                                           \
    "var out ptr private param 1 writes\n"                                                         \
    "var count ptr private param 2 reads writes\n"                                                 \
    "var n i32 private param 3\n"                                                                  \
    "var three i32 private memory count 3 param 4\n"                                               \
    "var x i32 private\nvar y i32 private\nvar i i32 private\nvar j i32 private\n"                 \
    "var s u32 private\nvar u u32 private\nvar p bool private\n"                                   \
    "var sh i32 shared memory count 256\nvar dyn i32 shared memory dynamic count 0\n"              \
    "var a i32 private memory count 4\n"
/* the thread's number in its block, as an i64; in the grid */
#define T "(convert i64 thread)"
#define G "(convert i64 (add (mul block.x threads) thread))"
#define IN "(load i32 (offset 4 $in " G "))"
#define OUT "(offset 4 $out " G ")"

/* Runs `body` in both ways with several sizes of block; the result of each thread of the grid is
 * what `want` says. */
typedef int32_t (*wanted)(const int32_t *in, int threads, int block, int thread);

static void check_text(const char *body, wanted want, const int *sizes, int nsizes)
{
    char text[8192];
    int32_t in[MOST];
    snprintf(text, sizeof text, HEAD "body {%s}", body);
    hdi_lir *l = hdi_lir_read(text);
    if (!CHECK(l != NULL)) {
        hd_error e;
        hd_error_take(&e);
        fprintf(stderr, "%s\n", e.message);
        return;
    }
    fill(in);
    for (int k = 0; k < nsizes; k++) {
        CHECK(same_in_lockstep(l, 2, (uint32_t)sizes[k], in));
        const result r = run(l, 2, (uint32_t)sizes[k], in);
        for (int t = 0; want != NULL && t < 2 * sizes[k]; t++)
            CHECK_EQ_I64(r.out[t], want(in + t / sizes[k] * sizes[k], sizes[k], t / sizes[k], t % sizes[k]));
    }
    hdi_lir_free(l);
}
#define CHECK_TEXT(body, want, ...)                                                                \
    check_text(body, want, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static int32_t sum_of_block(const int32_t *in, int threads, int block, int thread)
{
    int32_t sum = 0;
    (void)block;
    for (int i = 0; i < threads; i++)
        sum += in[i];
    return thread == 0 ? sum : 0;
}

TEST(lockstep, reduction_in_shared_memory)
{
    CHECK_TEXT("store (offset 4 &$sh " T ") " IN "\n"
               "barrier\n"
               "$s = (shr threads 1:u32)\n"
               "loop {\n"
               "  if (eq $s 0:u32) { break 1 }\n"
               "  if (lt thread $s) {\n"
               "    store (offset 4 &$sh " T ")\n"
               "      (add (load i32 (offset 4 &$sh " T "))\n"
               "           (load i32 (offset 4 &$sh (convert i64 (add thread $s)))))\n"
               "  }\n"
               "  barrier\n"
               "} step { $s = (shr $s 1:u32) }\n"
               "if (eq thread 0:u32) { store " OUT " (load i32 &$sh) }\n",
               sum_of_block, 1, 2, 32, 64, 128);
}

static int32_t prefix(const int32_t *in, int threads, int block, int thread)
{
    int32_t sum = 0;
    (void)threads;
    (void)block;
    for (int i = thread / 32 * 32; i <= thread; i++)
        sum += in[i];
    return sum;
}

TEST(lockstep, scan_by_shuffles)
{
    CHECK_TEXT("$x = " IN "\n"
               "$s = 1:u32\n"
               "loop {\n"
               "  if (le 32:u32 $s) { break 1 }\n"
               "  $y = warp shuffle_up $x $s 32:u32\n"
               "  if (le $s (and thread 31:u32)) { $x = (add $x $y) }\n"
               "} step { $s = (shl $s 1:u32) }\n"
               "store " OUT " $x\n",
               prefix, 1, 31, 32, 33, 64, 100);
}

static int32_t rest_of_warp(const int32_t *in, int threads, int block, int thread)
{
    int32_t sum = 0;
    (void)block;
    for (int lane = 0; lane < 32; lane++) {
        const int other = thread / 32 * 32 + (thread % 32 ^ lane);
        sum += in[other < threads ? other : thread];
    }
    return sum;
}

TEST(lockstep, shuffles_in_partial_warps)
{
    CHECK_TEXT("$x = 0:i32  $s = 0:u32\n"
               "loop { if (le 32:u32 $s) { break 1 }\n"
               "  $y = warp shuffle_xor " IN " $s 32:u32\n"
               "  $x = (add $x $y)\n"
               "} step { $s = (add $s 1:u32) }\n"
               "store " OUT " $x\n",
               rest_of_warp, 5, 32, 40, 63);
}

static int32_t reversed(const int32_t *in, int threads, int block, int thread)
{
    (void)block;
    return in[threads - 1 - thread];
}

TEST(lockstep, turned_round_in_dynamic_shared_memory)
{
    CHECK_TEXT("store (offset 4 &$dyn " T ") " IN "\n"
               "barrier\n"
               "store " OUT " (load i32 (offset 4 &$dyn (convert i64 (sub (sub threads 1:u32) thread))))\n",
               reversed, 1, 17, 64, 128);
}

static int32_t even_sum(const int32_t *in, int threads, int block, int thread)
{
    int32_t sum = 0;
    (void)block;
    for (int i = 0; i < threads; i += 2)
        sum += in[i];
    return thread % 2 == 0 ? sum : -1;
}

TEST(lockstep, threads_that_returned_before_a_barrier)
{
    CHECK_TEXT("if (eq (and thread 1:u32) 1:u32) { store " OUT " -1:i32 return }\n"
               "store (offset 4 &$sh " T ") " IN "\n"
               "barrier\n"
               "$x = 0:i32 $s = 0:u32\n"
               "loop counted {\n"
               "  if (le threads $s) { break 1 }\n"
               "  $x = (add $x (load i32 (offset 4 &$sh (convert i64 $s))))\n"
               "} step { $s = (add $s 2:u32) }\n"
               "barrier\n"
               "store " OUT " $x\n"
               "return barrier store " OUT " 99:i32\n",
               even_sum, 1, 6, 33, 64);
}

static int32_t by_branch(const int32_t *in, int threads, int block, int thread)
{
    (void)block;
    if (thread % 3 == 0)
        return in[thread] * 2;
    int active = 0;
    for (int i = thread / 32 * 32; i < threads && i < thread / 32 * 32 + 32; i++)
        active += i % 3 != 0;
    return active;
}

TEST(lockstep, meeting_in_both_parts_of_an_if)
{
    CHECK_TEXT("if (eq (rem thread 3:u32) 0:u32) {\n"
               "  $x = " IN " barrier $x = (mul $x 2:i32)\n"
               "} else {\n"
               "  $s = warp active\n"
               "  $x = (convert i32 (popcount $s))\n"
               "}\n"
               "store " OUT " $x\n",
               by_branch, 1, 32, 50, 96);
}

TEST(lockstep, exits_at_several_levels)
{
    CHECK_TEXT("$x = 0:i32 $i = 0:i32\n"
               "loop {\n"
               "  if (le 5:i32 $i) { break 1 }\n"
               "  $j = 0:i32\n"
               "  loop {\n"
               "    if (le 4:i32 $j) { break 1 }\n"
               "    $s = warp ballot (lt $j (convert i32 (and thread 7:u32)))\n"
               "    $x = (add (mul (and $x 0xffff:i32) 3:i32) (convert i32 (and $s 0xff:u32)))\n"
               "    if (eq (rem (add " IN " $i) 7:i32) 3:i32) { continue 2 }\n"
               "    if (eq (rem (add " IN " $j) 11:i32) 5:i32) { barrier break 2 }\n"
               "    if (eq (rem " IN " 13:i32) $i) { $x = (add $x 1:i32) continue 1 }\n"
               "    if (eq (add $i $j) (rem " IN " 17:i32)) { store " OUT " $x syncwarp return }\n"
               "    loop { if (lt 900:i32 $x) { $x = (sub $x 900:i32) continue 1 } break 1 }\n"
               "    $p = warp any (lt 500:i32 $x)\n"
               "    if $p { $x = (add $x 7:i32) }\n"
               "  } step { $j = (add $j 1:i32) }\n"
               "} step { $s = warp active $x = (add (and $x 0xffff:i32) (convert i32 (popcount $s)))\n"
               "         $i = (add $i 1:i32) }\n"
               "store " OUT " (add $x 100000:i32)\n",
               NULL, 1, 8, 32, 45, 64, 97);
}

TEST(lockstep, all_votes_and_matches)
{
    CHECK_TEXT("$x = 0:i32\n"
               "if (lt (rem " IN " 5:i32) 3:i32) {\n"
               "  $p = warp all (lt " IN " 50:i32)   $x = (add (mul $x 2:i32) (convert i32 $p))\n"
               "  $p = warp any (lt " IN " 3:i32)    $x = (add (mul $x 2:i32) (convert i32 $p))\n"
               "  $s = warp ballot (lt " IN " 30:i32)\n"
               "  $u = warp match (rem " IN " 4:i32)\n"
               "  $y = warp block_count (lt " IN " 20:i32) $x = (add (mul $x 3:i32) $y)\n"
               "  $y = warp block_and (lt " IN " 60:i32)  $x = (add (mul $x 3:i32) $y)\n"
               "  $y = warp block_or (lt " IN " 0:i32)   $x = (add (mul $x 3:i32) $y)\n"
               "  $x = (xor $x (bits i32 (xor $s (brev $u))))\n"
               "}\n"
               "$y = warp shuffle $x (convert u32 " IN ") 8:u32\n"
               "$x = (xor $x $y)\n"
               "$y = warp shuffle_down $x (convert u32 (rem thread 3:u32)) 16:u32\n"
               "store " OUT " (xor $x $y)\n",
               NULL, 1, 32, 33, 64, 90);
}

static int32_t array_sum(const int32_t *in, int threads, int block, int thread)
{
    (void)block;
    return in[thread] + 2 * in[(thread + 1) % threads] + 7 + 11 + 13 + 5 + 1 + 40 * thread;
}

TEST(lockstep, arrays_and_parameters_live_across_barriers)
{
    CHECK_TEXT("declare $a\n"
               "store &$a " IN "\n"
               "store (offset 4 &$a 1:i64) (convert i32 (mul thread 40:u32))\n"
               "$n = (add $n 1:i32)\n"
               "store (offset 4 &$sh " T ") " IN "\n"
               "barrier\n"
               "store (offset 4 &$a 2:i64)\n"
               "  (mul 2:i32 (load i32 (offset 4 &$sh (convert i64 (rem (add thread 1:u32) threads)))))\n"
               "barrier\n"
               "store " OUT " (add (add (load i32 &$a) (load i32 (offset 4 &$a 1:i64)))\n"
               "  (add (load i32 (offset 4 &$a 2:i64)) (add $n\n"
               "  (add (load i32 &$three) (add (load i32 (offset 4 &$three 1:i64))\n"
               "       (load i32 (offset 4 &$three 2:i64)))))))\n",
               array_sum, 1, 7, 32, 64);
}

static int32_t clamped(const int32_t *in, int threads, int block, int thread)
{
    (void)threads;
    (void)block;
    return in[thread] < 10 ? 1 : in[thread] < 30 ? 2 : 3;
}

TEST(lockstep, without_meetings_it_is_one_region)
{
    const char *body = "loop {\n"
                       "  if (lt " IN " 10:i32) { store " OUT " 1:i32 return }\n"
                       "  if (lt " IN " 30:i32) { store " OUT " 2:i32 break 1 }\n"
                       "  store " OUT " 3:i32\n"
                       "  break 1\n"
                       "}\n"
                       "return\n";
    CHECK_TEXT(body, clamped, 1, 32, 100);
    char text[4096];
    snprintf(text, sizeof text, HEAD "body {%s}", body);
    hdi_lir *l = hdi_lir_read(text);
    REQUIRE(l != NULL);
    CHECK(hdi_lir_lockstep(l) == HD_OK && l->lockstep && !l->syncs);
    CHECK(hdi_lir_lockstep(l) == HD_OK);
    CHECK(l->node[l->body].op == HDI_LIR_THREADS && l->node[l->body].next == -1);
    for (int32_t i = 0; i < l->nvars; i++)
        CHECK(l->var[i].space != HDI_LIR_SPREAD);
    hdi_lir_free(l);
}

/* x is used between two barriers only, and stays a thread's own; y lives across. */
TEST(lockstep, variables_of_one_region_stay_private)
{
    hdi_lir *l = hdi_lir_read(HEAD "body {\n"
                              "declare $y $y = (convert i32 thread)\n"
                              "loop { barrier\n"
                              "  declare $x $x = (mul $y 3:i32) $y = (add $x 1:i32)\n"
                              "  declare $a store (offset 4 &$a (convert i64 (and thread 3:u32))) 1:i32\n"
                              "  $y = (add $y (load i32 (offset 4 &$a (convert i64 (and thread 3:u32)))))\n"
                              "  $i = $y\n"
                              "  if (lt 50:i32 $y) { break 1 } }\n"
                              "store " OUT " $y }");
    REQUIRE(l != NULL);
    CHECK(hdi_lir_lockstep(l) == HD_OK && hdi_lir_verify(l) == HD_OK);
    for (int32_t k = 0; k < l->nvars; k++) {
        const char *name = l->names + l->var[k].name;
        if (strcmp(name, "x") == 0 || strcmp(name, "a") == 0)
            CHECK_EQ_I64(l->var[k].space, HDI_LIR_PRIVATE);
        if (strcmp(name, "y") == 0 || strcmp(name, "i") == 0)
            CHECK_EQ_I64(l->var[k].space, HDI_LIR_SPREAD);
    }
    hdi_lir_free(l);
}

/* The address goes through more variables than rounds are spent on, and is used in another region. */
TEST(lockstep, addresses_are_followed_far)
{
    enum { LINKS = 12 };
    char text[4096], *end = text;
    end += sprintf(end, "%s", HEAD);
    for (int i = 0; i <= LINKS; i++)
        end += sprintf(end, "var p%d ptr private\n", i);
    end += sprintf(end, "body { declare $a store &$a " IN " declare $p0 $p0 = &$a\n");
    for (int i = 1; i <= LINKS; i++)
        end += sprintf(end, "declare $p%d $p%d = $p%d\n", i, i, i - 1);
    sprintf(end, "barrier store " OUT " (load i32 $p%d) }", LINKS);
    hdi_lir *l = hdi_lir_read(text);
    REQUIRE(l != NULL);
    int32_t in[MOST];
    fill(in);
    CHECK(same_in_lockstep(l, 2, 33, in));
    hdi_lir_free(l);
}

/* ---- by chance ------------------------------------------------------------------------------- */

static int64_t rounds(void)
{
    const char *text = getenv("HEDDLE_TEST_ROUNDS");
    return text != NULL ? strtoll(text, NULL, 10) : 1;
}

static void check_random(int kind, int64_t kernels)
{
    static const uint32_t sizes[] = {1, 2, 7, 31, 32, 33, 40, 64, 70, 100, 128};
    int32_t in[MOST];
    for (int64_t k = 0; k < kernels * rounds(); k++) {
        const uint64_t seed = t_state;
        hdi_lir *l = random_kernel(kind);
        REQUIRE(l != NULL);
        fill(in);
        const uint32_t threads = sizes[t_below(sizeof sizes / sizeof *sizes)];
        const int same = same_in_lockstep(l, 1 + (uint32_t)t_below(2), threads, in);
        hdi_lir_free(l);
        if (!CHECK(same)) {
            fprintf(stderr, "kernel %lld, seed %llx\n", (long long)k, (unsigned long long)seed);
            return;
        }
    }
}

TEST(lockstep, random_kernels_with_warps)
{
    check_random(RANDOM_WARPS, 1500);
}

TEST(lockstep, random_kernels_with_shared_memory)
{
    check_random(RANDOM_SHARED, 1500);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(lockstep, each_allocation_may_fail)
{
    for (int64_t n = 1, failed = 1; failed != 0; n++) {
        t_state = 77;
        hdi_lir *l = random_kernel(RANDOM_SHARED);
        REQUIRE(l != NULL);
        hdi_fail_after(n);
        const hd_status status = hdi_lir_lockstep(l);
        hdi_fail_after(0);
        failed = status != HD_OK;
        CHECK(failed ? t_failed(HD_NOMEM) : hdi_lir_verify(l) == HD_OK);
        hdi_lir_free(l);
        REQUIRE(n < 1000);
    }
}
