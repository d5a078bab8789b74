/* SPDX-License-Identifier: BSD-3-Clause */
/* gradients.c - conjugate gradients: Poisson's equation on a square, with a matrix that is never
 * stored. cc gradients.c $(pkg-config --cflags --libs heddle) -lm -o gradients && ./gradients */
#include <math.h>
#include <stdio.h>

#include <heddle/heddle.h>

enum { N = 64 };
static const int64_t SHAPE[] = {N, N};

/* r[i, j] -= x[i + down, j + right], where there is such a point */
static void subtract_neighbour(hd_array *r, const hd_array *x, int down, int right)
{
    hd_index to[2], from[2];
    for (int axis = 0; axis < 2; axis++) {
        int by = axis == 0 ? down : right;
        to[axis] = (hd_index){HD_INDEX_SLICE, by < 0 ? 1 : 0, by > 0 ? N - 1 : N, 1};
        from[axis] = (hd_index){HD_INDEX_SLICE, by > 0 ? 1 : 0, by < 0 ? N - 1 : N, 1};
    }
    hd_inplace(HD_OP_subtract, hd_slice(r, 2, to), hd_slice(x, 2, from));
}

/* 4 x - its neighbours; outside of the square all is 0 */
static hd_array *laplace(const hd_array *x)
{
    hd_array *r = hd_multiply(hd_float(4), x);
    subtract_neighbour(r, x, 1, 0);
    subtract_neighbour(r, x, -1, 0);
    subtract_neighbour(r, x, 0, 1);
    subtract_neighbour(r, x, 0, -1);
    return r;
}

static double dot(const hd_array *x, const hd_array *y)
{
    hd_value v;
    return hd_item(hd_sum(hd_multiply(x, y), HD_ALL_AXES, NULL, 0), 0, &v) == HD_OK ? v.as.f : NAN;
}

int main(void)
{
    int scope = hd_scope_begin(), steps = 0;
    hd_array *b = hd_ones(2, SHAPE, HD_FLOAT64), *x = hd_zeros(2, SHAPE, HD_FLOAT64);
    hd_array *r = hd_copy(b, 'C'), *p = hd_copy(b, 'C');
    double rr = dot(r, r), enough = 1e-16 * rr;
    for (; rr > enough && steps < 1000; steps++) {
        int step = hd_scope_begin();
        hd_array *ap = laplace(p);
        double alpha = rr / dot(p, ap);
        hd_inplace(HD_OP_add, x, hd_multiply(hd_float(alpha), p));
        hd_inplace(HD_OP_subtract, r, hd_multiply(hd_float(alpha), ap));
        double before = rr;
        rr = dot(r, r);
        hd_inplace(HD_OP_multiply, p, hd_float(rr / before));
        hd_inplace(HD_OP_add, p, r);
        hd_scope_end(step, NULL);
    }
    hd_value middle;
    hd_array *error = hd_max(hd_absolute(hd_subtract(laplace(x), b)), HD_ALL_AXES, NULL, 0);
    hd_value worst;
    if (hd_item(x, N * N / 2 + N / 2, &middle) != HD_OK || hd_item(error, 0, &worst) != HD_OK) {
        fprintf(stderr, "%s\n", hd_error_peek()->message);
        return 1;
    }
    printf("middle %.4f, solved to 1e-6 in less than 200 steps: %s\n", middle.as.f,
           worst.as.f < 1e-6 && steps < 200 ? "yes" : "no");
    hd_scope_end(scope, NULL);
    return 0;
}
