/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_arena.h - executable memory, cut into pieces for kernels.
 * Owns       chunks of 256 KB (larger for a larger piece). A chunk's memory is mapped twice, once
 *            to write and once to run, so that no page can ever be both; where the system refuses
 *            that, pages are private and change from the one to the other
 * Invariant  what a forked process can run is never written again by the other side: the child
 *            takes nothing from chunks of its parent, and the parent does not hand out again what
 *            was taken at a fork()
 * Threads    the caller holds the loader's lock, also around fork()
 * Memory     three mappings per chunk, so the system's limit of 65,530 leaves room for millions
 *            of kernels
 * Start at   hdi_cg_arena_take() */
#ifndef HDI_CG_ARENA_H
#define HDI_CG_ARENA_H

#include "codegen/cg_loader.h"

typedef struct hdi_cg_piece {
    uint8_t *code;    /* where it runs */
    uint8_t *write;   /* the same bytes, writable until hdi_cg_arena_seal() */
    uint8_t *data;    /* as many bytes of private memory, readable and writable for good */
    size_t bytes;
} hdi_cg_piece;

enum { HDI_CG_ALIGN_MAX = 4096 };

/* hdi_cg_arena_take - a piece of at least `bytes` at a multiple of align, a power of two up to
 * HDI_CG_ALIGN_MAX. Its contents are undefined. HD_NOMEM, or HD_UNSUPPORTED where executable
 * memory is not allowed. */
hd_status hdi_cg_arena_take(size_t bytes, size_t align, hdi_cg_piece *out);
/* hdi_cg_arena_seal - the piece is written; from now on every processor runs what is in it. */
hd_status hdi_cg_arena_seal(const hdi_cg_piece *piece);
/* hdi_cg_arena_give - gives back the piece that this address lies in. */
void hdi_cg_arena_give(const void *inside);

/* hdi_cg_arena_forked - tells of a fork(), in each of the two processes. */
void hdi_cg_arena_forked(bool child);
void hdi_cg_arena_stats(hdi_cg_code_stats *out);

/* How memory is made executable: HDI_CG_PAGES leaves out mapping twice, HDI_CG_REFUSED everything.
 * For new pieces; those that exist stay as they are. */
typedef enum hdi_cg_way { HDI_CG_TWICE, HDI_CG_PAGES, HDI_CG_REFUSED } hdi_cg_way;
void hdi_cg_arena_set_way(hdi_cg_way way);

#endif
