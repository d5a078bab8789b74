/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_c.c - lowered IR as C. Included by the tests that need it. */
#include "emit_c.h"

typedef struct emitter {
    hdi_strbuf *s;
    const hdi_lir *l;
    const char *name;
    int loop[256], nloops, next;
    int indent;
} emitter;

static const char *c_type(int type)
{
    static const char *const names[] = {"void", "_Bool", "int8_t", "uint8_t", "int16_t", "uint16_t",
                                        "int32_t", "uint32_t", "int64_t", "uint64_t", "float",
                                        "double", "char *"};
    return names[type];
}

static const char *text_of(const emitter *e, int type) { return hdi_lir_types[type].text + 0 * e->next; }

static void expression(emitter *e, int32_t node);

static void operands(emitter *e, const hdi_lir_node *n)
{
    for (int i = 0; i < 3 && n->arg[i] >= 0; i++) {
        hdi_strbuf_add(e->s, i > 0 ? ", " : "");
        expression(e, n->arg[i]);
    }
}

static void constant(emitter *e, const hdi_lir_node *n)
{
    if (n->type == HDI_LIR_F32)
        hdi_strbuf_add(e->s, "g_f32(0x%xu)", (unsigned)n->k);
    else if (n->type == HDI_LIR_F64)
        hdi_strbuf_add(e->s, "g_f64(0x%llxull)", (unsigned long long)n->k);
    else
        hdi_strbuf_add(e->s, "((%s)0x%llxull)", c_type(n->type), (unsigned long long)n->k);
}

static void infix(emitter *e, const hdi_lir_node *n, const char *sign)
{
    hdi_strbuf_add(e->s, "((%s)(", c_type(n->type));
    expression(e, n->arg[0]);
    hdi_strbuf_add(e->s, " %s ", sign);
    expression(e, n->arg[1]);
    hdi_strbuf_add(e->s, "))");
}

static void called(emitter *e, const hdi_lir_node *n, const char *name, const char *type)
{
    hdi_strbuf_add(e->s, "g_%s_%s(", name, type);
    operands(e, n);
    hdi_strbuf_add(e->s, ")");
}

static void choose(emitter *e, const hdi_lir_node *n)
{
    hdi_strbuf_add(e->s, "(");
    expression(e, n->arg[0]);
    hdi_strbuf_add(e->s, " ? ");
    expression(e, n->arg[1]);
    hdi_strbuf_add(e->s, " : ");
    expression(e, n->arg[2]);
    hdi_strbuf_add(e->s, ")");
}

static void offset(emitter *e, const hdi_lir_node *n)
{
    hdi_strbuf_add(e->s, "(");
    expression(e, n->arg[0]);
    hdi_strbuf_add(e->s, " + ");
    expression(e, n->arg[1]);
    hdi_strbuf_add(e->s, " * %lld)", (long long)n->k);
}

static void convert(emitter *e, const hdi_lir_node *n)
{
    const char from = hdi_lir_types[e->l->node[n->arg[0]].type].kind;
    const char to = hdi_lir_types[n->type].kind;
    if (from == 'f' && (to == 'i' || to == 'u'))
        called(e, n, "whole", text_of(e, n->type));
    else {
        hdi_strbuf_add(e->s, "((%s)(", c_type(n->type));
        operands(e, n);
        hdi_strbuf_add(e->s, "))");
    }
}

static const char *const signs[HDI_LIR_OPS] = {
    [HDI_LIR_ADD] = "+", [HDI_LIR_SUB] = "-", [HDI_LIR_MUL] = "*", [HDI_LIR_AND] = "&",
    [HDI_LIR_OR] = "|", [HDI_LIR_XOR] = "^", [HDI_LIR_LT] = "<", [HDI_LIR_LE] = "<=",
    [HDI_LIR_EQ] = "==", [HDI_LIR_NE] = "!=", [HDI_LIR_BOTH] = "&&", [HDI_LIR_EITHER] = "||",
};

static void other(emitter *e, const hdi_lir_node *n)
{
    switch (n->op) {
    case HDI_LIR_CONST: constant(e, n); break;
    case HDI_LIR_GET: hdi_strbuf_add(e->s, "v%d", (int)n->k); break;
    case HDI_LIR_ADDRESS: hdi_strbuf_add(e->s, "((char *)v%d)", (int)n->k); break;
    case HDI_LIR_BUILTIN: hdi_strbuf_add(e->s, "g_builtin(%d)", (int)n->k); break;
    case HDI_LIR_CHOOSE: choose(e, n); break;
    case HDI_LIR_CONVERT: convert(e, n); break;
    case HDI_LIR_OFFSET: offset(e, n); break;
    case HDI_LIR_LOAD:
        hdi_strbuf_add(e->s, "(*(%s *)", c_type(n->type));
        operands(e, n);
        hdi_strbuf_add(e->s, ")");
        break;
    case HDI_LIR_MATH: called(e, n, hdi_lir_maths[n->k].text, text_of(e, n->type)); break;
    case HDI_LIR_BITS: called(e, n, "bits", text_of(e, n->type)); break;
    default: called(e, n, hdi_lir_ops[n->op].text, text_of(e, n->type)); break;
    }
}

static void expression(emitter *e, int32_t node)
{
    const hdi_lir_node *n = &e->l->node[node];
    if (n->op == HDI_LIR_DIV && hdi_lir_types[n->type].kind == 'f')
        infix(e, n, "/");
    else if (signs[n->op] != NULL)
        infix(e, n, signs[n->op]);
    else
        other(e, n);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void list(emitter *e, int32_t first);

static void loop(emitter *e, const hdi_lir_node *n)
{
    const int id = e->next++;
    e->loop[e->nloops++ & 255] = id;
    hdi_strbuf_add(e->s, "for (;;) {\n");
    list(e, n->arg[0]);
    hdi_strbuf_add(e->s, "next%d: __attribute__((unused));\n", id);
    list(e, n->arg[1]);
    hdi_strbuf_add(e->s, "}\nend%d: __attribute__((unused));\n", id);
    e->nloops--;
}

static void leave(emitter *e, const hdi_lir_node *n)
{
    const int at = e->nloops - (int)n->k;
    hdi_strbuf_add(e->s, "goto %s%d;\n", n->op == HDI_LIR_BREAK ? "end" : "next",
                   at < 0 ? -1 : e->loop[at & 255]);
}

static void branch(emitter *e, const hdi_lir_node *n)
{
    hdi_strbuf_add(e->s, "if (");
    expression(e, n->arg[0]);
    hdi_strbuf_add(e->s, ") {\n");
    list(e, n->arg[1]);
    hdi_strbuf_add(e->s, "} else {\n");
    list(e, n->arg[2]);
    hdi_strbuf_add(e->s, "}\n");
}

static void result(emitter *e, const hdi_lir_node *n)
{
    if (n->k >= 0)
        hdi_strbuf_add(e->s, "v%d = ", (int)n->k);
}

static void atomic(emitter *e, const hdi_lir_node *n)
{
    result(e, n);
    hdi_strbuf_add(e->s, "g_atomic%d_%s(", (int)n->kind,
                   text_of(e, e->l->node[n->arg[1]].type));
    operands(e, n);
    hdi_strbuf_add(e->s, ");\n");
}

static void warp(emitter *e, const hdi_lir_node *n)
{
    const int type = n->arg[0] < 0 ? HDI_LIR_U32 : e->l->node[n->arg[0]].type;
    result(e, n);
    hdi_strbuf_add(e->s, "g_warp_%s(%d", text_of(e, type), (int)n->kind);
    for (int i = 0; i < 3; i++) {
        hdi_strbuf_add(e->s, ", ");
        if (n->arg[i] < 0)
            hdi_strbuf_add(e->s, "0");
        else
            expression(e, n->arg[i]);
    }
    hdi_strbuf_add(e->s, ");\n");
}

static void quoted(emitter *e, const char *text)
{
    hdi_strbuf_add(e->s, "\"");
    for (; *text != '\0'; text++)
        hdi_strbuf_add(e->s, "\\%03o", (unsigned)(unsigned char)*text);
    hdi_strbuf_add(e->s, "\"");
}

static void print(emitter *e, const hdi_lir_node *n)
{
    hdi_strbuf_add(e->s, "printf(");
    quoted(e, e->l->names + n->k);
    for (int32_t i = n->arg[0]; i >= 0; i = e->l->node[i].next) {
        hdi_strbuf_add(e->s, ", ");
        expression(e, e->l->node[i].arg[0]);
    }
    hdi_strbuf_add(e->s, ");\n");
}

static void store(emitter *e, const hdi_lir_node *n)
{
    hdi_strbuf_add(e->s, "*(%s *)", c_type(e->l->node[n->arg[1]].type));
    expression(e, n->arg[0]);
    hdi_strbuf_add(e->s, " = ");
    expression(e, n->arg[1]);
    hdi_strbuf_add(e->s, ";\n");
}

static void statement(emitter *e, const hdi_lir_node *n)
{
    switch (n->op) {
    case HDI_LIR_ASSIGN:
        result(e, n);
        operands(e, n);
        hdi_strbuf_add(e->s, ";\n");
        break;
    case HDI_LIR_STORE: store(e, n); break;
    case HDI_LIR_ATOMIC: atomic(e, n); break;
    case HDI_LIR_WARP: warp(e, n); break;
    case HDI_LIR_BARRIER: case HDI_LIR_SYNCWARP: hdi_strbuf_add(e->s, "g_yield();\n"); break;
    case HDI_LIR_IF: branch(e, n); break;
    case HDI_LIR_LOOP: loop(e, n); break;
    case HDI_LIR_BREAK: case HDI_LIR_CONTINUE: leave(e, n); break;
    case HDI_LIR_RETURN: hdi_strbuf_add(e->s, "return;\n"); break;
    case HDI_LIR_TRAP: hdi_strbuf_add(e->s, "g_trap();\n"); break;
    case HDI_LIR_PRINT: print(e, n); break;
    default: break;
    }
}

static void list(emitter *e, int32_t first)
{
    for (int32_t i = first; i >= 0; i = e->l->node[i].next)
        statement(e, &e->l->node[i]);
}

/* ---- variables ------------------------------------------------------------------------------- */

static void variable(emitter *e, int32_t i)
{
    const hdi_lir_var *v = &e->l->var[i];
    if (v->dynamic)
        hdi_strbuf_add(e->s, "char *v%d = g_dynamic;\n", i);
    else if (v->space == HDI_LIR_CONSTANT || v->space == HDI_LIR_GLOBAL)
        hdi_strbuf_add(e->s, "char *v%d = data_%s + %lld;\n", i, e->name, (long long)v->at);
    else if (v->role == HDI_LIR_MODULE)
        hdi_strbuf_add(e->s, "char *v%d = g_module;\n", i);
    else if (v->param >= 0 && v->in_memory)
        hdi_strbuf_add(e->s, "char *v%d = params[%d];\n", i, v->param);
    else if (v->param >= 0)
        hdi_strbuf_add(e->s, "%s v%d = *(%s *)params[%d];\n", c_type(v->type), i, c_type(v->type),
                       v->param);
    else if (v->in_memory)
        hdi_strbuf_add(e->s, "%s %s v%d[%lld] __attribute__((aligned(%d)));\n",
                       v->space == HDI_LIR_SHARED ? "static" : "", c_type(v->type), i,
                       (long long)v->count, v->align);
    else
        hdi_strbuf_add(e->s, "%s v%d; (void)v%d;\n", c_type(v->type), i, i);
}

static void data(emitter *e)
{
    hdi_strbuf_add(e->s, "static char data_%s[%lld] __attribute__((aligned(16))) = {", e->name,
                   (long long)e->l->data_bytes + 1);
    for (int64_t i = 0; i < e->l->data_bytes; i++)
        hdi_strbuf_add(e->s, "%d,", (int)(signed char)e->l->data[i]);
    hdi_strbuf_add(e->s, "};\n");
}

void emit_c(hdi_strbuf *s, const hdi_lir *l, const char *name)
{
    emitter e = {.s = s, .l = l, .name = name};
    data(&e);
    hdi_strbuf_add(s, "static void %s(void **params)\n{\n(void)params;\n", name);
    for (int32_t i = 0; i < l->nvars; i++)
        variable(&e, i);
    list(&e, l->body);
    hdi_strbuf_add(s, "}\n");
}
