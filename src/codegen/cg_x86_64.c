/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_x86_64.c - relocations of x86-64 (AMD64 supplement of the System V ABI, table 4.9). */
#include <elf.h>

#include "codegen/cg_machine.h"

/* A displacement behind an operand byte "relative to the instruction pointer" (mod 00, rm 101) is
 * data: led to a stub, it would read machine code. Behind call, jmp and jcc the byte is E8, E9 or
 * 8x, none of which has that form. */
static bool is_data_operand(int before)
{
    return before < 0 || (before & 0xC7) == 0x05;
}

static bool field(uint32_t type, int before, hdi_cg_field *out)
{
    *out = (hdi_cg_field){0};
    switch (type) {
    case R_X86_64_NONE:
        return true;
    case R_X86_64_64:
    case R_X86_64_PC64:
        out->bytes = 8;
        return true;
    case R_X86_64_32:
    case R_X86_64_32S:
        out->bytes = 4;
        return true;
    case R_X86_64_PLT32:
        out->bytes = 4;
        out->call = true;
        return true;
    case R_X86_64_PC32:
        out->bytes = 4;
        out->call = !is_data_operand(before);
        return true;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        out->bytes = 4;
        out->got = true;
        return true;
    default:
        return false;
    }
}

static bool put32(uint8_t *write, uint64_t value)
{
    uint32_t low = (uint32_t)value;
    memcpy(write, &low, sizeof low);
    return true;
}

static bool put_signed(uint8_t *write, uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value == value && put32(write, value);
}

static bool put64(uint8_t *write, uint64_t value)
{
    memcpy(write, &value, sizeof value);
    return true;
}

static bool fix(const hdi_cg_fix *r)
{
    uint64_t value = r->symbol + (uint64_t)r->addend;   /* wraps around, as addresses do */
    switch (r->type) {
    case R_X86_64_NONE:
        return true;
    case R_X86_64_64:
        return put64(r->write, value);
    case R_X86_64_PC64:
        return put64(r->write, value - r->place);
    case R_X86_64_32:
        return value <= UINT32_MAX && put32(r->write, value);
    case R_X86_64_32S:
        return put_signed(r->write, value);
    case R_X86_64_PLT32:
    case R_X86_64_PC32:
        return put_signed(r->write, value - r->place);
    default:   /* the three with a word */
        return put_signed(r->write, r->got + (uint64_t)r->addend - r->place);
    }
}

/* movabs $target, %r11; jmp *%r11; int3 ... The ABI leaves r11 to such code. */
static void stub(uint8_t *write, uint64_t target)
{
    static const uint8_t code[16] = {0x49, 0xBB, 0,    0,    0,    0,    0,    0,
                                     0,    0,    0x41, 0xFF, 0xE3, 0xCC, 0xCC, 0xCC};
    memcpy(write, code, sizeof code);
    memcpy(write + 2, &target, sizeof target);
}

const hdi_cg_machine hdi_cg_x86_64 = {
    .elf = EM_X86_64, .stub_bytes = 16, .field = field, .fix = fix, .stub = stub
};
