/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_object.h - writes small relocatable objects by hand, so that tests need no compiler.
 * Memory     everything inside the builder; elf_build() fills a caller's buffer
 * Start at   elf_section(), elf_symbol(), elf_relocation(), elf_build() */
#ifndef HEDDLE_TESTS_ELF_OBJECT_H
#define HEDDLE_TESTS_ELF_OBJECT_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ELF_PARTS = 16, ELF_DATA = 128, ELF_BYTES = 8192 };

typedef struct elf_part {
    char name[24];
    Elf64_Shdr head;
    uint8_t data[ELF_DATA];
    Elf64_Rela relocations[ELF_PARTS];
    int nrelocations;
} elf_part;

typedef struct elf_object {
    elf_part parts[ELF_PARTS];   /* [0] unused, as in the file */
    int nparts;
    Elf64_Sym symbols[ELF_PARTS];
    char names[ELF_PARTS][16];
    int nsymbols;
    uint16_t machine;
} elf_object;

static inline void elf_begin(elf_object *b)
{
    memset(b, 0, sizeof *b);
    b->nparts = b->nsymbols = 1;
    b->machine = EM_X86_64;
}

/* A section; data may be NULL. Returns its number. */
static inline int elf_section(elf_object *b, const char *name, uint32_t type, uint64_t flags,
                              uint64_t align, const void *data, size_t n)
{
    elf_part *p = &b->parts[b->nparts];
    strcpy(p->name, name);
    p->head = (Elf64_Shdr){.sh_type = type, .sh_flags = flags, .sh_addralign = align, .sh_size = n};
    if (data != NULL)
        memcpy(p->data, data, n);
    return b->nparts++;
}

static inline int elf_text(elf_object *b, const void *code, size_t n)
{
    return elf_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, code, n);
}

/* section: 0 for a symbol that the object does not define. Returns its number. */
static inline int elf_symbol(elf_object *b, const char *name, int section, uint64_t value, int type)
{
    strcpy(b->names[b->nsymbols], name);
    b->symbols[b->nsymbols] = (Elf64_Sym){.st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
                                          .st_shndx = (uint16_t)section, .st_value = value};
    return b->nsymbols++;
}

static inline void elf_relocation(elf_object *b, int section, uint64_t at, uint32_t type, int symbol,
                                  int64_t addend)
{
    elf_part *p = &b->parts[section];
    p->relocations[p->nrelocations++] =
        (Elf64_Rela){.r_offset = at, .r_info = ELF64_R_INFO((uint64_t)symbol, type),
                     .r_addend = addend};
}

static inline size_t elf_put(uint8_t *out, size_t *at, const void *data, size_t n)
{
    size_t where = *at = (*at + 7) & ~(size_t)7;
    memcpy(out + where, data, n);
    *at += n;
    return where;
}

/* The file: header, contents of sections, their relocations, symbols, names, section headers. */
static inline size_t elf_build(const elf_object *b, uint8_t out[ELF_BYTES])
{
    Elf64_Shdr heads[2 * ELF_PARTS + 3] = {0};
    Elf64_Sym symbols[ELF_PARTS] = {0};
    char names[1024] = "";
    size_t at = sizeof(Elf64_Ehdr), used = 1;
    int n = b->nparts, table = n;
    memset(out, 0, ELF_BYTES);
    for (int i = 1; i < b->nsymbols; i++) {
        symbols[i] = b->symbols[i];
        symbols[i].st_name = (uint32_t)used;
        used += strlen(strcpy(names + used, b->names[i])) + 1;
    }
    for (int i = 1; i < b->nparts; i++) {
        heads[i] = b->parts[i].head;
        heads[i].sh_name = (uint32_t)used;
        used += strlen(strcpy(names + used, b->parts[i].name)) + 1;
        heads[i].sh_offset = at;
        if (heads[i].sh_type != SHT_NOBITS)
            heads[i].sh_offset = elf_put(out, &at, b->parts[i].data, heads[i].sh_size);
    }
    size_t bytes = (size_t)b->nsymbols * sizeof *symbols;
    heads[n++] = (Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_offset = elf_put(out, &at, symbols, bytes),
                              .sh_size = bytes, .sh_link = (uint32_t)table + 1, .sh_info = 1,
                              .sh_entsize = sizeof *symbols};
    heads[n++] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = elf_put(out, &at, names, used),
                              .sh_size = used};
    for (int i = 1; i < b->nparts; i++) {
        bytes = (size_t)b->parts[i].nrelocations * sizeof(Elf64_Rela);
        if (bytes > 0)
            heads[n++] = (Elf64_Shdr){.sh_type = SHT_RELA, .sh_size = bytes,
                                      .sh_offset = elf_put(out, &at, b->parts[i].relocations, bytes),
                                      .sh_link = (uint32_t)table, .sh_info = (uint32_t)i,
                                      .sh_entsize = sizeof(Elf64_Rela)};
    }
    size_t sections_at = elf_put(out, &at, heads, (size_t)n * sizeof *heads);
    Elf64_Ehdr head = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_REL, .e_machine = b->machine, .e_version = EV_CURRENT,
                       .e_shoff = sections_at, .e_ehsize = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = (uint16_t)n,
                       .e_shstrndx = (uint16_t)(table + 1)};
    memcpy(out, &head, sizeof head);
    return at;
}

#endif
