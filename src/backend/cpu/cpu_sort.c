/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_sort.c - sort, argsort, partition and argpartition along one axis. The elements of a row
 * become keys, and for positions and complex numbers keys beside positions, which are sorted by
 * their bytes. Rows are shared among threads; a long row is cut among them. */
#include "backend/cpu/cpu_key.h"
#include "backend/cpu/cpu_radix.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_sort.h"
#include "base/pool.h"

enum {
    TASK = 1 << 14,              /* elements of a task of short rows */
    LONG = 1 << 17               /* a row of so many is cut, unless there are rows enough */
};

typedef struct sorter {
    const hdi_xcall *x;
    int axis;
    bool down;
    bool positions;              /* are wanted, rather than elements */
    bool select;                 /* only the ranks of in[1] matter */
    bool beside;                 /* keys have their positions beside them */
    bool packed;                 /* ... in the lower half of one word */
    int64_t n, rows, per_task;
    hdi_cpu_radix radix;
} sorter;

/* One row at work: x and y have room for n elements each. */
typedef struct row {
    const sorter *s;
    const uint8_t *in;
    uint8_t *out;
    void *x, *y;
    int64_t in_step, out_step;
    const hdi_cpu_radix *radix;
    bool low;                    /* complex128: the second word of the key is loaded */
    _Atomic(bool) odd;           /* elements whose keys have lost something: nan, -0.0 */
} row;

/* ---- elements to keys ------------------------------------------------------------------------ */

#define T uint8_t
#define S int8_t
#define BITS 8
#include "backend/cpu/cpu_key_loops.h"
#define T uint16_t
#define S int16_t
#define BITS 16
#include "backend/cpu/cpu_key_loops.h"
#define T uint32_t
#define S int32_t
#define BITS 32
#include "backend/cpu/cpu_key_loops.h"
#define T uint64_t
#define S int64_t
#define BITS 64
#include "backend/cpu/cpu_key_loops.h"

/* What the loops above want to know of a real dtype. */
typedef struct keys { uint64_t flip, inf, down; } keys;

static keys keys_of(hd_dtype dt, bool down)
{
    keys k = {.down = down ? UINT64_MAX : 0};
    if (hdi_dtypes[dt].kind == 'i')
        k.flip = (uint64_t)1 << (8 * hdi_dtypes[dt].size - 1);
    if (hdi_dtypes[dt].kind == 'f')
        k.inf = dt == HD_FLOAT16    ? HDI_F16_INF
                : dt == HD_BFLOAT16 ? HDI_BF16_INF
                : dt == HD_FLOAT32  ? HDI_CPU_F32_INF
                                    : HDI_CPU_F64_INF;
    return k;
}

static void load_keys(row *w, int64_t from, int64_t to)
{
    const hd_dtype dt = w->s->x->in[0].dt;
    const keys k = keys_of(dt, w->s->down);
    const uint8_t *in = w->in + from * w->in_step;
    uint8_t *x = (uint8_t *)w->x + from * hdi_itemsize(dt);
    const int64_t step = w->in_step, n = to - from;
    bool odd = false;
    switch (hdi_dtypes[dt].size) {
    case 1: load_keys_8(x, in, step, n, (uint8_t)k.flip, 0, (uint8_t)k.down); break;
    case 2:
        odd = load_keys_16(x, in, step, n, (uint16_t)k.flip, (uint16_t)k.inf, (uint16_t)k.down);
        break;
    case 4:
        odd = load_keys_32(x, in, step, n, (uint32_t)k.flip, (uint32_t)k.inf, (uint32_t)k.down);
        break;
    default: odd = load_keys_64(x, in, step, n, k.flip, k.inf, k.down); break;
    }
    if (odd)
        w->odd = true;
}

HDI_CPU_INLINE void load_beside(row *w, int64_t from, int64_t to, hd_dtype dt, bool low)
{
    const uint64_t down = !w->s->down ? 0 : UINT64_MAX >> (w->s->packed ? 32 : 0);
    for (int64_t i = from; i < to; i++) {
        const uint8_t *p = w->in + i * w->in_step;
        const uint64_t key = (low ? hdi_cpu_key_low(p) : hdi_cpu_key(p, dt)) ^ down;
        if (w->s->packed)
            ((uint64_t *)w->x)[i] = key << 32 | (uint64_t)i;
        else
            ((hdi_cpu_pair *)w->x)[i] = (hdi_cpu_pair){key, (uint64_t)i};
    }
}

static int64_t part_start(const row *w, int64_t part)
{
    return (int64_t)((__int128)w->s->n * part / w->radix->parts);
}

static bool load_part(void *ctx, int64_t part)
{
    row *w = ctx;
    const int64_t from = part_start(w, part), to = part_start(w, part + 1);
#define LOAD(D) load_beside(w, from, to, D, false)
    if (w->low)
        load_beside(w, from, to, HD_COMPLEX128, true);
    else if (!w->s->beside)
        load_keys(w, from, to);
    else
        HDI_CPU_BY_DTYPE(w->s->x->in[0].dt, LOAD)
#undef LOAD
    return true;
}

/* A complex128's first word, where it stands after it was sorted by its second. */
static bool reload_part(void *ctx, int64_t part)
{
    row *w = ctx;
    hdi_cpu_pair *x = w->x;
    const uint64_t down = w->s->down ? UINT64_MAX : 0;
    for (int64_t i = part_start(w, part); i < part_start(w, part + 1); i++)
        x[i].key = hdi_cpu_key(w->in + (int64_t)x[i].at * w->in_step, HD_COMPLEX128) ^ down;
    return true;
}

/* ---- keys to the result ---------------------------------------------------------------------- */

static void store_keys(const row *w, int64_t from, int64_t to)
{
    const hd_dtype dt = w->s->x->in[0].dt;
    const keys k = keys_of(dt, w->s->down);
    const uint8_t *x = (const uint8_t *)w->x + from * hdi_itemsize(dt);
    uint8_t *out = w->out + from * w->out_step;
    const int64_t step = w->out_step, n = to - from;
    switch (hdi_dtypes[dt].size) {
    case 1: store_keys_8(out, x, step, n, (uint8_t)k.flip, 0, (uint8_t)k.down); break;
    case 2:
        store_keys_16(out, x, step, n, (uint16_t)k.flip, (uint16_t)k.inf, (uint16_t)k.down);
        break;
    case 4:
        store_keys_32(out, x, step, n, (uint32_t)k.flip, (uint32_t)k.inf, (uint32_t)k.down);
        break;
    default: store_keys_64(out, x, step, n, k.flip, k.inf, k.down); break;
    }
}

static void store_positions(const row *w, int64_t from, int64_t to)
{
    const int64_t size = hdi_itemsize(w->s->x->in[0].dt);
    for (int64_t i = from; i < to; i++) {
        const int64_t at = (int64_t)(w->s->packed ? ((const uint64_t *)w->x)[i] & UINT32_MAX
                                                  : ((const hdi_cpu_pair *)w->x)[i].at);
        if (w->s->positions)
            memcpy(w->out + i * w->out_step, &at, sizeof at);
        else
            memcpy(w->out + i * w->out_step, w->in + at * w->in_step, (size_t)size);
    }
}

static bool store_part(void *ctx, int64_t part)
{
    const row *w = ctx;
    const int64_t from = part_start(w, part), to = part_start(w, part + 1);
    (w->s->beside ? store_positions : store_keys)(w, from, to);
    return true;
}

/* The zeros and the nan of the result are put again, in the order of the input: keys tell neither
 * the sign of a zero nor the bits of a nan. */
HDI_CPU_INLINE void mend(const row *w, hd_dtype dt)
{
    const size_t size = hdi_dtypes[dt].size;
    const uint64_t all = UINT64_MAX >> (64 - 8 * size), zero = all - (all >> 1);
    int64_t at[2] = {0, 0};
    for (int64_t i = 0; i < w->s->n; i++) {
        const uint8_t *p = w->in + i * w->in_step;
        const uint64_t key = hdi_cpu_key(p, dt);
        if (key != zero && key != all)
            continue;
        int64_t *to = at + (key == all);
        while (hdi_cpu_key(w->out + *to * w->out_step, dt) != key)
            ++*to;
        memcpy(w->out + (*to)++ * w->out_step, p, size);
    }
}

static void mend_row(const row *w)
{
    switch (w->s->x->in[0].dt) {
    case HD_FLOAT16: mend(w, HD_FLOAT16); break;
    case HD_BFLOAT16: mend(w, HD_BFLOAT16); break;
    case HD_FLOAT32: mend(w, HD_FLOAT32); break;
    default: mend(w, HD_FLOAT64); break;
    }
}

/* ---- one row --------------------------------------------------------------------------------- */

static hd_status over_parts(row *w, hdi_task task)
{
    int64_t next = 0;
    if (w->radix->parts > 1)
        return hdi_pool_run(w->radix->parts, task, w, &next, w->radix->ask);
    task(w, 0);
    return HD_OK;
}

static hd_status order_row(row *w)
{
    const sorter *s = w->s;
    const hdi_xarg *ranks = &s->x->in[1];
    return s->select ? hdi_cpu_radix_select(w->radix, w->x, w->y, s->n,
                                            (const int64_t *)(const void *)ranks->ptr,
                                            ranks->dims[0])
                     : hdi_cpu_radix_sort(w->radix, &w->x, &w->y, s->n);
}

static hd_status sort_row(row *w)
{
    hd_status status;
    w->low = w->s->x->in[0].dt == HD_COMPLEX128;
    HD_TRY(over_parts(w, load_part));
    HD_TRY(order_row(w));
    if (w->low) {
        HD_TRY(over_parts(w, reload_part));
        HD_TRY(order_row(w));
    }
    HD_TRY(over_parts(w, store_part));
    if (w->odd)
        mend_row(w);
done:
    return status;
}

/* Byte offsets of a row's first element: its number counts all axes but the one sorted. */
static void open_row(const sorter *s, int64_t number, row *w)
{
    const hdi_xarg *in = &s->x->in[0], *out = &s->x->out;
    w->s = s;
    w->in = in->ptr;
    w->out = out->ptr;
    w->in_step = in->strides[s->axis];
    w->out_step = out->strides[s->axis];
    w->odd = false;
    for (int a = in->nd - 1; a >= 0; a--) {
        if (a == s->axis)
            continue;
        w->in += number % in->dims[a] * in->strides[a];
        w->out += number % in->dims[a] * out->strides[a];
        number /= in->dims[a];
    }
}

/* Scratch of a row: counts, and two buffers or one, if the row of the result can be the other. */
static bool open_buffers(row *w, hdi_cpu_radix *r)
{
    *r = w->s->radix;
    const int64_t bytes = w->s->n * r->size;
    const bool lend = w->out_step == r->size && (uintptr_t)w->out % (unsigned)r->size == 0;
    r->count = hdi_cpu_scratch(hdi_cpu_radix_counts(r->parts));
    w->x = lend ? w->out : hdi_cpu_scratch(bytes);
    w->y = hdi_cpu_scratch(bytes);
    w->radix = r;
    return r->count != NULL && w->x != NULL && w->y != NULL;
}

static bool rows_task(void *ctx, int64_t task)
{
    const sorter *s = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    bool fits = true;
    const int64_t end = hdi_min64((task + 1) * s->per_task, s->rows);
    for (int64_t i = task * s->per_task; i < end && fits; i++) {
        row w;
        hdi_cpu_radix r;
        open_row(s, i, &w);
        fits = open_buffers(&w, &r);
        r.ask = NULL;            /* only the launching thread may ask, between tasks */
        if (fits)
            sort_row(&w);
        hdi_cpu_scratch_release(mark);
    }
    return fits;
}

/* ---- the call -------------------------------------------------------------------------------- */

static hd_status no_memory(const sorter *s)
{
    return hdi_fail(HD_NOMEM, "out of memory for %s of %lld elements",
                    hdi_op_rows[s->x->op].info.name, (long long)s->n);
}

/* One row after the other, each by all threads. */
static hd_status long_rows(const sorter *s)
{
    hd_status status = HD_OK;
    for (int64_t i = 0; i < s->rows && status == HD_OK; i++) {
        hdi_cpu_mark mark = hdi_cpu_scratch_mark();
        row w;
        hdi_cpu_radix r;
        open_row(s, i, &w);
        status = open_buffers(&w, &r) ? sort_row(&w) : no_memory(s);
        hdi_cpu_scratch_release(mark);
    }
    return status;
}

static hd_status short_rows(sorter *s)
{
    int64_t next = 0;
    const int64_t room = 2 * s->n * s->radix.size + 128 + hdi_cpu_radix_counts(1);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    if (hdi_cpu_scratch(room) == NULL)   /* then tasks of this thread find it too */
        return no_memory(s);
    hdi_cpu_scratch_release(mark);
    s->per_task = hdi_max64(TASK / s->n, 1);
    return hdi_pool_run((s->rows + s->per_task - 1) / s->per_task, rows_task, s, &next,
                        s->radix.ask);
}

hd_status hdi_cpu_sort(const hdi_xcall *x)
{
    const hdi_xarg *in = &x->in[0];
    const int64_t item = hdi_itemsize(in->dt);
    sorter s = {.x = x,
                .axis = hdi_sort_axis(x->param),
                .down = hdi_sort_down(x->param),
                .positions = x->op == HD_OP_argsort || x->op == HD_OP_argpartition,
                .select = (x->op == HD_OP_partition || x->op == HD_OP_argpartition) &&
                          in->dt != HD_COMPLEX128,
                .rows = 1};
    s.n = in->dims[s.axis];
    for (int a = 0; a < in->nd; a++)
        s.rows *= a == s.axis ? 1 : in->dims[a];
    if (s.n == 0 || s.rows == 0)
        return HD_OK;
    s.beside = s.positions || hdi_is_complex(in->dt);
    s.packed = s.beside && item <= 4 && s.n <= UINT32_MAX;
    s.radix = (hdi_cpu_radix){.size = s.packed ? 8 : s.beside ? 16 : (int)item,
                              .low = s.packed ? 32 : 0,
                              .high = s.packed ? 32 + 8 * (int)item : item < 8 ? 8 * (int)item : 64,
                              .parts = 1,
                              .ask = hdi_cpu_may_stop(x)};
    if (s.n < LONG || s.rows >= 2 * hdi_pool_threads())
        return short_rows(&s);
    s.radix.parts = hdi_cpu_radix_parts(s.n);
    return long_rows(&s);
}
