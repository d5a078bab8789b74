/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_correlate_text.c - the PTX of a sliding window.
 *
 * A block copies what lies beneath a piece of the window to shared memory, ends included, and the
 * piece itself. A thread has fifteen results below each other, whose sums stay in registers; for
 * each column of the piece fifteen elements of x slide through fifteen registers, so that a step
 * down the window costs one element of x and one of the window for fifteen products. The number is
 * odd so that with one column, where threads lie below each other, they meet no bank twice.
 *
 * An element's sum goes over the pieces, rows of pieces first, and in each piece column after
 * column downwards; products of reals are fused with it. The order depends on nothing else. Sums of
 * reals over one axis, whose windows may be long, are the sum of the pieces' sums: one that runs
 * through thousands of products lost three bits more than NumPy's. */
#include <stdio.h>

#include "backend/cuda/cuda_correlate.h"

/* SLOTS: of shared memory, for R elements of a window's column */
enum { R = HDI_SLIDE_OUTPUTS, SLOTS = 16 };

/* How a dtype is held and multiplied. */
typedef struct element {
    hd_dtype dt;
    char kind;               /* f, i; b: and, or */
    int lanes;               /* 2 of complex numbers */
    int bytes;               /* of a lane in a register, and in shared memory */
    const char *reg, *mem;   /* types of a register, of a lane in memory */
} element;

static const element elements[] = {
    {HD_BOOL, 'b', 1, 4, "b32", "u8"},       {HD_INT8, 'i', 1, 4, "b32", "s8"},
    {HD_UINT8, 'i', 1, 4, "b32", "u8"},      {HD_INT16, 'i', 1, 4, "b32", "s16"},
    {HD_UINT16, 'i', 1, 4, "b32", "u16"},    {HD_INT32, 'i', 1, 4, "b32", "b32"},
    {HD_UINT32, 'i', 1, 4, "b32", "b32"},    {HD_INT64, 'i', 1, 8, "b64", "b64"},
    {HD_UINT64, 'i', 1, 8, "b64", "b64"},    {HD_FLOAT32, 'f', 1, 4, "f32", "f32"},
    {HD_FLOAT64, 'f', 1, 8, "f64", "f64"},   {HD_COMPLEX64, 'f', 2, 4, "f32", "f32"},
    {HD_COMPLEX128, 'f', 2, 8, "f64", "f64"},
};

static const element *element_of(hd_dtype dt)
{
    size_t k = 0;
    while (elements[k].dt != dt)
        k++;
    return &elements[k];
}

hdi_slide_shape hdi_cuda_slide_shape(hdi_slide_kind kind)
{
    const element *e = element_of((hd_dtype)kind.dt);
    bool large = e->lanes * e->bytes == 16;   /* so that shared memory is enough */
    if (kind.flat)
        return (hdi_slide_shape){1, large ? 64 : 128, 16 * R, 1};
    return large ? (hdi_slide_shape){32, 2, R, 16} : (hdi_slide_shape){64, 2, 2 * R, 16};
}

/* The text being written. */
typedef struct writer {
    hdi_strbuf *to;
    const element *e;
    hdi_slide_kind kind;
    hdi_slide_shape s;
    int item;                /* bytes of an element in shared memory */
    int pitch;               /* elements of a row of x there */
    int loads;               /* columns of x that a thread copies */
    int labels;
    bool totals;             /* has each piece a sum of its own? */
    bool strict;             /* may products with what is beyond x have to be left out? */
} writer;

static const char plane[2] = {'r', 'i'};   /* register names of the parts of a number */

#define PUT(...) hdi_strbuf_add(w->to, __VA_ARGS__)

/* ---- parts ----------------------------------------------------------------------------------- */

/* Lane k of an element, in bytes from its first one. */
static int lane_at(const writer *w, bool shared, int k)
{
    int item = shared ? w->item : (int)hd_dtype_size((hd_dtype)w->kind.dt);
    return k * item / w->e->lanes;
}

/* Registers %NAMEr and %NAMEi from memory, or to it. */
static void put_load(writer *w, const char *space, const char *name, int number,
                     const char *address, int offset, const char *guard)
{
    bool shared = space[0] == 's';
    if (shared && w->e->lanes == 2) {
        PUT("%sld.shared.v2.%s {%%%sr%d, %%%si%d}, [%%%s+%d];\n", guard, w->e->reg, name, number,
            name, number, address, offset);
        return;
    }
    for (int k = 0; k < w->e->lanes; k++)
        PUT("%sld.%s.%s %%%s%c%d, [%%%s+%d];\n", guard, space, shared ? w->e->reg : w->e->mem,
            name, plane[k], number, address, offset + lane_at(w, shared, k));
}

static void put_store(writer *w, const char *space, const char *name, int number,
                      const char *address, int offset, const char *guard)
{
    bool shared = space[0] == 's';
    for (int k = 0; k < w->e->lanes; k++)
        PUT("%sst.%s.%s [%%%s+%d], %%%s%c%d;\n", guard, space, shared ? w->e->reg : w->e->mem,
            address, offset + lane_at(w, shared, k), name, plane[k], number);
}

/* Sum number a and the product of x number b with the window's element number c. */
static void put_product(writer *w, int a, int b, int c, const char *guard)
{
    const char *t = w->e->reg;
    if (w->e->kind == 'b') {
        PUT("%sand.b32 %%bits, %%xr%d, %%wr%d;\n%sor.b32 %%ar%d, %%ar%d, %%bits;\n", guard, b, c,
            guard, a, a);
    } else if (w->e->kind == 'i') {
        PUT("%smad.lo.%s %%ar%d, %%xr%d, %%wr%d, %%ar%d;\n", guard,
            w->e->bytes == 8 ? "s64" : "s32", a, b, c, a);
    } else {
        PUT("%sfma.rn.%s %%ar%d, %%xr%d, %%wr%d, %%ar%d;\n", guard, t, a, b, c, a);
        if (w->e->lanes == 1)
            return;
        PUT("%sfma.rn.%s %%ar%d, %%xi%d, %%wn%d, %%ar%d;\n", guard, t, a, b, c, a);
        PUT("%sfma.rn.%s %%ai%d, %%xr%d, %%wi%d, %%ai%d;\n", guard, t, a, b, c, a);
        PUT("%sfma.rn.%s %%ai%d, %%xi%d, %%wr%d, %%ai%d;\n", guard, t, a, b, c, a);
    }
}

/* The window's element number `number` at wp. */
static void put_tap(writer *w, int number, int offset)
{
    put_load(w, "shared", "w", number, "wp", offset, "");
    if (w->e->lanes == 2)
        PUT("neg.%s %%wn%d, %%wi%d;\n", w->e->reg, number, number);
}

/* Where index %i of the extended axis is among %n elements; predicate %ok: is it there? */
static void put_place(writer *w, const char *i, const char *n, const char *ok)
{
    int label = w->labels++;
    PUT("setp.lt.u64 %%%s, %%%s, %%%s;\n", ok, i, n);
    if (w->kind.beyond == HDI_BEYOND_FILL)
        return;
    bool wraps = w->kind.beyond == HDI_BEYOND_WRAP;
    PUT("@%%%s bra PLACE%d;\n", ok, label);
    PUT("mov.b64 %%period, %%%s;\n", n);
    if (!wraps)
        PUT("add.s64 %%period, %%period, %%period;\n");
    PUT("rem.s64 %%%s, %%%s, %%period;\nsetp.lt.s64 %%neg, %%%s, 0;\n"
        "@%%neg add.s64 %%%s, %%%s, %%period;\n", i, i, i, i, i);
    if (!wraps)
        PUT("setp.ge.s64 %%neg, %%%s, %%%s;\n@%%neg sub.s64 %%%s, %%period, %%%s;\n"
            "@%%neg sub.s64 %%%s, %%%s, 1;\n", i, n, i, i, i, i);
    PUT("setp.eq.s64 %%%s, %%g0, %%g0;\nPLACE%d:\n", ok, label);
}

/* ---- the kernel, from its head to its end ---------------------------------------------------- */

static void put_registers(writer *w)
{
    const char *t = w->e->reg;
    PUT(".reg .pred %%p, %%q, %%neg, %%odd, %%have, %%inside, %%c<4>, %%y<8>, %%in<8>;\n");
    PUT(".reg .b32 %%th, %%tx, %%ty, %%b, %%bx, %%by, %%across, %%k, %%l, %%e, %%n, %%kyp, %%kxp, "
        "%%rows, %%cols, %%r, %%rr, %%sp, %%xp, %%xn, %%wp, %%xbase, %%left, %%bits, %%flag, "
        "%%t32;\n");
    PUT(".reg .b64 %%g<%d>, %%col0, %%row0, %%top, %%side, %%k0, %%l0, %%i, %%period, %%a, %%t, "
        "%%u, %%o<4>, %%rowat;\n", HDI_SLIDE_WORDS);
    if (w->totals)
        PUT(".reg .%s %%tr<%d>, %%ti<%d>;\n", t, R, R);
    PUT(".reg .%s %%ar<%d>, %%ai<%d>, %%xr<%d>, %%xi<%d>, %%wr<2>, %%wi<2>, %%wn<2>, "
        "%%fr<1>, %%fi<1>, %%vr<16>, %%vi<16>;\n", t, R, R, R, R);
}

/* Where the block and the thread are; what is beyond x; sums of 0. */
static void put_start(writer *w)
{
    int across = 0;
    while (1 << across < w->s.across)
        across++;
    for (int k = 0; k < HDI_SLIDE_WORDS; k++)
        PUT("ld.param.u64 %%g%d, [p+%d];\n", k, 8 * k);
    PUT("mov.u32 %%th, %%tid.x;\nand.b32 %%tx, %%th, %d;\nshr.u32 %%ty, %%th, %d;\n",
        w->s.across - 1, across);
    PUT("mov.u32 %%b, %%ctaid.x;\ncvt.u32.u64 %%across, %%g%d;\ndiv.u32 %%by, %%b, %%across;\n"
        "mul.lo.u32 %%bx, %%by, %%across;\nsub.u32 %%bx, %%b, %%bx;\n", HDI_SLIDE_ACROSS);
    PUT("mul.wide.u32 %%col0, %%bx, %d;\nmul.wide.u32 %%row0, %%by, %d;\n", w->s.across,
        w->s.down * R);
    PUT("sub.s64 %%top, %%row0, %%g%d;\nsub.s64 %%side, %%col0, %%g%d;\n", HDI_SLIDE_BEFORE_ROW,
        HDI_SLIDE_BEFORE_COLUMN);
    bool real = w->e->kind == 'f';
    const char *zero = !real ? "0" : w->e->bytes == 8 ? "0d0000000000000000" : "0f00000000";
    for (int k = 0; k < w->e->lanes; k++) {
        PUT("mov.%s %%f%c0, %s;\n", w->e->reg, plane[k], zero);
        for (int j = 0; j < R; j++)
            PUT("mov.%s %%a%c%d, %s;\n", w->e->reg, plane[k], j, zero);
        for (int j = 0; j < R && w->totals; j++)
            PUT("mov.%s %%t%c%d, %s;\n", w->e->reg, plane[k], j, zero);
    }
    PUT("setp.ne.u64 %%p, %%g%d, 0;\n", HDI_SLIDE_FILL);
    put_load(w, "global", "f", 0, "g3", 0, "@%p ");
    _Static_assert(HDI_SLIDE_FILL == 3 && HDI_SLIDE_OUT == 2 && HDI_SLIDE_XM == 4 &&
                       HDI_SLIDE_XN == 5, "named in the text");
    PUT("mul.lo.u32 %%xbase, %%ty, %d;\nadd.u32 %%xbase, %%xbase, %%tx;\n", R * w->pitch);
    PUT("mul.lo.u32 %%xbase, %%xbase, %d;\nmov.u32 %%t32, xs;\nadd.u32 %%xbase, %%xbase, %%t32;\n",
        w->item);
}

/* Column tx + i * across of x beneath the piece: is it to be copied (%cI), is it there (%inI), its
 * place (%oI). */
static void put_columns(writer *w)
{
    for (int i = 0; i < w->loads; i++) {
        char name[16], ok[16];
        snprintf(name, sizeof name, "o%d", i);
        snprintf(ok, sizeof ok, "in%d", i);
        PUT("add.u32 %%t32, %%tx, %d;\nsetp.lt.u32 %%c%d, %%t32, %%cols;\n", i * w->s.across, i);
        PUT("cvt.u64.u32 %%o%d, %%t32;\nadd.s64 %%o%d, %%o%d, %%side;\n"
            "add.s64 %%o%d, %%o%d, %%l0;\n", i, i, i, i, i);
        put_place(w, name, "g5", ok);
        PUT("mul.lo.s64 %%o%d, %%o%d, %%g%d;\nadd.s64 %%o%d, %%o%d, %%g%d;\n", i, i,
            HDI_SLIDE_XCOLUMN, i, i, HDI_SLIDE_X);
    }
}

/* What lies beneath the piece, several rows in flight. */
static void put_copy_x(writer *w)
{
    const int unroll = 4, step = w->s.down;
    put_columns(w);
    PUT("mov.u32 %%r, %%ty;\nCOPY:\nsetp.ge.u32 %%p, %%r, %%rows;\n@%%p bra COPIED;\n");
    for (int u = 0; u < unroll; u++) {
        char ok[16];
        snprintf(ok, sizeof ok, "y%d", u);
        PUT("add.u32 %%rr, %%r, %d;\nsetp.lt.u32 %%have, %%rr, %%rows;\n", u * step);
        PUT("cvt.u64.u32 %%i, %%rr;\nadd.s64 %%i, %%i, %%top;\nadd.s64 %%i, %%i, %%k0;\n");
        put_place(w, "i", "g4", ok);
        PUT("and.pred %%y%d, %%y%d, %%have;\nmul.lo.s64 %%rowat, %%i, %%g%d;\n", u, u,
            HDI_SLIDE_XROW);
        for (int i = 0; i < w->loads; i++) {
            int v = u * w->loads + i;
            PUT("and.pred %%q, %%y%d, %%in%d;\nand.pred %%q, %%q, %%c%d;\n"
                "add.s64 %%a, %%rowat, %%o%d;\n", u, i, i, i);
            for (int k = 0; k < w->e->lanes; k++)
                PUT("mov.%s %%v%c%d, %%f%c0;\n", w->e->reg, plane[k], v, plane[k]);
            put_load(w, "global", "v", v, "a", 0, "@%q ");
        }
    }
    PUT("mul.lo.u32 %%sp, %%r, %d;\nadd.u32 %%sp, %%sp, %%tx;\nmul.lo.u32 %%sp, %%sp, %d;\n"
        "mov.u32 %%t32, xs;\nadd.u32 %%sp, %%sp, %%t32;\n", w->pitch, w->item);
    for (int u = 0; u < unroll; u++) {
        PUT("add.u32 %%rr, %%r, %d;\nsetp.lt.u32 %%have, %%rr, %%rows;\n", u * step);
        for (int i = 0; i < w->loads; i++) {
            PUT("and.pred %%q, %%have, %%c%d;\n", i);
            put_store(w, "shared", "v", u * w->loads + i, "sp",
                      (u * step * w->pitch + i * w->s.across) * w->item, "@%q ");
        }
    }
    PUT("add.u32 %%r, %%r, %d;\nbra COPY;\nCOPIED:\n", unroll * step);
}

/* The piece of the window; is all of it finite? */
static void put_copy_window(writer *w)
{
    PUT("mov.u32 %%flag, 0;\nmul.lo.u32 %%n, %%kyp, %%kxp;\nmov.u32 %%e, %%th;\n");
    PUT("WINDOW:\nsetp.ge.u32 %%p, %%e, %%n;\n@%%p bra WHOLE;\n");
    PUT("div.u32 %%k, %%e, %%kxp;\nmul.lo.u32 %%l, %%k, %%kxp;\nsub.u32 %%l, %%e, %%l;\n");
    PUT("cvt.u64.u32 %%t, %%k;\nadd.s64 %%t, %%t, %%k0;\nmul.lo.s64 %%t, %%t, %%g%d;\n"
        "cvt.u64.u32 %%u, %%l;\nadd.s64 %%u, %%u, %%l0;\nmul.lo.s64 %%u, %%u, %%g%d;\n"
        "add.s64 %%a, %%g%d, %%t;\nadd.s64 %%a, %%a, %%u;\n", HDI_SLIDE_YROW, HDI_SLIDE_YCOLUMN,
        HDI_SLIDE_Y);
    put_load(w, "global", "v", 0, "a", 0, "");
    for (int k = 0; k < w->e->lanes && w->strict; k++)
        PUT("testp.finite.%s %%q, %%v%c0;\n@!%%q mov.u32 %%flag, 1;\n", w->e->reg, plane[k]);
    PUT("div.u32 %%t32, %%k, %d;\nadd.u32 %%k, %%k, %%t32;\n", R);   /* 16 slots for 15 */
    PUT("mul.lo.u32 %%l, %%l, %d;\nadd.u32 %%l, %%l, %%k;\nmul.lo.u32 %%l, %%l, %d;\n"
        "mov.u32 %%t32, ws;\nadd.u32 %%l, %%l, %%t32;\n", w->s.rows / R * SLOTS, w->item);
    put_store(w, "shared", "v", 0, "l", 0, "");
    PUT("add.u32 %%e, %%e, %d;\nbra WINDOW;\nWHOLE:\n", w->s.across * w->s.down);
    if (w->strict)
        PUT("setp.ne.u32 %%p, %%flag, 0;\nbar.red.or.pred %%odd, 0, %%p;\n");
    else
        PUT("bar.sync 0;\n");
}

/* One step down the window, number q of fifteen. */
static void put_step(writer *w, int q, int tap)
{
    for (int j = 0; j < R; j++)
        put_product(w, j, (j + q) % R, tap, "");
    put_load(w, "shared", "x", q, "xn", q * w->pitch * w->item, "");
}

static void put_sums(writer *w)
{
    PUT("mov.u32 %%l, 0;\nCOLUMN:\n");
    PUT("mul.lo.u32 %%xp, %%l, %d;\nadd.u32 %%xp, %%xp, %%xbase;\n", w->item);
    PUT("mul.lo.u32 %%wp, %%l, %d;\nmov.u32 %%t32, ws;\nadd.u32 %%wp, %%wp, %%t32;\n",
        w->s.rows / R * SLOTS * w->item);
    for (int j = 0; j < R; j++)
        put_load(w, "shared", "x", j, "xp", j * w->pitch * w->item, "");
    PUT("add.u32 %%xn, %%xp, %d;\nmov.u32 %%left, %%kyp;\n", R * w->pitch * w->item);
    PUT("FIFTEEN:\nsetp.lt.u32 %%p, %%left, %d;\n@%%p bra REST;\n", R);
    for (int q = 0; q < R; q++) {
        if (w->e->lanes == 2)
            put_tap(w, q % 2, q * w->item);
        else if (q % 2 == 0)     /* two at once: there is room for a sixteenth */
            PUT("ld.shared.v2.%s {%%wr0, %%wr1}, [%%wp+%d];\n", w->e->reg, q * w->item);
        put_step(w, q, q % 2);
    }
    PUT("add.u32 %%xn, %%xn, %d;\nadd.u32 %%wp, %%wp, %d;\nsub.u32 %%left, %%left, %d;\n"
        "bra FIFTEEN;\nREST:\n", R * w->pitch * w->item, SLOTS * w->item, R);
    for (int q = 0; q < R - 1; q++) {
        PUT("setp.le.u32 %%p, %%left, %d;\n@%%p bra DOWN;\n", q);
        put_tap(w, q % 2, q * w->item);
        put_step(w, q, q % 2);
    }
    PUT("DOWN:\nadd.u32 %%l, %%l, 1;\nsetp.lt.u32 %%p, %%l, %%kxp;\n@%%p bra COLUMN;\n");
}

/* The same where products with what is beyond x are left out: 0 times infinity is nan. */
static void put_strict_sums(writer *w)
{
    PUT("bra SUMMED;\nSTRICT:\nmov.u32 %%l, 0;\nSTRICT_COLUMN:\n");
    PUT("cvt.u64.u32 %%t, %%l;\nadd.s64 %%t, %%t, %%side;\nadd.s64 %%t, %%t, %%l0;\n"
        "cvt.u64.u32 %%u, %%tx;\nadd.s64 %%t, %%t, %%u;\nsetp.lt.u64 %%inside, %%t, %%g%d;\n",
        HDI_SLIDE_XN);
    PUT("mul.lo.u32 %%xp, %%l, %d;\nadd.u32 %%xp, %%xp, %%xbase;\nmov.u32 %%k, 0;\nSTRICT_ROW:\n",
        w->item);
    PUT("div.u32 %%t32, %%k, %d;\nadd.u32 %%wp, %%k, %%t32;\nmul.lo.u32 %%t32, %%l, %d;\n"
        "add.u32 %%wp, %%wp, %%t32;\nmul.lo.u32 %%wp, %%wp, %d;\nmov.u32 %%t32, ws;\n"
        "add.u32 %%wp, %%wp, %%t32;\n", R, w->s.rows / R * SLOTS, w->item);
    put_tap(w, 0, 0);
    PUT("mul.lo.u32 %%t32, %%ty, %d;\nadd.u32 %%t32, %%t32, %%k;\ncvt.u64.u32 %%i, %%t32;\n"
        "add.s64 %%i, %%i, %%top;\nadd.s64 %%i, %%i, %%k0;\n", R);
    for (int j = 0; j < R; j++) {
        put_load(w, "shared", "x", 0, "xp", j * w->pitch * w->item, "");
        PUT("add.s64 %%t, %%i, %d;\nsetp.lt.u64 %%q, %%t, %%g%d;\n"
            "and.pred %%q, %%q, %%inside;\n", j, HDI_SLIDE_XM);
        put_product(w, j, 0, 0, "@%q ");
    }
    PUT("add.u32 %%xp, %%xp, %d;\nadd.u32 %%k, %%k, 1;\nsetp.lt.u32 %%p, %%k, %%kyp;\n"
        "@%%p bra STRICT_ROW;\n", w->pitch * w->item);
    PUT("add.u32 %%l, %%l, 1;\nsetp.lt.u32 %%p, %%l, %%kxp;\n@%%p bra STRICT_COLUMN;\n");
}

/* The piece's sums go to those of all pieces, which the results are then made of. */
static void put_totals(writer *w)
{
    const char *t = w->e->reg, *zero = w->e->bytes == 8 ? "0d0000000000000000" : "0f00000000";
    for (int k = 0; k < w->e->lanes && w->totals; k++)
        for (int j = 0; j < R; j++)
            PUT("add.rn.%s %%t%c%d, %%t%c%d, %%a%c%d;\nmov.%s %%a%c%d, %s;\n", t, plane[k], j,
                plane[k], j, plane[k], j, t, plane[k], j, zero);
}

/* Piece after piece of the window. */
static void put_pieces(writer *w)
{
    PUT("mov.b64 %%k0, 0;\nROWS:\nmov.b64 %%l0, 0;\nCOLUMNS:\n");
    PUT("sub.s64 %%t, %%g%d, %%k0;\nmin.s64 %%t, %%t, %d;\ncvt.u32.u64 %%kyp, %%t;\n", HDI_SLIDE_YM,
        w->s.rows);
    PUT("sub.s64 %%t, %%g%d, %%l0;\nmin.s64 %%t, %%t, %d;\ncvt.u32.u64 %%kxp, %%t;\n", HDI_SLIDE_YN,
        w->s.columns);
    PUT("add.u32 %%rows, %%kyp, %d;\nadd.u32 %%cols, %%kxp, %d;\nbar.sync 0;\n",
        w->s.down * R - 1, w->s.across - 1);
    put_copy_x(w);
    put_copy_window(w);
    if (w->strict)
        PUT("setp.ne.u64 %%p, %%g%d, 0;\n@%%p bra PLAIN;\n@%%odd bra STRICT;\nPLAIN:\n",
            HDI_SLIDE_FILL);
    put_sums(w);
    if (w->strict)
        put_strict_sums(w);
    PUT("SUMMED:\n");
    put_totals(w);
    PUT("add.s64 %%l0, %%l0, %d;\nsetp.lt.s64 %%p, %%l0, %%g%d;\n@%%p bra COLUMNS;\n",
        w->s.columns, HDI_SLIDE_YN);
    PUT("add.s64 %%k0, %%k0, %d;\nsetp.lt.s64 %%p, %%k0, %%g%d;\n@%%p bra ROWS;\n", w->s.rows,
        HDI_SLIDE_YM);
}

static void put_results(writer *w)
{
    const char *t = w->e->kind != 'i' ? w->e->reg : w->e->bytes == 8 ? "s64" : "s32";
    PUT("cvt.u64.u32 %%t, %%tx;\nadd.s64 %%t, %%t, %%col0;\nsetp.lt.s64 %%inside, %%t, %%g%d;\n"
        "mul.lo.s64 %%a, %%t, %%g%d;\nadd.s64 %%a, %%a, %%g%d;\n", HDI_SLIDE_ON, HDI_SLIDE_OCOLUMN,
        HDI_SLIDE_OUT);
    PUT("mul.lo.u32 %%t32, %%ty, %d;\ncvt.u64.u32 %%i, %%t32;\nadd.s64 %%i, %%i, %%row0;\n"
        "mul.lo.s64 %%t, %%i, %%g%d;\nadd.s64 %%a, %%a, %%t;\nsetp.ne.u64 %%p, %%g%d, 0;\n", R,
        HDI_SLIDE_OROW, HDI_SLIDE_ADD);
    for (int k = 0; k < w->e->lanes && w->totals; k++)
        for (int j = 0; j < R; j++)
            PUT("mov.%s %%a%c%d, %%t%c%d;\n", w->e->reg, plane[k], j, plane[k], j);
    for (int j = 0; j < R; j++) {
        PUT("setp.lt.s64 %%q, %%i, %%g%d;\nand.pred %%q, %%q, %%inside;\n"
            "and.pred %%have, %%q, %%p;\n", HDI_SLIDE_OM);
        put_load(w, "global", "v", 0, "a", 0, "@%have ");
        for (int k = 0; k < w->e->lanes; k++)
            PUT("@%%have %s.%s %%a%c%d, %%a%c%d, %%v%c0;\n", w->e->kind == 'b' ? "or" : "add", t,
                plane[k], j, plane[k], j, plane[k]);
        put_store(w, "global", "a", j, "a", 0, "@%q ");
        PUT("add.s64 %%a, %%a, %%g%d;\nadd.s64 %%i, %%i, 1;\n", HDI_SLIDE_OROW);
    }
}

void hdi_cuda_slide_text(hdi_slide_kind kind, hdi_strbuf *text)
{
    writer one = {.to = text, .e = element_of((hd_dtype)kind.dt), .kind = kind,
                  .s = hdi_cuda_slide_shape(kind)}, *w = &one;
    w->item = w->e->lanes * w->e->bytes;
    w->pitch = w->s.across + w->s.columns - 1;
    w->loads = (w->pitch + w->s.across - 1) / w->s.across;
    w->totals = w->e->kind == 'f' && kind.flat;
    w->strict = w->e->kind == 'f' && kind.beyond == HDI_BEYOND_FILL;
    PUT(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry " HDI_SLIDE_ENTRY
        "(.param .align 8 .b8 p[%d])\n.maxntid %d, 1, 1\n{\n", 8 * HDI_SLIDE_WORDS,
        w->s.across * w->s.down);
    /* one more row than is filled: the last step down loads what nobody uses */
    PUT(".shared .align 16 .b8 xs[%d];\n.shared .align 16 .b8 ws[%d];\n",
        (w->s.down * R + w->s.rows) * w->pitch * w->item,
        w->s.columns * w->s.rows / R * SLOTS * w->item);
    put_registers(w);
    put_start(w);
    put_pieces(w);
    put_results(w);
    PUT("ret;\n}\n");
}
