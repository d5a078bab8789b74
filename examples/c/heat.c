/* SPDX-License-Identifier: BSD-3-Clause */
/* heat.c - the heat equation on a rod, by explicit steps in place, beside its exact solution.
 * cc heat.c $(pkg-config --cflags --libs heddle) -lm -o heat && ./heat */
#include <math.h>
#include <stdio.h>

#include <heddle/heddle.h>

enum { POINTS = 201, STEPS = 4000 };

/* u[from], u[from + 1], ...: as many as there are inner points */
static hd_array *inner(const hd_array *u, int64_t from)
{
    hd_index range = {HD_INDEX_SLICE, from, from + POINTS - 2, 1};
    return hd_slice(u, 1, &range);
}

int main(void)
{
    int scope = hd_scope_begin();
    const double pi = acos(-1), dx = 1.0 / (POINTS - 1), dt = 0.4 * dx * dx;
    hd_array *x = hd_linspace(0, 1, POINTS, 1, HD_FLOAT64);
    hd_array *u = hd_sin(hd_multiply(hd_float(pi), x));
    hd_array *middle = inner(u, 1), *left = inner(u, 0), *right = inner(u, 2);    /* views */
    for (int i = 0; i < STEPS; i++) {
        int step = hd_scope_begin();
        hd_array *bend = hd_subtract(hd_add(left, right), hd_multiply(hd_float(2), middle));
        hd_inplace(HD_OP_add, middle, hd_multiply(hd_float(0.4), bend));
        hd_scope_end(step, NULL);
    }
    hd_array *exact = hd_multiply(hd_sin(hd_multiply(hd_float(pi), x)),
                                  hd_float(exp(-pi * pi * STEPS * dt)));
    hd_array *error = hd_max(hd_absolute(hd_subtract(u, exact)), HD_ALL_AXES, NULL, 0);
    hd_value hottest, worst;
    hd_status failed = hd_item(u, POINTS / 2, &hottest);
    if (failed == HD_OK)
        failed = hd_item(error, 0, &worst);
    if (failed == HD_OK)
        printf("middle after %.3f: %.5f, error below 1e-4: %s\n", STEPS * dt, hottest.as.f,
               worst.as.f < 1e-4 ? "yes" : "no");
    else
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
