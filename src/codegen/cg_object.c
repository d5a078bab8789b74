/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_object.c - headers, sections, symbols and relocations of an object, in this order.
 *
 * Numbers are read with memcpy (what comes out of a file has no alignment), into structures that
 * stay as they are: what was checked cannot be another number when it is used. */
#include "codegen/cg_object.h"

#include "base/alloc.h"
#include "codegen/cg_arena.h"

/* Kernels have kilobytes; a damaged size shall not ask for all memory. */
enum { IMAGE_MAX = 16 << 20 };

/* ---- headers --------------------------------------------------------------------------------- */

static hd_status read_head(hdi_cg_object *o, uint16_t machine, Elf64_Ehdr *h)
{
    hd_status status = HD_OK;
    HD_REQUIRE(o->bytes >= sizeof *h, HD_VALUE, HDI_CG_BAD "it is too short");
    memcpy(h, o->object, sizeof *h);
    HD_REQUIRE(memcmp(h->e_ident, ELFMAG, SELFMAG) == 0, HD_VALUE, HDI_CG_BAD "it is not ELF");
    HD_REQUIRE(h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
               h->e_ident[EI_VERSION] == EV_CURRENT && h->e_version == EV_CURRENT, HD_VALUE,
               HDI_CG_BAD "it is not ELF of 64 bits, little-endian, version 1");
    HD_REQUIRE(h->e_type == ET_REL, HD_VALUE, HDI_CG_BAD "it is not relocatable");
    HD_REQUIRE(h->e_machine == machine, HD_UNSUPPORTED, "an object for another machine (%d)",
               h->e_machine);
    HD_REQUIRE(h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shnum > 0 &&
               h->e_shstrndx < h->e_shnum &&
               hdi_cg_inside(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), o->bytes),
               HD_VALUE, HDI_CG_BAD "its section headers");
    o->nsections = h->e_shnum;
    o->sections_at = h->e_shoff;
done:
    return status;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Not unwind tables and notes: nobody unwinds through a kernel. `names` was checked. */
static bool wanted(const hdi_cg_object *o, const Elf64_Shdr *names, const Elf64_Shdr *h)
{
    static const char eh_frame[] = ".eh_frame";
    if (!(h->sh_flags & SHF_ALLOC) || h->sh_type == SHT_NOTE || h->sh_type == SHT_X86_64_UNWIND)
        return false;
    return !hdi_cg_inside(h->sh_name, sizeof eh_frame, names->sh_size) ||
           memcmp(o->object + names->sh_offset + h->sh_name, eh_frame, sizeof eh_frame) != 0;
}

static hd_status check_loaded(const Elf64_Shdr *h)
{
    hd_status status = HD_OK;
    HD_REQUIRE(h->sh_size <= IMAGE_MAX, HD_VALUE, HDI_CG_BAD "a section is too large");
    HD_REQUIRE((h->sh_addralign & (h->sh_addralign - 1)) == 0, HD_VALUE,
               HDI_CG_BAD "an alignment is no power of two");
    /* arrays of constructors are other types */
    HD_REQUIRE((h->sh_type == SHT_PROGBITS || h->sh_type == SHT_NOBITS) &&
               !(h->sh_flags & (SHF_TLS | SHF_COMPRESSED)) && h->sh_addralign <= HDI_CG_ALIGN_MAX,
               HD_UNSUPPORTED, "an object with a section of type %u, flags %#llx, alignment %llu",
               h->sh_type, (unsigned long long)h->sh_flags, (unsigned long long)h->sh_addralign);
    HD_REQUIRE(!(h->sh_flags & SHF_EXECINSTR) || !(h->sh_flags & SHF_WRITE), HD_UNSUPPORTED,
               "an object with code that writes to itself");
done:
    return status;
}

static hd_status place_section(hdi_cg_object *o, hdi_cg_section *s)
{
    size_t align = s->head.sh_addralign > 1 ? (size_t)s->head.sh_addralign : 1;
    s->writable = s->head.sh_flags & SHF_WRITE;
    s->at = (o->image + align - 1) & ~(align - 1);
    o->image = s->at + (size_t)s->head.sh_size;
    o->align = align > o->align ? align : o->align;
    return o->image <= IMAGE_MAX ? HD_OK : hdi_fail(HD_VALUE, HDI_CG_BAD "it is too large");
}

static hd_status read_sections(hdi_cg_object *o, const Elf64_Ehdr *head)
{
    hd_status status = HD_OK;
    o->sections = hdi_calloc((size_t)o->nsections * sizeof *o->sections);
    HD_REQUIRE(o->sections != NULL, HD_NOMEM, "no memory to load a compiled kernel");
    for (uint64_t i = 0; i < o->nsections; i++) {
        Elf64_Shdr *h = &o->sections[i].head;
        memcpy(h, o->object + o->sections_at + i * sizeof *h, sizeof *h);
        HD_REQUIRE(h->sh_type == SHT_NOBITS || hdi_cg_inside(h->sh_offset, h->sh_size, o->bytes),
                   HD_VALUE, HDI_CG_BAD "a section lies outside");
    }
    const Elf64_Shdr *names = &o->sections[head->e_shstrndx].head;
    HD_REQUIRE(names->sh_type == SHT_STRTAB, HD_VALUE, HDI_CG_BAD "sections have no names");
    for (uint64_t i = 0; i < o->nsections; i++) {
        hdi_cg_section *s = &o->sections[i];
        if (!wanted(o, names, &s->head))
            continue;
        s->loaded = true;
        HD_TRY(check_loaded(&s->head));
        HD_TRY(place_section(o, s));
    }
done:
    return status;
}

static hd_status read_symbol_table(hdi_cg_object *o)
{
    hd_status status = HD_OK;
    uint64_t i = 1;
    while (i < o->nsections && o->sections[i].head.sh_type != SHT_SYMTAB)
        i++;
    HD_REQUIRE(i < o->nsections, HD_VALUE, HDI_CG_BAD "it has no symbols");
    const Elf64_Shdr *h = &o->sections[i].head;
    HD_REQUIRE(h->sh_entsize == sizeof(Elf64_Sym) && h->sh_link < o->nsections, HD_VALUE,
               HDI_CG_BAD "its symbols");
    o->names = o->sections[h->sh_link].head;
    HD_REQUIRE(o->names.sh_type == SHT_STRTAB, HD_VALUE, HDI_CG_BAD "symbols have no names");
    o->table = i;
    o->symbols_at = h->sh_offset;
    o->nsymbols = h->sh_size / sizeof(Elf64_Sym);
done:
    return status;
}

hd_status hdi_cg_object_read(hdi_cg_object *o, const void *object, size_t bytes, uint16_t machine)
{
    hd_status status = HD_OK;
    Elf64_Ehdr head;
    o->object = object;
    o->bytes = bytes;
    HD_TRY(read_head(o, machine, &head));
    HD_TRY(read_sections(o, &head));
    HD_TRY(read_symbol_table(o));
done:
    return status;
}

void hdi_cg_object_free(hdi_cg_object *o)
{
    hdi_free(o->sections, (size_t)o->nsections * sizeof *o->sections);
}

/* ---- symbols --------------------------------------------------------------------------------- */

Elf64_Sym hdi_cg_object_symbol(const hdi_cg_object *o, uint64_t i)
{
    Elf64_Sym s;
    hd_assert(i < o->nsymbols);
    memcpy(&s, o->object + o->symbols_at + i * sizeof s, sizeof s);
    return s;
}

const char *hdi_cg_object_name(const hdi_cg_object *o, const Elf64_Sym *s)
{
    if (s->st_name >= o->names.sh_size)
        return NULL;
    const char *name = (const char *)o->object + o->names.sh_offset + s->st_name;
    return memchr(name, '\0', (size_t)(o->names.sh_size - s->st_name)) != NULL ? name : NULL;
}

const hdi_cg_section *hdi_cg_object_home(const hdi_cg_object *o, const Elf64_Sym *s)
{
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= o->nsections)
        return NULL;
    const hdi_cg_section *home = &o->sections[s->st_shndx];
    return home->loaded && s->st_value <= home->head.sh_size ? home : NULL;
}

hd_status hdi_cg_object_find(const hdi_cg_object *o, const char *function, uint64_t *symbol)
{
    for (uint64_t i = 1; i < o->nsymbols; i++) {
        Elf64_Sym s = hdi_cg_object_symbol(o, i);
        const char *name = hdi_cg_object_name(o, &s);
        if (name == NULL || strcmp(name, function) != 0)
            continue;
        const hdi_cg_section *home = hdi_cg_object_home(o, &s);
        if (home == NULL || !(home->head.sh_flags & SHF_EXECINSTR) ||
            s.st_value >= home->head.sh_size)
            continue;
        *symbol = i;
        return HD_OK;
    }
    return hdi_fail(HD_VALUE, HDI_CG_BAD "it has no function %s", function);
}

/* ---- relocations ----------------------------------------------------------------------------- */

static hd_status relocations_of(const hdi_cg_object *o, const Elf64_Shdr *h, hdi_cg_visit f,
                                void *ctx)
{
    hd_status status = HD_OK;
    HD_REQUIRE(h->sh_info < o->nsections, HD_VALUE, HDI_CG_BAD "relocations of no section");
    const hdi_cg_section *target = &o->sections[h->sh_info];
    if (!target->loaded)
        return HD_OK;
    HD_REQUIRE(h->sh_type == SHT_RELA && h->sh_entsize == sizeof(Elf64_Rela) &&
               h->sh_link == o->table && target->head.sh_type != SHT_NOBITS, HD_VALUE,
               HDI_CG_BAD "its relocations");
    for (uint64_t i = 0; i < h->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        memcpy(&r, o->object + h->sh_offset + i * sizeof r, sizeof r);
        HD_TRY(f(ctx, target, &r));
    }
done:
    return status;
}

hd_status hdi_cg_object_relocations(const hdi_cg_object *o, hdi_cg_visit f, void *ctx)
{
    hd_status status = HD_OK;
    for (uint64_t i = 1; i < o->nsections; i++) {
        const Elf64_Shdr *h = &o->sections[i].head;
        if (h->sh_type == SHT_RELA || h->sh_type == SHT_REL)
            HD_TRY(relocations_of(o, h, f, ctx));
    }
done:
    return status;
}
