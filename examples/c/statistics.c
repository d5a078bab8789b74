/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.c - what is in the columns of a .npy file: mean, deviation, extremes. Without an
 * argument it makes such a file first. cc statistics.c $(pkg-config --cflags --libs heddle) -o
 * statistics && ./statistics data.npy */
#include <stdio.h>

#include <heddle/heddle.h>

enum { ROWS = 1000, COLUMNS = 3 };

/* A sawtooth, its square and its negative. */
static hd_status make_file(const char *path)
{
    hd_array *x = hd_remainder(hd_arange(hd_int(0), hd_int(1), ROWS, HD_INT64), hd_int(10));
    hd_array *columns[COLUMNS] = {x, hd_square(x), hd_negative(x)};
    hd_array *table = hd_stack(COLUMNS, (const hd_array *const *)columns, 1, HD_FLOAT32, NULL);
    return hd_save(path, table);
}

int main(int argc, char **argv)
{
    int scope = hd_scope_begin();
    const char *path = argc > 1 ? argv[1] : "statistics.npy";
    if (argc <= 1)
        make_file(path);
    hd_array *x = hd_load(path);
    hd_reduce_options down = {
        .size = sizeof down, .naxes = 1, .axes = (int[]){0}, .dtype = HD_FLOAT64};
    const char *names[] = {"mean", "deviation", "smallest", "largest"};
    hd_array *rows[] = {hd_mean(x, &down), hd_std(x, &down), hd_min(x, 1, (int[]){0}, 0),
                        hd_max(x, 1, (int[]){0}, 0)};
    hd_status failed = hd_error_peek()->code;
    if (argc <= 1)
        remove(path);
    if (failed == HD_OK)
        printf("%lld rows of %s\n", (long long)hd_shape(x)[0], hd_dtype_name(hd_dtype_of(x)));
    for (int i = 0; i < 4 && failed == HD_OK; i++) {
        char *text = hd_format(rows[i], NULL);
        failed = text != NULL ? HD_OK : hd_error_peek()->code;
        if (text != NULL)
            printf("%-10s %s\n", names[i], text);
        hd_free_text(text);
    }
    if (failed != HD_OK)
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
