/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_run.c - a launch as the fake driver's calls describe it. */
#include "fake_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *room(int bytes)
{
    uint8_t *p = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
    if (p == NULL)
        abort();   /* allowed: a test without memory */
    return p;
}

int fake_step_take(fake_step *s, const ptx_function *f, fake_size grid, fake_size block,
                   unsigned shared_bytes, void **parameters)
{
    if (f == NULL || parameters == NULL)
        return 1;
    fake_step_drop(s);
    s->launch = (ptx_launch){.function = f, .shared_bytes = shared_bytes,
                             .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}};
    s->launch.parameters = s->parameters = room(ptx_parameter_bytes(f));
    for (int k = 0; k < ptx_nparameters(f); k++) {
        ptx_parameter p = ptx_parameter_of(f, k);
        memcpy(s->parameters + p.at, parameters[k], (size_t)p.bytes);
    }
    return 0;
}

void fake_step_copy(fake_step *to, const fake_step *from)
{
    *to = *from;
    if (from->parameters == NULL)
        return;
    int bytes = ptx_parameter_bytes(from->launch.function);
    to->launch.parameters = to->parameters = room(bytes);
    memcpy(to->parameters, from->parameters, (size_t)bytes);
}

void fake_step_drop(fake_step *s)
{
    free(s->parameters);
    *s = (fake_step){0};
}

int fake_step_run(fake_step *s, ptx_range (*find)(uint64_t address))
{
    char message[PTX_MESSAGE];
    s->launch.find = find;
    int error = ptx_run(&s->launch, message);
    if (error != 0)
        fprintf(stderr, "fake_libcuda: %s\n", message);
    return error;
}
