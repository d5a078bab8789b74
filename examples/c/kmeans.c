/* SPDX-License-Identifier: BSD-3-Clause */
/* kmeans.c - points of three clouds are sorted into clusters by Lloyd's algorithm.
 * cc kmeans.c $(pkg-config --cflags --libs heddle) -o kmeans && ./kmeans */
#include <stdio.h>

#include <heddle/heddle.h>

enum { CLUSTERS = 3, POINTS = 3000, STEPS = 20 };

/* Squared distances of each point (rows) to each center (columns). */
static hd_array *distances(const hd_array *points, const hd_array *centers)
{
    hd_array *p = hd_expand_dims(points, 1, (int[]){1});         /* (points, 1, 2) */
    return hd_sum(hd_square(hd_subtract(p, centers)), 1, (int[]){2}, 0);
}

/* The mean of the points that are nearest to each center. */
static hd_array *better(const hd_array *points, const hd_array *centers)
{
    hd_array *nearest = hd_argmin(distances(points, centers), 1, (int[]){1}, 1);
    hd_array *numbers = hd_arange(hd_int(0), hd_int(1), CLUSTERS, HD_INT64);
    hd_array *mine = hd_astype(hd_equal(nearest, numbers), HD_FLOAT64, 'K', HD_CAST_UNSAFE, 0);
    hd_array *sums = hd_matmul(hd_transpose(mine, NULL), points, NULL);
    return hd_divide(sums, hd_expand_dims(hd_sum(mine, 1, (int[]){0}, 0), 1, (int[]){1}));
}

int main(void)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(3);
    const double middles[CLUSTERS][2] = {{1, 1}, {5, 1}, {2, 6}};
    hd_array *centers = hd_from_data(2, (int64_t[]){CLUSTERS, 2}, NULL, HD_FLOAT64, middles);
    hd_array *noise = hd_random_normal(&g, 3, (int64_t[]){POINTS / CLUSTERS, CLUSTERS, 2},
                                       HD_FLOAT64);
    hd_array *points = hd_reshape(hd_add(noise, centers), 2, (int64_t[]){POINTS, 2}, 'C');

    hd_index few = {HD_INDEX_SLICE, 0, CLUSTERS, 1};
    hd_array *found = hd_copy(hd_slice(points, 1, &few), 'C');      /* the first points */
    for (int i = 0; i < STEPS; i++) {
        int step = hd_scope_begin();
        found = hd_scope_end(step, better(points, found));
    }
    double c[CLUSTERS][2];
    hd_status failed = hd_read(found, c);
    for (int k = 0; k < CLUSTERS && failed == HD_OK; k++)
        printf("a cloud around (%.1f, %.1f)\n", c[k][0] + 0.0, c[k][1] + 0.0);
    if (failed != HD_OK)
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
