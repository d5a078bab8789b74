/* SPDX-License-Identifier: BSD-3-Clause */
/* services.c - where the services of execution are found, and the device of this thread. */
#include "core/services.h"

const hdi_service_table *hdi_services;
_Thread_local hd_device *hdi_current __attribute__((tls_model("initial-exec")));
