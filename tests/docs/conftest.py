# SPDX-License-Identifier: BSD-3-Clause
"""What pages print does not depend on kernels that other processes have left on disk, or on the
settings of who runs the tests."""
import os

for name in [name for name in os.environ if name.startswith("HEDDLE_")]:
    if name not in ("HEDDLE_BLAS", "HEDDLE_LIBCUDA", "HEDDLE_LIBCUB"):
        del os.environ[name]
os.environ["HEDDLE_CACHE"] = "off"
os.environ["HEDDLE_TIER"] = "0"     # else a kernel is compiled in the background, sooner or later
