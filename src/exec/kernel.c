/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c - kernels in C source: read once, compiled for each device that they are launched on. */
#include <heddle/kernel.h>

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "core/object.h"
#include "exec/apply.h"
#include "exec/exec.h"
#include "exec/kernel_check.h"
#include "exec/kernel_module.h"
#include "lir/passes.h"
#include "ops/ops.h"

enum { DEVICES = 64 };

struct hd_kernel {
    hdi_object object;           /* counted by its user and by each launch */
    hd_module *module;           /* its source */
    char *name;
    int nparams, nhidden;        /* those that the user gives, and those behind them */
    int max_threads;             /* of a block; 0: as many as a device allows */
    hd_kernel_param *params;
    hdi_hidden *hidden;
    int32_t *leads;              /* of each parameter: what its address is to be a multiple of */
    char *names;                 /* of parameters */
    size_t names_bytes;
    int64_t work;                /* instructions of a thread, roughly */
    hdi_lir *l;                  /* for the first device; NULL: it has it */
    hdi_lir *applied;            /* for hd_kernel_apply(), NULL: not yet */
    pthread_mutex_t mutex;       /* held while it is compiled */
    /* loose: for arguments that do not begin where LOAD and STORE promise */
    struct { hd_device *dev; uintptr_t function; bool loose; } made[DEVICES];
    int nmade;
};

/* ---- from source ----------------------------------------------------------------------------- */

static void end(void *ctx)
{
    hd_kernel *k = ctx;
    for (int i = 0; i < k->nmade; i++)
        k->made[i].dev->backend->user_free(k->made[i].dev->state, k->made[i].function);
    hdi_free(k->params, sizeof *k->params * (size_t)k->nparams + 1);
    hdi_free(k->hidden, sizeof *k->hidden * (size_t)k->nhidden + 1);
    hdi_free(k->leads, sizeof *k->leads * (size_t)k->nparams + 1);
    hdi_free(k->names, k->names_bytes);
    hdi_lir_free(k->l);
    hdi_lir_free(k->applied);
    if (k->name != NULL)
        hdi_free(k->name, strlen(k->name) + 1);
    pthread_mutex_destroy(&k->mutex);
    hd_module_free(k->module);
    hdi_free(k, sizeof *k);
}

/* As it is compiled: in debug mode it looks at its accesses. */
static hdi_lir *lower(const hd_kernel *k)
{
    hdi_lir *l = hdi_module_lower(k->module, k->name);
    if (l == NULL || !hdi_wants_debug())
        return l;
    const hdi_lir *globals = hdi_module_globals(k->module);
    if (globals != NULL && hdi_lir_check(l, globals) == HD_OK && hdi_lir_verify(l) == HD_OK)
        return l;
    hdi_lir_free(l);
    return NULL;
}

/* ---- what a launch has to know --------------------------------------------------------------- */

static int access_of(const hdi_lir_var *v)
{
    const int access = (v->reads ? HD_READS : 0) | (v->writes ? HD_WRITES : 0);
    return access != 0 ? access : HD_READS;
}

static hd_kernel_param describe(const hd_kernel *k, const hdi_lir_var *v)
{
    const hdi_lir_type_row *t = &hdi_lir_types[v->type];
    hd_kernel_param p = {.name = k->names + v->name, .kind = t->kind,
                         .bytes = (size_t)(v->count * t->bytes)};
    if (v->in_memory && v->count != 1)
        p.kind = 's';
    if (t->kind == 'p')
        p.access = access_of(v);
    return p;
}

/* How often loops turn is not known: those that go on as long as the data say may never end. */
enum { FOR_EVER = 1 << 30, TURNS = 16 };

static int64_t work_of_thread(const hdi_lir *l)
{
    int64_t turns = 1;
    for (int32_t i = 0; i < l->nnodes; i++) {
        if (l->node[i].op != HDI_LIR_LOOP)
            continue;
        if (!(l->node[i].flags & HDI_LIR_COUNTED))
            return FOR_EVER;
        turns = TURNS;
    }
    return turns * l->nnodes;
}

/* False: no memory. */
static bool take_rooms(hd_kernel *k)
{
    k->names_bytes = (size_t)k->l->names_bytes;
    k->names = hdi_alloc(k->names_bytes);
    k->params = hdi_calloc(sizeof *k->params * (size_t)k->nparams + 1);
    k->hidden = hdi_calloc(sizeof *k->hidden * (size_t)k->nhidden + 1);
    k->leads = hdi_calloc(sizeof *k->leads * (size_t)k->nparams + 1);
    return k->names != NULL && k->params != NULL && k->hidden != NULL && k->leads != NULL;
}

/* False: no memory. */
static bool take_facts(hd_kernel *k)
{
    const hdi_lir *l = k->l;
    k->max_threads = l->max_threads;
    k->work = work_of_thread(l);
    for (int32_t v = 0; v < l->nvars; v++)
        k->nhidden += l->var[v].role != HDI_LIR_GIVEN;
    k->nparams = l->nparams - k->nhidden;
    if (!take_rooms(k))
        return false;
    memcpy(k->names, l->names, k->names_bytes);
    for (int32_t v = 0; v < l->nvars; v++) {
        const hdi_lir_var *var = &l->var[v];
        if (var->role != HDI_LIR_GIVEN) {
            k->hidden[var->param - k->nparams] = (hdi_hidden){var->role, access_of(var), var->of};
        } else if (var->param >= 0) {
            k->params[var->param] = describe(k, var);
            k->leads[var->param] = var->leads;
        }
    }
    return true;
}

static bool uses_module(const hd_kernel *k)
{
    for (int i = 0; i < k->nhidden; i++)
        if (k->hidden[i].role == HDI_LIR_MODULE)
            return true;
    return false;
}

hd_kernel *hd_module_kernel(hd_module *m, const char *name)
{
    if (m == NULL || name == NULL)
        return hdi_null("a module and the name of a kernel");
    hd_kernel *k = hdi_calloc(sizeof *k);
    if (k == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for the kernel %s", name);
        return NULL;
    }
    atomic_store(&k->object.count, 1);
    k->object.end = (hdi_deleter){.run = end, .ctx = k};
    pthread_mutex_init(&k->mutex, NULL);
    k->module = m;
    hdi_module_hold(m);
    hd_status status = HD_OK;
    if ((k->name = hdi_alloc(strlen(name) + 1)) == NULL)
        status = hdi_fail(HD_NOMEM, "out of memory for the kernel %s", name);
    else if (strcpy(k->name, name), (k->l = lower(k)) == NULL)
        status = hd_error_peek()->code;
    else if (!take_facts(k))
        status = hdi_fail(HD_NOMEM, "out of memory for the kernel %s", name);
    else if (uses_module(k))
        status = hdi_module_globals(m) != NULL ? HD_OK : hd_error_peek()->code;
    if (status == HD_OK)
        return k;
    hd_kernel_free(k);
    return NULL;
}

hd_kernel *hd_kernel_new(const char *source, const char *name, int noptions,
                         const char *const *options)
{
    if (name == NULL)
        return hdi_null("the name of a kernel");
    hd_module *m = hd_module_new(source, noptions, options);
    hd_kernel *k = m != NULL ? hd_module_kernel(m, name) : NULL;
    hd_module_free(m);
    return k;
}

void hd_kernel_free(hd_kernel *k)
{
    if (k != NULL)
        hdi_object_release_away(&k->object);
}

/* ---- parameters ------------------------------------------------------------------------------ */

int hd_kernel_nparams(const hd_kernel *k)
{
    return k != NULL ? k->nparams : (hdi_fail_null("a kernel"), -1);
}

hd_status hd_kernel_param_at(const hd_kernel *k, int i, hd_kernel_param *param)
{
    if (k == NULL || param == NULL)
        return hdi_fail_null("a kernel and room for what it says");
    if (i < 0 || i >= k->nparams)
        return hdi_fail(HD_INDEX, "%s has no parameter %d", k->name, i);
    *param = k->params[i];
    return HD_OK;
}

/* ---- code ------------------------------------------------------------------------------------ */

static hd_status make(hd_kernel *k, hd_device *dev, bool loose, uintptr_t *function)
{
    if (dev->backend->user_kernel == NULL)
        return hdi_fail(HD_UNSUPPORTED, "%s: kernels in C source do not run on %s", k->name,
                        dev->name);
    if (k->nmade == DEVICES)
        return hdi_fail(HD_UNSUPPORTED, "%s: compiled for %d devices", k->name, DEVICES);
    hdi_lir *l = k->l != NULL ? k->l : lower(k);
    k->l = NULL;
    if (l == NULL)
        return hd_error_peek()->code;
    if (loose)
        hdi_lir_forget_alignment(l);
    const hd_status status = dev->backend->user_kernel(dev->state, l, function);
    if (status == HD_OK) {
        k->made[k->nmade].dev = dev;
        k->made[k->nmade].loose = loose;
        k->made[k->nmade++].function = *function;
    }
    return status;
}

static hd_status function_of(hd_kernel *k, hd_device *dev, bool loose, uintptr_t *function)
{
    hd_status status = HD_OK;
    *function = 0;
    pthread_mutex_lock(&k->mutex);
    for (int i = 0; i < k->nmade && *function == 0; i++)
        if (k->made[i].dev == dev && k->made[i].loose == loose)
            *function = k->made[i].function;
    if (*function == 0)
        status = make(k, dev, loose, function);
    pthread_mutex_unlock(&k->mutex);
    return status;
}

hd_status hd_kernel_compile(hd_kernel *k, hd_device *dev)
{
    uintptr_t function;
    if (k == NULL)
        return hdi_fail_null("a kernel");
    if (dev == NULL && (dev = hdi_current_device()) == NULL)
        return hd_error_peek()->code;
    return function_of(k, dev, false, &function);
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { MOST_THREADS = 1024, MOST_DEPTH = 64, MOST_SHARED = 232448 };   /* as a GPU's */

static hd_status check_sizes(const hd_kernel *k, const unsigned *grid, const unsigned *block,
                             unsigned shared)
{
    const uint64_t plane = (uint64_t)block[0] * block[1];
    const uint64_t most = k->max_threads > 0 ? (uint64_t)k->max_threads : MOST_THREADS;
    if (plane > most || plane * block[2] > most || block[2] > MOST_DEPTH)
        return hdi_fail(HD_VALUE, "%s: a block of %u x %u x %u threads, and one may have %d",
                        k->name, block[0], block[1], block[2], (int)most);
    if (grid[0] > INT32_MAX || grid[1] > UINT16_MAX || grid[2] > UINT16_MAX)
        return hdi_fail(HD_VALUE, "%s: a grid of %u x %u x %u blocks, and it may have %d x %d x %d",
                        k->name, grid[0], grid[1], grid[2], INT32_MAX, UINT16_MAX, UINT16_MAX);
    for (int a = 0; a < 3; a++)
        if ((uint64_t)grid[a] * block[a] > INT32_MAX)
            return hdi_fail(HD_VALUE, "%s: %u blocks of %u threads along one axis are more than %d",
                            k->name, grid[a], block[a], INT32_MAX);
    if (shared > MOST_SHARED)
        return hdi_fail(HD_VALUE, "%s: %u bytes of shared memory, and a block may have %d", k->name,
                        shared, MOST_SHARED);
    return HD_OK;
}

/* As many arguments as parameters; *dev NULL: the current device. */
static hd_status check_count(const hd_kernel *k, int nargs, hd_device **dev)
{
    if (nargs != k->nparams)
        return hdi_fail(HD_VALUE, "%s: %d arguments, and it has %d parameters", k->name, nargs,
                        k->nparams);
    if (*dev == NULL && (*dev = hdi_current_device()) == NULL)
        return hd_error_peek()->code;
    return HD_OK;
}

/* So that whoever waits for a long launch can be interrupted. */
static int64_t work_of(const hd_kernel *k, const unsigned *grid, const unsigned *block)
{
    int64_t work = k->work;
    for (int a = 0; a < 3; a++)
        work = hdi_min64(work, FOR_EVER) * hdi_min64((int64_t)grid[a] * block[a], FOR_EVER);
    return work;
}

/* Argument i as the parameter wants it. */
static hd_status take(const hd_kernel *k, int i, const hd_launch_arg *given, hd_launch_arg *arg)
{
    const hd_kernel_param *p = &k->params[i];
    *arg = *given;
    if (given->array != NULL) {
        arg->access = p->access;
        return p->kind == 'p' ? HD_OK
                              : hdi_fail(HD_VALUE, "%s: argument %d is an array, and %s a number",
                                         k->name, i, p->name);
    }
    const bool cut =
        (p->kind == 'i' || p->kind == 'u' || p->kind == 'b') && given->bytes > p->bytes;
    if (given->bytes != p->bytes && !cut)
        return hdi_fail(HD_VALUE, "%s: argument %d has %zu bytes, and %s has %zu", k->name, i,
                        given->bytes, p->name, p->bytes);
    arg->bytes = p->bytes;
    return HD_OK;
}

/* Where an argument begins: memory of our own begins at a multiple of all that is promised. */
static uint64_t address_of(const hd_launch_arg *a)
{
    uint64_t address = 0;
    if (a->array == NULL && a->value == NULL)
        return 0;
    if (a->array == NULL) {
        memcpy(&address, a->value, sizeof address);
        return address;
    }
    hdi_lock();
    if (!hdi_is_weak(a->array)) {
        const hdi_buf *b = a->array->st->buf;
        address = (uint64_t)a->array->off + (b->foreign != NULL ? (uintptr_t)b->mem : 0);
    }
    hdi_unlock();
    return address;
}

/* Does an argument not begin where the code may rely on it? A load of four numbers would be an
 * error of a GPU, after which nothing runs on it any more. */
static bool is_loose(const hd_kernel *k, const hd_launch_arg *args)
{
    for (int i = 0; i < k->nparams; i++)
        if (k->leads[i] > 0 && address_of(&args[i]) % (uint64_t)k->leads[i] != 0)
            return true;
    return false;
}

/* A launch's arguments, in one block. */
typedef struct given {
    hd_launch_arg *arg;
    int64_t *value;              /* of what the launch gives by itself */
    size_t bytes;
    hdi_checking checking;
} given;

static hd_status take_hidden(const hd_kernel *k, hd_device *dev, int i, given *g)
{
    hd_launch_arg *arg = &g->arg[k->nparams + i];
    if (k->hidden[i].role != HDI_LIR_MODULE)
        return hdi_check_give(&g->checking, dev, &k->hidden[i], g->arg, arg, &g->value[i]);
    *arg = (hd_launch_arg){.array = hdi_module_memory(k->module, dev),
                           .access = k->hidden[i].access};
    return arg->array != NULL ? HD_OK : hd_error_peek()->code;
}

/* All arguments: the user's, and behind them what the launch gives by itself. */
static hd_status take_all(const hd_kernel *k, hd_device *dev, const hd_launch_arg *args, given *g)
{
    const size_t n = (size_t)(k->nparams + k->nhidden);
    hd_status status = HD_OK;
    g->bytes = sizeof *g->arg * n + sizeof *g->value * ((size_t)k->nhidden + 1);
    g->arg = hdi_alloc(g->bytes);
    if (g->arg == NULL)
        return hdi_fail(HD_NOMEM, "out of memory to launch %s", k->name);
    g->value = (int64_t *)(g->arg + n);
    for (int i = 0; i < k->nparams && status == HD_OK; i++)
        status = take(k, i, &args[i], &g->arg[i]);
    for (int i = 0; i < k->nhidden && status == HD_OK; i++)
        status = take_hidden(k, dev, i, g);
    return status;
}

hd_status hd_kernel_launch(hd_kernel *k, hd_device *dev, const unsigned *grid,
                           const unsigned *block, unsigned shared_bytes, int nargs,
                           const hd_launch_arg *args)
{
    uintptr_t function;
    given g = {.checking.shared_bytes = shared_bytes};
    if (k == NULL || grid == NULL || block == NULL || (args == NULL && nargs > 0))
        return hdi_fail_null("a kernel, sizes and arguments");
    if (check_count(k, nargs, &dev) != HD_OK)
        return hd_error_peek()->code;
    hd_status status = check_sizes(k, grid, block, shared_bytes);
    if (status == HD_OK)
        status = take_all(k, dev, args, &g);
    if (status == HD_OK)
        status = function_of(k, dev, !dev->host_memory && is_loose(k, g.arg), &function);
    if (status == HD_OK)
        status = hdi_launch_grid(dev, &(hdi_launched){function, &k->object, k->name, grid, block,
                                                      shared_bytes, work_of(k, grid, block)},
                                 nargs + k->nhidden, g.arg);
    hdi_free(g.arg, g.bytes);
    return hdi_check_end(&g.checking, status, k->name, k->names);
}

/* ---- as operations --------------------------------------------------------------------------- */

/* What it was read as; NULL and an error: no memory. */
static const hdi_lir *tree_of(hd_kernel *k)
{
    pthread_mutex_lock(&k->mutex);
    if (k->applied == NULL) {
        const bool is_plain = k->l != NULL && !hdi_wants_debug();
        k->applied = is_plain ? k->l : hdi_module_lower(k->module, k->name);
        if (is_plain)
            k->l = NULL;
    }
    pthread_mutex_unlock(&k->mutex);
    return k->applied;
}

static hd_status apply_locked(const hd_kernel *k, const hdi_lir *l, hd_device *dev,
                              const hd_launch_arg *args, hd_array **results)
{
    for (int i = 0; i < k->nparams; i++)
        if (args[i].array != NULL && !hdi_is_weak(args[i].array) &&
            args[i].array->st->buf->dev != dev)
            return hdi_fail(HD_DEVICE, "%s: argument %d is on device %s, the kernel on %s", k->name,
                            i, hdi_device_of(args[i].array)->name, dev->name);
    if (hdi_faults() != 0)
        return hdi_fail(HD_UNSUPPORTED, "%s: faults are watched, which kernels do not tell of",
                        k->name);
    return hdi_apply_kernel(l, k->name, dev, args, results);
}

/* Results on their way to the user; all or none. */
static hd_status hand_over(const hd_kernel *k, hd_status status, hd_array **results)
{
    for (int i = 0, n = 0; i < k->nparams; i++) {
        if (k->params[i].kind != 'p')
            continue;
        hd_array *x = results[n];
        results[n] = status == HD_OK ? hdi_scope_own(x) : NULL;
        if (status != HD_OK)
            hd_release(x);
        else if (results[n] == NULL)
            status = HD_NOMEM;
        n++;
    }
    return status;
}

hd_status hd_kernel_apply(hd_kernel *k, hd_device *dev, int nargs, const hd_launch_arg *args,
                          hd_array **results)
{
    if (k == NULL || (args == NULL && nargs > 0) || results == NULL)
        return hdi_fail_null("a kernel, arguments and room for results");
    if (check_count(k, nargs, &dev) != HD_OK)
        return hd_error_peek()->code;
    if (uses_module(k))
        return hdi_fail(HD_UNSUPPORTED, "%s: variables of its module are no operands", k->name);
    const hdi_lir *l = tree_of(k);
    if (l == NULL)
        return hd_error_peek()->code;
    hdi_lock();
    const hd_status status = apply_locked(k, l, dev, args, results);
    const hd_status ran = hdi_done_status(status, dev, k->name);
    return status != HD_OK ? status : hand_over(k, ran, results);
}
