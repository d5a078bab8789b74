/* SPDX-License-Identifier: BSD-3-Clause */
/* gen.c - writes what follows from the operation tables: the preprocessor is the parser.
 * Usage: gen header > include/heddle/ops_table.h | gen stubs > python/heddle/_ops.pyi */
#include <stdio.h>
#include <string.h>

enum whose { NUMPY, SCIPY, OURS };
typedef struct row {
    const char *name, *types, *doc;
    char cls;
    int nin;
    enum whose whose;
    const char *rule; /* of elementwise operations */
} row;

static const row rows[] = {
#define EW1(name, types, rule, value, vx, samples, whose, raises, doc) \
    {#name, #types, doc, 'e', 1, whose, #rule},
#define EW2(name, types, rule, value, vx, vy, samples, whose, raises, doc) \
    {#name, #types, doc, 'e', 2, whose, #rule},
#define EW3(name, types, rule, value, vx, vy, vz, samples, whose, raises, doc) \
    {#name, #types, doc, 'e', 3, whose, #rule},
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, combine, identity, vjp, raises, doc) \
    {#name, #types, doc, 'r', nin, OURS, ""},
#include "ops/reduce/red.def"
#define LIB(name, nin, payload, traits, indexed, raises, doc) {#name, "", doc, 'x', nin, OURS, ""},
#include "ops/lib.def"
};
static const row scans[] = {
#define SCAN(name, of, types, combine, doc) {#name, #types, doc, 's', 1, OURS, ""},
#include "ops/scan/scan.def"
};
static const row pairs[] = {
#define PAIR(name, first, second, doc) {#name, "", doc, 'e', 2, NUMPY, ""},
#include "ops/elementwise/pairs.def"
};
enum { NPAIRS = (int)(sizeof pairs / sizeof *pairs) };
enum { NROWS = (int)(sizeof rows / sizeof *rows) };

/* Rows that only other operations use have no function of their own. */
static int is_internal(const row *r)
{
    static const char *const names[] = {"copy", "ramp", "sumproduct", "gather", "scatter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(r->name, names[i]) == 0)
            return 1;
    return strncmp(r->name, "random_", strlen("random_")) == 0;
}

static void write_header(void)
{
    puts("/* SPDX-License-Identifier: BSD-3-Clause */\n"
         "/* ops_table.h - made by tools/gen.c from src/ops: do not edit; `make gen` writes it "
         "again. */\n"
         "#ifndef HEDDLE_OPS_TABLE_H\n#define HEDDLE_OPS_TABLE_H\n\n#include <heddle/array.h>\n\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\ntypedef enum hd_op {");
    for (int i = 0; i < NROWS; i++)
        printf("    HD_OP_%s,\n", rows[i].name);
    puts("    HD_OP_COUNT\n} hd_op;\n");
    for (int i = 0; i < NROWS; i++) {
        const row *r = rows + i;
        static const char *const args[] = {
            "", "const hd_array *x", "const hd_array *x, const hd_array *y",
            "const hd_array *x, const hd_array *y, const hd_array *z"};
        if (is_internal(r) || r->cls == 'x')
            continue;
        printf("/* %s */\n", r->doc);
        if (r->cls == 'e')
            printf("HD_API hd_array *hd_%s(%s);\n", r->name, args[r->nin]);
        else
            printf("HD_API hd_array *hd_%s(const hd_array *x, int naxes, const int *axes, int "
                   "keepdims);\n",
                   r->name);
    }
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        printf("/* %s */\nHD_API hd_array *hd_%s(const hd_array *x, int axis, hd_dtype dt, "
               "hd_array *out);\n",
               scans[i].doc, scans[i].name);
    puts("\n#ifdef __cplusplus\n}\n#endif\n#endif");
}

/* Which of _array.pyi's kinds of ufunc it is: what its result has to do with its operands. */
static const char *kind_of(const row *r)
{
    static const struct {
        const char *rule, *one, *two;
    } kinds[] = {{"BOOL", "ufunc[TruthOfOne]", "ufunc[TruthOfTwo]"},
                 {"REAL", "ufunc[SizeOfOne]", "ufunc"},
                 {"SAME", "ufunc[SameOfOne]", "ufunc[SameOfTwo]"}};
    const int moves_up = strcmp(r->rule, "SAME") == 0 && !strchr(r->types, 'I');
    if (moves_up && r->nin <= 2) /* integers count as real numbers */
        return r->nin == 1 ? "ufunc[FloatOfOne]" : "ufunc[FloatOfTwo]";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(r->rule, kinds[i].rule) == 0 && r->nin <= 2)
            return r->nin == 1 ? kinds[i].one : kinds[i].two;
    return "ufunc";
}

static void write_stubs(void)
{
    puts("# SPDX-License-Identifier: BSD-3-Clause\n"
         "# Made by tools/gen.c from src/ops: do not edit; `make gen` writes it again.\n"
         "from ._array import (FloatOfOne, FloatOfTwo, SameOfOne, SameOfTwo, SizeOfOne, "
         "TruthOfOne,\n"
         "                     TruthOfTwo, ufunc)\n");
    for (int i = 0; i < NROWS; i++)
        if (rows[i].whose == NUMPY && strcmp(rows[i].name, "clip") != 0)
            printf("%s: %s\n\"\"\"%s\"\"\"\n", rows[i].name, kind_of(rows + i), rows[i].doc);
    for (int i = 0; i < NPAIRS; i++)
        printf("%s: ufunc\n\"\"\"%s\"\"\"\n", pairs[i].name, pairs[i].doc);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "header") == 0)
        write_header();
    else if (argc == 2 && strcmp(argv[1], "stubs") == 0)
        write_stubs();
    else
        return fprintf(stderr, "usage: gen header|stubs\n"), 2;
    return 0;
}
