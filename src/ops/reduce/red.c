/* SPDX-License-Identifier: BSD-3-Clause */
/* red.c - reductions: axes, dtypes, empty and trivial cases, where and initial; one record for
 * the rest. */
#include "ops/reduce/red.h"

#include "base/lock.h"

/* rows up to this size can be kept at hand between the phases of an RR kernel */
enum { ROW_BYTES = 256 << 10 };

/* dtype the reduction runs in: NumPy sums small integers in int64 or uint64. */
static hd_dtype loop_of(hd_op op, hd_dtype dt, hd_dtype asked)
{
    if (asked != HD_NO_DTYPE && hdi_dtype_check(asked) != HD_OK)
        return HD_NO_DTYPE;
    if (hdi_op_rows[op].rule == HDI_RULE_BOOL)
        return dt;
    if (asked != HD_NO_DTYPE)
        return asked;
    return hdi_op_rows[op].rule == HDI_RULE_SUM ? hdi_sum_dtype(dt) : dt;
}

/* What the extents that stay are, with 1 for the others if keepdims; and the strides of a result
 * of that shape over x's domain. */
typedef struct kept { int nd; int64_t dims[HD_MAXDIM], strides[HD_MAXDIM], count, reduced; } kept;

static void split_axes(const hdi_layout *l, uint64_t mask, bool keepdims, kept *k)
{
    k->nd = 0;
    k->count = k->reduced = 1;
    for (int a = 0; a < l->nd; a++) {
        bool reduce = mask >> a & 1;
        *(reduce ? &k->reduced : &k->count) *= l->dims[a];
        if (reduce && !keepdims)
            continue;
        k->dims[k->nd] = reduce ? 1 : l->dims[a];
        k->strides[k->nd++] = reduce ? 0 : hdi_layout_strides(l)[a];
    }
}

/* Of the result, in the memory order that the kept axes have when all of x is walked in its own;
 * c_order: in C order. */
static hdi_layout *result_layout(const hdi_layout *x, uint64_t mask, bool keepdims, int64_t item,
                                 bool c_order, kept *k)
{
    split_axes(x, mask, keepdims, k);
    if (c_order)   /* argmin and argmax */
        return hdi_layout_c(k->nd, k->dims, item);
    if (x->zmask != 0) {   /* where x repeats, its other axes settle the order */
        hdi_layout *walk = hdi_layout_k(x->nd, x->dims, x->item, 1,
                                        (const hdi_layout *const[]){x});
        if (walk == NULL)
            return NULL;
        split_axes(walk, mask, keepdims, k);
    }
    hdi_layout *like = hdi_layout_get(k->nd, k->dims, k->strides, x->item);
    return like != NULL ? hdi_layout_k(k->nd, k->dims, item, 1, &(const hdi_layout *){like}) : NULL;
}

/* A result's layout over x's domain: stride 0 on the reduced axes. */
static hdi_layout *spread(const hdi_layout *r, const hdi_layout *domain, uint64_t mask,
                          bool keepdims)
{
    int64_t strides[HD_MAXDIM];
    int from = 0;
    for (int a = 0; a < domain->nd; a++) {
        bool reduce = mask >> a & 1;
        strides[a] = reduce ? 0 : hdi_layout_strides(r)[from];
        from += !reduce || keepdims;
    }
    return hdi_layout_get(domain->nd, domain->dims, strides, r->item);
}

static uint64_t squeeze_mask(const hdi_layout *l, uint64_t mask)
{
    uint64_t sq = 0;
    for (int a = 0, n = 0; a < l->nd; a++)
        if (l->dims[a] != 1)
            sq |= (mask >> a & 1) << n++;
    return sq;
}

static hdi_layout *row_symbol(const hdi_layout *l, uint64_t sqmask)
{
    int64_t dims[HD_MAXDIM], zeros[HD_MAXDIM] = {0};
    int n = 0;
    for (int a = 0; a < l->nsq; a++)
        if (!(sqmask >> a & 1))
            dims[n++] = l->sqdims[a];
    return hdi_layout_get(n, dims, zeros, 0);
}

/* What a reduction of x over the axes of mask is, but for its operation: how many elements stay
 * and how many are reduced to each; layouts of the result, of it over x's domain, of a row. */
typedef struct shape {
    const hdi_layout *x;
    uint64_t mask, generation;
    int64_t item;
    bool keepdims, c_order;
    int64_t count, reduced;
    uint64_t sqmask;
    hdi_layout *out, *spread, *row;   /* the last two where there is something to reduce */
} shape;

/* given: the result's layout, or NULL. */
static bool find_shape(shape *s, hdi_layout *given)
{
    kept k;
    s->out = given;
    if (given == NULL &&
        (s->out = result_layout(s->x, s->mask, s->keepdims, s->item, s->c_order, &k)) == NULL)
        return false;
    split_axes(s->x, s->mask, s->keepdims, &k);
    s->count = k.count;
    s->reduced = k.reduced;
    s->sqmask = squeeze_mask(s->x, s->mask);
    s->spread = s->row = NULL;
    if (s->sqmask == 0 || k.count == 0 || k.reduced == 0)
        return true;
    s->spread = spread(s->out, s->x, s->mask, s->keepdims);
    s->row = row_symbol(s->x, s->sqmask);
    return s->spread != NULL && s->row != NULL;
}

/* Shapes that were asked for before, by what they were asked with: to make the layouts again takes
 * longer than all the rest. Layouts live until they are trimmed, which their generation counts. */
enum { SHAPES = 64 };
static shape shapes[SHAPES];

static const shape *remembered_shape(const shape *s)
{
    uint64_t slot = s->x->id * 31u + s->mask * 7u + (uint64_t)s->item + s->keepdims;
    shape *known = &shapes[slot % SHAPES];
    if (HDI_LIKELY(known->x == s->x && known->mask == s->mask && known->item == s->item &&
                   known->keepdims == s->keepdims && known->c_order == s->c_order &&
                   known->generation == hdi_layouts_generation && known->out != NULL))
        return known;
    *known = *s;
    known->generation = hdi_layouts_generation;
    if (find_shape(known, NULL))
        return known;
    known->out = NULL;
    return NULL;
}

static hd_status record(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *y,
                        const shape *s, hd_array *r)
{
    hdi_window *w = hdi_window_of(x->st->buf->dev);
    hdi_record *rec = hdi_record_begin(w, op, 'r', cdt, y != NULL ? 2 : 1);
    if (rec == NULL)
        return hd_error_peek()->code;
    hdi_record_array(rec, 0, r, s->spread);
    hdi_record_array(rec, 1, x, x->lay);
    if (y != NULL)
        hdi_record_array(rec, 2, y, y->lay);
    rec->domain = x->lay;
    rec->row = s->row;
    rec->axes = s->mask;
    rec->sqaxes = s->sqmask;
    rec->row_fits = s->count > 1 &&
                    s->reduced <= ROW_BYTES / hdi_itemsize(hdi_compute_dtype(op, cdt));
    return hdi_record_end(w, rec);
}

/* One element for each: the reduction is a cast (for positions, 0; for a sum, the element and 0;
 * for a sum of products, a product and 0). */
static hd_status record_trivial(hd_op op, const hd_array *x, const hd_array *y, uint64_t mask,
                                bool keepdims, hd_array *r)
{
    uint64_t zero[2] = {0, 0};
    hd_array *views[2] = {NULL, NULL};
    hd_status status = HD_OK;
    if (hdi_op_rows[op].rule == HDI_RULE_ARG)
        return hdi_fill(r, zero);
    for (int n = 0; n < (y != NULL ? 2 : 1) && status == HD_OK; n++) {
        const hd_array *from = n == 0 ? x : y;
        kept own;
        split_axes(from->lay, mask, keepdims, &own);
        hdi_layout *lay = hdi_layout_get(own.nd, own.dims, own.strides, from->lay->item);
        views[n] = lay != NULL ? hdi_array_view(from, (hd_dtype)from->dtype, lay, from->off) : NULL;
        status = views[n] != NULL ? HD_OK : HD_NOMEM;
    }
    if (status == HD_OK) {
        /* sums start at 0: that of one -0.0 is 0.0 */
        static const hd_number start = {.kind = HD_WEAK_FLOAT};
        char kind = hdi_dtypes[r->dtype].kind;
        bool sums = (op == HD_OP_sum || y != NULL) && (kind == 'f' || kind == 'c');
        hd_op one = y != NULL ? HD_OP_multiply : sums ? HD_OP_add : HD_OP_copy;
        hdi_in in[2] = {hdi_in_array(views[0]),
                        y != NULL ? hdi_in_array(views[1]) : hdi_in_number(&start)};
        const char *whole = hdi_watching.whole;   /* faults are the reduction's */
        hdi_watching.whole = hdi_fault_name(op, false);
        status = hdi_store(r, one, (hd_dtype)r->dtype, one == HD_OP_copy ? 1 : 2, in);
        if (status == HD_OK && y != NULL && sums) {
            hdi_in sum[2] = {hdi_in_array(r), hdi_in_number(&start)};
            status = hdi_store(r, HD_OP_add, (hd_dtype)r->dtype, 2, sum);
        }
        hdi_watching.whole = whole;
    }
    for (int n = 0; n < 2; n++)
        if (views[n] != NULL)
            hdi_array_release(views[n]);
    return status;
}

/* The elementwise operation that a reduction repeats. */
static hd_op combining(hd_op op)
{
    for (hd_op e = 0; e < HD_OP_sum; e++)
        if (hd_fold_info_of(e) != NULL && hd_fold_info_of(e)->reduction == op)
            return e;
    return HD_OP_add;   /* of products */
}

static hd_status no_identity(hd_op op)
{
    if (hdi_op_rows[op].rule == HDI_RULE_ARG)
        return hdi_fail(HD_VALUE, "attempt to get %s of an empty sequence",
                        hdi_op_rows[op].info.name);
    return hdi_fail(HD_VALUE, "zero-size array to reduction operation %s which has no identity",
                    hdi_op_rows[combining(op)].info.name);
}

static int64_t identity_of(hd_op op)
{
    return op == HD_OP_prod || op == HD_OP_all;
}

hd_array *hdi_reduce(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *y, uint64_t mask,
                     bool keepdims, hd_array *into)
{
    uint64_t element[2];
    hd_status status;
    hd_dtype dt = hdi_value_dtype(op, cdt);
    shape asked = {.x = x->lay, .mask = mask, .item = hdi_itemsize(dt), .keepdims = keepdims,
                   .c_order = hdi_op_rows[op].rule == HDI_RULE_ARG};
    const shape *s = into == NULL                     ? remembered_shape(&asked)
                     : find_shape(&asked, into->lay) ? &asked
                                                      : NULL;
    if (s == NULL)
        return NULL;
    hd_array *r = into;
    if (r == NULL && (r = hdi_array_new(x->st->buf->dev, dt, s->out)) == NULL)
        return NULL;
    if (s->out->nd == 0)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    if (s->reduced == 0) {
        hdi_encode_i64((hd_dtype)r->dtype, identity_of(op), element);
        status = hdi_op_rows[op].has_identity ? hdi_fill(r, element) : no_identity(op);
    } else if (s->count == 0) {
        status = HD_OK;
    } else if (s->sqmask == 0) {
        status = record_trivial(op, x, y, mask, keepdims, r);
    } else {
        const hdi_joined in[2] = {{x, mask}, {y, mask}};
        status = record(op, cdt, x, y, s, r);
        if (status == HD_OK && hdi_faults_unseen(r->st->buf->dev))
            status = hdi_joined_faults(op, combining(op), cdt, r, y != NULL ? 2 : 1, in, keepdims);
    }
    if (status == HD_OK || into != NULL)
        return status == HD_OK ? r : NULL;
    hdi_array_release(r);
    return NULL;
}

/* ---- options --------------------------------------------------------------------------------- */

/* A mask may repeat over x, but not the other way round. */
bool hdi_mask_fits(const hd_array *x, const hd_array *where)
{
    char a[200], b[200];
    if (hdi_layout_fits(where->lay, x->lay->nd, x->lay->dims))
        return true;
    hdi_fail(HD_SHAPE, "where has shape %s and does not broadcast to shape %s of the array",
             hdi_shape_text(where->lay->nd, where->lay->dims, a, sizeof a),
             hdi_shape_text(x->lay->nd, x->lay->dims, b, sizeof b));
    return false;
}

/* Elements that do not count become the identity (or, for min and max, the initial value). */
static hd_array *masked_input(hd_op op, hd_dtype cdt, const hd_array *x, const hd_reduce_options *o)
{
    hd_number identity = {
        .kind = HD_WEAK_INT, .as.i = identity_of(op), .re = (double)identity_of(op)};
    bool has = hdi_op_rows[op].has_identity;
    if (!has && o->initial == NULL) {
        hdi_fail(HD_VALUE,
                 "reduction operation '%s' does not have an identity, so to use a where mask one "
                 "has to specify 'initial'",
                 hdi_op_rows[combining(op)].info.name);
        return NULL;
    }
    hdi_in in[3] = {hdi_in_array(o->where), hdi_in_array(x),
                    has ? hdi_in_number(&identity) : hdi_in_array(o->initial)};
    return hdi_ew(HD_OP_where, cdt, 3, in);
}

static hd_array *with_initial(hd_op op, hd_array *r, const hd_array *initial)
{
    hdi_in in[2] = {hdi_in_array(r), hdi_in_array(initial)};
    hd_array *combined = hdi_ew(
        combining(op), hdi_op_rows[op].rule == HDI_RULE_BOOL ? HD_BOOL : (hd_dtype)r->dtype, 2, in);
    hdi_array_release(r);
    return combined;
}

hd_array *hdi_reduce_deliver(hd_array *r, hd_array *out)
{
    hd_status fits = hdi_out_fits(r, out, "output parameter for reduction operation has shape",
                                  "but the result has shape");
    return hdi_deliver(r, out, fits, HD_CAST_UNSAFE);
}

/* NumPy's reductions cast to out whatever it is; positions must fit it. */
static hd_array *deliver(hd_op op, hd_array *r, hd_array *out)
{
    if (out == NULL)
        return r;
    if (r != NULL && hdi_op_rows[op].rule == HDI_RULE_ARG &&
        !hd_can_cast((hd_dtype)out->dtype, HD_INT64, HD_CAST_SAFE)) {
        hdi_fail(HD_DTYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule "
                 "'safe'",
                 hd_dtype_name((hd_dtype)out->dtype));
        hdi_array_release(r);
        return NULL;
    }
    return hdi_reduce_deliver(r, out);
}

static hd_array *array_of(const hd_array *x)
{
    if (!hdi_is_weak(x)) {
        hd_array *same = (hd_array *)(uintptr_t)x;
        same->rc++;
        return same;
    }
    return hdi_new_copy(x, (hd_dtype)x->dtype, hdi_layout_c(0, NULL, x->lay->item));
}

static bool reduces_nothing(const hdi_layout *l, uint64_t mask)
{
    bool nothing = false;
    for (int a = 0; a < l->nd; a++)
        nothing |= (mask >> a & 1) && l->dims[a] == 0;
    return nothing;
}

/* The result where there is nothing but the initial value. */
static hd_array *only_initial(hd_dtype dt, const hd_array *x, uint64_t mask,
                              const hd_reduce_options *o)
{
    kept k;
    hdi_in in = hdi_in_array(o->initial);
    hdi_layout *lay =
        result_layout(x->lay, mask, o->keepdims != 0, hdi_itemsize(dt), false, &k);
    hd_array *r = lay != NULL ? hdi_array_new(x->st->buf->dev, dt, lay) : NULL;
    if (r != NULL && hdi_store(r, HD_OP_copy, dt, 1, &in) != HD_OK) {
        hdi_array_release(r);
        r = NULL;
    }
    if (r != NULL && k.nd == 0)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return r;
}

static hd_array *reduce(hd_op op, const hd_array *x, const hd_reduce_options *o)
{
    uint64_t mask;
    hd_dtype dt = o->dtype == HD_NO_DTYPE && o->out != NULL && hdi_op_rows[op].rule == HDI_RULE_SUM
                      ? (hd_dtype)o->out->dtype
                      : o->dtype;
    hd_dtype cdt = loop_of(op, (hd_dtype)x->dtype, dt);
    if (cdt == HD_NO_DTYPE || hdi_axes_mask(o->naxes, o->axes, x->lay->nd, &mask) != HD_OK)
        return NULL;
    if (dt != HD_NO_DTYPE && o->dtype == HD_NO_DTYPE &&
        !hd_can_cast((hd_dtype)x->dtype, dt, HD_CAST_SAME_KIND))
        /* out decides the loop only if the input may be cast to it */
        cdt = loop_of(op, (hd_dtype)x->dtype, HD_NO_DTYPE);
    hd_array *from = NULL;
    if (o->where != NULL &&
        (!hdi_mask_fits(x, o->where) || (from = masked_input(op, cdt, x, o)) == NULL))
        return NULL;
    hd_array *r;
    if (HDI_UNLIKELY(o->initial != NULL) && !hdi_op_rows[op].has_identity &&
        reduces_nothing(from != NULL ? from->lay : x->lay, mask)) {
        r = only_initial(hdi_value_dtype(op, cdt), x, mask, o);
    } else {
        r = hdi_reduce(op, cdt, from != NULL ? from : x, NULL, mask, o->keepdims != 0, NULL);
        if (r != NULL && o->initial != NULL)
            r = with_initial(op, r, o->initial);
    }
    if (from != NULL)
        hdi_array_release(from);
    return deliver(op, r, o->out);
}

hd_reduce_options hdi_reduce_options(const hd_reduce_options *o)
{
    hd_reduce_options all = {.naxes = HD_ALL_AXES, .dtype = HD_NO_DTYPE};
    if (HDI_LIKELY(o != NULL && o->size == sizeof all))
        all = *o;
    else if (o != NULL)
        memcpy(&all, o, o->size < sizeof all ? o->size : sizeof all);
    all.size = sizeof all;
    if (HDI_UNLIKELY(all.naxes == 0 && all.axes == NULL))
        all.naxes = HD_ALL_AXES;
    return all;
}

/* The reduction row of an elementwise operation; op itself if there is none. */
static hd_op reduction_of(hd_op op, const hd_reduce_options *o)
{
    const hd_fold_info *info = hd_fold_info_of(op);
    bool other = hdi_op_rows[op].rule == HDI_RULE_BOOL && o->dtype != HD_NO_DTYPE &&
                 o->dtype != HD_BOOL;   /* for hdi_fold() to refuse */
    return info != NULL && info->reduction < HD_OP_COUNT && !other ? info->reduction : op;
}

hd_array *hd_reduce(hd_op op, const hd_array *x, const hd_reduce_options *options)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_reduce_options o = hdi_reduce_options(options);
    if ((unsigned)op >= HD_OP_sumproduct) {
        hdi_fail(HD_VALUE, "operation %d is not a reduction", (int)op);
        return NULL;
    }
    if (op < HD_OP_sum)
        op = reduction_of(op, &o);
    hdi_lock();
    hd_array *own = array_of(x);
    if (op < HD_OP_sum) {
        hdi_unlock();
        hd_array *r = own != NULL ? hdi_fold(op, own, &o) : NULL;
        hd_release(own);
        return r;
    }
    hd_array *r = own != NULL ? reduce(op, own, &o) : NULL;
    if (own != NULL)
        hdi_array_release(own);
    return hdi_done(r, hdi_op_rows[op].info.name);
}

/* hd_sum(x, naxes, axes, keepdims), ... : one function for each row. */
#define RED(name, nin, ...) RED##nin(name)
#define RED1(name)                                                                   \
    hd_array *hd_##name(const hd_array *x, int naxes, const int *axes, int keepdims) \
    {                                                                                \
        hd_reduce_options o = {.size = sizeof o,                                     \
                               .naxes = naxes,                                       \
                               .axes = axes,                                         \
                               .keepdims = keepdims,                                 \
                               .dtype = HD_NO_DTYPE};                                \
        return hd_reduce(HD_OP_##name, x, &o);                                       \
    }
#define RED2(name)
#include "ops/reduce/red.def"
