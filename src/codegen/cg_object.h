/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_object.h - a relocatable ELF object of 64 bits, read with every number checked.
 * Owns       hdi_cg_object: copies of the section headers; the object itself is borrowed
 * Invariant  after hdi_cg_object_read() sections lie inside the object, and what is loaded fits
 *            the image; functions below check what they are the first to look at
 * Threads    one per object
 * Start at   hdi_cg_object_read()
 * Source     System V ABI, chapter 4 */
#ifndef HDI_CG_OBJECT_H
#define HDI_CG_OBJECT_H

#include <elf.h>

#include "base/base.h"

/* Opens the message of an object that was never one, or is damaged. */
#define HDI_CG_BAD "not an object that can be loaded: "

typedef struct hdi_cg_section {
    Elf64_Shdr head;
    bool loaded;
    bool writable;   /* lives in the private half of a piece */
    size_t at;       /* in the image, when loaded */
} hdi_cg_section;

typedef struct hdi_cg_object {
    const uint8_t *object;
    size_t bytes;
    uint64_t nsections, sections_at;
    hdi_cg_section *sections;
    uint64_t nsymbols, symbols_at;
    uint64_t table;         /* section of the symbols */
    Elf64_Shdr names;       /* section of their names */
    size_t image, align;    /* of all that is loaded */
} hdi_cg_object;

/* hdi_cg_object_read - fills o, which is all zero. Either way hdi_cg_object_free() it. */
hd_status hdi_cg_object_read(hdi_cg_object *o, const void *object, size_t bytes, uint16_t machine);
void hdi_cg_object_free(hdi_cg_object *o);

/* hdi_cg_object_symbol - i < nsymbols. */
Elf64_Sym hdi_cg_object_symbol(const hdi_cg_object *o, uint64_t i);
/* hdi_cg_object_name - NULL: it is not in the table. */
const char *hdi_cg_object_name(const hdi_cg_object *o, const Elf64_Sym *s);
/* hdi_cg_object_home - the loaded section that a symbol lies in; NULL for any other symbol. */
const hdi_cg_section *hdi_cg_object_home(const hdi_cg_object *o, const Elf64_Sym *s);
/* hdi_cg_object_find - the symbol of a function that the object defines. */
hd_status hdi_cg_object_find(const hdi_cg_object *o, const char *function, uint64_t *symbol);

/* hdi_cg_object_relocations - calls f for all relocations of loaded sections until it fails. */
typedef hd_status (*hdi_cg_visit)(void *ctx, const hdi_cg_section *target, const Elf64_Rela *r);
hd_status hdi_cg_object_relocations(const hdi_cg_object *o, hdi_cg_visit f, void *ctx);

static inline bool hdi_cg_inside(uint64_t at, uint64_t n, uint64_t size)
{
    return at <= size && n <= size - at;
}

#endif
