/* SPDX-License-Identifier: BSD-3-Clause */
/* npy.c - arrays to and from .npy files. */
#define _GNU_SOURCE   /* strerror_r() that gives text */
#include "interop/npy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heddle/files.h>

#include "base/alloc.h"

/* ---- files ----------------------------------------------------------------------------------- */

hd_status hdi_file_fail(const char *what, const char *path)
{
    char reason[128] = "";
    const int error = errno;
    return hdi_fail(HD_FILE, "%s cannot be %s: %s", path, what,
                    error != 0 ? strerror_r(error, reason, sizeof reason) : "it was cut short");
}

FILE *hdi_file_open(const char *path, int64_t *size)
{
    struct stat about;
    FILE *f = fopen(path, "rbe");
    if (f == NULL || fstat(fileno(f), &about) != 0) {
        hdi_file_fail("opened", path);
    } else if (S_ISREG(about.st_mode)) {
        *size = (int64_t)about.st_size;
        return f;
    } else {
        hdi_fail(HD_FILE, "%s is not a file", path);
    }
    if (f != NULL)
        fclose(f);
    return NULL;
}

hd_status hdi_file_finish(FILE *f, const char *path, bool whole)
{
    struct stat about;
    hd_status status = HD_OK;
    const bool file = fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode);
    if (fclose(f) != 0 && whole)
        status = hdi_file_fail("written", path);
    if (file && (!whole || status != HD_OK))     /* a device or a pipe stays */
        unlink(path);
    return status;
}

hd_status hdi_source_read(hdi_source *s, void *into, int64_t n)
{
    if (n > s->left)
        return hdi_fail(HD_VALUE, "%s ends before its array does", s->path);
    errno = 0;
    if (s->file == NULL) {
        memcpy(into, s->memory, (size_t)n);
        s->memory += n;
    } else if (fread(into, 1, (size_t)n, s->file) != (size_t)n) {
        return hdi_file_fail("read", s->path);
    }
    s->left -= n;
    if (s->counted)
        s->crc = hdi_crc32(s->crc, into, (size_t)n);
    return HD_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static hd_status read_header(hdi_source *s, hdi_npy *h)
{
    uint8_t start[8], length[4] = {0};
    hd_status status;
    char *text = NULL;
    size_t n = 0;
    HD_REQUIRE(s->left >= 10, HD_VALUE, "%s is no .npy file", s->path);
    HD_TRY(hdi_source_read(s, start, 8));
    HD_REQUIRE(memcmp(start, "\x93NUMPY", 6) == 0, HD_VALUE, "%s is no .npy file", s->path);
    HD_REQUIRE(start[6] >= 1 && start[6] <= 3, HD_VALUE, "%s has version %d of the format .npy",
               s->path, start[6]);
    HD_TRY(hdi_source_read(s, length, start[6] == 1 ? 2 : 4));
    n = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    HD_REQUIRE(n <= HDI_NPY_MOST_HEADER && (int64_t)n <= s->left, HD_VALUE,
               "%s: the header of the array is damaged: its length is %zu", s->path, n);
    text = hdi_alloc(n + 1);
    HD_REQUIRE(text != NULL, HD_NOMEM, "out of memory for the header of %s", s->path);
    HD_TRY(hdi_source_read(s, text, (int64_t)n));
    HD_TRY(hdi_npy_parse(text, n, s->path, h));
done:
    hdi_free(text, n + 1);
    return status;
}

/* Are there as many bytes as the shape says? */
static hd_status check_size(const hdi_source *s, const hdi_npy *h)
{
    int64_t n = hd_dtype_size(h->dt);
    bool fits = true;
    for (int a = 0; a < h->nd && fits; a++)
        fits = hdi_mul64(n, h->shape[a], &n);
    return fits && n <= s->left
               ? HD_OK
               : hdi_fail(HD_VALUE, "%s ends before its array does", s->path);
}

static void swap_bytes(uint8_t *p, int64_t nbytes, int size)
{
    for (uint8_t *end = p + nbytes; p < end; p += size)
        for (int i = 0; i < size / 2; i++) {
            const uint8_t t = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = t;
        }
}

/* The elements as they are in memory, of an array that was made for them. */
static hd_status read_elements(hdi_source *s, const hdi_npy *h, hd_array *x)
{
    uint8_t *data = hd_export(x, 1);
    if (data == NULL)
        return hd_error_peek()->code;
    const int64_t n = hd_nbytes(x);
    hd_status status = hdi_source_read(s, data, n);
    if (status == HD_OK && h->swapped)
        swap_bytes(data, n, hd_dtype_size(h->dt) / (hd_dtype_kind(h->dt) == 'c' ? 2 : 1));
    if (status == HD_OK && h->dt == HD_BOOL)
        for (int64_t i = 0; i < n; i++)      /* loops believe that it is 0 or 1 */
            data[i] = data[i] != 0;
    hd_unexport(x);
    return status;
}

static void drop(hd_array *x) { hd_release(hd_keep(x)); }

hd_array *hdi_npy_read(hdi_source *s)
{
    hdi_npy h;
    int64_t shape[HD_MAXDIM];
    hd_device *host = hd_device_get("cpu");
    if (host == NULL || read_header(s, &h) != HD_OK || check_size(s, &h) != HD_OK)
        return NULL;
    for (int a = 0; a < h.nd; a++)
        shape[a] = h.shape[h.fortran ? h.nd - 1 - a : a];
    hd_device *current = hd_device_current();
    if (current == NULL)
        return NULL;
    hd_device_set_current(host);
    hd_array *x = hd_empty(h.nd, shape, h.dt);
    hd_device_set_current(current);
    if (x == NULL)
        return NULL;
    if (read_elements(s, &h, x) != HD_OK) {
        drop(x);
        return NULL;
    }
    if (h.fortran && h.nd > 1) {
        hd_array *t = hd_transpose(x, NULL);
        drop(x);
        x = t;
    }
    if (x != NULL && current != host) {
        hd_array *there = hd_to_device(x, current);
        drop(x);
        x = there;
    }
    return x;
}

hd_array *hd_load(const char *path)
{
    if (path == NULL)
        return hdi_null("a path");
    hdi_source s = {.path = path};
    s.file = hdi_file_open(path, &s.left);
    hd_array *x = s.file != NULL ? hdi_npy_read(&s) : NULL;
    if (s.file != NULL)
        fclose(s.file);
    if (x == NULL)
        hdi_fail_where("load");
    return x;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* x, or a copy, on the host and dense in C or Fortran order. */
static hd_array *dense(const hd_array *x)
{
    hd_array *a = hd_device_is_host(hd_device_of(x)) ? hd_retain((hd_array *)(uintptr_t)x)
                                                     : hd_keep(hd_to_host(x));
    const unsigned flags = a != NULL ? hd_flags(a) : 0;
    if (a == NULL || (flags & (HD_C_CONTIGUOUS | HD_F_CONTIGUOUS) && !(flags & HD_WEAK)))
        return a;
    hd_array *c = hd_keep(hd_copy(a, 'C'));
    hd_release(a);
    return c;
}

hd_status hdi_outgoing_open(hdi_outgoing *o, const hd_array *x)
{
    hdi_npy h = {0};
    hd_status status = HD_OK;
    *o = (hdi_outgoing){0};
    if (x == NULL)
        return hdi_fail_null("an array");
    HD_REQUIRE(hd_dtype_of(x) != HD_BFLOAT16, HD_DTYPE,
               "NumPy has no bfloat16: files hold float16 or float32");
    o->header = hdi_alloc(HDI_NPY_MOST_HEADER);
    HD_REQUIRE(o->header != NULL, HD_NOMEM, "out of memory for the header of an array");
    hd_array *a = dense(x);
    if (a == NULL)
        return hd_error_peek()->code;
    o->data = hd_export(a, 0);
    if (o->data == NULL) {
        hd_release(a);
        return hd_error_peek()->code;
    }
    o->x = a;
    o->nbytes = hd_nbytes(a);
    h.dt = hd_dtype_of(a);
    h.fortran = !(hd_flags(a) & HD_C_CONTIGUOUS);
    h.nd = hd_ndim(a);
    for (int k = 0; k < h.nd; k++)
        h.shape[k] = hd_shape(a)[k];
    o->header_length = hdi_npy_describe(&h, o->header);
done:
    return status;
}

void hdi_outgoing_close(hdi_outgoing *o)
{
    if (o->x != NULL) {
        hd_unexport(o->x);
        hd_release(o->x);
    }
    hdi_free(o->header, HDI_NPY_MOST_HEADER);
}

hd_status hd_save(const char *path, const hd_array *x)
{
    hdi_outgoing o = {0};
    FILE *f = NULL;
    hd_status status = HD_OK;
    bool whole = false;
    if (path == NULL)
        return hdi_fail_null("a path");
    HD_TRY(hdi_outgoing_open(&o, x));
    errno = 0;
    f = fopen(path, "wbe");
    if (f == NULL) {
        status = hdi_file_fail("opened", path);
        goto done;
    }
    whole = fwrite(o.header, 1, o.header_length, f) == o.header_length &&
            fwrite(o.data, 1, (size_t)o.nbytes, f) == (size_t)o.nbytes;
    if (!whole)
        status = hdi_file_fail("written", path);
done:
    if (f != NULL && hdi_file_finish(f, path, whole) != HD_OK)
        status = HD_FILE;
    hdi_outgoing_close(&o);
    return status == HD_OK ? HD_OK : hdi_fail_where("save");
}
