# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests that hold instruction counts: programs of bench/insn, run and read. The
counts are exact; the least of some calls counts, which is one without any delay."""

import json
import os
import platform
import subprocess

from frame.script import ROOT, check, finish, oshcc, skip

INSN = ROOT / "bench/insn"


def build(program, source, *flags, more=()):
    """One of bench/insn's programs, of one source or of more, as ./NAME; ends the test where none
    can count."""
    if platform.machine() != "x86_64":
        skip("instructions are counted on x86-64 only")
    oshcc(program, "-std=gnu11", *flags, INSN / source, *(INSN / name for name in more),
          INSN / "step.c", ROOT / "bench/common.c")


def counts(command, *oshrun, **settings):
    """What a program counted: operation -> record. command: with its arguments."""
    env = {**os.environ, "LD_BIND_NOW": "1", **settings}
    run = subprocess.run(["oshrun", "-n", "2", *oshrun, *command], capture_output=True, text=True,
                         env=env, check=False)
    if not check(run.returncode == 0,
                 f"{' '.join((*oshrun, *command))}: status "
                 f"{run.returncode}\n{run.stdout}{run.stderr}"):
        finish()
    return {r["op"]: r
            for r in map(json.loads,
                         filter(lambda line: line.startswith("{"), run.stdout.splitlines()))}


def hold(where, found, op, most):
    """At most so many instructions."""
    record = found.get(op)
    count = record["min"] if record else 0
    check(0 < count <= most, f"{where} {op}: {count} instructions; at most {most}")
    print(f"{where:18} {op:32} {count:4.0f} of {most}")
