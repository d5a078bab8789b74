/* SPDX-License-Identifier: BSD-3-Clause */
/* random_one.c - one number of a distribution, within the call: what compositions of arrays give
 * (python/heddle/_distributions.py), by the same words, the same loops and the same arithmetic, but
 * without arrays. What is odd in any way is left to them.
 * Start at   hd_random_one()
 * See        docs/design/random.md, which has the formulas; random_rounds.c for those by rounds */
#include <heddle/random.h>

#include "base/lock.h"
#include "ops/random/random_one.h"

static const double tiny = 0x1p-54;   /* in the place of a number that is 0 */
static const double log_2 = 0.6931471805599453, pi = 3.141592653589793;
static const double int64_most = 0x1p63 - 1024;
static const double poisson_most = 0x1p63 - 1 - 10 * 3037000499.97605;   /* sqrt(2^63 - 1) */

/* ---- words and loops ------------------------------------------------------------------------- */

uint64_t hdi_one_raw(hd_generator *g)
{
    uint64_t words[2];
    hdi_philox(g->key, g->calls++, 0, words);
    return words[0];
}

double hdi_one_uniform(hd_generator *g)
{
    return (double)(hdi_one_raw(g) >> 11) * 0x1p-53;
}

double hdi_one_of(hdi_one *s, hd_op op, double x)
{
    const hd_dtype dt = HD_FLOAT64;
    double r = 0;
    if (!s->fine || !hdi_element_run(s->w, op, dt, 1, &dt, (const void *const[]){&x}, dt, &r))
        s->fine = false;
    return r;
}

/* Row op of rule DRAW of the next word. */
static double sample(hdi_one *s, hd_op op, double y, double z)
{
    const uint64_t word = hdi_one_raw(&s->g);
    const void *const elements[] = {&word, &y, &z};
    const hd_dtype dts[] = {HD_INT64, HD_FLOAT64, HD_FLOAT64};
    double r = 0;
    if (!s->fine || !hdi_element_run(s->w, op, HD_FLOAT64, hdi_op_rows[op].info.nin, dts, elements,
                                     HD_FLOAT64, &r))
        s->fine = false;
    return r;
}

static double uniform(hdi_one *s) { return hdi_one_uniform(&s->g); }

static double normal(hdi_one *s)
{
    const int64_t position = 0;
    const uint64_t state[2] = {s->g.key, s->g.calls++};
    const hd_dtype dts[] = {HD_INT64, HD_COMPLEX128};
    double r = 0;
    if (!s->fine || !hdi_element_run(s->w, HD_OP_random_normal, HD_FLOAT64, 2, dts,
                                     (const void *const[]){&position, state}, HD_FLOAT64, &r))
        s->fine = false;
    return r;
}

static double exponential(hdi_one *s) { return -hdi_one_of(s, HD_OP_log1p, -uniform(s)); }

static double gamma_number(hdi_one *s, double shape, double scale)
{
    return sample(s, HD_OP_random_gamma, shape, scale);
}

static double chisquare(hdi_one *s, double df) { return gamma_number(s, df / 2.0, 2.0); }

static double poisson(hdi_one *s, double mean) { return sample(s, HD_OP_random_poisson, mean, 0); }

/* As the operator of arrays and numbers does it: hdi_power_number(). */
static double power(hdi_one *s, double x, double y)
{
    const hd_dtype dts[] = {HD_FLOAT64, HD_FLOAT64};
    double r = 0;
    if (y == 0.5)
        return sqrt(x);
    if (y == 1 || y == 2 || y == 3)
        return y == 1 ? x : y == 2 ? x * x : x * x * x;
    if (!s->fine || !hdi_element_run(s->w, HD_OP_power, HD_FLOAT64, 2, dts,
                                     (const void *const[]){&x, &y}, HD_FLOAT64, &r))
        s->fine = false;
    return r;
}

/* ---- distributions --------------------------------------------------------------------------- */

/* NumPy refuses -0.0 where a parameter may not be negative. */
static bool is_not_negative(double x) { return x >= 0 && !signbit(x); }

static double one_random(hdi_one *s, const double *p) { (void)p; return uniform(s); }

static double one_uniform(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1] - p[0]));
    return p[0] + (p[1] - p[0]) * uniform(s);
}

static double one_standard_normal(hdi_one *s, const double *p) { (void)p; return normal(s); }

static double one_normal(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1]));
    return p[0] + p[1] * normal(s);
}

static double one_lognormal(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1]));
    return hdi_one_of(s, HD_OP_exp, p[0] + p[1] * normal(s));
}

static double one_standard_exponential(hdi_one *s, const double *p)
{
    (void)p;
    return exponential(s);
}

static double one_exponential(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[0]));
    return p[0] * exponential(s);
}

static double one_laplace(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1]));
    const double above = exponential(s), below = exponential(s);
    return p[0] + p[1] * (above - below);
}

static double one_gumbel(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1]));
    const double e = exponential(s);
    return p[0] - p[1] * hdi_one_of(s, HD_OP_log, e > tiny ? e : tiny);
}

static double one_logistic(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[1]));
    const double drawn = uniform(s), u = drawn > tiny ? drawn : tiny;
    return p[0] + p[1] * (hdi_one_of(s, HD_OP_log, u) - hdi_one_of(s, HD_OP_log1p, -u));
}

static double one_rayleigh(hdi_one *s, const double *p)
{
    hdi_one_need(s, is_not_negative(p[0]));
    return p[0] * sqrt(2.0 * exponential(s));
}

static double one_weibull(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return power(s, exponential(s), 1.0 / p[0]);
}

static double one_pareto(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return hdi_one_of(s, HD_OP_expm1, exponential(s) / p[0]);
}

static double one_power(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return power(s, uniform(s), 1.0 / p[0]);
}

static double one_standard_cauchy(hdi_one *s, const double *p)
{
    (void)p;
    return hdi_one_of(s, HD_OP_tan, pi * (uniform(s) - 0.5));
}

static double one_triangular(hdi_one *s, const double *p)
{
    const double left = p[0], mode = p[1], right = p[2];
    hdi_one_need(s, left <= mode && mode <= right && left != right);
    const double u = uniform(s);
    const double width = right - left, rise = mode - left, fall = right - mode;
    return u <= rise / width ? left + sqrt(u * (rise * width))
                             : right - sqrt((1.0 - u) * (fall * width));
}

static double one_wald(hdi_one *s, const double *p)
{
    const double mean = p[0], scale = p[1];
    hdi_one_need(s, mean > 0 && scale > 0);
    const double y = normal(s), u = uniform(s), t = y * y * (mean / (2.0 * scale));
    const double root = 1.0 + t + sqrt(t) * sqrt(t + 2.0);
    return u * (root + 1.0) <= root ? mean / root : mean * root;
}

static double one_gamma(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && is_not_negative(p[1]));
    return gamma_number(s, p[0], p[1]);
}

static double one_standard_gamma(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return gamma_number(s, p[0], 1.0);
}

static double one_beta(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && p[1] > 0);
    return sample(s, HD_OP_random_beta, p[0], p[1]);
}

static double one_chisquare(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return chisquare(s, p[0]);
}

static double one_f(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && p[1] > 0);
    const double above = chisquare(s, p[0]), below = chisquare(s, p[1]);
    return (above * p[1]) / (below * p[0]);
}

static double one_standard_t(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    const double x = normal(s);
    return x / sqrt(chisquare(s, p[0]) / p[0]);
}

/* nonc: within what Poisson numbers have a mean for */
static double noncentral(hdi_one *s, double df, double nonc)
{
    hdi_one_need(s, is_not_negative(nonc) && nonc < 0x1p60);
    return gamma_number(s, df / 2.0 + poisson(s, nonc / 2.0), 2.0);
}

static double one_noncentral_chisquare(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0);
    return noncentral(s, p[0], p[1]);
}

static double one_noncentral_f(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && p[1] > 0);
    const double x = noncentral(s, p[0], p[2]);
    return (x * p[1]) / (chisquare(s, p[1]) * p[0]);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static double one_poisson(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] >= 0 && p[0] < 0x1p60);
    return poisson(s, p[0]);
}

static double one_binomial(hdi_one *s, const double *p)
{
    hdi_one_need(s, hdi_one_is_count(p[0]) && p[1] >= 0 && p[1] <= 1);
    return sample(s, HD_OP_random_binomial, p[0], p[1]);
}

static double one_geometric(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && p[0] < 1);
    const double x = ceil(exponential(s) / -log1p(-p[0]));
    return x > int64_most ? int64_most : x > 1.0 ? x : 1.0;
}

static double one_negative_binomial(hdi_one *s, const double *p)
{
    const double n = p[0], odds = (1.0 - p[1]) / p[1];
    hdi_one_need(s, n > 0 && p[1] > 0 && p[1] < 1 && odds * (n + 10.0 * sqrt(n)) < 0x1p60);
    const double mean = gamma_number(s, n, odds);
    return poisson(s, mean < poisson_most ? mean : poisson_most);
}

static double one_logseries(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[0] > 0 && p[0] < 1);
    const double v = uniform(s) * log1p(-p[0]), e = exponential(s);
    double rate;
    if (v < -log_2) {
        rate = -hdi_one_of(s, HD_OP_log1p, -hdi_one_of(s, HD_OP_exp, v));
    } else {
        const double share = -hdi_one_of(s, HD_OP_expm1, v);
        rate = -hdi_one_of(s, HD_OP_log, share > tiny ? share : tiny);
    }
    return 1.0 + floor(e / rate);
}

/* ---- by rounds ------------------------------------------------------------------------------- */

static double one_vonmises(hdi_one *s, const double *p) { return hdi_one_vonmises(s, p); }

static double one_zipf(hdi_one *s, const double *p) { return hdi_one_zipf(s, p); }

static double one_hypergeometric(hdi_one *s, const double *p)
{
    return hdi_one_hypergeometric(s, p);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Parameters whose products and quotients are all normal numbers: then nothing that a formula makes
 * of them overflows, but a result. */
static bool are_ordinary(int n, const double *p)
{
    for (int i = 0; i < n; i++)
        if (p[i] != 0 && !(fabs(p[i]) >= 1e-100 && fabs(p[i]) <= 1e100))
            return false;
    return true;
}

HDI_LOCKS static hdi_one begin(const hd_generator *g)
{
    hdi_lock();
    hd_device *dev = hdi_current_device();
    return (hdi_one){*g, dev != NULL ? hdi_window_of(dev) : NULL,
                     dev != NULL && hdi_runs_at_once(dev, 1)};
}

/* Without an error that was not there before. */
HDI_UNLOCKS static int end(const hdi_one *s, hd_generator *g, bool had_error)
{
    hdi_unlock();
    if (s->fine)
        *g = s->g;
    else if (!had_error)
        hd_error_take(NULL);
    return s->fine;
}

/* Is all there that a draw reads and writes? If not, with an error. */
static bool are_there(const hd_generator *g, const void *parameters, const void *result)
{
    if (g == NULL || parameters == NULL || result == NULL)
        hdi_fail_null(g == NULL            ? "the generator"
                      : parameters == NULL ? "the parameters"
                                           : "the place for the result");
    return g != NULL && parameters != NULL && result != NULL;
}

int hd_random_one(hd_generator *g, hd_distribution d, const double *p, double *result)
{
#define ROW(name, parameters, dtype) [HD_RANDOM_##name] = {one_##name, parameters, HD_##dtype},
    static const struct {
        double (*draw)(hdi_one *s, const double *p);
        int n;
        hd_dtype dt;
    } rows[] = {HD_DISTRIBUTIONS(ROW)};
#undef ROW
    if (!are_there(g, p, result) || (unsigned)d >= HD_RANDOM_COUNT || !are_ordinary(rows[d].n, p))
        return 0;
    const bool had = hd_error_peek()->code != HD_OK;
    hdi_one s = begin(g);
    double r = 0;
    if (s.fine)
        r = rows[d].draw(&s, p);
    s.fine = s.fine && isfinite(r) && (rows[d].dt == HD_FLOAT64 || fabs(r) < 0x1p62);
    *result = r;
    return end(&s, g, had);
}

/* Probabilities, whose sum but for the last is not above 1, however it is rounded. */
static bool are_probabilities(int n, const double *p)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        if (!(p[k] >= 0 && p[k] <= 1))
            return false;
        sum += k < n - 1 ? p[k] : 0;
    }
    return sum <= 1 + 0.5e-12;
}

int hd_random_one_multinomial(hd_generator *g, int64_t trials, int n, const double *p,
                              int64_t *counts)
{
    if (!are_there(g, p, counts) || n < 2 || n > HD_RANDOM_MOST_OUTCOMES || trials < 0 ||
        trials > (int64_t)1 << 53 || !are_probabilities(n, p))
        return 0;
    const bool had = hd_error_peek()->code != HD_OK;
    hdi_one s = begin(g);
    double rest = 1.0;
    counts[n - 1] = trials;
    for (int k = 0; k < n - 1 && s.fine; k++) {
        const double share = p[k] < rest ? p[k] / rest : p[k] > 0 ? 1.0 : 0.0;
        counts[k] = (int64_t)sample(&s, HD_OP_random_binomial, (double)counts[n - 1], share);
        counts[n - 1] -= counts[k];
        rest -= p[k];
    }
    return end(&s, g, had);
}

hd_status hd_random_one_order(hd_generator *g, int64_t n, int64_t *places)
{
    if (!are_there(g, g, places))
        return hd_error_peek()->code;
    if (n < 0 || n > HD_RANDOM_MOST_PLACES)
        return hdi_fail(HD_VALUE, "an order of %lld places: 0 to %d expected", (long long)n,
                        HD_RANDOM_MOST_PLACES);
    random_stream s = stream_of(hdi_one_raw(g));
    for (int64_t i = 0; i < n; i++)
        places[i] = i;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = i + (int64_t)stream_below(stream_word(&s), (uint64_t)(n - i), &s);
        const int64_t taken = places[j];
        places[j] = places[i];
        places[i] = taken;
    }
    return HD_OK;
}
