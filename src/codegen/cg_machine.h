/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_machine.h - what the loader has to know of a processor: its relocations and its jumps.
 * Invariant  fields of the object are only touched after the loader has checked their bounds
 * Threads    immutable
 * Start at   hdi_cg_machine; cg_x86_64.c is the one there is. Another is one more of these, and a
 *            row in hdi_cg_machine_here() */
#ifndef HDI_CG_MACHINE_H
#define HDI_CG_MACHINE_H

#include "base/base.h"

/* What a relocation asks for. */
typedef struct hdi_cg_field {
    int bytes;   /* its size; 0: nothing to do */
    bool got;    /* wants the address of a word that holds the symbol's address */
    bool call;   /* may be led to a stub when the symbol lies outside */
} hdi_cg_field;

/* A relocation with everything in place. Addresses are those the code runs at. */
typedef struct hdi_cg_fix {
    uint32_t type;
    uint8_t *write;    /* the field */
    uint64_t place;    /* the field */
    uint64_t symbol;   /* its stub where one was asked for */
    uint64_t got;      /* its word where one was asked for */
    int64_t addend;
} hdi_cg_fix;

typedef struct hdi_cg_machine {
    uint16_t elf;      /* EM_... */
    int stub_bytes;    /* multiple of 16 */
    /* field - false: a type that we do not know. `before` is the byte in front of the field, or
     * -1 when the section has no code. */
    bool (*field)(uint32_t type, int before, hdi_cg_field *out);
    /* fix - false: the value does not fit. */
    bool (*fix)(const hdi_cg_fix *r);
    /* stub - a jump to an address anywhere, that leaves arguments as they are. */
    void (*stub)(uint8_t *write, uint64_t target);
} hdi_cg_machine;

extern const hdi_cg_machine hdi_cg_x86_64;

/* The processor this was compiled for; NULL: no loader for it. */
static inline const hdi_cg_machine *hdi_cg_machine_here(void)
{
#if defined(__x86_64__)
    return &hdi_cg_x86_64;
#else
    return NULL;
#endif
}

#endif
