/* SPDX-License-Identifier: BSD-3-Clause */
/* nbody.c - bodies that attract each other, by leapfrog steps; their energy stays.
 * cc nbody.c $(pkg-config --cflags --libs heddle) -lm -o nbody && ./nbody */
#include <math.h>
#include <stdio.h>

#include <heddle/heddle.h>

enum { BODIES = 100, STEPS = 200 };
static const double DT = 0.001, SOFT = 0.05;

/* x[j] - x[i] of all pairs: (bodies, bodies, 3) */
static hd_array *apart(const hd_array *x)
{
    return hd_subtract(x, hd_expand_dims(x, 1, (int[]){1}));
}

/* Squared distances, softened so that none is 0: (bodies, bodies). */
static hd_array *squares(const hd_array *d)
{
    return hd_add(hd_sum(hd_square(d), 1, (int[]){2}, 0), hd_float(SOFT * SOFT));
}

/* The pull on each body, of masses 1 / bodies. */
static hd_array *pull(const hd_array *x)
{
    hd_array *d = apart(x), *r2 = squares(d);
    hd_array *weight = hd_divide(hd_float(1.0 / BODIES), hd_multiply(r2, hd_sqrt(r2)));
    return hd_sum(hd_multiply(d, hd_expand_dims(weight, 1, (int[]){2})), 1, (int[]){1}, 0);
}

static double energy(const hd_array *x, const hd_array *v)
{
    int scope = hd_scope_begin();
    hd_array *moving = hd_multiply(hd_float(0.5 / BODIES),
                                   hd_sum(hd_square(v), HD_ALL_AXES, NULL, 0));
    hd_array *near = hd_divide(hd_int(1), hd_sqrt(squares(apart(x))));
    hd_array *bound = hd_sum(near, HD_ALL_AXES, NULL, 0);
    hd_array *all = hd_subtract(moving, hd_multiply(hd_float(0.5 / BODIES / BODIES), bound));
    hd_value e;
    double value = hd_item(all, 0, &e) == HD_OK ? e.as.f : NAN;
    hd_scope_end(scope, NULL);
    return value;
}

int main(void)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(4);
    hd_array *x = hd_random_normal(&g, 2, (int64_t[]){BODIES, 3}, HD_FLOAT64);
    hd_array *v = hd_multiply(hd_float(0.3),
                              hd_random_normal(&g, 2, (int64_t[]){BODIES, 3}, HD_FLOAT64));
    double before = energy(x, v);
    for (int i = 0; i < STEPS; i++) {
        int step = hd_scope_begin();
        hd_inplace(HD_OP_add, v, hd_multiply(hd_float(DT / 2), pull(x)));
        hd_inplace(HD_OP_add, x, hd_multiply(hd_float(DT), v));
        hd_inplace(HD_OP_add, v, hd_multiply(hd_float(DT / 2), pull(x)));
        hd_scope_end(step, NULL);
    }
    double drift = fabs(energy(x, v) / before - 1);
    if (isnan(drift))
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    else
        printf("%d bodies, %d steps: energy is kept to 1e-4: %s\n", BODIES, STEPS,
               drift < 1e-4 ? "yes" : "no");
    hd_scope_end(scope, NULL);
    return isnan(drift);
}
