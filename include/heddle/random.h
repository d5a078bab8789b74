/* SPDX-License-Identifier: BSD-3-Clause */
/* random.h - counter-based random numbers (Philox 4x32-10); the stream is written down in
 * docs/design/random.md.
 * Owns       hd_generator, a seed and a count of calls: 16 bytes, no device memory */
#ifndef HEDDLE_RANDOM_H
#define HEDDLE_RANDOM_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hd_generator { uint64_t key; uint64_t calls; } hd_generator;

/* hd_generator_seed - the generator of that seed, at its first call. */
HD_API hd_generator hd_generator_seed(uint64_t seed);
/* Each call takes one call number, whether or not its result is ever used. dt: HD_FLOAT32 or
 * HD_FLOAT64 (HD_NO_DTYPE too). */
/* [0, 1) */
HD_API hd_array *hd_random_uniform(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt);
/* mean 0, deviation 1 */
HD_API hd_array *hd_random_normal(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt);
/* uint64 words */
HD_API hd_array *hd_random_raw(hd_generator *g, int nd, const int64_t *shape);

/* Parameters are arrays or numbers that broadcast to shape. What no distribution has (a negative
 * shape, a probability of 2) gives nan; of the functions that draw integers, nothing in
 * particular: callers check. */
/* integers from low to last, both included; dt any integer dtype, or HD_NO_DTYPE for int64 */
HD_API hd_array *hd_random_integers(hd_generator *g, int nd, const int64_t *shape,
                                    const hd_array *low, const hd_array *last, hd_dtype dt);
/* gamma numbers of shape parameter a, times scale */
HD_API hd_array *hd_random_gamma(hd_generator *g, int nd, const int64_t *shape, const hd_array *a,
                                 const hd_array *scale, hd_dtype dt);
/* beta numbers of shape parameters a and b */
HD_API hd_array *hd_random_beta(hd_generator *g, int nd, const int64_t *shape, const hd_array *a,
                                const hd_array *b, hd_dtype dt);
/* int64: Poisson numbers of that mean */
HD_API hd_array *hd_random_poisson(hd_generator *g, int nd, const int64_t *shape,
                                   const hd_array *mean);
/* int64: successes in n trials of probability p */
HD_API hd_array *hd_random_binomial(hd_generator *g, int nd, const int64_t *shape,
                                    const hd_array *n, const hd_array *p);

/* hd_random_order - rows of m int64 each: the first m of 0 ... n - 1 in random order.
 * hd_random_choice - n positions in cumulative, ascending float64 whose last is 1: each as often
 * as the step that leads to it. */
HD_API hd_array *hd_random_order(hd_generator *g, int64_t rows, int64_t n, int64_t m);
HD_API hd_array *hd_random_choice(hd_generator *g, int64_t n, const hd_array *cumulative);

/* Distributions that have a way for one number: name, number of parameters, dtype of the number.
 * Parameters are those of heddle.random's functions, in their order. */
#define HD_DISTRIBUTIONS(X) \
    X(random, 0, FLOAT64) X(uniform, 2, FLOAT64) X(standard_normal, 0, FLOAT64) \
    X(normal, 2, FLOAT64) X(lognormal, 2, FLOAT64) X(standard_exponential, 0, FLOAT64) \
    X(exponential, 1, FLOAT64) X(laplace, 2, FLOAT64) X(gumbel, 2, FLOAT64) \
    X(logistic, 2, FLOAT64) X(rayleigh, 1, FLOAT64) X(weibull, 1, FLOAT64) X(pareto, 1, FLOAT64) \
    X(power, 1, FLOAT64) X(standard_cauchy, 0, FLOAT64) X(triangular, 3, FLOAT64) \
    X(wald, 2, FLOAT64) X(gamma, 2, FLOAT64) X(standard_gamma, 1, FLOAT64) X(beta, 2, FLOAT64) \
    X(chisquare, 1, FLOAT64) X(f, 2, FLOAT64) X(standard_t, 1, FLOAT64) \
    X(noncentral_chisquare, 2, FLOAT64) X(noncentral_f, 3, FLOAT64) X(vonmises, 2, FLOAT64) \
    X(poisson, 1, INT64) X(binomial, 2, INT64) X(geometric, 1, INT64) \
    X(negative_binomial, 2, INT64) X(logseries, 1, INT64) X(zipf, 1, INT64) \
    X(hypergeometric, 3, INT64)
typedef enum hd_distribution {
#define HD_DISTRIBUTION_NAME(name, parameters, dtype) HD_RANDOM_##name,
    HD_DISTRIBUTIONS(HD_DISTRIBUTION_NAME)
#undef HD_DISTRIBUTION_NAME
    HD_RANDOM_COUNT
} hd_distribution;
enum {
    HD_RANDOM_MOST_PARAMETERS = 3,
    HD_RANDOM_MOST_OUTCOMES = 64,
    HD_RANDOM_MOST_PLACES = 1024
};

/* hd_random_one - the number, as a float64, that the distribution's composition of arrays would
 * give, now and without arrays. 0, no error, g as it was: arrays are the way. So it is on a GPU,
 * while faults are watched, for parameters that no distribution has, and where a number is odd:
 * infinite, or near the ends of what there is. */
HD_API int hd_random_one(hd_generator *g, hd_distribution d, const double *parameters,
                         double *result);
/* hd_random_one_multinomial - the same for the counts of n outcomes in so many trials; p[n]: their
 * probabilities; 2 to HD_RANDOM_MOST_OUTCOMES of them. */
HD_API int hd_random_one_multinomial(hd_generator *g, int64_t trials, int n, const double *p,
                                     int64_t *counts);
/* hd_random_one_order - what hd_random_order() of one row of n places gives, all of them, wherever
 * arrays are; HD_VALUE for more than HD_RANDOM_MOST_PLACES. */
HD_API hd_status hd_random_one_order(hd_generator *g, int64_t n, int64_t *places);

#ifdef __cplusplus
}
#endif
#endif
