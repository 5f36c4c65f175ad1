#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process is killed while large transfers are staged in cells of the target's node: the host of
its node server, the target, a sender; in a stream of transfers, and while the target's node is
stopped and the senders wait for it. The job ends with a line that names the process, and nothing is
left. Over both endpoint modes, directly and along a topology, on 2+2 and 3+1 processes."""

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

from common import (alive, check, descendants, finish, kill_quietly, shared_objects, start,
                    wait_until)
from frame.script import SLOW, TESTS, oshcc

PES = 4
LIMIT = 60 * SLOW
# kind, processes of the first node, the one that is killed, endpoint mode, settings
CASES = [
    ("stream", 2, 2, "msg", {}),
    ("stream", 2, 3, "rdm", {}),
    ("stream", 2, 1, "msg", {}),
    ("stream", 3, 3, "msg", {}),
    ("stream", 2, 2, "rdm", {"CAUSEWAY_TOPOLOGY": "fcg"}),
    ("waiting", 2, 2, "msg", {}),
    ("waiting", 3, 3, "rdm", {}),
    ("waiting", 2, 1, "rdm", {}),
    ("waiting", 2, 2, "msg", {"CAUSEWAY_STAGING": "1"}),
]


def launch(program, kind, first, mode, env):
    """The job, when cells have been lent and used: its file and its processes {pe: pid}."""
    file = Path(mkdtemp(dir=Path.cwd())) / "ready"
    settings = env | {"CAUSEWAY_ENDPOINT": mode}
    words = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
    job = start("-n", PES, "-N", first, "--emulate-nodes", 2, "--timeout", LIMIT, *words, program,
                kind, file)
    wait_until(lambda: file.exists() or job.poll() is not None, LIMIT)
    return job, file, ({pe: int(Path(f"{file}.{pe}").read_text()) for pe in range(PES)}
                       if file.exists() else {})


def kill(program, kind, first, victim, mode, env):
    job, file, pids = launch(program, kind, first, mode, env)
    what = f"{kind}, {first}+{PES - first}, {mode} {env or ''}, PE {victim} killed"
    family = descendants(job.pid)
    stopped = [pids[pe] for pe in range(first, PES)] if kind == "waiting" and pids else []
    for pid in stopped:
        kill_quietly(pid, signal.SIGSTOP)
    Path(f"{file}.go").touch()
    time.sleep(0.3)  # into the transfers: whenever the kill comes, the same must follow
    check(job.poll() is None, f"{what}: goes on until then", job.returncode)
    kill_quietly(pids.get(victim, job.pid))
    out, err = job.communicate(timeout=LIMIT + 30)
    check(job.returncode == 128 + signal.SIGKILL, f"{what}: its status", job.returncode, out, err)
    check(re.search(rf"PE {victim} of {PES} \(pid {pids.get(victim)}\b.*signal 9", err),
          f"{what}: names the process", out, err)
    check("came through" not in out, f"{what}: no process comes through", out, err)
    check(wait_until(lambda: not alive(family), 20 * SLOW), f"{what}: nothing is left",
          alive(family))


def main():
    program = oshcc("./staged", TESTS / "launch/staged.c", "-larmci")
    before = shared_objects()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda case: kill(program, *case), CASES))
    check(not shared_objects() - before, "no shared object is left", shared_objects() - before)
    finish()


main()
