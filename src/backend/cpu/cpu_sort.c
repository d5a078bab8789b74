/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_sort.c - sort, argsort, partition and argpartition along one axis. The elements of a row
 * become keys, and for positions and complex numbers keys beside positions, which are sorted by
 * their bytes, or where they are words of 4 or 8 bytes by vectors. Rows are shared among threads; a
 * long row is cut among them. */
#include "backend/cpu/cpu_key.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_order.h"
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
    const hdi_key_loops *keys;   /* of the elements themselves, in the order wanted */
    hdi_key key;
    const hdi_order_loops *words; /* by vectors; NULL: by bytes */
    bool joined;                 /* short rows lie one after the other, in and out */
    bool lends;                  /* rows of the result are memory to sort in */
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

static hdi_key key_of(hd_dtype dt, bool down)
{
    hdi_key k = {.down = down ? UINT64_MAX : 0};
    if (hdi_dtypes[dt].kind == 'i')
        k.flip = (uint64_t)1 << (8 * hdi_dtypes[dt].size - 1);
    if (hdi_dtypes[dt].kind == 'f')
        k.inf = dt == HD_FLOAT16    ? HDI_F16_INF
                : dt == HD_BFLOAT16 ? HDI_BF16_INF
                : dt == HD_FLOAT32  ? HDI_CPU_F32_INF
                                    : HDI_CPU_F64_INF;
    return k;
}

static void load_keys(row *w, void *x, int64_t from, int64_t to)
{
    const sorter *s = w->s;
    if (s->keys->load(x, w->in + from * w->in_step, w->in_step, to - from, &s->key))
        w->odd = true;
}

HDI_CPU_INLINE void load_beside(const row *w, void *x, int64_t from, int64_t to, hd_dtype dt,
                                bool low)
{
    const uint64_t down = !w->s->down ? 0 : UINT64_MAX >> (w->s->packed ? 32 : 0);
    for (int64_t i = from; i < to; i++) {
        const uint8_t *p = w->in + i * w->in_step;
        const uint64_t key = (low ? hdi_cpu_key_low(p) : hdi_cpu_key(p, dt)) ^ down;
        if (w->s->packed)
            ((uint64_t *)x)[i - from] = key << 32 | (uint64_t)i;
        else
            ((hdi_cpu_pair *)x)[i - from] = (hdi_cpu_pair){key, (uint64_t)i};
    }
}

static int64_t part_start(const row *w, int64_t part)
{
    return (int64_t)((__int128)w->s->n * part / w->radix->parts);
}

static void load(void *ctx, void *x, int64_t from, int64_t to)
{
    row *w = ctx;
#define LOAD(D) load_beside(w, x, from, to, D, false)
    if (w->low)
        load_beside(w, x, from, to, HD_COMPLEX128, true);
    else if (!w->s->beside)
        load_keys(w, x, from, to);
    else
        HDI_CPU_BY_DTYPE(w->s->x->in[0].dt, LOAD)
#undef LOAD
}

static bool load_part(void *ctx, int64_t part)
{
    row *w = ctx;
    const int64_t from = part_start(w, part);
    load(w, (uint8_t *)w->x + from * w->radix->size, from, part_start(w, part + 1));
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
    const sorter *s = w->s;
    s->keys->store(w->out + from * w->out_step, (const uint8_t *)w->x + from * w->radix->size,
                   w->out_step, to - from, &s->key);
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

static void store(void *ctx, int64_t from, int64_t to)
{
    const row *w = ctx;
    (w->s->beside ? store_positions : store_keys)(w, from, to);
}

static bool store_part(void *ctx, int64_t part)
{
    const row *w = ctx;
    store(ctx, part_start(w, part), part_start(w, part + 1));
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

static const int64_t *ranks_of(const sorter *s, int64_t *n)
{
    const hdi_xarg *ranks = &s->x->in[1];
    *n = s->select ? ranks->dims[0] : 0;
    return s->select ? (const int64_t *)(const void *)ranks->ptr : NULL;
}

static hd_status by_bytes_once(row *w)
{
    int64_t ranks;
    const int64_t *rank = ranks_of(w->s, &ranks);
    return rank != NULL ? hdi_cpu_radix_select(w->radix, w->x, w->y, w->s->n, rank, ranks)
                        : hdi_cpu_radix_sort(w->radix, &w->x, &w->y, w->s->n);
}

static hd_status by_bytes(row *w)
{
    hd_status status;
    w->low = w->s->x->in[0].dt == HD_COMPLEX128;
    HD_TRY(over_parts(w, load_part));
    HD_TRY(by_bytes_once(w));
    if (w->low) {
        HD_TRY(over_parts(w, reload_part));
        HD_TRY(by_bytes_once(w));
    }
    HD_TRY(over_parts(w, store_part));
done:
    return status;
}

static hd_status by_vectors(row *w)
{
    const hdi_cpu_radix *r = w->radix;
    hdi_cpu_order o = {.l = w->s->words, .size = r->size, .high = UINT64_MAX >> (64 - r->high),
                       .n = w->s->n, .x = w->x, .y = w->y, .ask = r->ask, .load = load,
                       .store = store, .ctx = w};
    o.rank = ranks_of(w->s, &o.ranks);
    w->low = false;
    return hdi_cpu_order_row(&o);
}

static hd_status sort_row(row *w)
{
    hd_status status;
    HD_TRY(w->s->words != NULL ? by_vectors(w) : by_bytes(w));
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

/* Memory of a row: two buffers, or one, if the row of the result can be the other. */
static int64_t buffer_bytes(const sorter *s)
{
    return (s->n * s->radix.size + 63) & -(int64_t)64;
}

static int64_t buffers_bytes(const sorter *s)
{
    return buffer_bytes(s) * (s->lends ? 1 : 2);
}

static bool open_buffers(row *w, hdi_cpu_radix *r, uint8_t *memory)
{
    *r = w->s->radix;
    r->count = hdi_cpu_scratch(hdi_cpu_radix_counts(r->parts));
    w->y = memory;
    w->x = w->s->lends ? w->out : memory + buffer_bytes(w->s);
    w->radix = r;
    return r->count != NULL && memory != NULL;
}

static bool rows_task(void *ctx, int64_t task)
{
    const sorter *s = ctx;
    bool fits = true;
    const int64_t end = hdi_min64((task + 1) * s->per_task, s->rows);
    for (int64_t i = task * s->per_task; i < end && fits; i++) {
        hdi_cpu_mark mark = hdi_cpu_scratch_mark();
        row w;
        hdi_cpu_radix r;
        open_row(s, i, &w);
        fits = open_buffers(&w, &r, hdi_cpu_scratch(buffers_bytes(s)));
        r.ask = NULL;            /* only the launching thread may ask, between tasks */
        if (fits)
            sort_row(&w);
        hdi_cpu_scratch_release(mark);
    }
    return fits;
}

/* ---- short rows side by side ----------------------------------------------------------------- */

enum { TOGETHER = 32 };          /* rows */

typedef struct together {
    uint64_t from[TOGETHER * HDI_ORDER_SHORT], to[(TOGETHER + 1) * HDI_ORDER_SHORT];
} together;

/* Do the rows follow each other in memory, as if they were one? */
static bool rows_follow(const hdi_xarg *a, int axis)
{
    int64_t step = a->strides[axis] * a->dims[axis];
    bool follow = axis == a->nd - 1;
    for (int k = axis - 1; k >= 0 && follow; k--) {
        follow = a->dims[k] == 1 || a->strides[k] == step;
        step *= a->dims[k];
    }
    return follow;
}

/* m rows from row i on, as one. */
static void sort_joined(const sorter *s, int64_t i, int64_t m, together *t)
{
    row w;
    open_row(s, i, &w);
    const bool odd = s->keys->load(t->from, w.in, w.in_step, m * s->n, &s->key);
    s->words->rows(t->from, t->to, m, s->n);
    s->keys->store(w.out, t->to, w.out_step, m * s->n, &s->key);
    for (int64_t k = 0; k < m && odd; k++) {
        open_row(s, i + k, &w);
        mend_row(&w);
    }
}

static void sort_each(const sorter *s, int64_t i, int64_t m, together *t)
{
    row w[TOGETHER];
    const int64_t bytes = s->n * s->radix.size;
    for (int64_t k = 0; k < m; k++) {
        open_row(s, i + k, &w[k]);
        w[k].radix = &s->radix;
        w[k].low = false;
        w[k].x = (uint8_t *)t->to + k * bytes;
        load(&w[k], (uint8_t *)t->from + k * bytes, 0, s->n);
    }
    s->words->rows(t->from, t->to, m, s->n);
    for (int64_t k = 0; k < m; k++) {
        store(&w[k], 0, s->n);
        if (w[k].odd)
            mend_row(&w[k]);
    }
}

static bool together_task(void *ctx, int64_t task)
{
    const sorter *s = ctx;
    together t;
    const int64_t end = hdi_min64((task + 1) * s->per_task, s->rows);
    for (int64_t i = task * s->per_task, m; i < end; i += m) {
        m = hdi_min64(TOGETHER, end - i);
        (s->joined ? sort_joined : sort_each)(s, i, m, &t);
    }
    return true;
}

static hd_status rows_together(sorter *s)
{
    int64_t next = 0;
    s->joined = !s->beside && rows_follow(&s->x->in[0], s->axis) &&
                rows_follow(&s->x->out, s->axis);
    s->per_task = TASK / s->n;
    return hdi_pool_run((s->rows + s->per_task - 1) / s->per_task, together_task, s, &next,
                        s->radix.ask);
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
    uint8_t *memory = hdi_cpu_alloc(buffers_bytes(s));
    for (int64_t i = 0; i < s->rows && status == HD_OK; i++) {
        hdi_cpu_mark mark = hdi_cpu_scratch_mark();
        row w;
        hdi_cpu_radix r;
        open_row(s, i, &w);
        status = open_buffers(&w, &r, memory) ? sort_row(&w) : HD_NOMEM;
        if (status == HD_NOMEM)
            no_memory(s);
        hdi_cpu_scratch_release(mark);
    }
    if (memory != NULL)
        hdi_cpu_free(memory, buffers_bytes(s));
    return status;
}

static hd_status short_rows(sorter *s)
{
    int64_t next = 0;
    const int64_t room = buffers_bytes(s) + hdi_cpu_radix_counts(1) +
                         (s->words != NULL ? hdi_cpu_order_room(s->n, s->radix.size) : 0);
    s->per_task = hdi_max64(TASK / s->n, 1);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status =
        hdi_cpu_scratch_reserve(room)
            ? hdi_pool_run((s->rows + s->per_task - 1) / s->per_task, rows_task, s, &next,
                           s->radix.ask)
            : no_memory(s);
    hdi_cpu_scratch_release(mark);
    return status;
}

/* Whether elements of `size` bytes may be put in the result's rows, one after the other. */
static bool can_lend(const hdi_xarg *out, int axis, int64_t size)
{
    bool dense = out->strides[axis] == size && (uintptr_t)out->ptr % (unsigned)size == 0;
    for (int a = 0; a < out->nd; a++)
        dense = dense && out->strides[a] % size == 0;
    return dense;
}

static void set_loops(sorter *s)
{
    const hdi_loops *l = hdi_loops_chosen();
    const hd_dtype dt = s->x->in[0].dt;
    if (s->radix.size == 4 || s->radix.size == 8)
        s->words = l->order[s->radix.size == 8];
    if (!s->beside)
        s->keys = l->key[__builtin_ctz((unsigned)hdi_itemsize(dt))];
    s->key = key_of(dt, s->down);
}

hd_status hdi_cpu_sort(const hdi_xcall *x)
{
    const hdi_xarg *in = &x->in[0];
    const int64_t item = hdi_itemsize(in->dt);
    sorter s = {.x = x,
                .axis = x->payload.sort.axis,
                .down = x->payload.sort.descending != 0,
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
    set_loops(&s);
    s.lends = can_lend(&x->out, s.axis, s.radix.size);
    if (s.words != NULL && s.n <= HDI_ORDER_SHORT)
        return rows_together(&s);
    if (s.n < LONG || s.rows >= 2 * hdi_pool_threads())
        return short_rows(&s);
    s.radix.parts = hdi_cpu_radix_parts(s.n);
    return long_rows(&s);
}
