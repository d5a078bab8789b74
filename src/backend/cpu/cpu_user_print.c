/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user_print.c - formats are taken apart: no conversion meets a value of another kind. */
#include "backend/cpu/cpu_user_print.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096, SPEC = 64, MOST_WIDTH = 400 };

/* A line under construction. */
typedef struct output { char text[LINE]; size_t n; } output;

static void add(output *o, const char *text, size_t bytes)
{
    const size_t left = LINE - 1 - o->n, taken = bytes < left ? bytes : left;
    memcpy(o->text + o->n, text, taken);
    o->n += taken;
}

/* Values that have not been printed yet. */
typedef struct given { const char *kind; const uint64_t *value; } given;

/* A width or precision that is a value; -1, as if there were none, where no value is left. */
static int width_of(given *g)
{
    const bool is_there = *g->kind != '\0';
    const int64_t wide = is_there ? (int64_t)*g->value : -1;
    g->kind += is_there;
    g->value += is_there;
    return wide > -MOST_WIDTH && wide < MOST_WIDTH ? (int)wide : 0;
}

/* Flags, width and precision of the conversion at f, without sizes: "%-8.3". NULL: it is too long,
 * or none. *end: behind its letter. */
static const char *take(const char *f, char *spec, const char **end, given *g)
{
    size_t n = 0;
    spec[n++] = *f++;
    while (*f != '\0' && strchr("-+ #0123456789.*", *f) != NULL && n < SPEC - 8) {
        if (*f == '*')
            n += (size_t)snprintf(spec + n, SPEC - n, "%d", width_of(g));
        else
            spec[n++] = *f;
        f++;
    }
    while (*f != '\0' && strchr("hlLqjzt", *f) != NULL)
        f++;
    spec[n] = '\0';
    *end = *f != '\0' ? f + 1 : f;
    return *f != '\0' ? f : NULL;
}

static double as_real(char kind, uint64_t bits)
{
    double x;
    if (kind == 'f')
        memcpy(&x, &bits, sizeof x);
    else
        x = kind == 'i' ? (double)(int64_t)bits : (double)bits;
    return x;
}

static long long as_whole(char kind, uint64_t bits)
{
    if (kind != 'f')
        return (long long)bits;
    const double x = as_real(kind, bits);
    return x > -9e18 && x < 9e18 ? (long long)x : 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"   /* built from a checked conversion */
/* A text of the program's, as much of it as the line holds. */
static void convert_text(output *o, char *spec, const char *from)
{
    char text[LINE];
    memcpy(spec + strlen(spec), "s", 2);
    const int made = snprintf(text, sizeof text, spec, from != NULL ? from : "(null)");
    if (made > 0)
        add(o, text, (size_t)made < sizeof text ? (size_t)made : sizeof text - 1);
}

static void convert(output *o, char *spec, char letter, char kind, uint64_t bits)
{
    char text[512];
    const size_t n = strlen(spec);
    int made;
    if (strchr("fFeEgGaA", letter) != NULL) {
        memcpy(spec + n, (char[]){letter, '\0'}, 2);
        made = snprintf(text, sizeof text, spec, as_real(kind, bits));
    } else if (letter == 'c') {
        memcpy(spec + n, "c", 2);
        made = snprintf(text, sizeof text, spec, (int)as_whole(kind, bits));
    } else if (letter == 'p') {
        made = snprintf(text, sizeof text, "0x%llx", (unsigned long long)bits);
    } else {
        memcpy(spec + n, (char[]){'l', 'l', strchr("diouxX", letter) != NULL ? letter : 'd', '\0'},
               4);
        made = snprintf(text, sizeof text, spec, as_whole(kind, bits));
    }
    if (made > 0)
        add(o, text, (size_t)made < sizeof text ? (size_t)made : sizeof text - 1);
}
#pragma GCC diagnostic pop

void hdi_cpu_user_print(const char *format, const char *kinds, const uint64_t *values)
{
    output o = {.n = 0};
    given g = {kinds, values};
    for (const char *f = format; *f != '\0';) {
        char spec[SPEC];
        const char *end = f + 1, *letter = NULL;
        if (*f == '%' && f[1] != '%')
            letter = take(f, spec, &end, &g);
        if (letter != NULL && *g.kind != '\0') {
            if (*letter == 's' && *g.kind == 'p')
                convert_text(&o, spec, (const char *)(uintptr_t)*g.value);
            else
                convert(&o, spec, *letter, *g.kind, *g.value);
            g.kind++;
            g.value++;
        } else {
            add(&o, f, *f == '%' && f[1] == '%' ? 1 : (size_t)(end - f));
            end += *f == '%' && f[1] == '%';
        }
        f = end;
    }
    fwrite(o.text, 1, o.n, stdout);   /* allowed: what a kernel prints */
    fflush(stdout);
}

/* ---- assert ---------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char latest[400];

void hdi_cpu_user_trap(const char *what, int32_t line, const uint32_t *block,
                       const uint32_t *thread)
{
    pthread_mutex_lock(&mutex);
    snprintf(latest, sizeof latest,
             "line %d: %.200s, in block (%u, %u, %u), thread (%u, %u, %u)", line,
             what, block[0], block[1], block[2], thread[0], thread[1], thread[2]);
    pthread_mutex_unlock(&mutex);
}

void hdi_cpu_user_trapped(char *text, size_t size)
{
    pthread_mutex_lock(&mutex);
    snprintf(text, size, "%s", latest);
    pthread_mutex_unlock(&mutex);
}
