/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_grid.h - how a kernel is laid over a grid of GPU threads, and what it is given at launch.
 * Owns       hdi_grid, the order of a launch's words
 * Invariant  an hdi_grid says nothing of extents, strides or addresses, only of their kinds: with
 *            the kernel it is the key of the code. Bytes that say nothing are 0
 * Threads    plain data
 * Start at   hdi_grid
 * See        docs/design/gpu-kernels.md */
#ifndef HDI_CG_GRID_H
#define HDI_CG_GRID_H

#include "fuse/kernel_ir.h"

/* A group is `lanes` neighbours along the last axis that one thread handles as a vector. */
typedef enum hdi_grid_map {
    HDI_GRID_ELEMENTS,   /* no reductions: groups over all axes */
    HDI_GRID_TILES,      /* no reductions, and operands that lie the other way round: a thread takes
                            `lanes` groups, one below the other along the axis before the last */
    HDI_GRID_ROWS,       /* `across` threads of a block share a kept index; groups lie along the
                            reduced axes */
    HDI_GRID_COLUMNS     /* groups lie along the kept axes; `across` rows of a block's threads share
                            them */
} hdi_grid_map;

/* How an operand's elements of one group lie. Positions are DENSE where they ascend by 1, the first
 * being a multiple of the group's size, and LOW if besides all are numbers of 32 bits. */
typedef enum hdi_grid_how {
    HDI_GRID_SPLAT,      /* one element for the group */
    HDI_GRID_DENSE,      /* neighbours, and the first one at a multiple of their bytes */
    HDI_GRID_STRIDED,
    HDI_GRID_TURNED,     /* TILES: neighbours along the axis before the last */
    HDI_GRID_LOW,
    /* lanes are 1: along some axes from an element in the middle on, then from the first. Added to
     * it is a bit for each of these axes; of those from HDI_GRID_WRAP_BITS on nothing is known */
    HDI_GRID_WRAPPED = 8
} hdi_grid_how;
enum { HDI_GRID_WRAP_BITS = 6 };

/* Reductions: how often a thread takes all of the groups that it has in flight. */
typedef enum hdi_grid_turns {
    HDI_GRID_TURNS_ANY,
    HDI_GRID_TURN_WHOLE, /* once */
    HDI_GRID_TURN_PART   /* once, and not all of them are there */
} hdi_grid_turns;

typedef struct hdi_grid {
    uint8_t arch;        /* 75, 80, 90 */
    uint8_t map;         /* hdi_grid_map */
    uint8_t kept, reduced;     /* axes; ELEMENTS: all are kept */
    uint8_t lanes;       /* 1, 2, 4, 8, 16 */
    uint8_t unroll;      /* groups that a thread has in flight */
    uint8_t turns;       /* hdi_grid_turns */
    bool wide;           /* numbers of elements and offsets in bytes need 64 bits */
    bool tail;           /* ELEMENTS, one axis: a few elements are left after the last group */
    uint8_t split;       /* do several blocks share a row (their partial results meet in memory) */
    bool unaligned;      /* elements may lie at any byte */
    bool words_in_memory;      /* too many for parameters */
    uint16_t threads;    /* of a block */
    /* ROWS of several phases: instruction held - 1 costs more than a few operations, and what it
     * gives in the first phase that needs it waits in shared memory for the others; 0: there is
     * none */
    uint16_t held;
    uint16_t held_bytes; /* of a block's rows, rounded up */
    uint16_t across;     /* threads that share a kept index: a power of 2 */
    uint8_t how[HDI_KERNEL_MAX_SLOTS];
} hdi_grid;

/* The words of a launch, 64 bits each. First what every kernel has, then the axes, then the slots.
 * Axes are kept before reduced, slowest first; the last one that groups lie along counts groups. */
enum {
    HDI_WORD_GROUPS,     /* ELEMENTS: of the grid. ROWS: of a row. COLUMNS: of the kept index */
    HDI_WORD_KEPT,       /* ROWS: kept indices. ELEMENTS: elements left after the groups */
    HDI_WORD_REDUCED,    /* COLUMNS: elements of a column. ROWS: elements of a row */
    /* TILES: tiles along the last axis, and along the one before it */
    HDI_WORD_TILES_LAST = HDI_WORD_KEPT, HDI_WORD_TILES_BEFORE = HDI_WORD_REDUCED,
    HDI_WORD_SEGMENT,    /* reductions: groups (COLUMNS: elements) of a row that a block takes */
    HDI_WORD_SPLITS,     /* blocks that share a row */
    HDI_WORD_PARTIALS,   /* address of their results: 16 bytes each */
    HDI_WORD_COUNTERS,   /* address of a 32-bit zero for each block of rows; 0 again afterwards */
    HDI_WORD_AXES
};

/* An axis: its extent, and by what to divide by it: q = n * multiplier >> shift for n < 2^31. */
enum { HDI_AXIS_EXTENT, HDI_AXIS_MULTIPLIER, HDI_AXIS_SHIFT, HDI_AXIS_WORDS };

static inline int hdi_grid_axes(const hdi_grid *g)
{
    return g->kept + g->reduced;
}

/* A scalar: two words of it. An array: its address, then a stride in bytes for each axis; if it is
 * wrapped, then where it begins along each axis. An index: its first value, then a stride for each
 * axis. */
static inline int hdi_grid_slot_words(const hdi_grid *g, const hdi_kernel *k, int slot)
{
    return k->slots[slot].kind == HDI_SLOT_SCALAR
               ? 2
               : 1 + hdi_grid_axes(g) * (g->how[slot] >= HDI_GRID_WRAPPED ? 2 : 1);
}

/* hdi_grid_wraps - may the operand begin in the middle of that axis? */
static inline bool hdi_grid_wraps(const hdi_grid *g, int slot, int axis)
{
    const int how = g->how[slot];
    return how >= HDI_GRID_WRAPPED &&
           (axis >= HDI_GRID_WRAP_BITS || (how - HDI_GRID_WRAPPED) >> axis & 1);
}

/* hdi_grid_slot_at - number of the slot's first word; slot nslots: how many words there are. */
static inline int hdi_grid_slot_at(const hdi_grid *g, const hdi_kernel *k, int slot)
{
    int at = HDI_WORD_AXES + HDI_AXIS_WORDS * hdi_grid_axes(g);
    for (int s = 0; s < slot; s++)
        at += hdi_grid_slot_words(g, k, s);
    return at;
}

/* hdi_grid_partials - entries of HDI_PARTIAL_BYTES that a block leaves per kept index when several
 * share it: a value for each reduction, and a position for some. */
static inline int hdi_grid_partials(const hdi_kernel *k)
{
    int n = 0;
    for (int i = 0; i < k->ninst; i++)
        if (k->inst[i].kind == KIR_REDUCE)
            n += hdi_is_position(k->inst[i].op) ? 2 : 1;
    return n;
}

/* hdi_grid_is_keyed - are value and position of this argmin or argmax one number of 64 bits, the
 * largest of which is looked for? */
static inline bool hdi_grid_is_keyed(const hdi_grid *g, const hdi_kinst *i)
{
    bool fits = i->cdt == HD_BOOL || i->cdt == HD_INT8 || i->cdt == HD_UINT8 ||
                i->cdt == HD_INT16 || i->cdt == HD_UINT16 || i->cdt == HD_INT32 ||
                i->cdt == HD_UINT32 || i->cdt == HD_FLOAT32;
    return hdi_is_position(i->op) && fits && !g->wide;
}

static inline bool hdi_grid_stores(const hdi_kinst *i)
{
    return i->kind == KIR_STORE || i->kind == KIR_ATOMIC;
}

/* hdi_grid_has_offset - is the operand that inst i reads or writes one with an offset? */
static inline bool hdi_grid_has_offset(const hdi_kernel *k, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    return (inst->kind == KIR_LOAD || hdi_grid_stores(inst)) && k->slots[inst->slot].by != 0;
}

/* hdi_grid_uses - the values that inst i uses, its arguments and its operand's offset; how many.
 * hdi_grid_needs - which FULL values the loop over phase `phase` computes: what its reductions, and
 * in the last phase the stores, depend on. need: one for each instruction. known: an instruction
 * whose value is there already, so that what it depends on is not needed for it, or -1.
 * hdi_grid_held_value - the instruction that a kernel's layout should hold, or -1;
 * hdi_grid_first_need - the first phase that needs i. */
enum { HDI_GRID_USES = 4 };   /* at most */
int hdi_grid_uses(const hdi_kernel *k, int i, uint16_t *value);
void hdi_grid_needs(const hdi_kernel *k, int phase, int known, bool *need);
int hdi_grid_held_value(const hdi_kernel *k);
int hdi_grid_first_need(const hdi_kernel *k, int i);
enum { HDI_GRID_HELD_BYTES = 40 << 10 };   /* at most; several blocks share a multiprocessor */

enum { HDI_GRID_PARAMETER_WORDS = 480 };   /* what every driver takes as parameters: 4 KB */
enum { HDI_PARTIAL_BYTES = 16 };
/* A tile is so many groups wide, and so many times `lanes` groups high: a warp's threads stand 4
 * beside and 8 below each other, so that both ways whole sectors of the cache are used. */
enum { HDI_TILE_GROUPS = 16 };
enum { HDI_GRID_MOST_UNROLL = 4 };
#define HDI_GRID_ENTRY "heddle_grid"

/* Tier 0 of GPUs has one kernel. Its words go by value, or, if there are more than parameters take,
 * by their address, which is then the second word. They are in shared memory, of which a
 * multiprocessor has room for as many as its threads need. */
enum { HDI_TIER0_WORDS = 1536, HDI_TIER0_THREADS = 256 };
#define HDI_TIER0_ENTRY HDI_GRID_ENTRY

/* hdi_grid_waits - functions for this architecture wait themselves, before they touch memory, for
 * what the kernel before them wrote. */
static inline bool hdi_grid_waits(int arch)
{
    return arch >= 90;
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* A function of one block that runs any list of kernels out of a set, one after the other: all
 * blocks of a kernel in turn, then its threads meet. Its key is the set: which of the kernels, in
 * which order and how often, is said by words. */
enum { HDI_SEQUENCE_BODIES = 8 };
typedef struct hdi_grid_kernel { const hdi_kernel *k; const hdi_grid *g; } hdi_grid_kernel;
typedef struct hdi_sequence {
    int nbodies;
    bool alone;              /* just body[0], launched as itself */
    hdi_grid_kernel body[HDI_SEQUENCE_BODIES];
} hdi_sequence;

/* Words of a sequence: then one for each kernel to run, and those kernels' own words. */
enum {
    HDI_SEQUENCE_COUNT,      /* kernels to run, at least 1 */
    HDI_SEQUENCE_KERNELS
};
/* A kernel to run: number of its body, where its words are, how many blocks it has. */
enum { HDI_SEQUENCE_AT_SHIFT = 8, HDI_SEQUENCE_BLOCKS_SHIFT = 32 };

static inline uint64_t hdi_sequence_kernel(int body, int at, int64_t blocks)
{
    return (uint64_t)body | (uint64_t)at << HDI_SEQUENCE_AT_SHIFT |
           (uint64_t)blocks << HDI_SEQUENCE_BLOCKS_SHIFT;
}

#endif
