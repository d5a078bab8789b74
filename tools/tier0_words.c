/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_words.c - a program of the build: writes the IR of all words to its output, or `reply`: the
 * kernel of replies, to be added to other PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_device.h"
#include "codegen/llvm_api.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "reply") == 0) {
        fputs(strstr(hdi_cuda_reply_text, ".visible .entry"), stdout);
        return fflush(stdout) != 0;
    }
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
