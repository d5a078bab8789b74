/* SPDX-License-Identifier: BSD-3-Clause */
/* first.c - a first program with Heddle: the mean of x*x over 1000 points.
 * cc first.c $(pkg-config --cflags --libs heddle) -o first && ./first */
#include <stdio.h>

#include <heddle/heddle.h>

int main(void)
{
    int scope = hd_scope_begin();                              /* frees every array made below */
    hd_array *x = hd_linspace(0.0, 1.0, 1000, 1, HD_FLOAT64);
    /* one pass over memory; nothing runs before ... */
    hd_array *mean = hd_mean(hd_multiply(x, x), NULL);

    hd_value value;
    hd_status failed = hd_item(mean, 0, &value);               /* ... a value is asked for */
    if (failed == HD_OK)
        printf("mean of x*x: %.6f\n", value.as.f);
    else
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
