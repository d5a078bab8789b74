/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_parse.h - what the parser of functions and that of instructions share.
 * Invariant  the text is the module's own copy without comments; statements in it are ended by
 *            zeros as they are met, so that names and instructions can point into it */
#ifndef HEDDLE_TESTS_PTX_PARSE_H
#define HEDDLE_TESTS_PTX_PARSE_H

#include "ptx_code.h"

/* SLOTS: %name<count>; VALUE: an address; LABEL: an instruction's number. */
typedef enum ptx_meaning { PTX_SLOTS, PTX_SLOT, PTX_VALUE, PTX_LABEL } ptx_meaning;

typedef struct ptx_symbol {
    const char *name;
    size_t length;
    ptx_meaning meaning;
    uint64_t value;
    int count;                     /* of slots; of bytes of a variable */
    int next;                      /* of those with the same hash, older ones */
} ptx_symbol;

enum { PTX_BUCKETS = 1024 };

typedef struct ptx_parser {
    ptx_module *m;
    ptx_function *f;               /* being read */
    char *message;
    bool failed;
    ptx_symbol *symbol;
    int nsymbols, bucket[PTX_BUCKETS];   /* 1 + the newest symbol; 0: none */
    struct { int at; const char *label; } *jump;
    int njumps;
} ptx_parser;

/* The first error is kept. */
void ptx_wrong(ptx_parser *p, const char *what, const char *text);
/* Makes room for element n of an array that grows by doubling. */
void *ptx_grown(ptx_parser *p, void *array, int n, size_t size);

const ptx_symbol *ptx_symbol_find(const ptx_parser *p, const char *name, size_t n);
void ptx_symbol_add(ptx_parser *p, const char *name, size_t n, ptx_meaning meaning, uint64_t value,
                    int count);

/* ptx_instruction - decodes a statement, which is changed, and adds it to the function. */
void ptx_instruction(ptx_parser *p, char *statement);

#endif
