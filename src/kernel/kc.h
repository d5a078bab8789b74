/* SPDX-License-Identifier: BSD-3-Clause */
/* kc.h - the front end for kernels in C source: tokens to lowered IR, in one pass without a syntax
 * tree. The body of a function is read again at each call of it and put in place, with its
 * parameters as variables; that of a template with its arguments as names. So what no kernel calls
 * is only skipped.
 * Owns       kc: the reader, scopes, types, and the IR that is being built
 * Invariant  what is read always gives values of some type, also after an error (`failed` of the
 *            reader), where no token but the end is found any more
 * Threads    one thread at a time
 * Memory     all but the IR is freed when hdi_kernel_lower() returns
 * Start at   kc_value, hdi_kc_expression(), hdi_kc_statement(), hdi_kc_call() */
#ifndef HDI_KC_H
#define HDI_KC_H

#include "kernel/kc_token.h"
#include "lir/lir.h"

/* ---- types ----------------------------------------------------------------------------------- */

typedef enum kc_kind {
    KC_VOID, KC_BOOL, KC_CHAR, KC_SCHAR, KC_UCHAR, KC_SHORT, KC_USHORT, KC_INT, KC_UINT, KC_LONG,
    KC_ULONG, KC_LLONG, KC_ULLONG, KC_FLOAT, KC_DOUBLE,
    KC_POINTER, KC_ARRAY, KC_STRUCT, KC_REFERENCE,
    KC_DEPENDENT,      /* the parameter `count` of a template that is being matched */
    KC_AUTO            /* of the initialiser, or of what is returned */
} kc_kind;

typedef struct kc_type {
    uint8_t kind;
    bool is_const, is_volatile, is_restrict;
    const struct kc_type *of;      /* POINTER, ARRAY, REFERENCE */
    int64_t count;                 /* ARRAY, -1: not known yet */
    struct kc_struct *st;
} kc_type;

typedef struct kc_field {
    kc_word *word;                 /* NULL: a struct without a name, whose fields count as ours */
    const kc_type *type;
    int64_t offset;
    struct kc_field *next;
} kc_field;

typedef struct kc_argument {       /* of a template */
    const kc_type *type;           /* of the value, or what the argument is */
    bool is_value, given;
    int64_t value;
} kc_argument;
enum { KC_MAX_ARGUMENTS = 16 };

typedef struct kc_struct {
    kc_word *word;
    kc_field *first, *last;
    int64_t bytes;
    int align;
    bool complete, is_union, dependent;
    struct kc_scope *scope;        /* of its members */
    struct kc_symbol *origin;      /* the template that it is an instance of */
    const kc_argument *argument;
    int narguments;
    struct kc_struct *sibling;     /* another instance */
} kc_struct;

extern const kc_type hdi_kc_plain[KC_DOUBLE + 1];      /* by kind */
#define KC_PLAIN_TYPE(KIND) (&hdi_kc_plain[KC_##KIND])

/* What the parameter number i of a template is while its value is looked for. */
#define KC_VALUE_WANTED(i) (((int64_t)1 << 29) + (i))

/* ---- names ----------------------------------------------------------------------------------- */

typedef enum kc_symbol_kind {
    KC_S_VALUE,        /* a variable, or what a reference names */
    KC_S_CONSTANT,
    KC_S_TYPE, KC_S_FUNCTION, KC_S_TEMPLATE, KC_S_NAMESPACE, KC_S_FIELD,
    KC_S_GLOBAL        /* a variable of the module, which the IR may not have yet */
} kc_symbol_kind;

/* What an expression is. A value in memory has an address, which is used once (kc_value.c). */
typedef enum kc_value_kind { KC_V_NONE, KC_V_NODE, KC_V_VARIABLE, KC_V_MEMORY } kc_value_kind;
typedef struct kc_value {
    const kc_type *type;           /* never a reference */
    uint8_t kind;
    int16_t depth;                 /* of the tree */
    int16_t align;                 /* MEMORY: the address is a multiple of it; 0: of the type's */
    int32_t node;                  /* NODE: the expression; MEMORY: the address */
    int32_t var;                   /* VARIABLE */
} kc_value;

typedef struct kc_scope {
    struct kc_scope *parent;
    struct kc_symbol *symbols;
    kc_struct *st;                 /* of whose members it is */
    bool is_global;                /* namespaces and the outermost */
} kc_scope;

typedef struct kc_symbol {
    kc_word *word;
    kc_scope *scope;
    struct kc_symbol *below, *next;    /* with this word; in this scope */
    uint8_t kind;
    bool ours;                     /* of the prelude */
    kc_value value;                /* VALUE; CONSTANT: its type, and `bits` */
    int64_t bits;
    const kc_type *type;           /* TYPE, GLOBAL */
    struct kc_function *function;
    kc_scope *inner;               /* NAMESPACE */
    kc_field *field;
    int32_t parameters, at;        /* TEMPLATE: its <, and its body; GLOBAL: at its initialiser */
    kc_struct *instances;          /* TEMPLATE */
    bool is_alias;                 /* TEMPLATE: `using`, whose type begins at `at` */
    uint8_t space;                 /* GLOBAL */
    bool in_module, is_const;      /* GLOBAL: all kernels share it; they only read it */
    int64_t offset;                /* GLOBAL in the module: where in its memory */
    int align;
    struct kc_symbol *next_global, *alias_of;   /* GLOBAL: what `using` names */
} kc_symbol;

typedef struct kc_parameter {
    const kc_type *type;
    kc_word *word;
    int32_t standard;              /* where its default argument begins, -1: none */
} kc_parameter;

typedef struct kc_function {
    kc_word *word;
    int32_t start, name, list, body;   /* tokens: its type, name, ( and {; body -1: only declared */
    int32_t initialisers;          /* of a constructor: behind its :, -1: none */
    int32_t template_list;         /* the < of its parameters, -1: no template */
    int32_t special;               /* the < of the arguments that it is for, -1: none */
    kc_scope *scope;               /* where it is declared */
    kc_struct *owner;
    bool is_kernel, is_static, is_constructor, is_conversion, is_const, ours;
    int32_t active;                /* calls that are being put in place */
    kc_parameter *parameter;       /* of a template with DEPENDENT types; NULL: not read yet */
    int nparameters;
    struct kc_function *next_kernel;
} kc_function;

/* ---- what is being built --------------------------------------------------------------------- */

/* The function whose body is read. Loops are counted from the outermost of the kernel. */
typedef struct kc_frame {
    struct kc_frame *outer;
    kc_function *function;
    const kc_type *result_type;    /* AUTO until the first return */
    kc_value result;
    int loop;                      /* that a return leaves, 0: none */
    int switch_loop;               /* what `break` leaves, 0: nothing */
    int continue_loop;             /* whose step `continue` goes to */
    bool continue_is_break;        /* it leaves that loop: the body of a do */
    bool returned;
    kc_value self;                 /* *this; kind NONE: no member */
} kc_frame;

typedef struct kc_shared {
    int32_t at, var;
    const kc_type *type;
    struct kc_shared *next;
} kc_shared;

typedef struct kc {
    kc_reader r;
    hdi_lir *l;
    hdi_lir_list *list;            /* where statements go */
    kc_scope *scope, *global;
    kc_frame *frame;
    kc_shared *shared;
    int32_t dynamic_shared;        /* its variable, -1: none yet */
    int loops;                     /* that enclose the place */
    int calls;                     /* that enclose it */
    int idle;                      /* above 0: what is built is thrown away */
    int64_t unroll;                /* of the loop that begins here: `k` of LOOP */
    bool closed_list;              /* a > ends the expression: it is in a template's arguments */
    bool want_place;               /* of a ?: that a reference gets, both sides are variables */
    int32_t effect_at;             /* where an expression begins whose value nobody wants, -1 */
    struct kc_function *first_kernel, *last_kernel;
    kc_symbol *first_global, *last_global;             /* of the module */
    int64_t module_bytes;
    int32_t module;                /* the parameter that its memory is, -1: nothing is used of it */
    struct kc_counted *counted;    /* loops that end if these variables stay out of memory */
} kc;

enum { KC_MAX_NODES = 400000, KC_MAX_CALLS = 64, KC_MAX_STEPS = 30000000 };

/* ---- kc_read.c: tokens ----------------------------------------------------------------------- */

const kc_token *hdi_kc_token(kc *c);                   /* the next one */
const kc_token *hdi_kc_ahead(kc *c, int n);            /* n behind it */
static inline bool hdi_kc_at(kc *c, int what) { return hdi_kc_token(c)->what == what; }
static inline bool hdi_kc_ended(kc *c) { return hdi_kc_token(c)->what == KC_END; }
const kc_token *hdi_kc_next(kc *c);                    /* takes it */
bool hdi_kc_take(kc *c, int what);                     /* takes it if it is that */
void hdi_kc_need(kc *c, int what, const char *why);
kc_word *hdi_kc_need_name(kc *c);
/* hdi_kc_skip - behind the bracket that closes the one here. hdi_kc_skip_to - before the first of
 * two tokens outside brackets. hdi_kc_skip_angles - behind a list <...>, false: it is none. */
void hdi_kc_skip(kc *c);
void hdi_kc_skip_to(kc *c, int what, int other);
bool hdi_kc_skip_angles(kc *c);
void hdi_kc_skip_statement(kc *c);
void hdi_kc_skip_unroll(kc *c);                        /* #pragma unroll, where it means nothing */
void hdi_kc_goto(kc *c, int32_t at);
bool hdi_kc_enter(kc *c);                              /* one level deeper; false: too deep */
static inline void hdi_kc_leave(kc *c) { c->r.depth--; }
#define hdi_kc_bad(c, ...) hdi_kc_fail(&(c)->r, HD_VALUE, hdi_kc_token(c), __VA_ARGS__)
#define hdi_kc_beyond(c, ...) hdi_kc_fail(&(c)->r, HD_UNSUPPORTED, hdi_kc_token(c), __VA_ARGS__)

/* ---- kc_type.c ------------------------------------------------------------------------------- */

const kc_type *hdi_kc_type_of(kc *c, kc_kind kind, const kc_type *of, int64_t count);
const kc_type *hdi_kc_qualified(kc *c, const kc_type *t, bool is_const, bool is_volatile);
const kc_type *hdi_kc_bare(const kc_type *t);          /* without qualifiers, if it is plain */
const kc_type *hdi_kc_unqualified(kc *c, const kc_type *t);
const kc_type *hdi_kc_unreferenced(const kc_type *t);
bool hdi_kc_same(const kc_type *a, const kc_type *b);  /* but for const of the outermost */
int64_t hdi_kc_bytes(kc *c, const kc_type *t);         /* an error if it has none */
int hdi_kc_align(const kc_type *t);
hdi_lir_type hdi_kc_lir(const kc_type *t);             /* of scalars */
/* The type that a variable of it has in the IR, and how many elements. */
hdi_lir_type hdi_kc_element(kc *c, const kc_type *t, int64_t *count);
const char *hdi_kc_type_text(kc *c, const kc_type *t);
static inline bool hdi_kc_is_integer(const kc_type *t)
{
    return t->kind >= KC_BOOL && t->kind <= KC_ULLONG;
}
static inline bool hdi_kc_is_real(const kc_type *t)
{
    return t->kind == KC_FLOAT || t->kind == KC_DOUBLE;
}
static inline bool hdi_kc_is_number(const kc_type *t)
{
    return t->kind >= KC_BOOL && t->kind <= KC_DOUBLE;
}
static inline bool hdi_kc_is_scalar(const kc_type *t)
{
    return hdi_kc_is_number(t) || t->kind == KC_POINTER;
}
bool hdi_kc_is_unsigned(const kc_type *t);
const kc_type *hdi_kc_promoted(const kc_type *t);
const kc_type *hdi_kc_common(const kc_type *a, const kc_type *b);   /* of two numbers */

/* ---- kc_scope.c ------------------------------------------------------------------------------ */

kc_scope *hdi_kc_scope_new(kc *c, kc_scope *parent);
void hdi_kc_scope_close(kc *c, kc_scope *s);           /* its names are gone; its memory stays */
kc_symbol *hdi_kc_declare(kc *c, kc_word *word, kc_symbol_kind kind);
kc_symbol *hdi_kc_find_in(kc_scope *s, const kc_word *word);
kc_symbol *hdi_kc_find(kc *c, kc_scope *s, const kc_word *word);   /* there and further out */
/* hdi_kc_find_here - the symbol of the name A::B::c that begins at the next token, without taking
 * it; how many tokens it has. */
kc_symbol *hdi_kc_find_here(kc *c, int *ntokens);

/* ---- kc_spec.c: types in the source ---------------------------------------------------------- */

typedef struct kc_spec {
    const kc_type *base;
    bool is_typedef, is_static, is_extern, is_shared, is_constant, is_device, is_constexpr;
    bool is_kernel;
    int align, max_threads;
} kc_spec;

bool hdi_kc_at_type(kc *c);                            /* does a type begin here? */
void hdi_kc_spec_read(kc *c, kc_spec *spec);
/* hdi_kc_declarator - pointers, name and brackets around a type. word NULL: there is no name. */
const kc_type *hdi_kc_declarator(kc *c, const kc_type *base, kc_word **word);
const kc_type *hdi_kc_type_name(kc *c);                /* as in a cast */
bool hdi_kc_attribute(kc *c, kc_spec *spec);           /* takes one if it is here */
const kc_type *hdi_kc_enum(kc *c);

/* ---- kc_struct.c ----------------------------------------------------------------------------- */

const kc_type *hdi_kc_struct_read(kc *c);              /* behind `struct`, `class` or `union` */
kc_field *hdi_kc_field(kc_struct *s, const kc_word *word, int64_t *offset);
kc_value hdi_kc_member(kc *c, kc_value object, kc_word *word);

/* ---- kc_template.c --------------------------------------------------------------------------- */

/* hdi_kc_arguments - a list <...>. hdi_kc_bind - names for the parameters of the list at the <, in
 * the scope: what is not given gets its default; false: some have none. `pattern`: types that are
 * not given become DEPENDENT. */
int hdi_kc_arguments(kc *c, kc_argument *a);
bool hdi_kc_bind(kc *c, int32_t list, kc_argument *a, int *n, bool pattern);
const kc_type *hdi_kc_instance(kc *c, kc_symbol *t, const kc_argument *a, int n);
bool hdi_kc_deduce(kc *c, const kc_type *pattern, const kc_type *given, kc_argument *a);
bool hdi_kc_depends(const kc_type *t);

/* ---- kc_node.c: nodes of the IR -------------------------------------------------------------- */

int32_t hdi_kc_line(kc *c);
int32_t hdi_kc_node(kc *c, hdi_lir_op op, hdi_lir_type type, int64_t k, int32_t x, int32_t y,
                    int32_t z);
void hdi_kc_emit(kc *c, hdi_lir_op op, int64_t k, int32_t x, int32_t y);
void hdi_kc_assign(kc *c, int32_t var, int32_t node);
void hdi_kc_splice(kc *c, const hdi_lir_list *list);
int32_t hdi_kc_variable(kc *c, const char *name, hdi_lir_type type, hdi_lir_space space);
int32_t hdi_kc_temporary(kc *c, hdi_lir_type type);    /* declared here */
bool hdi_kc_constant(const kc *c, int32_t node, int64_t *bits);
/* A list of statements on its own: `old` is to be given back. */
hdi_lir_list *hdi_kc_list_open(kc *c, hdi_lir_list *list);

/* ---- kc_value.c ------------------------------------------------------------------------------ */

kc_value hdi_kc_nothing(void);
kc_value hdi_kc_rvalue(const kc_type *type, int32_t node, int depth);
kc_value hdi_kc_number(kc *c, const kc_type *type, int64_t bits);
kc_value hdi_kc_int(kc *c, int64_t value);
kc_value hdi_kc_in_memory(const kc_type *type, int32_t address);
kc_value hdi_kc_of_variable(kc *c, const kc_type *type, int32_t var);
kc_value hdi_kc_load(kc *c, kc_value v);               /* arrays become pointers; structs stay */
kc_value hdi_kc_convert(kc *c, kc_value v, const kc_type *to);
kc_value hdi_kc_cast(kc *c, kc_value v, const kc_type *to);    /* explicit: more is allowed */
int32_t hdi_kc_truth(kc *c, kc_value v);               /* a bool's node */
void hdi_kc_store(kc *c, kc_value place, kc_value v);  /* converted already, or the same struct */
int32_t hdi_kc_address(kc *c, kc_value place);
kc_value hdi_kc_step(kc *c, kc_value pointer, kc_value index, bool minus);
kc_value hdi_kc_at_offset(kc *c, kc_value place, int64_t offset, const kc_type *type);
kc_value hdi_kc_element_of(kc *c, kc_value array, kc_value index);
kc_value hdi_kc_deref(kc *c, kc_value pointer);
/* hdi_kc_stable - so that hdi_kc_again() gives it as often as wanted. hdi_kc_spill - a copy in a
 * variable. */
kc_value hdi_kc_stable(kc *c, kc_value v);
kc_value hdi_kc_again(kc *c, kc_value v);
kc_value hdi_kc_spill(kc *c, kc_value v);
kc_value hdi_kc_local(kc *c, kc_word *word, const kc_type *type);  /* a new variable, declared */
bool hdi_kc_is_place(kc_value v);

/* ---- kc_expr.c, kc_unary.c, kc_primary.c ----------------------------------------------------- */

kc_value hdi_kc_expression(kc *c);
kc_value hdi_kc_assignment(kc *c);
kc_value hdi_kc_unary(kc *c);
kc_value hdi_kc_postfix(kc *c);
kc_value hdi_kc_primary(kc *c);
kc_value hdi_kc_binary(kc *c, int what, kc_value x, kc_value y);
kc_value hdi_kc_assign_op(kc *c, int what, kc_value place, kc_value v);
int64_t hdi_kc_whole(kc *c);                           /* a constant expression */
kc_value hdi_kc_literal(kc *c);
/* hdi_kc_joined - the texts from t on as one, which goes with the reader; NULL: no memory.
 * hdi_kc_text - the same as an array of the module. */
char *hdi_kc_joined(kc *c, const kc_token *t, int32_t *length);
kc_value hdi_kc_text(kc *c, const kc_token *t);
/* hdi_kc_operator - of structs: the user's function; false: there is none. */
bool hdi_kc_operator(kc *c, int what, kc_value *arg, int n, kc_value *result);

/* ---- kc_call.c, kc_inline.c, kc_builtin.c ---------------------------------------------------- */

enum { KC_MAX_CALL_ARGUMENTS = 64 };
typedef struct kc_call {
    kc_value arg[KC_MAX_CALL_ARGUMENTS];
    int n;
    kc_argument given[KC_MAX_ARGUMENTS];               /* template arguments */
    int ngiven;
    bool has_given;
    kc_value self;                                     /* the object; kind NONE: no member */
    const kc_token *token;                             /* for errors */
} kc_call;

void hdi_kc_call_arguments(kc *c, kc_call *k);         /* behind ( up to ) */
/* hdi_kc_call - of the functions with this name; false: none fits (an error only if `must`). */
bool hdi_kc_call(kc *c, kc_symbol *s, kc_call *k, bool must, kc_value *result);
kc_value hdi_kc_construct(kc *c, const kc_type *type, kc_call *k);
/* hdi_kc_inline - its body in place. */
kc_value hdi_kc_inline(kc *c, kc_function *f, kc_call *k, kc_argument *a, int na);
void hdi_kc_kernel(kc *c, kc_function *f, kc_argument *a, int na);
kc_parameter *hdi_kc_parameters(kc *c, kc_function *f, int *n);    /* reads the list */
void hdi_kc_return(kc *c);
bool hdi_kc_builtin(kc *c, kc_word *word, kc_value *result);   /* at the ( ; false: no such one */
void hdi_kc_builtin_words(kc *c);
bool hdi_kc_builtin_variable(kc *c, const kc_word *word, kc_value *result);
kc_value hdi_kc_atomic(kc *c, int which, kc_call *k);
kc_value hdi_kc_warp(kc *c, int which, int first, kc_call *k);
void hdi_kc_print(kc *c);
void hdi_kc_assert(kc *c);

/* ---- kc_init.c ------------------------------------------------------------------------------- */

/* Where an initialiser goes: a place of the program, or data of the module. */
typedef struct kc_target { kc_value place; int64_t data; bool is_data; } kc_target;
void hdi_kc_initialise(kc *c, const kc_target *t, const kc_type *type);
void hdi_kc_zero(kc *c, const kc_target *t, const kc_type *type);
const kc_type *hdi_kc_counted(kc *c, const kc_type *type);     /* T x[] = {...}: how many */

/* ---- kc_stmt.c, kc_loop.c, kc_decl.c, kc_top.c, kc_global.c ---------------------------------- */

void hdi_kc_statement(kc *c);
void hdi_kc_block(kc *c);                              /* behind { up to } */
void hdi_kc_for(kc *c);
void hdi_kc_while(kc *c);
void hdi_kc_do(kc *c);
void hdi_kc_switch(kc *c);
void hdi_kc_leave_loop(kc *c, hdi_lir_op op, int loop);
void hdi_kc_condition(kc *c, int32_t *node);           /* (a declaration or an expression) */
void hdi_kc_declaration(kc *c);                        /* in a function */
bool hdi_kc_common_declaration(kc *c);                 /* using, typedef, enum, static_assert ... */
void hdi_kc_top(kc *c);
void hdi_kc_function_read(kc *c, int32_t template_list, kc_struct *owner);
bool hdi_kc_at_function(kc *c);
bool hdi_kc_template_read(kc *c, kc_struct *owner);
void hdi_kc_variables(kc *c);                          /* outside of functions */
/* hdi_kc_globals - where the variables of the module lie in its memory: the same for all kernels of
 * a source. hdi_kc_global - one of them. hdi_kc_globals_made - all, with what they begin as, in the
 * IR. */
void hdi_kc_globals(kc *c);
void hdi_kc_globals_made(kc *c);
kc_value hdi_kc_global(kc *c, kc_symbol *s);
kc_value hdi_kc_extern_shared(kc *c, const kc_type *type);
bool hdi_kc_at_declaration(kc *c);
void hdi_kc_specialise(kc *c, kc_symbol *t);
void hdi_kc_counted_end(kc *c);

/* ---- kc_finish.c ----------------------------------------------------------------------------- */

/* hdi_kc_finish - variables whose address is taken go to memory; what parameters lead to is found
 * out. */
void hdi_kc_finish(kc *c);

#endif
