/* SPDX-License-Identifier: BSD-3-Clause */
/* py_fancy.h - a key with arrays in it: what it says, alone and of an array.
 * Owns       fancy_key; hp_key_clear() lets go of what it holds */
#ifndef HP_FANCY_H
#define HP_FANCY_H

#include "py.h"

enum { HP_KEY_BASIC = 0, HP_KEY_INTEGERS = 1, HP_KEY_MASK = 2 };

typedef struct fancy_item {
    int kind;             /* of the array: HP_KEY_... */
    hd_index basic;
    hd_array *array;      /* owned */
} fancy_item;

typedef struct fancy_key {
    /* items; axes of x they use; place of the ellipsis or -1; 1 if a 0-d array was an int */
    int n, consumed, ellipsis, copy;
    fancy_item items[HP_MAXITEMS];
    /* the same, resolved against x */
    int nbasic, nindex, adjacent, place; /* place: where the axes of the result go */
    hd_index basic[HP_MAXITEMS + HD_MAXDIM];
    hd_array *index[HD_MAXDIM];          /* owned */
    int axis[HD_MAXDIM];                 /* of the basic view */
    int axis_in_x[HD_MAXDIM];
    int nbroadcast;                      /* axes that the index arrays broadcast to */
    int64_t broadcast[HD_MAXDIM];
    /* borrowed: set when the key is one mask over the first axes of x */
    hd_array *only_mask;
} fancy_key;

/* hp_key_parse - the items of a key; hp_key_resolve - against x. 0, or -1 with an exception.
 * hp_key_clear - after either, whatever they said. */
int hp_key_parse(fancy_key *k, PyObject *key);
int hp_key_resolve(fancy_key *k, const hd_array *x);
void hp_key_clear(fancy_key *k);
/* hp_mask_fits - 0 and an IndexError if a mask has not the extents of x from axis on.
 * hp_key_fail - an IndexError; hp_key_failed - the library's error, if there is no exception yet;
 * both -1. */
int hp_mask_fits(const hd_array *x, const hd_array *mask, int axis);
int hp_key_fail(const char *message);
int hp_key_failed(void);

#endif
