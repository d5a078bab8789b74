/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_guard.c - every allocation of this library, LLVM's and that of the C++ library in it, comes
 * through here (the linker's --wrap): one that fails within a compile ends the compile. One that
 * fails before, while the library is being loaded and its static objects are made, is served from
 * memory that is loaded with it. What a compile had that was left goes with the process. */
#include "codegen/llvm_guard.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
char *__real_strdup(const char *text);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
char *__wrap_strdup(const char *text);
void __wrap_free(void *p);

typedef struct guard {
    jmp_buf out;
    char why[160];
} guard;

static _Thread_local guard *mine;
static atomic_bool left;       /* once, and for good */

static void leave(const char *why)
{
    guard *g = mine;
    if (g == NULL)
        return;
    snprintf(g->why, sizeof g->why, "%s", why);
    mine = NULL;
    atomic_store(&left, true);
    longjmp(g->out, 1);   /* allowed: LLVM would end the process */
}

void hdi_llvm_give_up(const char *why) { leave(why); }

static void on_fatal_error(const char *why)
{
    leave(why);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* While the library is loaded there is no way out; its static objects need much less than this. */
enum { SPARE = 4 << 20 };
static alignas(64) uint8_t spare[SPARE];
static atomic_size_t spare_used;

static bool is_spare(const void *p)
{
    return (uintptr_t)p - (uintptr_t)spare < SPARE;
}

/* Each piece has its size before it. */
static void *from_spare(size_t n)
{
    enum { HEAD = 16 };
    size_t bytes = (n + HEAD + 15) & ~(size_t)15;
    if (n > SPARE)
        return NULL;
    size_t at = atomic_fetch_add(&spare_used, bytes);
    if (at > SPARE - bytes)
        return NULL;
    memcpy(spare + at, &n, sizeof n);
    return spare + at + HEAD;
}

static size_t size_of_spare(const void *p)
{
    size_t n;
    memcpy(&n, (const uint8_t *)p - 16, sizeof n);
    return n;
}

static void *or_else(void *p, size_t n)
{
    if (p != NULL || n == 0)
        return p;
    leave("out of memory");
    return from_spare(n);
}

void *__wrap_malloc(size_t n)
{
    return or_else(__real_malloc(n), n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX;
    return or_else(__real_calloc(n, size), bytes);   /* what is spare is 0 and given out once */
}

void *__wrap_realloc(void *p, size_t n)
{
    if (p == NULL || !is_spare(p))
        return or_else(__real_realloc(p, n), p == NULL ? n : SIZE_MAX);
    void *larger = __wrap_malloc(n);
    size_t old = size_of_spare(p);
    if (larger != NULL)
        memcpy(larger, p, old < n ? old : n);
    return larger;
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
    return or_else(__real_aligned_alloc(align, n), align <= 16 ? n : SIZE_MAX);
}

int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
    int error = __real_posix_memalign(p, align, n);
    if (error != 0)
        leave("out of memory");
    return error;
}

char *__wrap_strdup(const char *text)
{
    return or_else(__real_strdup(text), strlen(text) + 1);
}

void __wrap_free(void *p)
{
    if (!is_spare(p))
        __real_free(p);
}

/* ---- a compile ------------------------------------------------------------------------------- */

static void install(void)
{
    LLVMInstallFatalErrorHandler(on_fatal_error);
}

static bool refused(hdi_llvm_object *out, const char *why)
{
    *out = (hdi_llvm_object){0};
    snprintf(out->error, sizeof out->error, "%s", why);
    return false;
}

bool hdi_llvm_guarded(bool (*run)(const void *ctx, hdi_llvm_object *out), const void *ctx,
                      hdi_llvm_object *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    guard g;
    pthread_once(&once, install);
    if (atomic_load(&left))
        return refused(out, "it had to be left in the middle of another kernel");
    mine = &g;
    if (setjmp(g.out) != 0)   /* allowed: where leave() comes back */
        return refused(out, g.why);
    bool done = run(ctx, out);
    mine = NULL;
    return done;
}
