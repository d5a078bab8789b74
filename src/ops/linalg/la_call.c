/* SPDX-License-Identifier: BSD-3-Clause */
/* la_call.c - one library call on a batch of matrices: an operation with as many outputs as it has
 * results. */
#include "ops/linalg/la.h"

#include "base/lock.h"

/* ---- operands -------------------------------------------------------------------------------- */

static hd_status check_matrix(const hd_array *a, bool square)
{
    int nd = a->lay->nd;
    const int64_t *core = a->lay->dims + nd - 2;
    char text[200];
    if (nd < 2)
        return hdi_fail(HD_LINALG,
                        "%d-dimensional array given. Array must be at least two-dimensional", nd);
    if (square && core[0] != core[1])
        return hdi_fail(HD_LINALG, "Last 2 dimensions of the array must be square: the shape is %s",
                        hdi_shape_text(nd, a->lay->dims, text, sizeof text));
    return HD_OK;
}

/* NumPy's: single precision only if all inputs have it. */
static hd_status find_dtypes(hdi_la_call *c)
{
    bool single = true, complex = false;
    for (int i = 0; i < c->nin; i++) {
        hd_dtype dt = (hd_dtype)c->in[i]->dtype;
        if (hdi_is_half(dt))
            return hdi_fail(HD_DTYPE, "array type %s is unsupported in linalg", hd_dtype_name(dt));
        single = single && (dt == HD_FLOAT32 || dt == HD_COMPLEX64);
        complex = complex || hdi_is_complex(dt);
    }
    c->cdt = complex ? HD_COMPLEX128 : HD_FLOAT64;
    c->dt = !single ? c->cdt : complex ? HD_COMPLEX64 : HD_FLOAT32;
    return HD_OK;
}

static hd_status find_device(hdi_la_call *c)
{
    hdi_in in[2] = {{c->in[0], NULL}, {c->in[1], NULL}};
    c->dev = hdi_common_device(c->nin, in);
    return c->dev != NULL ? HD_OK : hd_error_peek()->code;
}

static void count_batches(hdi_la_call *c)
{
    c->batches = 1;
    for (int i = 0; i < c->nd; i++)
        c->batches *= c->batch[i];
}

hd_status hdi_la_begin(hdi_la_call *c, hd_op op, hdi_payload how, const hd_array *a, bool square)
{
    *c = (hdi_la_call){.op = op, .how = how, .nin = 1, .in = {a}, .nd = a->lay->nd - 2};
    hd_status status = check_matrix(a, square);
    if (status != HD_OK)
        return status;
    c->m = a->lay->dims[c->nd];
    c->n = a->lay->dims[c->nd + 1];
    memcpy(c->batch, a->lay->dims, sizeof *c->batch * (size_t)c->nd);
    count_batches(c);
    status = find_dtypes(c);
    return status == HD_OK ? find_device(c) : status;
}

/* ---- two operands ---------------------------------------------------------------------------- */

/* Axes of the batch of the right-hand side; a vector has none. */
static int batch_of(const hdi_la_call *c, const hd_array *b)
{
    return c->vector ? 0 : b->lay->nd - 2;
}

static hd_status join_batches(hdi_la_call *c, const hd_array *b)
{
    int na = c->nd, nb = batch_of(c, b), nd = na > nb ? na : nb;
    int64_t joined[HD_MAXDIM];
    char ta[200], tb[200];
    for (int i = 0; i < nd; i++) {
        int64_t da = i >= nd - na ? c->batch[i - (nd - na)] : 1,
                db = i >= nd - nb ? b->lay->dims[i - (nd - nb)] : 1;
        if (da != db && da != 1 && db != 1)
            return hdi_fail(HD_SHAPE,
                            "%s: operands could not be broadcast together with shapes %s and %s "
                            "(all axes but the last two)",
                            hdi_op_rows[c->op].info.name,
                            hdi_shape_text(c->in[0]->lay->nd, c->in[0]->lay->dims, ta, sizeof ta),
                            hdi_shape_text(b->lay->nd, b->lay->dims, tb, sizeof tb));
        joined[i] = da == 1 ? db : da;
    }
    c->nd = nd;
    memcpy(c->batch, joined, sizeof *joined * (size_t)nd);
    count_batches(c);
    return HD_OK;
}

hd_status hdi_la_begin_pair(hdi_la_call *c, hd_op op, hdi_payload how, const hd_array *a,
                            const hd_array *b, bool square)
{
    hd_status status = hdi_la_begin(c, op, how, a, square);
    if (status != HD_OK)
        return status;
    c->nin = 2;
    c->in[1] = b;
    int nd = b->lay->nd;
    c->vector = nd == 1;
    if (nd == 0)
        return hdi_fail(HD_VALUE,
                        "%s: Input operand 1 does not have enough dimensions (has 0, gufunc core "
                        "with signature (m,m),(m,n)->(m,n) requires 2)",
                        hdi_op_rows[op].info.name);
    int64_t rows = b->lay->dims[c->vector ? 0 : nd - 2];
    c->k = c->vector ? 1 : b->lay->dims[nd - 1];
    if (rows != c->m)
        return hdi_fail(HD_VALUE,
                        "%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                        "signature %s (size %lld is different from %lld)",
                        c->vector ? "solve1" : "solve",   /* NumPy's two names; lstsq has checked */
                        c->vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)", (long long)rows,
                        (long long)c->m);
    status = find_dtypes(c);
    if (status == HD_OK)
        status = join_batches(c, b);
    return status == HD_OK ? find_device(c) : status;
}

/* Operand i over (batch..., rows, columns). */
static hdi_layout *layout_of(const hdi_la_call *c, int i)
{
    const hdi_layout *l = c->in[i]->lay;
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    bool vector = i == 1 && c->vector;
    int own = vector ? 0 : l->nd - 2;
    if (!vector && own == c->nd && memcmp(l->dims, c->batch, sizeof *l->dims * (size_t)own) == 0)
        return c->in[i]->lay;
    if (c->nd + 2 > HD_MAXDIM) {
        hdi_fail(HD_VALUE, "%s: too many dimensions", hdi_op_rows[c->op].info.name);
        return NULL;
    }
    for (int at = 0; at < c->nd; at++) {
        int from = at - (c->nd - own);
        bool repeats = from < 0 || l->dims[from] != c->batch[at];
        dims[at] = c->batch[at];
        strides[at] = repeats ? 0 : hdi_layout_strides(l)[from];
    }
    dims[c->nd] = l->dims[own];
    strides[c->nd] = hdi_layout_strides(l)[own];
    dims[c->nd + 1] = vector ? 1 : l->dims[own + 1];
    strides[c->nd + 1] = vector ? l->item : hdi_layout_strides(l)[own + 1];
    return hdi_layout_get(c->nd + 2, dims, strides, l->item);
}

/* ---- results --------------------------------------------------------------------------------- */

static hdi_layout *layout_of_part(const hdi_la_call *c, const hdi_part *p, bool vector)
{
    int64_t dims[HD_MAXDIM + 2];
    int nd = c->nd + p->nd - vector;
    if (nd > HD_MAXDIM) {
        hdi_fail(HD_VALUE, "%s: too many dimensions", hdi_op_rows[c->op].info.name);
        return NULL;
    }
    memcpy(dims, c->batch, sizeof *dims * (size_t)c->nd);
    memcpy(dims + c->nd, p->dims, sizeof p->dims);
    return hdi_layout_c(nd, dims, hdi_itemsize(p->dt));
}

/* Those that a value of the matrix can make fail; the others are recorded and wait. */
static bool may_fail(const hdi_la_call *c)
{
    return hdi_op_rows[c->op].traits & HDI_TRAIT_FAILS &&
           !(c->op == HD_OP_inv && c->how.la & HDI_LA_NAN);
}

/* Results but for the first, each in a slot of its own. */
static void add_results(hdi_record *r, hd_array *const *result, int n)
{
    for (int i = 1; i < n; i++) {
        hdi_record *slot = hdi_record_more(r, 0);
        hdi_record_array(slot, 0, result[i], result[i]->lay);
        slot->domain = r->domain;
    }
}

static hd_status record(hdi_la_call *c, int nresults)
{
    hdi_window *w = hdi_window_of(c->dev);
    hdi_layout *lay[2] = {NULL, NULL};
    int64_t size = 0;
    for (int i = 0; i < nresults; i++)
        size += c->result[i]->lay->size;
    if (size == 0)
        return HD_OK;
    for (int i = 0; i < c->nin; i++)
        if ((lay[i] = layout_of(c, i)) == NULL)
            return hd_error_peek()->code;
    hdi_record *r = hdi_record_begin_many(w, c->op, 'x', c->cdt, c->nin, nresults);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, c->result[0], c->result[0]->lay);
    for (int i = 0; i < c->nin; i++)
        hdi_record_array(r, i + 1, c->in[i], lay[i]);
    r->domain = c->result[0]->lay;
    r->payload = c->how;
    add_results(r, c->result, nresults);
    hd_status status = hdi_record_end(w, r);
    return status == HD_OK && may_fail(c) ? hdi_window_demand(c->result[0]->st->buf) : status;
}

static hd_status make_results(hdi_la_call *c, const hdi_part *part, int nparts,
                              hdi_layout *const *lay)
{
    for (int i = 0; i < nparts; i++) {
        c->result[i] = hdi_array_new(c->dev, part[i].dt, lay[i]);
        if (c->result[i] == NULL)
            return hd_error_peek()->code;
        if (lay[i]->nd == 0)
            c->result[i]->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    }
    return HD_OK;
}

/* ---- small matrices of a GPU ----------------------------------------------------------------- */

/* A GPU's solver takes 90 us for a few numbers, and the host waits for what it says of them. */
static hd_status go_home(hdi_la_call *c)
{
    hd_status status = hdi_home_begin(&c->home, c->nin, c->in);
    if (status == HD_OK)
        c->dev = hdi_device_of(c->in[0]);
    return status;
}

/* The results, which nobody else knows yet. Without the lock. */
static hd_status return_results(hdi_la_call *c)
{
    hd_status status = HD_OK;
    for (int i = 0; i < HDI_PARTS && status == HD_OK; i++) {
        if (c->result[i] == NULL)
            continue;
        hdi_lock();
        c->result[i] = hdi_home_return(&c->home, c->result[i]);
        hdi_unlock();
        if (c->result[i] == NULL)
            status = hd_error_peek()->code;
    }
    return status;
}

/* ---- recording ------------------------------------------------------------------------------- */

static hd_status record_results(hdi_la_call *c)
{
    hdi_part part[HDI_PARTS];
    hdi_layout *lay[HDI_PARTS];
    bool solution = c->op == HD_OP_solve || c->op == HD_OP_lstsq;
    int n = hdi_la_parts(c->op, c->how, c->dt, c->m, c->n, c->k, part);
    for (int i = 0; i < n; i++)
        if ((lay[i] = layout_of_part(c, &part[i], i == 0 && solution && c->vector)) == NULL)
            return hd_error_peek()->code;
    hd_status status = go_home(c);
    if (status == HD_OK)
        status = make_results(c, part, n, lay);
    return status == HD_OK ? record(c, n) : status;
}

hd_status hdi_la_record(hdi_la_call *c)
{
    hd_status status = record_results(c);
    hdi_home_drop(&c->home);
    return status;
}

void hdi_la_release(hdi_la_call *c)
{
    for (int i = 0; i < HDI_PARTS; i++) {
        if (c->result[i] != NULL)
            hdi_array_release(c->result[i]);
        c->result[i] = NULL;
    }
}

/* Whichever thread ran the call, why it failed stands in its output. */
static hd_status failure_of(const hdi_la_call *c)
{
    hd_status status = HD_OK;
    if (c->result[0] == NULL)
        return HD_OK;
    hdi_lock();
    if (c->result[0]->st->buf->error != NULL)
        status = hdi_error_set(c->result[0]->st->buf->error);
    hdi_unlock();
    return status;
}

hd_status hdi_la_done(hdi_la_call *c, hd_status status, int n, hd_array **const *out)
{
    if (status != HD_OK)
        hdi_la_release(c);
    status = hdi_done_status(status, c->dev, hdi_op_rows[c->op].info.name);
    if (status == HD_OK)
        status = failure_of(c);
    if (status == HD_OK && c->home.dev != NULL)
        status = return_results(c);
    for (int i = 0; i < HDI_PARTS; i++) {
        bool wanted = status == HD_OK && i < n && out[i] != NULL;
        if (!wanted && c->result[i] != NULL)
            hd_release(c->result[i]);
        if (i < n && out[i] != NULL)
            *out[i] = wanted ? hdi_scope_own(c->result[i]) : NULL;
    }
    return status;
}

void hdi_la_none(int n, hd_array **const *out)
{
    for (int i = 0; i < n; i++)
        if (out[i] != NULL)
            *out[i] = NULL;
}

hd_array *hdi_la_done_one(hdi_la_call *c, hd_status status)
{
    hd_array *r = NULL;
    hdi_la_done(c, status, 1, (hd_array **[]){&r});
    return r;
}
