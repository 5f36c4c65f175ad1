#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs scenes under the simulator: fresh seeds for a time, or one seed. One process a core; each
takes the next slice of the next scene, until the time is over and each scene had a slice."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build  # noqa: E402
import power  # noqa: E402

SLICE = 5  # seconds of one scene at a time, unless there are too many of them
# commands with options of their own
OTHERS = {
    "--power": ("power.py", "build each mutation in, or those named, and see it found"),
    "--random": ("random_programs.py", "programs of operations; one that fails becomes a scene"),
    "--harvest": ("harvest.py", "every scene, strategy and memory model in turn, for totals"),
    "--fences": ("fences.py", "weaken each fence, and see it found"),
    "--replay": ("replay.py", "the same seeds here and in an emulated machine"),
    "--coverage": ("coverage.py", "the atomic operations, locks and waits that no scene passes"),
}


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim", description=__doc__)
    p.add_argument("--build", required=True, help=argparse.SUPPRESS)
    p.add_argument("--minutes", type=float, help="in all; default 1, or 0 with --kept")
    p.add_argument("--runs", type=int, help="of each scene, in place of a time")
    p.add_argument("--points", type=int, metavar="MILLIONS",
                   help="of each scene: with --runs, no more runs behind so many points")
    p.add_argument("--kept", action="store_true", help="first the kept seeds of mutations/")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                   help="processes at a time; default: one a core")
    p.add_argument("--scene", action="append", default=[], choices=build.scene_names(),
                   metavar="NAME", help="only this one (repeatable); --list names them")
    p.add_argument("--seed", type=int, help="run this seed alone, as a finding names it")
    p.add_argument("--from", type=int, dest="first",
                   help="first seed; default: by the clock, with CI set by the commit")
    p.add_argument("--model", choices=["sc", "tso", "c11"])
    p.add_argument("--strategy", choices=["random", "pct", "exhaustive"])
    p.add_argument("--preemptions", type=int, help="of exhaustive: at most so many; default 1")
    p.add_argument("--depth", type=int, help="of pct")
    p.add_argument("--set", action="append", default=[], metavar="NAME=value",
                   help="a variable for the PEs")
    p.add_argument("--same", type=int, metavar="N", help="with --seed: N times, all must be alike")
    p.add_argument("--trace", action="store_true", help="with --seed: the last decisions")
    p.add_argument("--verbose", action="store_true", help="stacks with each finding")
    p.add_argument("--no-build", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--list", action="store_true", help="the scenes")
    for option, (_, says) in OTHERS.items():
        p.add_argument(option, action="store_true", help=f"{says} (--help says more behind it)")
    args = p.parse_args()
    if args.runs:
        args.minutes = 0
    elif args.minutes is None and not args.kept:
        args.minutes = 1
    args.jobs = max(1, min(args.jobs, len(os.sched_getaffinity(0))))
    return args


def options_of(args):
    """What is passed on to each scene."""
    words = []
    for name in ("model", "strategy", "depth", "preemptions", "points"):
        if getattr(args, name):
            words += [f"--{name}", str(getattr(args, name))]
    for word in args.set:
        words += ["--set", word]
    return words + ["--verbose"] * args.verbose


def one_seed(args, out, scenes):
    words = options_of(args) + ["--seed", str(args.seed)]
    if args.same:
        words += ["--same", "--runs", str(args.same)]
    if args.trace:
        words.append("--trace")
    return max(subprocess.run([out / s, *words], check=False).returncode for s in scenes)


def exhaust(args, out, scenes):
    """All schedules of each scene, for so many minutes in all at most."""
    words = options_of(args) + ["--seed", str(args.seed or 1), "--trace"][:3 if args.trace else 2]
    words += ["--seconds", str(max(1, int(60 * args.minutes / len(scenes))))]
    codes = [subprocess.run([out / s, *words], check=False).returncode for s in scenes]
    return 1 if 1 in codes else max(codes)


def first_seed():
    """By the clock; in continuous integration by the commit: what one run finds another one of the
    same commit finds, too."""
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True,
                            text=True, check=False, cwd=build.HERE).stdout[:8]
    if os.environ.get("CI") and commit:
        return int(commit, 16) * 10**6
    return time.time_ns() // 10**9 * 10**6


class Explorer:
    """Slices of scenes, one a core at a time."""

    def __init__(self, args, out, scenes):
        self.args, self.out, self.scenes = args, out, list(scenes)
        self.end = time.monotonic() + 60 * args.minutes
        self.first = args.first if args.first is not None else first_seed()
        random.Random(self.first).shuffle(self.scenes)
        self.slice = max(1, min(SLICE, int(60 * args.minutes * args.jobs / len(scenes))))
        self.slices = self.runs = 0
        self.per_scene, self.failed = {}, []
        print(f"sim: {len(scenes)} scenes, seeds from {self.first} (--from repeats this)",
              flush=True)

    def start(self, cpu):
        scene = self.scenes[self.slices % len(self.scenes)]
        seed = self.first + 10**5 * self.slices  # no slice has so many runs
        left = max(1, min(self.slice, int(self.end - time.monotonic())))
        self.slices += 1
        long = ["--runs", str(self.args.runs)] if self.args.runs else ["--seconds", str(left)]
        words = [self.out / scene, "--seed", str(seed), *long, "--cpu", str(cpu)]
        output = tempfile.TemporaryFile("w+")
        return scene, output, subprocess.Popen([*words, *options_of(self.args)], stdout=output,
                                               stderr=subprocess.STDOUT)

    def take(self, scene, output, process):
        output.seek(0)
        text = output.read()
        output.close()
        said = re.search(rf"^{scene}: (\d+) runs, (\d+) a minute, (\d+) steps", text, re.M)
        runs, speed, steps = map(int, said.groups()) if said else (0, 0, 0)
        known = self.per_scene.get(scene, (0, 0, 0))
        self.per_scene[scene] = (known[0] + runs, known[1] + (runs / speed if speed else 0),
                                 known[2] + runs * steps)
        if process.returncode != 0:
            self.failed.append(scene)
            print(text, flush=True)

    def done(self):
        everything = self.slices >= len(self.scenes)
        return self.failed or (time.monotonic() >= self.end and everything)

    def run(self):
        cpus = random.sample(sorted(os.sched_getaffinity(0)), self.args.jobs)
        running = {}
        while running or not self.done():
            for cpu in cpus:
                if cpu not in running and not self.done():
                    running[cpu] = self.start(cpu)
            for cpu in [c for c, (*_, p) in running.items() if p.poll() is not None]:
                self.take(*running.pop(cpu))
            time.sleep(0.05)
        for scene, (n, minutes, steps) in sorted(self.per_scene.items()):
            speed = f", {n / minutes:.0f} a minute of one process" if minutes else ""
            print(f"{n:8} runs of {scene}{speed}, {steps // n if n else 0} steps each")
        total = sum(n for n, *_ in self.per_scene.values())
        print(f"{total} runs from seed {self.first}, {len(self.failed)} findings")
        return 1 if self.failed else 0


def main():
    for option, (file, _) in OTHERS.items():
        if option in sys.argv:
            words = [w for w in sys.argv[1:] if w != option]
            return subprocess.run([sys.executable, build.HERE / file, *words],
                                  check=False).returncode
    args = arguments()
    names = build.scene_names()
    if args.list:
        print("\n".join(names))
        return 0
    rc = 0 if args.no_build else build.build(Path(args.build))
    if rc != 0:
        return rc
    out, scenes = Path(args.build).resolve() / "sim", args.scene or names
    if args.strategy == "exhaustive":
        return exhaust(args, out, scenes)
    if args.kept:
        failed = power.run_kept(out)
        if failed or args.minutes is None:
            return 1 if failed else 0
    if args.seed is not None:
        return one_seed(args, out, scenes)
    return Explorer(args, out, scenes).run()


if __name__ == "__main__":
    sys.exit(main())
