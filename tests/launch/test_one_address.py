#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric memory is at one address on all PEs, under every launcher, of programs at a fixed
address and of position-independent ones: these oshrun starts without randomisation, and those of
other launchers begin again, once. Not so where that is switched off or forbidden, and no other
program begins again."""

import os
import shutil
import subprocess

from common import OSHRUN, check, finish, skip
from frame.script import TESTS, oshcc

HERE = TESTS / "launch"
PROGRAMS = {"fixed": oshcc("./fixed", HERE / "one_address.c", "-no-pie"),
            "pie": oshcc("./pie", HERE / "one_address.c", "-pie"),
            "archive": oshcc("./archive", HERE / "one_address.c", "-pie", "-static-causeway")}
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}
OTHERS = {name: words for name, words in (("hydra", ["mpiexec.hydra", "-n", "4"]),
                                          ("orterun", ["orterun", "--quiet", "-n", "4"]))
          if shutil.which(words[0])}


def run(*words, env=None):
    return subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100, check=False, env={**ENV, **(env or {})})


def good(what, address, restarted, *words, env=None, constructed=1):
    job = run(*words, env=env)
    want = f"PEs: {address}, {restarted}, constructed {constructed}\n"
    check(job.returncode == 0 and job.stdout.endswith(want), f"{what}: {want.strip()}",
          job.returncode, job.stdout, job.stderr[-1000:])
    return job


def with_oshrun():
    for kind, program in PROGRAMS.items():
        good(f"oshrun, {kind}", "one address", "not restarted", OSHRUN, "-n", 4, program, "align")
        good(f"oshrun, 2 nodes, {kind}", "one address", "not restarted", OSHRUN, "-n", 3,
             "--emulate-nodes", 2, program)
    good("switched off", "addresses differ", "not restarted", OSHRUN, "-n", 4, "-x",
         "CAUSEWAY_ONE_ADDRESS=0", PROGRAMS["pie"])
    good("switched off, at a fixed address", "one address", "not restarted", OSHRUN, "-n", 4, "-x",
         "CAUSEWAY_ONE_ADDRESS=no", PROGRAMS["fixed"])


def with_others():
    for name, launch in OTHERS.items():
        good(f"{name}, fixed", "one address", "not restarted", *launch, PROGRAMS["fixed"])
        for kind in ("pie", "archive"):
            good(f"{name}, {kind}", "one address", "restarted", *launch, PROGRAMS[kind])
        off = ["-x", "CAUSEWAY_ONE_ADDRESS"] if name == "orterun" else []
        good(f"{name}, switched off", "addresses differ", "not restarted", *launch, *off,
             PROGRAMS["pie"], env={"CAUSEWAY_ONE_ADDRESS": "0"})


def forbidden():
    """As in containers."""
    forbid = oshcc("./forbid", HERE / "forbid.c")
    if run(forbid, "true").returncode == 77:
        print("not tried: seccomp is missing")
        return
    job = good("forbidden", "addresses differ", "not restarted", forbid, OSHRUN, "-n", 4,
               PROGRAMS["pie"], env={"SHMEM_DEBUG": "1"})
    why = "randomisation could not be turned off (personality(2))"
    check(why in job.stderr, "forbidden: a line says so", job.stderr)
    good("forbidden, between nodes", "addresses differ", "not restarted", forbid, OSHRUN, "-n", 2,
         "--emulate-nodes", 2, PROGRAMS["pie"])
    good("forbidden, fixed", "one address", "not restarted", forbid, OSHRUN, "-n", 4,
         PROGRAMS["fixed"], "align")
    if "hydra" in OTHERS:
        good("forbidden, Hydra", "addresses differ", "not restarted", forbid, *OTHERS["hydra"],
             PROGRAMS["pie"])


def others_do_not_begin_again():
    good("without a launcher", "one address", "not restarted", PROGRAMS["pie"])
    with open("linked.c", "w", encoding="utf-8") as f:
        f.write('#include <stdio.h>\n#include <stdlib.h>\n'
                'int main(void) { puts(getenv("CAUSEWAY_RESTARTED") ? "again" : "once"); }\n')
    linked = oshcc("./linked", "linked.c", "-pie", "-Wl,--no-as-needed")
    if "hydra" in OTHERS:
        job = run("mpiexec.hydra", "-n", 1, linked)
        check(job.stdout == "once\n", "a program that calls nothing", job.stdout, job.stderr)


if run("setarch", "-R", "true").returncode != 0:
    skip("personality(2) is not allowed here")
with_oshrun()
with_others()
forbidden()
others_do_not_begin_again()
finish()
