/* SPDX-License-Identifier: BSD-3-Clause */
/* test_alloc.c - small objects: the injected fault fails exactly the request it names, and the
 * user's allocator sees all sizes. */
#include <stdlib.h>

#include "base/alloc.h"
#include "harness.h"

TEST(alloc, the_nth_request_fails_once)
{
    for (int64_t n = 1; n <= 5; n++) {
        void *p[8];
        hdi_fail_after(n);
        for (int k = 0; k < 8; k++) {
            p[k] = k % 2 ? hdi_alloc(16) : hdi_calloc(16);
            CHECK((p[k] == NULL) == (k + 1 == n));
        }
        hdi_fail_after(0);
        for (int k = 0; k < 8; k++)
            hdi_free(p[k], 16);
    }
    CHECK(hd_error_peek()->code == HD_OK);   /* the caller says what it wanted the memory for */
}

TEST(alloc, all_requests_fail_from_the_nth_on)
{
    void *p[6];
    hdi_fail_from(3);
    for (int k = 0; k < 6; k++)
        CHECK(((p[k] = hdi_alloc(16)) == NULL) == (k >= 2));
    hdi_fail_after(0);
    for (int k = 0; k < 6; k++)
        hdi_free(p[k], 16);
    void *q = hdi_alloc(16);
    CHECK(q != NULL);
    hdi_free(q, 16);
}

TEST(alloc, the_fault_can_be_called_off)
{
    hdi_fail_after(2);
    void *p = hdi_alloc(8);
    hdi_fail_after(0);
    void *q = hdi_alloc(8);
    CHECK(p != NULL && q != NULL);
    hdi_free(p, 8);
    hdi_free(q, 8);
}

TEST(alloc, other_allocators_ask_too)
{
    hdi_fail_after(2);
    CHECK(!hdi_alloc_should_fail());
    CHECK(hdi_alloc_should_fail());
    CHECK(!hdi_alloc_should_fail());
    hdi_fail_after(0);
}

TEST(alloc, a_failed_realloc_keeps_the_old_block)
{
    char *p = hdi_alloc(4);
    REQUIRE(p != NULL);
    memcpy(p, "abc", 4);
    hdi_fail_after(1);
    CHECK(hdi_realloc(p, 4, 4000) == NULL);
    hdi_fail_after(0);
    CHECK_STR(p, "abc");
    char *q = hdi_realloc(p, 4, 4000);
    REQUIRE(q != NULL);
    CHECK_STR(q, "abc");
    hdi_free(q, 4000);
}

TEST(alloc, calloc_gives_zeros)
{
    unsigned char *p = hdi_calloc(100);
    int sum = 0;
    for (int k = 0; k < 100; k++)
        sum += p[k];
    CHECK_EQ_I64(sum, 0);
    hdi_free(p, 100);
}

TEST(alloc, requests_are_counted)
{
    int64_t before = hdi_alloc_count();
    void *p = hdi_alloc(1);
    p = hdi_realloc(p, 1, 2);
    hdi_free(p, 2);
    hdi_free(NULL, 0);
    CHECK_EQ_I64(hdi_alloc_count() - before, 2);
}

/* ---- the user's allocator -------------------------------------------------------------------- */

typedef struct account { int64_t live, calls; size_t last_old; } account;

static void *count_bytes(void *ctx, void *old, size_t old_size, size_t new_size)
{
    account *a = ctx;
    a->calls++;
    a->last_old = old_size;
    a->live += (int64_t)new_size - (int64_t)old_size;
    if (new_size > 0)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

TEST(alloc, the_users_allocator_sees_old_and_new_sizes)
{
    account a = {0};
    hd_set_allocator(count_bytes, &a);
    void *p = hdi_alloc(10);
    CHECK_EQ_I64(a.live, 10);
    CHECK_EQ_I64(a.last_old, 0);
    p = hdi_realloc(p, 10, 30);
    CHECK_EQ_I64(a.live, 30);
    CHECK_EQ_I64(a.last_old, 10);
    hdi_free(p, 30);
    CHECK_EQ_I64(a.live, 0);
    CHECK_EQ_I64(a.calls, 3);
    hdi_fail_after(1);   /* an injected fault never reaches it */
    CHECK(hdi_alloc(1) == NULL);
    hdi_fail_after(0);
    CHECK_EQ_I64(a.calls, 3);
    hd_set_allocator(NULL, NULL);
}
