/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fft.c - transforms against the sum that defines them, and back; the C interface's own
 * arguments, refusals, and repeated axes. */
#include <complex.h>
#include <math.h>

#include "backend/backend.h"
#include "support.h"

enum { MOST = 300 };

/* n numbers by chance, the same every time. */
static hd_array *noise(int64_t n, hd_dtype dt)
{
    double x[2 * MOST] = {0};
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = (double)t_below(2001) / 1000 - 1;
    hd_array *r = hd_from_data(SHAPE(n), NULL, HD_COMPLEX128, x);
    return hd_astype(r, dt, 'K', HD_CAST_UNSAFE, 1);
}

static double complex point(const double complex *x, int64_t n, int64_t k, int sign)
{
    long double complex sum = 0;
    for (int64_t j = 0; j < n; j++) {
        const long double angle = 2 * 3.14159265358979323846264L * (long double)(j * k % n) / n;
        sum += (long double complex)x[j] * (cosl(angle) + sign * sinl(angle) * I);
    }
    return (double complex)sum;
}

TEST(fft, is_its_sum)
{
    for (int64_t n = 1; n <= 130; n++) {
        int scope = hd_scope_begin();
        double complex x[MOST], forward[MOST], backward[MOST];
        hd_array *a = noise(n, HD_COMPLEX128);
        REQUIRE(hd_read(a, x) == HD_OK);
        REQUIRE(hd_read(hd_fft(a, HD_NONE, -1, HD_FFT_BACKWARD, NULL), forward) == HD_OK);
        REQUIRE(hd_read(hd_ifft(a, HD_NONE, 0, HD_FFT_FORWARD, NULL), backward) == HD_OK);
        for (int64_t k = 0; k < n; k++)
            CHECK(cabs(forward[k] - point(x, n, k, -1)) < 2e-14 * sqrt((double)n) &&
                  cabs(backward[k] - point(x, n, k, 1)) < 2e-14 * sqrt((double)n));
        hd_scope_end(scope, NULL);
    }
}

static int near(hd_array *x, hd_array *y, double most)
{
    hd_array *worst = hd_max(hd_absolute(hd_subtract(x, y)), HD_ALL_AXES, NULL, 0);
    return worst != NULL && t_value(worst, 0) <= most;
}

TEST(fft, there_and_back)
{
    for (int64_t n = 2; n <= 256; n += n < 20 ? 1 : 59) {
        int scope = hd_scope_begin();
        hd_array *x = noise(n, HD_FLOAT64), *z = noise(n, HD_COMPLEX128);
        hd_array *half = hd_rfft(x, HD_NONE, -1, HD_FFT_ORTHO, NULL);
        CHECK(hd_shape(half)[0] == n / 2 + 1 && hd_dtype_of(half) == HD_COMPLEX128);
        CHECK(near(hd_irfft(half, n, -1, HD_FFT_ORTHO, NULL), x, 1e-14));
        CHECK(near(hd_hfft(hd_ihfft(x, HD_NONE, -1, HD_FFT_FORWARD, NULL), n, -1, HD_FFT_FORWARD,
                           NULL), x, 1e-14));
        hd_array *there = hd_fft(z, HD_NONE, -1, HD_FFT_FORWARD, NULL);
        CHECK(near(hd_ifft(there, HD_NONE, -1, HD_FFT_FORWARD, NULL), z, 1e-14));
        /* of a real signal: what the half says, and its mirror image */
        hd_array *whole = hd_fft(x, HD_NONE, -1, HD_FFT_ORTHO, NULL);
        CHECK(near(t_slice(whole, SLICE(0, n / 2 + 1, 1)), half, 1e-14));
        CHECK(near(t_slice(whole, SLICE(1, HD_NONE, 1)),
                   hd_conjugate(t_slice(whole, SLICE(HD_NONE, 0, -1))), 1e-14));
        hd_scope_end(scope, NULL);
    }
}

TEST(fft, axes_one_by_one_or_together)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_reshape(noise(120, HD_COMPLEX64), SHAPE(4, 5, 6), 'C');
    const int64_t s[] = {7, -1};
    hd_array *one = hd_fft(hd_fft(x, HD_NONE, 1, HD_FFT_BACKWARD, NULL), 7, 2, HD_FFT_BACKWARD,
                           NULL);
    CHECK(near(hd_fftn(x, AXES(2, 1), s, HD_FFT_BACKWARD, NULL), one, 1e-4));
    hd_array *twice = hd_fftn(x, AXES(0, 0), NULL, HD_FFT_ORTHO, NULL);
    CHECK(near(twice, hd_concatenate(2, (const hd_array *const[]){
                          t_slice(x, SLICE(0, 1, 1)), t_slice(x, SLICE(HD_NONE, 0, -1))}, 0,
                          HD_NO_DTYPE, NULL), 1e-5));
    hd_array *out = hd_empty(SHAPE(4, 5, 6), HD_COMPLEX128);
    CHECK(hd_fftn(x, HD_ALL_AXES, NULL, NULL, HD_FFT_BACKWARD, out) == out);
    CHECK(near(hd_ifftn(out, HD_ALL_AXES, NULL, NULL, HD_FFT_BACKWARD, NULL), x, 1e-5));
    hd_scope_end(scope, NULL);
}

TEST(fft, refuses)
{
    int scope = hd_scope_begin();
    hd_array *x = noise(8, HD_COMPLEX128), *real = noise(8, HD_FLOAT64);
    CHECK(hd_fft(x, 0, -1, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_fft(x, -1, -1, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_fft(x, 4, 1, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_AXIS));
    CHECK(hd_fft(x, 4, 0, (hd_fft_norm)3, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_rfft(x, 4, 0, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_rfftn(real, 0, &(int){0}, NULL, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_fft(x, 4, 0, HD_FFT_BACKWARD, x) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_fft(x, 8, 0, HD_FFT_BACKWARD, real) == NULL && t_failed(HD_CAST));
    CHECK(hd_irfft(hd_float(1), HD_NONE, -1, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_AXIS));
    CHECK(hd_fftfreq(0, 1) == NULL && t_failed(HD_VALUE));
    CHECK(hd_rfftfreq(4, 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_fftshift(x, AXES(1)) == NULL && t_failed(HD_AXIS));
    CHECK(hd_fft(NULL, 4, 0, HD_FFT_BACKWARD, NULL) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

TEST(fft, plans_come_and_go)
{
    int scope = hd_scope_begin();
    hd_array *x = noise(200, HD_FLOAT64);
    hd_array *before = hd_fft(x, HD_NONE, -1, HD_FFT_BACKWARD, NULL);
    REQUIRE(hd_synchronize(NULL) == HD_OK);
    for (int64_t n = 100000; n < 1600000; n += 100000)   /* more than the cache keeps */
        CHECK(hd_synchronize(NULL) == HD_OK &&
              hd_size(hd_rfft(x, n, -1, HD_FFT_BACKWARD, NULL)) == n / 2 + 1);
    hd_trim(NULL);
    CHECK(near(hd_fft(x, HD_NONE, -1, HD_FFT_BACKWARD, NULL), before, 0));
    hd_scope_end(scope, NULL);
}

static int stops_left;

static bool stop_now(void)
{
    return stops_left-- > 0;
}

/* A long line is cut into tasks: between them it can be stopped, and is whole when asked again. */
TEST(fft, a_long_line_can_be_stopped)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(1 << 22), HD_FLOAT64), *y = hd_ifft(x, HD_NONE, -1, HD_FFT_FORWARD, NULL);
    REQUIRE(y != NULL && hd_eval(x) == HD_OK);
    bool (*usual)(void) = hdi_poll_interrupt;
    hdi_poll_interrupt = stop_now;
    stops_left = 1;
    CHECK(hd_eval(y) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    CHECK(hd_eval(y) == HD_OK);
    hdi_poll_interrupt = usual;
    CHECK(near(y, hd_ifft(x, HD_NONE, -1, HD_FFT_FORWARD, NULL), 0));
    hd_scope_end(scope, NULL);
}

TEST(fft, frequencies)
{
    int scope = hd_scope_begin();
    const double five[] = {0, 1, 2, -2, -1}, four[] = {0, 0.5, -1, -0.5};
    hd_array *a = hd_multiply(hd_fftfreq(5, 1), hd_float(5)), *b = hd_fftfreq(4, 0.5);
    for (int64_t i = 0; i < 5; i++)
        CHECK_NEAR(t_value(a, i), five[i], 1e-15);
    for (int64_t i = 0; i < 4; i++)
        CHECK_NEAR(t_value(b, i), four[i], 1e-15);
    CHECK(hd_size(hd_rfftfreq(5, 1)) == 3);
    hd_array *ramp = t_ramp(SHAPE(5), HD_INT64), *turned = hd_fftshift(ramp, HD_ALL_AXES, NULL);
    CHECK(t_value(turned, 2) == 0 && t_value(turned, 0) == 3);
    CHECK(near(hd_ifftshift(turned, HD_ALL_AXES, NULL), ramp, 0));
    hd_scope_end(scope, NULL);
}
