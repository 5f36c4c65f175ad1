#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a seed take the same steps on another machine? Some seeds of each scene run here and in the
emulated machine of tests/verbs, which has another kernel, another processor and less memory, and
the hashes of all their decisions are compared."""
import argparse
import os
import platform
import queue
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import build
import page

sys.path.insert(0, str(build.HERE.parent / "verbs"))
import machine  # noqa: E402

LONGEST = 150  # seconds for a run in the emulated machine
SAME = re.compile(r"^(\w+): seed (\d+) took the same steps (\d+) times, hash ([0-9a-f]+)$", re.M)


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --replay", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--seeds", type=int, default=3, help="of each scene; default 3")
    p.add_argument("--runs", type=int, default=4, help="of each seed and machine; default 4")
    p.add_argument("--from", type=int, dest="first", help="first seed; default: by the clock")
    p.add_argument("--scene", action="append", default=[], help="only this one (repeatable)")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    return p.parse_args()


FACTS = r"""
echo kernel $(uname -r | cut -d- -f1)
echo processor $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)
memory=$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)
echo memory $((memory / 1024)) MiB
"""


def scripts(out, args):
    """Shell commands that say what they run on, and those that run the seeds of each scene. A seed
    that fails is left out of what is printed, and so is missed in what is compared."""
    return [FACTS, *("".join(f"{out}/{scene} --seed {args.first + i} --same --runs {args.runs}\n"
                             for i in range(args.seeds))
                     for scene in args.scene or build.scene_names())]


def here(cases):
    return "".join(subprocess.run(["sh", "-c", commands], check=False, text=True, cwd="/",
                                  capture_output=True).stdout for commands in cases)


def elsewhere(cases, folder, longest):
    """What the commands print in the emulated machine; each case has so many seconds."""
    machine.ensure(folder / "machine", lambda text: print(f"sim: {text}", flush=True))
    said = []
    with tempfile.TemporaryDirectory(prefix="plan-", dir=folder) as plan, \
            (folder / "replay.log").open("w", encoding="utf-8") as log:
        (Path(plan) / "place").write_text(f"{build.ROOT}\n")
        for i, commands in enumerate(cases):
            (Path(plan) / str(i)).write_text(commands)
        (Path(plan) / "cases").write_text("".join(f"{i} {longest}\n" for i in range(len(cases))))
        emulated = machine.Machine(folder / "machine", build.ROOT, plan, log)
        try:
            while line := emulated.line(machine.BOOT_SECONDS + longest):
                said.append(line.removeprefix("| "))
                if SAME.match(said[-1]):
                    print(f"there: {said[-1]}", flush=True)
        except queue.Empty:
            print(f"sim: the machine gave no sign of life; see {folder / 'replay.log'}")
        finally:
            emulated.end(0)
    return "\n".join(said)


def taken(text):
    """{(scene, seed): hash}"""
    return {(m[1], m[2]): m[4] for m in SAME.finditer(text)}


def facts(text):
    return ", ".join(f"{name} {re.search(rf'^{name} (.*)$', text, re.M)[1]}"
                     for name in ("kernel", "processor", "memory"))


def main():
    args = arguments()
    args.first = args.first or time.time_ns() // 10**9 * 10**6
    if build.build(args.build) != 0:
        return 1
    out, folder = args.build.resolve() / "sim", args.build.resolve() / "verbs"
    folder.mkdir(exist_ok=True)
    cases = scripts(out, args)
    wanted = args.seeds * len(args.scene or build.scene_names())
    print(f"sim: {wanted} seeds, {args.runs} runs of each, here and then in an emulated machine",
          flush=True)
    mine = here(cases)
    try:
        other = elsewhere(cases, folder, LONGEST * args.seeds * args.runs)
    except machine.Missing as reason:
        sys.exit(f"sim: there is no second machine: {reason}")
    first, second = taken(mine), taken(other)
    for scene, seed in sorted({*first, *second}):
        a, b = first.get((scene, seed), "no result"), second.get((scene, seed), "no result")
        if a != b:
            print(f"{scene}: seed {seed}: {a} here, {b} there")
    same = sum(second.get(key) == value for key, value in first.items())
    print(f"{same} of {wanted} seeds took the same steps on both machines")
    if args.write and same == wanted:
        commit = subprocess.run(["git", "-C", build.ROOT, "rev-parse", "--short", "HEAD"],
                                text=True, check=False, capture_output=True).stdout.strip()
        page.write("Replay", f"""
Written by `./dev sim --replay --write`, at {commit or "an export"}: seeds of each scene:
{args.seeds}; runs of each seed on each of two machines, half of them from the start and half from
copies: {args.runs}. All {same} seeds took the same steps, by the hash of all decisions, on

- {facts(mine)};
- {facts(other)}
  (QEMU, every instruction emulated).
""")
    return 0 if same == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
