#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh demo|test|bench|wheel - gets what that make target needs: Debian packages, and .venv with PyPI packages.
#
# Quiet and quick when nothing is missing. Exit status 2, with the exact commands on stderr, when something is
# missing that it may not or cannot install itself (no root and no password-less sudo; PyPI out of reach).
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?usage: setup.sh demo|test|bench|wheel}
case $target in
    demo | bench) groups=(demo) ;;
    test) groups=(demo test) ;;
    wheel) groups=() ;;
    *) echo "setup.sh: unknown target $target" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }

# ---- what is missing ----------------------------------------------------------------------------------------

missing=()              # Debian packages
need() {                # need COMMAND PACKAGE...
    command -v "$1" >/dev/null || missing+=("${@:2}")
}

has_header() {          # has_header COMPILER HEADER
    echo "#include <$2>" | "$1" -E - >/dev/null 2>&1
}

python_works() {        # new enough, can make a virtual environment, has its headers
    "$1" - >/dev/null 2>&1 <<'PY'
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))
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

find_missing() {
    missing=()
    need gcc gcc libc6-dev
    if command -v gcc >/dev/null && ! has_header gcc stdio.h; then
        missing+=(libc6-dev)
    fi
    need make make
    need cmake cmake
    need ninja ninja-build
    need objdump binutils
    if [ "$target" = test ]; then
        need g++ g++
        need clang clang
        need pkg-config pkg-config
    fi
    if venv_works; then
        python=$PWD/.venv/bin/python
    else
        choose_python
    fi
}

# ---- Debian packages ----------------------------------------------------------------------------------------

as_root() {             # the prefix that makes a command run as root; fails if there is none
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo sudo
    else
        return 1
    fi
}

give_up() {             # what to type instead, and status 2
    {
        echo
        echo "Heddle is not set up: $1"
        echo "These commands are missing; run them, then make $target again:"
        echo
        if [ ${#missing[@]} != 0 ]; then
            echo "    apt-get update                     # as root"
            echo "    apt-get install -y ${missing[*]}   # as root"
        fi
        if ! venv_works; then
            echo "    $python -m venv .venv"
        fi
        if ! venv_current; then
            echo "    .venv/bin/pip install $(list_requirements | sed "s/.*/'&'/" | paste -sd' ')"
        fi
        echo
    } >&2
    exit 2
}

install_packages() {
    local root
    [ ${#missing[@]} != 0 ] || return 0
    say "missing Debian packages: ${missing[*]}"
    command -v apt-get >/dev/null || give_up "this is not Debian: there is no apt-get for ${missing[*]}."
    root=$(as_root) || give_up "Debian packages are missing, and there is neither root nor password-less sudo."
    say "apt-get update"
    $root apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
    say "apt-get install -y ${missing[*]}"
    # stdin is closed so that no package can wait for an answer.
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null >build/apt.log 2>&1 ||
        { tail -20 build/apt.log >&2; give_up "apt-get could not install them (whole log: build/apt.log)."; }
    hash -r
    find_missing
    [ ${#missing[@]} = 0 ] || give_up "apt-get ran, and these are still missing."
}

# ---- .venv --------------------------------------------------------------------------------------------------

venv_works() { [ -f .venv/.heddle-python ] && .venv/bin/python -c '' 2>/dev/null; }

# One stamp a group: what pyproject.toml asked for when it was installed.
stamp_value() { cksum <pyproject.toml; }
venv_current() {
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

make_venv() {
    venv_works && return 0
    say "making .venv with $("$python" -c 'import sys; print("Python", sys.version.split()[0])') ($python)"
    rm -rf .venv
    "$python" -m venv .venv >build/venv.log 2>&1 ||
        { tail -5 build/venv.log >&2; give_up "$python cannot make a virtual environment."; }
    echo "$python" >.venv/.heddle-python
    python=$PWD/.venv/bin/python
}

fill_venv() {
    local list group
    venv_current && return 0
    mapfile -t list < <(list_requirements)
    say "installing from PyPI into .venv: ${list[*]}"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 2 --no-input "${list[@]}" \
        >build/pip.log 2>&1 ||
        { grep -v '^WARNING: Retrying' build/pip.log | tail -5 >&2
          give_up "pip could not install them: is PyPI within reach? (whole log: build/pip.log)"; }
    for group in run ${groups[@]+"${groups[@]}"}; do
        stamp_value >".venv/.heddle-$group"
    done
}

mkdir -p build
find_missing
install_packages
make_venv
fill_venv
