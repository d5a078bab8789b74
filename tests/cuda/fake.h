/* SPDX-License-Identifier: BSD-3-Clause */
/* fake.h - the fakes of NVIDIA's libraries lie beside the tests that use them.
 * Start at   fake_open() */
#ifndef HDI_TESTS_FAKE_H
#define HDI_TESTS_FAKE_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library of that name, opened, NULL if it is not there; the variable (if any) then says where
 * it is. */
static inline void *fake_open(const char *variable, const char *name)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return NULL;
    strcpy(slash + 1, name);
    if (variable != NULL)
        setenv(variable, path, 1);
    setenv("HEDDLE_TIER0", "/nonexistent", 0);   /* what is compiled is counted */
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

#endif
