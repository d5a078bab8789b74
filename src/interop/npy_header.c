/* SPDX-License-Identifier: BSD-3-Clause */
/* npy_header.c - headers of .npy files: a Python dict as text. NumPy's are
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } but others write the format too, so
 * that order, quotes and spaces are free. */
#include <string.h>

#include "core/dtype.h"
#include "interop/npy.h"

/* ---- writing --------------------------------------------------------------------------------- */

enum {
    MAGIC = 8,            /* "\x93NUMPY", version */
    LENGTH = 2,
    ALIGNED = 64,
    GROWTH_DIGITS = 21    /* NumPy leaves room for the first extent to grow to that many */
};

/* b1, i4, f8: kind and bytes. */
static int describe_dtype(hd_dtype dt, char *into)
{
    const int size = hd_dtype_size(dt);
    return sprintf(into, "%c%c%d", size > 1 ? '<' : '|', hd_dtype_kind(dt), size);
}

size_t hdi_npy_describe(const hdi_npy *h, char into[HDI_NPY_MOST_HEADER])
{
    char *const text = into + MAGIC + LENGTH, *p = text;
    p += sprintf(p, "{'descr': '");
    p += describe_dtype(h->dt, p);
    p += sprintf(p, "', 'fortran_order': %s, 'shape': (", h->fortran ? "True" : "False");
    int digits = 0;
    for (int a = 0; a < h->nd; a++) {
        const int n = sprintf(p, "%lld", (long long)h->shape[a]);
        if (a == (h->fortran ? h->nd - 1 : 0))
            digits = n;
        p += n;
        p += sprintf(p, a + 1 < h->nd ? ", " : h->nd == 1 ? "," : "");
    }
    p += sprintf(p, "), }");
    size_t n = (size_t)(p - text);
    if (h->nd > 0)
        n += (size_t)(GROWTH_DIGITS - digits);
    n += ALIGNED - (MAGIC + LENGTH + n + 1) % ALIGNED;
    memset(p, ' ', n - (size_t)(p - text));
    text[n++] = '\n';
    memcpy(into, "\x93NUMPY\x01", MAGIC);
    into[MAGIC] = (char)(n & 255);
    into[MAGIC + 1] = (char)(n >> 8);
    return MAGIC + LENGTH + n;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end;
    const char *path;
} reader;

static hd_status damaged(const reader *r, const char *what)
{
    return hdi_fail(HD_VALUE, "%s: the header of the array is damaged: %s", r->path, what);
}

static void skip_spaces(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t'))
        r->at++;
}

/* Is c next? Then it is behind us. */
static bool take(reader *r, char c)
{
    skip_spaces(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    const size_t n = strlen(word);
    skip_spaces(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* What stands in quotes, of at most size - 1 characters. */
static bool take_string(reader *r, char *into, size_t size)
{
    skip_spaces(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
        return false;
    const char quote = *r->at++;
    const char *end = memchr(r->at, quote, (size_t)(r->end - r->at));
    if (end == NULL || (size_t)(end - r->at) >= size)
        return false;
    memcpy(into, r->at, (size_t)(end - r->at));
    into[end - r->at] = '\0';
    r->at = end + 1;
    return true;
}

static bool take_extent(reader *r, int64_t *n)
{
    skip_spaces(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
        return false;
    for (*n = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (!hdi_mul64(*n, 10, n) || !hdi_add64(*n, *r->at - '0', n))
            return false;
    if (r->at < r->end && *r->at == 'L')     /* Python 2 wrote it */
        r->at++;
    return true;
}

static hd_status read_shape(reader *r, hdi_npy *h)
{
    if (!take(r, '('))
        return damaged(r, "shape is no tuple");
    for (h->nd = 0; !take(r, ')'); h->nd++) {
        if (h->nd == HD_MAXDIM)
            return hdi_fail_ndim(h->nd + 1);
        if (!take_extent(r, &h->shape[h->nd]))
            return damaged(r, "an extent is no number");
        if (!take(r, ',')) {
            h->nd++;
            return take(r, ')') ? HD_OK : damaged(r, "the shape has no end");
        }
    }
    return HD_OK;
}

/* "<f8", "|b1", ">c16", also "f8" and "=f8". */
static hd_status read_dtype(reader *r, hdi_npy *h)
{
    char text[16], own[24];
    skip_spaces(r);
    if (r->at < r->end && *r->at == '[')
        return hdi_fail(HD_DTYPE, "%s: it holds records, which are no numbers", r->path);
    if (!take_string(r, text, sizeof text))
        return damaged(r, "descr is no dtype");
    const char *name = strchr("<>=|", text[0]) != NULL && text[0] != '\0' ? text + 1 : text;
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        describe_dtype((hd_dtype)dt, own);
        if (dt == HD_BFLOAT16 || strcmp(own + 1, name) != 0)
            continue;
        h->dt = (hd_dtype)dt;
        h->swapped = text[0] == '>' && hd_dtype_size(h->dt) > 1;
        return HD_OK;
    }
    return hdi_fail(HD_DTYPE, "%s: there are no arrays of dtype '%s'", r->path, text);
}

hd_status hdi_npy_parse(const char *text, size_t n, const char *path, hdi_npy *h)
{
    reader r = {text, text + n, path};
    char key[16];
    unsigned seen = 0;
    hd_status status = HD_OK;
    *h = (hdi_npy){0};
    if (!take(&r, '{'))
        return damaged(&r, "it is no dict");
    while (!take(&r, '}')) {
        if (!take_string(&r, key, sizeof key) || !take(&r, ':'))
            return damaged(&r, "a key is missing");
        if (strcmp(key, "descr") == 0) {
            seen |= 1;
            HD_TRY(read_dtype(&r, h));
        } else if (strcmp(key, "fortran_order") == 0) {
            seen |= 2;
            h->fortran = take_word(&r, "True");
            if (!h->fortran && !take_word(&r, "False"))
                return damaged(&r, "fortran_order is neither True nor False");
        } else if (strcmp(key, "shape") == 0) {
            seen |= 4;
            HD_TRY(read_shape(&r, h));
        } else {
            return damaged(&r, "a key is unknown");
        }
        if (!take(&r, ',')) {
            if (!take(&r, '}'))
                return damaged(&r, "it has no end");
            break;
        }
    }
    skip_spaces(&r);
    if (seen != 7 || r.at != r.end)
        return damaged(&r, seen != 7 ? "a key is missing" : "something follows it");
done:
    return status;
}
