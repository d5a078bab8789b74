/* SPDX-License-Identifier: BSD-3-Clause */
/* test_payloads.c - what library calls are told beside their operands: the record has it in the
 * member that lib.def names, and a back end is called with the same. */
#include "backend/xcall.h"
#include "core/la_parts.h"
#include "window/inspect.h"

RECORDS_SMALL_WORK

static uint8_t *nowhere(const void *ctx, const hdi_buf *b)
{
    static uint8_t bytes[1];
    CHECK(ctx == NULL && b != NULL);
    return bytes;
}

/* The record of the one library call that is pending on the current device; then nothing is. */
static hdi_record take_call(hd_op op)
{
    hdi_chunk *c = pending(false);
    hdi_record found = {.op = HD_OP_COUNT};
    for (int i = 0; i < c->n; i++) {
        const hdi_record *r = c->record[i];
        CHECK(r->cls == 'x' || r->payload.none == 0);
        if (r->cls != 'x' || r->op != op)
            continue;
        hdi_xcall x;
        hdi_xarg room[(1 + HDI_MAX_IN) * HDI_PARTS];
        CHECK(hdi_record_slots(r) <= HDI_PARTS);
        hdi_xcall_bind(&x, r, nowhere, NULL, room);
        CHECK(x.payload.none == r->payload.none);   /* all bytes of it */
        CHECK(x.nout == hdi_record_slots(r));
        found = *r;
    }
    CHECK(found.op == op);
    CHECK(hd_synchronize(NULL) == HD_OK);
    return found;
}

static hd_array *square(void)
{
    return t_ready(SHAPE(6, 6), HD_FLOAT64);
}

TEST(payloads, of_sorting_and_searching)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = square(), *row = t_ready(SHAPE(6), HD_FLOAT64);
    CHECK(hd_sort(x, 0, 1) != NULL);
    hdi_payload p = take_call(HD_OP_sort).payload;
    CHECK(p.sort.axis == 0 && p.sort.descending == 1);
    CHECK(hd_argsort(x, -1, 0) != NULL);
    p = take_call(HD_OP_argsort).payload;
    CHECK(p.sort.axis == 1 && p.sort.descending == 0);
    CHECK(hd_partition(x, 1, (const int64_t[]){2}, 1) != NULL);
    p = take_call(HD_OP_partition).payload;
    CHECK(p.sort.axis == 1 && p.sort.descending == 0);
    for (int right = 0; right < 2; right++) {
        CHECK(hd_searchsorted(row, x, right) != NULL);
        CHECK(take_call(HD_OP_searchsorted).payload.right == (uint64_t)right);
        CHECK(hd_histogram(row, row, right) != NULL);
        CHECK(take_call(HD_OP_histogram).payload.equal == (uint64_t)right);
    }
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

/* On the CPU: places are looked at before they are recorded. */
TEST(payloads, of_what_repeats_an_operation)
{
    static const int64_t places[2] = {1, 3};
    hd_device_set_current(hd_device_get("cpu"));
    int scope = hd_scope_begin();
    hd_array *x = hd_ones(SHAPE(6, 6), HD_FLOAT64), *one = hd_ones(SHAPE(1), HD_FLOAT64);
    hd_array *at = hd_from_data(SHAPE(2), NULL, HD_INT64, places);
    hd_synchronize(NULL);
    CHECK(hd_accumulate(HD_OP_multiply, x, 1, HD_NO_DTYPE, NULL) != NULL);
    hdi_payload p = take_call(HD_OP_accumulate).payload;
    CHECK(p.fold.op == HD_OP_multiply && p.fold.axis == 1);
    CHECK(hd_reduceat(HD_OP_hypot, x, at, 0, HD_NO_DTYPE, NULL) != NULL);
    p = take_call(HD_OP_reduceat).payload;
    CHECK(p.fold.op == HD_OP_hypot && p.fold.axis == 0);
    CHECK(hd_take(x, 1, (const hd_array *[]){at}) != NULL);
    p = take_call(HD_OP_gather).payload;
    CHECK(p.places.op == HD_OP_copy && p.places.axes == 0);
    CHECK(hd_at(HD_OP_add, x, 2, (const hd_array *[]){at, at}, one) == HD_OK);
    p = take_call(HD_OP_at).payload;
    CHECK(p.places.op == HD_OP_add && p.places.axes == 2 &&
          !(p.places.flags & HDI_PLACES_INDICES));
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

TEST(payloads, of_linear_algebra)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = square(), *q, *r;
    CHECK(hd_qr(x, HD_QR_RAW, &q, &r) == HD_OK);
    CHECK(take_call(HD_OP_qr).payload.la == HDI_LA_RAW);
    CHECK(hd_qr(x, HD_QR_REDUCED, &q, &r) == HD_OK);
    CHECK(take_call(HD_OP_qr).payload.la == 0);
    x = t_ready(SHAPE(300, 300), HD_FLOAT32);
    hd_set_matmul_tf32(1);
    CHECK(hd_matmul(x, x, NULL) != NULL);
    CHECK(take_call(HD_OP_matmul).payload.tf32 == 1);
    hd_set_matmul_tf32(0);
    CHECK(hd_matmul(x, x, NULL) != NULL);
    CHECK(take_call(HD_OP_matmul).payload.tf32 == 0);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

TEST(payloads, of_transforms_and_correlations)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = square(), *y = t_ready(SHAPE(2, 2), HD_FLOAT64);
    CHECK(hd_fftn(x, 2, (const int[]){0, 1}, NULL, HD_FFT_ORTHO, NULL) != NULL);
    hdi_payload p = take_call(HD_OP_fft).payload;
    CHECK(p.fft.kind == HDI_FFT_FULL && !p.fft.backward && p.fft.naxes == 2 &&
          p.fft.scale == HDI_FFT_OVER_SQRT);
    CHECK(hd_irfft(x, 7, 1, HD_FFT_BACKWARD, NULL) != NULL);
    p = take_call(HD_OP_fft).payload;
    CHECK(p.fft.kind == HDI_FFT_REAL && p.fft.backward && p.fft.odd && p.fft.naxes == 1 &&
          p.fft.scale == HDI_FFT_OVER_N);
    CHECK(hd_correlate_window(x, y, HD_WINDOW_SAME, HD_WINDOW_SYMM, NULL) != NULL);
    p = take_call(HD_OP_correlate).payload;
    CHECK(p.correlate.places == HDI_PLACES_SAME && p.correlate.beyond == HDI_BEYOND_MIRROR);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

/* Slots of the window are used again: what the call before was told is gone. */
TEST(payloads, do_not_outlive_their_record)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = square();
    for (int k = 0; k < HDI_RING; k++)
        CHECK(hd_correlate_window(x, x, HD_WINDOW_FULL, HD_WINDOW_SYMM, NULL) != NULL);
    CHECK(hd_synchronize(NULL) == HD_OK);
    for (int k = 0; k < HDI_RING; k++) {
        hd_array *y = hd_add(x, x);
        hdi_chunk *c = pending(false);
        CHECK(c->n > 0 && c->record[c->n - 1]->op == HD_OP_add &&
              c->record[c->n - 1]->payload.none == 0);
        hd_release(hd_keep(y));
    }
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK);
}
