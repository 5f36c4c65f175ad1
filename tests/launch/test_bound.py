#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that their launcher has bound to a core each wait as unbound ones do; on one core for all
they take it for crowded."""

import os
import re
import shutil
import subprocess

from common import check, finish
from frame.script import TESTS, oshcc, skip

ROOMY, CROWDED = "a processor for each PE", "more PEs than processors"
ENV = dict(os.environ, SHMEM_DEBUG="1", OMPI_ALLOW_RUN_AS_ROOT="1",
           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def waits(*command):
    """What the waits of two PEs do, as they say it; oshrun prints once what both say."""
    done = subprocess.run([*command, "./ring"], env=ENV, capture_output=True, text=True, timeout=60)
    lines = re.findall(r"(PEs 0, 1|PE [01]) of 2 .*waits spin (\d+) rounds and yield (\d+): "
                       r"the machine has (.*)$", done.stderr + done.stdout, re.M)
    said = {line[1:] for line in lines}
    check(done.returncode == 0 and len(said) == 1
          and {line[0] for line in lines} in ({"PEs 0, 1"}, {"PE 0", "PE 1"}),
          f"{command}: status {done.returncode}", done.stdout, done.stderr)
    return said.pop() if said else None


cpus = sorted(os.sched_getaffinity(0))
if len(cpus) < 2:
    skip("one processor")
oshcc("./ring", TESTS / "errors/ring.c")
one = ["taskset", "-c", str(cpus[0])] if shutil.which("taskset") else None
free = waits("oshrun", "-n", "2", "--bind-to", "none")
check(free and free[2] == ROOMY, "unbound PEs", free)
launchers = {"oshrun": (["oshrun", "-n", "2"], "--bind-to"),
             "mpiexec.hydra": (["mpiexec.hydra", "-n", "2"], "-bind-to"),
             "orterun": (["orterun", "-n", "2", "--oversubscribe"], "--bind-to")}
for name, (command, option) in launchers.items():
    if not shutil.which(command[0]):
        print(f"{name} is not installed: its part is left out")
        continue
    for unit in ("none", "core"):
        said = waits(*command, option, unit)
        check(said == free, f"{name}, bound to {unit}", said, free)
    said = waits(*one, *command, option, "none") if one else None
    check(not one or (said and said[2] == CROWDED), f"{name} on one processor", said)
finish()
