/* SPDX-License-Identifier: BSD-3-Clause */
/* test_loops_half.c - the loops of half types on every instruction set, for all of their 65536
 * elements: casts and what they raise, running results, neighbours. */
#include "loops_data.h"

#include <fenv.h>

enum { ALL = 0x10000 };
static const hd_dtype halves[2] = {HD_FLOAT16, HD_BFLOAT16};
static const hdi_loops *tables[MAX_TABLES];
static int ntables;
static uint16_t all[ALL], back[4 * ALL], want[4 * ALL];
static float reals[4 * ALL];
static double wide[4 * ALL];

static void open_tables(void)
{
    ntables = loop_tables(tables);
    data_seed = 16;
    for (int h = 0; h < ALL; h++)
        all[h] = (uint16_t)h;
}

static int same_words(const uint16_t *got, const uint16_t *right, int n, const char *what, const hdi_loops *t,
                      hd_dtype dt)
{
    for (int i = 0; i < n; i++)
        if (got[i] != right[i]) {
            CHECK(0);
            fprintf(stderr, "%s of %s, %s, element %d: %04x, not %04x\n", what, dtypes[dt].name, t->isa, i,
                    got[i], right[i]);
            return 0;
        }
    return 1;
}

TEST(loops_half, widen_exactly_and_come_back)
{
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (int k = 0; k < 2; k++) {
            const hd_dtype dt = halves[k];
            tables[t]->cast[dt][HD_FLOAT32](reals, all, ALL);
            for (int h = 0; h < ALL; h++) {
                const double value = half_value(dt, all[h]);
                CHECK((double)reals[h] == value || (isnan(reals[h]) && isnan(value)));
                CHECK(!signbit(reals[h]) == !(h & 0x8000));
            }
            /* nan keeps sign and payload, and becomes quiet */
            for (int h = 0; h < ALL; h++)
                want[h] = (uint16_t)(isnan(reals[h]) ? h | 1 << (half_digits(dt) - 1) : h);
            tables[t]->cast[HD_FLOAT32][dt](back, reals, ALL);
            same_words(back, want, ALL, "back", tables[t], dt);
        }
}

/* Each element, the middle to the next one, and the numbers beside the middle. */
static void put_borders(hd_dtype dt)
{
    for (int h = 0; h < ALL; h++) {
        const double x = half_value(dt, all[h]), next = half_value(dt, (uint16_t)(h + 1));
        const double middle = isfinite(x) && isfinite(next) ? (x + next) / 2
                              : isfinite(x)                 ? x * (1 + ldexp(1, -half_digits(dt) - 2))
                                                            : x;
        wide[4 * h] = x;
        wide[4 * h + 1] = middle;
        wide[4 * h + 2] = dt == HD_FLOAT16 ? nextafter(middle, HUGE_VAL)
                                           : (double)nextafterf((float)middle, HUGE_VALF);
        wide[4 * h + 3] = dt == HD_FLOAT16 ? nextafter(middle, -HUGE_VAL)
                                           : (double)nextafterf((float)middle, -HUGE_VALF);
    }
}

TEST(loops_half, round_to_nearest_even)
{
    open_tables();
    for (int k = 0; k < 2; k++) {
        const hd_dtype dt = halves[k];
        put_borders(dt);
        for (int i = 0; i < 4 * ALL; i++)
            want[i] = half_bits(dt, dt == HD_FLOAT16 ? wide[i] : (double)(float)wide[i]);
        for (int t = 0; t < ntables; t++) {
            tables[t]->cast[HD_FLOAT64][dt](back, wide, 4 * ALL);
            for (int i = 0; i < 4 * ALL; i++)   /* of nan any will do */
                back[i] = isnan(wide[i]) ? want[i] : back[i];
            same_words(back, want, 4 * ALL, "from float64", tables[t], dt);
        }
        for (int i = 0; i < 4 * ALL; i++)
            want[i] = half_bits(dt, (double)(reals[i] = (float)wide[i]));
        for (int t = 0; t < ntables; t++) {
            tables[t]->cast[HD_FLOAT32][dt](back, reals, 4 * ALL);
            for (int i = 0; i < 4 * ALL; i++)
                back[i] = isnan(reals[i]) ? want[i] : back[i];
            same_words(back, want, 4 * ALL, "from float32", tables[t], dt);
        }
    }
}

/* Any bits at all: instruction sets agree, nan included. */
TEST(loops_half, have_one_answer_on_every_instruction_set)
{
    open_tables();
    for (int i = 0; i < 4 * ALL; i++) {
        const uint32_t bits = (uint32_t)next_word();
        memcpy(&reals[i], &bits, 4);
    }
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < ntables; t++) {
            tables[t]->cast[HD_FLOAT32][halves[k]](t == 0 ? want : back, reals, 4 * ALL);
            if (t > 0)
                same_words(back, want, 4 * ALL, "any bits", tables[t], halves[k]);
        }
}

static int raised_by(const hdi_loops *t, hd_dtype from, hd_dtype to, const void *x, int n)
{
    feclearexcept(FE_ALL_EXCEPT);
    t->cast[from][to](back, x, n);
    return fetestexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO | FE_INVALID);
}

TEST(loops_half, raise_what_rounding_must)
{
    float quiet[20], over[20], under[20];
    double far[20];
    open_tables();
    for (int i = 0; i < 20; i++) {
        quiet[i] = (float)(i == 7 ? HUGE_VAL : i == 8 ? (double)NAN : i == 9 ? 0x1p-24 : i - 5);
        over[i] = i == 17 ? 65520.0f : 1.5f;
        under[i] = i == 3 ? 0x1.8p-24f : 1.5f;
        far[i] = i == 5 ? 1e6 : 1.5;
    }
    for (int t = 0; t < ntables; t++) {
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT32, HD_FLOAT16, quiet, 20), 0);
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT32, HD_BFLOAT16, quiet, 20), 0);
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT32, HD_FLOAT16, over, 20), FE_OVERFLOW);
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT32, HD_FLOAT16, under, 20), FE_UNDERFLOW);
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT64, HD_FLOAT16, far, 20), FE_OVERFLOW);
        over[17] = 0x1.ffp127f;
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT32, HD_BFLOAT16, over, 20), FE_OVERFLOW);
        over[17] = 65520.0f;
        CHECK_EQ_I64(raised_by(tables[t], HD_FLOAT16, HD_FLOAT32, all, 0x7c00), 0);
    }
}

TEST(loops_half, running_results_round_at_every_step)
{
    enum { N = 200 };
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (int k = 0; k < 2; k++) {
            const hd_dtype dt = halves[k];
            uint16_t x[N], first = half_bits(dt, 0.1), carry = first, product = first;
            double sum = half_value(dt, first);
            for (int i = 0; i < N; i++)
                x[i] = half_bits(dt, (double)(next_word() % 1000) / 777 - 0.3);
            for (int i = 0; i < N; i++) {
                sum = half_value(dt, half_bits(dt, (double)((float)sum + (float)half_value(dt, x[i]))));
                want[i] = half_bits(dt, sum);
            }
            tables[t]->scan[HDI_SCAN_cumsum][dt](back, x, N, &carry);
            same_words(back, want, N, "cumsum", tables[t], dt);
            CHECK(carry == want[N - 1]);
            tables[t]->scan[HDI_SCAN_cumprod][dt](back, x, 1, &product);
            CHECK(product == half_bits(dt, half_value(dt, first) * half_value(dt, x[0])));
            carry = first;
            tables[t]->scan[HDI_SCAN_cummax][dt](x, x, N, &carry);
            for (int i = 1; i < N; i++)
                CHECK(half_value(dt, x[i]) >= half_value(dt, x[i - 1]));
        }
}

TEST(loops_half, neighbours)
{
    const double inf = HUGE_VAL;
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (int k = 0; k < 2; k++) {
            const hd_dtype dt = halves[k];
            const uint16_t up = half_bits(dt, inf), down = half_bits(dt, -inf);
            tables[t]->ew[HD_OP_nextafter][dt][HDI_VS](back, (const void *[]){all, &up}, ALL);
            tables[t]->ew[HD_OP_nextafter][dt][HDI_VS](want, (const void *[]){all, &down}, ALL);
            for (int h = 0; h < ALL; h++) {
                const double x = half_value(dt, all[h]), above = half_value(dt, back[h]),
                             below = half_value(dt, want[h]);
                CHECK(isnan(x) ? isnan(above) && isnan(below) : x == inf || above > x);
                CHECK(isnan(x) || x == -inf || below < x);
                if (isfinite(x) && x != 0 && isfinite(above))   /* nothing between */
                    CHECK(half_bits(dt, x + (above - x) * 0.49) == all[h]);
            }
        }
}
