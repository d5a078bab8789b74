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
HD_API hd_array *hd_random_beta(hd_generator *g, int nd, const int64_t *shape, const hd_array *a,
                                const hd_array *b, hd_dtype dt);
/* int64 */
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

#ifdef __cplusplus
}
#endif
#endif
