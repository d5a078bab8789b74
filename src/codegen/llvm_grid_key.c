/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_key.c - a value and its position as one number: argmin and argmax are the largest of
 * these, and of equal values the first one is, without a look at nan or positions at each step. */
#include "codegen/llvm_grid.h"

/* Unsigned, in the order of the values; the zeros are equal. */
static value in_order(hdi_emit *e, hd_dtype dt, value x)
{
    LLVMTypeRef word = b_ints_as(e, x, 32);
    char kind = hdi_chain_kind(dt);
    if (kind == 'f') {
        value bits = b_bits_of(e, b_add(e, x, b_real(x, 0)));   /* no -0 */
        return b_xor(e, bits, b_or(e, b_ashr(e, bits, 31), b_whole(bits, INT32_MIN)));
    }
    value bits = b_resize(e, x, word, kind == 'i');
    return kind == 'i' ? b_xor(e, bits, b_whole(bits, INT32_MIN)) : bits;
}

value hdi_grid_key(hdi_emit *e, bool largest, hd_dtype dt, value x, value position)
{
    value order = in_order(e, dt, x);
    LLVMTypeRef word = LLVMTypeOf(order), both = b_ints_as(e, x, 64);
    if (!largest)
        order = b_not(e, order);
    if (hdi_chain_kind(dt) == 'f')   /* nan before all */
        order = b_pick(e, b_ne(e, x, x), b_whole(order, -1), order);
    value before = b_not(e, b_resize(e, position, word, false));
    return b_or(e, b_shl(e, b_resize(e, order, both, false), 32),
                b_resize(e, before, both, false));
}

value hdi_grid_key_position(hdi_emit *e, value key)
{
    value before = b_resize(e, key, b_ints_as(e, key, 32), false);
    return b_resize(e, b_not(e, before), b_ints_as(e, key, 64), false);
}
