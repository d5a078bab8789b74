/* SPDX-License-Identifier: BSD-3-Clause */
/* beside.c - the folder of this code, as the loader knows it. */
#define _GNU_SOURCE   /* dladdr, secure_getenv */
#include "base/beside.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hdi_file_wish(const char *variable)
{
    const char *name = secure_getenv(variable);
    return name != NULL && *name != '\0' ? name : NULL;
}

bool hdi_beside(const char *name, int place, char *path, size_t size)
{
    static const char *const folders[HDI_BESIDE_PLACES] = {"", "../lib/"};
    static const char here = 0;
    Dl_info info;
    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - info.dli_fname) + 1;
    int written = snprintf(path, size, "%.*s%s%s", folder, info.dli_fname, folders[place], name);
    return written >= 0 && (size_t)written < size;
}
