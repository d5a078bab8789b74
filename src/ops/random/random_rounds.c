/* SPDX-License-Identifier: BSD-3-Clause */
/* random_rounds.c - one number of the distributions that are drawn in rounds: what
 * python/heddle/_rounds.py gives for a shape without axes.
 * Start at   rounds_begin()
 * See        docs/design/random.md, "Rounds", which has the formulas and their sources */
#include "ops/random/random_one.h"

static const double log_2 = 0.6931471805599453, pi = 3.141592653589793;
static const double int64_most = 0x1p63 - 1024;
enum { ROUNDS_MOST = 1000 };   /* that the last is accepted is sure but for odd parameters */

/* The rounds of a draw: a generator of its own, whose calls are u and v of each. */
typedef struct rounds {
    hd_generator g;
    int left;
    double u, v;
} rounds;

static rounds rounds_begin(hdi_one *s)
{
    return (rounds){.g = hd_generator_seed(hdi_one_raw(&s->g)), .left = ROUNDS_MOST};
}

/* False: there is no further round, and the number is not fine. */
static bool next_round(hdi_one *s, rounds *r)
{
    hdi_one_need(s, r->left-- > 0);
    r->u = hdi_one_uniform(&r->g);
    r->v = hdi_one_uniform(&r->g);
    return s->fine;
}

static double log_of(hdi_one *s, double x) { return hdi_one_of(s, HD_OP_log, x); }

static double log1p_of(hdi_one *s, double x) { return hdi_one_of(s, HD_OP_log1p, x); }

static double at_most(double x, double most) { return x < most ? x : most; }

static double at_least(double x, double least) { return x > least ? x : least; }

/* ---- angles ---------------------------------------------------------------------------------- */

/* An angle around 0. */
static double angle(hdi_one *s, double k)
{
    const double b = 1.0 / (2.0 * k + sqrt(4.0 * k * k + 1.0)), near = 2.0 * b / (1.0 + b);
    const double log_near = log1p_of(s, 1.0 - near);
    rounds r = rounds_begin(s);
    while (next_round(s, &r)) {
        const double side = 2.0 * r.u - 1.0, sine = hdi_one_of(s, HD_OP_sin, side * (pi / 2));
        const double z = sine * sine, part = z / (1.0 - (1.0 - b) * z), away = 2.0 * b * part;
        const double log = log1p_of(s, (1.0 - near) * (1.0 + b) * part) - log_near;
        if (k * (near - away) + log < log1p_of(s, -r.v))
            continue;
        const double x = 2.0 * hdi_one_of(s, HD_OP_arcsin, sqrt(at_most(away / 2.0, 1.0)));
        return side < 0 ? -x : x;
    }
    return 0;
}

double hdi_one_vonmises(hdi_one *s, const double *p)
{
    hdi_one_need(s, p[1] >= 0 && !signbit(p[1]));
    const double x = angle(s, p[1]) + p[0], turn = 2 * pi, y = x + pi;
    if (x >= -pi && x <= pi)
        return x;
    const hd_dtype dts[] = {HD_FLOAT64, HD_FLOAT64};
    double turned = 0;
    if (!s->fine || !hdi_element_run(s->w, HD_OP_remainder, HD_FLOAT64, 2, dts,
                                     (const void *const[]){&y, &turn}, HD_FLOAT64, &turned))
        s->fine = false;
    return turned - pi;
}

/* ---- Zipf ------------------------------------------------------------------------------------ */

double hdi_one_zipf(hdi_one *s, const double *p)
{
    const double b = p[0] - 1.0;
    hdi_one_need(s, b > 0);
    const double reach = hdi_one_of(s, HD_OP_expm1, -(63 * log_2) * b);
    const double scale = -hdi_one_of(s, HD_OP_expm1, -log_2 * b);
    rounds r = rounds_begin(s);
    while (next_round(s, &r)) {
        const double log = -log1p_of(s, r.u * reach) / b;
        const double x = at_least(floor(hdi_one_of(s, HD_OP_exp, log)), 1.0);
        if (r.v * x * -hdi_one_of(s, HD_OP_expm1, -b * log1p_of(s, 1.0 / x)) <= scale)
            return at_most(x, int64_most);
    }
    return 0;
}

/* ---- urns ------------------------------------------------------------------------------------ */

/* A cell of the table of kinds and samples: what is expected in it, and the logarithm of that, once
 * it was asked for (not 0 then; a mean of 1 asks again). */
typedef struct cell { double mean, log; } cell;

/* In the form in which neither kind is more than half of the whole, nor the sample. */
typedef struct urn {
    double good, bad, drawn;
    cell good_drawn, good_left, bad_drawn, bad_left;
} urn;

static urn smallest_form(double good, double bad, double drawn)
{
    const double total = good + bad, few = at_most(good, bad);
    urn n = {.good = few, .bad = total - few, .drawn = at_most(drawn, total - drawn)};
    const double mean = n.drawn * (n.good / at_least(total, 1.0)), least = 0x1p-1000;
    n.good_drawn.mean = at_least(mean, least);
    n.good_left.mean = at_least(n.good - mean, least);
    n.bad_drawn.mean = at_least(n.drawn - mean, least);
    n.bad_left.mean = at_least(n.bad - (n.drawn - mean), least);
    return n;
}

/* log(x!) for x < 16, by the loop. */
static double log_factorial(hdi_one *s, double x)
{
    static double known[16];
    double *at = &known[(int)x];
    if (*at == 0)
        *at = hdi_one_of(s, HD_OP_gammaln, x + 1.0);
    return *at;
}

/* log(x!) - (x log m - m) for what is in the cell, as _deviance() of _rounds.py. */
static double deviance(hdi_one *s, double x, cell *c)
{
    const double log_2pi = 1.8378770664093454836, m = c->mean;
    if (!(x > 0.0))
        return m;
    if (x < 16.0) {
        c->log = c->log != 0 ? c->log : log_of(s, m);
        return log_factorial(s, x) - x * c->log + m;
    }
    const double r = 1.0 / x;
    const double rest =
        (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - r * r / 1680) * (r * r)) * (r * r)) * r;
    return x * log1p_of(s, (x - m) / m) - (x - m) + 0.5 * (log_2pi + log_of(s, x)) + rest;
}

/* The logarithm of the probability of k of the good ones, but for a constant. */
static double urn_log(hdi_one *s, double k, urn *n)
{
    const double good = deviance(s, k, &n->good_drawn);
    const double good_left = deviance(s, n->good - k, &n->good_left);
    const double bad = deviance(s, n->drawn - k, &n->bad_drawn);
    const double bad_left = deviance(s, n->bad - (n->drawn - k), &n->bad_left);
    return -(good + good_left + bad + bad_left);
}

/* How many of the good ones are drawn of an urn in its smallest form. */
static double of_urn(hdi_one *s, urn *n)
{
    const double total = n->good + n->bad, p = n->good / at_least(total, 1.0);
    const double variance =
        n->drawn * p * (1.0 - p) * (total - n->drawn) / at_least(total - 1.0, 1.0);
    const double centre = n->drawn * p + 0.5;
    /* of Stadlober's hat: 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e) */
    const double width = 1.7155277699214135 * sqrt(variance + 0.5) + 0.8989161620588988;
    const double most = at_most(n->good, n->drawn);
    const double mode = floor((n->drawn + 1.0) * ((n->good + 1.0) / (total + 2.0)));
    const double top = urn_log(s, at_most(mode, most), n);
    rounds r = rounds_begin(s);
    while (next_round(s, &r)) {
        const double u = 1.0 - r.u, k = floor(centre + width * (r.v - 0.5) / u);
        if (k >= 0.0 && k <= most && 2.0 * log_of(s, u) <= urn_log(s, k, n) - top)
            return k;
    }
    return 0;
}

double hdi_one_hypergeometric(hdi_one *s, const double *p)
{
    const double good = p[0], bad = p[1], drawn = p[2], counts_most = 1e9;   /* NumPy's limit */
    hdi_one_need(s, hdi_one_is_count(good) && good < counts_most && hdi_one_is_count(bad) &&
                        bad < counts_most && hdi_one_is_count(drawn) && drawn >= 1 &&
                        drawn <= good + bad);
    urn n = smallest_form(good, bad, drawn);
    double k = of_urn(s, &n);
    k = good > bad ? n.drawn - k : k;
    return n.drawn < drawn ? good - k : k;
}
