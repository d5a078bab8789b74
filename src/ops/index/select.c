/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - elements and positions where a mask is true. How many there are is asked for at the
 * call (a wait), for arrays have a size; finding them is one library call.
 *
 * A device with selection_bytes makes something else of a mask while the host learns how many are
 * true. Of a mask that is still to be computed, as in x[x > 0], it takes the bits, which are sums
 * of shifted flags along rows of 32: what makes the flags is one kernel with them, and the flags
 * are not stored. */
#include "base/lock.h"
#include "ops/index/again.h"

/* x's elements in C order, along one axis (owned). */
static hd_array *flat(const hd_array *x)
{
    hd_array *dense = hdi_contiguous(x);
    hdi_layout *lay = dense != NULL ? hdi_layout_c(1, &x->lay->size, x->lay->item) : NULL;
    hd_array *r = lay != NULL ? hdi_array_view(dense, (hd_dtype)x->dtype, lay, dense->off) : NULL;
    if (dense != NULL)
        hdi_array_release(dense);
    return r;
}

static hd_status record(hd_op op, hd_array *out, hdi_payload how, int n, hd_array *const *in)
{
    hdi_window *w = hdi_window_of(out->st->buf->dev);
    hdi_record *r = hdi_record_begin(w, op, 'x', (hd_dtype)out->dtype, n);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, out, out->lay);
    for (int k = 0; k < n; k++)
        hdi_record_array(r, k + 1, in[k], in[k]->lay);
    r->domain = out->lay;
    r->payload = how;
    return hdi_record_end(w, r);
}

/* ---- bits ------------------------------------------------------------------------------------ */

enum { WORD = 32 };   /* flags of a word, the first in its lowest bit */

/* Flags of rows, each by its place in its row. */
static hd_array *shifted(const hd_array *flags)
{
    static const int64_t along[2] = {0, 1};
    hd_device *dev = hdi_device_of(flags);
    const hdi_layout *places = hdi_layout_get(2, flags->lay->dims, along, 1);
    hd_array *r = places != NULL ? hdi_new(dev, 2, flags->lay->dims, HD_UINT32) : NULL;
    if (r == NULL)
        return NULL;
    hdi_window *w = hdi_window_of(dev);
    hdi_record *to = hdi_record_begin(w, HD_OP_left_shift, 'e', HD_UINT32, 2);
    if (to != NULL) {
        hdi_record_array(to, 0, r, r->lay);
        hdi_record_array(to, 1, flags, flags->lay);
        hdi_record_index(to, 2, places, 0);
        to->domain = r->lay;
    }
    if (to != NULL && hdi_record_end(w, to) == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

/* Words [first, first + rows) of the mask's. */
static hd_status pack(hd_array *words, int64_t first, const hd_array *mask, int64_t rows,
                      int64_t width)
{
    const int64_t dims[2] = {rows, width};
    hd_array *flags = hdi_again(mask, first * WORD, 2, dims), *bits = NULL, *to = NULL;
    hdi_layout *lay = hdi_layout_c(1, &rows, words->lay->item);
    if (lay != NULL)
        to = hdi_array_view(words, HD_UINT32, lay, first * words->lay->item);
    bool done = flags != NULL && to != NULL && (bits = shifted(flags)) != NULL &&
                hdi_reduce(HD_OP_sum, HD_UINT32, bits, NULL, 1 << 1, false, to) != NULL;
    if (flags != NULL)
        hdi_array_release(flags);
    if (bits != NULL)
        hdi_array_release(bits);
    if (to != NULL)
        hdi_array_release(to);
    return done ? HD_OK : hd_error_peek()->code;
}

/* Of a mask that can be made again. */
static hd_array *bits_of(const hd_array *mask)
{
    const int64_t n = mask->lay->size, rows = n / WORD, rest = n % WORD, all = rows + (rest > 0);
    hd_array *words = hdi_new(hdi_device_of(mask), 1, &all, HD_UINT32);
    hd_status status = words != NULL ? HD_OK : hd_error_peek()->code;
    if (status == HD_OK && rows > 0)
        status = pack(words, 0, mask, rows, WORD);
    if (status == HD_OK && rest > 0)
        status = pack(words, rows, mask, 1, rest);
    if (status == HD_OK)
        return words;
    if (words != NULL)
        hdi_array_release(words);
    return NULL;
}

/* ---- words and their number ------------------------------------------------------------------ */

/* A mask as compress and true_places of its device want it, and how many are true. All is recorded
 * before the lock is away: what is written to the mask then changes neither. */
typedef struct choice { hd_array *flags, *count; } choice;

static hd_array *count_flags(const hd_array *mask)
{
    return hdi_reduce(HD_OP_sum, HD_INT64, mask, NULL, hdi_all_axes(mask->lay->nd), false, NULL);
}

static hd_array *count_bits(const hd_array *words)
{
    hdi_in in = hdi_in_array(words);
    hd_array *each = hdi_ew(HD_OP_bitwise_count, HD_UINT32, 1, &in), *r = NULL;
    if (each != NULL) {
        r = hdi_reduce(HD_OP_sum, HD_INT64, each, NULL, 1, false, NULL);
        hdi_array_release(each);
    }
    return r;
}

/* What compress and true_places of a device with selection_bytes take for n flags or their bits. */
static hd_array *words_of(const hd_array *from, int64_t n)
{
    hd_device *dev = hdi_device_of(from);
    const int64_t bytes = dev->selection_bytes(n);
    hd_array *words = hdi_new(dev, 1, &bytes, HD_UINT8), *in = (hd_array *)from;
    if (words == NULL || record(HD_OP_true_words, words, (hdi_payload){.n = n}, 1, &in) == HD_OK)
        return words;
    hdi_array_release(words);
    return NULL;
}

static void choose_again(const hd_array *mask, choice *c)
{
    hdi_window *w = hdi_window_of(hdi_device_of(mask));
    const int64_t held = hdi_hold_pending(w);
    hd_array *bits = bits_of(mask);
    hdi_let_pending_go(w, held);
    if (bits == NULL)
        return;
    c->flags = words_of(bits, mask->lay->size);
    c->count = count_bits(bits);
    hdi_array_release(bits);
}

static bool choose(const hd_array *mask, choice *c)
{
    const bool packs = hdi_device_of(mask)->selection_bytes != NULL;
    *c = (choice){NULL, NULL};
    if (packs && hdi_can_again(mask)) {
        choose_again(mask, c);
        return c->flags != NULL && c->count != NULL;
    }
    if ((c->flags = flat(mask)) != NULL && packs) {
        hd_array *flags = c->flags;
        c->flags = words_of(flags, mask->lay->size);
        hdi_array_release(flags);
    }
    return c->flags != NULL && (c->count = count_flags(mask)) != NULL;
}

/* ---- a mask that is used several times ------------------------------------------------------- */

/* Words that are there already; no wait then. */
static hd_array *known(const hd_array *mask, int64_t *count)
{
    const hdi_buf *b = mask->st->buf;
    if (b->words == NULL || b->trues < 0 || !hdi_array_is_whole(mask) ||
        b->words->buf->error != NULL)
        return NULL;
    hdi_layout *lay = hdi_layout_c(1, &b->words->buf->nbytes, 1);
    if (lay == NULL) {
        hd_error_take(NULL);   /* then they are made once more */
        return NULL;
    }
    *count = b->trues;
    b->words->handles++;
    return hdi_array_over(b->words, HD_UINT8, lay, 0);
}

static void remember(const hd_array *mask, const hd_array *words)
{
    if (!hdi_array_is_whole(mask))
        return;
    hdi_buf *b = mask->st->buf;
    hdi_buf_drop_words(b);
    b->words = words->st;
    b->words->handles++;
    b->trues = -1;
}

/* The lock was away: the mask may have been written to, or somebody else may have made words. */
static void remember_count(const hd_array *mask, const hd_array *words, hd_status status,
                           int64_t count)
{
    hdi_buf *b = mask->st->buf;
    if (b->words != words->st)
        return;
    if (status == HD_OK)
        b->trues = count;
    else
        hdi_buf_drop_words(b);
}

/* ---- what is selected ------------------------------------------------------------------------ */

enum { HOST_COUNTS = 1 << 18 };   /* flags at most: more are worth threads */

static int64_t flags_set(const uint8_t *flag, int64_t n)
{
    const uint64_t low = UINT64_MAX / 255 * 127;   /* seven bits of each byte */
    int64_t found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t v;
        memcpy(&v, flag + i, sizeof v);
        found += __builtin_popcountll((((v & low) + low) | v) & ~low);
    }
    for (; i < n; i++)
        found += flag[i] != 0;
    return found;
}

/* The same where a kernel that counts would cost more than to look at the flags. */
static hd_array *flags_seen(const hd_array *mask, int64_t *count)
{
    hdi_values values;
    hd_array *flags = flat(mask);
    if (flags == NULL)
        return NULL;
    if (hdi_values_open(flags, &values)) {
        *count = flags_set(values.at, flags->lay->size);
        hdi_values_close(&values);
        return flags;
    }
    hdi_array_release(flags);
    return NULL;
}

/* A mask of a device that makes words of masks, of so few flags that they come to the host in one
 * go, as the count of them would: it is counted there, and often used there. */
static bool has_few(const hd_array *mask)
{
    return !hdi_is_weak(mask) && mask->lay->size <= hdi_device_of(mask)->mirror_most;
}

/* Words of few flags (owned), as the host has seen them: others may write to the mask. */
static hd_array *words_of_few(const hd_array *mask, int64_t *count)
{
    hdi_values flags;
    hdi_staged s;
    hd_array *seen = NULL, *words = NULL;
    const int64_t n = mask->lay->size;
    if (!hdi_values_open(mask, &flags))
        return NULL;
    if (hdi_staged_open(hdi_device_of(mask), n, HD_BOOL, &s)) {
        memcpy(s.to, flags.at, (size_t)n);
        *count = flags_set(flags.at, n);
        seen = hdi_staged_close(&s, HD_OK);
    }
    hdi_values_close(&flags);
    if (seen == NULL)
        return NULL;
    words = words_of(seen, n);
    hdi_array_release(seen);
    return words;
}

/* The mask as its device wants it, and how many are true (owned). */
static hd_array *flags_of(const hd_array *mask, int64_t *count)
{
    choice c;
    if (hdi_device_of(mask)->host_memory && mask->lay->size <= HOST_COUNTS)
        return flags_seen(mask, count);
    const bool packs = hdi_device_of(mask)->selection_bytes != NULL;
    hd_array *flags = packs ? known(mask, count) : NULL;
    if (flags != NULL)
        return flags;
    if (packs && has_few(mask))
        return words_of_few(mask, count);
    hd_status status = choose(mask, &c) ? HD_OK : hd_error_peek()->code;
    if (status == HD_OK) {
        if (packs)
            remember(mask, c.flags);
        status = hdi_value_then(c.count, packs ? c.flags : NULL, count);
        if (packs)
            remember_count(mask, c.flags, status, *count);
    }
    if (c.count != NULL)
        hdi_array_release(c.count);
    if (status == HD_OK || c.flags == NULL)
        return c.flags;
    hdi_array_release(c.flags);
    return NULL;
}

/* Elements that lie in a mirror. */
static bool is_here(const hd_array *x)
{
    const hdi_buf *b = x->st->buf;
    return !hdi_is_weak(x) && hdi_buf_at_hand(b) && hdi_buf_mirrored(b) && hdi_buf_may_mirror(b);
}

static void select_here(const hdi_values *flags, const hdi_values *x, int64_t n, size_t item,
                        uint8_t *to)
{
    const uint8_t *flag = flags->at, *from = x->at;
    for (int64_t i = 0; i < n; i++) {
        if (!flag[i])
            continue;
        memcpy(to, from != NULL ? from + (size_t)i * item : (const void *)&i, item);
        to += item;
    }
}

/* x NULL: numbers of elements. */
static hd_array *selected_here(const hd_array *x, const hd_array *mask, hd_dtype dt)
{
    hdi_values flags, values = {.at = NULL};
    hdi_staged s;
    hd_array *r = NULL;
    const int64_t n = mask->lay->size;
    if (!hdi_values_open(mask, &flags))
        return NULL;
    if (x == NULL || hdi_values_open(x, &values)) {
        if (hdi_staged_open(hdi_device_of(mask), flags_set(flags.at, n), dt, &s)) {
            select_here(&flags, &values, n, (size_t)hdi_itemsize(dt), s.to);
            r = hdi_staged_close(&s, HD_OK);
        }
        if (x != NULL)
            hdi_values_close(&values);
    }
    hdi_values_close(&flags);
    return r;
}

/* ---- few elements on the host ---------------------------------------------------------------- */

enum { FEW = 128 };   /* more are worth a vector's way of doing it */

static bool is_ready(const hd_array *x)
{
    return !hdi_is_weak(x) && x->lay->c_contiguous && hdi_buf_at_hand(x->st->buf);
}

/* Is it little work that waits for nothing? */
static bool are_few(const hd_array *x, const hd_array *mask)
{
    const int64_t n = mask->lay->size;
    return n > 0 && n <= FEW && hdi_runs_at_once(hdi_device_of(mask), n) && is_ready(mask) &&
           (x == NULL || is_ready(x));
}

/* Every element is stored, and the next one over it unless it is selected: no jump to guess. from
 * NULL: numbers of elements. */
static inline __attribute__((always_inline)) int64_t pack_few(uint8_t *to, const uint8_t *flag,
                                                             const uint8_t *from, int64_t n,
                                                             size_t item)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + (size_t)count * item,
               from != NULL ? from + (size_t)i * item : (const void *)&i, item);
        count += flag[i] != 0;
    }
    return count;
}

/* True: *r is the result, NULL with an error. False: it is another case, or one that waits for
 * memory. */
static bool select_few(const hd_array *x, const hd_array *mask, hd_dtype dt, hd_array **r)
{
    uint8_t room[FEW * 16];
    if (!are_few(x, mask))
        return false;
    const uint8_t *flag = mask->st->buf->host + mask->off,
                  *from = x != NULL ? x->st->buf->host + x->off : NULL;
    const int64_t n = mask->lay->size;
    const size_t item = (size_t)hdi_itemsize(dt);
    const int64_t count = x == NULL   ? pack_few(room, flag, NULL, n, sizeof(int64_t))
                          : item == 8 ? pack_few(room, flag, from, n, 8)
                                      : pack_few(room, flag, from, n, item);
    *r = hdi_new(hdi_device_of(mask), 1, &count, dt);
    if (*r == NULL || count == 0)
        return true;
    const bool done = hdi_buf_take_host((*r)->st->buf);
    if (done)
        memcpy((*r)->st->buf->host, room, (size_t)count * item);
    else
        hdi_array_release(*r);
    return done;
}

/* x NULL: numbers of elements. */
static hd_array *selected(const hd_array *x, const hd_array *mask, hd_dtype dt)
{
    int64_t count = 0;
    hd_array *r = NULL, *from = NULL, *flags = NULL;
    hd_status status = HD_OK;
    if (select_few(x, mask, dt, &r))
        return r;
    r = NULL;
    if (HDI_UNLIKELY(has_few(mask)) && (x == NULL || is_here(x)))
        return selected_here(x, mask, dt);
    if (mask->lay->size > 0 && (flags = flags_of(mask, &count)) == NULL)
        status = hd_error_peek()->code;
    if (status == HD_OK && (r = hdi_new(hdi_device_of(mask), 1, &count, dt)) == NULL)
        status = hd_error_peek()->code;
    if (status == HD_OK && count > 0 && x == NULL)
        status = record(HD_OP_true_places, r, (hdi_payload){.n = mask->lay->size}, 1, &flags);
    else if (status == HD_OK && count > 0)
        status = (from = flat(x)) != NULL
                     ? record(HD_OP_compress, r, (hdi_payload){.none = 0}, 2,
                              (hd_array *[]){from, flags})
                     : hd_error_peek()->code;
    if (from != NULL)
        hdi_array_release(from);
    if (flags != NULL)
        hdi_array_release(flags);
    if (status != HD_OK && r != NULL)
        hdi_array_release(r);
    return status == HD_OK ? r : NULL;
}

hd_array *hd_extract(const hd_array *mask, const hd_array *x)
{
    if (mask == NULL || x == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(mask) || hdi_is_weak(x) || mask->dtype != HD_BOOL ||
        mask->lay->nd != x->lay->nd ||
        memcmp(mask->lay->dims, x->lay->dims, sizeof *x->lay->dims * (size_t)x->lay->nd) != 0) {
        char a[200], b[200];
        hdi_fail(HD_VALUE, "a mask must be bool and have the array's shape: %s of shape %s for "
                 "shape %s", hd_dtype_name((hd_dtype)mask->dtype),
                 hdi_shape_text(mask->lay->nd, mask->lay->dims, a, sizeof a),
                 hdi_shape_text(x->lay->nd, x->lay->dims, b, sizeof b));
        return NULL;
    }
    hd_device *dev = hdi_device_of(x);
    if (hdi_device_of(mask) != dev) {
        hdi_fail(HD_DEVICE, "arrays live on two devices, %s and %s; move one with to_device()",
                 hdi_device_of(mask)->name, dev->name);
        return NULL;
    }
    hdi_lock();
    return hdi_done(selected(x, mask, (hd_dtype)x->dtype), "extract");
}

/* ---- nonzero --------------------------------------------------------------------------------- */

/* Position along an axis of the elements with these numbers; `below` of them have the same. */
static hd_array *along_axis(const hd_array *numbers, int64_t below, int64_t dim, bool first)
{
    hd_array *above = hdi_ew_number(HD_OP_floor_divide, HD_INT64, numbers, below), *r = above;
    if (above != NULL && !first) {
        r = hdi_ew_number(HD_OP_remainder, HD_INT64, above, dim);
        hdi_array_release(above);
    }
    return r;
}

static hd_status find_positions(const hd_array *x, const hd_array *hits, hd_array **axes_out)
{
    int64_t below = 1;
    hd_array *numbers = selected(NULL, hits, HD_INT64);
    hd_status status = numbers != NULL ? HD_OK : hd_error_peek()->code;
    for (int a = x->lay->nd - 1; a >= 0 && status == HD_OK; a--) {
        axes_out[a] = x->lay->nd == 1 ? numbers
                                      : along_axis(numbers, below, x->lay->dims[a], a == 0);
        below *= x->lay->dims[a];
        if (axes_out[a] != NULL)
            continue;
        while (++a < x->lay->nd)
            hdi_array_release(axes_out[a]);
        status = hd_error_peek()->code;
        break;
    }
    if (numbers != NULL && (x->lay->nd != 1 || status != HD_OK))
        hdi_array_release(numbers);
    return status;
}

hd_status hd_nonzero(const hd_array *x, hd_array **axes_out)
{
    if (x == NULL)
        return hdi_fail_null("an array");
    if (axes_out == NULL && x->lay->nd > 0)
        return hdi_fail_null("the place for positions");
    hd_number zero = {.kind = HD_WEAK_INT};
    hdi_in truth[2] = {hdi_in_array(x), hdi_in_number(&zero)};
    hdi_lock();
    hd_array *hits = x->dtype == HD_BOOL && !hdi_is_weak(x)
                         ? hdi_array_view(x, HD_BOOL, x->lay, x->off)
                         : hdi_ew_auto(HD_OP_not_equal, 2, truth);
    hd_status status = hits != NULL ? find_positions(x, hits, axes_out) : hd_error_peek()->code;
    hd_device *dev = hits != NULL ? hits->st->buf->dev : NULL;
    if (hits != NULL)
        hdi_array_release(hits);
    status = hdi_done_status(status, dev, "nonzero");
    for (int a = 0; status == HD_OK && a < x->lay->nd; a++)
        hdi_scope_own(axes_out[a]);
    return status;
}
