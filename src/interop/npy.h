/* SPDX-License-Identifier: BSD-3-Clause */
/* npy.h - the format .npy: a header as text, then the elements. numpy/lib/format.py lays it down.
 * Owns       hdi_npy, what a header says; hdi_source, where bytes come from
 * Invariant  a source never gives more than `left` bytes, and no memory is taken for elements that
 *            it cannot have
 * Start at   hdi_npy_read(), hdi_npy_describe() */
#ifndef HDI_NPY_H
#define HDI_NPY_H

#include <stdio.h>

#include <heddle/array.h>

#include "base/base.h"

enum { HDI_NPY_MOST_HEADER = 1 << 16 };

typedef struct hdi_npy {
    hd_dtype dt;
    bool fortran, swapped;       /* swapped: the other byte order */
    int nd;
    int64_t shape[HD_MAXDIM];
} hdi_npy;

/* A file from where it stands, or memory. */
typedef struct hdi_source {
    FILE *file;                  /* NULL: memory */
    const uint8_t *memory;
    int64_t left;
    const char *path;            /* for messages */
    uint32_t crc;                /* of the bytes that were read, if counted */
    bool counted;
} hdi_source;

/* hdi_source_read - n bytes; HD_VALUE if there are less. */
hd_status hdi_source_read(hdi_source *s, void *into, int64_t n);
/* hdi_crc32 - zip's sum over n more bytes; 0 to begin with. */
uint32_t hdi_crc32(uint32_t crc, const void *bytes, size_t n);

/* hdi_npy_describe - everything before the elements, as NumPy writes it: its length. */
size_t hdi_npy_describe(const hdi_npy *h, char into[HDI_NPY_MOST_HEADER]);
/* hdi_npy_parse - what n characters of a header say; path for messages. */
hd_status hdi_npy_parse(const char *text, size_t n, const char *path, hdi_npy *h);
/* hdi_npy_read - an array from a source. */
hd_array *hdi_npy_read(hdi_source *s);

/* An array as it goes to a file: dense, on the host, its memory held. */
typedef struct hdi_outgoing {
    hd_array *x;
    const void *data;
    int64_t nbytes;
    char *header;                /* HDI_NPY_MOST_HEADER bytes */
    size_t header_length;
} hdi_outgoing;
/* hdi_outgoing_open - makes x ready; hdi_outgoing_close - lets go of it, also where open failed. */
hd_status hdi_outgoing_open(hdi_outgoing *o, const hd_array *x);
void hdi_outgoing_close(hdi_outgoing *o);

/* hdi_file_open - a file to read, its size in *size; HD_FILE and NULL. hdi_file_fail - HD_FILE with
 * errno's reason. */
FILE *hdi_file_open(const char *path, int64_t *size);
hd_status hdi_file_fail(const char *what, const char *path);
/* hdi_file_finish - closes a file that was written; one that is not whole is removed. */
hd_status hdi_file_finish(FILE *f, const char *path, bool whole);

#endif
