/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_module.c - sources of kernels, and the variables that all kernels of one share. Their
 * bytes are an array of each device, which a launch gives the kernel as an argument: so a launch
 * that writes to a variable comes before those that read it, as with any other array. */
#include "exec/kernel_module.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "core/object.h"
#include "exec/exec.h"
#include "kernel/kernel.h"
#include "lir/passes.h"

enum { DEVICES = 64 };

struct hd_module {
    hdi_object object;           /* counted by its user and by its kernels */
    char *text;
    int noptions;
    char **options;
    pthread_mutex_t mutex;       /* over what follows */
    hdi_lir *globals;            /* NULL: not asked for yet */
    struct { hd_device *dev; hd_array *memory; } made[DEVICES];
    int nmade;
};

/* ---- from source ----------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    char *copy = hdi_alloc(strlen(text) + 1);
    return copy == NULL ? NULL : memcpy(copy, text, strlen(text) + 1);
}

static void free_text(char *text)
{
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}

static void end(void *ctx)
{
    hd_module *m = ctx;
    for (int i = 0; i < m->nmade; i++)
        hd_release(m->made[i].memory);
    for (int i = 0; i < m->noptions && m->options != NULL; i++)
        free_text(m->options[i]);
    hdi_free(m->options, sizeof *m->options * (size_t)m->noptions + 1);
    hdi_lir_free(m->globals);
    free_text(m->text);
    pthread_mutex_destroy(&m->mutex);
    hdi_free(m, sizeof *m);
}

static hdi_kernel_source source_of(const hd_module *m, const char *name)
{
    return (hdi_kernel_source){.text = m->text, .name = name, .noptions = m->noptions,
                               .options = (const char *const *)m->options};
}

hdi_lir *hdi_module_lower(const hd_module *m, const char *name)
{
    const hdi_kernel_source source = source_of(m, name);
    hdi_lir *l = hdi_kernel_lower(&source);
    if (l != NULL && hdi_lir_verify(l) != HD_OK) {
        hdi_lir_free(l);
        return NULL;
    }
    return l;
}

/* What is given is a source and texts of options. */
static hd_status check_texts(const char *source, int noptions, const char *const *options)
{
    enum { MOST_OPTIONS = 1024 };
    if (source == NULL || (noptions > 0 && options == NULL))
        return hdi_fail_null("a source, a name and options");
    if (noptions < 0 || noptions > MOST_OPTIONS)
        return hdi_fail(HD_VALUE, "%d options, of at most %d", noptions, MOST_OPTIONS);
    for (int i = 0; i < noptions; i++)
        if (options[i] == NULL)
            return hdi_fail_null("an option");
    return HD_OK;
}

static bool take_texts(hd_module *m, const char *source, int noptions, const char *const *options)
{
    m->text = copy_of(source);
    m->noptions = noptions;
    m->options = hdi_calloc(sizeof *m->options * (size_t)noptions + 1);
    bool there = m->text != NULL && m->options != NULL;
    for (int i = 0; i < noptions && there; i++)
        there = (m->options[i] = copy_of(options[i])) != NULL;
    return there;
}

hd_module *hd_module_new(const char *source, int noptions, const char *const *options)
{
    if (check_texts(source, noptions, options) != HD_OK)
        return NULL;
    hd_module *m = hdi_calloc(sizeof *m);
    if (m == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a source of kernels");
        return NULL;
    }
    atomic_store(&m->object.count, 1);
    m->object.end = (hdi_deleter){.run = end, .ctx = m};
    pthread_mutex_init(&m->mutex, NULL);
    if (take_texts(m, source, noptions, options))
        return m;
    hdi_fail(HD_NOMEM, "out of memory for a source of kernels");
    hd_module_free(m);
    return NULL;
}

void hd_module_free(hd_module *m)
{
    if (m != NULL)
        hdi_object_release_away(&m->object);
}

void hdi_module_hold(hd_module *m) { hdi_object_hold(&m->object); }

char *hd_kernel_names(const char *source, int noptions, const char *const *options)
{
    if (check_texts(source, noptions, options) != HD_OK)
        return NULL;
    return hdi_kernel_names(&(hdi_kernel_source){.text = source, .name = "", .noptions = noptions,
                                                 .options = options});
}

/* ---- variables ------------------------------------------------------------------------------- */

const hdi_lir *hdi_module_globals(hd_module *m)
{
    const hdi_kernel_source source = source_of(m, "");
    pthread_mutex_lock(&m->mutex);
    if (m->globals == NULL)
        m->globals = hdi_kernel_globals(&source);
    const hdi_lir *l = m->globals;
    pthread_mutex_unlock(&m->mutex);
    return l;
}

static hd_array *made_on(hd_module *m, const hd_device *dev)
{
    hd_array *memory = NULL;
    for (int i = 0; i < m->nmade && memory == NULL; i++)
        if (m->made[i].dev == dev)
            memory = m->made[i].memory;
    return memory;
}

/* Takes x; what the module has for the device: another thread may have been faster. */
static hd_array *keep(hd_module *m, hd_device *dev, hd_array *x)
{
    pthread_mutex_lock(&m->mutex);
    hd_array *memory = made_on(m, dev);
    if (memory == NULL && m->nmade < DEVICES) {
        m->made[m->nmade].dev = dev;
        memory = m->made[m->nmade++].memory = x;
        x = NULL;
    }
    pthread_mutex_unlock(&m->mutex);
    hd_release(x);
    if (memory == NULL)
        hdi_fail(HD_UNSUPPORTED, "the variables of a module on more than %d devices", DEVICES);
    return memory;
}

hd_array *hdi_module_memory(hd_module *m, hd_device *dev)
{
    pthread_mutex_lock(&m->mutex);
    hd_array *memory = made_on(m, dev);
    pthread_mutex_unlock(&m->mutex);
    if (memory != NULL)
        return memory;
    const hdi_lir *l = hdi_module_globals(m);
    if (l == NULL)
        return NULL;
    const int64_t bytes = hdi_max64(l->data_bytes, 1);
    static const uint8_t none;
    hd_array *x = hdi_exec_from_host(dev, 1, &bytes, HD_UINT8, l->data_bytes > 0 ? l->data : &none);
    return x != NULL ? keep(m, dev, x) : NULL;
}

hd_array *hd_module_memory(hd_module *m, hd_device *dev)
{
    if (m == NULL)
        return hdi_null("a module");
    if (dev == NULL && (dev = hdi_current_device()) == NULL)
        return NULL;
    hd_array *memory = hdi_module_memory(m, dev);
    return memory != NULL ? hd_slice(memory, 0, NULL) : NULL;
}

int hd_module_nvariables(hd_module *m)
{
    const hdi_lir *l = m != NULL ? hdi_module_globals(m) : hdi_null("a module");
    return l != NULL ? l->nvars : -1;
}

hd_status hd_module_variable_at(hd_module *m, int i, hd_module_variable *variable)
{
    if (m == NULL || variable == NULL)
        return hdi_fail_null("a module and room for what it says");
    const hdi_lir *l = hdi_module_globals(m);
    if (l == NULL)
        return hd_error_peek()->code;
    if (i < 0 || i >= l->nvars)
        return hdi_fail(HD_INDEX, "the module has no variable %d", i);
    const hdi_lir_var *v = &l->var[i];
    *variable = (hd_module_variable){.name = l->names + v->name, .offset = v->at,
                                     .bytes = v->count * hdi_lir_types[v->type].bytes};
    return HD_OK;
}
