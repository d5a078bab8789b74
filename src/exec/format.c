/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - arrays as text, laid out as NumPy's: rows in brackets, columns of one width, of large
 * arrays the first and last elements of each axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "core/dtype.h"
#include "exec/format_number.h"

#include <heddle/array.h>
#include <heddle/ops.h>

enum { MOST_TEXT = 24 };   /* characters of an integer */

/* What is printed, on the host. */
typedef struct page {
    hd_format_options o;
    hd_dtype dt;
    char kind;
    int nd;
    int64_t shape[HD_MAXDIM];     /* of the array */
    int64_t kept[HD_MAXDIM];      /* of what is printed of it */
    void *values;                 /* doubles, pairs of them, int64_t or uint64_t */
    int64_t n;
    int width;                    /* of an integer */
    hdi_real_format real, imaginary;
    hdi_strbuf text;
    int column;                   /* of the line at hand */
} page;

/* ---- elements -------------------------------------------------------------------------------- */

static bool shortened(const page *p, int axis)
{
    return p->kept[axis] < p->shape[axis];
}

/* The first and last `edge` places along an axis. NULL and an error. */
static hd_array *ends_of(hd_array *x, int axis, int64_t edge)
{
    hd_index items[HD_MAXDIM];
    hd_array *end[2] = {NULL, NULL}, *r = NULL;
    for (int a = 0; a <= axis; a++)
        items[a] = (hd_index){HD_INDEX_SLICE, HD_NONE, HD_NONE, 1};
    items[axis].stop = edge;
    end[0] = hd_keep(hd_slice(x, axis + 1, items));
    items[axis] = (hd_index){HD_INDEX_SLICE, -edge, HD_NONE, 1};
    end[1] = end[0] != NULL ? hd_keep(hd_slice(x, axis + 1, items)) : NULL;
    if (end[1] != NULL)
        r = hd_keep(hd_concatenate(2, (const hd_array *const *)end, axis, HD_NO_DTYPE, NULL));
    hd_release(end[0]);
    hd_release(end[1]);
    return r;
}

/* What of x is printed. */
static hd_array *parts_of(page *p, const hd_array *x)
{
    hd_array *part = hd_retain((hd_array *)(uintptr_t)x);
    for (int a = 0; a < p->nd && part != NULL; a++) {
        if (!shortened(p, a))
            continue;
        hd_array *less = ends_of(part, a, p->o.edge_items);
        hd_release(part);
        part = less;
    }
    return part;
}

static hd_status read_values(page *p, const hd_array *x)
{
    const hd_dtype wide = p->kind == 'c'   ? HD_COMPLEX128
                          : p->kind == 'f' ? HD_FLOAT64
                          : p->kind == 'u' ? HD_UINT64
                                           : HD_INT64;
    const size_t bytes = (size_t)p->n * (wide == HD_COMPLEX128 ? 16 : 8);
    hd_array *part = parts_of(p, x), *values = NULL;
    hd_status status = HD_OK;
    if (part != NULL)
        values = hd_keep(hd_astype(part, wide, 'C', HD_CAST_UNSAFE, 0));
    hd_release(part);
    HD_REQUIRE(values != NULL, hd_error_peek()->code, "%s", hd_error_peek()->message);
    p->values = hdi_alloc(bytes + 16);
    HD_REQUIRE(p->values != NULL, HD_NOMEM, "out of memory for the text of an array");
    status = hd_read(values, p->values);
done:
    hd_release(values);
    return status;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static int integer_text(const page *p, int64_t i, char *text)
{
    return p->kind == 'u'
               ? snprintf(text, MOST_TEXT, "%llu", (unsigned long long)((uint64_t *)p->values)[i])
               : snprintf(text, MOST_TEXT, "%lld", (long long)((int64_t *)p->values)[i]);
}

static void measure(page *p)
{
    const hdi_real_kind kind = hdi_real_kind_of(p->dt);
    char text[MOST_TEXT];
    if (p->kind == 'f')
        p->real = hdi_real_format_of(kind, p->values, p->n, 1, p->o.precision, false);
    if (p->kind == 'c') {
        const double *parts = p->values;
        p->real = hdi_real_format_of(kind, parts, p->n, 2, p->o.precision, false);
        p->imaginary = hdi_real_format_of(kind, parts + 1, p->n, 2, p->o.precision, true);
    }
    for (int64_t i = 0; i < p->n && (p->kind == 'i' || p->kind == 'u'); i++) {
        const int width = integer_text(p, i, text);
        p->width = width > p->width ? width : p->width;
    }
}

/* ---- the text -------------------------------------------------------------------------------- */

static void add_element(const page *p, hdi_strbuf *s, int64_t i)
{
    const double *x = p->values;
    char text[MOST_TEXT];
    if (p->kind == 'b') {
        hdi_strbuf_add(s, "%*s", p->nd > 0 ? 5 : 0, ((int64_t *)p->values)[i] ? "True" : "False");
    } else if (p->kind == 'f') {
        hdi_real_text(s, &p->real, x[i], "");
    } else if (p->kind == 'c') {
        hdi_real_text(s, &p->real, x[2 * i], "");
        hdi_real_text(s, &p->imaginary, x[2 * i + 1], "j");
    } else {
        integer_text(p, i, text);
        hdi_strbuf_add(s, "%*s", p->width, text);
    }
}

/* A word and what separates it from the next one, on the line at hand or on a new one. */
static void add_word(page *p, const char *word, const char *after, int indent, int width)
{
    if (p->column + (int)strlen(word) > width && p->column > indent) {
        size_t end = p->text.length;   /* no spaces at the end of a line */
        while (end > 0 && p->text.text[end - 1] == ' ')
            end--;
        p->text.length = end;
        hdi_strbuf_add(&p->text, "\n%*s", indent, "");
        p->column = indent;
    }
    hdi_strbuf_add(&p->text, "%s%s", word, after);
    p->column += (int)(strlen(word) + strlen(after));
}

static void add_row(page *p, int64_t at, int indent, int width)
{
    const int axis = p->nd - 1;
    const int64_t n = p->kept[axis];
    for (int64_t i = 0; i < n && !p->text.failed; i++) {
        hdi_strbuf word = {0};
        if (shortened(p, axis) && i == p->o.edge_items)
            add_word(p, "...", " ", indent, width);
        add_element(p, &word, at + i);
        char *text = hdi_strbuf_take(&word);
        p->text.failed |= text == NULL;
        if (text == NULL)
            return;
        add_word(p, text, i + 1 < n ? " " : "", indent, width);
        hdi_free(text, strlen(text) + 1);
    }
}

/* Between two rows, matrices, ... of an axis. */
static void new_rows(page *p, int axis, int indent)
{
    for (int a = axis; a < p->nd - 1; a++)
        hdi_strbuf_add(&p->text, "\n");
    hdi_strbuf_add(&p->text, "%*s", indent, "");
}

/* The part of the array from element `at` on, along `axis` and those after it. */
static void add_block(page *p, int axis, int64_t at, int indent, int width)
{
    const bool rows = axis < p->nd - 1;
    int64_t block = 1;
    for (int a = axis + 1; a < p->nd; a++)
        block *= p->kept[a];
    hdi_strbuf_add(&p->text, "[");
    p->column = indent + 1;
    if (!rows)
        add_row(p, at, indent + 1, width - 1);
    for (int64_t i = 0; rows && i < p->kept[axis] && !p->text.failed; i++) {
        if (i > 0)
            new_rows(p, axis, indent + 1);
        if (shortened(p, axis) && i == p->o.edge_items) {
            hdi_strbuf_add(&p->text, "...");
            new_rows(p, axis, indent + 1);
        }
        add_block(p, axis + 1, at + i * block, indent + 1, width - 1);
    }
    hdi_strbuf_add(&p->text, "]");
}

/* An array without axes, as its element by itself. */
static void add_alone(page *p)
{
    const hdi_real_kind kind = hdi_real_kind_of(p->dt);
    const double *x = p->values;
    if (p->kind == 'f') {
        hdi_real_alone(&p->text, kind, x[0], false, ".0");
    } else if (p->kind == 'c') {
        const bool both = x[0] != 0 || signbit(x[0]);
        if (both) {
            hdi_strbuf_add(&p->text, "(");
            hdi_real_alone(&p->text, kind, x[0], false, "");
        }
        hdi_real_alone(&p->text, kind, x[1], both, "");
        hdi_strbuf_add(&p->text, both ? "j)" : "j");
    } else {
        add_element(p, &p->text, 0);
    }
}

/* ---- what is called -------------------------------------------------------------------------- */

static hd_status set_options(page *p, const hd_format_options *options)
{
    enum { PRECISION = 8, THRESHOLD = 1000, EDGE_ITEMS = 3, LINE_WIDTH = 75 };
    if (options != NULL)
        memcpy(&p->o, options, options->size < sizeof p->o ? options->size : sizeof p->o);
    hd_format_options *o = &p->o;
    if (o->precision < 0 || o->precision > 60 || o->threshold < 0 || o->edge_items < 0 ||
        o->edge_items > INT32_MAX || o->line_width < 0)
        return hdi_fail(HD_VALUE, "no format: precision %d, threshold %lld, edge_items %lld, "
                        "line_width %d", o->precision, (long long)o->threshold,
                        (long long)o->edge_items, o->line_width);
    o->precision = o->precision > 0 ? o->precision : PRECISION;
    o->threshold = o->threshold > 0 ? o->threshold : THRESHOLD;
    o->edge_items = o->edge_items > 0 ? o->edge_items : EDGE_ITEMS;
    o->line_width = o->line_width > 0 ? o->line_width : LINE_WIDTH;
    return HD_OK;
}

static void choose_parts(page *p, const hd_array *x)
{
    p->dt = hd_dtype_of(x);
    p->kind = hd_dtype_kind(p->dt);
    p->nd = hd_ndim(x);
    p->n = 1;
    for (int a = 0; a < p->nd; a++) {
        p->shape[a] = p->kept[a] = hd_shape(x)[a];
        if (hd_size(x) > p->o.threshold && p->shape[a] > 2 * p->o.edge_items)
            p->kept[a] = 2 * p->o.edge_items;
        p->n *= p->kept[a];
    }
}

char *hd_format(const hd_array *x, const hd_format_options *options)
{
    if (x == NULL)
        return hdi_null("an array");
    page *p = hdi_calloc(sizeof *p);   /* too large for a stack */
    char *text = NULL;
    hd_status status;
    HD_REQUIRE(p != NULL, HD_NOMEM, "out of memory for the text of an array");
    HD_TRY(set_options(p, options));
    choose_parts(p, x);
    HD_TRY(read_values(p, x));
    measure(p);
    if (p->nd == 0)
        add_alone(p);
    else if (p->n == 0)
        hdi_strbuf_add(&p->text, "[]");
    else
        add_block(p, 0, 0, 0, p->o.line_width);
    text = hdi_strbuf_take(&p->text);
done:
    if (p != NULL)
        hdi_free(p->values, (size_t)p->n * (p->kind == 'c' ? 16 : 8) + 16);
    hdi_free(p, sizeof *p);
    return text;
}

hd_status hd_print(const hd_array *x)
{
    char *text = hd_format(x, NULL);
    if (text == NULL)
        return hd_error_peek()->code;
    const bool done = puts(text) >= 0;   /* allowed: it is asked to print */
    hd_free_text(text);
    return done ? HD_OK : hdi_fail(HD_LIBRARY, "an array was not written to the standard output");
}
