# SPDX-License-Identifier: BSD-3-Clause
"""The stacks of processes that do not end: a test that is stopped for its time limit shows what it
waited for."""

import shutil
import subprocess
from pathlib import Path

MOST_PROCESSES = 16
SECONDS_EACH = 20


def _read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _frames(pid):
    """Threads and frames as gdb shows them, without its other lines."""
    try:
        done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex",
                               "set print frame-arguments none",
                               "-ex", "thread apply all backtrace 14"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=SECONDS_EACH)
    except (OSError, subprocess.TimeoutExpired) as e:
        return [f"no stack: {type(e).__name__}"]
    return [line for line in done.stdout.splitlines() if line.startswith(("Thread ", "#"))]


def of(pids):
    """Text: a line for each process (command, state, place in the kernel), with its stacks if gdb
    is installed."""
    text = ["--- where its processes stood ---"]
    for pid in sorted(pids)[:MOST_PROCESSES]:
        command = _read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
        state = _read(pid, "stat").rpartition(b")")[2].decode().split()[:2]
        if not state:
            continue
        where = _read(pid, "wchan").decode(errors="replace") or "?"
        text.append(f"[{pid}, parent {state[1]}, {state[0]}, in {where}] {command[:160]}")
        if shutil.which("gdb"):
            text += ["    " + line for line in _frames(pid)]
    if len(pids) > MOST_PROCESSES:
        text.append(f"and {len(pids) - MOST_PROCESSES} more")
    return "\n".join(text) + "\n"
