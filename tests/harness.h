/* SPDX-License-Identifier: BSD-3-Clause */
/* harness.h - C unit tests that register themselves; harness.c has the main() that runs them.
 *
 *     TEST(layout, transpose_keeps_extent)
 *     {
 *         hdi_layout *a = make();
 *         REQUIRE(a != NULL);              leaves the test when false
 *         CHECK(a->nd == 2);               notes the failure and goes on
 *         CHECK_EQ_I64(a->size, 6);
 *     }
 *
 * Running    test_layout [-v] [-l] [name ...]; a name is "group", "group.name" or a part of it
 * Threads    a thread that the test starts and joins may check; REQUIRE and SKIP leave its function
 * Result     "N passed, M failed" on the last line; exit status 1 if a test failed or none ran */
#ifndef HEDDLE_TESTS_HARNESS_H
#define HEDDLE_TESTS_HARNESS_H

#include <stddef.h>
#include <stdint.h>

typedef struct harness_test {
    const char *group, *name, *file;
    void (*run)(void);
    struct harness_test *next;
} harness_test;

void harness_register(harness_test *test);

/* Each returns whether the check held, and reports it when it did not. */
int harness_check(int held, const char *file, int line, const char *text);
int harness_check_i64(int64_t a, int64_t b, const char *file, int line, const char *text);
int harness_check_f64(double a, double b, double tolerance, const char *file, int line,
                      const char *text);
int harness_check_str(const char *a, const char *b, const char *file, int line, const char *text);
void harness_skip(const char *reason);

#define TEST(group, name)                                                                          \
    static void test_##group##_##name(void);                                                       \
    static harness_test harness_##group##_##name = {#group, #name, __FILE__,                       \
                                                    test_##group##_##name, NULL};                  \
    __attribute__((constructor)) static void harness_add_##group##_##name(void)                    \
    {                                                                                              \
        harness_register(&harness_##group##_##name);                                               \
    }                                                                                              \
    static void test_##group##_##name(void)

#define CHECK(cond) harness_check(!!(cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ_I64(a, b) \
    harness_check_i64((int64_t)(a), (int64_t)(b), __FILE__, __LINE__, #a " == " #b)
/* Equal within an absolute tolerance; NaN equals NaN, and tolerance 0 asks for the same value. */
#define CHECK_NEAR(a, b, tolerance) \
    harness_check_f64((a), (b), (tolerance), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) harness_check_str((a), (b), __FILE__, __LINE__, #a " == " #b)

#define REQUIRE(cond)                                                                              \
    do {                                                                                           \
        if (!CHECK(cond))                                                                          \
            return;                                                                                \
    } while (0)

/* Whether a process may fork() while its other threads allocate. AddressSanitizer's allocator
 * (gcc 12) cannot: the child waits for ever for a lock that another thread held at the fork. */
#if defined(__SANITIZE_ADDRESS__)
#define FORKS_BESIDE_THREADS 0
#else
#define FORKS_BESIDE_THREADS 1
#endif

/* For what this machine cannot do; counted apart, never as passed. */
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        harness_skip(reason);                                                                      \
        return;                                                                                    \
    } while (0)

#endif
