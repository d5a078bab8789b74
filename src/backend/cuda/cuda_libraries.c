/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_libraries.c - where the CUDA libraries may lie. */
#define _GNU_SOURCE   /* dladdr */
#include "backend/cuda/cuda_libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/beside.h"

/* files: of CUDA 13, of CUDA 12. folders: in PyPI's packages, likewise. */
static const struct library { const char *title, *package, *files[2], *folders[2]; } libraries[] = {
    [HDI_CUBLAS] = {"cuBLAS", "nvidia-cublas", {"libcublas.so.13", "libcublas.so.12"},
                    {"nvidia/cu13/lib", "nvidia/cublas/lib"}},
    [HDI_CUSOLVER] = {"cuSOLVER", "nvidia-cusolver", {"libcusolver.so.12", "libcusolver.so.11"},
                      {"nvidia/cu13/lib", "nvidia/cusolver/lib"}},
    [HDI_CUFFT] = {"cuFFT", "nvidia-cufft", {"libcufft.so.12", "libcufft.so.11"},
                   {"nvidia/cu13/lib", "nvidia/cufft/lib"}},
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { void *handle; bool tried; } opened[HDI_CUDA_LIBRARIES];

static void *try(const char *folder, const char *middle, const char *file)
{
    char path[4400];
    if (folder == NULL)
        return NULL;
    snprintf(path, sizeof path, "%.3900s%s/%s", folder, middle, file);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The folder that holds the folder of this library: site-packages. */
static bool packages_folder(char *text, size_t size)
{
    Dl_info here;
    if (dladdr((void *)&opened, &here) == 0 || here.dli_fname == NULL)
        return false;
    snprintf(text, size, "%s/..", here.dli_fname);
    char *slash = strrchr(text, '/');
    *slash = '\0';
    slash = strrchr(text, '/');
    if (slash == NULL)
        return false;
    snprintf(slash, size - (size_t)(slash - text), "/..");
    return true;
}

static void *open_one(const struct library *l)
{
    char packages[4096];
    bool known = packages_folder(packages, sizeof packages);
    for (int k = 0; k < 2; k++) {
        char inner[64];
        snprintf(inner, sizeof inner, "/%s", l->folders[k]);
        void *handle = dlopen(l->files[k], RTLD_NOW | RTLD_LOCAL);
        handle = handle != NULL ? handle : try(hdi_file_wish("CUDA_HOME"), "/lib64", l->files[k]);
        handle = handle != NULL ? handle : try(hdi_file_wish("CUDA_PATH"), "/lib64", l->files[k]);
        handle = handle != NULL ? handle : try("/usr/local/cuda", "/lib64", l->files[k]);
        handle = handle != NULL || !known ? handle : try(packages, inner, l->files[k]);
        if (handle != NULL)
            return handle;
    }
    return NULL;
}

hdi_cuda_code_address hdi_cuda_symbol(hdi_cuda_library_name library, const char *name)
{
    const struct library *l = &libraries[library];
    pthread_mutex_lock(&mutex);
    if (!opened[library].tried)
        opened[library].handle = open_one(l);
    opened[library].tried = true;
    void *handle = opened[library].handle, *found = handle != NULL ? dlsym(handle, name) : NULL;
    pthread_mutex_unlock(&mutex);
    hdi_cuda_code_address code = NULL;
    if (handle == NULL)
        hdi_fail(HD_UNSUPPORTED, "this needs NVIDIA's %s library (%s or %s), which was not found: "
                 "install CUDA, set CUDA_HOME, or `pip install %s`", l->title, l->files[0],
                 l->files[1], l->package);
    else if (found == NULL)
        hdi_fail(HD_UNSUPPORTED, "NVIDIA's %s library has no function %s", l->title, name);
    memcpy(&code, &found, sizeof code);
    return code;
}
