/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_cub_open.c - where libheddle_cub lies, and what it offers. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/cuda_cub.h"
#include "base/beside.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hdi_cub_table table;
static bool opened;
static char about[400];

static const struct { const char *symbol; size_t offset; } symbols[] = {
    {"hdi_cub_can_accumulate", offsetof(hdi_cub_table, can_accumulate)},
#define CUB(name, doc) {"hdi_cub_" #name, offsetof(hdi_cub_table, name)},
#include "backend/cuda/cub/cub_api.def"
};

static void *open_file(void)
{
    const char *wish = hdi_file_wish("HEDDLE_LIBCUB");
    char path[4200];
    void *handle = NULL;
    if (wish != NULL)
        return dlopen(wish, RTLD_NOW | RTLD_LOCAL);
    for (int k = 0; k < HDI_BESIDE_PLACES && handle == NULL; k++)
        if (hdi_beside("libheddle_cub.so", k, path, sizeof path))
            handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle;
}

static bool fill_table(void *handle)
{
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        void *function = dlsym(handle, symbols[k].symbol);
        if (function == NULL)
            return false;
        memcpy((uint8_t *)&table + symbols[k].offset, &function, sizeof function);
    }
    return true;
}

static void open_once(void)
{
    int (*asked[2])(void) = {NULL, NULL}, driver = 0;
    void *handle = open_file();
    if (handle == NULL) {
        snprintf(about, sizeof about, "none: %.300s", dlerror() ?: "libheddle_cub.so not found");
        return;
    }
    *(void **)&asked[0] = dlsym(handle, "hdi_cub_version");
    *(void **)&asked[1] = dlsym(handle, "hdi_cub_runtime");
    if (asked[0] == NULL || asked[1] == NULL || asked[0]() != HDI_CUB_VERSION ||
        !fill_table(handle)) {
        snprintf(about, sizeof about, "none: libheddle_cub.so is of another release");
        return;
    }
    table.runtime = asked[1]();
    if (hdi_cu.cuDriverGetVersion(&driver) != CUDA_SUCCESS ||
        driver / 1000 < table.runtime / 1000) {
        snprintf(about, sizeof about,
                 "none: libheddle_cub.so was made with CUDA %d.%d, the driver knows CUDA %d.%d",
                 table.runtime / 1000, table.runtime % 1000 / 10, driver / 1000,
                 driver % 1000 / 10);
        return;
    }
    snprintf(about, sizeof about, "CUB of CUDA %d.%d", table.runtime / 1000,
             table.runtime % 1000 / 10);
    opened = true;
}

const hdi_cub_table *hdi_cuda_cub_open(void)
{
    pthread_once(&once, open_once);
    return opened ? &table : NULL;
}

const char *hdi_cuda_cub_about(void)
{
    pthread_once(&once, open_once);
    return about;
}
