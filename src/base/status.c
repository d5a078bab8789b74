/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c - the error record of each thread, and the library's version. */
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

static _Thread_local hd_error pending;

const hd_error *hd_error_peek(void)
{
    return &pending;
}

hd_status hd_error_take(hd_error *into)
{
    const hd_status code = pending.code;
    if (HDI_LIKELY(code == HD_OK)) {   /* half a KB need not be copied to say so */
        if (into != NULL) {
            into->code = HD_OK;
            into->axis = into->ndim = 0;
            into->where[0] = into->message[0] = '\0';
        }
        return HD_OK;
    }
    if (into != NULL)
        *into = pending;
    memset(&pending, 0, sizeof pending);
    return code;
}

const char *hd_status_text(hd_status code)
{
    static const char *const texts[] = {
#define TEXT(name, text, python) text,
        HD_ERRORS(TEXT)
#undef TEXT
    };
    return (unsigned)code < HD_STATUS_COUNT ? texts[code] : "unknown status";
}

hd_status hdi_fail(hd_status code, const char *format, ...)
{
    if (pending.code == HD_OK) {
        va_list args;
        pending.code = code;
        pending.where[0] = '\0';
        va_start(args, format);
        vsnprintf(pending.message, sizeof pending.message, format, args);
        va_end(args);
    }
    return code;
}

hd_status hdi_fail_axis(int axis, int ndim)
{
    if (pending.code == HD_OK) {
        hdi_fail(HD_AXIS, "axis %d is out of bounds for array of dimension %d", axis, ndim);
        pending.axis = axis;
        pending.ndim = ndim;
    }
    return HD_AXIS;
}

hd_status hdi_fail_ndim(int ndim)
{
    return hdi_fail(HD_VALUE, "maximum supported dimension for an ndarray is %d, found %d",
                    HD_MAXDIM, ndim);
}

hd_status hdi_fail_null(const char *what)
{
    hdi_fail(HD_VALUE, "%s is NULL", what);
    return pending.code;
}

hd_status hdi_fail_where(const char *operation)
{
    if (pending.code != HD_OK && pending.where[0] == '\0')
        snprintf(pending.where, sizeof pending.where, "%s", operation);
    return pending.code;
}

hd_status hdi_error_set(const hd_error *kept)
{
    if (pending.code == HD_OK)
        pending = *kept;
    return kept->code;
}

#define STRING2(x) #x
#define STRING(x) STRING2(x)

const char *hd_version(void)
{
    return STRING(HD_VERSION_MAJOR) "." STRING(HD_VERSION_MINOR) "." STRING(HD_VERSION_PATCH);
}

int hd_abi_version(void)
{
    return HD_ABI_VERSION;
}
