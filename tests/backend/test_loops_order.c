/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that put words in order, of every table that has them: lengths around those of
 * vectors and of what registers hold, patterns that make pivots bad, ranks alone. */
#include "loops_data.h"

enum { LONGEST = 20000, GUARD = 16 };

static const hdi_loops *tables[MAX_TABLES];
static uint64_t words[LONGEST], wanted[LONGEST];
static _Alignas(64) uint8_t from[(LONGEST + 2 * GUARD) * 8], to[(LONGEST + 2 * GUARD) * 8];

static uint64_t get(const uint8_t *at, int size, int64_t i)
{
    uint32_t w;
    uint64_t q;
    if (size == 8)
        return memcpy(&q, at + i * 8, 8), q;
    return memcpy(&w, at + i * 4, 4), w;
}

static void put(uint8_t *at, int size, int64_t i, uint64_t v)
{
    const uint32_t w = (uint32_t)v;
    memcpy(at + i * size, size == 8 ? (const void *)&v : (const void *)&w, (size_t)size);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t noise(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

enum { RANDOM, EQUAL, FEW_VALUES, RISING, FALLING, ORGAN_PIPE, LARGEST, MOSTLY_LARGEST, SAW, PATTERNS };

static uint64_t pattern(int which, int64_t i, int64_t n, uint64_t all)
{
    const uint64_t u = (uint64_t)i;
    switch (which) {
    case RANDOM: return noise() & all;
    case EQUAL: return 7;
    case FEW_VALUES: return noise() % 3 * (all / 2);
    case RISING: return u * 3;
    case FALLING: return all - u;
    case ORGAN_PIPE: return i < n / 2 ? u : (uint64_t)(n - i);
    case LARGEST: return all;
    case MOSTLY_LARGEST: return noise() % 8 != 0 ? all : noise() & all;
    default: return u % 19;
    }
}

static uint64_t all_of(int size) { return size == 8 ? UINT64_MAX : UINT32_MAX; }

/* What is beyond the n words, on either side, must stay. */
static void fill_guards(uint8_t *memory, int size, int64_t n)
{
    for (int64_t i = 0; i < GUARD; i++) {
        put(memory, size, i, 0xabcdef);
        put(memory, size, GUARD + n + i, 0xabcdef);
    }
}

static int64_t bad_guards(const uint8_t *memory, int size, int64_t n)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < GUARD; i++)
        bad += (get(memory, size, i) != 0xabcdef) + (get(memory, size, GUARD + n + i) != 0xabcdef);
    return bad;
}

/* The n words to memory, and in order to wanted. */
static void lay_out(int size, int64_t n)
{
    fill_guards(from, size, n);
    fill_guards(to, size, n);
    for (int64_t i = 0; i < n; i++)
        put(from, size, GUARD + i, wanted[i] = words[i]);
    qsort(wanted, (size_t)n, sizeof *wanted, compare);
}

static int64_t misplaced(const hdi_order_loops *l, int size, int64_t n, bool to_y)
{
    uint8_t *x = from + GUARD * size, *y = to + GUARD * size;
    int64_t bad = 0;
    lay_out(size, n);
    l->order((hdi_order){.x = x, .y = y, .n = n, .to_y = to_y, .high = all_of(size)});
    for (int64_t i = 0; i < n; i++)
        bad += get(to_y ? y : x, size, i) != wanted[i];
    return bad + bad_guards(from, size, n) + bad_guards(to, size, n);
}

/* Calls test for both widths of every table that has such loops. */
static void each(void (*test)(const hdi_order_loops *l, int size))
{
    const int ntables = loop_tables(tables);
    int with = 0;
    for (int t = 0; t < ntables; t++)
        for (int wide = 0; wide < 2; wide++)
            if (tables[t]->order[wide] != NULL) {
                test(tables[t]->order[wide], wide ? 8 : 4);
                with++;
            }
    CHECK_EQ_I64(with, ntables > 1 ? 2 * (ntables - 1) : 0);   /* all but the narrowest */
}

static void in_order(const hdi_order_loops *l, int size)
{
    static const int64_t longer[] = {1000, 4095, 4096, 4097, 4200, LONGEST};
    for (int which = 0; which < PATTERNS; which++) {
        for (int64_t k = 0; k < 306; k++) {
            const int64_t n = k < 300 ? k : longer[k - 300];
            for (int64_t i = 0; i < n; i++)
                words[i] = pattern(which, i, n, all_of(size));
            REQUIRE(misplaced(l, size, n, k % 2 == 1) == 0);
        }
    }
}

TEST(loops_order, any_length_and_pattern)
{
    each(in_order);
}

/* Rows of n words one after the other, each against the same row put in order alone. */
static int64_t misplaced_in_rows(const hdi_order_loops *l, int size, int64_t rows, int64_t n)
{
    uint8_t *x = from + GUARD * size, *y = to + GUARD * size;
    int64_t bad = 0;
    lay_out(size, rows * n);
    fill_guards(to, size, rows * n + HDI_ORDER_SHORT);
    l->rows(x, y, rows, n);
    for (int64_t r = 0; r < rows; r++) {
        qsort(words + r * n, (size_t)n, sizeof *words, compare);
        for (int64_t i = 0; i < n; i++)
            bad += get(y, size, r * n + i) != words[r * n + i];
    }
    return bad + bad_guards(from, size, rows * n) + bad_guards(to, size, rows * n + HDI_ORDER_SHORT);
}

static void rows_in_order(const hdi_order_loops *l, int size)
{
    for (int which = 0; which < PATTERNS; which++)
        for (int64_t n = 1; n <= HDI_ORDER_SHORT; n++)
            for (int64_t rows = 1; rows < 30; rows += 1 + rows / 4) {
                for (int64_t i = 0; i < rows * n; i++)
                    words[i] = pattern(which, i, rows * n, all_of(size));
                REQUIRE(misplaced_in_rows(l, size, rows, n) == 0);
            }
}

TEST(loops_order, short_rows)
{
    each(rows_in_order);
}

static void ranked(const hdi_order_loops *l, int size)
{
    for (int which = 0; which < PATTERNS; which++) {
        for (int64_t n = 1; n < 6000; n = n * 5 / 3 + 1) {
            const int64_t rank[3] = {n / 5, n / 2, n - 1}, ranks = n > 5 ? 3 : 1;
            for (int64_t i = 0; i < n; i++)
                words[i] = pattern(which, i, n, all_of(size));
            lay_out(size, n);
            uint8_t *x = from + GUARD * size, *y = to + GUARD * size;
            const int64_t first = 1000, given[3] = {1000 + rank[0], 1000 + rank[1], 1000 + rank[2]};
            l->order((hdi_order){.x = x, .y = y, .n = n, .to_y = true, .high = all_of(size),
                                 .rank = given, .ranks = ranks, .first = first});
            int64_t bad = bad_guards(from, size, n) + bad_guards(to, size, n);
            for (int64_t k = 0; k < ranks; k++) {
                const uint64_t v = get(y, size, rank[k]);
                bad += v != wanted[rank[k]];
                for (int64_t i = 0; i < n; i++)
                    bad += i < rank[k] ? get(y, size, i) > v : get(y, size, i) < v;
            }
            for (int64_t i = 0; i < n; i++)
                words[i] = get(y, size, i);
            qsort(words, (size_t)n, sizeof *words, compare);
            bad += memcmp(words, wanted, (size_t)n * sizeof *words) != 0;
            REQUIRE(bad == 0);
        }
    }
}

TEST(loops_order, ranks_alone)
{
    each(ranked);
}

static void parted(const hdi_order_loops *l, int size)
{
    for (int64_t n = 0; n < 200; n++) {
        for (int64_t i = 0; i < n; i++)
            words[i] = pattern(n % 2 != 0 ? RANDOM : SAW, i, n, all_of(size));
        lay_out(size, n);
        const uint64_t least = n > 0 ? words[n / 2] : 5;
        uint8_t *x = from + GUARD * size, *y = to + GUARD * size;
        const int64_t m = l->split(x, y, n, least);
        int64_t below = 0, bad = bad_guards(from, size, n) + bad_guards(to, size, n);
        for (int64_t i = 0; i < n; i++) {
            below += words[i] < least;
            bad += (get(y, size, i) < least) != (i < m);
            words[i] = get(y, size, i);
        }
        qsort(words, (size_t)n, sizeof *words, compare);
        bad += memcmp(words, wanted, (size_t)n * sizeof *words) != 0;
        CHECK_EQ_I64(m, below);
        CHECK_EQ_I64(l->below(x, n, least), below);
        REQUIRE(bad == 0);
    }
}

TEST(loops_order, split)
{
    each(parted);
}

/* Words whose every pivot is bad, as long as pivots are the middle of 8 vectors' worth that lie
 * evenly: those that are looked at are the least that are left. Found by splitting the words'
 * numbers, below what is known of the words so far. */
static void against_pivots(const hdi_order_loops *l, int size, int64_t n)
{
    enum { MANY = 1 << 12, UNKNOWN = UINT16_MAX };
    const int64_t looked = 8 * 32 / size;
    uint64_t next = 1, seen[64];
    int64_t left = n, gone = 1;
    for (int64_t i = 0; i < n; i++) {
        put(from, size, i, (uint64_t)i);
        words[i] = UNKNOWN;
    }
    while (left > MANY && gone > 0) {
        for (int64_t k = 0; k < looked; k++) {
            uint64_t *w = &words[get(from, size, k * (left / looked) + left / looked / 2)];
            *w = *w == UNKNOWN ? next++ : *w;
            seen[k] = *w;
        }
        qsort(seen, (size_t)looked, sizeof *seen, compare);
        for (int64_t i = 0; i < left; i++)
            put(from, size, i, get(from, size, i) | words[get(from, size, i)] << 16);
        gone = l->split(from, to, left, seen[looked / 2] << 16);
        left -= gone;
        for (int64_t i = 0; i < left; i++)
            put(from, size, i, get(to, size, gone + i) & UINT16_MAX);
    }
    for (int64_t i = 0; i < n; i++)
        words[i] = words[i] == UNKNOWN ? next++ : words[i];
}

static void bad_pivots(const hdi_order_loops *l, int size)
{
    against_pivots(l, size, LONGEST);
    CHECK_EQ_I64(misplaced(l, size, LONGEST, false), 0);
}

TEST(loops_order, pivots_that_are_always_bad)
{
    each(bad_pivots);
}
