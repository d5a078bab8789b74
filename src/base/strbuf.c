/* SPDX-License-Identifier: BSD-3-Clause */
/* strbuf.c - text that grows. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

static bool reserve(hdi_strbuf *s, size_t more)
{
    if (s->length + more < s->capacity)
        return true;
    size_t capacity = (s->length + more) * 2 + 64;
    char *text = hdi_realloc(s->text, s->capacity, capacity);
    s->failed |= text == NULL;
    if (text == NULL)
        return false;
    s->text = text;
    s->capacity = capacity;
    return true;
}

void hdi_strbuf_add(hdi_strbuf *s, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && !s->failed && reserve(s, (size_t)n + 1)) {
        vsnprintf(s->text + s->length, (size_t)n + 1, format, again);
        s->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

char *hdi_strbuf_take(hdi_strbuf *s)
{
    char *exact = NULL;
    if (!s->failed && (s->text != NULL || reserve(s, 1))) {
        s->text[s->length] = '\0';
        exact = hdi_realloc(s->text, s->capacity, s->length + 1);
    }
    if (exact == NULL) {
        hdi_free(s->text, s->capacity);
        hdi_fail(HD_NOMEM, "out of memory for a text of %zu bytes", s->length);
    }
    *s = (hdi_strbuf){0};
    return exact;
}
