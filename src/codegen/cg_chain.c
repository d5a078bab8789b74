/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_chain.c - which rows of ew.def the code generator has words for. Each word means here whether
 * it can be generated in terms of its arguments: ALONE is a function that tier 0 calls for whole
 * vectors only where it is a row's whole value, so that inside an expression it cannot; OWN is the
 * same of a function with a text in ops/elementwise/math. */
#include "codegen/cg_chain.h"

#include <string.h>

#include "base/hash.h"

uint64_t hdi_chain_fingerprint(void)
{
    static const char rows[] =
#define EW1(name, types, rule, value, vx, samples, doc) #name " " #rule " " #value "\n"
#define EW2(name, types, rule, value, vx, vy, samples, doc) #name " " #rule " " #value "\n"
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) #name " " #rule " " #value "\n"
#include "ops/elementwise/ew.def"
        ;
    return hdi_hash_bytes(0, rows, sizeof rows);
}

enum { NO = 0, YES = 1, ALONE = 2, OWN = 3 };

static int both(int a, int b)
{
    return a == YES && b == YES ? YES : NO;
}

/* What differs between kinds of element. */
typedef struct traits { bool is_bool, is_int, is_float, is_double; hdi_chain_has has; } traits;

static bool has_text(const char *f)
{
    static const char *const names[] = {
#define MATH1(f, ...) #f,
#define MATH2(f, ...) #f,
#include "ops/elementwise/math/functions.def"
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(f, names[k]) == 0)
            return true;
    return false;
}

static int can_call(const traits *c, const char *f)
{
    static const char *const roundings[] = {"floor", "ceil", "trunc", "rint", "sqrt", "copysign"};
    for (size_t k = 0; k < sizeof roundings / sizeof *roundings; k++)
        if (strcmp(f, roundings[k]) == 0)
            return ALONE;
    if (c->is_float && c->has != NULL && c->has(f, c->is_double))
        return ALONE;
    return c->is_float && has_text(f) ? OWN : NO;
}

#define x YES
#define y YES
#define z YES
#define ZERO YES
#define ONE YES
#define NEG(a) both(a, a)
#define ABS(a) both(a, a)
#define SIGN(a) both(a, a)
#define CONJ(a) both(a, a)
#define DEGREE YES
#define RADIAN YES
#define SIGNBIT(a) both(a, a)
#define ISNAN(a) both(a, a)
#define ISINF(a) both(a, a)
#define ISFINITE(a) both(a, a)
#define NOT(a) both(a, a)
#define BNOT(a) both(a, a)
#define ADD(a, b) both(a, b)
#define SUB(a, b) both(a, b)
#define MUL(a, b) both(a, b)
#define MAX(a, b) both(a, b)
#define MIN(a, b) both(a, b)
#define FMAX(a, b) both(a, b)
#define FMIN(a, b) both(a, b)
#define LT(a, b) both(a, b)
#define LE(a, b) both(a, b)
#define GT(a, b) both(a, b)
#define GE(a, b) both(a, b)
#define EQ(a, b) both(a, b)
#define NE(a, b) both(a, b)
#define AND(a, b) both(a, b)
#define OR(a, b) both(a, b)
#define XOR(a, b) both(a, b)
#define BAND(a, b) both(a, b)
#define BOR(a, b) both(a, b)
#define BXOR(a, b) both(a, b)
#define SHL(a, b) both(a, b)
#define SHR(a, b) both(a, b)
#define SELECT(c, a, b) both(c, both(a, b))
/* Integers: no vector instructions, or loops of their own. */
#define RECIP(a) (can->is_float ? (a) : NO)
#define DIV(a, b) (can->is_float ? both(a, b) : NO)
#define POW(a, b) can_call(can, "pow")
#define FLOORDIV(a, b) NO
#define MOD(a, b) NO
#define CALL1(f, a) can_call(can, #f)
#define CALL2(f, a, b) can_call(can, #f)
#define FMOD(a, b) NO
#define LDEXP(a, b) NO
#define MANTISSA(a) NO
#define EXPONENT(a) NO
#define FRACTION(a) NO
#define SPACING(a) NO
#define POPCOUNT(a) NO
#define GCD(a, b) NO
#define LCM(a, b) NO
#define LOGADDEXP(a, b) NO
#define LOGADDEXP2(a, b) NO
#define BOUNDED(a, b, c) NO
#define GAMMA(a, b, c) NO
#define BETA(a, b, c) NO
#define POISSON(a, b) NO
#define BINOMIAL(a, b, c) NO
#define UNIFORM(a, b) NO
#define NORMAL(a, b) NO
#define RAW64(a, b) NO

static bool is_int(hd_dtype dt)
{
    return hdi_chain_kind(dt) == 'i' || hdi_chain_kind(dt) == 'u';
}

static int can_row(hd_op op, const traits *can)
{
    switch (op) {
#define EW1(name, types, rule, value, vx, samples, doc) \
    case HD_OP_##name:                                  \
        return value;
#define EW2(name, types, rule, value, vx, vy, samples, doc) \
    case HD_OP_##name:                                      \
        return value;
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) \
    case HD_OP_##name:                                          \
        return value;
#include "ops/elementwise/ew.def"
    default:
        return NO;
    }
}

static int can_of(hd_op op, hd_dtype cdt, hdi_chain_has has)
{
    const traits can = {.is_bool = cdt == HD_BOOL,
                     .is_int = is_int(cdt),
                     .is_float = cdt == HD_FLOAT32 || cdt == HD_FLOAT64,
                     .is_double = cdt == HD_FLOAT64,
                     .has = has};
    return (can.is_bool || can.is_int || can.is_float) && op != HD_OP_copy ? can_row(op, &can)
                                                                           : NO;
}

bool hdi_chain_can(hd_op op, hd_dtype cdt, hdi_chain_has has)
{
    return can_of(op, cdt, has) != NO;
}

bool hdi_chain_own(hd_op op, hd_dtype cdt, hdi_chain_has has)
{
    return can_of(op, cdt, has) == OWN;
}

void hdi_chain_choose(hdi_chain *c, hdi_chain_has has)
{
    memset(c->own, 0, sizeof c->own);
    for (int k = 0; k < c->nops; k++)
        if (c->op[k].op != HDI_CHAIN_CAST &&
            hdi_chain_own((hd_op)c->op[k].op, (hd_dtype)c->op[k].cdt, has))
            c->own[k / 64] |= (uint64_t)1 << k % 64;
}

/* Reals become integers by a rule of their own for what no integer is near to (loops_whole.h). */
bool hdi_chain_can_cast(hd_dtype from, hd_dtype to)
{
    bool from_real = from == HD_FLOAT32 || from == HD_FLOAT64, from_int = is_int(from);
    if (from == HD_BOOL || from_int)
        return to == HD_BOOL || is_int(to) || to == HD_FLOAT32 || to == HD_FLOAT64;
    return from_real && (to == HD_BOOL || to == HD_FLOAT32 || to == HD_FLOAT64);
}
