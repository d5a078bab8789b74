/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc.c - small objects: the user's allocator, and the fault that tests inject. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

static hd_allocator user_allocator;
static void *user_ctx;
static _Atomic(int64_t) countdown;   /* 0: no fault planned */
static _Atomic(bool) lasting;        /* it does not go away */
static _Atomic(int64_t) count;

void hd_set_allocator(hd_allocator allocator, void *ctx)
{
    user_allocator = allocator;
    user_ctx = ctx;
}

void hdi_fail_after(int64_t n)
{
    atomic_store(&lasting, false);
    atomic_store(&countdown, n);
}

void hdi_fail_from(int64_t n)
{
    atomic_store(&countdown, n);
    atomic_store(&lasting, true);
}

int64_t hdi_alloc_count(void)
{
    return atomic_load(&count);
}

bool hdi_alloc_should_fail(void)
{
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (HDI_LIKELY(atomic_load_explicit(&countdown, memory_order_relaxed) == 0))
        return false;
    if (atomic_load(&lasting) && atomic_load(&countdown) <= 1)
        return true;
    return atomic_fetch_sub(&countdown, 1) == 1;
}

void *hdi_alloc(size_t size)
{
    if (hdi_alloc_should_fail())
        return NULL;
    return user_allocator ? user_allocator(user_ctx, NULL, 0, size) : malloc(size);
}

void *hdi_calloc(size_t size)
{
    void *p = hdi_alloc(size);
    if (p != NULL)
        memset(p, 0, size);
    return p;
}

void *hdi_realloc(void *old, size_t old_size, size_t new_size)
{
    if (hdi_alloc_should_fail())
        return NULL;
    return user_allocator ? user_allocator(user_ctx, old, old_size, new_size)
                          : realloc(old, new_size);
}

void hdi_free(void *p, size_t size)
{
    if (p == NULL)
        return;
    if (user_allocator)
        user_allocator(user_ctx, p, size, 0);
    else
        free(p);
}

bool hdi_could_map(int64_t nbytes)
{
    void *p = mmap(NULL, (size_t)nbytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    munmap(p, (size_t)nbytes);
    return true;
}
