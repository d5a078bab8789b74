/* SPDX-License-Identifier: BSD-3-Clause */
/* logistic_plain.c - logistic regression by gradient descent in plain C; logistic.c is the same
 * with Heddle. cc -O2 logistic_plain.c -lm -o logistic_plain && ./logistic_plain */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* One step of gradient descent: theta -= rate * x.T @ (p - y) / rows. */
static void step(const double *x, const double *y, double *theta)
{
    double slope[COLUMNS] = {0};
    for (int i = 0; i < ROWS; i++) {
        const double *row = x + i * COLUMNS;
        double z = 0;
        for (int j = 0; j < COLUMNS; j++)
            z += row[j] * theta[j];
        double miss = 1 / (1 + exp(-z)) - y[i];
        for (int j = 0; j < COLUMNS; j++)
            slope[j] += row[j] * miss;
    }
    for (int j = 0; j < COLUMNS; j++)
        theta[j] -= RATE * slope[j] / ROWS;
}

int main(void)
{
    double *x = malloc(sizeof(double[ROWS][COLUMNS])), *y = malloc(sizeof(double[ROWS])),
           theta[COLUMNS] = {0};
    if (x == NULL || y == NULL)
        return 1;
    make_points(x, y);
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    for (int i = 0; i < STEPS; i++)
        step(x, y, theta);
    timespec_get(&end, TIME_UTC);
    free(x);
    free(y);
    printf("theta %.6f %.6f %.6f\n", theta[0], theta[1], theta[2]);
    printf("%d steps in %.1f ms\n", STEPS,
           1e3 * (double)(end.tv_sec - begin.tv_sec) +
               1e-6 * (double)(end.tv_nsec - begin.tv_nsec));
    return 0;
}
