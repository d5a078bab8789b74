/* SPDX-License-Identifier: BSD-3-Clause */
/* ptxas.h - does NVIDIA's assembler take a text? Where there is none, whatever is asked is well,
 * unless HEDDLE_NEEDS_PTXAS is set.
 * Start at   ptxas_takes() */
#ifndef HDI_TESTS_PTXAS_H
#define HDI_TESTS_PTXAS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline const char *ptxas_found(void)
{
    static const char *const places[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
    static const char *found;
    static int asked;
    char command[64];
    for (size_t k = 0; k < sizeof places / sizeof *places && !asked && found == NULL; k++) {
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", places[k]);
        if (system(command) == 0)
            found = places[k];
    }
    asked = 1;
    return found;
}

static inline int ptxas_takes(const char *text, size_t length, int arch)
{
    char path[] = "/tmp/heddle-ptx-XXXXXX", command[200];
    if (ptxas_found() == NULL) {
        if (getenv("HEDDLE_NEEDS_PTXAS") != NULL)
            printf("    there is no ptxas\n");
        return getenv("HEDDLE_NEEDS_PTXAS") == NULL;
    }
    int file = mkstemp(path);
    int written = file >= 0 && write(file, text, length) == (ssize_t)length;
    if (file >= 0)
        close(file);
    snprintf(command, sizeof command, "%s -O0 -arch=sm_%d -o /dev/null %s", ptxas_found(), arch,
             path);
    int right = written && system(command) == 0;
    if (right)
        unlink(path);
    else
        printf("    %s\n", command);
    return right;
}

#endif
