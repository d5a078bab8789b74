/* SPDX-License-Identifier: BSD-3-Clause */
/* test_text.c - text that grows, also when memory runs out; and the mixing of words. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "harness.h"

TEST(strbuf, grows_without_losing_text)
{
    hdi_strbuf s = {0};
    for (int k = 0; k < 1000; k++)
        hdi_strbuf_add(&s, "%d,", k);
    char *text = hdi_strbuf_take(&s);
    REQUIRE(text != NULL);
    CHECK_EQ_I64(strlen(text), 10 * 2 + 90 * 3 + 900 * 4);
    CHECK(strncmp(text, "0,1,2,3,", 8) == 0);
    CHECK(strcmp(text + strlen(text) - 8, "998,999,") == 0);
    hdi_free(text, strlen(text) + 1);
    CHECK(s.text == NULL && s.length == 0 && s.capacity == 0);
}

TEST(strbuf, empty_is_a_text_too)
{
    hdi_strbuf s = {0};
    char *text = hdi_strbuf_take(&s);
    CHECK_STR(text, "");
    hdi_free(text, 1);
    hdi_strbuf_add(&s, "%s", "");
    text = hdi_strbuf_take(&s);
    CHECK_STR(text, "");
    hdi_free(text, 1);
}

/* Whichever request fails, take() says so, nothing leaks, and the buffer is ready for use again. */
TEST(strbuf, out_of_memory_is_reported_at_the_end)
{
    for (int64_t n = 1;; n++) {
        hdi_strbuf s = {0};
        hdi_fail_after(n);
        for (int k = 0; k < 50; k++)
            hdi_strbuf_add(&s, "line %d\n", k);
        char *text = hdi_strbuf_take(&s);
        hdi_fail_after(0);
        CHECK(s.text == NULL && s.length == 0);
        if (text != NULL) {
            CHECK(n > 3);
            CHECK(hd_error_peek()->code == HD_OK);
            hdi_free(text, strlen(text) + 1);
            break;
        }
        CHECK(hd_error_take(NULL) == HD_NOMEM);
        REQUIRE(n < 100);
    }
}

/* Keys differ in single bits and in the order of words: the low bits, which choose the bucket,
 * must notice both. (The high bits of the very last word do not reach them; what is hashed here
 * ends in words that are small or padded.) */
TEST(hash, every_bit_and_the_order_matter)
{
    enum { BITS = 64, MASK = 1023 };
    uint64_t seen[BITS];
    int same_bucket = 0;
    for (int b = 0; b < BITS; b++) {
        seen[b] = hdi_mix(hdi_mix(1, (uint64_t)1 << b), 5);
        for (int a = 0; a < b; a++) {
            CHECK(seen[a] != seen[b]);
            same_bucket += (seen[a] & MASK) == (seen[b] & MASK);
        }
    }
    CHECK(same_bucket < 20);   /* of 2016 pairs; 2 would be chance */
    CHECK(hdi_mix(hdi_mix(0, 1), 2) != hdi_mix(hdi_mix(0, 2), 1));
    uint64_t words[7] = {1, 2, 3, 4, 5, 6, 7};
    for (size_t n = 0; n < 7; n++)
        CHECK(hdi_hash_words(7, words, n) != hdi_hash_words(7, words, n + 1));
    uint64_t before = hdi_hash_words(7, words, 7);
    for (size_t k = 0; k < 7; k++) {   /* each word counts, and its place */
        words[k] ^= 1;
        CHECK(hdi_hash_words(7, words, 7) != before);
        words[k] ^= 1;
    }
    CHECK(hdi_hash_words(7, words, 7) == before);
}
