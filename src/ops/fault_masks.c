/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_masks.c - the vocabulary of looks at values, the faults of casts, and the one answer. */
#include "ops/fault_masks.h"

#include "base/alloc.h"

void hdi_masks_begin(hdi_masks *m, int wanted)
{
    memset(m, 0, sizeof *m);
    m->wanted = wanted & hdi_watching.faults;
    hdi_watch_pause();
}

hd_array *hdi_mask_keep(hdi_masks *m, hd_array *x)
{
    hd_assert(m->n < HDI_MASKS);
    if (x != NULL)
        m->all[m->n++] = x;
    m->failed |= x == NULL;
    return x;
}

hd_array *hdi_mask_of(hdi_masks *m, hd_op op, hd_dtype cdt, hdi_in x)
{
    return x.x != NULL || x.n != NULL ? hdi_mask_keep(m, hdi_ew_plain(op, cdt, 1, &x)) : NULL;
}

hd_array *hdi_mask_pair(hdi_masks *m, hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *y)
{
    if (x == NULL || y == NULL)
        return NULL;
    hdi_in in[2] = {hdi_in_array(x), hdi_in_array(y)};
    return hdi_mask_keep(m, hdi_ew_plain(op, cdt, 2, in));
}

hd_array *hdi_mask_number(hdi_masks *m, hd_op op, hd_dtype cdt, hdi_in x, double number)
{
    hd_number n = {.kind = HD_WEAK_FLOAT, .re = number};
    if (hdi_is_int(cdt))
        n = (hd_number){.kind = HD_WEAK_INT, .as.i = (int64_t)number, .re = number};
    hdi_in in[2] = {x, hdi_in_number(&n)};
    return x.x != NULL || x.n != NULL ? hdi_mask_keep(m, hdi_ew_plain(op, cdt, 2, in)) : NULL;
}

hd_array *hdi_mask_and(hdi_masks *m, const hd_array *x, const hd_array *y)
{
    return hdi_mask_pair(m, HD_OP_logical_and, HD_BOOL, x, y);
}

hd_array *hdi_mask_or(hdi_masks *m, const hd_array *x, const hd_array *y)
{
    return hdi_mask_pair(m, HD_OP_logical_or, HD_BOOL, x, y);
}

hd_array *hdi_mask_not(hdi_masks *m, const hd_array *x)
{
    return x != NULL ? hdi_mask_of(m, HD_OP_logical_not, HD_BOOL, hdi_in_array(x)) : NULL;
}

/* They need not have one shape: of an input, and of the result. */
void hdi_mask_also(hdi_masks *m, hd_array **where, hd_array *more)
{
    *where = *where != NULL ? hdi_mask_or(m, *where, more) : more;
}

hd_array *hdi_mask_small(hdi_masks *m, hd_dtype dt, const hd_array *x)
{
    double tiny = dt == HD_FLOAT64 ? 0x1p-1022 : dt == HD_FLOAT16 ? 0x1p-14 : 0x1p-126;
    hd_array *size = x != NULL ? hdi_mask_of(m, HD_OP_absolute, dt, hdi_in_array(x)) : NULL;
    return size != NULL ? hdi_mask_number(m, HD_OP_less, dt, hdi_in_array(size), tiny) : NULL;
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* Reals that an integer dtype does not hold. Like NumPy's, conversions go through int32 or int64,
 * so that of narrow integers only the bits count. */
static void mask_integer(hdi_masks *m, hd_dtype from, hd_dtype to, const hd_array *x)
{
    bool wide = hdi_itemsize(to) == 8 || to == HD_UINT32;
    hd_dtype cdt = hd_dtype_real(from);
    double end = to == HD_UINT64 ? 0x1p64 : wide ? 0x1p63 : 0x1p31;
    hd_array *real = hdi_mask_of(m, HD_OP_copy, cdt, hdi_in_array(x));
    if (real == NULL)
        return;
    hdi_in value = hdi_in_array(real);
    hd_array *below = hdi_mask_number(m, HD_OP_less, cdt, value, end);
    hd_array *above = wide ? hdi_mask_number(m, HD_OP_greater_equal, cdt, value, -0x1p63)
                           : hdi_mask_number(m, HD_OP_greater, cdt, value, -0x1p31 - 1.0);
    hdi_mask_also(m, &m->invalid, hdi_mask_not(m, hdi_mask_and(m, below, above)));
}

/* The real or the imaginary parts of complex numbers, in place. */
static hd_array *parts(hdi_masks *m, const hd_array *x, bool imaginary)
{
    if (x == NULL)
        return NULL;
    hd_dtype real = hd_dtype_real((hd_dtype)x->dtype);
    int64_t item = hdi_itemsize(real);
    hdi_layout *lay = hdi_layout_get(x->lay->nd, x->lay->dims, hdi_layout_strides(x->lay), item);
    return hdi_mask_keep(
        m, lay != NULL ? hdi_array_view(x, real, lay, x->off + (imaginary ? item : 0)) : NULL);
}

/* Numbers that lost bits below the smallest normal one of their new dtype. */
static void mask_lost(hdi_masks *m, hd_dtype to, const hd_array *x, const hd_array *r)
{
    hd_array *differs = hdi_mask_pair(m, HD_OP_not_equal, HD_FLOAT64, x, r);
    hdi_mask_also(m, &m->under, hdi_mask_and(m, differs, hdi_mask_small(m, to, r)));
}

void hdi_mask_cast(hdi_masks *m, hd_dtype from, hd_dtype to, const hd_array *x)
{
    bool is_real = from != HD_BOOL && !hdi_is_int(from);
    int can = hdi_cast_faults(from, to) & m->wanted;
    if (is_real && hdi_is_int(to) && (m->wanted & HD_FAULT_INVALID))
        mask_integer(m, from, to, x);
    if (can == 0)
        return;
    hd_array *r = hdi_mask_of(m, HD_OP_copy, to, hdi_in_array(x));
    if (r != NULL && (can & HD_FAULT_OVERFLOW)) {
        hd_array *finite = hdi_mask_of(m, HD_OP_isfinite, from, hdi_in_array(x));
        hd_array *infinite = hdi_mask_of(m, HD_OP_isinf, to, hdi_in_array(r));
        hdi_mask_also(m, &m->over, hdi_mask_and(m, finite, infinite));
    }
    if (r == NULL || !(can & HD_FAULT_UNDERFLOW))
        return;
    if (hdi_is_complex(from) && hdi_is_complex(to)) {
        hd_dtype real = hd_dtype_real(to);
        mask_lost(m, real, parts(m, x, false), parts(m, r, false));
        mask_lost(m, real, parts(m, x, true), parts(m, r, true));
    } else if (!hdi_is_complex(from) && !hdi_is_complex(to)) {
        mask_lost(m, to, x, r);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The fault's bit where any element of the mask is true, as an array of no axes. */
static hd_array *bit_of(hdi_masks *m, const hd_array *mask, int bit)
{
    uint64_t axes = hdi_all_axes(mask->lay->nd);
    hd_array *any =
        hdi_mask_keep(m, hdi_reduce(HD_OP_any, HD_BOOL, mask, NULL, axes, false, NULL));
    return any != NULL
               ? hdi_mask_number(m, HD_OP_multiply, HD_UINT8, hdi_in_array(any), bit)
               : NULL;
}

/* The only element of x (taken), or -1. */
static int read_byte(hd_array *x)
{
    hdi_values value;
    int answer = -1;
    if (hdi_values_open(x, &value)) {
        answer = *(const uint8_t *)value.at;
        hdi_values_close(&value);
    }
    hdi_array_release(x);
    return answer;
}

hd_status hdi_masks_end(hdi_masks *m, const char *name, hd_device *dev)
{
    const struct { const hd_array *mask; int bit; } each[] = {{m->divide, HD_FAULT_DIVIDE},
                                                              {m->over, HD_FAULT_OVERFLOW},
                                                              {m->under, HD_FAULT_UNDERFLOW},
                                                              {m->invalid, HD_FAULT_INVALID}};
    hd_array *faults = NULL;
    for (int k = 0; k < 4 && !m->failed; k++) {
        if (each[k].mask == NULL || !(m->wanted & each[k].bit))
            continue;
        hd_array *bit = bit_of(m, each[k].mask, each[k].bit);
        faults = faults != NULL ? hdi_mask_pair(m, HD_OP_bitwise_or, HD_UINT8, faults, bit) : bit;
    }
    for (int k = 0; k < m->n; k++)   /* what only led to the answer is not stored */
        if (m->all[k] != faults || m->failed)
            hdi_array_release(m->all[k]);
    hdi_watch_resume();
    if (m->failed || faults == NULL)
        return m->failed ? hd_error_peek()->code : HD_OK;
    hdi_faults_hold();
    int found = read_byte(faults);
    if (found > 0)
        hdi_fault_note(found, name);
    hdi_faults_let_go(dev);
    return found >= 0 ? HD_OK : hd_error_peek()->code;
}
