/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_tier0.c - the module of tier 0, from a file beside the library, and its launches. */
#include "backend/cuda/cuda_tier0.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "backend/cuda/cuda_calls.h"
#include "backend/cuda/cuda_code.h"
#include "backend/cuda/cuda_launch.h"
#include "backend/cuda/tier0/tier0.h"
#include "base/alloc.h"
#include "base/beside.h"

/* ---- the module ------------------------------------------------------------------------------ */

static FILE *open_file(void)
{
    const char *wish = hdi_file_wish("HEDDLE_TIER0");
    char path[4200];
    FILE *f = NULL;
    if (wish != NULL)
        return fopen(wish, "rb");
    for (int k = 0; k < HDI_BESIDE_PLACES && f == NULL; k++)
        if (hdi_beside("heddle_tier0.fatbin", k, path, sizeof path))
            f = fopen(path, "rb");
    return f;
}

/* The whole file and a 0 behind it. NULL: there is none, or no memory for it. */
static char *read_file(FILE *f, size_t *bytes)
{
    char *text = NULL;
    struct stat s;   /* a folder can be opened as well, and says that it is 2^63 bytes long */
    if (fstat(fileno(f), &s) != 0 || !S_ISREG(s.st_mode))
        return NULL;
    *bytes = (size_t)s.st_size + 1;
    if ((text = hdi_alloc(*bytes)) == NULL)
        return NULL;
    if (fread(text, 1, *bytes - 1, f) != *bytes - 1) {
        hdi_free(text, *bytes);
        return NULL;
    }
    text[*bytes - 1] = '\0';
    return text;
}

/* No code for this GPU is no error: kernels are compiled before they run, then. */
static void load(hdi_cuda *d)
{
    FILE *f = open_file();
    size_t bytes = 0;
    char *image = f == NULL ? NULL : read_file(f, &bytes);
    CUmodule module;
    CUresult r = CUDA_SUCCESS;
    if (f != NULL)
        fclose(f);
    if (image == NULL) {
        snprintf(d->tier0_about, sizeof d->tier0_about, "none: no heddle_tier0.fatbin");
        return;
    }
    if ((r = hdi_cuda_load(d, image, &module)) == CUDA_SUCCESS)
        r = hdi_cu.cuModuleGetFunction(&d->tier0, module, HDI_TIER0_ENTRY);
    hdi_free(image, bytes);
    if (r == CUDA_SUCCESS &&
        hdi_cu.cuModuleGetFunction(&d->reply, module, HDI_REPLY_ENTRY) != CUDA_SUCCESS)
        d->reply = NULL;
    if (r != CUDA_SUCCESS) {
        d->tier0 = NULL;
        snprintf(d->tier0_about, sizeof d->tier0_about,
                 "none: the driver does not load it (error %d)", (int)r);
        return;
    }
    snprintf(d->tier0_about, sizeof d->tier0_about, "loaded");
}

bool hdi_cuda_tier0_open(hdi_cuda *d)
{
    /* who launches, and who asks for info */
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    if (d->tier0_about[0] == '\0')
        load(d);
    bool there = d->tier0 != NULL;
    pthread_mutex_unlock(&mutex);
    return there;
}

const char *hdi_cuda_tier0_about(hdi_cuda *d)
{
    if (!hdi_cuda_usable(d))
        return "not looked for";
    hdi_cuda_tier0_open(d);
    return d->tier0_about;
}

int hdi_cuda_tier0_wide(const hdi_kernel *k, const hdi_grid *g)
{
    if (g->unaligned || k->pieces != 0 || hdi_grid_axes(g) == 0)
        return T0_NARROW;
    for (int i = 0; i < k->ninst; i++)
        if (k->inst[i].kind == KIR_SCAN || k->inst[i].kind == KIR_ATOMIC ||
            hdi_grid_has_offset(k, i))
            return T0_NARROW;
    bool rows = g->map == HDI_GRID_ROWS;
    return g->map <= HDI_GRID_TILES || (rows && g->lanes >= T0_LANES) ? T0_NEIGHBOURS
           : g->reduced == 1                                         ? T0_APART
           : rows && g->lanes > 1                                    ? T0_NEIGHBOURS
                                                                     : T0_NARROW;
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { FAR_BYTES = 64 << 20 };   /* for the cells in memory of all threads of a launch */

/* Of elements as many blocks as the GPU has at a time, several times over. */
static int64_t blocks_for(const hdi_cuda *d, const hdi_cuda_layout *lay, const uint64_t *words)
{
    enum { TURNS = 8 };
    if (words[T0_MAP] != T0_ELEMENTS)
        return lay->blocks;
    int64_t size = (int64_t)words[words[T0_WIDE] != T0_NARROW ? T0_ALL_RUNS : T0_SIZE];
    return hdi_min64((size + HDI_TIER0_THREADS - 1) / HDI_TIER0_THREADS,
                     (int64_t)TURNS * d->limits.sms);
}

/* Its function does not wait by itself for what comes before. */
static hd_status call(hdi_cuda *d, int64_t blocks, uint64_t *words)
{
    return hdi_cuda_call_plainly(d, d->tier0, (unsigned)blocks, HDI_TIER0_THREADS, words);
}

static hd_status call_with_address(hdi_cuda *d, int64_t blocks, uint64_t *words)
{
    uint64_t bytes = sizeof *words * words[T0_COUNT], parameter[HDI_GRID_PARAMETER_WORDS];
    uint64_t address = 0;
    hd_status status = hdi_cuda_borrow(d, (int64_t)bytes, &address);
    if (status != HD_OK)
        return status;
    status = hdi_cuda_check(d, hdi_cu.cuMemcpyHtoDAsync(address, words, bytes, d->stream),
                            "launching a kernel");
    memcpy(parameter, words, sizeof parameter);
    parameter[T0_ADDRESS] = address;
    if (status == HD_OK)
        status = call(d, blocks, parameter);
    hdi_cuda_lent_back(d, address, (int64_t)bytes);
    return status;
}

/* Cells in memory are for so many blocks at a time: the others come in launches of their own. */
static hd_status call_in_turns(hdi_cuda *d, const hdi_cuda_layout *lay, uint64_t *words)
{
    int64_t each = (int64_t)words[T0_FAR_CELLS] * HDI_TIER0_THREADS * (int64_t)sizeof *words;
    int64_t blocks = blocks_for(d, lay, words), at_once = blocks, bytes = 0;
    hd_status status = HD_OK;
    if (each > 0) {
        at_once = hdi_min64(blocks, FAR_BYTES / each);
        blocks = words[T0_MAP] == T0_ELEMENTS ? at_once : blocks;   /* each goes on by itself */
        bytes = at_once * each;
        if ((status = hdi_cuda_borrow(d, bytes, &words[T0_FAR])) != HD_OK)
            return status;
    }
    for (int64_t first = 0; first < blocks && status == HD_OK; first += at_once) {
        int64_t n = hdi_min64(at_once, blocks - first);
        words[T0_FIRST_BLOCK] = (uint64_t)first;
        status = words[T0_COUNT] <= HDI_GRID_PARAMETER_WORDS ? call(d, n, words)
                                                             : call_with_address(d, n, words);
    }
    hdi_cuda_lent_back(d, words[T0_FAR], bytes);
    return status;
}

hd_status hdi_cuda_tier0_launch(hdi_cuda *d, const hdi_kernel *k, const hdi_cuda_layout *lay)
{
    uint64_t words[HDI_TIER0_WORDS] = {0};
    if (hdi_cuda_tier0_words(k, lay, words) == 0)
        return hdi_fail(HD_INTERNAL, "a kernel that is not for tier 0 was launched on it");
    return call_in_turns(d, lay, words);
}
