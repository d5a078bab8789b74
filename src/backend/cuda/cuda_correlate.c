/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_correlate.c - from a library call to launches: one for each plane of the result and each
 * plane of the window, in order; all but the first of them add to what is there. */
#include "backend/cuda/cuda_correlate.h"

#include "backend/cuda/cuda_code.h"
#include "base/alloc.h"

typedef struct hdi_cuda_slide {
    struct hdi_cuda_slide *next;
    hdi_slide_kind kind;
    CUmodule module;
    CUfunction function;
} slide;

static hd_status make_slide(hdi_cuda *d, hdi_slide_kind kind, slide **out)
{
    hdi_strbuf buffer = {0};
    hdi_cuda_slide_text(kind, &buffer);
    char *text = hdi_strbuf_take(&buffer);
    slide *s = text != NULL ? hdi_calloc(sizeof *s) : NULL;
    hd_status status = s == NULL ? hdi_fail(HD_NOMEM, "out of memory for a kernel")
                                 : hdi_cuda_code_text(d, text, HDI_SLIDE_ENTRY, &s->module,
                                                      &s->function);
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
    if (status != HD_OK) {
        if (s != NULL)
            hdi_free(s, sizeof *s);
        return status;
    }
    s->kind = kind;
    s->next = d->slides;
    *out = d->slides = s;
    return HD_OK;
}

static hd_status slide_for(hdi_cuda *d, hdi_slide_kind kind, slide **out)
{
    for (slide *s = d->slides; s != NULL; s = s->next)
        if (s->kind.dt == kind.dt && s->kind.beyond == kind.beyond && s->kind.flat == kind.flat) {
            *out = s;
            return HD_OK;
        }
    return make_slide(d, kind, out);
}

/* ---- operands as planes ---------------------------------------------------------------------- */

/* An operand with at least two axes, the last of extent 1 where all have one only. */
typedef struct grid { uint8_t *ptr; int64_t dims[HD_MAXDIM + 1], strides[HD_MAXDIM + 1]; } grid;

static grid grid_of(const hdi_xarg *a, int nd, bool turned)
{
    grid g = {.ptr = a->ptr, .dims = {1}};
    for (int i = 0; i < a->nd; i++) {
        g.dims[nd - a->nd + i] = a->dims[i];
        g.strides[nd - a->nd + i] = a->strides[i];
    }
    if (turned) {
        int64_t dim = g.dims[nd - 2], stride = g.strides[nd - 2];
        g.dims[nd - 2] = g.dims[nd - 1];
        g.strides[nd - 2] = g.strides[nd - 1];
        g.dims[nd - 1] = dim;
        g.strides[nd - 1] = stride;
    }
    return g;
}

typedef struct sliding {
    hdi_cuda *d;
    hdi_correlate_how how;
    int nd;
    grid x, y, out;
    int64_t before[HD_MAXDIM + 1];
    uint64_t fill;
    hdi_slide_shape shape;
    slide *code;
} sliding;

/* One plane of the window over one of x; x NULL: over what is beyond it. */
static hd_status launch(const sliding *s, const uint8_t *x, const uint8_t *y, uint8_t *out,
                        bool add)
{
    const int r = s->nd - 2, c = s->nd - 1;
    int64_t high = (int64_t)s->shape.down * HDI_SLIDE_OUTPUTS, wide = s->shape.across;
    int64_t across = (s->out.dims[c] + wide - 1) / wide, down = (s->out.dims[r] + high - 1) / high;
    if (across * down > INT32_MAX)
        return hdi_fail(HD_UNSUPPORTED, "a window over %lld x %lld places needs more blocks than a "
                        "GPU takes", (long long)s->out.dims[r], (long long)s->out.dims[c]);
    uint64_t word[HDI_SLIDE_WORDS] = {
        [HDI_SLIDE_X] = (uintptr_t)x, [HDI_SLIDE_Y] = (uintptr_t)y,
        [HDI_SLIDE_OUT] = (uintptr_t)out, [HDI_SLIDE_FILL] = s->fill,
        [HDI_SLIDE_XM] = x != NULL ? (uint64_t)s->x.dims[r] : 0,
        [HDI_SLIDE_XN] = x != NULL ? (uint64_t)s->x.dims[c] : 0,
        [HDI_SLIDE_XROW] = (uint64_t)s->x.strides[r],
        [HDI_SLIDE_XCOLUMN] = (uint64_t)s->x.strides[c],
        [HDI_SLIDE_YM] = (uint64_t)s->y.dims[r], [HDI_SLIDE_YN] = (uint64_t)s->y.dims[c],
        [HDI_SLIDE_YROW] = (uint64_t)s->y.strides[r],
        [HDI_SLIDE_YCOLUMN] = (uint64_t)s->y.strides[c],
        [HDI_SLIDE_OM] = (uint64_t)s->out.dims[r], [HDI_SLIDE_ON] = (uint64_t)s->out.dims[c],
        [HDI_SLIDE_OROW] = (uint64_t)s->out.strides[r],
        [HDI_SLIDE_OCOLUMN] = (uint64_t)s->out.strides[c],
        [HDI_SLIDE_BEFORE_ROW] = (uint64_t)s->before[r],
        [HDI_SLIDE_BEFORE_COLUMN] = (uint64_t)s->before[c],
        [HDI_SLIDE_ADD] = add, [HDI_SLIDE_ACROSS] = (uint64_t)across};
    void *parameters[1] = {word};
    /* no attributes: this one does not begin before those in front of it have ended */
    CUlaunchConfig config = {.grid_x = (unsigned)(across * down), .grid_y = 1, .grid_z = 1,
                             .block_x = (unsigned)(s->shape.across * s->shape.down), .block_y = 1,
                             .block_z = 1, .stream = s->d->stream};
    return hdi_cuda_check(s->d,
                          hdi_cu.cuLaunchKernelEx(&config, s->code->function, parameters, NULL),
                          "launching a window over an array");
}

/* Steps an index over n leading axes; false after the last one. */
static bool next(int64_t *index, const int64_t *dims, int n)
{
    for (int a = n - 1; a >= 0; a--) {
        if (++index[a] < dims[a])
            return true;
        index[a] = 0;
    }
    return false;
}

/* Every plane of the window, for one plane of the result. */
static hd_status slide_over(const sliding *s, const int64_t *at)
{
    int64_t index[HD_MAXDIM + 1] = {0};
    const int lead = s->nd - 2;
    uint8_t *out = s->out.ptr;
    bool add = false;
    hd_status status = HD_OK;
    for (int a = 0; a < lead; a++)
        out += at[a] * s->out.strides[a];
    do {
        const uint8_t *x = s->x.ptr, *y = s->y.ptr;
        for (int a = 0; a < lead; a++) {
            const int64_t i = hdi_correlate_place(s->how,
                                                  at[a] - s->before[a] + index[a], s->x.dims[a]);
            x = i < 0 || x == NULL ? NULL : x + i * s->x.strides[a];
            y += index[a] * s->y.strides[a];
        }
        if (x == NULL && s->fill == 0)
            continue;
        status = launch(s, x, y, out, add);
        add = true;
    } while (status == HD_OK && next(index, s->y.dims, lead));
    return add || status != HD_OK ? status : launch(s, NULL, s->y.ptr, out, false);
}

hd_status hdi_cuda_correlate(hdi_cuda *d, const hdi_xcall *x)
{
    const int nd = x->out.nd < 2 ? 2 : x->out.nd;
    const hdi_xarg *in = x->in, *out = &x->out;
    const int last = out->nd - 1;
    bool one_row = out->nd == 1 || (out->dims[last - 1] == 1 && in[0].dims[last - 1] == 1 &&
                                    in[1].dims[last - 1] == 1);
    sliding s = {.d = d, .how = x->payload.correlate, .nd = nd,
                 .x = grid_of(&in[0], nd, one_row), .y = grid_of(&in[1], nd, one_row),
                 .out = grid_of(out, nd, one_row),
                 .fill = x->nin > 2 ? (uintptr_t)in[2].ptr : 0};
    bool flat = s.out.dims[nd - 1] == 1 && s.x.dims[nd - 1] == 1 && s.y.dims[nd - 1] == 1;
    hdi_slide_kind kind = {(uint8_t)x->cdt, (uint8_t)s.how.beyond, flat};
    s.shape = hdi_cuda_slide_shape(kind);
    for (int a = 0; a < nd; a++)
        s.before[a] = hdi_correlate_before(s.how, s.y.dims[a]);
    for (int a = 0; a < nd; a++)
        if (s.out.dims[a] == 0)
            return HD_OK;
    hd_status status = slide_for(d, kind, &s.code);
    int64_t at[HD_MAXDIM + 1] = {0};
    if (status == HD_OK)
        do
            status = slide_over(&s, at);
        while (status == HD_OK && next(at, s.out.dims, nd - 2));
    return status;
}
