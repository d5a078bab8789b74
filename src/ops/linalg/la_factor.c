/* SPDX-License-Identifier: BSD-3-Clause */
/* la_factor.c - decompositions: QR, singular values, eigenvalues. */
#include "base/lock.h"
#include "ops/linalg/la.h"

hd_status hd_qr(const hd_array *a, hd_qr_mode mode, hd_array **q, hd_array **r)
{
    hdi_la_call c = {.op = HD_OP_qr};
    static const uint64_t flags[] = {0, HDI_LA_FULL, HDI_LA_R, HDI_LA_RAW};
    hdi_la_none(2, (hd_array **[]){q, r});
    if (a == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    hd_status status = (unsigned)mode <= HD_QR_RAW
                           ? hdi_la_begin(&c, HD_OP_qr, (hdi_payload){.la = flags[mode]}, a, false)
                           : hdi_fail(HD_VALUE, "qr has no mode %d", (int)mode);
    if (status == HD_OK && mode == HD_QR_COMPLETE && c.m <= c.n)
        c.how.la = 0;   /* the same */
    status = status == HD_OK ? hdi_la_record(&c) : status;
    return mode == HD_QR_R ? hdi_la_done(&c, status, 1, (hd_array **[]){r})
                           : hdi_la_done(&c, status, 2, (hd_array **[]){q, r});
}

hd_status hd_svd(const hd_array *a, int full, int hermitian, hd_array **u, hd_array **s,
                 hd_array **vh)
{
    hdi_la_call c;
    bool vectors = u != NULL || vh != NULL;
    const hdi_payload how = {.la = (vectors ? HDI_LA_VECTORS : 0) |
                                   (vectors && full ? HDI_LA_FULL : 0) |
                                   (hermitian ? HDI_LA_HERMITIAN : 0)};
    hdi_la_none(3, (hd_array **[]){u, s, vh});
    if (a == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin(&c, HD_OP_svd, how, a, hermitian != 0);
    status = status == HD_OK ? hdi_la_record(&c) : status;
    return vectors ? hdi_la_done(&c, status, 3, (hd_array **[]){u, s, vh})
                   : hdi_la_done(&c, status, 1, (hd_array **[]){s});
}

hd_status hd_eigh(const hd_array *a, int upper, hd_array **w, hd_array **v)
{
    hdi_la_call c;
    const hdi_payload how = {.la = (v != NULL ? HDI_LA_VECTORS : 0) | (upper ? HDI_LA_UPPER : 0)};
    hdi_la_none(2, (hd_array **[]){w, v});
    if (a == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin(&c, HD_OP_eigh, how, a, true);
    return hdi_la_done(&c, status == HD_OK ? hdi_la_record(&c) : status, v != NULL ? 2 : 1,
                   (hd_array **[]){w, v});
}

/* ---- eigenvalues of any matrix --------------------------------------------------------------- */

/* The imaginary or real parts of a complex array, as a view. */
static hd_array *part_of(const hd_array *x, bool imaginary)
{
    hd_dtype real = hd_dtype_real((hd_dtype)x->dtype);
    hdi_layout *lay = hdi_layout_get(x->lay->nd, x->lay->dims, hdi_layout_strides(x->lay),
                                     hdi_itemsize(real));
    return lay != NULL ? hdi_array_view(x, real, lay, x->off + (imaginary ? hdi_itemsize(real) : 0))
                       : NULL;
}

/* Is any eigenvalue not real? -1 on failure. */
static int any_complex(const hd_array *w)
{
    hd_number zero = {.kind = HD_WEAK_INT};
    hd_array *imag = part_of(w, true);
    if (imag == NULL)
        return -1;
    hdi_in in[2] = {hdi_in_array(imag), hdi_in_number(&zero)};
    int answer = hdi_any_true(hdi_ew_plain(HD_OP_not_equal, (hd_dtype)imag->dtype, 2, in));
    hdi_array_release(imag);
    return answer;
}

/* The results as real arrays of their own. */
static hd_status keep_real(hdi_la_call *c)
{
    for (int i = 0; i < 2 && c->result[i] != NULL; i++) {
        hd_array *view = part_of(c->result[i], false), *real = NULL;
        if (view != NULL) {
            real = hdi_new_copy(view, (hd_dtype)view->dtype,
                                hdi_layout_c(view->lay->nd, view->lay->dims, view->lay->item));
            hdi_array_release(view);
        }
        if (real == NULL)
            return hd_error_peek()->code;
        hdi_array_release(c->result[i]);
        c->result[i] = real;
    }
    return HD_OK;
}

hd_status hd_eig(const hd_array *a, hd_array **w, hd_array **v)
{
    hdi_la_call c;
    const hdi_payload how = {.la = v != NULL ? HDI_LA_VECTORS : 0};
    hdi_la_none(2, (hd_array **[]){w, v});
    if (a == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin(&c, HD_OP_eig, how, a, true);
    bool real = status == HD_OK && !hdi_is_complex(c.dt);
    if (real)
        c.dt = c.dt == HD_FLOAT32 ? HD_COMPLEX64 : HD_COMPLEX128;
    if (status == HD_OK)
        status = hdi_la_record(&c);
    if (status == HD_OK && real) {
        int found = any_complex(c.result[0]);
        status = found < 0 ? hd_error_peek()->code : found > 0 ? HD_OK : keep_real(&c);
    }
    return hdi_la_done(&c, status, v != NULL ? 2 : 1, (hd_array **[]){w, v});
}
