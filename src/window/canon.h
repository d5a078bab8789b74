/* SPDX-License-Identifier: BSD-3-Clause */
/* canon.h - a chunk of records in canonical form: what planning may depend on, and nothing else.
 * Owns       hdi_canon, hdi_crecord
 * Invariant  the planner sees only hdi_crecord and hdi_cgen, which are decoded from the key's
 *            words: so equal keys have equal plans by construction. No extent, stride, offset,
 *            scalar value or alignment is in the words
 * Threads    under the library's lock, which marks in buffers and layouts need; a canon is one
 *            thread's at a time
 * Start at   hdi_canon_build()
 * See        docs/design/plan-cache.md */
#ifndef HDI_CANON_H
#define HDI_CANON_H

#include "window/window.h"

enum {
    HDI_MAX_GENS = HDI_RING * 4,
    HDI_KEY_WORDS = HDI_RING * 10 + HDI_RING * HDI_RING / 8 + HDI_MAX_GENS / 8
};

/* Numbers count first occurrences within the chunk. */
typedef struct hdi_coperand {
    uint8_t kind, dt;
    bool whole;        /* the view is dense and fills its buffer */
    /* strides do not grow from axis to axis: reductions over such inputs run in the same order */
    bool c_order;
    uint16_t gen;      /* buffer generation */
    /* layout without broadcasting: equal numbers, equal index maps up to the offset */
    uint16_t core;
    uint16_t view;     /* offset, counted within the generation */
    uint64_t zmask;    /* squeezed axes of the domain it repeats along */
} hdi_coperand;

typedef struct hdi_crecord {
    uint16_t op;
    uint8_t cls, cdt, nin, more;
    bool row_fits, wraps;
    uint16_t domain;   /* symbol of the squeezed extents */
    uint16_t row;      /* reduction: symbol of the kept ones */
    uint64_t sqaxes;
    int nedges, first_edge;
    hdi_coperand operand[1 + HDI_MAX_IN];
} hdi_crecord;

typedef struct hdi_cedge { uint16_t to; uint8_t verdict; } hdi_cedge;

typedef struct hdi_cgen {
    bool live;      /* needed after the chunk */
    bool fresh;     /* has no memory yet */
    bool pinned;    /* somebody outside has its address */
} hdi_cgen;

/* A generation met in the chunk. Views of it are numbered by their offsets; most have one. */
typedef struct hdi_met {
    int64_t off;                           /* view 0 */
    uint16_t refs;                         /* operands in the chunk */
    int16_t more;                          /* view 1 in the list of views, -1 if there is none */
} hdi_met;

typedef struct hdi_numbering {
    uint64_t epoch;                        /* marks of buffers and layouts that are ours */
    int ngens, nlayouts, nviews;
    hdi_met gen[HDI_MAX_GENS];
    int64_t view_off[HDI_MAX_GENS];
    int16_t view_next[HDI_MAX_GENS];
} hdi_numbering;

typedef struct hdi_canon {
    int n, ngens, nwords, nedges;
    bool fusion;
    uint64_t hash;
    hdi_buf *gen[HDI_MAX_GENS];            /* of this chunk, by number */
    uint64_t word[HDI_KEY_WORDS];          /* the key */
    /* decoded on demand: */
    hdi_crecord record[HDI_RING];
    hdi_cgen cgen[HDI_MAX_GENS];
    hdi_cedge edge[HDI_RING * HDI_RING / 2];
    hdi_numbering met;                     /* while the key is made */
} hdi_canon;

/* hdi_canon_build - words, hash and gen[] of the chunk. hdi_canon_decode - record[], cgen[],
 * edge[] from the words alone. */
void hdi_canon_build(hdi_canon *c, const hdi_chunk *chunk);
void hdi_canon_decode(hdi_canon *c);

/* hdi_gen_state - the key's byte on a generation that `refs` operands of the chunk name. */
static inline uint8_t hdi_gen_state(const hdi_buf *b, int refs)
{
    bool live = (b->held | b->pins | b->readers) != 0 || b->recs > refs;
    return (uint8_t)(live | hdi_buf_empty(b) << 1 | (b->pins > 0) << 2);
}

#endif
