# SPDX-License-Identifier: BSD-3-Clause
"""python -m heddle info: what heddle.show_config() prints."""
import sys

from . import show_config


def main(arguments):
    if arguments != ["info"]:
        print("usage: python -m heddle info", file=sys.stderr)
        return 2
    show_config()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
