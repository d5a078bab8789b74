/* SPDX-License-Identifier: BSD-3-Clause */
/* install.c - the tables by which the layers below reach execution, before main(): whichever public
 * function is called first may need them. */
#include "core/services.h"
#include "exec/exec.h"

static const hdi_runner_table runner = {hdi_submit, hdi_drain, hdi_relieve};

static const hdi_service_table services = {
    .default_device = hdi_exec_default_device,
    .host_device = hdi_exec_host_device,
    .values_open = hdi_exec_values_open,
    .values_close = hdi_exec_values_close,
    .value_then = hdi_exec_value_then,
    .item = hd_item,
    .staged_open = hdi_exec_staged_open,
    .staged_close = hdi_exec_staged_close,
    .moved = hdi_exec_moved,
    .from_host = hdi_exec_from_host,
};

__attribute__((constructor)) void hdi_exec_install(void)
{
    hdi_runner = &runner;
    hdi_services = &services;
    hdi_wait_install();
}
