# SPDX-License-Identifier: BSD-3-Clause
"""The command line of python -m heddle run."""
import os
import sys

USAGE = """\
usage: python -m heddle run [--device D] [--numpy] program.py [arguments]
       python -m heddle run [...] -m module [arguments]
       python -m heddle run [...] -c text [arguments]

Runs a program with its imports of cupy and cupyx leading to Heddle.
  --device D   where arrays are made: cpu, cuda, cuda:1 (HEDDLE_DEVICE)
  --numpy      imports of numpy lead to Heddle, too; full reductions give NumPy's scalars
  --explain    says at the end how the work was put together
  --trace F    writes what ran, and when, to file F, for ui.perfetto.dev and chrome://tracing"""


class _Wrong(Exception):
    """The command line means nothing."""


class _Options:
    device, trace, kind, program = None, None, None, None
    numpy, explain, arguments = False, False, ()


def _read(words):
    """The options; what follows the program is the program's."""
    options, words = _Options(), list(words)
    while words:
        word = words.pop(0)
        name, is_long, value = word.partition("=")
        if word in ("-h", "--help"):
            raise _Wrong
        if name in ("--device", "--trace"):
            if not is_long and not words:
                raise _Wrong(f"{name} needs the name of a {'device' if name == '--device' else 'file'}")
            setattr(options, name[2:], value if is_long else words.pop(0))
        elif word in ("--numpy", "--explain"):
            setattr(options, word[2:], True)
        elif word in ("-m", "-c"):
            if not words:
                raise _Wrong(f"{word} needs an argument")
            options.kind, options.program, options.arguments = word, words[0], words[1:]
            return options
        elif word.startswith("-") and word != "-":
            raise _Wrong(f"unknown option {word}")
        else:
            options.kind, options.program, options.arguments = "file", word, words
            return options
    raise _Wrong("no program")


def _set_device(name):
    os.environ["HEDDLE_DEVICE"] = name      # child processes, too
    from .._state import device
    try:
        device(name)
    except (RuntimeError, ValueError) as error:
        raise _Wrong(str(error)) from None


def _numpys_scalars():
    """What is written for NumPy gets its scalars, unless the environment says otherwise."""
    from .._state import default_scalars
    os.environ.setdefault("HEDDLE_SCALARS", "numpy")    # child processes, too
    default_scalars()


def _say_at_exit():
    import atexit

    from . import report
    atexit.register(report.write)


def _trace(file):
    """A profile from here on, written when the program ends. The file is opened now: a name that is
    none is told before the program runs."""
    import atexit

    from .._profile import Profile
    try:
        to = open(file, "w", encoding="utf-8")
    except OSError as error:
        raise _Wrong(f"--trace: {error}") from None
    noted = Profile(to).start()

    def end():
        with to:
            noted.stop()
    atexit.register(end)


def main(words):
    """Runs the program; returns 2 when there is none to run, else what the program does is done."""
    from . import mapping, program
    try:
        options = _read(words)
        if options.numpy:
            _numpys_scalars()
        if options.device is not None:
            _set_device(options.device)
        if options.trace is not None:
            _trace(options.trace)
    except _Wrong as wrong:
        for text in wrong.args:
            print(f"python -m heddle run: {text}", file=sys.stderr)
        print(USAGE, file=sys.stderr if wrong.args else sys.stdout)
        return 2 if wrong.args else 0
    in_force = mapping.Mapping(numpy=options.numpy)
    in_force.install()
    if options.explain:
        _say_at_exit()
    try:
        if options.kind == "-c":
            program.run_text(options.program, options.arguments)
        elif options.kind == "-m":
            program.run_module(options.program, options.arguments, in_force.owners)
        else:
            program.run_file(options.program, options.arguments)
    except program.NotFound as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        return 1 if options.kind == "-m" else 2
    return 0
