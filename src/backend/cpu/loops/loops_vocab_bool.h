/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vocab_bool.h - the vocabulary of ew.def and red.def for bool: a byte that is 0 or 1.
 * Invariant  results are 0 or 1 whatever byte comes in (a view of other bytes as bool may hold
 *            any) */
typedef uint8_t T;
typedef T REAL_OF_T;
typedef T operand __attribute__((may_alias, aligned(1)));

#define ZERO ((T)0)
#define ONE ((T)1)

static inline uint8_t truth(T x) { return x != 0; }
static inline T v_or(T x, T y) { return (x | y) != 0; }
static inline T v_and(T x, T y) { return (uint8_t)(truth(x) & truth(y)); }
static inline T v_xor(T x, T y) { return truth(x) != truth(y); }
static inline T v_not(T x) { return x == 0; }
static inline T v_select(uint8_t c, T a, T b) { return truth(c ? a : b); }

#define PART_RE(x) ((int)truth(x))
#define PART_IM(x) 0
#define ABS(x) truth(x)
#define CALL1(f, x) HDI_CAT(bool_, f)(x)
#define bool_floor(x) truth(x)
#define bool_ceil(x) truth(x)
#define bool_trunc(x) truth(x)

#define ADD(x, y) v_or(x, y)
#define MUL(x, y) v_and(x, y)
#define FMA(x, y, a) v_or(a, v_and(x, y))
#define MAX(x, y) v_or(x, y)
#define MIN(x, y) v_and(x, y)
#define FMAX(x, y) v_or(x, y)
#define FMIN(x, y) v_and(x, y)

#define LT(x, y) v_and(v_not(x), y)
#define LE(x, y) v_or(v_not(x), y)
#define GT(x, y) v_and(x, v_not(y))
#define GE(x, y) v_or(x, v_not(y))
#define EQ(x, y) v_not(v_xor(x, y))
#define NE(x, y) v_xor(x, y)
#define AND(x, y) v_and(x, y)
#define OR(x, y) v_or(x, y)
#define XOR(x, y) v_xor(x, y)
#define NOT(x) v_not(x)
#define BAND(x, y) v_and(x, y)
#define BOR(x, y) v_or(x, y)
#define BXOR(x, y) v_xor(x, y)
#define BNOT(x) v_not(x)
#define SELECT(c, a, b) v_select(c, a, b)
#define SIGNBIT(x) ((void)(x), (uint8_t)0)
#define ISNAN(x) ((void)(x), (uint8_t)0)
#define ISINF(x) ((void)(x), (uint8_t)0)
#define ISFINITE(x) ((void)(x), (uint8_t)1)
