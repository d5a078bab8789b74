/* SPDX-License-Identifier: BSD-3-Clause */
/* test_slide.c - the PTX of sliding windows: shared memory is what every GPU gives a block, and ptxas,
 * where it is installed, takes the text of every kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cuda/cuda_correlate.h"
#include "base/alloc.h"
#include "harness.h"
#include "ptxas.h"

enum { SHARED = 48 << 10 };

static char *text_of(hdi_slide_kind kind)
{
    hdi_strbuf text = {0};
    hdi_cuda_slide_text(kind, &text);
    return hdi_strbuf_take(&text);
}

/* Bytes of the text's two variables in shared memory. */
static long shared_bytes(const char *text)
{
    long bytes = 0;
    for (const char *at = text; (at = strstr(at, ".shared .align 16 .b8 ")) != NULL; at++)
        bytes += strtol(strchr(at, '[') + 1, NULL, 10);
    return bytes;
}

TEST(slide, every_kind_fits_a_block_and_assembles)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        for (int k = 0; k < 6; k++) {
            hdi_slide_kind kind = {(uint8_t)dt, (uint8_t)(k / 2), k % 2 != 0};
            if (hdi_is_half((hd_dtype)dt))   /* computed in float32 */
                continue;
            hdi_slide_shape shape = hdi_cuda_slide_shape(kind);
            char *text = text_of(kind);
            REQUIRE(text != NULL);
            CHECK(shape.across * shape.down % 32 == 0);
            CHECK(shared_bytes(text) > 0 && shared_bytes(text) <= SHARED);
            CHECK(strstr(text, HDI_SLIDE_ENTRY) != NULL);
            CHECK(ptxas_takes(text, strlen(text), 75));
            hdi_free(text, strlen(text) + 1);
        }
}
