# SPDX-License-Identifier: BSD-3-Clause
"""Runs the stages of tools/test.py: first what a stage needs, several at once."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

STAGES = {}
RUNNING = set()
COUNTS = re.compile(r"(\d+) (passed|failed|errors?)\b")
FAULT = re.compile(r"^FAILED|^E  |not true|runtime error:|(ERROR|WARNING|SUMMARY): \w+Sanitizer")


def end(process):
    """Ends a command and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Failed(Exception):
    """The stage did not hold; the text says why."""


def stage(title, needs=(), cores=1, timeout=900, minutes=0):
    """Registers a function as a stage.

    cores: how many it keeps busy; timeout: seconds for each of its commands; minutes: about how
    long it takes on a small machine, so that the long ones begin first and cores end together.
    """
    def register(function):
        name = function.__name__.replace("_", "-")
        STAGES[name] = Stage(name, title, function, needs, cores, timeout, minutes)
        return function
    return register


class Stage:
    def __init__(self, name, title, function, needs, cores, timeout, minutes):
        self.name, self.title, self.function = name, title, function
        self.needs, self.cores, self.timeout = tuple(needs), cores, timeout
        self.minutes = minutes
        self.state, self.seconds, self.reason = "waiting", 0.0, ""
        self.passed = self.failed = 0
        self.log = None

    def say(self, text):
        self.log.write(text.rstrip("\n") + "\n")
        self.log.flush()

    def count(self, text):
        """Adds the counts of the last line that has any; returns them."""
        passed = failed = 0
        for line in reversed(text.splitlines()):
            found = COUNTS.findall(line)
            if found:
                passed = sum(int(n) for n, word in found if word == "passed")
                failed = sum(int(n) for n, word in found if word != "passed")
                break
        self.passed += passed
        self.failed += failed
        return passed, failed

    def sh(self, *command, env=None, cwd=None, timeout=None, count=False, check=True):
        """Runs a command into the log and returns its output; Failed when its status is not 0."""
        command = [str(c) for c in command]
        self.say("$ " + " ".join([f"{k}={v}" for k, v in (env or {}).items()] + command))
        limit = timeout or self.timeout
        # A group of its own, so that a time-out ends its children too.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", cwd=cwd,
                                   env=os.environ | (env or {}), start_new_session=True)
        RUNNING.add(process)
        late = False
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            end(process)
            output, _ = process.communicate()
            late = True
        RUNNING.discard(process)
        self.say(output)
        failed = self.count(output)[1] if count else 0
        if late:
            raise Failed(f"no end after {limit} s: {' '.join(command)}")
        if check and process.returncode != 0:
            code = process.returncode
            how = f"signal {-code}" if code < 0 else f"status {code}"
            raise Failed(f"{failed} failed" if failed else f"{how} from: {' '.join(command)}")
        return output

    def need(self, path):
        if not Path(path).exists():
            raise Failed(f"{path} is missing")

    def run(self, folder):
        start = time.monotonic()
        with open(folder / f"{self.name}.log", "w") as self.log:
            try:
                self.function(self)
                self.state = "failed" if self.failed else "passed"
            except Failed as e:
                self.state, self.reason = "failed", str(e)
            except Exception as e:     # a fault of ours shall look like a failure, not end the run
                self.state, self.reason = "failed", f"{type(e).__name__}: {e}"
            if self.reason:
                self.say(self.reason)
        # A stage without counted tests is one test itself.
        if self.state == "failed":
            self.failed = max(self.failed, 1)
        elif self.passed == 0:
            self.passed = 1
        self.seconds = time.monotonic() - start

    def show(self, folder, done, total):
        path = folder / f"{self.name}.log"
        print(f"\n=== [{done}/{total}] {self.name}: {self.title}: {self.state}, "
              f"{self.passed} passed, {self.failed} failed, {self.seconds:.0f} s")
        log = [line for line in path.read_text().splitlines() if line.strip()]
        if self.state == "failed":
            log = log[-80:] + [f"FAILED: {self.reason or 'see above'} (whole log: {path})"]
        else:
            log = [line for line in log if not line.startswith("$ ")][-3:]
        for line in log:
            print("    " + line)
        sys.stdout.flush()


def show_faults(stages, folder, most=40):
    """Says again what went wrong, at the end, where a long output is looked at first."""
    for s in stages:
        if s.state != "failed" or not s.log:
            continue
        log = (folder / f"{s.name}.log").read_text().splitlines()
        near = {k for number, line in enumerate(log) if FAULT.search(line)
                for k in range(number, min(number + 3, len(log)))}
        print(f"\n!!! {s.name}: {s.reason or 'failed'}")
        for number in sorted(near)[:most]:
            print("    " + log[number][:300])


def closure(names):
    """The stages asked for and what they need, in the order of their definition."""
    wanted, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += STAGES[name].needs
    return [s for s in STAGES.values() if s.name in wanted]


class Scheduler:
    def __init__(self, stages, folder, cores):
        self.stages, self.folder = stages, folder
        self.cores = self.free = cores
        self.done = 0
        self.changed = threading.Condition()

    def ready(self):
        """A waiting stage whose needs have passed and that fits the free cores: what others need,
        else what takes longest.

        A stage whose need failed fails here.
        """
        fit = []
        for s in self.stages:
            if s.state != "waiting":
                continue
            broken = [n for n in s.needs if STAGES[n].state == "failed"]
            if broken:
                s.state, s.failed, s.reason = "failed", 1, f"not run: needs {', '.join(broken)}"
                (self.folder / f"{s.name}.log").write_text("")
                self.finish(s)
            elif (all(STAGES[n].state == "passed" for n in s.needs)
                  and min(s.cores, self.cores) <= self.free):
                fit.append(s)
        needed = {n for s in self.stages for n in s.needs}
        return max(fit, key=lambda s: (s.name in needed, s.minutes), default=None)

    def finish(self, s):
        self.done += 1
        s.show(self.folder, self.done, len(self.stages))
        self.changed.notify_all()

    def work(self, s, cores):
        s.run(self.folder)
        with self.changed:
            self.free += cores
            self.finish(s)

    def run(self):
        with self.changed:
            while self.done < len(self.stages):
                s = self.ready()
                if s is None:
                    if self.done < len(self.stages):
                        self.changed.wait()
                    continue
                cores = min(s.cores, self.cores)
                self.free -= cores
                s.state = "running"
                print(f"--- {s.name}: {s.title} ...", flush=True)
                threading.Thread(target=self.work, args=(s, cores), daemon=True).start()


def run_stages(names, folder, cores):
    """Runs them, prints the summary; returns whether all passed."""
    folder.mkdir(parents=True, exist_ok=True)
    stages = closure(names)
    start = time.monotonic()
    try:
        Scheduler(stages, folder, cores).run()
    finally:
        for process in list(RUNNING):      # after Ctrl-C
            end(process)
    print(f"\n{'stage':16}{'result':10}{'passed':>8}{'failed':>8}{'seconds':>9}")
    for s in stages:
        print(f"{s.name:16}{s.state:10}{s.passed:8}{s.failed:8}{s.seconds:9.1f}")
    show_faults(stages, folder)
    print(f"{len(stages)} stages in {time.monotonic() - start:.0f} s")
    passed, failed = sum(s.passed for s in stages), sum(s.failed for s in stages)
    print(f"{passed} passed, {failed} failed", flush=True)
    return failed == 0
