/* SPDX-License-Identifier: BSD-3-Clause */
/* life.c - Conway's game of life on a torus: a glider flies.
 * cc life.c $(pkg-config --cflags --libs heddle) -o life && ./life */
#include <stdio.h>

#include <heddle/heddle.h>

enum { N = 8, STEPS = 12 };

/* The sum of each cell and both its neighbours along an axis; the ends meet. */
static hd_array *three(const hd_array *x, int axis)
{
    const hd_index all = {HD_INDEX_SLICE, HD_NONE, HD_NONE, 1};
    hd_index head[2] = {all, all}, last[2] = {all, all};
    hd_index rest[2] = {all, all}, first[2] = {all, all};
    first[axis].stop = 1;
    rest[axis].start = 1;
    last[axis].start = -1;
    head[axis].stop = -1;
    const hd_array *up[] = {hd_slice(x, 2, rest), hd_slice(x, 2, first)};
    const hd_array *down[] = {hd_slice(x, 2, last), hd_slice(x, 2, head)};
    return hd_add(x, hd_add(hd_concatenate(2, up, axis, HD_NO_DTYPE, NULL),
                            hd_concatenate(2, down, axis, HD_NO_DTYPE, NULL)));
}

static hd_array *next(const hd_array *cells)
{
    hd_array *around = hd_subtract(three(three(cells, 0), 1), cells);
    hd_array *born = hd_equal(around, hd_int(3));
    hd_array *stays = hd_logical_and(cells, hd_equal(around, hd_int(2)));
    return hd_astype(hd_logical_or(born, stays), HD_INT8, 'C', HD_CAST_UNSAFE, 0);
}

int main(void)
{
    static const int8_t glider[N][N] = {{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    int scope = hd_scope_begin();
    hd_array *cells = hd_from_data(2, (int64_t[]){N, N}, NULL, HD_INT8, glider);
    for (int i = 0; i < STEPS; i++) {
        int step = hd_scope_begin();
        cells = hd_scope_end(step, next(cells));
    }
    int8_t now[N][N];
    hd_status failed = hd_read(cells, now);
    for (int i = 0; i < N && failed == HD_OK; i++) {
        for (int j = 0; j < N; j++)
            putchar(now[i][j] ? '#' : '.');
        putchar('\n');
    }
    if (failed != HD_OK)
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
