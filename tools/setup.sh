#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh demo|test|bench|wheel|docs - gets what that make target needs: Debian packages, and .venv with
# packages from PyPI. Quiet and quick when nothing is missing.
#
# CUDA's compiler comes with test and wheel, and with demo and bench where there is an NVIDIA driver;
# without it the library is made without what it compiles (docs/design/cuda.md).
#
# Exit status 2, with the exact commands on stderr, when it cannot install what is missing: no root
# and no password-less sudo, or PyPI out of reach.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:-}
case $target in
    demo) groups=(demo) ;;
    bench) groups=(demo bench) ;;
    test) groups=(demo test docs) ;;
    wheel) groups=() ;;
    docs) groups=(demo docs) ;;
    *) echo "usage: setup.sh demo|test|bench|wheel|docs" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }

# ---- what is missing -----------------------------------------------------------------------------

missing=()              # Debian packages
need() {                # need COMMAND PACKAGE...
    command -v "$1" >/dev/null || missing+=("${@:2}")
}

python_works() {        # new enough, can make a virtual environment, has its headers
    "$1" - >/dev/null 2>&1 <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(header))
PY
}

choose_python() {       # sets $python; adds packages for Debian's own when no other is fit
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if command -v "$candidate" >/dev/null && python_works "$candidate"; then
            python=$(command -v "$candidate")
            return
        fi
    done
    python=/usr/bin/python3
    missing+=(python3 python3-venv python3-dev)
}

# LLVM, for the code generator, with what it is linked with; clang, for tier 0 of GPUs. Optional:
# without them kernels stay on tier 0, on GPUs they are compiled before they run.
generator_packages=(llvm-19-dev g++ zlib1g-dev libzstd-dev clang)
generator_missing() {
    ! { [ -x /usr/lib/llvm-19/bin/llvm-config ] && command -v g++ >/dev/null &&
        command -v clang >/dev/null &&
        [ -e /usr/include/zlib.h ] && [ -e /usr/include/zstd.h ]; }
}

find_missing() {
    missing=()
    need gcc gcc
    echo "#include <stdio.h>" | gcc -E - >/dev/null 2>&1 || missing+=(libc6-dev)
    need make make
    need cmake cmake
    need ninja ninja-build
    need objdump binutils
    need pkg-config pkg-config
    if [ "$target" = test ]; then
        need g++ g++
        need clang clang
    fi
    if venv_works; then
        python=.venv/bin/python
    else
        choose_python
    fi
}

# ---- Debian packages -----------------------------------------------------------------------------

as_root() {             # what to put before a command to run it as root; fails if nothing does
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo sudo env
    else
        return 1
    fi
}

root_command() {        # the same for whoever reads it: can be pasted as it is
    if [ "$(id -u)" = 0 ]; then
        echo "    $1"
    elif command -v sudo >/dev/null; then
        echo "    sudo $1"
    else
        echo "    su -c '$1'"
    fi
}

give_up() {             # what to type instead, and status 2
    {
        echo
        echo "Heddle is not set up: $1"
        echo "These commands are missing; run them, then make $target again:"
        echo
        if [ ${#missing[@]} != 0 ]; then
            root_command "apt-get update"
            root_command "apt-get install -y ${missing[*]}"
        fi
        venv_works || echo "    $python -m venv .venv"
        venv_filled || echo "    .venv/bin/pip install $(quoted_requirements)"
        echo
    } >&2
    exit 2
}

install_packages() {
    local root log=build/apt.log
    [ ${#missing[@]} != 0 ] || return 0
    say "missing Debian packages: ${missing[*]}"
    command -v apt-get >/dev/null || give_up "this is not Debian, there is no apt-get."
    root=$(as_root) || give_up "Debian packages need root, or sudo without a password."
    say "apt-get update"
    $root apt-get update -qq || say "apt-get update failed; going on with the lists that are there"
    say "apt-get install -y ${missing[*]}"
    # No stdin: nothing shall wait for an answer.
    if ! $root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null >"$log" 2>&1; then
        tail -20 "$log" >&2
        give_up "apt-get could not install them (whole log: $log)."
    fi
    hash -r
    find_missing
    [ ${#missing[@]} = 0 ] || give_up "apt-get has run, and these are still missing."
}

install_generator() {   # asks for nothing, stops at nothing; tried once a checkout
    local root log=build/apt-llvm.log
    generator_missing && [ ! -e build/.no-generator ] || return 0
    if command -v apt-get >/dev/null && root=$(as_root); then
        apt-cache show llvm-19-dev >/dev/null 2>&1 || $root apt-get update -qq || true
        say "code generator: apt-get install ${generator_packages[*]} (a minute)"
        $root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            -o Dpkg::Use-Pty=0 "${generator_packages[@]}" </dev/null >"$log" 2>&1 || true
    fi
    if generator_missing; then
        say "no LLVM 19 here: kernels run on tier 0. To have it: apt-get install" \
            "${generator_packages[*]}"
        touch build/.no-generator
    fi
}

# ---- .venv ---------------------------------------------------------------------------------------

# A .venv made by hand is as good as ours; the stamp only saves the closer look.
venv_works() {
    .venv/bin/python -c '' 2>/dev/null || return 1
    [ -f .venv/.heddle-python ] || { python_works .venv/bin/python && touch .venv/.heddle-python; }
}

# One stamp a group: what pyproject.toml said when it was installed.
stamp_value() { cksum <pyproject.toml; }
venv_filled() {
    local group
    for group in run ${groups[@]+"${groups[@]}"}; do
        [ "$(cat ".venv/.heddle-$group" 2>/dev/null)" = "$(stamp_value)" ] || return 1
    done
}

# The lists in pyproject.toml stand on one line each, so that no Python is needed to print them.
list_requirements() {
    local key
    for key in dependencies ${groups[@]+"${groups[@]}"}; do
        sed -n "s/^$key = \[\(.*\)\].*/\1/p" pyproject.toml | grep -o '"[^"]*"' | tr -d '"'
    done
}

quoted_requirements() { list_requirements | sed "s/.*/'&'/" | paste -sd' '; }

make_venv() {
    venv_works && return 0
    say "making .venv with $python ($("$python" --version))"
    rm -rf .venv
    if ! "$python" -m venv .venv >build/venv.log 2>&1; then
        tail -5 build/venv.log >&2
        give_up "$python cannot make a virtual environment."
    fi
    python=.venv/bin/python
}

fill_venv() {
    local list group log=build/pip.log
    venv_filled && return 0
    mapfile -t list < <(list_requirements)
    say "installing from PyPI into .venv: ${list[*]}"
    if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        --retries 2 "${list[@]}" >"$log" 2>&1; then
        grep -v '^WARNING: Retrying' "$log" | tail -5 >&2
        give_up "pip could not install them: is PyPI within reach? (whole log: $log)"
    fi
    for group in run ${groups[@]+"${groups[@]}"}; do
        stamp_value >".venv/.heddle-$group"
    done
}

# CUDA's compiler, for libheddle_cub. Optional as LLVM is; for demo and bench only where there is a
# GPU to use it.
install_cuda() {
    local list log=build/pip-cuda.log
    case $target in
        demo | bench | docs) [ -e /dev/nvidiactl ] || return 0 ;;
    esac
    [ "$(cat .venv/.heddle-cuda 2>/dev/null)" != "$(stamp_value)" ] || return 0
    mapfile -t list < <(groups=(cuda) && list_requirements | grep '^nvidia')
    say "installing CUDA's compiler into .venv (105 MB): ${list[*]}"
    if .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --retries 2 \
        "${list[@]}" >"$log" 2>&1; then
        stamp_value >.venv/.heddle-cuda
    else
        say "no CUDA compiler (whole log: $log): nothing is sorted on GPUs"
    fi
}

# Libraries whose use is tested. One that cannot be had stops nothing: its tests say that it is
# missing.
install_libraries() {
    local list one log=build/pip-libraries.log
    local quietly=(.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input
                   --retries 2)
    [ "$target" = test ] || return 0
    [ "$(cat .venv/.heddle-libraries 2>/dev/null)" != "$(stamp_value)" ] || return 0
    mapfile -t list < <(groups=(frames fields others storage) && list_requirements)
    say "installing libraries to test with into .venv: ${list[*]}"
    if ! "${quietly[@]}" "${list[@]}" >"$log" 2>&1; then
        for one in "${list[@]}"; do
            "${quietly[@]}" "$one" >>"$log" 2>&1 || say "not installed: $one (whole log: $log)"
        done
    fi
    stamp_value >.venv/.heddle-libraries
}

mkdir -p build
find_missing
install_packages
install_generator
make_venv
fill_venv
install_cuda
install_libraries
