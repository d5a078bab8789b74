/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret.c - runs lowered IR over a grid, node by node. */
#include "lir/interpret.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "lir/interpret_value.h"
#include "lir/passes.h"

enum { MOST_FRAMES = 2100, SPOILED = 0xA5, WHOLE_BLOCK = -1 };
static const int64_t MOST_STEPS = 100000000;

/* A list that is being run: of a statement `owner` (-1: the body), part 0 or 1 of it, in a turn. */
typedef struct frame { int32_t owner, part, at, ordinal; int64_t turn; } frame;

typedef enum state { RUNS, WAITS, ENDED } state;

typedef struct machine {
    frame *frames;
    int n, room;
    int32_t thread;            /* WHOLE_BLOCK: of the lockstep form */
    state state;
} machine;

typedef struct block {
    const lir_run *run;
    const hdi_lir *l;
    uint32_t at[3];            /* the number of the block */
    int32_t threads;
    int64_t *offset;           /* of PRIVATE and UNIFORM variables in their memory */
    int64_t private_bytes, uniform_bytes;
    uint8_t *own;              /* private_bytes for each thread; in lockstep once */
    uint8_t *uniform, *shared, *scratch;
    machine *threads_at;
    int64_t steps;
    const char *error;
} block;

static void run_machine(block *b, machine *m);

/* ---- variables ------------------------------------------------------------------------------- */

static uint8_t *own_of(const block *b, int32_t thread)
{
    return b->own + (b->l->lockstep ? 0 : (int64_t)thread * b->private_bytes);
}

static uint8_t *address(const block *b, int64_t k, int32_t thread)
{
    const hdi_lir_var *var = &b->l->var[k];
    switch (var->space) {
    case HDI_LIR_PRIVATE: return own_of(b, thread) + b->offset[k];
    case HDI_LIR_SHARED:  return b->shared + var->at;
    case HDI_LIR_UNIFORM: return b->uniform + b->offset[k];
    case HDI_LIR_SPREAD:
        return b->scratch + var->at * b->threads + thread * hdi_lir_spread_size(var);
    default:
        return b->run->data + var->at;
    }
}

static int64_t size_of(const hdi_lir_var *var)
{
    return var->count * hdi_lir_types[var->type].bytes;
}

static int64_t value_of(const block *b, int64_t k, int32_t thread)
{
    return lir_peek(b->l->var[k].type, address(b, k, thread));
}

static void assign(const block *b, int64_t k, int32_t thread, int64_t bits)
{
    lir_poke(b->l->var[k].type, address(b, k, thread), bits);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static int64_t builtin(const block *b, int64_t k, int32_t thread)
{
    const uint32_t *size = b->run->block, t = (uint32_t)thread;
    switch (k) {
    case HDI_LIR_THREAD_X: return t % size[0];
    case HDI_LIR_THREAD_Y: return t / size[0] % size[1];
    case HDI_LIR_THREAD_Z: return t / size[0] / size[1];
    case HDI_LIR_BLOCK_X: case HDI_LIR_BLOCK_Y: case HDI_LIR_BLOCK_Z:
        return b->at[k - HDI_LIR_BLOCK_X];
    case HDI_LIR_BLOCK_DIM_X: case HDI_LIR_BLOCK_DIM_Y: case HDI_LIR_BLOCK_DIM_Z:
        return size[k - HDI_LIR_BLOCK_DIM_X];
    case HDI_LIR_GRID_DIM_X: case HDI_LIR_GRID_DIM_Y: case HDI_LIR_GRID_DIM_Z:
        return b->run->grid[k - HDI_LIR_GRID_DIM_X];
    case HDI_LIR_THREAD: return t;
    default:             return b->threads;
    }
}

static int64_t value(block *b, int32_t i, int32_t thread);

static int64_t function(block *b, const hdi_lir_node *n, int32_t thread)
{
    int64_t x[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        if (n->arg[a] >= 0)
            x[a] = value(b, n->arg[a], thread);
    return lir_math((int)n->k, n->type, x);
}

static int64_t of_peer(block *b, const hdi_lir_node *n, int32_t thread)
{
    const int64_t other = value(b, n->arg[0], thread);
    if (other < b->threads)
        return value_of(b, n->k, (int32_t)other);
    b->error = "PEER of a thread that is not there";
    return 0;
}

static int64_t value(block *b, int32_t i, int32_t thread)
{
    const hdi_lir_node *n = &b->l->node[i];
    int64_t x;
    switch (n->op) {
    case HDI_LIR_CONST:   return n->k;
    case HDI_LIR_GET:     return value_of(b, n->k, thread);
    case HDI_LIR_ADDRESS: return (int64_t)(intptr_t)address(b, n->k, thread);
    case HDI_LIR_BUILTIN: return builtin(b, n->k, thread);
    case HDI_LIR_MATH:    return function(b, n, thread);
    case HDI_LIR_PEER:    return of_peer(b, n, thread);
    default: break;
    }
    x = value(b, n->arg[0], thread);
    const int from = b->l->node[n->arg[0]].type;
    switch (n->op) {
    case HDI_LIR_NEG: case HDI_LIR_NOT: return lir_unary(n->op, n->type, x);
    case HDI_LIR_BOTH:    return x != 0 && value(b, n->arg[1], thread) != 0;
    case HDI_LIR_EITHER:  return x != 0 || value(b, n->arg[1], thread) != 0;
    case HDI_LIR_CHOOSE:  return value(b, n->arg[x != 0 ? 1 : 2], thread);
    case HDI_LIR_CONVERT: return lir_convert(from, n->type, x);
    case HDI_LIR_BITS:    return lir_canonical(n->type, x);
    case HDI_LIR_LOAD:    return lir_peek(n->type, (const void *)(intptr_t)x);
    case HDI_LIR_OFFSET:  return x + n->k * value(b, n->arg[1], thread);
    default:              return lir_binary(n->op, from, x, value(b, n->arg[1], thread));
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void push(block *b, machine *m, int32_t owner, int32_t part, int32_t first)
{
    if (m->n == m->room) {
        m->room = 2 * m->room + 8;
        m->frames = realloc(m->frames, (size_t)m->room * sizeof *m->frames);
    }
    if (m->n >= MOST_FRAMES)
        b->error = "too deep";
    m->frames[m->n++] = (frame){owner, part, first, 0, 0};
}

static void advance(const block *b, machine *m)
{
    frame *f = &m->frames[m->n - 1];
    f->at = b->l->node[f->at].next;
    f->ordinal++;
}

/* To the step (part 1), or to the next turn (part 0), of the loop on top. */
static void go_to_part(const block *b, machine *m, int32_t part)
{
    frame *f = &m->frames[m->n - 1];
    f->turn += part == 0;
    f->part = part;
    f->at = b->l->node[f->owner].arg[part];
    f->ordinal = 0;
}

static bool is_loop(const block *b, const frame *f)
{
    return f->owner >= 0 && b->l->node[f->owner].op == HDI_LIR_LOOP;
}

static void end_of_list(const block *b, machine *m)
{
    frame *f = &m->frames[m->n - 1];
    if (is_loop(b, f)) {
        go_to_part(b, m, !f->part);
        return;
    }
    m->n--;
    if (m->n == 0)
        m->state = ENDED;
    else
        advance(b, m);
}

/* Leaves lists until the k-th loop is on top. */
static void unwind(const block *b, machine *m, int64_t k)
{
    while (!is_loop(b, &m->frames[m->n - 1]) || --k > 0)
        m->n--;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void atomic(block *b, const hdi_lir_node *n, int32_t thread)
{
    const int type = b->l->node[n->arg[1]].type;
    void *at = (void *)(intptr_t)value(b, n->arg[0], thread);
    const int64_t x = value(b, n->arg[1], thread);
    const int64_t y = n->arg[2] >= 0 ? value(b, n->arg[2], thread) : 0;
    const int64_t old = lir_peek(type, at);
    lir_poke(type, at, lir_atomic(n->kind, type, old, x, y));
    if (n->k >= 0)
        assign(b, n->k, thread, old);
}

static void print(block *b, const hdi_lir_node *n, int32_t thread)
{
    if (b->run->printed == NULL)
        return;
    hdi_strbuf_add(b->run->printed, "%s", b->l->names + n->k);
    for (int32_t i = n->arg[0]; i >= 0; i = b->l->node[i].next)
        hdi_strbuf_add(b->run->printed, " %" PRId64, value(b, b->l->node[i].arg[0], thread));
}

static void plain(block *b, const hdi_lir_node *n, int32_t thread)
{
    const hdi_lir_var *var = n->k >= 0 && n->k < b->l->nvars ? &b->l->var[n->k] : NULL;
    switch (n->op) {
    case HDI_LIR_DECLARE:
        memset(address(b, n->k, thread), SPOILED, (size_t)size_of(var));
        break;
    case HDI_LIR_ASSIGN:
        assign(b, n->k, thread, value(b, n->arg[0], thread));
        break;
    case HDI_LIR_STORE: {
        void *at = (void *)(intptr_t)value(b, n->arg[0], thread);
        lir_poke(b->l->node[n->arg[1]].type, at, value(b, n->arg[1], thread));
        break;
    }
    case HDI_LIR_ATOMIC: atomic(b, n, thread); break;
    case HDI_LIR_PRINT:  print(b, n, thread); break;
    case HDI_LIR_TRAP:   b->error = b->l->names + n->k; break;
    default:             break;
    }
}

/* Everything that lies in PRIVATE memory and is no parameter gets another value. */
static void spoil(block *b)
{
    for (int32_t i = 0; i < b->l->nvars; i++) {
        const hdi_lir_var *var = &b->l->var[i];
        if (var->space == HDI_LIR_PRIVATE && var->param < 0)
            memset(b->own + b->offset[i], SPOILED, (size_t)size_of(var));
    }
}

static void each_thread(block *b, int32_t first)
{
    machine m = {0};
    for (m.thread = 0; m.thread < b->threads && b->error == NULL; m.thread++) {
        spoil(b);
        m.state = RUNS;
        push(b, &m, -1, 0, first);
        run_machine(b, &m);
    }
    free(m.frames);
}

static void enter_part(block *b, machine *m, int32_t i)
{
    const hdi_lir_node *n = &b->l->node[i];
    const int part = n->op == HDI_LIR_IF && value(b, n->arg[0], m->thread) == 0;
    push(b, m, i, part, n->arg[n->op == HDI_LIR_IF ? part + 1 : 0]);
}

static void statement(block *b, machine *m, int32_t i)
{
    const hdi_lir_node *n = &b->l->node[i];
    switch (n->op) {
    case HDI_LIR_IF: case HDI_LIR_LOOP:
        enter_part(b, m, i);
        return;
    case HDI_LIR_BREAK:
        unwind(b, m, n->k);
        m->n--;
        break;
    case HDI_LIR_CONTINUE:
        unwind(b, m, n->k);
        go_to_part(b, m, 1);
        return;
    case HDI_LIR_RETURN:
        m->n = 0;
        m->state = ENDED;
        return;
    case HDI_LIR_BARRIER: case HDI_LIR_SYNCWARP: case HDI_LIR_WARP:
        m->state = m->thread == WHOLE_BLOCK ? RUNS : WAITS;
        break;
    case HDI_LIR_THREADS:
        each_thread(b, n->arg[0]);
        break;
    default:
        plain(b, n, m->thread);
        break;
    }
    if (m->state == RUNS)
        advance(b, m);
}

/* Until it waits or ends. */
static void run_machine(block *b, machine *m)
{
    const int64_t most = b->run->most_steps > 0 ? b->run->most_steps : MOST_STEPS;
    while (m->state == RUNS && b->error == NULL) {
        const int32_t i = m->frames[m->n - 1].at;
        if (++b->steps > most)
            b->error = "too many steps";
        else if (i < 0)
            end_of_list(b, m);
        else
            statement(b, m, i);
    }
}

/* ---- meetings -------------------------------------------------------------------------------- */

/* The order of the program: below 0 if x is at a place before y's. */
static int64_t compare(const machine *x, const machine *y)
{
    for (int k = 0; k < x->n && k < y->n; k++) {
        const frame *f = &x->frames[k], *g = &y->frames[k];
        if (f->turn != g->turn)
            return f->turn - g->turn;
        if (f->part != g->part)
            return f->part - g->part;
        if (f->ordinal != g->ordinal)
            return f->ordinal - g->ordinal;
    }
    return x->n - y->n;
}

typedef struct group {
    bool *in;                  /* of each thread of the block */
    int64_t *x, *by, *width;   /* their operands */
    const hdi_lir_node *n;
} group;

static int64_t shuffled(const block *b, const group *g, int32_t t)
{
    const int32_t lane = t % 32, warp = t - lane, width = (int32_t)g->width[t];
    const int32_t base = lane / width * width, by = (int32_t)(g->by[t] % 32);
    int32_t from = lane;
    if (g->n->kind == HDI_LIR_W_SHUFFLE)
        from = base + (int32_t)(g->by[t] % width);
    else if (g->n->kind == HDI_LIR_W_SHUFFLE_UP)
        from = lane - by >= base ? lane - by : lane;
    else if (g->n->kind == HDI_LIR_W_SHUFFLE_DOWN)
        from = lane + by < base + width ? lane + by : lane;
    else
        from = (lane ^ by) < base + width ? lane ^ by : lane;
    return warp + from < b->threads && g->in[warp + from] ? g->x[warp + from] : g->x[t];
}

static int64_t of_warp(const block *b, const group *g, int32_t t)
{
    const int32_t first = t - t % 32;
    int64_t bits = 0, there = 0;
    for (int32_t lane = 0; lane < 32 && first + lane < b->threads; lane++) {
        if (!g->in[first + lane])
            continue;
        const int64_t x = g->x[first + lane];
        const bool yes = g->n->kind == HDI_LIR_W_MATCH ? x == g->x[t]
                         : g->n->kind == HDI_LIR_W_ACTIVE || x != 0;
        bits |= (int64_t)yes << lane;
        there |= (int64_t)1 << lane;
    }
    switch (g->n->kind) {
    case HDI_LIR_W_ANY: return bits != 0;
    case HDI_LIR_W_ALL: return bits == there;
    default:            return bits;
    }
}

static int64_t of_block(const block *b, const group *g)
{
    int64_t yes = 0, all = 0;
    for (int32_t t = 0; t < b->threads; t++) {
        all += g->in[t];
        yes += g->in[t] && g->x[t] != 0;
    }
    switch (g->n->kind) {
    case HDI_LIR_W_BLOCK_COUNT: return yes;
    case HDI_LIR_W_BLOCK_AND:   return yes == all;
    default:                    return yes != 0;
    }
}

static void exchange(block *b, group *g)
{
    const hdi_lir_node *n = g->n;
    for (int32_t t = 0; t < b->threads; t++) {
        g->x[t] = g->in[t] && n->arg[0] >= 0 ? value(b, n->arg[0], t) : 0;
        g->by[t] = g->in[t] && n->arg[1] >= 0 ? value(b, n->arg[1], t) : 0;
        g->width[t] = g->in[t] && n->arg[2] >= 0 ? value(b, n->arg[2], t) : 1;
    }
    for (int32_t t = 0; t < b->threads; t++)
        if (g->in[t])
            assign(b, n->k, t, n->kind <= HDI_LIR_W_SHUFFLE_XOR ? shuffled(b, g, t)
                               : n->kind >= HDI_LIR_W_BLOCK_COUNT ? of_block(b, g)
                                                                  : of_warp(b, g, t));
}

/* Those who wait at the first place go on. False: nobody waits. */
static bool meet(block *b, group *g)
{
    const machine *first = NULL;
    for (int32_t t = 0; t < b->threads; t++)
        if (b->threads_at[t].state == WAITS
            && (first == NULL || compare(&b->threads_at[t], first) < 0))
            first = &b->threads_at[t];
    if (first == NULL)
        return false;
    for (int32_t t = 0; t < b->threads; t++)
        g->in[t] = b->threads_at[t].state == WAITS && compare(&b->threads_at[t], first) == 0;
    g->n = &b->l->node[first->frames[first->n - 1].at];
    if (g->n->op == HDI_LIR_WARP)
        exchange(b, g);
    for (int32_t t = 0; t < b->threads; t++)
        if (g->in[t]) {
            b->threads_at[t].state = RUNS;
            advance(b, &b->threads_at[t]);
            run_machine(b, &b->threads_at[t]);
        }
    return b->error == NULL;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void run_threads(block *b)
{
    const size_t n = (size_t)b->threads;
    group g = {calloc(n, sizeof(bool)), calloc(n, 8), calloc(n, 8), calloc(n, 8), NULL};
    b->threads_at = calloc(n, sizeof(machine));
    for (int32_t t = 0; t < b->threads; t++) {
        b->threads_at[t].thread = t;
        push(b, &b->threads_at[t], -1, 0, b->l->body);
        run_machine(b, &b->threads_at[t]);
    }
    while (meet(b, &g))
        continue;
    for (int32_t t = 0; t < b->threads; t++)
        free(b->threads_at[t].frames);
    free(b->threads_at);
    free(g.in);
    free(g.x);
    free(g.by);
    free(g.width);
}

static void run_lockstep(block *b)
{
    machine m = {.thread = WHOLE_BLOCK};
    push(b, &m, -1, 0, b->l->body);
    run_machine(b, &m);
    free(m.frames);
}

static void load_params(const block *b)
{
    for (int32_t t = 0; t < (b->l->lockstep ? 1 : b->threads); t++)
        for (int32_t i = 0; i < b->l->nvars; i++) {
            const hdi_lir_var *var = &b->l->var[i];
            if (var->param >= 0)
                memcpy(own_of(b, t) + b->offset[i], b->run->args[var->param],
                       (size_t)size_of(var));
        }
}

static int64_t put(int64_t *sum, const hdi_lir_var *var)
{
    const int64_t at = (*sum + 15) & ~(int64_t)15;
    *sum = at + size_of(var);
    return at;
}

static void lay_out(block *b)
{
    const hdi_lir *l = b->l;
    for (int32_t i = 0; i < l->nvars; i++) {
        if (l->var[i].space == HDI_LIR_PRIVATE)
            b->offset[i] = put(&b->private_bytes, &l->var[i]);
        if (l->var[i].space == HDI_LIR_UNIFORM)
            b->offset[i] = put(&b->uniform_bytes, &l->var[i]);
    }
    b->private_bytes = (b->private_bytes + 15) & ~(int64_t)15;
}

static void run_block(block *b)
{
    const int64_t copies = b->l->lockstep ? 1 : b->threads;
    const int64_t shared = ((b->l->shared_bytes + 15) & ~(int64_t)15) + b->run->dynamic_bytes;
    b->own = malloc((size_t)(b->private_bytes * copies + 1));
    b->uniform = malloc((size_t)b->uniform_bytes + 1);
    b->scratch = malloc((size_t)(b->l->spread_bytes * b->threads + 1));
    b->shared = calloc(1, (size_t)shared + 1);
    memset(b->own, SPOILED, (size_t)(b->private_bytes * copies));
    memset(b->uniform, SPOILED, (size_t)b->uniform_bytes);
    memset(b->scratch, SPOILED, (size_t)(b->l->spread_bytes * b->threads));
    load_params(b);
    if (b->l->lockstep)
        run_lockstep(b);
    else
        run_threads(b);
    free(b->own);
    free(b->uniform);
    free(b->scratch);
    free(b->shared);
}

const char *lir_interpret(const lir_run *run)
{
    block b = {.run = run, .l = run->l};
    const uint32_t *grid = run->grid;
    b.threads = (int32_t)(run->block[0] * run->block[1] * run->block[2]);
    b.offset = calloc((size_t)run->l->nvars + 1, sizeof *b.offset);
    lay_out(&b);
    const uint32_t blocks = grid[0] * grid[1] * grid[2];
    for (uint32_t i = 0; i < blocks && b.error == NULL; i++) {
        b.at[0] = i % grid[0];
        b.at[1] = i / grid[0] % grid[1];
        b.at[2] = i / grid[0] / grid[1];
        run_block(&b);
    }
    free(b.offset);
    return b.error;
}

hdi_lir *lir_copied(const hdi_lir *l)
{
    char *text = hdi_lir_print(l);
    hdi_lir *copy = text != NULL ? hdi_lir_read(text) : NULL;
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
    return copy;
}
