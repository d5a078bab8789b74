/* SPDX-License-Identifier: BSD-3-Clause */
/* lir.h - lowered IR: what one thread of a grid of blocks does, as statements over typed variables.
 * Unlike kernel IR (fuse/kernel_ir.h) it has addresses, shared memory, barriers and any control
 * flow that is structured.
 * Owns       hdi_lir and all that it points to
 * Invariant  expressions have no effects: whatever has one is a statement. A node is used once: in
 *            one place of one tree. What verify.c accepts can be compiled
 * Threads    none of its own: one thread at a time
 * Memory     nodes in one array, named by their index; nothing is ever taken out. If there is no
 *            memory, `failed` is set, everything may go on, and the result is thrown away
 * Start at   hdi_lir_new(), hdi_lir_add()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_LIR_H
#define HDI_LIR_H

#include "base/base.h"

typedef enum hdi_lir_type {
#define LIR_TYPE(NAME, text, kind, bytes) HDI_LIR_##NAME,
#include "lir/types.def"
#undef LIR_TYPE
    HDI_LIR_TYPES
} hdi_lir_type;

typedef enum hdi_lir_op {
#define LIR_NODE(NAME, text, shape, rule, doc) HDI_LIR_##NAME,
#include "lir/nodes.def"
#undef LIR_NODE
    HDI_LIR_OPS
} hdi_lir_op;

typedef enum hdi_lir_math {
#define LIR_MATH(NAME, text, narg, kinds) HDI_LIR_M_##NAME,
#include "lir/math.def"
#undef LIR_MATH
    HDI_LIR_MATHS
} hdi_lir_math;

/* THREAD is the thread's number in its block, x the fastest. */
typedef enum hdi_lir_builtin {
    HDI_LIR_THREAD_X, HDI_LIR_THREAD_Y, HDI_LIR_THREAD_Z,
    HDI_LIR_BLOCK_X, HDI_LIR_BLOCK_Y, HDI_LIR_BLOCK_Z,
    HDI_LIR_BLOCK_DIM_X, HDI_LIR_BLOCK_DIM_Y, HDI_LIR_BLOCK_DIM_Z,
    HDI_LIR_GRID_DIM_X, HDI_LIR_GRID_DIM_Y, HDI_LIR_GRID_DIM_Z,
    HDI_LIR_THREAD, HDI_LIR_THREADS_OF_BLOCK,
    HDI_LIR_BUILTINS
} hdi_lir_builtin;

/* On integers of 32 and 64 bits; ADD, EXCHANGE and CAS on reals too, and CAS on 16 bits. INC and
 * DEC are CUDA's, of u32: (old >= x ? 0 : old + 1), (old == 0 || old > x ? x : old - 1). */
typedef enum hdi_lir_atomic {
    HDI_LIR_A_ADD, HDI_LIR_A_SUB, HDI_LIR_A_MIN, HDI_LIR_A_MAX, HDI_LIR_A_AND, HDI_LIR_A_OR,
    HDI_LIR_A_XOR, HDI_LIR_A_EXCHANGE, HDI_LIR_A_CAS, HDI_LIR_A_INC, HDI_LIR_A_DEC,
    HDI_LIR_ATOMICS
} hdi_lir_atomic;

/* SHUFFLE*: arg[0] a number, arg[1] a u32 (lane, delta or mask), arg[2] a u32, the width: 1, 2, 4,
 * ... 32; the result has the type of arg[0]. A lane beyond its segment, or one that is not there,
 * gives the thread's own value. ANY, ALL: of bools; bool. BALLOT: u32. ACTIVE: u32, no operand.
 * MATCH: arg[0] an integer; u32, the lanes that have the same value.
 * BLOCK_*: of a bool over the block, with a barrier; i32. */
typedef enum hdi_lir_warp {
    HDI_LIR_W_SHUFFLE, HDI_LIR_W_SHUFFLE_UP, HDI_LIR_W_SHUFFLE_DOWN, HDI_LIR_W_SHUFFLE_XOR,
    HDI_LIR_W_ANY, HDI_LIR_W_ALL, HDI_LIR_W_BALLOT, HDI_LIR_W_ACTIVE, HDI_LIR_W_MATCH,
    HDI_LIR_W_BLOCK_COUNT, HDI_LIR_W_BLOCK_AND, HDI_LIR_W_BLOCK_OR,
    HDI_LIR_WARPS
} hdi_lir_warp;
enum { HDI_LIR_WARP_SIZE = 32 };

/* Where a variable lies. UNIFORM and SPREAD are lockstep.c's: one for a block, and one for each
 * thread of it in the block's scratch memory. */
typedef enum hdi_lir_space {
    HDI_LIR_PRIVATE,   /* a thread's own */
    HDI_LIR_SHARED,    /* a block's; `dynamic`: the launch says how much, there is one such range */
    HDI_LIR_CONSTANT,  /* bytes of data[] that are only read */
    HDI_LIR_GLOBAL,    /* bytes of data[], one copy for each time the kernel is loaded */
    HDI_LIR_UNIFORM, HDI_LIR_SPREAD,
    HDI_LIR_SPACES
} hdi_lir_space;

/* Who gives a parameter: the user, or the launch by itself, behind the user's. */
typedef enum hdi_lir_role {
    HDI_LIR_GIVEN,
    HDI_LIR_MODULE,    /* the memory of the module's variables */
    /* lir_check.c's, i64: bytes from the address in parameter `of` to where its memory begins (not
     * more than 0) and ends; dynamic shared memory of a block; and where a fault is noted */
    HDI_LIR_LOW, HDI_LIR_HIGH, HDI_LIR_SHARED_BYTES, HDI_LIR_RECORD,
    HDI_LIR_ROLES
} hdi_lir_role;

typedef struct hdi_lir_var {
    int32_t name;              /* offset in names[] */
    uint8_t type, space;
    bool in_memory;            /* has an address: LOAD and STORE, not GET and ASSIGN */
    bool dynamic;
    int64_t count;             /* elements; 1: no array */
    int32_t param;             /* number of the parameter that it begins as, -1: none */
    uint8_t role;              /* of a parameter: an hdi_lir_role */
    bool reads, writes;        /* a pointer parameter: memory behind it may be read, written */
    bool restricted;           /* no other parameter leads there */
    int32_t leads;             /* a pointer parameter: what it holds is a multiple of it, or LOAD
                                  and STORE promise too much; 0: they promise nothing of it */
    int32_t of;                /* of LOW and HIGH: a parameter */
    int64_t at;                /* CONSTANT, GLOBAL: offset in data[] (in `count` elements); SHARED:
                                  in the block's memory; SPREAD: in bytes per thread (place.c) */
    int32_t align;             /* bytes, at least the type's */
} hdi_lir_var;

enum { HDI_LIR_MOST_KIND = 12, HDI_LIR_MOST_ALIGN = 1 << HDI_LIR_MOST_KIND };  /* of LOAD, STORE */
enum { HDI_LIR_VOLATILE = 1,   /* LOAD, STORE */
       HDI_LIR_COUNTED = 2 };  /* LOOP: it ends, whatever the data are */
enum { HDI_LIR_UNROLL_ALL = -1, HDI_LIR_MOST_UNROLL = 1024 };   /* `k` of LOOP */

typedef struct hdi_lir_node {
    uint8_t op, type, flags;
    uint8_t kind;              /* ATOMIC, WARP: which. LOAD, STORE: the address is a multiple of
                                  1 << kind, if that is more than the bytes of the type */
    int32_t line;              /* of the source, 0: none */
    int32_t arg[3];            /* nodes, -1: none */
    int32_t next;              /* of a statement: the one behind it, -1: the last */
    int64_t k;                 /* what nodes.def says. Of a constant the bits: integers extended by
                                  their sign (of unsigned types by 0), f32 in the low 32 */
} hdi_lir_node;

typedef struct hdi_lir {
    hdi_lir_node *node;
    hdi_lir_var *var;
    char *names;               /* texts that end with 0, one after the other */
    uint8_t *data;             /* of CONSTANT and GLOBAL */
    int32_t nnodes, nvars, nparams;
    int32_t node_room, var_room;     /* elements that there is memory for */
    int64_t names_bytes, names_room, data_bytes, data_room;
    int32_t name;              /* of the kernel, in names[] */
    int32_t body;              /* its first statement, -1: it has none */
    int32_t max_threads;       /* __launch_bounds__; 0: none */
    bool syncs;                /* has BARRIER, SYNCWARP or WARP */
    bool lockstep;             /* lockstep.c was here: body runs once for a block */
    int64_t shared_bytes;      /* place.c: static shared memory; bytes of SPREAD per thread */
    int64_t spread_bytes;
    bool failed;               /* there was no memory */
} hdi_lir;

/* hdi_lir_new - no variables or nodes; NULL and an error: no memory. hdi_lir_free - NULL too. */
hdi_lir *hdi_lir_new(const char *name);
void hdi_lir_free(hdi_lir *l);

/* hdi_lir_name - a text in names[]; hdi_lir_data - room for so many bytes in data[], aligned to 16,
 * filled with 0; both return the offset. hdi_lir_variable - its index; it is 1 element, has no
 * parameter, and is not in memory. hdi_lir_add - the index of a node without operands.
 * All return 0 once `failed` is set. */
int32_t hdi_lir_name(hdi_lir *l, const char *text);
int64_t hdi_lir_data(hdi_lir *l, int64_t bytes);
int32_t hdi_lir_variable(hdi_lir *l, const char *name, hdi_lir_type type, hdi_lir_space space);
int32_t hdi_lir_add(hdi_lir *l, hdi_lir_op op, hdi_lir_type type, int32_t line);

/* Expressions and statements with what most of them need; -1 for operands that are not there. */
int32_t hdi_lir_node3(hdi_lir *l, hdi_lir_op op, hdi_lir_type type, int32_t line, int64_t k,
                      int32_t x, int32_t y, int32_t z);
int32_t hdi_lir_const(hdi_lir *l, hdi_lir_type type, int64_t bits);
int32_t hdi_lir_get(hdi_lir *l, int32_t var);
/* hdi_lir_bits_of - of a real constant of that type. hdi_lir_real_of - the other way. */
int64_t hdi_lir_bits_of(hdi_lir_type type, double x);
double hdi_lir_real_of(hdi_lir_type type, int64_t bits);

/* Arithmetic of constants (fold.c): of x and y of the type, as bits; false: not of this operation,
 * or these have no value. hdi_lir_fold_convert - as CONVERT. */
bool hdi_lir_fold2(hdi_lir_op op, hdi_lir_type type, int64_t x, int64_t y, int64_t *r);
bool hdi_lir_fold1(hdi_lir_op op, hdi_lir_type type, int64_t x, int64_t *r);
int64_t hdi_lir_fold_convert(hdi_lir_type from, hdi_lir_type to, int64_t x);
/* hdi_lir_forget_alignment - LOAD and STORE promise nothing of their addresses any more. */
void hdi_lir_forget_alignment(hdi_lir *l);

/* A list of statements under construction: hdi_lir_list_add(l, &list, s). */
typedef struct hdi_lir_list { int32_t first, last; } hdi_lir_list;
#define HDI_LIR_EMPTY ((hdi_lir_list){-1, -1})
void hdi_lir_list_add(hdi_lir *l, hdi_lir_list *list, int32_t statement);

/* What the tables say. */
typedef struct hdi_lir_type_row { const char *text; char kind; int bytes; } hdi_lir_type_row;
typedef struct hdi_lir_op_row {
    const char *text, *shape;
    int rule;
    bool is_expression;
} hdi_lir_op_row;
typedef struct hdi_lir_math_row { const char *text; int narg; char kinds; } hdi_lir_math_row;
extern const hdi_lir_type_row hdi_lir_types[HDI_LIR_TYPES];
extern const hdi_lir_op_row hdi_lir_ops[HDI_LIR_OPS];
extern const hdi_lir_math_row hdi_lir_maths[HDI_LIR_MATHS];
enum { /* rules of nodes.def, expressions first */
    HDI_LIR_R_CONSTANT, HDI_LIR_R_VARIABLE, HDI_LIR_R_PLACE, HDI_LIR_R_BUILTIN, HDI_LIR_R_SAME1,
    HDI_LIR_R_WHOLE1, HDI_LIR_R_SAME2, HDI_LIR_R_WHOLE2, HDI_LIR_R_SHIFT, HDI_LIR_R_COMPARE,
    HDI_LIR_R_TRUTH2, HDI_LIR_R_CHOICE, HDI_LIR_R_CAST, HDI_LIR_R_BITS, HDI_LIR_R_READ,
    HDI_LIR_R_STEP, HDI_LIR_R_MATH, HDI_LIR_R_PEER,
    HDI_LIR_R_NAME, HDI_LIR_R_SET, HDI_LIR_R_WRITE, HDI_LIR_R_ATOMIC, HDI_LIR_R_WARP,
    HDI_LIR_R_NOTHING, HDI_LIR_R_WHEN, HDI_LIR_R_TURNS, HDI_LIR_R_LEAVE, HDI_LIR_R_TEXT,
    HDI_LIR_R_ITEM
};

#endif
