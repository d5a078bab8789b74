# SPDX-License-Identifier: BSD-3-Clause
"""Forking in the middle of a fuzzed program: the child goes on with the program as the parent does,
and ends with it."""

import os
import select
import signal
import time

SECONDS = 60   # after which a child counts as hanging
_children = []   # (process, end of the pipe that it tells a mismatch by)
_tell = None     # in a child: the other end


def fork():
    global _tell
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        _children.append((child, read))
    else:
        for _, other in _children:   # they are the parent's
            os.close(other)
        _children.clear()
        os.close(read)
        if _tell is not None:
            os.close(_tell)
        _tell = write


def _wait(child, pipe):
    """None, or how the child failed."""
    text, deadline = b"", time.monotonic() + SECONDS
    while select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
        more = os.read(pipe, 65536)
        if not more:
            break
        text += more
    else:
        os.kill(child, signal.SIGKILL)
        text = b"it hangs"
    os.close(pipe)
    status = os.waitpid(child, 0)[1]
    if text or status:
        return text.decode(errors="replace") or f"wait status {status}"
    return None


def join(failure=None):
    """Waits for the children of this program; a child ends here, after telling its own failure.
    Returns the first failure of a child as text, or None."""
    found = None
    for child, pipe in _children:
        found = _wait(child, pipe) or found
    _children.clear()
    failure = failure or found
    if _tell is not None:
        if failure:
            os.write(_tell, str(failure)[-4000:].encode())
        os._exit(1 if failure else 0)
    return found


def in_child():
    return _tell is not None
