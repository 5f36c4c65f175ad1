#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of operations by seed (generate.h), until one fails; then it is shrunk to the fewest
operations, each step being tried with seeds of its own, and printed as a scene."""
import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import build
import power

SLICE = 10  # seconds of a scene at a time


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --random", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--minutes", type=float, default=1, help="until a program fails; default 1")
    p.add_argument("--scene", action="append", default=[], help="of random_... (repeatable)")
    p.add_argument("--seed", type=int, help="first seed; default: by the clock")
    p.add_argument("--mutation", help="with this mutation of mutations/ built in")
    p.add_argument("--name", default="found", help="of the scene that is printed")
    p.add_argument("--patience", type=float, default=3,
                   help="seconds that a smaller program has to fail; at least thrice what "
                        "the first one took")
    return p.parse_args()


class Shrinker:
    def __init__(self, out, place, scene, patience):
        self.out, self.place, self.scene, self.patience = out, place, scene, patience
        self.words = []  # model and strategy of the finding
        self.tries = 0

    def run(self, *words):
        cpus = sorted(os.sched_getaffinity(0))
        return subprocess.run([self.out / self.scene, "--cpu", str(cpus[os.getpid() % len(cpus)]),
                               *map(str, words)], text=True, check=False, capture_output=True,
                              env={"LD_LIBRARY_PATH": str(self.place)}).stdout

    def program_of(self, seed):
        text = self.run("--seed", seed, "--findings", 2, "--set", "SIM_PRINT=1")
        block = re.split(r"^FINDING", text[text.index(f" seed {seed} "):], flags=re.M)[0]
        return re.findall(r"^program: (.*)$", block, re.M)

    def fails(self, program):
        """The finding, if a smaller program still has one."""
        self.tries += 1
        return power.FOUND.search(self.run("--seconds", max(1, round(self.patience)), *self.words,
                                           "--set", "SIM_PROGRAM=" + ";".join(program)))

    def fewer(self, program):
        """Without operations that are not needed: halves first, single ones in the end."""
        size = max(1, len(program) // 2)
        while True:
            at, before = 0, len(program)
            while at < len(program):
                smaller = program[:at] + program[at + size:]
                if smaller and self.fails(smaller):
                    program = smaller
                    print(f"  {len(program)} operations", flush=True)
                else:
                    at += size
            if size == 1 and len(program) == before:
                return program
            size = max(1, size // 2)

    def simpler(self, program):
        """With the default context and the first threads, as far as it still fails: all lines at
        once, then each."""
        for pattern, with_ in ((r" c\d", ""), (r"^(\d)\.\d", r"\1.0"), (r"_nbi\b", "")):
            for lines in (range(len(program)), *([i] for i in range(len(program)))):
                trial = [re.sub(pattern, with_, line) if at in lines else line
                         for at, line in enumerate(program)]
                if trial != program and self.fails(trial):
                    program = trial
        return program


def as_scene(scene, program, name, what):
    """The scene, with this program in place of those by seed."""
    text = (build.HERE / "scenes" / f"{scene}.c").read_text()
    lines = "\n".join(f'    "{line}\\n"' for line in program)
    call = "run_program(program, NULL, false);"
    body = "" if "run_random();" in text else f"\nstatic void run(void)\n{{\n    {call}\n}}\n"
    text = re.sub(r"(?s)^//.*?#define MOST_THREADS.*?\n", "", text)
    text = re.sub(r'#include "../(\w*)generate.h"\n',
                  lambda m: f'#include "../{m[1]}program.h"\n\nstatic const char program[] =\n'
                            f"{lines};\n{body}", text)
    text = text.replace("run_random();", call).replace(".run = run_random", ".run = run")
    return f"""// SPDX-License-Identifier: BSD-3-Clause
//
// Found by programs of operations, {scene}:
// {re.sub(r"^[^ ]*program.h:[0-9]+: ", "", what)}
""" + text.replace(f'.name = "{scene}"', f'.name = "{name}"').rstrip()


def search(args, out, place, scenes):
    """The first finding of the scenes in turn: (scene, match, seconds), or None."""
    seed = args.seed if args.seed is not None else time.time_ns() // 10**9 * 10**6
    end, turn = time.monotonic() + 60 * args.minutes, 0
    print(f"sim: programs from seed {seed}", flush=True)
    while turn < len(scenes) or time.monotonic() < end:
        scene = scenes[turn % len(scenes)]
        shrinker, start = Shrinker(out, place, scene, args.patience), time.monotonic()
        text = shrinker.run("--seed", seed + 10**5 * turn, "--seconds", SLICE)
        found = power.FOUND.search(text)
        print(text.splitlines()[-1] if text else f"{scene}: nothing", flush=True)
        if found:
            print(text)
            shrinker.patience = min(30, max(args.patience, 3 * (time.monotonic() - start)))
            return shrinker, found
        turn += 1
    return None, None


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = place = args.build.resolve() / "sim"
    if args.mutation:
        mutation = next(iter(power.mutations([args.mutation]).values()))[0]
        place = build.variant(args.build, args.mutation, power.changed(mutation))
    scenes = args.scene or [s for s in build.scene_names() if s.startswith("random_")]
    shrinker, found = search(args, out, place, scenes)
    if not found:
        print("no program failed")
        return 0
    shrinker.words = ["--model", found[2], "--strategy", found[3]]
    program = shrinker.program_of(found[1])
    print(f"shrinking {len(program)} operations, {shrinker.patience:.0f} s a step", flush=True)
    if not shrinker.fails(program):
        print("other seeds do not find it again in that time: more --patience")
        return 1
    program = shrinker.simpler(shrinker.fewer(program))
    what = shrinker.fails(program)
    print(f"{len(program)} operations after {shrinker.tries} tries:\n")
    print(as_scene(shrinker.scene, program, args.name, what[4] if what else found[4]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
