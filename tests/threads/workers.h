/* SPDX-License-Identifier: BSD-3-Clause */
/* workers.h - threads that do the same at once, each with random numbers of its own. */
#ifndef HEDDLE_TESTS_WORKERS_H
#define HEDDLE_TESTS_WORKERS_H

#include <pthread.h>

#include "support.h"

enum { MOST_THREADS = 4 };

typedef struct worker {
    pthread_t thread;
    int number;
    uint64_t state;      /* of its random numbers */
    void *shared;
    int wrong;
} worker;

static inline int64_t below(worker *w, int64_t n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(w->state >> 33) % n;
}

/* Runs body in n threads at once; the sum of what they found wrong. */
static inline int run_threads(int n, void *(*body)(void *), void *shared)
{
    worker w[MOST_THREADS];
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        w[k] = (worker){.number = k, .state = (uint64_t)k * 977 + 1, .shared = shared};
        if (!CHECK(pthread_create(&w[k].thread, NULL, body, &w[k]) == 0))
            return -1;
    }
    for (int k = 0; k < n; k++) {
        pthread_join(w[k].thread, NULL);
        wrong += w[k].wrong;
    }
    return wrong;
}

#endif
