/* SPDX-License-Identifier: BSD-3-Clause */
/* pi.c - pi from ten million random points, a million at a time: how many fall into a quarter of a
 * circle. cc pi.c $(pkg-config --cflags --libs heddle) -lm -o pi && ./pi */
#include <math.h>
#include <stdio.h>

#include <heddle/heddle.h>

enum { ROUNDS = 10 };

int main(void)
{
    const int64_t points = 1000000;
    hd_generator g = hd_generator_seed(2026);
    int64_t inside = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int scope = hd_scope_begin();
        hd_array *x = hd_random_uniform(&g, 1, &points, HD_FLOAT64);
        hd_array *y = hd_random_uniform(&g, 1, &points, HD_FLOAT64);
        /* squared, added, compared and counted in one pass over both */
        hd_array *hit = hd_less(hd_add(hd_square(x), hd_square(y)), hd_int(1));
        hd_value count;
        if (hd_item(hd_sum(hit, HD_ALL_AXES, NULL, 0), 0, &count) != HD_OK) {
            fprintf(stderr, "%s\n", hd_error_peek()->message);
            return 1;
        }
        inside += count.as.i;
        hd_scope_end(scope, NULL);
    }
    double pi = 4 * (double)inside / (double)(ROUNDS * points);
    printf("pi is near %.2f: off by less than 0.002: %s\n", pi,
           fabs(pi - acos(-1)) < 0.002 ? "yes" : "no");
    return 0;
}
