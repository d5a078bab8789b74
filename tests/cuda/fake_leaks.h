/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_leaks.h - for tests in which the background thread compiles, included once in each.
 *
 * LeakSanitizer guesses how large a thread's variables of a library are that was opened late, and
 * falls over a wrong guess: LLVM's, of the background thread. */
#ifndef HEDDLE_TESTS_FAKE_LEAKS_H
#define HEDDLE_TESTS_FAKE_LEAKS_H

__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "use_tls=0";
}

#endif
