/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - a cubic through noisy points, by least squares (this asks for a LAPACK library).
 * cc fit.c $(pkg-config --cflags --libs heddle) -o fit && ./fit */
#include <stdio.h>

#include <heddle/heddle.h>

enum { POINTS = 1000, POWERS = 4 };

int main(void)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    hd_array *x = hd_linspace(-1, 1, POINTS, 1, HD_FLOAT64), *columns[POWERS];
    columns[0] = hd_ones(1, (int64_t[]){POINTS}, HD_FLOAT64);
    for (int k = 1; k < POWERS; k++)
        columns[k] = hd_multiply(columns[k - 1], x);
    hd_array *a = hd_stack(POWERS, (const hd_array *const *)columns, 1, HD_NO_DTYPE, NULL);

    const double truth[POWERS] = {1, -2, 0, 3};
    hd_array *exact = hd_matmul(a, hd_from_data(1, (int64_t[]){POWERS}, NULL, HD_FLOAT64, truth),
                                NULL);
    hd_array *noise = hd_random_normal(&g, 1, (int64_t[]){POINTS}, HD_FLOAT64);
    hd_array *y = hd_add(exact, hd_multiply(hd_float(0.01), noise));

    hd_array *found = NULL, *rank = NULL;
    double c[POWERS];
    hd_value r;
    hd_status failed = hd_lstsq(a, y, -1, &found, NULL, &rank, NULL);
    if (failed == HD_OK)
        failed = hd_read(found, c);
    if (failed == HD_OK)
        failed = hd_item(rank, 0, &r);
    if (failed == HD_OK)
        printf("%.2f %+.2f x %+.2f x^2 %+.2f x^3, rank %d\n", c[0], c[1], c[2], c[3], (int)r.as.i);
    else
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
