/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_libcub.c - stands in for libheddle_cub where there is no GPU: calls are written down and not
 * done, but for exchange and what selects. For tests: HEDDLE_LIBCUB names it, and they look for these functions with dlsym():
 *   fake_cub_last(c)     the last call: its name, or NULL if there was none since; *c the rest
 *   fake_cub_fail(e)     the next call gives this error
 * Environment: FAKE_CUB_RUNTIME, what hdi_cub_runtime() says (13000)
 *              FAKE_CUB_RUN, 1: more is done (fake_cub_run.c), and what is not gives an error */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cub_run.h"
#include "fake_memory.h"

#define EXPORT __attribute__((visibility("default")))
EXPORT const char *fake_cub_last(hdi_cub_call *c);
EXPORT void fake_cub_fail(int error);

enum { SCRATCH = 1000, NOT_SUPPORTED = 801 };

static const char *last_name;
static hdi_cub_call last;
static int failure;

const char *fake_cub_last(hdi_cub_call *c)
{
    const char *name = last_name;
    *c = last;
    last_name = NULL;
    return name;
}

void fake_cub_fail(int error) { failure = error; }

EXPORT int hdi_cub_version(void) { return HDI_CUB_VERSION; }

EXPORT int hdi_cub_runtime(void)
{
    const char *wish = getenv("FAKE_CUB_RUNTIME");
    return wish != NULL ? atoi(wish) : 13000;
}

EXPORT int hdi_cub_can_accumulate(int op, int dt, int cdt)
{
    return op != HDI_CUB_NO_OP && dt == cdt;
}

static void swap_columns(uint8_t *a, int64_t bytes, int64_t i, int64_t k)
{
    for (int64_t b = 0; b < bytes && i != k; b++) {
        uint8_t x = a[i * bytes + b];
        a[i * bytes + b] = a[k * bytes + b];
        a[k * bytes + b] = x;
    }
}

/* One after the other, from the last one on. */
static void exchange(const hdi_cub_call *c)
{
    const int64_t column = c->m * c->width, each = column * c->n;
    memcpy(c->out, c->in, (size_t)(each * c->lines));
    for (int64_t line = 0; line < c->lines; line++)
        for (int64_t i = c->n - 1; i >= 0; i--)
            swap_columns((uint8_t *)c->out + line * each, column, i,
                         ((const int64_t *)c->in2)[line * c->n + i] - 1);
}

/* Just the words, of what has room for more. */
static void pack(const hdi_cub_call *c)
{
    uint32_t *word = c->out;
    memset(word, 0, (size_t)hdi_cub_words_bytes(c->n));
    if (c->width == sizeof *word)
        memcpy(word, c->in, (size_t)((c->n + 31) / 32) * sizeof *word);
    for (int64_t i = 0; i < c->n && c->width == 1; i++)
        word[i / 32] |= (uint32_t)(((const uint8_t *)c->in)[i] != 0) << i % 32;
}

/* in NULL: positions. */
static void take_true(const hdi_cub_call *c, const uint8_t *in, int width, const uint32_t *words)
{
    uint8_t *to = c->out;
    const uint8_t *end = to + c->m * width;
    for (int64_t i = 0; i < c->n && to < end; i++) {
        if ((words[i / 32] >> i % 32 & 1) == 0)
            continue;
        memcpy(to, in != NULL ? in + i * width : (const uint8_t *)&i, (size_t)width);
        to += width;
    }
}

/* Is it done, not just written down? */
static bool do_call(const char *name, const hdi_cub_call *c)
{
    if (strcmp(name, "exchange") == 0)
        exchange(c);
    else if (strcmp(name, "words") == 0)
        pack(c);
    else if (strcmp(name, "compress") == 0)
        take_true(c, c->in, c->width, c->in2);
    else if (strcmp(name, "places") == 0)
        take_true(c, NULL, sizeof(int64_t), c->in);
    else
        return false;
    return true;
}

static int note(const char *name, const hdi_cub_call *c, void *scratch, size_t *bytes)
{
    if (scratch == NULL) {
        *bytes = SCRATCH;
        return 0;
    }
    hdi_cub_call here = *c;
    here.in = fake_on_host(c->in);
    here.in2 = fake_on_host(c->in2);
    here.out = fake_on_host(c->out);
    here.out2 = fake_on_host(c->out2);
    here.out3 = fake_on_host(c->out3);
    here.info = fake_on_host(c->info);
    memset(fake_on_host(scratch), 1, SCRATCH);   /* it must be memory */
    if (strcmp(name, "runs") == 0)   /* offsets and pieces: a kernel follows them */
        memset(here.out, 0, 4 * sizeof(int64_t) * (size_t)c->n);
    const bool all = getenv("FAKE_CUB_RUN") != NULL;
    const bool done = do_call(name, &here) || (all && fake_cub_run(name, &here));
    last_name = name;
    last = *c;
    const int error = done || !all ? failure : NOT_SUPPORTED;
    failure = 0;
    return error;
}

#define CUB(name, doc)                                                                           \
    EXPORT int hdi_cub_##name(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream) \
    {                                                                                            \
        (void)stream;                                                                            \
        return note(#name, c, scratch, bytes);                                                   \
    }
#include "backend/cuda/cub/cub_api.def"
