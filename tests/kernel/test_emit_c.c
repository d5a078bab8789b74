/* SPDX-License-Identifier: BSD-3-Clause */
/* test_emit_c.c - what against_gcc.py runs: HEDDLE_KERNEL_LIST names a file with lines of source,
 * kernel, name of the C function, and file for the C, separated by tabs. What is refused is written
 * as a comment. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emit_c.c"
#include "kernel/kernel.h"

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)n + 1);
    if (text != NULL && fread(text, 1, (size_t)n, f) != (size_t)n)
        text[0] = '\0';
    fclose(f);
    return text;
}

/* The memory of the module, once for all kernels of the file: they come one after the other. */
static void module_memory(hdi_strbuf *s, const char *text)
{
    hdi_lir *l = hdi_kernel_globals(&(hdi_kernel_source){.text = text});
    REQUIRE(l != NULL);
    hdi_strbuf_add(s, "#ifndef G_MODULE\n#define G_MODULE\nstatic char g_module[%lld] "
                   "__attribute__((aligned(256), unused)) = {", (long long)l->data_bytes + 1);
    for (int64_t i = 0; i < l->data_bytes; i++)
        hdi_strbuf_add(s, "%d,", (int)(signed char)l->data[i]);
    hdi_strbuf_add(s, "};\n#endif\n");
    hdi_lir_free(l);
}

static void one(const char *source, const char *kernel, const char *name, const char *out)
{
    char *text = file_text(source);
    REQUIRE(text != NULL);
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){.text = text, .name = kernel});
    FILE *f = fopen(out, "w");
    hdi_strbuf s = {0};
    hd_error error = {0};
    if (l != NULL) {
        module_memory(&s, text);
        emit_c(&s, l, name);
    } else {
        hd_error_take(&error);
        hdi_strbuf_add(&s, "#error %s\n", error.message);
    }
    char *c = hdi_strbuf_take(&s);
    if (f != NULL && c != NULL)
        fputs(c, f);
    if (f != NULL)
        fclose(f);
    if (c != NULL)
        hdi_free(c, strlen(c) + 1);
    hdi_lir_free(l);
    free(text);
}

TEST(emit_c, list_of_the_environment)
{
    const char *path = getenv("HEDDLE_KERNEL_LIST");
    char line[2048], *part[4];
    if (path == NULL)
        SKIP("HEDDLE_KERNEL_LIST is not set: see tests/kernel/against_gcc.py");
    FILE *f = fopen(path, "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        int n = 0;
        for (char *p = strtok(line, "\t\n"); p != NULL && n < 4; p = strtok(NULL, "\t\n"))
            part[n++] = p;
        if (CHECK(n == 4))
            one(part[0], part[1], part[2], part[3]);
    }
    fclose(f);
}
