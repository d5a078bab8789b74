/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_memory.h - addresses of the fake device: no address of the host has their mark, so code that
 * takes one for the other crashes, as it does on a machine with a GPU.
 * Start at   fake_on_host() */
#ifndef HEDDLE_TESTS_FAKE_MEMORY_H
#define HEDDLE_TESTS_FAKE_MEMORY_H

#include <stdint.h>

#define FAKE_DEVICE ((uintptr_t)1 << 56)

/* Where the fake device keeps what has this address; an address of the host is its own. */
static inline void *fake_on_host(const void *address)
{
    return (void *)((uintptr_t)address & ~FAKE_DEVICE);
}

#endif
