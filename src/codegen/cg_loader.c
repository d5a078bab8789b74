/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_loader.c - goes through an object's relocations twice: first to see what they need, then,
 * with memory at hand and sections copied, to apply them.
 *
 * A kernel's memory: the sections in the object's order, then a word per symbol that is reached
 * through one (the GOT), then a stub per outside symbol that is called. Sections that the code
 * writes to have their offsets in the same row, but lie in the piece's private half. */
#include "codegen/cg_loader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "codegen/cg_arena.h"
#include "codegen/cg_debug.h"
#include "codegen/cg_machine.h"
#include "codegen/cg_object.h"

enum { WORD = 8, STUB_ALIGN = 16 };

typedef struct symbol {
    uint64_t address;    /* of one that is outside, once asked */
    int32_t got, stub;   /* 1, 2, ...; 0: none */
    bool asked;
} symbol;

typedef struct loading {
    hdi_cg_object o;
    const hdi_cg_machine *machine;
    const char *entry;
    uint64_t entry_symbol;
    hdi_cg_resolve resolve;
    void *ctx;
    symbol *symbols;
    int32_t ngot, nstubs;
    size_t got_at, stubs_at;
    hdi_cg_piece piece;
} loading;

static pthread_mutex_t loader_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock(void) { pthread_mutex_lock(&loader_lock); }
static void unlock(void) { pthread_mutex_unlock(&loader_lock); }

/* ---- what relocations need ------------------------------------------------------------------- */

/* Checks a symbol that is needed; asks for one from outside. */
static hd_status need_symbol(loading *l, const Elf64_Sym *s, symbol *known)
{
    hd_status status = HD_OK;
    int type = ELF64_ST_TYPE(s->st_info);
    HD_REQUIRE(type != STT_TLS && type != STT_GNU_IFUNC && s->st_shndx != SHN_COMMON,
               HD_UNSUPPORTED, "an object with a symbol of type %d, section %d", type, s->st_shndx);
    if (known->asked || s->st_shndx == SHN_ABS)
        return HD_OK;
    if (s->st_shndx != SHN_UNDEF) {
        HD_REQUIRE(hdi_cg_object_home(&l->o, s) != NULL, HD_VALUE,
                   HDI_CG_BAD "a symbol lies outside");
        return HD_OK;
    }
    const char *name = hdi_cg_object_name(&l->o, s);
    HD_REQUIRE(name != NULL && name[0] != '\0', HD_VALUE, HDI_CG_BAD "a symbol has no name");
    void *address = l->resolve != NULL ? l->resolve(name, l->ctx) : NULL;
    HD_REQUIRE(address != NULL, HD_LIBRARY, "a compiled kernel needs %s, which is not known", name);
    known->address = (uint64_t)(uintptr_t)address;
    known->asked = true;
done:
    return status;
}

/* The field of a relocation. Both visits get the same answer: it is read off the object. */
static hd_status field_of(const loading *l, const hdi_cg_section *target, const Elf64_Rela *r,
                          hdi_cg_field *out)
{
    hd_status status = HD_OK;
    const Elf64_Shdr *h = &target->head;
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    HD_REQUIRE(r->r_offset <= h->sh_size, HD_VALUE, HDI_CG_BAD "a relocation lies outside");
    bool code = (h->sh_flags & SHF_EXECINSTR) && r->r_offset > 0;
    int before = code ? l->o.object[h->sh_offset + r->r_offset - 1] : -1;
    HD_REQUIRE(l->machine->field(type, before, out), HD_UNSUPPORTED,
               "an object with a relocation of type %u", type);
    HD_REQUIRE(hdi_cg_inside(r->r_offset, (uint64_t)out->bytes, h->sh_size), HD_VALUE,
               HDI_CG_BAD "a relocation lies outside");
    HD_REQUIRE(out->bytes == 0 || (ELF64_R_SYM(r->r_info) > 0 &&
                                   ELF64_R_SYM(r->r_info) < l->o.nsymbols), HD_VALUE,
               HDI_CG_BAD "a relocation has no symbol");
done:
    return status;
}

static hd_status scan(void *ctx, const hdi_cg_section *target, const Elf64_Rela *r)
{
    loading *l = ctx;
    hdi_cg_field field;
    hd_status status = field_of(l, target, r, &field);
    if (status != HD_OK || field.bytes == 0)
        return status;
    Elf64_Sym s = hdi_cg_object_symbol(&l->o, ELF64_R_SYM(r->r_info));
    symbol *known = &l->symbols[ELF64_R_SYM(r->r_info)];
    status = need_symbol(l, &s, known);
    if (field.got && known->got == 0)
        known->got = ++l->ngot;
    if (field.call && known->asked && known->stub == 0)
        known->stub = ++l->nstubs;
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static hd_status take_piece(loading *l)
{
    l->got_at = (l->o.image + WORD - 1) & -(size_t)WORD;
    l->stubs_at = (l->got_at + (size_t)l->ngot * WORD + STUB_ALIGN - 1) & -(size_t)STUB_ALIGN;
    size_t bytes = l->stubs_at + (size_t)l->nstubs * (size_t)l->machine->stub_bytes;
    lock();
    hd_status status = hdi_cg_arena_take(bytes, l->o.align, &l->piece);
    unlock();
    return status;
}

static void give_piece(const hdi_cg_piece *piece)
{
    if (piece->bytes == 0)
        return;
    lock();
    hdi_cg_arena_give(piece->code);
    unlock();
}

/* Where a section can be written, and where the code finds it. */
static uint8_t *write_at(const loading *l, const hdi_cg_section *s)
{
    return (s->writable ? l->piece.data : l->piece.write) + s->at;
}

static uint64_t address_at(const loading *l, const hdi_cg_section *s)
{
    return (uint64_t)(uintptr_t)(s->writable ? l->piece.data : l->piece.code) + s->at;
}

static uint64_t got_word(const loading *l, const symbol *known)
{
    return l->got_at + (uint64_t)(known->got - 1) * WORD;
}

static uint64_t stub_of(const loading *l, const symbol *known)
{
    return l->stubs_at + (uint64_t)(known->stub - 1) * (uint64_t)l->machine->stub_bytes;
}

static uint64_t symbol_address(const loading *l, uint64_t i)
{
    Elf64_Sym s = hdi_cg_object_symbol(&l->o, i);
    if (l->symbols[i].asked)
        return l->symbols[i].address;
    return s.st_value +
           (s.st_shndx == SHN_ABS ? 0 : address_at(l, hdi_cg_object_home(&l->o, &s)));
}

static void copy_sections(loading *l)
{
    memset(l->piece.write, 0xCC, l->piece.bytes);   /* int3: running off the code traps */
    for (uint64_t i = 0; i < l->o.nsections; i++) {
        const hdi_cg_section *s = &l->o.sections[i];
        if (!s->loaded)
            continue;
        if (s->head.sh_type == SHT_NOBITS)
            memset(write_at(l, s), 0, (size_t)s->head.sh_size);
        else
            memcpy(write_at(l, s), l->o.object + s->head.sh_offset, (size_t)s->head.sh_size);
    }
}

static void fill_got_and_stubs(loading *l)
{
    for (uint64_t i = 1; i < l->o.nsymbols; i++) {
        const symbol *known = &l->symbols[i];
        if (known->got == 0 && known->stub == 0)
            continue;
        uint64_t address = symbol_address(l, i);
        if (known->got > 0)
            memcpy(l->piece.write + got_word(l, known), &address, WORD);
        if (known->stub > 0)
            l->machine->stub(l->piece.write + stub_of(l, known), address);
    }
}

static hd_status apply(void *ctx, const hdi_cg_section *target, const Elf64_Rela *r)
{
    loading *l = ctx;
    hdi_cg_field field;
    hd_status status = field_of(l, target, r, &field);
    if (status != HD_OK || field.bytes == 0)
        return status;
    const symbol *known = &l->symbols[ELF64_R_SYM(r->r_info)];
    uint64_t code = (uint64_t)(uintptr_t)l->piece.code;
    hdi_cg_fix fix = {.type = (uint32_t)ELF64_R_TYPE(r->r_info),
                      .write = write_at(l, target) + r->r_offset,
                      .place = address_at(l, target) + r->r_offset,
                      .addend = r->r_addend};
    if (field.got)
        fix.got = code + got_word(l, known);
    fix.symbol = field.call && known->stub > 0 ? code + stub_of(l, known)
                                               : symbol_address(l, ELF64_R_SYM(r->r_info));
    HD_REQUIRE(l->machine->fix(&fix), HD_UNSUPPORTED, "a relocation of type %u does not reach",
               fix.type);
done:
    return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static void forked_parent(void)
{
    hdi_cg_arena_forked(false);
    unlock();
}

static void forked_child(void)
{
    hdi_cg_arena_forked(true);
    unlock();
}

void hdi_cg_loader_reread(void)
{
    const char *text = getenv("HEDDLE_NO_EXEC");
    hdi_cg_debug_reread();
    /* perf names code of anonymous memory only */
    hdi_cg_way way = hdi_cg_debug_perf() ? HDI_CG_PAGES : HDI_CG_TWICE;
    if (text != NULL && strcmp(text, "1") == 0)
        way = HDI_CG_REFUSED;
    else if (text != NULL && strcmp(text, "pages") == 0)
        way = HDI_CG_PAGES;
    hdi_cg_arena_set_way(way);
}

static void start(void)
{
    hdi_cg_loader_reread();
    pthread_atfork(lock, forked_parent, forked_child);
}

void hdi_cg_loader_start(void)
{
    pthread_once(&once, start);
}

/* For gdb; without memory for it gdb is told nothing. */
static uint8_t *copy_with_addresses(const loading *l)
{
    uint8_t *copy = hdi_cg_debug_gdb() ? hdi_alloc(l->o.bytes) : NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, l->o.object, l->o.bytes);
    for (uint64_t i = 0; i < l->o.nsections; i++) {
        Elf64_Shdr h = l->o.sections[i].head;
        if (!l->o.sections[i].loaded)
            continue;
        h.sh_addr = address_at(l, &l->o.sections[i]);
        memcpy(copy + l->o.sections_at + i * sizeof h, &h, sizeof h);
    }
    return copy;
}

/* The kernel is complete: from here on it can run. */
static hd_status publish(loading *l, const char *label, void **entry)
{
    void *address = (void *)(uintptr_t)symbol_address(l, l->entry_symbol);
    uint8_t *copy = copy_with_addresses(l);
    lock();
    hd_status status = hdi_cg_arena_seal(&l->piece);
    if (status == HD_OK && copy != NULL)
        hdi_cg_debug_gdb_add(address, copy, l->o.bytes);
    unlock();
    if (status != HD_OK) {
        hdi_free(copy, l->o.bytes);
        return status;
    }
    if (hdi_cg_debug_perf())
        hdi_cg_debug_perf_line(l->piece.code, l->piece.bytes, l->entry, label);
    *entry = address;
    return HD_OK;
}

static hd_status prepare(loading *l, const void *object, size_t bytes)
{
    hd_status status = HD_OK;
    HD_REQUIRE(l->machine != NULL, HD_UNSUPPORTED, "no loader for this kind of processor");
    HD_TRY(hdi_cg_object_read(&l->o, object, bytes, l->machine->elf));
    HD_TRY(hdi_cg_object_find(&l->o, l->entry, &l->entry_symbol));
    l->symbols = hdi_calloc((size_t)l->o.nsymbols * sizeof *l->symbols);
    HD_REQUIRE(l->symbols != NULL, HD_NOMEM, "no memory to load a compiled kernel");
    HD_TRY(hdi_cg_object_relocations(&l->o, scan, l));
done:
    return status;
}

void *hdi_cg_load(const void *object, size_t bytes, const char *entry, const char *label,
                  hdi_cg_resolve resolve, void *ctx)
{
    hd_status status = HD_OK;
    void *address = NULL;
    loading l = {.machine = hdi_cg_machine_here(), .entry = entry, .resolve = resolve, .ctx = ctx};
    hdi_cg_loader_start();
    HD_TRY(prepare(&l, object, bytes));
    HD_TRY(take_piece(&l));
    copy_sections(&l);
    fill_got_and_stubs(&l);
    HD_TRY(hdi_cg_object_relocations(&l.o, apply, &l));
    HD_TRY(publish(&l, label, &address));
done:
    if (status != HD_OK)
        give_piece(&l.piece);
    hdi_free(l.symbols, (size_t)l.o.nsymbols * sizeof *l.symbols);
    hdi_cg_object_free(&l.o);
    return address;
}

void hdi_cg_unload(void *entry)
{
    if (entry == NULL)
        return;
    lock();
    hdi_cg_debug_gdb_remove(entry);
    hdi_cg_arena_give(entry);
    unlock();
}

void hdi_cg_code_stats_get(hdi_cg_code_stats *out)
{
    lock();
    hdi_cg_arena_stats(out);
    unlock();
}
