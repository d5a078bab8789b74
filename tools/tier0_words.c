/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_words.c - a program of the build: writes the IR of all words to its output. */
#include <stdio.h>
#include <stdlib.h>

#include "codegen/llvm_api.h"

int main(void)
{
    int n;
    hdi_llvm_object o;
    const hdi_word *list = hdi_words_list(&n);
    if (!hdi_llvm_words(list, n, &o)) {
        fprintf(stderr, "tier0_words: %s\n", o.error);
        return 1;
    }
    fputs(o.text[0], stdout);
    free(o.text[0]);
    return fflush(stdout) != 0;
}
