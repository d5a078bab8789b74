/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_cub.c - library calls as calls of libheddle_cub: operands that lie otherwise are packed, for
 * that library knows dense lines only; scratch is taken from the device's memory. */
#include "backend/cuda/cuda_cub.h"

#include "backend/cuda/cuda_calls.h"
#include "core/op.h"
#include "fuse/kernel_ir.h"

/* ---- operands -------------------------------------------------------------------------------- */

/* Axes with `axis` innermost and the others as they lie in memory, the widest stride first. */
static void order_axes(const hdi_xarg *a, int axis, int *order)
{
    int n = 0;
    for (int i = 0; i < a->nd; i++) {
        int at = n;
        if (i == axis)
            continue;
        for (; at > 0 && hdi_abs64(a->strides[order[at - 1]]) < hdi_abs64(a->strides[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
        n++;
    }
    if (a->nd > 0)
        order[n] = axis;
}

/* An operand as the library sees it: dense, in that order of axes, of dtype dt. */
typedef struct operand {
    hdi_xarg dense;
    int64_t strides[HD_MAXDIM], bytes;   /* bytes: of memory that was taken for it, or 0 */
} operand;

static int64_t lay_dense(operand *o, const hdi_xarg *a, const int *order, hd_dtype dt)
{
    int64_t step = hd_dtype_size(dt);
    o->dense = *a;
    o->dense.dt = dt;
    for (int i = a->nd - 1; i >= 0; i--) {
        o->strides[order[i]] = step;
        step *= a->dims[order[i]];
    }
    o->dense.strides = o->strides;
    return step;
}

static bool is_dense(const operand *o, const hdi_xarg *a)
{
    for (int i = 0; i < a->nd; i++)
        if (a->dims[i] != 1 && a->strides[i] != o->strides[i])
            return false;
    return o->dense.dt == a->dt && (uintptr_t)a->ptr % (uintptr_t)hd_dtype_size(a->dt) == 0;
}

/* read: with a's elements. The memory it may take is given back by operand_close(). */
static hd_status operand_open(hdi_cuda *d, operand *o, const hdi_xarg *a, const int *order,
                              hd_dtype dt, bool read)
{
    const int64_t bytes = hdi_max64(lay_dense(o, a, order, dt), 1);
    o->bytes = 0;
    if (is_dense(o, a))
        return HD_OK;
    hd_status status = hdi_cuda_borrow(d, bytes, &o->dense.ptr);
    if (status != HD_OK)
        return status;
    o->bytes = bytes;
    return read ? hdi_cuda_copy(d, &o->dense, a) : HD_OK;
}

/* to: the result's place, if it is one and all went well. */
static hd_status operand_close(hdi_cuda *d, operand *o, const hdi_xarg *to)
{
    hd_status status = HD_OK;
    if (o->bytes > 0 && to != NULL)
        status = hdi_cuda_copy(d, to, &o->dense);
    if (o->bytes > 0)
        hdi_cuda_free(d, o->dense.ptr, o->bytes);
    o->bytes = 0;
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

hd_status hdi_cuda_cub_run(hdi_cuda *d, hdi_cub_function *f, const hdi_cub_call *c,
                           const char *doing)
{
    size_t bytes = 0;
    void *scratch = NULL;
    hd_status status = hdi_cuda_check(d, f(c, NULL, &bytes, d->stream), doing);
    if (status == HD_OK)
        status = hdi_cuda_borrow(d, hdi_max64((int64_t)bytes, 1), &scratch);
    if (status != HD_OK)
        return status;
    CUresult r = f(c, scratch, &bytes, d->stream);
    if (r == CUDA_ERROR_OUT_OF_MEMORY && hdi_cuda_make_room(d))
        r = f(c, scratch, &bytes, d->stream);   /* its kernels are loaded as they are needed */
    status = hdi_cuda_check(d, r, doing);
    hdi_cuda_free(d, scratch, hdi_max64((int64_t)bytes, 1));   /* whoever gets it runs later */
    return status;
}

static int64_t size_of(const hdi_xarg *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->nd; i++)
        n *= a->dims[i];
    return n;
}

/* Positions are counted in 32 bits inside. */
static hd_status check_count(const hdi_cuda *d, const char *what, int64_t n)
{
    return n <= UINT32_MAX - 1
               ? HD_OK
               : hdi_fail(HD_UNSUPPORTED, "%s of %lld elements: cuda:%d takes at most %lld at once",
                          what, (long long)n, d->number, (long long)UINT32_MAX - 1);
}

/* in[0] to out, both with an axis. The call's dtypes are those that the operands shall have. */
static hd_status along_axis(hdi_cuda *d, hdi_cub_function *f, hdi_cub_call *c, const hdi_xcall *x,
                            int axis)
{
    operand in, out = {.bytes = 0};
    int order[HD_MAXDIM];
    order_axes(&x->in[0], axis, order);
    c->n = x->out.nd > 0 ? x->out.dims[axis] : 1;
    c->lines = c->n > 0 ? size_of(&x->out) / c->n : 0;
    if (c->lines == 0)
        return HD_OK;
    hd_status status = operand_open(d, &in, &x->in[0], order, (hd_dtype)c->dt, true);
    if (status == HD_OK)
        status = operand_open(d, &out, &x->out, order, (hd_dtype)c->out_dt, false);
    c->in = in.dense.ptr;
    c->out = out.dense.ptr;
    if (status == HD_OK)
        status = hdi_cuda_cub_run(d, f, c, hdi_op_rows[x->op].info.name);
    hd_status closed = operand_close(d, &out, status == HD_OK ? &x->out : NULL);
    operand_close(d, &in, NULL);
    return status != HD_OK ? status : closed;
}

static hd_status sort(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    const bool ranks = x->op == HD_OP_partition || x->op == HD_OP_argpartition;
    const int axis = x->payload.sort.axis;
    const hd_dtype dt = x->in[0].dt;
    hdi_cub_call c = {.dt = dt, .out_dt = x->out.dt,
                      .down = !ranks && x->payload.sort.descending != 0,
                      .positions = x->op == HD_OP_argsort || x->op == HD_OP_argpartition};
    hd_status status = HD_OK;
    if (x->out.nd > 0 && (c.positions || hdi_is_complex(dt)))
        status = check_count(d, hdi_op_rows[x->op].info.name, x->out.dims[axis]);
    return status == HD_OK ? along_axis(d, t->sort, &c, x, axis) : status;
}

/* ---- running results ------------------------------------------------------------------------- */

static int cub_op(hd_op op, bool of_bools)
{
    switch (op) {
    case HD_OP_add: return of_bools ? HDI_CUB_OR : HDI_CUB_ADD;
    case HD_OP_multiply: return of_bools ? HDI_CUB_AND : HDI_CUB_MULTIPLY;
    case HD_OP_maximum: return of_bools ? HDI_CUB_OR : HDI_CUB_MAXIMUM;
    case HD_OP_minimum: return of_bools ? HDI_CUB_AND : HDI_CUB_MINIMUM;
    case HD_OP_fmax: return HDI_CUB_FMAX;
    case HD_OP_fmin: return HDI_CUB_FMIN;
    case HD_OP_bitwise_and: return HDI_CUB_AND;
    case HD_OP_bitwise_or: return HDI_CUB_OR;
    case HD_OP_bitwise_xor: return HDI_CUB_XOR;
    case HD_OP_logical_and: return of_bools ? HDI_CUB_AND : HDI_CUB_NO_OP;
    case HD_OP_logical_or: return of_bools ? HDI_CUB_OR : HDI_CUB_NO_OP;
    case HD_OP_logical_xor: return of_bools ? HDI_CUB_XOR : HDI_CUB_NO_OP;
    default: return HDI_CUB_NO_OP;
    }
}

/* The call, whose dtypes are the loop's. False: the library has no such running results, or others
 * than NumPy's, which rounds sums of half types at each step. */
static bool scan_call(const hdi_cub_table *t, const hdi_xcall *x, hdi_cub_call *c)
{
    const hd_op op = x->payload.fold.op;
    *c = (hdi_cub_call){.op = cub_op(op, x->cdt == HD_BOOL), .dt = x->cdt, .out_dt = x->cdt,
                        .cdt = hdi_compute_dtype(op, x->cdt)};
    const bool sums = c->op == HDI_CUB_ADD || c->op == HDI_CUB_MULTIPLY;
    return !(sums && hdi_is_half(x->cdt)) && t->can_accumulate(c->op, c->dt, c->cdt);
}

/* Many lines are better gone along by a thread each, where that reads neighbours side by side, or
 * they are short; so are few elements, whose order mirrors count on. */
static bool worth_it(const hdi_xarg *a, int axis)
{
    enum { MANY = 8192, SHORT = 512 };
    const int64_t n = a->dims[axis], lines = n > 0 ? size_of(a) / n : 0;
    bool fastest = true;
    for (int i = 0; i < a->nd; i++)
        fastest = fastest && (i == axis || a->dims[i] == 1 ||
                              hdi_abs64(a->strides[i]) >= hdi_abs64(a->strides[axis]));
    return n > 1 && !hdi_is_short(lines, n) && (lines < MANY || (fastest && n > SHORT));
}

static hd_status accumulate(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    hdi_cub_call c;
    scan_call(t, x, &c);
    return along_axis(d, t->accumulate, &c, x, x->payload.fold.axis);
}

/* ---- calls without an axis ------------------------------------------------------------------- */

enum { MOST_OPERANDS = 3 };

/* of: the result, and what is read for it, all of them in C order. */
static hd_status flat(hdi_cuda *d, hdi_cub_function *f, hdi_cub_call *c, const char *name, int n,
                      const hdi_xarg *const *of)
{
    operand o[MOST_OPERANDS];
    void *at[MOST_OPERANDS] = {NULL};
    int order[HD_MAXDIM], made = 0;
    hd_status status = HD_OK, closed = HD_OK;
    for (int i = 0; i < HD_MAXDIM; i++)
        order[i] = i;
    for (; made < n && status == HD_OK; made++) {
        status = operand_open(d, &o[made], of[made], order, of[made]->dt, made > 0);
        at[made] = o[made].dense.ptr;
    }
    c->out = at[0];
    c->in = at[1];
    c->in2 = at[2];
    if (status == HD_OK)
        status = hdi_cuda_cub_run(d, f, c, name);
    for (int i = 0; i < made; i++) {
        hd_status st = operand_close(d, &o[i], i == 0 && status == HD_OK ? of[0] : NULL);
        closed = closed != HD_OK ? closed : st;
    }
    return status != HD_OK ? status : closed;
}

static hd_status search(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x,
                        const hdi_xarg *table, const hdi_xarg *values, bool right)
{
    hdi_cub_call c = {.dt = table->dt, .n = size_of(table), .m = size_of(values), .right = right};
    return flat(d, t->search, &c, hdi_op_rows[x->op].info.name, 3,
                (const hdi_xarg *const[]){&x->out, table, values});
}

static hd_status bincount(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    hdi_cub_call c = {.n = size_of(&x->in[0]), .m = size_of(&x->out)};
    hd_status status = x->nin > 1 ? check_count(d, "bincount with weights", hdi_max64(c.n, c.m))
                                  : HD_OK;
    return status != HD_OK ? status
                           : flat(d, t->bincount, &c, "bincount", 1 + x->nin,
                                  (const hdi_xarg *const[]){&x->out, &x->in[0], &x->in[1]});
}

static hd_status histogram(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    hdi_cub_call c = {.dt = x->in[0].dt, .n = size_of(&x->in[0]), .m = size_of(&x->out),
                      .right = x->payload.equal != 0};
    return flat(d, t->histogram, &c, "histogram", 3,
                (const hdi_xarg *const[]){&x->out, &x->in[0], &x->in[1]});
}

static hd_status random_order(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    hdi_cub_call c = {.lines = x->out.dims[0], .n = x->payload.n, .m = x->out.dims[1]};
    hd_status status = check_count(d, "an order", size_of(&x->out));
    return status != HD_OK ? status
                           : flat(d, t->order, &c, "random_order", 2,
                                  (const hdi_xarg *const[]){&x->out, &x->in[0]});
}

static hd_status select(hdi_cuda *d, const hdi_cub_table *t, const hdi_xcall *x)
{
    hdi_cub_function *f = x->op == HD_OP_true_words ? t->words
                          : x->op == HD_OP_compress ? t->compress
                                                    : t->places;
    hdi_cub_call c = {.n = x->op == HD_OP_compress ? size_of(&x->in[0]) : x->payload.n,
                      .m = size_of(&x->out), .width = hd_dtype_size(x->in[0].dt)};
    return flat(d, f, &c, hdi_op_rows[x->op].info.name, 1 + x->nin,
                (const hdi_xarg *const[]){&x->out, &x->in[0], &x->in[1]});
}

/* ---- which it is ----------------------------------------------------------------------------- */

bool hdi_cuda_cub_has(const hdi_cuda *d, const hdi_xcall *x)
{
    const hdi_cub_table *t;
    hdi_cub_call c;
    switch (x->op) {
    case HD_OP_accumulate:
        t = d->limits.major < 8 ? NULL : hdi_cuda_cub_open();
        return t != NULL && worth_it(&x->in[0], x->payload.fold.axis) && scan_call(t, x, &c);
    case HD_OP_sort: case HD_OP_argsort: case HD_OP_partition: case HD_OP_argpartition:
    case HD_OP_searchsorted: case HD_OP_bincount: case HD_OP_histogram: case HD_OP_random_order:
    case HD_OP_random_pick: case HD_OP_true_words: case HD_OP_compress: case HD_OP_true_places:
        return true;
    default:
        return false;
    }
}

hd_status hdi_cuda_cub(hdi_cuda *d, const hdi_xcall *x)
{
    const hdi_cub_table *t = hdi_cuda_cub_open();
    if (t == NULL)
        return hdi_fail(HD_UNSUPPORTED, "%s on cuda:%d needs libheddle_cub: %s",
                        hdi_op_rows[x->op].info.name, d->number, hdi_cuda_cub_about());
    if (d->limits.major < 8)
        return hdi_fail(HD_UNSUPPORTED, "%s on cuda:%d needs a GPU of compute capability 8.0 or "
                        "later, this is %d.%d", hdi_op_rows[x->op].info.name, d->number,
                        d->limits.major, d->limits.minor);
    switch (x->op) {
    case HD_OP_accumulate: return accumulate(d, t, x);
    case HD_OP_searchsorted: return search(d, t, x, &x->in[0], &x->in[1], x->payload.right != 0);
    case HD_OP_random_pick: return search(d, t, x, &x->in[1], &x->in[0], true);
    case HD_OP_bincount: return bincount(d, t, x);
    case HD_OP_histogram: return histogram(d, t, x);
    case HD_OP_random_order: return random_order(d, t, x);
    case HD_OP_true_words: case HD_OP_compress: case HD_OP_true_places: return select(d, t, x);
    default: return sort(d, t, x);
    }
}
