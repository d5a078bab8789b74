/* SPDX-License-Identifier: BSD-3-Clause */
/* logistic.c - logistic regression by gradient descent with Heddle; logistic_plain.c is the same
 * in plain C. cc -O2 logistic.c $(pkg-config --cflags --libs heddle) -lm -o logistic &&
 * ./logistic */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <heddle/heddle.h>

enum { ROWS = 10000, COLUMNS = 3, STEPS = 1000 };
static const double RATE = 0.1;

/* A small generator of its own, so that both programs fit the same points: uniform over [0, 1). */
static double uniform(void)
{
    static uint64_t state = 42;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Points of two classes: y is 1 with the probability that the true coefficients give. */
static void make_points(double *x, double *y)
{
    static const double truth[COLUMNS] = {0.5, -1.0, 2.0};
    for (int i = 0; i < ROWS; i++) {
        double z = 0;
        for (int j = 0; j < COLUMNS; j++) {
            x[i * COLUMNS + j] = j == 0 ? 1.0 : 4 * uniform() - 2;
            z += truth[j] * x[i * COLUMNS + j];
        }
        y[i] = uniform() < 1 / (1 + exp(-z));
    }
}

/* 1 / (1 + exp(-x @ theta)), the probability of class 1 for every row. */
static hd_array *probability(const hd_array *x, const hd_array *theta)
{
    return hd_divide(hd_float(1),
                     hd_add(hd_float(1), hd_exp(hd_negative(hd_matmul(x, theta, NULL)))));
}

/* theta - rate * x.T @ (p - y) / rows */
static hd_array *step(const hd_array *x, const hd_array *y, const hd_array *theta)
{
    hd_array *slope = hd_matmul(hd_transpose(x, NULL), hd_subtract(probability(x, theta), y), NULL);
    return hd_subtract(theta, hd_divide(hd_multiply(hd_float(RATE), slope), hd_float(ROWS)));
}

/* Coefficients after all steps, into result. */
static hd_status fit(const double *points, const double *classes, double *result)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_from_data(2, (int64_t[]){ROWS, COLUMNS}, NULL, HD_FLOAT64, points);
    hd_array *y = hd_from_data(2, (int64_t[]){ROWS, 1}, NULL, HD_FLOAT64, classes);
    hd_array *theta = hd_zeros(2, (int64_t[]){COLUMNS, 1}, HD_FLOAT64);
    for (int i = 0; i < STEPS; i++) {
        int inner = hd_scope_begin();           /* the temporaries of a step, and the last theta */
        theta = hd_scope_end(inner, step(x, y, theta));
    }
    hd_status status = hd_read(theta, result);
    hd_scope_end(scope, NULL);
    return status;
}

int main(void)
{
    double *x = malloc(sizeof(double[ROWS][COLUMNS])), *y = malloc(sizeof(double[ROWS])),
           theta[COLUMNS];
    if (x == NULL || y == NULL)
        return 1;
    make_points(x, y);
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    hd_status status = fit(x, y, theta);
    timespec_get(&end, TIME_UTC);
    free(x);
    free(y);
    if (status != HD_OK) {
        fprintf(stderr, "%s: %s\n", hd_error_peek()->where, hd_error_peek()->message);
        return 1;
    }
    printf("theta %.6f %.6f %.6f\n", theta[0], theta[1], theta[2]);
    printf("%d steps in %.1f ms\n", STEPS,
           1e3 * (double)(end.tv_sec - begin.tv_sec) +
               1e-6 * (double)(end.tv_nsec - begin.tv_nsec));
    return 0;
}
