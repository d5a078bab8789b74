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
#define EW1(name, types, rule, value, ...) #name " " #rule " " #value "\n"
#define EW2(name, types, rule, value, ...) #name " " #rule " " #value "\n"
#define EW3(name, types, rule, value, ...) #name " " #rule " " #value "\n"
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, combine, ...) #name " " #combine "\n"
#include "ops/reduce/red.def"
        ;
    return hdi_hash_bytes(0, rows, sizeof rows);
}

/* LONG is a row of many instructions, or with a loop of its own; OWN one whose function is our own
 * text. */
enum { NO = 0, YES = 1, ALONE = 2, LONG = 3, OWN = 4 };

static int both(int a, int b)
{
    return a == YES && b == YES ? YES : NO;
}

/* What differs between kinds of element. */
typedef struct traits {
    bool is_bool, is_int, is_float, is_complex;
    int size;                /* bytes of an element, or part of a complex one */
    bool on_cpu;             /* where what is slower than tier 0's loop has no place */
    hdi_chain_has has;
} traits;

static bool has(const traits *c, const char *f)
{
    return c->has != NULL && c->has(f, c->size == 8);
}

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

static bool has_complex_text(const char *f)
{
    static const char *const names[] = {
#define COMPLEX1(f) #f,
#define COMPLEX2(f) #f,
#include "ops/elementwise/math/functions_complex.def"
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(f, names[k]) == 0)
            return true;
    return false;
}

/* Functions that are instructions, or a few; the C library's vectors; our own texts. */
static int can_call(const traits *c, const char *f)
{
    static const char *const own[] = {"rint", "floor", "ceil", "trunc",
                                      "sqrt", "copysign", "nextafter"};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (strcmp(f, own[k]) == 0 && (!c->is_complex || k == 0))
            return ALONE;
    if (c->is_float && has(c, f))
        return ALONE;
    return (c->is_float && has_text(f)) || (c->is_complex && has_complex_text(f)) ? OWN : NO;
}

static int when(bool c, int what)
{
    return c ? what : NO;
}

/* The modulus of complex numbers is hypot. */
static int can_abs(const traits *c, int a)
{
    return !c->is_complex ? both(a, a) : has(c, "hypot") ? ALONE : OWN;
}

/* Of common divisors those of small integers: wide ones take as many turns as the lane that takes
 * most of them, by divisions that are no faster in vectors. Twice as slow as tier 0's loop. */
static int can_divide_long(const traits *c)
{
    return when(c->is_int && !(c->on_cpu && c->size >= 4), LONG);
}

static int can_power(const traits *c)
{
    return c->is_int ? LONG : can_call(c, "pow");
}

static int can_normal(const traits *c)
{
    /* sine and cosine of float64 are texts, as fast as libmvec's; those of float32 are not */
    bool functions = has(c, "log") && (c->size == 8 || (has(c, "cos") && has(c, "sin")));
    return when(c->is_float && (functions || !c->on_cpu), LONG);
}

#define x YES
#define y YES
#define z YES
#define ZERO YES
#define ONE YES
#define NEG(a) both(a, a)
#define ABS(a) can_abs(can, a)
#define SIGN(a) can_abs(can, a)
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
#define RECIP(a) both(a, a)
#define DIV(a, b) when(!can->is_int, both(a, b))
#define CALL1(f, a) can_call(can, #f)
#define CALL2(f, a, b) can_call(can, #f)
#define POW(a, b) can_power(can)
#define FLOORDIV(a, b) when(can->is_int || can->is_float, LONG)
#define MOD(a, b) when(can->is_int || can->is_float, LONG)
#define FMOD(a, b) when(can->is_int || can->is_float, LONG)
#define GCD(a, b) can_divide_long(can)
#define LCM(a, b) can_divide_long(can)
#define LDEXP(a, b) when(can->is_float, YES)
#define MANTISSA(a) when(can->is_float, YES)
#define EXPONENT(a) when(can->is_float, YES)
#define FRACTION(a) when(can->is_float, YES)
#define SPACING(a) when(can->is_float, YES)
#define POPCOUNT(a) when(can->is_int, YES)
#define UNIFORM(a, b) when(can->is_float, LONG)
#define NORMAL(a, b) can_normal(can)
#define RAW64(a, b) when(can->is_int, LONG)
#define BOUNDED(a, b, c) when(can->is_int, LONG)
#define GAMMA(a, b, c) when(can->is_float, LONG)
#define BETA(a, b, c) when(can->is_float, LONG)
#define POISSON(a, b) when(can->is_float, LONG)
#define BINOMIAL(a, b, c) when(can->is_float, LONG)

static bool is_int(hd_dtype dt)
{
    return hdi_chain_kind(dt) == 'i' || hdi_chain_kind(dt) == 'u';
}

static int can_row(hd_op op, const traits *can)
{
    switch (op) {
#include "codegen/cg_row_cases.def"
    default:
        return NO;
    }
}

static int can_op(hd_op op, hd_dtype cdt, bool on_cpu, hdi_chain_has functions)
{
    const traits can = {.is_bool = cdt == HD_BOOL,
                        .is_int = is_int(cdt),
                        .is_float = cdt == HD_FLOAT32 || cdt == HD_FLOAT64,
                        .is_complex = hdi_chain_kind(cdt) == 'c',
                        .size = hdi_chain_size(hdi_chain_part(cdt)),
                        .on_cpu = on_cpu,
                        .has = functions};
    if (hdi_chain_half(cdt))   /* the rest of halves is computed in float32 */
        return when(!on_cpu && (op == HD_OP_spacing || op == HD_OP_nextafter), LONG);
    bool known = can.is_bool || can.is_int || can.is_float || can.is_complex;
    return known && op != HD_OP_copy ? can_row(op, &can) : NO;
}

bool hdi_chain_can(hd_op op, hd_dtype cdt, hdi_chain_has functions)
{
    return can_op(op, cdt, true, functions) != NO;
}

bool hdi_chain_own(hd_op op, hd_dtype cdt, hdi_chain_has functions)
{
    return can_op(op, cdt, true, functions) == OWN;
}

void hdi_chain_choose(hdi_chain *c, hdi_chain_has functions)
{
    memset(c->own, 0, sizeof c->own);
    for (int k = 0; k < c->nops; k++)
        if (c->op[k].op < HDI_CHAIN_FLOW &&
            hdi_chain_own((hd_op)c->op[k].op, (hd_dtype)c->op[k].cdt, functions))
            c->own[k / 64] |= (uint64_t)1 << k % 64;
}

bool hdi_words_can(hd_op op, hd_dtype cdt)
{
    return can_op(op, cdt, false, NULL) != NO;
}

bool hdi_words_atomic(hd_op op, hd_dtype dt)
{
    bool sums = op == HD_OP_add || op == HD_OP_subtract;
    char kind = hdi_chain_kind(dt);
    if (hdi_chain_half(dt) || hdi_chain_size(hdi_chain_part(dt)) < 4)
        return false;
    if (kind == 'f' || kind == 'c')
        return sums;
    return sums || op == HD_OP_maximum || op == HD_OP_minimum || op == HD_OP_bitwise_and ||
           op == HD_OP_bitwise_or || op == HD_OP_bitwise_xor;
}

bool hdi_chain_plain(hd_op op, hd_dtype cdt)
{
    int can = can_op(op, cdt, false, NULL);
    return can == YES || can == ALONE;
}

static bool is_castable(hd_dtype dt)
{
    return dt == HD_BOOL || is_int(dt) || dt == HD_FLOAT32 || dt == HD_FLOAT64 ||
           hdi_chain_kind(dt) == 'c';
}

/* Of half types the steps of hdi_cast_via(). */
bool hdi_chain_can_cast(hd_dtype from, hd_dtype to)
{
    if (hdi_chain_half(from))
        return to == HD_FLOAT32;
    if (hdi_chain_half(to))
        return from == HD_FLOAT32 || (from == HD_FLOAT64 && to == HD_FLOAT16);
    return is_castable(from) && is_castable(to);
}

/* Multiplying and adding with one rounding is an instruction from v3 on; without it, it is a call
 * for each element. */
bool hdi_chain_can_reduce(hd_op op, hd_dtype cdt, hdi_chain_isa isa)
{
    bool whole = cdt == HD_BOOL || is_int(cdt), is_complex = hdi_chain_kind(cdt) == 'c';
    switch (op) {
    case HD_OP_sum:
    case HD_OP_any:
    case HD_OP_all:
        return is_castable(cdt);
    case HD_OP_sumproduct:
        return whole || (is_castable(cdt) && isa != HDI_CHAIN_V2);
    case HD_OP_argmin:
    case HD_OP_argmax:
        return false;
    default:
        return is_castable(cdt) && !is_complex;
    }
}
