#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In a control group with little memory: the default heap is a share of it, one that was asked for
and does not fit is refused, and a PE that is killed for lack of memory is named as such."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, TESTS, check, finish, oshcc, skip

MIB = 1 << 20
LIMIT = 256 * MIB
KILLED = (r"^oshrun: PE \d of 2 \(pid \d+, host \S+\) was killed by signal 9 \(Killed\) by the "
          r"system, which had no memory left")


def make_group():
    """(folder, its file of processes, what makes it) or a reason why not."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        unified = controllers == ""
        if not unified and "memory" not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup") / ("" if unified else "memory")
        above = root / group.lstrip("/")
        if unified and "memory" not in (above / "cgroup.subtree_control").read_text().split():
            continue
        folder = above / f"causeway-test-{os.getpid()}"
        folder.mkdir()
        limits = ["memory.max", "memory.swap.max"] if unified else ["memory.limit_in_bytes"]
        try:
            for name, value in zip(limits, (LIMIT, 0)):
                (folder / name).write_text(str(value))
        except OSError:
            folder.rmdir()
            raise
        return folder
    raise OSError("no control group that has the memory controller to give on")


def run(folder, program, *arguments, **env):
    """oshrun, and all that it starts, in the group."""
    command = [STAGE / "bin/oshrun", "-n", 2, program, *arguments]
    shell = f"echo $$ > {folder}/cgroup.procs && exec \"$@\""
    done = subprocess.run(list(map(str, ["sh", "-c", shell, "sh", *command])), text=True,
                          capture_output=True, timeout=60, env=dict(os.environ, **env))
    return done.returncode, done.stdout + done.stderr


def main():
    try:
        folder = make_group()
    except OSError as error:
        skip(f"cannot make a control group: {error}")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            program = oshcc(f"{scratch}/large_heap", TESTS / "errors/large_heap.c")
            status, output = run(folder, program, 1, SHMEM_DEBUG="1")
            heap = LIMIT * 3 // 4 // 2
            check(status == 0 and f"symmetric heap {heap} bytes" in output, "the default", output)
            status, output = run(folder, program, 1, SHMEM_SYMMETRIC_SIZE="200M")
            check(status not in (0, 124) and "but it has 0.25 GiB" in output, "two of 200 MiB",
                  output)
            env = {"SHMEM_SYMMETRIC_SIZE": "128M"}
            status, output = run(folder, program, 127, "all", **env)
            check(status == 137 and re.search(KILLED, output, re.M), f"status {status}", output)
            # The same end without a lack of memory is not named so.
            done = subprocess.run([STAGE / "bin/oshrun", "-n", "2", "sh", "-c", "kill -9 $$"],
                                  text=True, capture_output=True, timeout=60)
            check(done.returncode == 137 and "signal 9 (Killed)" in done.stderr and
                  "memory" not in done.stderr, "another kill", done.stderr)
    finally:
        folder.rmdir()
    finish()


main()
