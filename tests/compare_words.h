/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_words.h - what comparing and choosing mean in the tables, plainly, for every vocabulary of
 * the tests. May be included again once the words are taken back. */
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define AND(x, y) ((x) != 0 && (y) != 0)
#define OR(x, y) ((x) != 0 || (y) != 0)
#define XOR(x, y) (((x) != 0) != ((y) != 0))
#define NOT(x) ((x) == 0)
#define SELECT(c, a, b) ((c) != 0 ? (a) : (b))
