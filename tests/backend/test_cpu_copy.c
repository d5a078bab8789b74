/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu_copy.c - copies of lines whose addresses differ by little but for whole pages. */
#include <string.h>

#include "backend/cpu/cpu_copy.h"
#include "harness.h"

enum { PAGE = 4096, MOST = 700, ROOM = 4 * PAGE };

TEST(cpu_copy, lines_at_any_difference)
{
    static _Alignas(PAGE) uint8_t from[ROOM], to[ROOM], expected[ROOM];
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 255, 256, 257, 511, 512, MOST};
    for (int i = 0; i < ROOM; i++)
        from[i] = (uint8_t)(i * 7 + i / 251);
    for (int at = PAGE - 70; at <= PAGE + 70; at++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            memset(to, 0xa5, sizeof to);
            memset(expected, 0xa5, sizeof expected);
            memcpy(expected + at, from + PAGE, (size_t)lengths[k]);
            hdi_cpu_copy_line(to + at, from + PAGE, lengths[k]);
            CHECK(memcmp(to, expected, sizeof to) == 0);
        }
}
