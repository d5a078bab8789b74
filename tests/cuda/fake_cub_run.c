/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_cub_run.c - what the fake of libheddle_cub does with numbers: sorting, running results,
 * counting, searching and writing, one element after the other. */
#include "fake_cub_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double number;            /* holds every integer of 64 bits, and every double */
typedef struct element { number value; int64_t at; } element;

static bool is_real(int dt) { return dt == HD_FLOAT32 || dt == HD_FLOAT64; }
static bool is_known(int dt) { return is_real(dt) || (dt >= HD_BOOL && dt <= HD_UINT64); }

static number get(const void *p, int dt, int64_t i)
{
    switch (dt) {
    case HD_BOOL: return ((const uint8_t *)p)[i] != 0;
    case HD_INT8: return ((const int8_t *)p)[i];
    case HD_INT16: return ((const int16_t *)p)[i];
    case HD_INT32: return ((const int32_t *)p)[i];
    case HD_UINT8: return ((const uint8_t *)p)[i];
    case HD_UINT16: return ((const uint16_t *)p)[i];
    case HD_UINT32: return ((const uint32_t *)p)[i];
    case HD_UINT64: return (number)((const uint64_t *)p)[i];
    case HD_FLOAT32: return ((const float *)p)[i];
    case HD_FLOAT64: return ((const double *)p)[i];
    default: return (number)((const int64_t *)p)[i];
    }
}

/* The bits of an integer, however it is written. */
static uint64_t bits_of(number v) { return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v; }

static void put(void *p, int dt, int64_t i, number v)
{
    switch (dt) {
    case HD_BOOL: ((uint8_t *)p)[i] = v != 0; break;
    case HD_INT8: case HD_UINT8: ((uint8_t *)p)[i] = (uint8_t)bits_of(v); break;
    case HD_INT16: case HD_UINT16: ((uint16_t *)p)[i] = (uint16_t)bits_of(v); break;
    case HD_INT32: case HD_UINT32: ((uint32_t *)p)[i] = (uint32_t)bits_of(v); break;
    case HD_FLOAT32: ((float *)p)[i] = (float)v; break;
    case HD_FLOAT64: ((double *)p)[i] = (double)v; break;
    default: ((uint64_t *)p)[i] = bits_of(v);
    }
}

/* nan comes last, and of equal ones the first. */
static int in_order(const void *a, const void *b)
{
    const element *x = a, *y = b;
    const bool x_nan = isnan(x->value), y_nan = isnan(y->value);
    if (x_nan != y_nan)
        return x_nan ? 1 : -1;
    if (!x_nan && x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static bool sort(const hdi_cub_call *c)
{
    element *all = malloc((size_t)(c->n + 1) * sizeof *all);
    if (all == NULL || c->down)
        return free(all), false;
    for (int64_t line = 0; line < c->lines; line++) {
        for (int64_t i = 0; i < c->n; i++)
            all[i] = (element){get(c->in, c->dt, line * c->n + i), i};
        qsort(all, (size_t)c->n, sizeof *all, in_order);
        for (int64_t i = 0; i < c->n; i++) {
            if (c->positions)
                put(c->out, HD_INT64, line * c->n + i, (number)all[i].at);
            else
                put(c->out, c->dt, line * c->n + i, all[i].value);
        }
    }
    free(all);
    return true;
}

/* a is the result so far. */
static number together(int op, bool real, number a, number b)
{
    switch (op) {
    case HDI_CUB_ADD: return real ? (double)a + (double)b : (number)(bits_of(a) + bits_of(b));
    case HDI_CUB_MULTIPLY: return real ? (double)a * (double)b : (number)(bits_of(a) * bits_of(b));
    case HDI_CUB_MAXIMUM: return isnan(a) || a > b ? a : b;
    case HDI_CUB_MINIMUM: return isnan(a) || a < b ? a : b;
    case HDI_CUB_FMAX: return isnan(b) || a > b ? a : b;
    case HDI_CUB_FMIN: return isnan(b) || a < b ? a : b;
    case HDI_CUB_AND: return (number)(bits_of(a) & bits_of(b));
    case HDI_CUB_OR: return (number)(bits_of(a) | bits_of(b));
    default: return (number)(bits_of(a) ^ bits_of(b));
    }
}

static bool accumulate(const hdi_cub_call *c)
{
    for (int64_t i = 0; i < c->lines * c->n; i++) {
        number v = get(c->in, c->dt, i);
        if (i % c->n != 0)
            v = together(c->op, is_real(c->cdt), get(c->out, c->out_dt, i - 1), v);
        put(c->out, c->out_dt, i, v);
    }
    return is_known(c->out_dt);
}

static bool bincount(const hdi_cub_call *c)
{
    memset(c->out, 0, (size_t)c->m * 8);
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t at = ((const int64_t *)c->in)[i];
        if (c->in2 != NULL)
            ((double *)c->out)[at] += ((const double *)c->in2)[i];
        else
            ((int64_t *)c->out)[at]++;
    }
    return true;
}

/* How many of the n first elements of `in` are before v: less, or not more. */
static int64_t before(const void *in, int dt, int64_t n, element v, bool right)
{
    int64_t at = 0;
    for (; at < n; at++) {
        const element x = {get(in, dt, at), 0};
        const int order = in_order(&x, &v);
        if (order > 0 && !(right && (x.value == v.value || (isnan(x.value) && isnan(v.value)))))
            break;
        if (!right && (x.value == v.value || (isnan(x.value) && isnan(v.value))))
            break;
    }
    return at;
}

static bool search(const hdi_cub_call *c)
{
    for (int64_t j = 0; j < c->m; j++)
        put(c->out, HD_INT64, j,
            (number)before(c->in, c->dt, c->n, (element){get(c->in2, c->dt, j), 0}, c->right != 0));
    return true;
}

static bool histogram(const hdi_cub_call *c)
{
    memset(c->out, 0, (size_t)c->m * 8);
    for (int64_t i = 0; i < c->n; i++) {
        const element v = {get(c->in, c->dt, i), 0};
        const int64_t at = before(c->in2, c->dt, c->m + 1, v, true) - 1;
        if (at >= 0 && (at < c->m || v.value == get(c->in2, c->dt, c->m)))
            ((int64_t *)c->out)[at < c->m ? at : c->m - 1]++;
    }
    return true;
}

/* Bytes from out on. */
static int64_t place_of(const hdi_cub_call *c, int64_t i)
{
    const int64_t at = (int64_t)get(c->in, c->dt, i);
    return c->extent == 0 ? at : (at < 0 ? at + c->extent : at) * c->step;
}

static bool write_elements(const hdi_cub_call *c)
{
    for (int64_t i = 0; i < c->n; i++)
        memcpy((char *)c->out + place_of(c, i), (const char *)c->in2 + i * c->width,
               (size_t)c->width);
    return true;
}

static bool runs(const hdi_cub_call *c)
{
    int64_t *offset = c->out, *from = offset + c->n, *piece = from + c->n;
    element *all = malloc((size_t)(c->n + 1) * sizeof *all);
    if (all == NULL)
        return false;
    for (int64_t i = 0; i < c->n; i++)
        all[i] = (element){(number)place_of(c, i), i};
    qsort(all, (size_t)c->n, sizeof *all, in_order);
    for (int64_t i = 0, end; i < c->n; i = end) {
        for (end = i + 1; end < c->n && all[end].value == all[i].value; end++) {}
        for (int64_t k = i; k < end; k++) {
            offset[k] = (int64_t)all[k].value;
            from[k] = all[c->right ? end - 1 : k].at * c->m;
            if (!c->right)
                piece[2 * k] = k, piece[2 * k + 1] = k == i ? end : k;
        }
    }
    free(all);
    return true;
}

bool fake_cub_run(const char *name, const hdi_cub_call *c)
{
    static const struct { const char *name; bool (*run)(const hdi_cub_call *c); } calls[] = {
        {"sort", sort}, {"accumulate", accumulate}, {"search", search}, {"histogram", histogram},
        {"write", write_elements}, {"runs", runs},
    };
    if (strcmp(name, "bincount") == 0)
        return bincount(c);
    for (size_t i = 0; is_known(c->dt) && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(name, calls[i].name) == 0)
            return calls[i].run(c);
    return false;
}
