#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh PRESET [TARGET ...]: configures build/PRESET if that is needed, and builds it.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
dir=build/$preset
python=$PWD/.venv/bin/python

if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja
fi

configure() {
    local log=build/$preset-configure.log
    mkdir -p build
    echo "Configuring $dir"
    if ! cmake --preset "$preset" -DPython3_EXECUTABLE="$python" >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
}

# The build itself notices changed CMakeLists and new source files; presets are ours to notice.
if [ ! -f "$dir/.configured" ] || [ CMakePresets.json -nt "$dir/.configured" ]; then
    configure
    touch "$dir/.configured"
fi

jobs=$(nproc)
echo "Building $dir$([ -f "$dir/lib/libheddle.so" ] || echo ' (takes a minute or two)')"
# Compilers are silent unless something is wrong; a terminal gets ninja's running count.
if [ -t 1 ] || [ ! -f "$dir/build.ninja" ]; then
    cmake --build "$dir" --parallel "$jobs" ${1:+--target "$@"}
else
    cmake --build "$dir" --parallel "$jobs" ${1:+--target "$@"} -- --quiet
fi
