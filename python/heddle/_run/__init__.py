# SPDX-License-Identifier: BSD-3-Clause
"""Programs written for CuPy, run on Heddle: python -m heddle run, and %load_ext heddle."""
