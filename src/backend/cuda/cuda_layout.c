/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_layout.c - which threads take which elements of a launch's axes. */
#include "backend/cuda/cuda_layout.h"

#include "backend/cuda/cuda_axes.h"
#include "core/dtype.h"

enum { THREADS = 256, BYTES_AT_ONCE = 16 };   /* the widest load there is */
enum { COLUMNS_SIDE = 16 };          /* threads beside each other: two cache lines */
/* Four on each of 132 multiprocessors, which is what registers allow; a constant, for the sake of
 * sums. More bring nothing for 10^8 elements on an H200 and leave more to the last one, which reads
 * what all others left. */
enum { ENOUGH_BLOCKS = 528 };
enum { FEW_SPLITS = 16 };            /* so little to read that twice the blocks fill up better */
enum { BLOCKS_AT_RANDOM = 4096 };    /* with places, fetched at random: the last wait less */
enum { LONG_KERNEL = 24 };           /* instructions: a thread has enough to do with one group */
enum { REGISTER = 4, ACCUMULATORS = 32 * REGISTER };   /* bytes; half of what a thread has */

enum { WARP = 32 };

static bool has_reductions(const hdi_kernel *k)
{
    return k->cls != 'e';
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Is the axis along which memory lies closest reduced? */
static bool rows_lie_close(const hdi_cuda_axes *x, const int64_t *order)
{
    if (x->kept == 0 || x->reduced == 0)
        return true;
    int64_t kept = hdi_abs64(order[x->kept - 1]);
    int64_t reduced = hdi_abs64(order[x->kept + x->reduced - 1]);
    return reduced != 0 && (kept == 0 || reduced < kept);
}

/* Strides by which the map is chosen: of the array that the reduction reads, or the first one. */
static const int64_t *order_strides(const hdi_cuda_axes *x)
{
    for (int s = 0; s < x->k->nslots; s++)
        if (x->k->slots[s].kind == HDI_SLOT_ARRAY && x->k->slots[s].level == KIR_FULL)
            return hdi_cuda_strides_of(x, s);
    return NULL;
}

static bool walks(const hdi_cuda_axes *x, const hdi_grid *g, int s)
{
    const hdi_kslot *slot = &x->k->slots[s];
    return slot->kind == HDI_SLOT_ARRAY && (slot->level == KIR_FULL || g->map != HDI_GRID_ROWS);
}

/* Do all of the slot's groups of n begin at a multiple of their bytes? */
static bool aligned(const hdi_cuda_axes *x, int s, int axis, int64_t n)
{
    const int64_t *stride = hdi_cuda_strides_of(x, s);
    int64_t bytes = n * hd_dtype_size((hd_dtype)x->k->slots[s].dt);
    if ((uintptr_t)x->l->args[s].ptr % (uintptr_t)bytes != 0)
        return false;
    for (int a = 0; a < x->kept + x->reduced; a++)
        if (a != axis && stride[a] % bytes != 0)
            return false;
    return true;
}

/* Random numbers come by the block: 4 of float32 or 2 of float64 where a thread takes neighbouring
 * positions. Otherwise 1. */
static int64_t drawn_at_once(const hdi_cuda_axes *x, int axis)
{
    int64_t n = 1;
    for (int i = 0; i < x->k->ninst; i++) {
        const hdi_kinst *inst = &x->k->inst[i];
        if (inst->kind == KIR_INDEX && hdi_cuda_strides_of(x, inst->slot)[axis] != 1)
            return 1;
        if (inst->kind == KIR_EW &&
            (inst->op == HD_OP_random_uniform || inst->op == HD_OP_random_normal ||
             inst->op == HD_OP_random_raw))
            n = inst->cdt == HD_FLOAT32 ? 4 : 2;
    }
    return n;
}

/* Sixteen at once only where registers hold bytes, too. */
static int64_t most_lanes(const hdi_cuda_axes *x, const hdi_grid *g)
{
    if (g->map != HDI_GRID_ELEMENTS)
        return g->map == HDI_GRID_ROWS ? 8 : 4;
    for (int i = 0; i < x->k->ninst; i++)
        if (x->k->inst[i].kind == KIR_EW && hd_dtype_size((hd_dtype)x->k->inst[i].cdt) > 1)
            return 8;
    return 16;
}

/* How many neighbours along `axis` a thread takes at once: as the widest operand allows, if all of
 * them lie there one after the other, or are one element. */
static int choose_lanes(const hdi_cuda_axes *x, const hdi_grid *g, int axis, bool tail)
{
    int64_t lanes = most_lanes(x, g);
    int64_t drawn = drawn_at_once(x, axis);
    bool dense = drawn > 1;
    if (x->offsets || x->k->pieces != 0 || x->l->wrap != NULL)   /* these lead anywhere */
        return 1;
    if (dense)
        lanes = hdi_min64(lanes, drawn);
    for (int s = 0; s < x->k->nslots; s++) {
        int64_t size = hd_dtype_size((hd_dtype)x->k->slots[s].dt);
        if (!walks(x, g, s))
            continue;
        if (hdi_cuda_strides_of(x, s)[axis] != 0 && hdi_cuda_strides_of(x, s)[axis] != size)
            return 1;
        dense |= hdi_cuda_strides_of(x, s)[axis] == size;
        lanes = hdi_min64(lanes, hdi_max64(1, BYTES_AT_ONCE / size));
    }
    for (int s = 0; s < x->k->nslots && lanes > 1; s++)
        while (walks(x, g, s) && hdi_cuda_strides_of(x, s)[axis] != 0 && lanes > 1 &&
               !aligned(x, s, axis, lanes))
            lanes /= 2;
    while (lanes > 1 && !tail && x->dim[axis] % lanes != 0)
        lanes /= 2;
    return dense ? (int)lanes : 1;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The axis along which operands lie that do not lie along the last one; -1: none do, or several. */
static int turned_axis(const hdi_cuda_axes *x)
{
    int turned = -1, last = x->kept - 1;
    for (int s = 0; s < x->k->nslots; s++) {
        const int64_t *stride = hdi_cuda_strides_of(x, s);
        int64_t size = hd_dtype_size((hd_dtype)x->k->slots[s].dt);
        int along = -1;
        if (x->k->slots[s].kind == HDI_SLOT_SCALAR)
            continue;
        if (x->k->slots[s].kind == HDI_SLOT_INDEX || x->k->slots[s].by != 0)
            return -1;
        if (stride[last] == 0 || stride[last] == size)
            continue;
        for (int a = 0; a < last; a++)
            if (stride[a] == size)
                along = a;
        if (along < 0 || x->k->slots[s].write || (turned >= 0 && along != turned))
            return -1;
        turned = along;
    }
    return turned;
}

static int64_t widest(const hdi_cuda_axes *x)
{
    int64_t size = 1;
    for (int s = 0; s < x->k->nslots; s++)
        size = hdi_max64(size, hd_dtype_size((hd_dtype)x->k->slots[s].dt));
    return size;
}

/* May tiles of `lanes` by `lanes` elements be loaded and stored by whole vectors? */
static bool tiles_fit(const hdi_cuda_axes *x, int turned, int64_t lanes)
{
    int last = x->kept - 1;
    if (x->dim[last] % lanes != 0 || x->dim[turned] % lanes != 0)
        return false;
    for (int s = 0; s < x->k->nslots; s++) {
        const int64_t *stride = hdi_cuda_strides_of(x, s);
        int64_t size = hd_dtype_size((hd_dtype)x->k->slots[s].dt);
        if (x->k->slots[s].kind == HDI_SLOT_SCALAR || stride[last] == 0)
            continue;
        if (!aligned(x, s, stride[last] == size ? last : turned, lanes))
            return false;
    }
    return true;
}

static void move_before_last(hdi_cuda_axes *x, int axis)
{
    int to = x->kept - 2;
    int64_t dim = x->dim[axis];
    x->dim[axis] = x->dim[to];
    x->dim[to] = dim;
    for (int s = 0; s < x->k->nslots; s++) {
        int64_t *stride = hdi_cuda_strides_of(x, s), other = stride[axis];
        stride[axis] = stride[to];
        stride[to] = other;
    }
}

/* Turns ELEMENTS into TILES where that saves sectors of the cache. */
static bool choose_tiles(hdi_cuda_axes *x, hdi_grid *g)
{
    if (x->kept < 2 || x->l->size < 4096 || x->l->wrap != NULL)
        return false;
    int turned = turned_axis(x);
    int64_t lanes = hdi_min64(HDI_GRID_MOST_UNROLL, BYTES_AT_ONCE / widest(x));
    if (turned < 0 || lanes < 2 || !tiles_fit(x, turned, lanes))
        return false;
    move_before_last(x, turned);
    g->map = HDI_GRID_TILES;
    g->lanes = (uint8_t)lanes;
    for (int s = 0; s < x->k->nslots; s++) {
        int64_t stride = hdi_cuda_strides_of(x, s)[x->kept - 1];
        int64_t size = hd_dtype_size((hd_dtype)x->k->slots[s].dt);
        if (x->k->slots[s].kind == HDI_SLOT_ARRAY)
            g->how[s] = stride == 0      ? HDI_GRID_SPLAT
                        : stride == size ? HDI_GRID_DENSE
                                         : HDI_GRID_TURNED;
    }
    return true;
}

/* Does each group have ascending positions, the first at a multiple of the group's size? */
static bool in_step(const hdi_cuda_axes *x, const hdi_grid *g, int s, int axis)
{
    const int64_t *stride = hdi_cuda_strides_of(x, s);
    if (axis < 0 || stride[axis] != 1 || x->l->args[s].base % g->lanes != 0)
        return false;
    for (int a = 0; a < x->kept + x->reduced; a++)
        if (a != axis && stride[a] % g->lanes != 0)
            return false;
    return true;
}

/* Are all positions numbers of 32 bits without a sign? */
static bool low(const hdi_cuda_axes *x, int s)
{
    const int64_t *stride = hdi_cuda_strides_of(x, s), limit = INT64_C(1) << 32;
    int64_t least = x->l->args[s].base, most = least;
    for (int a = 0; a < x->kept + x->reduced; a++) {
        int64_t span;
        if (__builtin_mul_overflow(x->dim[a] - 1, stride[a], &span))
            return false;
        int64_t *end = span < 0 ? &least : &most;
        if (__builtin_add_overflow(*end, span, end))
            return false;
    }
    return least >= 0 && most < limit;
}

static hdi_grid_how how_positions(const hdi_cuda_axes *x, const hdi_grid *g, int s, int axis)
{
    return !in_step(x, g, s, axis) ? HDI_GRID_STRIDED : low(x, s) ? HDI_GRID_LOW : HDI_GRID_DENSE;
}

static uint8_t how_wrapped(const hdi_cuda_axes *x, const int64_t *wrap)
{
    int bits = 0;
    for (int a = 0; a < x->kept && a < HDI_GRID_WRAP_BITS; a++)
        bits |= (wrap[x->axis[a]] > 0) << a;
    return (uint8_t)(HDI_GRID_WRAPPED + bits);
}

static void choose_how(const hdi_cuda_axes *x, hdi_grid *g, int axis)
{
    for (int s = 0; s < x->k->nslots; s++) {
        if (x->k->slots[s].kind == HDI_SLOT_INDEX)
            g->how[s] = (uint8_t)how_positions(x, g, s, axis);
        if (x->k->slots[s].kind != HDI_SLOT_ARRAY)
            continue;
        int64_t stride = axis < 0 ? 1 : hdi_cuda_strides_of(x, s)[axis];
        bool dense = stride == hd_dtype_size((hd_dtype)x->k->slots[s].dt);
        if (hdi_cuda_wrap_of(x->l, s) != NULL) {
            g->how[s] = how_wrapped(x, hdi_cuda_wrap_of(x->l, s));
            continue;
        }
        g->how[s] = !walks(x, g, s) || axis < 0 ? HDI_GRID_STRIDED
                    : stride == 0               ? HDI_GRID_SPLAT
                    : dense                     ? HDI_GRID_DENSE
                                                : HDI_GRID_STRIDED;
    }
}

/* Everything that is counted must fit 31 bits, with room for what lies beyond the last block. */
static bool needs_64_bits(const hdi_cuda_axes *x)
{
    const int64_t most = INT32_MAX - (1 << 22);
    if (x->l->size > most)
        return true;
    for (int s = 0; s < x->k->nslots; s++) {
        int64_t reach = 0;
        if (x->k->slots[s].kind != HDI_SLOT_ARRAY)
            continue;
        for (int a = 0; a < x->kept + x->reduced; a++)
            reach += hdi_abs64(hdi_cuda_strides_of(x, s)[a]) * x->dim[a];
        if (reach > most)
            return true;
    }
    return false;
}

/* Does any operand have elements at odd places? Offsets of places are multiples of the strides. */
static bool has_odd_places(const hdi_cuda_axes *x)
{
    for (int s = 0; s < x->k->nslots; s++) {
        const hdi_arg *arg = &x->l->args[s];
        uint64_t places = (uintptr_t)arg->ptr;
        if (x->k->slots[s].kind != HDI_SLOT_ARRAY)
            continue;
        for (int a = 0; a < x->kept + x->reduced; a++)
            places |= (uint64_t)hdi_abs64(hdi_cuda_strides_of(x, s)[a]);
        if (places % (uint64_t)hd_dtype_size((hd_dtype)x->k->slots[s].dt) != 0)
            return true;
    }
    return false;
}

/* ---- threads --------------------------------------------------------------------------------- */

static int64_t up_to(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

/* The smallest power of two that is at least n, within [1, most]. */
static int power_of_two(int64_t n, int most)
{
    int p = 1;
    while (p < n && p < most)
        p *= 2;
    return p;
}

/* The order of a warp's threads is that of the lanes. */
static bool has_short_rows(const hdi_cuda_axes *x)
{
    return has_reductions(x->k) && !x->scans && x->k->pieces == 0 &&
           hdi_is_short(hdi_cuda_extent(x, 0, x->kept),
                        hdi_cuda_extent(x, x->kept, x->reduced));
}

/* Rows that few blocks would do get several blocks each. rows: blocks without that; n: of a row's
 * steps; at_once: steps that a block takes together. */
static int64_t splits_for(const hdi_cuda_axes *x, int64_t rows, int64_t n, int64_t at_once)
{
    if (x->k->nphases > 1 || x->scans || x->k->pieces != 0 || rows == 0 || has_short_rows(x) ||
        rows > ENOUGH_BLOCKS || n < 4 * at_once)
        return 1;
    int64_t blocks = x->offsets                            ? BLOCKS_AT_RANDOM
                     : ENOUGH_BLOCKS / rows < FEW_SPLITS   ? 2 * ENOUGH_BLOCKS
                                                           : ENOUGH_BLOCKS;
    return hdi_min64(blocks / rows, up_to(n, at_once));
}

/* Elements of a row, of all rows about the same. */
static int64_t row_length(const hdi_cuda_axes *x)
{
    int64_t n = hdi_cuda_extent(x, x->kept, x->reduced), rows = 1;
    for (int a = 0; a < x->kept && x->k->pieces != 0; a++)
        if (hdi_cuda_strides_of(x, x->k->pieces - 1)[a] != 0)
            rows *= x->dim[a];
    return up_to(n, hdi_max64(1, rows));
}

static int64_t accumulator_bytes(const hdi_kernel *k, const hdi_grid *g, int phase)
{
    int64_t bytes = 0;
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (inst->kind != KIR_REDUCE || inst->phase != phase)
            continue;
        bytes += hdi_is_position(inst->op) ? (int64_t)sizeof(int64_t) : 0;
        if (!hdi_grid_is_keyed(g, inst))
            bytes += hdi_max64(REGISTER, hd_dtype_size((hd_dtype)inst->cdt));
    }
    return bytes;
}

/* Groups of a row that a thread has in flight, each with accumulators of its own. */
static uint8_t in_flight(const hdi_cuda_axes *x, const hdi_grid *g)
{
    int64_t n = x->scans || x->k->ninst > LONG_KERNEL ? 1 : x->k->nphases > 1 ? 2 : 4;
    for (int phase = 0; phase < x->k->nphases; phase++)
        while (n > 1 && n * g->lanes * accumulator_bytes(x->k, g, phase) > ACCUMULATORS)
            n /= 2;
    return (uint8_t)n;
}

static void lay_elements(hdi_cuda_axes *x, hdi_cuda_layout *out, uint64_t *w)
{
    hdi_grid *g = &out->grid;
    int64_t size = x->l->size, groups = size / g->lanes;
    g->across = 1;
    g->unroll = x->k->ninst > LONG_KERNEL ? 1 : 2;
    w[HDI_WORD_GROUPS] = (uint64_t)groups;
    w[HDI_WORD_KEPT] = (uint64_t)(size - groups * g->lanes);
    out->blocks = up_to(up_to(size, g->lanes), (int64_t)THREADS * g->unroll);
}

static void lay_tiles(hdi_cuda_axes *x, hdi_cuda_layout *out, uint64_t *w)
{
    int64_t side = (int64_t)HDI_TILE_GROUPS * out->grid.lanes;
    int64_t across = up_to(x->dim[x->kept - 1], side), down = up_to(x->dim[x->kept - 2], side);
    out->grid.across = 1;
    out->grid.unroll = out->grid.lanes;
    x->dim[x->kept - 2] /= out->grid.lanes;   /* counted in rows of groups, as the last in groups */
    w[HDI_WORD_TILES_LAST] = (uint64_t)across;
    w[HDI_WORD_TILES_BEFORE] = (uint64_t)down;
    out->blocks = across * down * hdi_cuda_extent(x, 0, x->kept - 2);
}

static void share_rows(const hdi_cuda_axes *x, hdi_cuda_layout *out, uint64_t *w, int64_t rows,
                       int64_t n, int64_t kept)
{
    hdi_grid *g = &out->grid;
    int64_t at_once = (int64_t)g->across * g->unroll, splits = splits_for(x, rows, n, at_once);
    int64_t segment = up_to(up_to(n, splits), at_once) * at_once;
    splits = n == 0 ? 1 : up_to(n, segment);
    g->split = splits > 1;
    if (splits == 1 && n > 0 && n <= at_once && !x->scans && x->k->pieces == 0)
        g->turns = n == at_once ? HDI_GRID_TURN_WHOLE : HDI_GRID_TURN_PART;
    out->blocks = kept == 0 ? 0 : rows * splits;
    w[HDI_WORD_SEGMENT] = (uint64_t)segment;
    w[HDI_WORD_SPLITS] = (uint64_t)splits;
    if (g->split) {
        out->partials = kept * splits * hdi_grid_partials(x->k) * HDI_PARTIAL_BYTES;
        out->counters = rows;
    }
}

/* n: groups of a row. */
static void hold(const hdi_cuda_axes *x, hdi_grid *g, int64_t n)
{
    int held = x->k->nphases > 1 && x->k->pieces == 0 ? hdi_grid_held_value(x->k) : -1;
    if (held < 0)
        return;
    int64_t row = n * g->lanes * hd_dtype_size((hd_dtype)x->k->inst[held].dt);
    int64_t bytes = up_to(row * (THREADS / g->across), 4096) * 4096;
    if (bytes > HDI_GRID_HELD_BYTES)
        return;
    g->held = (uint16_t)(held + 1);
    g->held_bytes = (uint16_t)bytes;
}

/* Rows of about a cache line, of which two threads would each take half: what a warp loads at once
 * is then in the same place of 16 lines, and comes one after the other. */
static bool meets_in_a_line(const hdi_cuda_axes *x, const hdi_grid *g, int64_t groups)
{
    int64_t size = 1;
    for (int s = 0; s < x->k->nslots; s++)
        if (walks(x, g, s))
            size = hdi_max64(size, hd_dtype_size((hd_dtype)x->k->slots[s].dt));
    return size * g->lanes == BYTES_AT_ONCE && groups > 4 && groups <= 8;
}

static void lay_rows(hdi_cuda_axes *x, hdi_cuda_layout *out, uint64_t *w)
{
    hdi_grid *g = &out->grid;
    int64_t kept = hdi_cuda_extent(x, 0, x->kept);
    int64_t n = hdi_cuda_extent(x, x->kept, x->reduced) / g->lanes;
    g->unroll = in_flight(x, g);
    if (meets_in_a_line(x, g, row_length(x) / g->lanes))
        g->unroll = (uint8_t)hdi_min64(g->unroll, 2);
    g->across = (uint16_t)power_of_two(up_to(row_length(x) / g->lanes, g->unroll), THREADS);
    if (has_short_rows(x)) {
        g->unroll = 1;
        g->across = (uint16_t)power_of_two(n, WARP);
    }
    w[HDI_WORD_GROUPS] = (uint64_t)n;
    w[HDI_WORD_KEPT] = (uint64_t)kept;
    w[HDI_WORD_REDUCED] = (uint64_t)(n * g->lanes);
    share_rows(x, out, w, up_to(kept, THREADS / g->across), n, kept);
    hold(x, g, n);
}

static void lay_columns(hdi_cuda_axes *x, hdi_cuda_layout *out, uint64_t *w)
{
    hdi_grid *g = &out->grid;
    int64_t kept = hdi_cuda_extent(x, 0, x->kept), groups = kept / g->lanes;
    int64_t n = hdi_cuda_extent(x, x->kept, x->reduced);
    int side = x->scans ? THREADS : power_of_two(groups, COLUMNS_SIDE);
    int across = power_of_two(row_length(x), THREADS / side);
    while (across > 1 && groups * across / 2 >= (int64_t)4 * ENOUGH_BLOCKS * THREADS)
        across /= 2;   /* there are columns enough: what threads share they must put together */
    g->unroll = in_flight(x, g);
    g->across = (uint16_t)across;
    w[HDI_WORD_GROUPS] = (uint64_t)groups;
    w[HDI_WORD_KEPT] = (uint64_t)kept;
    w[HDI_WORD_REDUCED] = (uint64_t)n;
    share_rows(x, out, w, up_to(groups, THREADS / g->across), n, kept);
}

/* ---- the layout ------------------------------------------------------------------------------ */

int hdi_cuda_most_words(const hdi_kernel *k, int nd)
{
    return HDI_WORD_AXES + HDI_AXIS_WORDS * nd + k->nslots * (nd > 0 ? 2 * nd + 1 : 2) +
           k->nslots * HD_MAXDIM;
}

void hdi_cuda_lay_out(const hdi_kernel *k, const hdi_launch *l, uint64_t *words,
                      hdi_cuda_layout *out)
{
    int words_at_most = hdi_cuda_most_words(k, l->nd) - k->nslots * HD_MAXDIM;
    hdi_cuda_axes x = {.k = k, .l = l, .stride = (int64_t *)words + words_at_most};
    hdi_grid *g = &out->grid;
    memset(out, 0, sizeof *out);
    memset(words, 0, sizeof *words * (size_t)words_at_most);
    out->words = words;
    hdi_cuda_axes_make(&x);
    const int64_t *order = order_strides(&x);
    g->map = !has_reductions(k)                                    ? HDI_GRID_ELEMENTS
             : x.scans                                             ? HDI_GRID_COLUMNS
             : has_short_rows(&x)                                  ? HDI_GRID_ROWS
             : order == NULL || rows_lie_close(&x, order)          ? HDI_GRID_ROWS
                                                                   : HDI_GRID_COLUMNS;
    int axis = g->map == HDI_GRID_ROWS ? x.kept + x.reduced - 1 : x.kept - 1;
    bool none = axis < 0 || (g->map == HDI_GRID_ROWS && x.reduced == 0);
    bool tail = g->map == HDI_GRID_ELEMENTS && x.kept == 1;
    g->threads = THREADS;
    g->kept = (uint8_t)x.kept;
    g->reduced = (uint8_t)x.reduced;
    g->wide = needs_64_bits(&x);
    g->unaligned = (x.offsets && k->odd_places) || has_odd_places(&x);
    if (g->map != HDI_GRID_ELEMENTS || !choose_tiles(&x, g)) {
        bool one = none || (g->map == HDI_GRID_ROWS && has_short_rows(&x));
        g->lanes = (uint8_t)(one ? 1 : choose_lanes(&x, g, axis, tail));
        choose_how(&x, g, none ? -1 : axis);
        g->tail = tail && g->lanes > 1;
    }
    (g->map == HDI_GRID_ELEMENTS ? lay_elements
     : g->map == HDI_GRID_TILES  ? lay_tiles
     : g->map == HDI_GRID_ROWS   ? lay_rows
                                 : lay_columns)(&x, out, words);
    hdi_cuda_axes_words(&x, out, none ? -1 : axis);
    g->words_in_memory = out->nwords > HDI_GRID_PARAMETER_WORDS;
}
