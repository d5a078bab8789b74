/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_names.c - the name of an instruction, taken apart: "ld.volatile.global.v2.f32". */
#include <string.h>

#include "ptx_code.h"

static const struct { const char *name, *takes; ptx_handler *ints, *singles, *doubles; ptx_form form; }
ops[] = {
#define OP(name, takes, ints, singles, doubles, operands, ndest, nsrc) \
    {name, takes, ptx_##ints, ptx_##singles, ptx_##doubles, {NULL, ndest, nsrc, operands}},
#include "ptx_ops.def"
};

static const char *const words[] = {
    "",
#define WORD(name) #name,
#include "ptx_words.def"
};

bool ptx_type_named(const char *name, size_t n, ptx_type *type)
{
    static const struct { const char *name; ptx_type type; } types[] = {
        {"u8", {'u', 8}},   {"u16", {'u', 16}}, {"u32", {'u', 32}}, {"u64", {'u', 64}},
        {"s8", {'s', 8}},   {"s16", {'s', 16}}, {"s32", {'s', 32}}, {"s64", {'s', 64}},
        {"b8", {'b', 8}},   {"b16", {'b', 16}}, {"b32", {'b', 32}}, {"b64", {'b', 64}},
        {"f16", {'f', 16}}, {"f32", {'f', 32}}, {"f64", {'f', 64}}, {"pred", {'p', 8}}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strlen(types[k].name) == n && memcmp(types[k].name, name, n) == 0) {
            *type = types[k].type;
            return true;
        }
    return false;
}

static bool among(const char *list, const char *name, size_t n)
{
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        if (length == n && memcmp(list, name, n) == 0)
            return true;
        list += length + strspn(list + length, " ");
    }
    return false;
}

static bool is(const char *name, size_t n, const char *what)
{
    return strlen(what) == n && memcmp(name, what, n) == 0;
}

/* A modifier that the instruction may have. Those that say nothing to a host that does one thing
 * after the other (volatile, .gpu) have no place in the instruction. */
static void note(const char *name, size_t n, ptx_ins *i)
{
    static const char *const spaces[] = {"", "global", "shared", "local", "param"};
    if (n >= 2 && n <= 3 && name[0] == 'r' && strchr("nzmp", name[1]) != NULL &&
        (n == 2 || name[2] == 'i')) {
        i->round = name[1];
        i->integral = n == 3;
        return;
    }
    if (is(name, n, "sat"))
        i->saturates = true;
    if (is(name, n, "v2") || is(name, n, "v4"))
        i->lanes = (uint8_t)(name[1] - '0');
    for (uint8_t s = PTX_GLOBAL; s <= PTX_PARAM; s++)
        if (is(name, n, spaces[s]))
            i->space = s;
    for (uint8_t w = 1; w < sizeof words / sizeof *words; w++)
        if (is(name, n, words[w]))
            i->word[i->word[0] != 0] = w;
}

static bool note_all(const char *name, const char *takes, ptx_ins *i)
{
    int ntypes = 0;
    i->lanes = 1;
    while (*name == '.') {
        size_t n = strcspn(++name, ".");
        if (ptx_type_named(name, n, ntypes == 0 ? &i->type : &i->from))
            ntypes++;
        else if (among(takes, name, n))
            note(name, n, i);
        else
            return false;
        name += n;
    }
    return ntypes <= 2 && *name == '\0';
}

ptx_form ptx_handle(const char *name, ptx_ins *i)
{
    size_t n = strcspn(name, ".");
    ptx_form form = {0};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        if (!is(name, n, ops[k].name) || !note_all(name + n, ops[k].takes, i))
            continue;
        form = ops[k].form;
        form.run = i->type.kind != 'f'    ? ops[k].ints
                   : i->type.bits == 64   ? ops[k].doubles
                   : i->type.bits == 32   ? ops[k].singles
                   : ops[k].ints == ptx_cvt ? ptx_cvt : ptx_unknown;
        bool half = i->type.bits == 16 && i->type.kind == 'f';
        if (form.run == ptx_unknown || (i->from.bits != 0) != (ops[k].ints == ptx_cvt) ||
            (half && i->round != 'n'))
            form.run = NULL;
    }
    return form;
}
