/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_samplers.h - gamma, beta, Poisson and binomial numbers by rejection, in double.
 * Invariant  only + - * /, sqrt and floor, and a logarithm and an exponential made of these: the
 *            same bits on every instruction set, compiler and machine
 * See        docs/design/random.md
 * Source     Marsaglia, Tsang: A simple method for generating gamma variables (ACM TOMS 26, 2000);
 *            Joehnk: Erzeugung von betaverteilten und gammaverteilten Zufallszahlen (Metrika 8,
 *            1964); Hoermann: The transformed rejection method for generating Poisson random
 *            variables (Insurance: Mathematics and Economics 12, 1993), and: The generation of
 *            binomial random variates (J. Statist. Comput. Simul. 46, 1993); Loader: Fast and
 *            accurate computation of binomial probabilities (2000) */
#ifndef HDI_LOOPS_SAMPLERS_H
#define HDI_LOOPS_SAMPLERS_H

#include <string.h>

#include "base/random_stream.h"

#define SAMPLER static __attribute__((noinline, unused)) double
#define SAMPLE_NAN __builtin_nan("")
#define SAMPLE_INF __builtin_inf()

/* Counts stay below this: the largest double that is an int64. */
#define SAMPLE_MOST 0x1.fffffffffffffp+62

/* ---- logarithm and exponential --------------------------------------------------------------- */

/* Within 2 units in the last place; x >= 0, normal. m in [sqrt(1/2), sqrt(2)) and log(m) as twice
 * the series of artanh((m - 1) / (m + 1)), whose argument is below 0.172. */
SAMPLER sample_log(double x)
{
    uint64_t bits;
    if (!(x > 0) || x == SAMPLE_INF)
        return x == 0 ? -SAMPLE_INF : x;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t above = bits - 0x3FE6A09E667F3BCDu;   /* sqrt(1/2) */
    const double k = (double)((int64_t)above >> 52);
    bits -= above & 0xFFF0000000000000u;
    double m, sum = 0;
    memcpy(&m, &bits, sizeof m);
    const double s = (m - 1) / (m + 1), ss = s * s;
    for (int odd = 21; odd > 1; odd -= 2)
        sum = (sum + 1.0 / odd) * ss;
    /* log(2), the first 32 bits and the rest */
    return k * 0x1.62e42fee00000p-1 + (k * 0x1.a39ef35793c76p-33 + (2 * s * sum + 2 * s));
}

/* Within 2 units in the last place where the result is normal. */
SAMPLER sample_exp(double x)
{
    if (!(x > -746) || x > 709.7)
        return x != x ? x : x > 0 ? SAMPLE_INF : 0;
    const double k = __builtin_floor(x * 0x1.71547652b82fep0 + 0.5);
    const double r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 1;
    for (int i = 13; i > 0; i--)
        sum = 1 + r * (1.0 / i) * sum;
    /* 2^k in two steps: the result may be subnormal */
    const int64_t half = (int64_t)k / 2, rest = (int64_t)k - half;
    const uint64_t bits[2] = {(uint64_t)(half + 1023) << 52, (uint64_t)(rest + 1023) << 52};
    double power[2];
    memcpy(power, bits, sizeof power);
    return sum * power[0] * power[1];
}

/* ---- probabilities, by Loader ---------------------------------------------------------------- */

/* log(n!) less Stirling's formula; n a whole number. */
SAMPLER stirling_rest(double n)
{
    static const double small[16] = {
        0, 0.081061466795327258220, 0.041340695955409294094, 0.027677925684998339149,
        0.020790672103765093112, 0.016644691189821192163, 0.013876128823070747999,
        0.011896709945891770095, 0.010411265261972096497, 0.0092554621827127329177,
        0.0083305634333628712565, 0.0075736754879518407950, 0.0069428401072095298657,
        0.0064089941880042070684, 0.0059513701127588477356, 0.0055547335519628013710};
    if (n < 16)
        return small[(int)n];
    const double r = 1 / n, rr = r * r;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 * rr) * rr) * rr) * rr) *
           r;
}

/* x log(x / m) + m - x for x, m > 0, exact also where x is near m. */
SAMPLER deviance(double x, double m)
{
    if (__builtin_fabs(x - m) >= 0.1 * (x + m))
        return x * sample_log(x / m) + m - x;
    const double v = (x - m) / (x + m), vv = v * v;
    double sum = (x - m) * v, term = 2 * x * v;
    for (int odd = 3; odd < 25; odd += 2) {   /* v < 0.1 */
        term *= vv;
        sum += term * (1.0 / odd);
    }
    return sum;
}

#define LOG_2PI 1.8378770664093454836

/* log of the probability of k where the mean is m */
SAMPLER poisson_log(double k, double m)
{
    if (k == 0)
        return -m;
    return -stirling_rest(k) - deviance(k, m) - 0.5 * (LOG_2PI + sample_log(k));
}

/* the same for n trials of probability p, q = 1 - p; 0 < p < 1 */
SAMPLER binomial_log(double k, double n, double p, double q)
{
    if (k == 0)
        return -deviance(n, n * q) - n * p;
    if (k == n)
        return -deviance(n, n * p) - n * q;
    return stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k) - deviance(k, n * p) -
           deviance(n - k, n * q) - 0.5 * (LOG_2PI + sample_log(k) + sample_log((n - k) / n));
}

/* ---- normal and gamma ------------------------------------------------------------------------ */

/* Marsaglia's polar method; one of the two numbers is dropped. */
SAMPLER sample_normal(random_stream *s)
{
    for (;;) {
        const double x = 2 * stream_uniform(s) - 1, y = 2 * stream_uniform(s) - 1;
        const double rr = x * x + y * y;
        if (rr < 1 && rr > 0)
            return x * __builtin_sqrt(-2 * sample_log(rr) / rr);
    }
}

/* Marsaglia and Tsang, shape >= 1. */
SAMPLER gamma_above_1(random_stream *s, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / __builtin_sqrt(9 * d);
    for (;;) {
        const double x = sample_normal(s), root = 1 + c * x, v = root * root * root;
        const double u = 1 - stream_uniform(s);
        if (root <= 0)
            continue;
        if (u < 1 - 0.0331 * (x * x) * (x * x) ||
            sample_log(u) < 0.5 * x * x + d * (1 - v + sample_log(v)))
            return d * v;
    }
}

SAMPLER sample_gamma(random_stream *s, double shape)
{
    if (shape >= 1)
        return shape < 0x1p1000 ? gamma_above_1(s, shape) : shape;
    if (!(shape > 0))
        return shape == 0 ? 0 : SAMPLE_NAN;
    const double larger = gamma_above_1(s, shape + 1);
    return larger * sample_exp(sample_log(1 - stream_uniform(s)) / shape);
}

SAMPLER sample_gamma_of(uint64_t word, double shape)
{
    random_stream s = stream_of(word);
    return sample_gamma(&s, shape);
}

/* ---- beta ------------------------------------------------------------------------------------ */

/* Joehnk, for shapes up to 1; by logarithms, since both powers may be too small for a double. */
SAMPLER beta_below_1(random_stream *s, double a, double b)
{
    for (;;) {
        const double x = sample_log(1 - stream_uniform(s)) / a;
        const double y = sample_log(1 - stream_uniform(s)) / b;
        if (sample_exp(x) + sample_exp(y) <= 1)
            return 1 / (1 + sample_exp(y - x));
    }
}

SAMPLER sample_beta(uint64_t word, double a, double b)
{
    random_stream s = stream_of(word);
    if (!(a > 0 && b > 0))
        return SAMPLE_NAN;
    if (a <= 1 && b <= 1)   /* as small as leaves logarithms / a finite */
        return beta_below_1(&s, a < 1e-300 ? 1e-300 : a, b < 1e-300 ? 1e-300 : b);
    const double x = sample_gamma(&s, a), y = sample_gamma(&s, b);
    return x / (x + y);
}

/* ---- Poisson --------------------------------------------------------------------------------- */

/* What both transformed rejections have in common: k = floor((2 a / us + b) u + centre) for u in
 * [-1/2, 1/2), us = 1/2 - |u|, and how dense it lies there. */
typedef struct hat { double a, b, centre, us, v, k; } hat;

static inline void hat_try(hat *h, random_stream *s)
{
    const double u = stream_uniform(s) - 0.5;
    h->v = 1 - stream_uniform(s);
    h->us = 0.5 - __builtin_fabs(u);
    h->k = __builtin_floor((2 * h->a / h->us + h->b) * u + h->centre);
}

static inline double hat_density(const hat *h)
{
    return h->a / (h->us * h->us) + h->b;
}

/* Hoermann's PTRS, mean >= 10. */
SAMPLER poisson_above_10(random_stream *s, double mean)
{
    hat h = {.b = 0.931 + 2.53 * __builtin_sqrt(mean), .centre = mean + 0.43};
    h.a = -0.059 + 0.02483 * h.b;
    const double scale = 1.1239 + 1.1328 / (h.b - 3.4), easy = 0.9277 - 3.6224 / (h.b - 2);
    for (;;) {
        hat_try(&h, s);
        if (h.us >= 0.07 && h.v <= easy)
            return h.k;
        if (!(h.k >= 0 && h.k <= SAMPLE_MOST) || (h.us < 0.013 && h.v > h.us))
            continue;
        if (sample_log(h.v * scale / hat_density(&h)) <= poisson_log(h.k, mean))
            return h.k;
    }
}

SAMPLER sample_poisson(uint64_t word, double mean)
{
    random_stream s = stream_of(word);
    if (!(mean >= 0 && mean <= SAMPLE_MOST))
        return SAMPLE_NAN;
    if (mean >= 10)
        return poisson_above_10(&s, mean);
    const double limit = sample_exp(-mean);
    double k = -1, product = 1;
    do {
        product *= 1 - stream_uniform(&s);
        k++;
    } while (product > limit);
    return k;
}

/* ---- binomial -------------------------------------------------------------------------------- */

/* Adds up probabilities from 0 on until they pass a uniform number; n p < 10. Rounding can leave a
 * remainder of the order of 2^-50 that no k has: then it starts over. */
SAMPLER binomial_inverse(random_stream *s, double n, double p)
{
    const double q = 1 - p, odds = p / q;
    /* log(1 - p): the rounding of q is put back */
    const double none = sample_exp(n * (sample_log(q) + ((1 - q) - p) / q));
    const double mean = n * p, far = mean + 20 * __builtin_sqrt(mean * q + 1);
    for (;;) {
        double u = stream_uniform(s), probability = none, k = 0;
        while (u >= probability && k < n && k < far) {
            u -= probability;
            k++;
            probability *= (n - k + 1) * odds / k;
        }
        if (u < probability)
            return k;
    }
}

/* Hoermann's BTRS, n p >= 10 and p <= 1/2. */
SAMPLER binomial_above_10(random_stream *s, double n, double p)
{
    const double q = 1 - p, sd = __builtin_sqrt(n * p * q);
    hat h = {.b = 1.15 + 2.53 * sd, .centre = n * p + 0.5};
    h.a = -0.0873 + 0.0248 * h.b + 0.01 * p;
    const double scale = (2.83 + 5.1 / h.b) * sd, easy = 0.92 - 4.2 / h.b;
    const double mode = __builtin_floor((n + 1) * p), top = binomial_log(mode, n, p, q);
    for (;;) {
        hat_try(&h, s);
        if (!(h.k >= 0 && h.k <= n))
            continue;
        if (h.us >= 0.07 && h.v <= easy)
            return h.k;
        if (sample_log(h.v * scale / hat_density(&h)) <= binomial_log(h.k, n, p, q) - top)
            return h.k;
    }
}

SAMPLER sample_binomial(uint64_t word, double trials, double p)
{
    random_stream s = stream_of(word);
    double n = __builtin_floor(trials);
    if (!(n >= 0 && n <= 0x1p63 && p >= 0 && p <= 1))
        return SAMPLE_NAN;
    n = n < SAMPLE_MOST ? n : SAMPLE_MOST;
    const double rare = p <= 0.5 ? p : 1 - p;
    if (n == 0 || rare == 0)
        return p <= 0.5 ? 0 : n;
    const double k =
        n * rare >= 10 ? binomial_above_10(&s, n, rare) : binomial_inverse(&s, n, rare);
    return p <= 0.5 ? k : n - k;
}

#endif
