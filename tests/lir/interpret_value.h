/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret_value.h - operations of lowered IR on one value, which is its bits as a constant has
 * them.
 * Start at   lir_unary(), lir_binary() */
#ifndef HEDDLE_TESTS_INTERPRET_VALUE_H
#define HEDDLE_TESTS_INTERPRET_VALUE_H

#include "lir/lir.h"

int64_t lir_canonical(int type, int64_t bits);
double lir_real(int type, int64_t bits);
int64_t lir_convert(int from, int to, int64_t x);
int64_t lir_unary(int op, int type, int64_t x);
int64_t lir_binary(int op, int type, int64_t x, int64_t y);   /* type of the operands */
int64_t lir_math(int which, int type, const int64_t x[3]);
int64_t lir_atomic(int kind, int type, int64_t old, int64_t x, int64_t y);
int64_t lir_peek(int type, const void *at);
void lir_poke(int type, void *at, int64_t bits);

#endif
