# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of launching: running oshrun, finding what is left behind, reporting."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from frame.script import BUILD, STAGE, check, finish, skip  # noqa: F401

OSHRUN = str(next((p for p in (STAGE / "bin/oshrun", BUILD / "tools/oshrun/oshrun") if p.exists()),
                  "oshrun"))
# A name of this test's own, by which it finds its processes while other tests run the same
# program.
PROBE = str(Path.cwd() / "launch_probe")
if not os.path.lexists(PROBE):
    os.symlink(BUILD / "tests/launch/launch_probe", PROBE)


def run(*args, timeout=20, **kwargs):
    """Runs oshrun to its end; standard input is empty unless given."""
    if "input" not in kwargs:
        kwargs.setdefault("stdin", subprocess.DEVNULL)
    kwargs.setdefault("text", True)
    return subprocess.run([OSHRUN, *map(str, args)], capture_output=True, timeout=timeout, **kwargs)


def start(*args, **kwargs):
    """Starts oshrun and leaves it running."""
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    kwargs.setdefault("text", True)
    return subprocess.Popen([OSHRUN, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **kwargs)


def processes():
    """Live processes as {pid: (parent, arguments)}; zombies count as dead."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            args = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(
                errors="replace").strip()
        except OSError:
            continue
        if stat[0] not in "ZX":
            found[int(entry.name)] = (int(stat[1]), args)
    return found


def descendants(pid):
    table = processes()
    found, front = set(), {pid}
    while front:
        front = {p for p, (parent, _) in table.items() if parent in front} - found
        found |= front
    return found


def wait_until(condition, seconds):
    """Polls; returns whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def alive(pids):
    return set(pids) & set(processes())


def shared_objects():
    """Names in /dev/shm that could be Causeway's."""
    return {name for name in os.listdir("/dev/shm")
            if re.search("causeway|shmem|oshrun", name, re.I)}


def lines_of(text):
    return sorted(text.splitlines())


def children_running(job, npes, seconds=10):
    """The PEs of a started oshrun, once there are npes of them (its guard does not count)."""
    found = []

    def look():
        found[:] = [p for p, (parent, args) in processes().items()
                    if parent == job.pid and not args.startswith(OSHRUN)]
        return len(found) == npes

    return sorted(found) if wait_until(look, seconds) else []


def kill_quietly(pid, signo=signal.SIGKILL):
    try:
        os.kill(pid, signo)
    except ProcessLookupError:
        pass
