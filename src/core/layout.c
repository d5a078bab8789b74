/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - the table of interned layouts and the facts derived from one. */
#include "core/layout.h"

#include "base/alloc.h"
#include "base/hash.h"

static hdi_layout **buckets;
static int64_t nbuckets;
enum { MANY = 1 << 16 };
static int64_t least = MANY;   /* 0: always */
int64_t hdi_layouts_number, hdi_layouts_limit = MANY;
static uint32_t next_id = 1;
uint64_t hdi_layouts_generation;
int64_t hdi_layouts_kept;

/* What makes a layout. wrap: by axis, or NULL. */
typedef struct maker {
    int nd;
    const int64_t *dims, *strides, *wrap;
    int64_t item;
} maker;

static size_t layout_bytes(int nd, int nsq, bool wrapped)
{
    return sizeof(hdi_layout) + sizeof(int64_t) * (2 * (size_t)(nd + nsq) +
                                                   (wrapped ? (size_t)nsq : 0));
}

static uint64_t layout_hash(const maker *m)
{
    uint64_t h = hdi_mix((uint64_t)m->nd, (uint64_t)m->item);
    for (int a = 0; a < m->nd; a++)
        h = hdi_mix(hdi_mix(h, (uint64_t)m->dims[a]), (uint64_t)m->strides[a]);
    for (int a = 0; a < m->nd && m->wrap != NULL; a++)
        h = hdi_mix(h, (uint64_t)m->wrap[a] + 1);
    return h;
}

static bool same_wrap(const hdi_layout *l, const int64_t *wrap)
{
    if (l->wrap == NULL || wrap == NULL)
        return l->wrap == NULL && wrap == NULL;
    for (int a = 0, k = 0; a < l->nd; a++)
        if (l->dims[a] != 1 && l->wrap[k++] != wrap[a])
            return false;
    return true;
}

static hdi_layout *find(uint64_t hash, const maker *m)
{
    const int nd = m->nd;
    if (nbuckets == 0)
        return NULL;
    for (hdi_layout *l = buckets[hash & (uint64_t)(nbuckets - 1)]; l != NULL; l = l->next) {
        if (l->hash != hash || l->nd != nd || l->item != m->item || !same_wrap(l, m->wrap))
            continue;
        size_t bytes = sizeof(int64_t) * (size_t)nd;
        if (nd == 0 || (memcmp(l->dims, m->dims, bytes) == 0 &&
                        memcmp(l->dims + nd, m->strides, bytes) == 0))
            return l;
    }
    return NULL;
}

static bool grow(void)
{
    int64_t n = nbuckets ? nbuckets * 2 : 1024;
    hdi_layout **table = hdi_calloc(sizeof *table * (size_t)n);
    if (table == NULL)
        return nbuckets > 0;   /* a crowded table still works */
    for (int64_t b = 0; b < nbuckets; b++)
        for (hdi_layout *l = buckets[b], *next; l != NULL; l = next) {
            next = l->next;
            l->next = table[l->hash & (uint64_t)(n - 1)];
            table[l->hash & (uint64_t)(n - 1)] = l;
        }
    hdi_free(buckets, sizeof *buckets * (size_t)nbuckets);
    buckets = table;
    nbuckets = n;
    return true;
}

/* Byte range of the elements. False if an offset does not fit int64_t. */
static bool find_range(hdi_layout *l, const int64_t *strides)
{
    int64_t lo = 0, hi = 0, step;
    l->lo = 0;
    l->hi = -1;
    if (l->size == 0)
        return true;
    for (int a = 0; a < l->nd; a++) {
        if (!hdi_mul64(l->dims[a] - 1, strides[a], &step) ||
            !hdi_add64(step < 0 ? lo : hi, step, step < 0 ? &lo : &hi))
            return false;
    }
    l->lo = lo;
    l->hi = hi;
    return hdi_add64(hi, l->item, &step);
}

static void find_contiguity(hdi_layout *l, const int64_t *strides)
{
    int64_t expect = l->item;
    l->c_contiguous = l->f_contiguous = true;
    if (l->size == 0) {
        l->dense = true;
        return;
    }
    for (int a = l->nd - 1; a >= 0; a--) {
        if (l->dims[a] != 1 && strides[a] != expect)
            l->c_contiguous = false;
        expect *= l->dims[a];
    }
    expect = l->item;
    for (int a = 0; a < l->nd; a++) {
        if (l->dims[a] != 1 && strides[a] != expect)
            l->f_contiguous = false;
        expect *= l->dims[a];
    }
    /* Dense without order: no element twice is implied by distinct offsets filling the range;
     * strides are nested multiples. */
    l->dense = l->c_contiguous || l->f_contiguous;
    if (!l->dense && l->hi - l->lo + l->item == l->size * l->item && l->zmask == 0) {
        uint64_t used = 0;
        int64_t next = l->item;
        int left = l->nsq;
        for (bool found = true; left > 0 && found;) {
            found = false;
            for (int a = 0; a < l->nsq; a++)
                if (!(used >> a & 1) && hdi_abs64(l->sqstrides[a]) == next) {
                    used |= (uint64_t)1 << a;
                    next *= l->sqdims[a];
                    left--;
                    found = true;
                    break;
                }
        }
        l->dense = left == 0;
    }
}

static void find_squeezed(hdi_layout *l, const int64_t *strides)
{
    int64_t *sd = l->dims + 2 * l->nd, *ss = sd + l->nsq;
    int n = 0;
    l->sqdims = sd;
    l->sqstrides = ss;
    l->zmask = 0;
    l->gcd = 0;
    for (int a = 0; a < l->nd; a++) {
        if (l->dims[a] == 1)
            continue;
        sd[n] = l->dims[a];
        ss[n] = strides[a];
        if (strides[a] == 0)
            l->zmask |= (uint64_t)1 << n;
        l->gcd = hdi_gcd64(hdi_abs64(strides[a]), l->gcd);
        n++;
    }
}

static hdi_layout *intern(int nd, const int64_t *dims, const int64_t *strides, int64_t item);

/* The two layouts that stand for "same elements" and "same domain"; a layout may be its own. */
static bool find_relatives(hdi_layout *l)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM], zeros[HD_MAXDIM];
    int n = 0;
    for (int a = 0; a < l->nsq; a++) {
        zeros[a] = 0;
        if (l->sqstrides[a] != 0) {
            dims[n] = l->sqdims[a];
            strides[n++] = l->sqstrides[a];
        }
    }
    bool is_core = n == l->nd || l->wrap != NULL;
    l->core = is_core ? l : intern(n, dims, strides, l->item);
    bool is_shape = l->item == 0 && l->nsq == l->nd && n == 0;
    l->shape = is_shape ? l : intern(l->nsq, l->sqdims, zeros, 0);
    return l->core != NULL && l->shape != NULL;
}

/* Each stride, from the smallest, reaches beyond all that the smaller ones span. (Where two are
 * equal, fewer are found than there are axes.) */
static bool is_injective(const hdi_layout *l)
{
    int64_t span = l->item, last = 0;
    if (l->size == 0 || l->dense)
        return true;
    for (int k = 0; k < l->nsq; k++) {
        int64_t next = INT64_MAX, reach = 0;
        for (int a = 0; a < l->nsq; a++) {
            int64_t stride = hdi_abs64(l->sqstrides[a]);
            if (stride > last && stride < next) {
                next = stride;
                reach = (l->sqdims[a] - 1) * stride;
            }
        }
        if (next < span || next == INT64_MAX)
            return false;
        span += reach;
        last = next;
    }
    return true;
}

/* What recording and planning ask for again and again. */
static void find_classes(hdi_layout *l)
{
    l->c_order = true;
    for (int a = 1; a < l->nsq && !l->c_contiguous; a++)
        l->c_order &= hdi_abs64(l->sqstrides[a]) <= hdi_abs64(l->sqstrides[a - 1]);
    l->view_class = (uint16_t)(l->core->nd << 3 | l->c_contiguous << 2 | 3);
    l->injective = is_injective(l);
    l->fills = l->dense ? l->size * l->item : -1;
}

/* Its elements do not follow each other as the strides say: it counts as neither contiguous nor
 * dense. */
static void note_wrap(hdi_layout *l, const int64_t *wrap)
{
    int64_t *first = l->dims + 2 * (l->nd + l->nsq);
    l->wrap = first;
    for (int a = 0; a < l->nd; a++)
        if (l->dims[a] != 1)
            *first++ = wrap[a];
    l->c_contiguous = l->f_contiguous = l->dense = false;
}

/* Room for it, and its extents. */
static hdi_layout *allocate(const maker *m)
{
    int nsq = 0;
    for (int a = 0; a < m->nd; a++) {
        nsq += m->dims[a] != 1;
        if (m->strides[a] == INT64_MIN) {   /* has no absolute value */
            hdi_fail(HD_SHAPE, "a stride of %lld bytes is too large", (long long)m->strides[a]);
            return NULL;
        }
    }
    hdi_layout *l = NULL;
    if ((hdi_layouts_number >= nbuckets && !grow()) ||
        (l = hdi_alloc(layout_bytes(m->nd, nsq, m->wrap != NULL))) == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a shape of %d dimensions", m->nd);
        return NULL;
    }
    memset(l, 0, sizeof *l);
    l->nd = (int16_t)m->nd;
    l->nsq = (int16_t)nsq;
    l->item = (uint8_t)m->item;
    l->size = 1;
    for (int a = 0; a < m->nd; a++) {
        l->dims[a] = m->dims[a];
        l->dims[m->nd + a] = m->strides[a];
    }
    for (int a = 0; a < m->nd; a++)
        l->size *= m->dims[a];
    return l;
}

static hdi_layout *make(const maker *m)
{
    uint64_t hash = layout_hash(m);
    hdi_layout *l = find(hash, m);
    if (HDI_LIKELY(l != NULL) || (l = allocate(m)) == NULL)
        return l;
    l->hash = hash;
    find_squeezed(l, m->strides);
    if (!find_range(l, m->strides)) {
        char text[256];
        hdi_fail(HD_SHAPE, "array of shape %s is too large",
                 hdi_shape_text(m->nd, m->dims, text, sizeof text));
        hdi_free(l, layout_bytes(l->nd, l->nsq, m->wrap != NULL));
        return NULL;
    }
    find_contiguity(l, m->strides);
    if (m->wrap != NULL)
        note_wrap(l, m->wrap);
    if (!find_relatives(l)) {
        hdi_free(l, layout_bytes(l->nd, l->nsq, m->wrap != NULL));
        return NULL;
    }
    find_classes(l);
    if (m->wrap != NULL)
        l->c_order = false;
    l->id = next_id++;
    /* relatives may have grown the table */
    hdi_layout **bucket = &buckets[hash & (uint64_t)(nbuckets - 1)];
    l->next = *bucket;
    *bucket = l;
    hdi_layouts_number++;
    return l;
}

/* A layout whose extents are known to multiply without overflow. */
static hdi_layout *intern(int nd, const int64_t *dims, const int64_t *strides, int64_t item)
{
    return make(&(maker){nd, dims, strides, NULL, item});
}

hdi_layout *hdi_layout_wrapped(const hdi_layout *l, const int64_t *wrap)
{
    return make(&(maker){l->nd, l->dims, hdi_layout_strides(l), wrap, l->item});
}

hd_status hdi_shape_check(int nd, const int64_t *dims, int64_t item, int64_t *nbytes)
{
    int64_t n = item ? item : 1;
    char text[256];
    bool empty = false, fits = true;
    if (nd < 0 || nd > HD_MAXDIM)
        return hdi_fail_ndim(nd);
    if (dims == NULL && nd > 0)
        return hdi_fail_null("the shape");
    for (int a = 0; a < nd; a++) {
        if (dims[a] < 0)
            return hdi_fail(HD_VALUE, "negative dimensions are not allowed: %s",
                            hdi_shape_text(nd, dims, text, sizeof text));
        empty |= dims[a] == 0;
        /* as NumPy: too large even if another extent is 0 */
        fits = fits && (dims[a] == 0 || hdi_mul64(n, dims[a], &n));
    }
    if (!fits)
        return hdi_fail(HD_VALUE,
                        "array is too big: shape %s with elements of %d bytes; `arr.size * "
                        "arr.dtype.itemsize` is "
                        "larger than the maximum possible size.",
                        hdi_shape_text(nd, dims, text, sizeof text), (int)item);
    *nbytes = empty ? 0 : n;
    return HD_OK;
}

hdi_layout *hdi_layout_get(int nd, const int64_t *dims, const int64_t *strides, int64_t item)
{
    int64_t nbytes;
    if (hdi_shape_check(nd, dims, item, &nbytes) != HD_OK)
        return NULL;
    if (strides == NULL && nd > 0)
        return hdi_null("the list of strides");
    return intern(nd, dims, strides, item);
}

/* Values are made all the time: their layouts, by the element size, stay once they were asked for.
 */
enum { MOST_BYTES = 16 };   /* of an element */
static hdi_layout *of_rank_0(int64_t item)
{
    static hdi_layout *known[MOST_BYTES + 1];
    const int64_t none[1] = {0};
    hdi_layout **at = &known[item];
    if (HDI_UNLIKELY(*at == NULL) && (*at = intern(0, none, none, item)) != NULL)
        (*at)->handles++;
    return *at;
}

hdi_layout *hdi_layout_c(int nd, const int64_t *dims, int64_t item)
{
    int64_t strides[HD_MAXDIM], nbytes;
    if (nd == 0 && item > 0 && item <= MOST_BYTES)
        return of_rank_0(item);
    if (hdi_shape_check(nd, dims, item, &nbytes) != HD_OK)
        return NULL;
    /* NumPy's fresh empty arrays have strides of 0 */
    int64_t step = nbytes > 0 || item == 0 ? item : 0;
    for (int a = nd - 1; a >= 0; a--) {
        strides[a] = step;
        step *= dims[a] ? dims[a] : 1;
    }
    return intern(nd, dims, strides, item);
}

hdi_layout *hdi_layout_like(const hdi_layout *l, int64_t item)
{
    int perm[HD_MAXDIM];   /* from the slowest axis to the fastest */
    int64_t strides[HD_MAXDIM], step = item;
    if (l->nd < 2 || l->size == 0 || l->c_contiguous)
        return hdi_layout_c(l->nd, l->dims, item);
    for (int a = 0; a < l->nd; a++) {
        int at = a;
        for (; at > 0 &&
               hdi_abs64(hdi_layout_strides(l)[perm[at - 1]]) < hdi_abs64(hdi_layout_strides(l)[a]);
             at--)
            perm[at] = perm[at - 1];
        perm[at] = a;
    }
    for (int i = l->nd - 1; i >= 0; i--) {
        strides[perm[i]] = step;
        step *= l->dims[perm[i]];
    }
    return hdi_layout_get(l->nd, l->dims, strides, item);
}

bool hdi_layout_fits(const hdi_layout *l, int nd, const int64_t *dims)
{
    int shift = nd - l->nd;
    if (shift < 0)
        return false;
    for (int a = shift; a < nd; a++)
        if (l->dims[a - shift] != dims[a] && l->dims[a - shift] != 1)
            return false;
    return true;
}

hdi_layout *hdi_layout_broadcast(const hdi_layout *l, int nd, const int64_t *dims)
{
    int64_t strides[HD_MAXDIM];
    char from[256], to[256];
    int shift = nd - l->nd;
    bool fits = shift >= 0, same = shift == 0;
    for (int a = 0; fits && a < nd; a++) {
        int64_t d = a < shift ? 1 : l->dims[a - shift];
        strides[a] = a < shift || (d == 1 && dims[a] != 1) ? 0 : hdi_layout_strides(l)[a - shift];
        fits = d == dims[a] || d == 1;
        same = same && d == dims[a];
    }
    if (!fits) {
        hdi_fail(HD_SHAPE, "could not broadcast input array from shape %s into shape %s",
                 hdi_shape_text(l->nd, l->dims, from, sizeof from),
                 hdi_shape_text(nd, dims, to, sizeof to));
        return NULL;
    }
    return same ? (hdi_layout *)(uintptr_t)l : hdi_layout_get(nd, dims, strides, l->item);
}

int hdi_broadcast_dims(int n, const hdi_layout *const *operands, int64_t *dims)
{
    int nd = 0;
    for (int k = 0; k < n; k++)
        nd = operands[k]->nd > nd ? operands[k]->nd : nd;
    for (int a = 0; a < nd; a++)
        dims[a] = 1;
    for (int k = 0; k < n; k++) {
        const hdi_layout *l = operands[k];
        for (int a = 0; a < l->nd; a++) {
            int64_t *d = &dims[nd - l->nd + a];
            if (*d == 1) {
                *d = l->dims[a];
            } else if (l->dims[a] != 1 && l->dims[a] != *d) {
                char text[400];
                size_t used = 0;
                for (int j = 0; j < n && used + 80 < sizeof text; j++) {
                    hdi_shape_text(operands[j]->nd, operands[j]->dims, text + used, 80);
                    used += strlen(text + used);
                    text[used++] = ' ';
                    text[used] = '\0';
                }
                hdi_fail(HD_SHAPE, "operands could not be broadcast together with shapes %s", text);
                return -1;
            }
        }
    }
    return nd;
}

const char *hdi_shape_text(int nd, const int64_t *dims, char *text, size_t size)
{
    size_t used = 0;
    char digits[24];
    text[used++] = '(';
    for (int a = 0; a < nd && used + 30 < size; a++) {
        bool negative = dims[a] < 0;
        uint64_t v = negative ? -(uint64_t)dims[a] : (uint64_t)dims[a];
        int n = 0;
        do
            digits[n++] = (char)('0' + v % 10);
        while ((v /= 10) != 0);
        if (negative)
            text[used++] = '-';
        while (n > 0)
            text[used++] = digits[--n];
        if (a + 1 < nd || nd == 1)
            text[used++] = ',';
    }
    text[used++] = ')';
    text[used] = '\0';
    return text;
}

int64_t hdi_layouts_count(void)
{
    return hdi_layouts_number;
}

/* A layout goes when no handle uses it and no layout that stays has it as a relative. */
void hdi_layouts_trim(void)
{
    if (hdi_layouts_kept > 0)
        return;
    hdi_layouts_generation++;
    for (int64_t b = 0; b < nbuckets; b++)
        for (hdi_layout *l = buckets[b]; l != NULL; l = l->next)
            l->mark = 0;
    for (int64_t b = 0; b < nbuckets; b++)
        for (hdi_layout *l = buckets[b]; l != NULL; l = l->next)
            if (l->handles > 0) {
                l->mark = UINT64_MAX;
                ((hdi_layout *)(uintptr_t)l->core)->mark =
                    ((hdi_layout *)(uintptr_t)l->shape)->mark = UINT64_MAX;
                ((hdi_layout *)(uintptr_t)l->core->shape)->mark =
                    ((hdi_layout *)(uintptr_t)l->shape->core)->mark = UINT64_MAX;
            }
    for (int64_t b = 0; b < nbuckets; b++)
        for (hdi_layout **at = &buckets[b]; *at != NULL;) {
            hdi_layout *l = *at;
            if (l->mark) {
                l->mark = 0;
                at = &l->next;
                continue;
            }
            *at = l->next;
            hdi_layouts_number--;
            hdi_free(l, layout_bytes(l->nd, l->nsq, l->wrap != NULL));
        }
    hdi_layouts_limit = least > 0 ? hdi_max64(least, hdi_layouts_number * 2) : 0;
}

void hdi_layouts_few(bool few)
{
    least = few ? 0 : MANY;
    hdi_layouts_limit = few ? 0 : hdi_max64(MANY, hdi_layouts_number * 2);
}
