/* SPDX-License-Identifier: BSD-3-Clause */
/* bytes.c - a histogram of a file: how often each byte comes, and its entropy. Without an argument
 * it looks at a text of its own. cc bytes.c $(pkg-config --cflags --libs heddle) -o bytes &&
 * ./bytes bytes.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

static const char text[] = "the quick brown fox jumps over the lazy dog\n";

/* All of a file, to be freed; NULL if it cannot be read. */
static unsigned char *contents(const char *path, int64_t *n)
{
    FILE *f = fopen(path, "rb");
    long size = f != NULL && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    unsigned char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (bytes != NULL)
        rewind(f);
    *n = bytes != NULL ? (int64_t)fread(bytes, 1, (size_t)size, f) : 0;
    if (f != NULL)
        fclose(f);
    return bytes;
}

int main(int argc, char **argv)
{
    int64_t n = sizeof text - 1;
    unsigned char *bytes = argc > 1 ? contents(argv[1], &n) : (unsigned char *)strdup(text);
    if (bytes == NULL || n == 0)
        return fprintf(stderr, "there is nothing to count\n"), 1;
    int scope = hd_scope_begin();
    /* the array is over the memory itself, which free() gets when the last one over it is gone */
    hd_array *x = hd_wrap(1, &n, NULL, HD_UINT8, bytes, 1, free, bytes);
    hd_array *counts = hd_bincount(x, NULL, 256);
    hd_array *p = hd_divide(counts, hd_int(n));
    hd_array *part = hd_multiply(p, hd_log2(hd_where(hd_greater(p, hd_int(0)), p, hd_int(1))));
    hd_array *order = hd_argsort(counts, -1, 1);                 /* the most frequent first */

    int64_t count[256], place[256];
    hd_value entropy;
    hd_status failed = hd_read(counts, count);
    if (failed == HD_OK)
        failed = hd_read(order, place);
    if (failed == HD_OK)
        failed = hd_item(hd_negative(hd_sum(part, HD_ALL_AXES, NULL, 0)), 0, &entropy);
    for (int i = 0; i < 5 && failed == HD_OK; i++)
        printf("0x%02x  %lld\n", (unsigned)place[i], (long long)count[place[i]]);
    if (failed == HD_OK)
        printf("%.3f bits a byte\n", entropy.as.f);
    else
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
