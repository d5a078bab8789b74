/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.c - the boxes of a launch with wrapped operands. Two rolled operands over two axes, by one
 * element to and fro, make nine: the inside, four sides, four corners. */
#include "exec/boxes.h"

/* Where an axis is cut: 0 first, its extent last. */
enum { CUTS_MOST = HDI_WRAPS_MOST + 2 };
typedef struct cuts { int n; int64_t at[CUTS_MOST]; } cuts;

static const hdi_operand *operand_of(const hdi_chunk *c, const hdi_kslot *slot)
{
    return &c->record[slot->record]->operand[slot->operand];
}

static const int64_t *wrap_of(const hdi_chunk *c, const hdi_kslot *slot)
{
    return slot->kind == HDI_SLOT_ARRAY ? operand_of(c, slot)->lay->wrap : NULL;
}

static void add_cut(cuts *k, int64_t at)
{
    int i = k->n;
    while (i > 0 && k->at[i - 1] > at)
        i--;
    if (i > 0 && k->at[i - 1] == at)
        return;
    memmove(&k->at[i + 1], &k->at[i], sizeof k->at[0] * (size_t)(k->n - i));
    k->at[i] = at;
    k->n++;
}

/* Of one axis; there are as many boxes as pieces of all axes multiplied. */
static void find_cuts(const hdi_step *step, const hdi_chunk *c, int axis, int64_t extent, cuts *k)
{
    *k = (cuts){2, {0, extent}};
    for (int s = 0; s < step->kernel->nslots; s++) {
        const int64_t *wrap = wrap_of(c, &step->kernel->slots[s]);
        if (wrap != NULL && wrap[axis] > 0)
            add_cut(k, extent - wrap[axis]);
    }
}

/* One box: operands, extents, and the strides of each operand. */
static size_t box_bytes(const hdi_kernel *k, int nd)
{
    const size_t args = (size_t)k->nslots + 1;
    return sizeof(hdi_arg) * args + sizeof(int64_t) * (size_t)nd * (args + 1);
}

size_t hdi_boxes_bytes(const hdi_step *step, const hdi_chunk *c)
{
    if (HDI_LIKELY(!step->wraps))
        return 0;
    const hdi_layout *domain = c->record[step->kernel->domain_record]->domain;
    size_t n = 1;
    for (int a = 0; a < domain->nsq; a++) {
        cuts k;
        find_cuts(step, c, a, domain->sqdims[a], &k);
        n *= (size_t)(k.n - 1);
    }
    return n * (sizeof(hdi_launch) + box_bytes(step->kernel, domain->nsq)) +
           sizeof(int64_t *) * (size_t)step->kernel->nslots;
}

/* Bytes from the operand's first element to the one that it reads at `first` of the domain. */
static int64_t offset_at(const hdi_launch *l, const int64_t *strides, const int64_t *wrap,
                         const int64_t *first)
{
    int64_t off = 0;
    for (int a = 0; a < l->nd; a++) {
        int64_t i = first[a] + (wrap != NULL ? wrap[a] : 0);
        off += strides[a] * (i >= l->dims[a] ? i - l->dims[a] : i);
    }
    return off;
}

/* Its strides along the axes that the box has. */
static const int64_t *keep_axes(const int64_t *strides, uint64_t kept, int nd, int64_t **room)
{
    int64_t *own = *room;
    for (int a = 0; a < nd; a++)
        if (kept >> a & 1)
            *(*room)++ = strides[a];
    return own;
}

static bool is_linear(const hdi_launch *box, const int64_t *strides, int64_t item)
{
    for (int a = box->nd - 1; a >= 0; a--) {
        if (strides[a] != item)
            return false;
        item *= box->dims[a];
    }
    return true;
}

static void bind_operand(const hdi_chunk *c, const hdi_kslot *slot, const hdi_launch *l,
                         const int64_t *first, uint64_t kept, hdi_launch *box, hdi_arg *arg,
                         int64_t **room)
{
    if (slot->kind == HDI_SLOT_SCALAR)
        return;
    const int64_t off = offset_at(l, arg->strides, wrap_of(c, slot), first);
    arg->strides = keep_axes(arg->strides, kept, l->nd, room);
    if (slot->kind == HDI_SLOT_INDEX) {
        arg->base += off;
        return;
    }
    arg->ptr += off;
    arg->linear = is_linear(box, arg->strides, hdi_itemsize((hd_dtype)slot->dt));
}

/* The box from `first` to before `end`. */
static void bind_box(const hdi_step *step, const hdi_chunk *c, const hdi_launch *l,
                     const int64_t *first, const int64_t *end, hdi_launch *box, uint8_t **memory)
{
    const hdi_kernel *k = step->kernel;
    hdi_arg *args = (hdi_arg *)(void *)*memory;
    int64_t *room = (int64_t *)(void *)(args + k->nslots + 1), *dims = room;
    *memory += box_bytes(k, l->nd);
    uint64_t kept = 0;
    memcpy(args, l->args, sizeof *args * (size_t)(k->nslots + 1));
    *box = (hdi_launch){.program = l->program, .dims = dims, .size = 1, .args = args,
                        .order_arg = l->order_arg};
    for (int a = 0; a < l->nd; a++) {
        if (end[a] - first[a] == 1)
            continue;
        kept |= (uint64_t)1 << a;
        dims[box->nd++] = end[a] - first[a];
        box->size *= end[a] - first[a];
    }
    room += box->nd;
    for (int s = 0; s < k->nslots; s++)
        bind_operand(c, &k->slots[s], l, first, kept, box, &args[s], &room);
    hdi_arg *order = &args[k->nslots];
    if (order->strides != NULL)
        order->strides = keep_axes(order->strides, kept, l->nd, &room);
}

/* From one box to the next, the last axis first. */
static void advance(const cuts *k, int nd, int *piece, int64_t *first, int64_t *end)
{
    for (int a = nd - 1; a >= 0; a--) {
        const bool more = ++piece[a] < k[a].n - 1;
        piece[a] = more ? piece[a] : 0;
        first[a] = k[a].at[piece[a]];
        end[a] = k[a].at[piece[a] + 1];
        if (more)
            return;
    }
}

uint8_t *hdi_boxes_make(const hdi_step *step, const hdi_chunk *c, hdi_launch *l, void *memory)
{
    cuts k[HD_MAXDIM];
    int piece[HD_MAXDIM] = {0}, n = 1;
    int64_t first[HD_MAXDIM], end[HD_MAXDIM];
    for (int a = 0; a < l->nd; a++) {
        find_cuts(step, c, a, l->dims[a], &k[a]);
        first[a] = 0;
        end[a] = k[a].at[1];
        n *= k[a].n - 1;
    }
    const int64_t **wrap = memory;
    for (int s = 0; s < step->kernel->nslots; s++)
        wrap[s] = wrap_of(c, &step->kernel->slots[s]);
    l->wrap = wrap;
    l->boxes = (hdi_launch *)(void *)(wrap + step->kernel->nslots);
    l->nboxes = n;
    uint8_t *rest = (uint8_t *)(l->boxes + n);
    for (int i = 0; i < n; i++) {
        bind_box(step, c, l, first, end, &l->boxes[i], &rest);
        advance(k, l->nd, piece, first, end);
    }
    return rest;
}
