/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_words.h - the text form of lowered IR: its grammar, and the words that are in no .def table.
 * Owns       tables of names
 * Invariant  lir_print.c writes and lir_read.c reads the same words
 * Threads    constant
 * Memory     none
 * Start at   the grammar
 *
 *     kernel NAME params 2 [max_threads N] [syncs] [lockstep] [shared N] [spread N]
 *     data BYTES                         then for what is not 0:  bytes OFFSET HEX
 *     var NAME TYPE SPACE [memory] [dynamic] [count N] [align N] [at N]
 *         [param N] [role WORD] [of N] [reads] [writes] [restricted] [leads N]
 *     body { STATEMENT ... }
 *
 *     [@LINE] declare $v               [@LINE] $v = EXPRESSION
 *     [@LINE] store [volatile] [align N] P X
 *     [@LINE] [$v =] atomic KIND P X [Y]
 *     [@LINE] $v = warp KIND [X [LANE WIDTH]]
 *     [@LINE] barrier | syncwarp | fence | return | break N | continue N | trap TEXT
 *     [@LINE] if C { } [else { }]      [@LINE] loop [counted] [unroll N] { } [step { }]
 *     [@LINE] print TEXT { [@LINE] item X ... }
 *     [@LINE] threads { }
 *
 *     [@LINE] $v   &$v   threads   thread.x   (OP X ...)
 *     (load [volatile] [align N] TYPE P)
 *     (convert TYPE X)   (bits TYPE X)   (offset BYTES P I)   (peer $v X)   (FUNCTION X ...)
 *     12:i32   0x3f800000:f32 or 1.0:f32   true   false   null
 *
 * NAME is a word or a TEXT; TEXT is between double quotes, with \" \\ \n and \xHH. A variable is
 * $name if no other has that name, else $.5, its number. Without @LINE a constant and the value of
 * a variable have the line 0, all others that of the node around them. # begins a comment. */
#ifndef HDI_LIR_WORDS_H
#define HDI_LIR_WORDS_H

#include "lir/lir.h"

extern const char *const hdi_lir_space_words[HDI_LIR_SPACES];
extern const char *const hdi_lir_role_words[HDI_LIR_ROLES];
extern const char *const hdi_lir_builtin_words[HDI_LIR_BUILTINS];
extern const char *const hdi_lir_atomic_words[HDI_LIR_ATOMICS];
extern const char *const hdi_lir_warp_words[HDI_LIR_WARPS];

/* How many operands they have. */
static inline int hdi_lir_atomic_args(int kind)
{
    return kind == HDI_LIR_A_CAS ? 3 : 2;
}

static inline int hdi_lir_warp_args(int kind)
{
    return kind <= HDI_LIR_W_SHUFFLE_XOR ? 3 : kind == HDI_LIR_W_ACTIVE ? 0 : 1;
}

/* The line of a node that says none, within one of line `around`. */
static inline int32_t hdi_lir_line_within(int op, int32_t around)
{
    return op == HDI_LIR_CONST || op == HDI_LIR_GET ? 0 : around;
}

static inline bool hdi_lir_starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool hdi_lir_goes_on(char c)
{
    return hdi_lir_starts_word(c) || (c >= '0' && c <= '9') || c == '.';
}

#endif
