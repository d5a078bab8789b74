/* SPDX-License-Identifier: BSD-3-Clause */
/* harness.c - runs the tests that registered themselves, all or by name. */
#include "harness.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SECONDS_PER_TEST = 300,   /* a deadlock shall end as a failure that names its test */
    MOST_REPORTS = 10         /* of failed checks in one test: loops repeat themselves */
};

static harness_test *first, **last = &first;
static harness_test *running;
static atomic_int failures;        /* of the running test */
static int skipped;

void harness_register(harness_test *test)
{
    *last = test;
    last = &test->next;
}

/* Counts a failure; whether it is still worth a line. */
static int worth_telling(void)
{
    int before = atomic_fetch_add(&failures, 1);
    if (before == MOST_REPORTS)
        fprintf(stderr, "... and more in this test\n");
    return before < MOST_REPORTS;
}

static void tell_where(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: %s.%s: not true: %s\n", file, line, running->group, running->name,
            text);
}

int harness_check(int held, const char *file, int line, const char *text)
{
    if (!held && worth_telling())
        tell_where(file, line, text);
    return held;
}

int harness_check_i64(int64_t a, int64_t b, const char *file, int line, const char *text)
{
    if (a == b)
        return 1;
    if (worth_telling()) {
        tell_where(file, line, text);
        fprintf(stderr, "    %" PRId64 " is not %" PRId64 "\n", a, b);
    }
    return 0;
}

int harness_check_f64(double a, double b, double tolerance, const char *file, int line,
                      const char *text)
{
    if (a == b || fabs(a - b) <= tolerance || (isnan(a) && isnan(b)))
        return 1;
    if (worth_telling()) {
        tell_where(file, line, text);
        fprintf(stderr, "    %.17g is not %.17g within %g\n", a, b, tolerance);
    }
    return 0;
}

int harness_check_str(const char *a, const char *b, const char *file, int line, const char *text)
{
    if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
        return 1;
    if (worth_telling()) {
        tell_where(file, line, text);
        fprintf(stderr, "    \"%s\" is not \"%s\"\n", a != NULL ? a : "(null)",
                b != NULL ? b : "(null)");
    }
    return 0;
}

void harness_skip(const char *reason)
{
    skipped = 1;
    printf("skipped %s.%s: %s\n", running->group, running->name, reason);
}

/* Only async-signal-safe calls: says which test it was, then dies of the same signal. */
static void on_fatal(int sig)
{
    static const char text[] = "\ndied or hung in test ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    if (running != NULL) {
        (void)!write(STDERR_FILENO, running->group, strlen(running->group));
        (void)!write(STDERR_FILENO, ".", 1);
        (void)!write(STDERR_FILENO, running->name, strlen(running->name));
    }
    (void)!write(STDERR_FILENO, "\n", 1);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void watch_signals(void)
{
    signal(SIGALRM, on_fatal);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    /* A sanitizer's own handlers say more. */
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], on_fatal);
#endif
}

static int wanted(const harness_test *test, int nnames, char **names)
{
    char full[256];
    snprintf(full, sizeof full, "%s.%s", test->group, test->name);
    for (int i = 0; i < nnames; i++)
        if (names[i][0] != '-' && strstr(full, names[i]) != NULL)
            return 1;
    for (int i = 0; i < nnames; i++)
        if (names[i][0] != '-')
            return 0;
    return 1;
}

static int has_flag(const char *flag, int nargs, char **args)
{
    for (int i = 0; i < nargs; i++)
        if (strcmp(args[i], flag) == 0)
            return 1;
    return 0;
}

/* 1 passed, 0 failed, -1 skipped */
static int run_one(harness_test *test, int verbose)
{
    running = test;
    skipped = 0;
    atomic_store(&failures, 0);
    if (verbose) {
        printf("%s.%s\n", test->group, test->name);
        fflush(stdout);
    }
    alarm(SECONDS_PER_TEST);
    test->run();
    alarm(0);
    if (atomic_load(&failures) != 0) {
        printf("FAILED %s.%s\n", test->group, test->name);
        return 0;
    }
    return skipped ? -1 : 1;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, left_out = 0;
    int list = has_flag("-l", argc - 1, argv + 1), verbose = has_flag("-v", argc - 1, argv + 1);
    watch_signals();
    for (harness_test *test = first; test != NULL; test = test->next) {
        if (!wanted(test, argc - 1, argv + 1))
            continue;
        if (list) {
            printf("%s.%s\n", test->group, test->name);
            continue;
        }
        int result = run_one(test, verbose);
        passed += result == 1;
        failed += result == 0;
        left_out += result == -1;
    }
    if (list)
        return 0;
    if (left_out != 0)
        printf("%d skipped\n", left_out);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed + left_out == 0;
}
