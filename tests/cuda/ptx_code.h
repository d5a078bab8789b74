/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_code.h - PTX decoded: what ptx_parse.c and ptx_decode.c make and ptx.c runs.
 * Owns       the structs of a module, of an instruction, of a thread
 * Invariant  a register is a slot of 64 bits of which an instruction reads those of its type: the
 *            others may hold anything. Sources below 0 are constants of the function. */
#ifndef HEDDLE_TESTS_PTX_CODE_H
#define HEDDLE_TESTS_PTX_CODE_H

#include "ptx.h"

typedef union ptx_slot { uint64_t u64; uint32_t u32; uint16_t u16; float f32; double f64; } ptx_slot;

/* kind: u, s, b, f, p (predicate) */
typedef struct ptx_type { char kind; uint8_t bits; } ptx_type;

/* Where memory of a kind begins among generic addresses; global memory is the host's. */
typedef enum ptx_space {
    PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM
} ptx_space;
#define PTX_WINDOW(space) ((uint64_t)(space) << 60)
/* Parameters for functions that a function calls come after this many bytes of its own. */
enum { PTX_OUT = 1 << 20 };

/* Words in the name of an instruction that say what it does: "lt", "wide", "down". */
typedef enum ptx_word {
    W_NONE,
#define WORD(name) W_##name,
#include "ptx_words.def"
} ptx_word;

/* Slots that every frame has: special registers, and one for values that nobody wants. */
enum {
    AT_TID, AT_NTID = 3, AT_CTAID = 6, AT_NCTAID = 9, AT_LANEID = 12, AT_WARPID, AT_NOWHERE,
    NSPECIAL
};

typedef struct ptx_thread ptx_thread;
typedef struct ptx_ins ptx_ins;
typedef void ptx_handler(ptx_thread *t, const ptx_ins *i);

struct ptx_ins {
    ptx_handler *run;
    int32_t guard;                 /* slot of a predicate; -1: none */
    bool unless;                   /* the guard is to be false */
    bool saturates, integral;      /* .sat; .rni and the like */
    char round;                    /* n, z, m, p */
    uint8_t space, lanes;
    uint8_t word[2];               /* ptx_word */
    ptx_type type, from;
    int32_t d[4], s[4];
    int64_t offset;                /* of the address s[0] */
    int32_t target;                /* of a branch: an instruction; of a call: its number */
    const char *text;
};

typedef struct ptx_call {
    const char *name;
    const ptx_function *f;
    ptx_parameter out[16], back[2];   /* of the caller, in its part for calls */
    int nout, nback;
} ptx_call;

struct ptx_function {
    const char *name;
    const ptx_module *module;
    bool entry, waits;             /* waits: for other threads */
    ptx_ins *code;
    int ninst;
    ptx_slot *constant;
    int nconstants, nslots;        /* nslots: with the special ones */
    ptx_parameter in[32], back;    /* back.bytes 0: it gives nothing back */
    int nin, in_bytes, out_bytes, local_bytes;
    ptx_call *call;
    int ncalls;
    int depth;                    /* of calls, its own included; 0: not known yet */
    int deep_slots, deep_bytes;   /* with those that it calls */
};

struct ptx_module {
    char *text, **line;            /* line: instructions, for messages */
    int nlines;
    ptx_function **function;
    int nfunctions;
    struct { uint8_t *bytes; ptx_range range; } *global;   /* range: addresses of the bytes */
    int nglobals;
    int shared_bytes;
};

/* ---- running --------------------------------------------------------------------------------- */

typedef enum ptx_state { PTX_RUNS, PTX_AT_WARP, PTX_AT_BARRIER, PTX_ENDED, PTX_FAILED } ptx_state;

typedef struct ptx_frame {
    const ptx_function *f;
    int pc;
    ptx_slot *r;
    uint8_t *in, *out, *local;
} ptx_frame;

enum { PTX_DEPTH = 16, PTX_WARP = 32 };

/* Addresses in shared memory from here on are those of its dynamic part, which lies behind the rest,
 * at a multiple of 16. */
#define PTX_DYNAMIC ((uint64_t)1 << 24)

/* What the threads of a launch share. */
typedef struct ptx_grid {
    const ptx_launch *launch;
    const ptx_module *module;
    uint8_t *shared;
    uint32_t shared_bytes, dynamic_at;
    ptx_range seen[4];             /* blocks of memory found before */
    int next_seen, error;
    char *message;
} ptx_grid;

struct ptx_thread {
    ptx_frame now;
    ptx_state state;
    int depth;
    ptx_frame frame[PTX_DEPTH];
    ptx_slot *slots;               /* of all frames */
    uint8_t *bytes;
    ptx_grid *grid;
};

static inline ptx_slot ptx_read(const ptx_thread *t, int32_t s)
{
    return s >= 0 ? t->now.r[s] : t->now.f->constant[~s];
}

/* An integer of the type, as one of 64 bits. */
static inline uint64_t ptx_extend(uint64_t v, ptx_type type)
{
    int rest = 64 - type.bits;
    return type.kind == 's' ? (uint64_t)((int64_t)(v << rest) >> rest) : v << rest >> rest;
}

/* ptx_fail - ends the thread and with it the launch; the message says where. */
void ptx_fail(ptx_thread *t, const ptx_ins *i, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ptx_frame_bytes - of a frame: parameters, those for calls, local memory. */
int ptx_frame_bytes(const ptx_function *f);

/* ptx_handle - the instruction's handler and how many destinations and sources it has; NULL if
 * its name is not known. The name is taken apart into i. */
typedef struct ptx_form { ptx_handler *run; int ndest, nsrc; char operands; } ptx_form;
ptx_form ptx_handle(const char *name, ptx_ins *i);
bool ptx_type_named(const char *name, size_t n, ptx_type *type);

/* Warp-wide: by all lanes of a warp that wait at it (ptx_warp.c). */
bool ptx_warp_step(ptx_thread *warp, int lanes);
/* Lets the threads of a block go on that wait at a barrier; false if they wait at several. */
bool ptx_release(ptx_thread *thread, int n);

#define OP(name, takes, ints, singles, doubles, operands, ndest, nsrc) \
    extern ptx_handler ptx_##ints, ptx_##singles, ptx_##doubles;

#include "ptx_ops.def"

#endif
