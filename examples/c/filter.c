/* SPDX-License-Identifier: BSD-3-Clause */
/* filter.c - a low-pass filter: what oscillates faster than a limit is taken out of a signal by
 * its Fourier transform. cc filter.c $(pkg-config --cflags --libs heddle) -lm -o filter &&
 * ./filter */
#include <math.h>
#include <stdio.h>

#include <heddle/heddle.h>

enum { SAMPLES = 4096, SLOW = 5, FAST = 400, LIMIT = 50 };

/* A sine with so many periods. */
static hd_array *wave(const hd_array *t, int periods)
{
    return hd_sin(hd_multiply(hd_float(2 * acos(-1) * periods), t));
}

int main(void)
{
    int scope = hd_scope_begin();
    hd_array *t = hd_linspace(0, 1, SAMPLES, 0, HD_FLOAT64);
    hd_array *slow = wave(t, SLOW);
    hd_array *signal = hd_add(slow, hd_multiply(hd_float(0.5), wave(t, FAST)));

    hd_array *spectrum = hd_rfft(signal, HD_NONE, -1, HD_FFT_BACKWARD, NULL);
    hd_array *frequency = hd_arange(hd_int(0), hd_int(1), SAMPLES / 2 + 1, HD_INT64);
    hd_array *kept = hd_where(hd_less(frequency, hd_int(LIMIT)), spectrum, hd_int(0));
    hd_array *filtered = hd_irfft(kept, SAMPLES, -1, HD_FFT_BACKWARD, NULL);

    hd_array *differences[] = {hd_subtract(signal, slow), hd_subtract(filtered, slow)};
    hd_status failed = HD_OK;
    for (int i = 0; i < 2 && failed == HD_OK; i++) {
        hd_value worst;
        failed = hd_item(hd_max(hd_absolute(differences[i]), HD_ALL_AXES, NULL, 0), 0, &worst);
        if (failed == HD_OK)
            printf("%s: %.6f from the slow wave\n", i == 0 ? "before" : "after", worst.as.f);
    }
    if (failed != HD_OK)
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_scope_end(scope, NULL);
    return failed != HD_OK;
}
