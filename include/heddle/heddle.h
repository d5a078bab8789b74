/* SPDX-License-Identifier: BSD-3-Clause */
/* heddle.h - the whole public interface of Heddle: n-dimensional arrays whose operations fuse. */
#ifndef HEDDLE_H
#define HEDDLE_H
#include <heddle/base.h>
#include <heddle/dtype.h>
#include <heddle/device.h>
#include <heddle/faults.h>
#include <heddle/array.h>
#include <heddle/ops.h>
#include <heddle/linalg.h>
#include <heddle/random.h>
#include <heddle/fft.h>
#include <heddle/signal.h>
#include <heddle/sort.h>
#include <heddle/compose.h>
#include <heddle/files.h>
#include <heddle/iterate.h>
#include <heddle/dlpack.h>
#include <heddle/stream.h>
#include <heddle/wait.h>
#include <heddle/profile.h>
#include <heddle/graph.h>
#include <heddle/kernel.h>
#include <heddle/launch.h>
#endif
