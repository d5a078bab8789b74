/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cg_loader.c - objects written by hand: each relocation, outside symbols, damaged ones, the
 * memory they run in, fork(), threads, failing allocations, what perf and gdb are told. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "codegen/cg_loader.h"
#include "codegen/elf_object.h"
#include "harness.h"

typedef int (*function)(void);
typedef int64_t (*function64)(void);

static int outside_word = 1000;

static int outside(void)
{
    return 40;
}

/* Knows two names; counts how often it is asked. */
static void *resolve(const char *name, void *ctx)
{
    int *asked = ctx;
    if (asked != NULL)
        ++*asked;
    if (strcmp(name, "outside") == 0) {
        function f = outside;
        void *p;
        memcpy(&p, &f, sizeof p);
        return p;
    }
    return strcmp(name, "outside_word") == 0 ? &outside_word : NULL;
}

static void *load_with(const elf_object *b, hdi_cg_resolve r, void *ctx)
{
    uint8_t image[ELF_BYTES];
    size_t n = elf_build(b, image);
    return hdi_cg_load(image, n, "f", NULL, r, ctx);
}

static void *load(const elf_object *b)
{
    return load_with(b, resolve, NULL);
}

static int64_t run(void *entry)
{
    function f;
    memcpy(&f, &entry, sizeof f);
    return f();
}

static int64_t run64(void *entry)
{
    function64 f;
    memcpy(&f, &entry, sizeof f);
    return f();
}

/* Loads, runs, unloads. */
static int64_t result_of(const elf_object *b)
{
    void *f = load(b);
    if (!CHECK(f != NULL))
        return -1;
    int64_t r = run64(f);
    hdi_cg_unload(f);
    return r;
}

static int64_t kernels(void)
{
    hdi_cg_code_stats s;
    hdi_cg_code_stats_get(&s);
    return s.kernels;
}

static int64_t mapped(void)
{
    hdi_cg_code_stats s;
    hdi_cg_code_stats_get(&s);
    return s.mapped;
}

static void check_fails(const elf_object *b, hd_status code)
{
    hd_error e;
    int64_t before = kernels();
    CHECK(load(b) == NULL);
    CHECK_EQ_I64(hd_error_take(&e), code);
    CHECK(e.message[0] != '\0');
    CHECK_EQ_I64(kernels(), before);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* mov $value, %eax; ret */
static elf_object constant(int32_t value)
{
    elf_object b;
    uint8_t code[] = {0xB8, 0, 0, 0, 0, 0xC3};
    memcpy(code + 1, &value, sizeof value);
    elf_begin(&b);
    elf_symbol(&b, "f", elf_text(&b, code, sizeof code), 0, STT_FUNC);
    return b;
}

/* int f(void) { return outside() + *(const int *)words; }, with 2 in words, and unwind tables. */
static elf_object sum(uint32_t call_type)
{
    static const uint8_t code[] = {0x48, 0x83, 0xEC, 8,       0xE8, 0,    0, 0, 0, 0x03,
                                   0x05, 0,    0,    0, 0,    0x48, 0x83, 0xC4, 8, 0xC3};
    static const int words[] = {1, 2};
    elf_object b;
    elf_begin(&b);
    int text = elf_text(&b, code, sizeof code);
    int data = elf_section(&b, ".rodata.cst4", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 4, words,
                           sizeof words);
    int frame = elf_section(&b, ".eh_frame", SHT_X86_64_UNWIND, SHF_ALLOC, 8, words, sizeof words);
    int also = elf_section(&b, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, words, sizeof words);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    int f = elf_symbol(&b, "", text, 0, STT_SECTION), g = elf_symbol(&b, "outside", 0, 0, 0);
    int w = elf_symbol(&b, "", data, 0, STT_SECTION);
    elf_relocation(&b, text, 5, call_type, g, -4);
    elf_relocation(&b, text, 11, R_X86_64_PC32, w, 4 - 4);
    elf_relocation(&b, frame, 0, R_X86_64_PC32, f, 0);
    elf_relocation(&b, also, 0, R_X86_64_PC32, elf_symbol(&b, "nobody", 0, 0, 0), 0);
    return b;
}

/* lea words(%rip), %rax; ret */
static elf_object address_of_words(uint32_t type, uint64_t flags, uint64_t align, const void *words,
                                   size_t n)
{
    static const uint8_t code[] = {0x48, 0x8D, 0x05, 0, 0, 0, 0, 0xC3};
    elf_object b;
    elf_begin(&b);
    int text = elf_text(&b, code, sizeof code);
    int data = elf_section(&b, ".words", type, flags, align, words, n);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    elf_relocation(&b, text, 3, R_X86_64_PC32, elf_symbol(&b, "words", data, 0, STT_OBJECT), -4);
    return b;
}

/* movabs $0, %rax; ret, with a relocation for the operand */
static elf_object operand64(uint32_t type, int symbol_section, uint64_t value, int64_t addend)
{
    static const uint8_t code[] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xC3};
    elf_object b;
    elf_begin(&b);
    int text = elf_text(&b, code, sizeof code);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    int s = elf_symbol(&b, "outside_word", symbol_section, value, 0);
    elf_relocation(&b, text, 2, type, s, addend);
    return b;
}

/* mov $0, %eax or (signed) mov $0, %rax; ret */
static elf_object operand32(uint32_t type, int symbol_section, uint64_t value)
{
    static const uint8_t plain[] = {0xB8, 0, 0, 0, 0, 0xC3};
    static const uint8_t extended[] = {0x48, 0xC7, 0xC0, 0, 0, 0, 0, 0xC3};
    bool is_signed = type == R_X86_64_32S;
    elf_object b;
    elf_begin(&b);
    int text = is_signed ? elf_text(&b, extended, sizeof extended) : elf_text(&b, plain, sizeof plain);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    elf_relocation(&b, text, is_signed ? 3 : 1, type,
                   elf_symbol(&b, "absolute", symbol_section, value, 0), 0);
    return b;
}

/* ---- relocations ----------------------------------------------------------------------------- */

static void check_calls(void)
{
    elf_object plt = sum(R_X86_64_PLT32), pc = sum(R_X86_64_PC32);
    int asked = 0;
    void *f = load_with(&plt, resolve, &asked);
    REQUIRE(f != NULL);
    CHECK_EQ_I64(run(f), 42);
    CHECK_EQ_I64(asked, 1);
    hdi_cg_unload(f);
    CHECK_EQ_I64((int32_t)result_of(&pc), 42);
}

TEST(cg_loader, calls_what_is_outside_and_reads_constants)
{
    check_calls();
}

TEST(cg_loader, jumps_to_what_is_outside)
{
    elf_object b;
    static const uint8_t jump[] = {0xE9, 0, 0, 0, 0};
    elf_begin(&b);
    int text = elf_text(&b, jump, sizeof jump);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    elf_relocation(&b, text, 1, R_X86_64_PC32, elf_symbol(&b, "outside", 0, 0, 0), -4);
    CHECK_EQ_I64((int32_t)result_of(&b), 40);
}

TEST(cg_loader, whole_addresses)
{
    elf_object b = operand64(R_X86_64_64, 0, 0, 12);
    CHECK_EQ_I64(result_of(&b), (int64_t)(intptr_t)&outside_word + 12);
    b = operand64(R_X86_64_64, SHN_ABS, 0x123456789ABCDEF0u, -1);
    CHECK_EQ_I64(result_of(&b), 0x123456789ABCDEEF);
    b = operand64(R_X86_64_64, 1, 3, 4);   /* seven into the code */
    void *f = load(&b);
    REQUIRE(f != NULL);
    CHECK_EQ_I64(run64(f), (int64_t)(intptr_t)f + 7);
    hdi_cg_unload(f);
    b = operand64(R_X86_64_PC64, 0, 0, 5);
    f = load(&b);
    REQUIRE(f != NULL);
    CHECK_EQ_I64(run64(f) + (int64_t)(intptr_t)f + 2, (int64_t)(intptr_t)&outside_word + 5);
    hdi_cg_unload(f);
}

TEST(cg_loader, short_addresses_when_they_fit)
{
    elf_object b = operand32(R_X86_64_32, SHN_ABS, 0xF2345678u);
    CHECK_EQ_I64(result_of(&b), 0xF2345678);
    b = operand32(R_X86_64_32S, SHN_ABS, (uint64_t)-5);
    CHECK_EQ_I64(result_of(&b), -5);
    b = operand32(R_X86_64_32S, SHN_ABS, 0x7FFFFFFF);
    CHECK_EQ_I64(result_of(&b), 0x7FFFFFFF);
    b = operand32(R_X86_64_32, SHN_ABS, 0x100000000u);
    check_fails(&b, HD_UNSUPPORTED);
    b = operand32(R_X86_64_32S, SHN_ABS, 0x80000000u);
    check_fails(&b, HD_UNSUPPORTED);
    b = operand32(R_X86_64_32, 1, 0);   /* code is mapped far up */
    check_fails(&b, HD_UNSUPPORTED);
}

/* mov word@GOTPCREL(%rip), %rax; mov (%rax), %eax; ret */
TEST(cg_loader, words_that_hold_addresses)
{
    static const uint8_t code[] = {0x48, 0x8B, 0x05, 0, 0, 0, 0, 0x8B, 0x00, 0xC3};
    static const uint32_t types[] = {R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX};
    for (int k = 0; k < 3; k++) {
        for (int own = 0; own < 2; own++) {
            elf_object b;
            static const int word = 77;
            elf_begin(&b);
            int text = elf_text(&b, code, sizeof code);
            int data = elf_section(&b, ".rodata", SHT_PROGBITS, SHF_ALLOC, 4, &word, sizeof word);
            elf_symbol(&b, "f", text, 0, STT_FUNC);
            elf_symbol(&b, "other", 0, 0, 0);   /* nobody asks for it */
            int s = elf_symbol(&b, own ? "own" : "outside_word", own ? data : 0, 0, 0);
            elf_relocation(&b, text, 3, types[k], s, -4);
            CHECK_EQ_I64((int32_t)result_of(&b), own ? 77 : 1000);
        }
    }
}

/* call *outside@GOTPCREL(%rip) and call outside@PLT: a word and a stub for one symbol. */
TEST(cg_loader, a_symbol_is_asked_for_once)
{
    static const uint8_t code[] = {0x53, 0xFF, 0x15, 0,    0,    0,    0, 0x89, 0xC3,
                                   0xE8, 0,    0,    0,    0,    0x01, 0xD8, 0x5B, 0xC3};
    elf_object b;
    int asked = 0;
    elf_begin(&b);
    int text = elf_text(&b, code, sizeof code);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    int s = elf_symbol(&b, "outside", 0, 0, 0);
    elf_relocation(&b, text, 3, R_X86_64_GOTPCRELX, s, -4);
    elf_relocation(&b, text, 10, R_X86_64_PLT32, s, -4);
    elf_relocation(&b, text, 0, R_X86_64_NONE, 0, 0);
    void *f = load_with(&b, resolve, &asked);
    REQUIRE(f != NULL);
    CHECK_EQ_I64(run(f), 80);
    CHECK_EQ_I64(asked, 1);
    hdi_cg_unload(f);
}

static void *nearby;

static void *resolve_nearby(const char *name, void *ctx)
{
    (void)name;
    return ctx != NULL ? ctx : nearby;
}

/* An outside variable read without a word: where it is if that can be reached, never a stub. */
TEST(cg_loader, data_outside_is_reached_or_refused)
{
    static const int word = 5;
    elf_object near = address_of_words(SHT_PROGBITS, SHF_ALLOC, 4, &word, sizeof word);
    void *f = load(&near);
    REQUIRE(f != NULL);
    nearby = (void *)(intptr_t)run64(f);
    elf_object b = near;
    b.symbols[2].st_shndx = SHN_UNDEF;
    void *g = load_with(&b, resolve_nearby, NULL);
    REQUIRE(g != NULL);
    CHECK_EQ_I64(run64(g), (int64_t)(intptr_t)nearby);
    hdi_cg_unload(g);
    hdi_cg_unload(f);
    CHECK(load_with(&b, resolve_nearby, (void *)(uintptr_t)16) == NULL);
    CHECK_EQ_I64(hd_error_take(NULL), HD_UNSUPPORTED);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* addl $1, count(%rip); mov count(%rip), %eax; ret. The first has its operand behind the address. */
static elf_object counter(uint32_t type, const void *initial)
{
    static const uint8_t code[] = {0x83, 0x05, 0, 0, 0, 0, 1, 0x8B, 0x05, 0, 0, 0, 0, 0xC3};
    elf_object b;
    elf_begin(&b);
    int text = elf_text(&b, code, sizeof code);
    int data = elf_section(&b, ".count", type, SHF_ALLOC | SHF_WRITE, 8, initial, 8);
    elf_symbol(&b, "f", text, 0, STT_FUNC);
    int s = elf_symbol(&b, "count", data, 4, STT_OBJECT);
    elf_relocation(&b, text, 2, R_X86_64_PC32, s, -5);
    elf_relocation(&b, text, 9, R_X86_64_PC32, s, -4);
    return b;
}

static void check_variables(void)
{
    static const int initial[2] = {0, 50};
    elf_object zero = counter(SHT_NOBITS, NULL), fifty = counter(SHT_PROGBITS, initial);
    for (int round = 0; round < 2; round++) {   /* the second time in memory that was used */
        void *f = load(&zero), *g = load(&fifty), *h = load(&zero);
        REQUIRE(f != NULL && g != NULL && h != NULL);
        CHECK_EQ_I64(run(f), 1);
        CHECK_EQ_I64(run(f), 2);
        CHECK_EQ_I64(run(g), 51);
        CHECK_EQ_I64(run(h), 1);
        hdi_cg_unload(g);
        hdi_cg_unload(h);
        hdi_cg_unload(f);
    }
}

TEST(cg_loader, variables_of_each_load)
{
    check_variables();
}

TEST(cg_loader, an_initialized_pointer)
{
    static const uint64_t word = 0;
    elf_object b = address_of_words(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, &word, sizeof word);
    elf_relocation(&b, 2, 0, R_X86_64_64, elf_symbol(&b, "outside_word", 0, 0, 0), 0);
    void *f = load(&b);
    REQUIRE(f != NULL);
    int *p;
    memcpy(&p, (void *)(intptr_t)run64(f), sizeof p);
    CHECK(p == &outside_word);
    hdi_cg_unload(f);
}

TEST(cg_loader, sections_are_aligned)
{
    static const char text[] = "words";
    for (uint64_t align = 1; align <= 4096; align *= 2) {
        elf_object b = address_of_words(SHT_PROGBITS, SHF_ALLOC, align, text, sizeof text);
        void *f = load(&b);
        REQUIRE(f != NULL);
        int64_t at = run64(f);
        CHECK_EQ_I64(at % (int64_t)align, 0);
        CHECK_STR((const char *)(intptr_t)at, text);
        hdi_cg_unload(f);
    }
    elf_object b = address_of_words(SHT_PROGBITS, SHF_ALLOC, 8192, text, sizeof text);
    check_fails(&b, HD_UNSUPPORTED);
    b = address_of_words(SHT_PROGBITS, SHF_ALLOC, 24, text, sizeof text);
    check_fails(&b, HD_VALUE);
}

TEST(cg_loader, an_object_anywhere_in_memory)
{
    uint8_t image[ELF_BYTES + 8], plain[ELF_BYTES];
    elf_object b = sum(R_X86_64_PLT32);
    size_t n = elf_build(&b, plain);
    for (size_t off = 0; off < 8; off++) {
        memcpy(image + off, plain, n);
        void *f = hdi_cg_load(image + off, n, "f", "sum", resolve, NULL);
        memset(image + off, 0xFF, n);
        REQUIRE(f != NULL);
        CHECK_EQ_I64(run(f), 42);
        hdi_cg_unload(f);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST(cg_loader, refuses_what_it_does_not_know)
{
    elf_object b = sum(R_X86_64_PLT32);
    strcpy(b.names[3], "stranger");
    check_fails(&b, HD_LIBRARY);
    CHECK(load_with(&b, NULL, NULL) == NULL);
    CHECK_EQ_I64(hd_error_take(NULL), HD_LIBRARY);
    b = sum(R_X86_64_TPOFF32);
    check_fails(&b, HD_UNSUPPORTED);
    b = sum(R_X86_64_PLT32);
    b.machine = EM_AARCH64;
    check_fails(&b, HD_UNSUPPORTED);
    b = constant(1);
    strcpy(b.names[1], "g");
    check_fails(&b, HD_VALUE);
    static const uint64_t constructor = 0;
    b = constant(1);
    elf_section(&b, ".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, 8, &constructor, 8);
    check_fails(&b, HD_UNSUPPORTED);
    b = constant(1);
    b.parts[1].head.sh_flags |= SHF_WRITE;
    check_fails(&b, HD_UNSUPPORTED);
    b = address_of_words(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 8, &constructor, 8);
    check_fails(&b, HD_UNSUPPORTED);
    b = sum(R_X86_64_PLT32);
    b.symbols[3].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
    check_fails(&b, HD_UNSUPPORTED);
    b = sum(R_X86_64_PLT32);
    b.symbols[3].st_shndx = SHN_COMMON;
    check_fails(&b, HD_UNSUPPORTED);
}

TEST(cg_loader, refuses_numbers_that_lead_outside)
{
    elf_object b = sum(R_X86_64_PLT32);
    b.parts[1].relocations[0].r_offset = 17;   /* four bytes from there are one too many */
    check_fails(&b, HD_VALUE);
    b.parts[1].relocations[0].r_offset = UINT64_MAX;
    check_fails(&b, HD_VALUE);
    b = sum(R_X86_64_PLT32);
    b.parts[1].relocations[0].r_info = ELF64_R_INFO(6ull, R_X86_64_PLT32);
    check_fails(&b, HD_VALUE);
    b = sum(R_X86_64_PLT32);
    b.symbols[4].st_value = 9;   /* of 8 bytes */
    check_fails(&b, HD_VALUE);
    b.symbols[4].st_shndx = 3;   /* not loaded */
    check_fails(&b, HD_VALUE);
    b = constant(1);
    b.symbols[1].st_value = 6;
    check_fails(&b, HD_VALUE);
    b = counter(SHT_NOBITS, NULL);
    b.parts[2].head.sh_size = (uint64_t)1 << 40;
    check_fails(&b, HD_VALUE);
    elf_relocation(&b, 2, 0, R_X86_64_64, 1, 0);   /* there is nothing to change in .bss */
    b.parts[2].head.sh_size = 8;
    check_fails(&b, HD_VALUE);
}

/* Everything that is in an object at once. */
static elf_object full(void)
{
    elf_object b = sum(R_X86_64_PLT32);
    int data = elf_section(&b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, "12345678", 8);
    elf_section(&b, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 32, NULL, 100);
    elf_relocation(&b, data, 0, R_X86_64_PC64, 3, 0);
    elf_relocation(&b, 2, 0, R_X86_64_GOTPCREL, elf_symbol(&b, "outside_word", 0, 0, 0), 0);
    return b;
}

/* From memory of just that size, so that the address sanitizer sees a step too far. */
static int load_changed(const uint8_t *image, size_t n)
{
    uint8_t *exact = malloc(n > 0 ? n : 1);
    memcpy(exact, image, n);
    void *f = hdi_cg_load(exact, n, "f", NULL, resolve, NULL);
    free(exact);
    hd_status code = hd_error_take(NULL);
    CHECK((f == NULL) == (code != HD_OK));
    hdi_cg_unload(f);
    return f != NULL;
}

TEST(cg_loader, survives_every_truncation)
{
    uint8_t image[ELF_BYTES];
    elf_object b = full();
    size_t n = elf_build(&b, image);
    for (size_t k = 0; k < n; k++)
        CHECK(!load_changed(image, k));
    CHECK(load_changed(image, n));
    CHECK_EQ_I64(kernels(), 0);
}

TEST(cg_loader, survives_every_flipped_bit)
{
    uint8_t image[ELF_BYTES];
    elf_object b = full();
    size_t n = elf_build(&b, image);
    int refused = 0;
    for (size_t k = 0; k < n; k++) {
        for (int flip = 0; flip < 9; flip++) {
            uint8_t kept = image[k];
            image[k] ^= (uint8_t)(flip < 8 ? 1 << flip : 0xFF);
            refused += !load_changed(image, n);
            image[k] = kept;
        }
    }
    CHECK(refused > 1000);
    CHECK_EQ_I64(kernels(), 0);
}

TEST(cg_loader, survives_odd_numbers_everywhere)
{
    static const uint64_t odd[] = {0, 1, 7, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFF00,
                                   INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, (uint64_t)-64};
    uint8_t image[ELF_BYTES], kept[8];
    elf_object b = full();
    size_t n = elf_build(&b, image);
    for (size_t width = 2; width <= 8; width *= 2) {
        for (size_t k = 0; k + width <= n; k += 2) {
            memcpy(kept, image + k, width);
            for (size_t v = 0; v < sizeof odd / sizeof *odd; v++) {
                memcpy(image + k, &odd[v], width);
                load_changed(image, n);
            }
            memcpy(image + k, kept, width);
        }
    }
    CHECK_EQ_I64(kernels(), 0);
}

TEST(cg_loader, survives_damage_by_chance)
{
    uint8_t image[ELF_BYTES], changed[ELF_BYTES];
    uint64_t state = 12345;
    elf_object b = full();
    size_t n = elf_build(&b, image);
    for (int round = 0; round < 20000; round++) {
        memcpy(changed, image, n);
        for (int k = 0; k < 1 + round % 4; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            changed[(state >> 33) % n] = (uint8_t)(state >> 25);
        }
        load_changed(changed, n);
    }
    CHECK_EQ_I64(kernels(), 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Lines of /proc/self/maps; *both: whether one can be written and executed. */
static int mappings(bool *both)
{
    char line[512], rights[8];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    *both = false;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        n++;
        if (sscanf(line, "%*s %7s", rights) == 1 && rights[1] == 'w' && rights[2] == 'x')
            *both = true;
    }
    if (f != NULL)
        fclose(f);
    return n;
}

/* The rights of the mapping that an address is in, as in "r-xp". */
static void rights_of(const void *p, char rights[8])
{
    char line[512];
    unsigned long from, to;
    FILE *f = fopen("/proc/self/maps", "r");
    rights[0] = '\0';
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && from <= (uintptr_t)p &&
            (uintptr_t)p < to)
            break;
    if (f != NULL)
        fclose(f);
}

static void check_many(int n, int most_mappings)
{
    static void *f[4000];
    bool both;
    int before = mappings(&both);
    for (int k = 0; k < n; k++) {
        elf_object b = constant(k);
        f[k] = load(&b);
        REQUIRE(f[k] != NULL);
    }
    CHECK(mappings(&both) - before <= most_mappings);
    CHECK(!both);
    for (int k = 0; k < n; k += 2)
        hdi_cg_unload(f[k]);
    for (int k = 0; k < n; k += 2) {
        elf_object b = constant(-k);
        f[k] = load(&b);
        REQUIRE(f[k] != NULL);
    }
    CHECK(mappings(&both) - before <= most_mappings);
    CHECK(!both);
    CHECK_EQ_I64(kernels(), n);
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        wrong += run(f[k]) != (k % 2 ? k : -k);
        hdi_cg_unload(f[k]);
    }
    CHECK_EQ_I64(wrong, 0);
    CHECK_EQ_I64(kernels(), 0);
    CHECK(mapped() <= 1 << 20);
}

TEST(cg_loader, many_kernels_in_few_mappings)
{
    check_many(4000, 60);   /* a thread sanitizer adds some */
}

TEST(cg_loader, no_page_is_written_and_run)
{
    char rights[8];
    elf_object b = constant(3);
    void *f = load(&b);
    REQUIRE(f != NULL);
    rights_of(f, rights);
    CHECK(strncmp(rights, "r-x", 3) == 0);
    hdi_cg_unload(f);
}

TEST(cg_loader, a_large_kernel_has_memory_of_its_own)
{
    elf_object b = counter(SHT_NOBITS, NULL), small = constant(8);
    b.parts[2].head.sh_size = 3 << 20;
    void *g = load(&small), *f = load(&b);
    REQUIRE(f != NULL && g != NULL);
    CHECK_EQ_I64(run(f), 1);
    CHECK_EQ_I64(run(g), 8);
    CHECK(mapped() > 3 << 20);
    hdi_cg_unload(f);
    CHECK(mapped() < 3 << 20);
    CHECK_EQ_I64(run(g), 8);
    hdi_cg_unload(g);
}

/* With memory that is mapped once, and then with none. */
TEST(cg_loader, other_ways_to_executable_memory)
{
    char rights[8];
    setenv("HEDDLE_NO_EXEC", "pages", 1);
    hdi_cg_loader_reread();
    check_calls();
    check_variables();
    check_many(500, 60);
    elf_object b = constant(6);
    void *f = load(&b);
    REQUIRE(f != NULL);
    rights_of(f, rights);
    CHECK(strncmp(rights, "r-xp", 4) == 0);
    setenv("HEDDLE_NO_EXEC", "1", 1);
    hdi_cg_loader_reread();
    CHECK(load(&b) == NULL);
    CHECK(strstr(hd_error_peek()->message, "does not allow executable memory") != NULL);
    CHECK_EQ_I64(hd_error_take(NULL), HD_UNSUPPORTED);
    CHECK_EQ_I64(run(f), 6);
    hdi_cg_unload(f);
    unsetenv("HEDDLE_NO_EXEC");
    hdi_cg_loader_reread();
    check_calls();
}

TEST(cg_loader, every_allocation_fails_in_turn)
{
    elf_object b = full();
    int64_t n = 1;
    for (int round = 0; round < 2; round++) {   /* with gdb's copies the second time */
        if (round == 1)
            setenv("HEDDLE_GDB", "1", 1);
        hdi_cg_loader_reread();
        for (n = 1; n < 50; n++) {
            int64_t count = hdi_alloc_count();
            hdi_fail_after(n);
            void *f = load(&b);
            hdi_fail_after(0);
            bool fired = hdi_alloc_count() - count >= n;
            CHECK_EQ_I64(hd_error_take(NULL), f != NULL ? HD_OK : HD_NOMEM);
            CHECK(fired || f != NULL);
            CHECK_EQ_I64(kernels(), f != NULL);
            CHECK(f == NULL || run(f) == 42);
            hdi_cg_unload(f);
            if (!fired)
                break;
        }
        CHECK(n > 2 && n < 50);
    }
    unsetenv("HEDDLE_GDB");
    hdi_cg_loader_reread();
}

/* The chunk's own allocations happen once: with a kernel too large for any chunk they always do. */
TEST(cg_loader, allocations_of_a_chunk_fail_in_turn)
{
    elf_object b = counter(SHT_NOBITS, NULL);
    b.parts[2].head.sh_size = 1 << 20;
    int failures = 0;
    for (int64_t n = 1; n < 20; n++) {
        int64_t before = mapped();
        hdi_fail_after(n);
        void *f = load(&b);
        hdi_fail_after(0);
        failures += f == NULL;
        CHECK_EQ_I64(hd_error_take(NULL), f != NULL ? HD_OK : HD_NOMEM);
        CHECK(f == NULL || run(f) == 1);
        hdi_cg_unload(f);
        CHECK_EQ_I64(mapped(), before);
    }
    CHECK_EQ_I64(failures, 4);   /* sections, symbols, the chunk's record, its mapping */
}

/* ---- processes and threads ------------------------------------------------------------------- */

/* The child's exit status; 1000 + the signal that ended it; 2000 + errno if fork() or waitpid()
 * failed. */
static int in_child(void (*body)(void *ctx), void *ctx)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body(ctx);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2000 + errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void child_reloads(void *ctx)
{
    void **f = ctx;
    elf_object b = constant(-1);
    if (run(f[0]) != 10 || run(f[1]) != 11)
        _exit(1);
    hdi_cg_unload(f[0]);
    for (int k = 0; k < 2000; k++) {   /* would reach the memory of f[0] if it could */
        void *g = load(&b);
        if (g == NULL || run(g) != -1)
            _exit(2);
    }
    if (run(f[1]) != 11)
        _exit(3);
}

/* The child writes nowhere where the parent runs. */
static void check_child_keeps_off(void)
{
    elf_object b = constant(10), c = constant(11);
    void *f[2] = {load(&b), load(&c)};
    REQUIRE(f[0] != NULL && f[1] != NULL);
    CHECK_EQ_I64(in_child(child_reloads, f), 0);
    CHECK_EQ_I64(run(f[0]), 10);
    CHECK_EQ_I64(run(f[1]), 11);
    hdi_cg_unload(f[0]);
    hdi_cg_unload(f[1]);
    CHECK_EQ_I64(kernels(), 0);
}

static void fill(void *f[200], const elf_object *b)
{
    for (int k = 0; k < 200; k++)
        f[k] = load(b);
}

static bool all_give(void *f[200], int value)
{
    bool same = true;
    for (int k = 0; k < 200; k++)
        same &= f[k] != NULL && run(f[k]) == value;
    return same;
}

/* Nor does the parent where the child runs: f is unloaded and others take its place, if they can,
 * while the child waits. Then the child fills what was free at the fork, if it can. */
static void check_parent_keeps_off(void)
{
    elf_object b = constant(20), other = constant(21), zero = counter(SHT_NOBITS, NULL);
    int to_child[2], status = -1;
    void *g[200], *keep = load(&other), *f = load(&b), *c = load(&zero);
    REQUIRE(keep != NULL && f != NULL && c != NULL && pipe(to_child) == 0);
    CHECK_EQ_I64(run(c), 1);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char go;
        close(to_child[1]);
        bool right = read(to_child[0], &go, 1) == 1 && run(f) == 20 && run(keep) == 21;
        fill(g, &b);
        _exit(right && run(c) == 2 && all_give(g, 20) ? 0 : 1);
    }
    hdi_cg_unload(f);
    fill(g, &other);
    CHECK_EQ_I64(run(c), 2);   /* a variable of this process */
    CHECK_EQ_I64(run(c), 3);
    CHECK_EQ_I64(write(to_child[1], "x", 1), 1);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(all_give(g, 21));
    for (int k = 0; k < 200; k++)
        hdi_cg_unload(g[k]);
    close(to_child[0]);
    close(to_child[1]);
    hdi_cg_unload(keep);
    hdi_cg_unload(c);
    CHECK_EQ_I64(kernels(), 0);
}

TEST(cg_loader, after_a_fork_nobody_writes_where_the_other_runs)
{
    check_child_keeps_off();
    check_parent_keeps_off();
    setenv("HEDDLE_NO_EXEC", "pages", 1);
    hdi_cg_loader_reread();
    check_child_keeps_off();
    check_parent_keeps_off();
    unsetenv("HEDDLE_NO_EXEC");
    hdi_cg_loader_reread();
    CHECK(mapped() <= 1 << 20);   /* what was lost to the children went with its chunk */
}

/* The threads run until the last fork: in the child TSan reports a thread as leaked if it had
 * ended before the fork and was not joined. */
static atomic_bool forks_are_over;

static void *load_and_run(void *ctx)
{
    int *number = ctx, wrong = 0;
    void *f[8] = {0};
    int value[8] = {0};
    for (int k = 0; k < 3000 || !atomic_load(&forks_are_over); k++) {
        int slot = k % 8;
        if (f[slot] != NULL)
            wrong += run(f[slot]) != value[slot];
        hdi_cg_unload(f[slot]);
        value[slot] = *number * 10000 + k % 10000;
        elf_object b = constant(value[slot]);
        f[slot] = load(&b);
        wrong += f[slot] == NULL || run(f[slot]) != value[slot];
    }
    for (int slot = 0; slot < 8; slot++)
        hdi_cg_unload(f[slot]);
    *number = wrong;
    return NULL;
}

static void child_loads(void *ctx)
{
    (void)ctx;
    elf_object b = constant(5);
    void *f = load(&b);
    if (f == NULL || run(f) != 5)
        _exit(1);
}

/* And a fork() now and then in between: no lock may be left behind in the child. */
TEST(cg_loader, threads_at_once)
{
    pthread_t thread[4];
    int number[4];
    atomic_store(&forks_are_over, false);
    for (int k = 0; k < 4; k++) {
        number[k] = k + 1;
        REQUIRE(pthread_create(&thread[k], NULL, load_and_run, &number[k]) == 0);
    }
    for (int k = 0; k < 10 && FORKS_BESIDE_THREADS; k++)
        CHECK_EQ_I64(in_child(child_loads, NULL), 0);
    atomic_store(&forks_are_over, true);
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], NULL);
        CHECK_EQ_I64(number[k], 0);
    }
    CHECK_EQ_I64(kernels(), 0);
}

/* ---- perf and gdb ---------------------------------------------------------------------------- */

TEST(cg_loader, perf_gets_a_line)
{
    char path[64], line[256] = "", want[256];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    unlink(path);
    setenv("HEDDLE_PERF_MAP", "1", 1);
    hdi_cg_loader_reread();
    uint8_t image[ELF_BYTES];
    elf_object b = constant(9);
    size_t n = elf_build(&b, image);
    void *f = hdi_cg_load(image, n, "f", "a*x\n+b", resolve, NULL);
    void *g = hdi_cg_load(image, n, "f", NULL, resolve, NULL);
    REQUIRE(f != NULL && g != NULL);
    FILE *map = fopen(path, "r");
    REQUIRE(map != NULL);
    snprintf(want, sizeof want, "%lx 1000 f a*x +b\n", (unsigned long)(uintptr_t)f);
    CHECK_STR(fgets(line, sizeof line, map), want);
    snprintf(want, sizeof want, "%lx 1000 f\n", (unsigned long)(uintptr_t)g);
    CHECK_STR(fgets(line, sizeof line, map), want);
    fclose(map);
    unlink(path);
    REQUIRE(symlink("/tmp/heddle-test-no-such-file", path) == 0);   /* is not followed */
    void *h = hdi_cg_load(image, n, "f", NULL, resolve, NULL);
    CHECK(h != NULL && access("/tmp/heddle-test-no-such-file", F_OK) != 0);
    unlink(path);
    hdi_cg_unload(f);
    hdi_cg_unload(g);
    hdi_cg_unload(h);
    unsetenv("HEDDLE_PERF_MAP");
    hdi_cg_loader_reread();
}

/* As gdb declares them. */
struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};
extern struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
} __jit_debug_descriptor;

/* The address that the copy gives for section k. */
static uint64_t noted_address(const struct jit_code_entry *e, int k)
{
    Elf64_Ehdr head;
    Elf64_Shdr s;
    memcpy(&head, e->symfile_addr, sizeof head);
    memcpy(&s, e->symfile_addr + head.e_shoff + (size_t)k * sizeof s, sizeof s);
    return s.sh_addr;
}

TEST(cg_loader, gdb_gets_the_object)
{
    static const int word = 4;
    elf_object b = address_of_words(SHT_PROGBITS, SHF_ALLOC, 4, &word, sizeof word);
    setenv("HEDDLE_GDB", "1", 1);
    hdi_cg_loader_reread();
    void *f = load(&b), *g = load(&b), *h = load(&b);
    REQUIRE(f != NULL && g != NULL && h != NULL);
    const struct jit_code_entry *e = __jit_debug_descriptor.first_entry;
    REQUIRE(e != NULL && e->next_entry != NULL && e->next_entry->next_entry != NULL);
    CHECK_EQ_I64(__jit_debug_descriptor.version, 1);
    CHECK(noted_address(e, 1) == (uint64_t)(uintptr_t)h);
    CHECK(noted_address(e, 2) == (uint64_t)run64(h));
    CHECK(noted_address(e->next_entry, 1) == (uint64_t)(uintptr_t)g);
    hdi_cg_unload(g);
    CHECK(e->next_entry->prev_entry == e && noted_address(e->next_entry, 1) == (uint64_t)(uintptr_t)f);
    hdi_cg_unload(h);
    hdi_cg_unload(f);
    CHECK(__jit_debug_descriptor.first_entry == NULL);
    unsetenv("HEDDLE_GDB");
    hdi_cg_loader_reread();
}
