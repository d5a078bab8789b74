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

# What the preset native asks this machine: a GPU that came or went makes it ask again.
gpus=
[ "$preset" != native ] ||
    gpus=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u) || gpus=

# The build itself notices changed CMakeLists and new source files; presets are ours to notice.
if [ ! -f "$dir/.configured" ] || [ CMakePresets.json -nt "$dir/.configured" ] ||
    [ "$(cat "$dir/.configured")" != "$gpus" ]; then
    configure
    echo "$gpus" >"$dir/.configured"
fi

jobs=$(nproc)
# Minutes of one core, measured; ptxas and nvcc are the compilers of device code.
work() {
    local minutes=7
    if [ -f "$dir/build.ninja" ]; then
        ! grep -q 'DESC = nvcc' "$dir/build.ninja" || minutes=$((minutes + 6))
        minutes=$((minutes + $(grep -c 'DESC = ptxas' "$dir/build.ninja" || true)))
    fi
    echo $((minutes / jobs + 1))
}
first=
[ -f "$dir/lib/libheddle.so" ] || first=" (takes about $(work) min on $jobs cores)"
echo "Building $dir$first"

# In a log: a line for each tenth of a long build instead of one for each file.
tenths() {
    awk -v dir="$dir" '
        /^\[[0-9]+\/[0-9]+\] / {
            split(substr($1, 2), n, /[\/\]]/)
            tenth = int(10 * n[1] / n[2])
            if (n[2] >= 50 && tenth > last) {
                last = tenth
                printf "Building %s: %d of %d files\n", dir, n[1], n[2]
                fflush()
            }
            next
        }
        /^-- / { next }       # cmake, run again
        { print; fflush() }'
}

# Compilers are silent unless something is wrong; a terminal gets ninja's running count.
if [ -t 1 ] || [ ! -f "$dir/build.ninja" ]; then
    cmake --build "$dir" --parallel "$jobs" ${1:+--target "$@"}
else
    NINJA_STATUS='[%f/%t] ' cmake --build "$dir" --parallel "$jobs" ${1:+--target "$@"} | tenths
fi
