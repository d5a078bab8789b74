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
 * HD_FLOAT64. */
/* [0, 1) */
HD_API hd_array *hd_random_uniform(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt);
/* mean 0, deviation 1 */
HD_API hd_array *hd_random_normal(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt);
/* uint64 words */
HD_API hd_array *hd_random_raw(hd_generator *g, int nd, const int64_t *shape);

#ifdef __cplusplus
}
#endif
#endif
