#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gen.sh write|check - what tools/gen.c makes of the operation tables, and tools/stubs.py of the Python
# sources: write it, or compare it.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
python=.venv/bin/python
[ -x "$python" ] || python=python3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror -Iinclude -Isrc tools/gen.c -o "$tmp/gen"

status=0
each() {                # each WORD-FOR-GEN FILE
    "$tmp/gen" "$1" >"$tmp/new"
    if cmp -s "$tmp/new" "$2"; then
        return
    fi
    case $mode in
        write) cp "$tmp/new" "$2"; echo "wrote $2" ;;
        check) diff -u "$2" "$tmp/new" | head -40 || true
               echo "$2 does not follow from the tables: run make gen and commit it"
               status=1 ;;
        *) echo "usage: gen.sh write|check" >&2; exit 2 ;;
    esac
}
each header include/heddle/ops_table.h
each stubs python/heddle/_ops.pyi
"$python" tools/stubs.py "$mode" || status=1
exit $status
