/* SPDX-License-Identifier: BSD-3-Clause */
/* home.c - operands to the host, the result back. */
#include "ops/home.h"

#include "core/services.h"
#include "window/window.h"

static bool is_small(int n, const hd_array *const *x)
{
    for (int k = 0; k < n; k++)
        if (x[k] != NULL && x[k]->lay->size * x[k]->lay->item > hdi_device_of(x[k])->home_most)
            return false;
    return hdi_device_of(x[0])->home_most > 0 && !hdi_window_captures(hdi_device_of(x[0]));
}

hd_status hdi_home_begin(hdi_home *h, int n, const hd_array **x)
{
    *h = (hdi_home){.dev = NULL};
    if (!is_small(n, x))
        return HD_OK;
    hd_device *host = hdi_host_device();
    if (host == NULL)
        return hd_error_peek()->code;
    h->dev = hdi_device_of(x[0]);
    for (int k = 0; k < n; k++) {
        if (x[k] == NULL)
            continue;
        if ((h->moved[k] = hdi_moved(x[k], host)) == NULL)
            return hd_error_peek()->code;
        x[k] = h->moved[k];
    }
    return HD_OK;
}

void hdi_home_drop(hdi_home *h)
{
    for (int k = 0; k < HDI_HOME_OPERANDS; k++) {
        if (h->moved[k] != NULL)
            hdi_array_release(h->moved[k]);
        h->moved[k] = NULL;
    }
}

hd_array *hdi_home_return(const hdi_home *h, hd_array *r)
{
    if (h->dev == NULL)
        return r;
    hd_array *back = hdi_moved(r, h->dev);
    hdi_array_release(r);
    return back;
}

hd_array *hdi_home_end(hdi_home *h, hd_array *r)
{
    hdi_home_drop(h);
    return r != NULL ? hdi_home_return(h, r) : NULL;
}
