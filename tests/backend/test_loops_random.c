/* SPDX-License-Identifier: BSD-3-Clause */
/* The random stream of docs/design/random.md, version 1: golden values, and the loops against
 * the definition. */
#include "loops_data.h"

static const hdi_loops *tables[MAX_TABLES];
static int ntables;

enum { N = 700 };
static int64_t positions[N];
static uint64_t state[2];

/* ---- the definition, word by word ------------------------------------------------------------ */

static void philox(const uint32_t *counter, const uint32_t *key, uint32_t *out)
{
    uint32_t c[4], k[2] = {key[0], key[1]};
    memcpy(c, counter, sizeof c);
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1,
                                  (uint32_t)(p0 >> 32) ^ c[3] ^ k[1], (uint32_t)p0};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

static void block_words(uint64_t block, uint32_t *w)
{
    const uint32_t counter[4] = {(uint32_t)state[1], (uint32_t)(state[1] >> 32), (uint32_t)block,
                                 (uint32_t)(block >> 32)};
    const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
    philox(counter, key, w);
}

static uint64_t raw_at(uint64_t i)
{
    uint32_t w[4];
    block_words(i / 2, w);
    return w[i % 2 * 2] | (uint64_t)w[i % 2 * 2 + 1] << 32;
}

static uint32_t word_at(uint64_t i)
{
    uint32_t w[4];
    block_words(i / 4, w);
    return w[i % 4];
}

static double normal64_at(uint64_t i)
{
    const double u1 = (double)(raw_at(i & ~(uint64_t)1) >> 11) * 0x1p-53,
                 u2 = (double)(raw_at(i | 1) >> 11) * 0x1p-53;
    const double angle = 2 * 3.14159265358979323846 * u2;
    return sqrt(-2 * log(1 - u1)) * (i % 2 ? sin(angle) : cos(angle));
}

static double normal32_at(uint64_t i)
{
    const float u1 = (float)(word_at(i & ~(uint64_t)1) >> 8) * 0x1p-24f,
                u2 = (float)(word_at(i | 1) >> 8) * 0x1p-24f;
    const float angle = 6.2831853071795864769f * u2;
    return sqrt(-2 * log(1 - u1)) * (i % 2 ? sin(angle) : cos(angle));
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void draw(const hdi_loops *t, int op, hd_dtype dt, const int64_t *at, int n, void *out)
{
    const void *const in[2] = {at, state};
    t->ew[op][dt][HDI_VV](out, in, n);
}

static void ascending(int64_t start)
{
    for (int i = 0; i < N; i++)
        positions[i] = start + i;
}

static void open_tables(void)
{
    ntables = loop_tables(tables);
    data_seed = 7;
    state[0] = 0xA4093822299F31D0u;
    state[1] = 0x13198A2E03707344u;
}

/* Random123's known answers (kat_vectors), so that the definition above is Philox and no cousin
 * of it. */
TEST(loops_random, definition_is_philox)
{
    static const struct { uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (int i = 0; i < 3; i++) {
        uint32_t w[4];
        philox(known[i].counter, known[i].key, w);
        CHECK(memcmp(w, known[i].answer, sizeof w) == 0);
    }
}

static void check_positions(const hdi_loops *t, int n)
{
    static uint64_t raw[N];
    static uint32_t raw32[N];
    static double u64[N], n64[N];
    static float u32[N], n32[N];
    draw(t, HD_OP_random_raw, HD_UINT64, positions, n, raw);
    draw(t, HD_OP_random_raw, HD_UINT32, positions, n, raw32);
    draw(t, HD_OP_random_uniform, HD_FLOAT64, positions, n, u64);
    draw(t, HD_OP_random_uniform, HD_FLOAT32, positions, n, u32);
    draw(t, HD_OP_random_normal, HD_FLOAT64, positions, n, n64);
    draw(t, HD_OP_random_normal, HD_FLOAT32, positions, n, n32);
    for (int i = 0; i < n; i++) {
        const uint64_t at = (uint64_t)positions[i], w = raw_at(at);
        CHECK(raw[i] == w && raw32[i] == (uint32_t)w);
        CHECK(u64[i] == (double)(w >> 11) * 0x1p-53);
        CHECK(u32[i] == (float)(word_at(at) >> 8) * 0x1p-24f);
        CHECK_NEAR(n64[i], normal64_at(at), 1e-14);
        CHECK_NEAR(n32[i], normal32_at(at), 4e-6);
    }
}

TEST(loops_random, loops_follow_the_definition)
{
    static const int64_t starts[] = {
        0, 1, 2, 3, 5, 1000001, ((int64_t)1 << 33) - 3, ((int64_t)1 << 40) + 7};
    open_tables();
    for (int t = 0; t < ntables; t++) {
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
            ascending(starts[s]);
            check_positions(tables[t], s % 2 ? N : N / 7);
        }
        for (int i = 0; i < N; i++)
            positions[i] = (int64_t)(next_word() % 3 ? next_word() % 100000 : next_word() >> 20);
        check_positions(tables[t], N);
        for (int i = 0; i < N; i++)
            positions[i] = 3 * i;
        check_positions(tables[t], N);
    }
}

TEST(loops_random, an_element_is_the_same_alone)
{
    static double many[N], one;
    static float many32[N], one32;
    open_tables();
    ascending(12345);
    for (int t = 0; t < ntables; t++) {
        draw(tables[t], HD_OP_random_normal, HD_FLOAT64, positions, N, many);
        draw(tables[t], HD_OP_random_normal, HD_FLOAT32, positions, N, many32);
        for (int i = 0; i < N; i++) {
            draw(tables[t], HD_OP_random_normal, HD_FLOAT64, positions + i, 1, &one);
            draw(tables[t], HD_OP_random_normal, HD_FLOAT32, positions + i, 1, &one32);
            CHECK(memcmp(&one, many + i, sizeof one) == 0 &&
                  memcmp(&one32, many32 + i, sizeof one32) == 0);
        }
    }
}

/* The stream itself: these numbers change with the stream version only. */
TEST(loops_random, golden_values)
{
    static const uint64_t raw[4] = {0x1BF271B245CB058D, 0xB83E95863D0ACC33, 0x5C5DFB0AE363BA7B,
                                    0x89F0FF113394CC49};
    /* 24 bits of the float32 uniforms */
    static const uint32_t leading[4] = {0xAE3A5A, 0x36D846, 0x080B60, 0x0D1265};
    uint64_t got[4];
    double u[4];
    float f[4];
    open_tables();
    state[0] = 42;
    state[1] = 3;
    ascending(5);
    for (int t = 0; t < ntables; t++) {
        draw(tables[t], HD_OP_random_raw, HD_UINT64, positions, 4, got);
        CHECK(memcmp(got, raw, sizeof raw) == 0);
        draw(tables[t], HD_OP_random_uniform, HD_FLOAT64, positions, 4, u);
        draw(tables[t], HD_OP_random_uniform, HD_FLOAT32, positions, 4, f);
        for (int i = 0; i < 4; i++)
            CHECK(u[i] == (double)(raw[i] >> 11) * 0x1p-53 && f[i] == (float)leading[i] * 0x1p-24f);
    }
}

TEST(loops_random, moments_are_those_of_the_distributions)
{
    enum { MANY = 1 << 20 };
    double *x = malloc(MANY * sizeof *x), s[4] = {0, 0, 0, 0};
    int64_t *at = malloc(MANY * sizeof *at);
    open_tables();
    REQUIRE(x != NULL && at != NULL);
    for (int i = 0; i < MANY; i++)
        at[i] = i;
    draw(tables[ntables - 1], HD_OP_random_normal, HD_FLOAT64, at, MANY, x);
    for (int i = 0; i < MANY; i++)
        for (int p = 0; p < 4; p++)
            s[p] += pow(x[i], p + 1) / MANY;
    CHECK_NEAR(s[0], 0, 0.005);
    CHECK_NEAR(s[1], 1, 0.007);
    CHECK_NEAR(s[2], 0, 0.02);
    CHECK_NEAR(s[3], 3, 0.05);
    draw(tables[ntables - 1], HD_OP_random_uniform, HD_FLOAT64, at, MANY, x);
    double mean = 0, square = 0;
    for (int i = 0; i < MANY; i++) {
        CHECK(x[i] >= 0 && x[i] < 1);
        mean += x[i] / MANY;
        square += x[i] * x[i] / MANY;
    }
    CHECK_NEAR(mean, 0.5, 0.002);
    CHECK_NEAR(square, 1.0 / 3, 0.002);
    free(x);
    free(at);
}
