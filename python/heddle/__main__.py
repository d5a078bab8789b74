# SPDX-License-Identifier: BSD-3-Clause
"""python -m heddle info: what heddle.show_config() prints; python -m heddle run: _run/command.py."""
import sys


def main(arguments):
    if arguments[:1] == ["run"]:
        from ._run.command import main as run
        return run(arguments[1:])
    if arguments != ["info"]:
        print("usage: python -m heddle info\n       python -m heddle run [-h] program.py ...",
              file=sys.stderr)
        return 2
    from . import show_config
    show_config()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
