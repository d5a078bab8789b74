/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_chain.h - what tier 1 compiles: a chain of elementwise operations and casts over blocks,
 * its values never in memory but at the ends; reductions may take them from there.
 * Owns       hdi_chain
 * Invariant  values are numbered inputs first, then operations; arguments come before their users.
 *            Bytes that say nothing are 0, so that equal chains are equal bytes: they are the key
 *            of the cache
 * Threads    plain data
 * Start at   hdi_chain, hdi_chain_can()
 * See        docs/design/codegen.md */
#ifndef HDI_CG_CHAIN_H
#define HDI_CG_CHAIN_H

#include <heddle/dtype.h>
#include <heddle/ops.h>
#include <stdbool.h>

enum { HDI_CHAIN_INPUTS = 32, HDI_CHAIN_OUTPUTS = 16, HDI_CHAIN_OPS = 128 };
/* In place of an operation: a cast, or flow, which means what its namesake in kernel_ir.h does. */
enum {
    HDI_CHAIN_CAST = UINT16_MAX,
    HDI_CHAIN_FLOW = UINT16_MAX - 16,    /* no row has this number or a larger one */
    HDI_CHAIN_IF = HDI_CHAIN_FLOW,
    HDI_CHAIN_ELSE,
    HDI_CHAIN_END_IF,
    HDI_CHAIN_LOOP,
    HDI_CHAIN_BREAK,
    HDI_CHAIN_END_LOOP,
    HDI_CHAIN_LOCAL,
    HDI_CHAIN_GET,
    HDI_CHAIN_SET
};
/* How deep flow may nest, and how many variables there may be at a time. */
enum { HDI_CHAIN_DEPTH = 16, HDI_CHAIN_LOCALS = 32 };
enum { HDI_CHAIN_REDS = 8 };
/* A reduction's order, as loops.h has it in src/backend/cpu/loops. */
enum { HDI_CHAIN_CHUNK = 256, HDI_CHAIN_LANES = 32 };

/* The instruction sets that tier 0 has loops for; the generated code uses the same vectors. */
typedef enum hdi_chain_isa { HDI_CHAIN_V2, HDI_CHAIN_V3, HDI_CHAIN_V4 } hdi_chain_isa;

typedef struct hdi_chain_op {
    uint16_t op;             /* row of ew.def, HDI_CHAIN_CAST, or flow */
    uint8_t dt;              /* of the value */
    uint8_t cdt;             /* of the loop; CAST: of the argument */
    uint16_t arg[3];         /* values */
    uint16_t narg;
} hdi_chain_op;

/* How a chain goes over its elements. EACH: n of them. ROWS: rows of n, chunk by chunk, each chunk
 * of a row to one accumulator. COLUMNS: n accumulators, each with an element of every row. (Chains
 * without reductions may go over rows and columns too.) */
typedef enum hdi_chain_mode { HDI_CHAIN_EACH, HDI_CHAIN_ROWS, HDI_CHAIN_COLUMNS } hdi_chain_mode;

typedef struct hdi_chain_red {
    uint16_t op;             /* row of red.def */
    uint8_t dt, cdt;         /* of the accumulator, of the loop */
    uint16_t arg[2];         /* values; the same one twice where the row has one input */
} hdi_chain_red;

typedef struct hdi_chain {
    uint8_t isa;             /* hdi_chain_isa */
    uint8_t mode;            /* hdi_chain_mode */
    uint16_t nin, nops, nout, nred;
    uint8_t in_dt[HDI_CHAIN_INPUTS];
    bool in_single[HDI_CHAIN_INPUTS];    /* one element for all instead of a block */
    bool in_row[HDI_CHAIN_INPUTS];       /* ROWS: one for each row; COLUMNS: for each column */
    bool in_strided[HDI_CHAIN_INPUTS];   /* elements lie a number of bytes apart, also backwards */
    uint16_t out[HDI_CHAIN_OUTPUTS];     /* values */
    uint64_t own[HDI_CHAIN_OPS / 64];    /* bit k: the function of operation k is our own text */
    hdi_chain_red red[HDI_CHAIN_REDS];
    hdi_chain_op op[HDI_CHAIN_OPS];      /* only the first nops are part of the key */
} hdi_chain;

/* What a chain becomes: address k of `operands` is that of input k, address nin + k that of output
 * k; behind all addresses stand the strides of the strided inputs, in bytes, as pointers
 * (intptr_t). n elements; outputs may be the same memory as an input of equal or larger element
 * size, but for strided ones. */
typedef void (*hdi_chain_code)(void *const *operands, int64_t n);
/* With reductions: behind the outputs' addresses are those of the accumulators, then those of an
 * element of each that changes nothing (ROWS: each chunk begins with it; COLUMNS: whoever calls has
 * begun with it). Rows are `pitch` elements apart. ROWS: accumulators of a row's chunks lie side by
 * side, then those of the next row's. */
typedef void (*hdi_chain_reduce)(void *const *operands, int64_t n, int64_t rows, int64_t pitch);
enum {
    HDI_CHAIN_ENDS = 2 * HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS,
    HDI_CHAIN_OPERANDS = HDI_CHAIN_ENDS + 2 * HDI_CHAIN_REDS
};
#define HDI_CHAIN_ENTRY "heddle_chain"

static inline bool hdi_chain_is_flow(const hdi_chain_op *o)
{
    return o->op >= HDI_CHAIN_FLOW && o->op != HDI_CHAIN_CAST;
}

/* hdi_chain_key_bytes - how much of a chain is its key. */
static inline size_t hdi_chain_key_bytes(const hdi_chain *c)
{
    return sizeof *c - sizeof c->op + sizeof *c->op * c->nops;
}

/* hdi_chain_kind - b, i, u, f or c. hdi_chain_size - bytes of an element. (The generator's library
 * has no other part of libheddle.) */
static inline char hdi_chain_kind(int dt)
{
    static const char kinds[] = {
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) [HD_##NAME] = #kind[0],
#include "core/dtype.def"
    };
    return kinds[dt];
}
static inline int hdi_chain_size(int dt)
{
    static const uint8_t sizes[] = {
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) [HD_##NAME] = (bits) / 8,
#include "core/dtype.def"
    };
    return sizes[dt];
}

/* hdi_chain_part - of a complex number the dtype of its parts; else dt. */
static inline hd_dtype hdi_chain_part(int dt)
{
    return dt == HD_COMPLEX128  ? HD_FLOAT64
           : dt == HD_COMPLEX64 ? HD_FLOAT32
                                : (hd_dtype)dt;
}
/* hdi_chain_half - is it float16 or bfloat16, which have casts and nothing else? */
static inline bool hdi_chain_half(int dt) { return dt == HD_FLOAT16 || dt == HD_BFLOAT16; }

/* hdi_chain_fingerprint - of the rows of ew.def and red.def: what numbers in a chain stand for. */
uint64_t hdi_chain_fingerprint(void);

/* hdi_chain_can - does row op in loop dtype cdt become a part of chains on this machine? If not,
 * the interpreter's loop does it between two chains: for want of a word, or because it is no
 * slower. `has`: is a vector function f of the C library to be used; NULL: none is.
 * hdi_chain_can_cast - the same for casts.
 * hdi_words_can - is there a word that calls nothing, whatever it costs? What a target without a C
 * library asks. hdi_chain_plain - is it a few instructions, without a call or a loop? */
typedef bool (*hdi_chain_has)(const char *f, bool is_double);
bool hdi_chain_can(hd_op op, hd_dtype cdt, hdi_chain_has has);
/* hdi_chain_own - is it a function that `has` knows no code for, but functions.def or
 * functions_complex.def a text? */
bool hdi_chain_own(hd_op op, hd_dtype cdt, hdi_chain_has has);
/* hdi_chain_choose - notes in the chain which of its functions are our own. */
void hdi_chain_choose(hdi_chain *c, hdi_chain_has has);
bool hdi_chain_can_cast(hd_dtype from, hd_dtype to);
/* hdi_chain_can_reduce - may chains end in row op of red.def? Not where it gives a position, or is
 * of complex numbers that ONE or an infinity would change. */
bool hdi_chain_can_reduce(hd_op op, hd_dtype cdt, hdi_chain_isa isa);
bool hdi_words_can(hd_op op, hd_dtype cdt);
/* hdi_words_atomic - can a GPU combine a value with one in memory by row op at one go? */
bool hdi_words_atomic(hd_op op, hd_dtype dt);
bool hdi_chain_plain(hd_op op, hd_dtype cdt);

#endif
