/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vocab_real.h - comparisons and logic of the vocabulary, the same for integers and reals;
 * truth() is theirs. */
#ifndef HDI_LOOPS_VOCAB_REAL_H
#define HDI_LOOPS_VOCAB_REAL_H

#define LT(x, y) ((uint8_t)((x) < (y)))
#define LE(x, y) ((uint8_t)((x) <= (y)))
#define GT(x, y) ((uint8_t)((x) > (y)))
#define GE(x, y) ((uint8_t)((x) >= (y)))
#define EQ(x, y) ((uint8_t)((x) == (y)))
#define NE(x, y) ((uint8_t)((x) != (y)))
#define AND(x, y) ((uint8_t)(truth(x) & truth(y)))
#define OR(x, y) ((uint8_t)(truth(x) | truth(y)))
#define XOR(x, y) ((uint8_t)(truth(x) ^ truth(y)))
#define NOT(x) ((uint8_t)((x) == 0))

#endif
