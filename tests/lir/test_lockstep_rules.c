/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lockstep_rules.c - the rules of lockstep one by one: kernels to which a rule applies and
 * kernels that miss it by a little, what becomes of each, and that it does the same as before.
 * test_lockstep.c has whole kernels, by hand and by chance. HEDDLE_TEST_SHOW=1 shows them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "lir/interpret.h"
#include "lir/passes.h"
#include "support.h"

enum { MOST = 512 };

/* ---- what became of a kernel ----------------------------------------------------------------- */

/* Statements: THREADS; IF and LOOP of the block, and of a thread in a THREADS. */
typedef struct shape { int threads, ifs, loops, own_ifs, own_loops; } shape;

static void look(const hdi_lir *l, int32_t first, bool in_threads, shape *s)
{
    for (int32_t i = first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node *n = &l->node[i];
        s->threads += n->op == HDI_LIR_THREADS;
        *(in_threads ? &s->own_ifs : &s->ifs) += n->op == HDI_LIR_IF;
        *(in_threads ? &s->own_loops : &s->loops) += n->op == HDI_LIR_LOOP;
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's' && n->op != HDI_LIR_PRINT)
                look(l, n->arg[a], in_threads || n->op == HDI_LIR_THREADS, s);
    }
}

static bool mentions(const hdi_lir *l, int32_t i, int32_t var)
{
    const hdi_lir_node *n = &l->node[i];
    const int rule = hdi_lir_ops[n->op].rule;
    const bool names = rule == HDI_LIR_R_VARIABLE || rule == HDI_LIR_R_PLACE || rule == HDI_LIR_R_PEER ||
                       rule == HDI_LIR_R_SET;
    bool found = names && n->k == var;
    for (int a = 0; a < 3; a++)
        for (int32_t x = n->arg[a]; x >= 0 && !found; x = l->node[x].next)
            found = mentions(l, x, var);
    return found;
}

/* Where the variable of that name lies: p, u, s (private, uniform, spread); -: nobody uses it. */
static char place_of(const hdi_lir *l, char name)
{
    bool used = false;
    int32_t var = 0;
    while (var < l->nvars && (l->names[l->var[var].name] != name || l->names[l->var[var].name + 1] != '\0'))
        var++;
    for (int32_t i = l->body; i >= 0 && var < l->nvars; i = l->node[i].next)
        used |= mentions(l, i, var);
    return !used ? '-' : l->var[var].space == HDI_LIR_UNIFORM ? 'u'
                     : l->var[var].space == HDI_LIR_SPREAD    ? 's'
                                                              : 'p';
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct result { int32_t out[MOST]; uint32_t count; } result;

static const char *run(const hdi_lir *l, uint32_t threads, const int32_t *in, result *r)
{
    static const int32_t three[3] = {7, 11, 13}, five = 5;
    int32_t *out = r->out;
    uint32_t *count = &r->count;
    memset(r, 0, sizeof *r);
    const void *args[] = {&in, &out, &count, &five, three};
    const lir_run how = {.l = l, .grid = {2, 1, 1}, .block = {threads, 1, 1}, .args = args,
                         .dynamic_bytes = 4 * (int64_t)threads, .data = l->data,
                         .most_steps = 20000000};
    return lir_interpret(&how);
}

static int do_the_same(const hdi_lir *l, const hdi_lir *cut)
{
    static const uint32_t sizes[] = {1, 5, 32, 33, 64};
    int32_t in[MOST];
    int same = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && same; k++) {
        result x, y;
        for (int i = 0; i < MOST; i++)
            in[i] = (int32_t)t_between(-5, 60);
        const char *one = run(l, sizes[k], in, &x), *two = run(cut, sizes[k], in, &y);
        same = one == NULL && two == NULL && memcmp(&x, &y, sizeof x) == 0;
        if (!same)
            fprintf(stderr, "%u threads: %s, %s\n", sizes[k], one != NULL ? one : "", two != NULL ? two : "");
    }
    return same;
}

/* ---- rules ----------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "kernel k params 5 syncs\n"                                                                    \
    "var in ptr private param 0 reads\nvar out ptr private param 1 writes\n"                       \
    "var count ptr private param 2 reads writes\nvar n i32 private param 3\n"                      \
    "var three i32 private memory count 3 param 4\n"                                               \
    "var x i32 private\nvar y i32 private\nvar i i32 private\nvar j i32 private\n"                 \
    "var s u32 private\nvar p bool private\nvar q ptr private\n"                                   \
    "var a i32 private memory count 4\nvar S i32 shared memory count 256\n"
#define T "(convert i64 thread)"
#define G "(convert i64 (add (mul block.x threads) thread))"
#define IN "(load i32 (offset 4 $in " G "))"
#define OUT "(offset 4 $out " G ")"
#define THREAD "(convert i32 thread)"
#define SIZE "(convert i32 threads)"
#define WIDE(i) "(convert i64 " i ")"

/* places: a name and its place, one after the other. */
typedef struct rule { const char *what, *body; shape is; const char *places; } rule;

static const rule rules[] = {
#include "lir/lockstep_rules.def"
};

static void check_rule(const rule *r)
{
    char text[8192];
    snprintf(text, sizeof text, HEAD "body {%s}", r->body);
    hdi_lir *l = hdi_lir_read(text), *cut = hdi_lir_read(text);
    shape is = {0};
    int well = l != NULL && cut != NULL && hdi_lir_verify(l) == HD_OK && hdi_lir_place(l) == HD_OK &&
               hdi_lir_lockstep(cut) == HD_OK && hdi_lir_verify(cut) == HD_OK && hdi_lir_place(cut) == HD_OK;
    if (well) {
        look(cut, cut->body, false, &is);
        well = memcmp(&is, &r->is, sizeof is) == 0 && do_the_same(l, cut);
        for (const char *p = r->places; *p != '\0'; p += 2)
            well &= place_of(cut, p[0]) == p[1];
    }
    if (!CHECK(well) || getenv("HEDDLE_TEST_SHOW") != NULL) {
        char *form = cut != NULL ? hdi_lir_print(cut) : NULL;
        fprintf(stderr, "%s: {%d, %d, %d, %d, %d}, \"", r->what, is.threads, is.ifs, is.loops, is.own_ifs,
                is.own_loops);
        for (const char *p = r->places; *p != '\0' && cut != NULL; p += 2)
            fprintf(stderr, "%c%c", p[0], place_of(cut, p[0]));
        fprintf(stderr, "\"\n%s", form != NULL ? form : hd_error_peek()->message);
        if (form != NULL)
            hdi_free(form, strlen(form) + 1);
    }
    hdi_lir_free(l);
    hdi_lir_free(cut);
    hd_error_take(NULL);
}

TEST(lockstep_rules, one_by_one)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        check_rule(&rules[k]);
}
