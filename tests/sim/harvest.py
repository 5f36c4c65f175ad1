#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every scene with every strategy and every memory model in turn, fresh seeds, for a time; with
--write the totals are added to those of docs/results/sim.md."""
import argparse
import concurrent.futures
import itertools
import os
import queue
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import build
import page
import power

STRATEGIES = (["random"], ["pct"], ["exhaustive", "--preemptions", "2"])
MODELS = ("sc", "tso", "c11")
SECONDS = 3  # a turn
HEAD = ["scene", "runs", "minutes", "findings"]


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --harvest", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--minutes", type=float, default=10, help="in all; default 10")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--scene", action="append", default=[], help="only this one (repeatable)")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    return p.parse_args()


def run(out, scene, model, strategy, seconds, seed, cpus):
    """(scene, runs, minutes of a core, finding's text or None)"""
    cpu = cpus.get()
    with subprocess.Popen([out / scene, "--seed", str(seed), "--seconds", str(seconds), "--model",
                           model, "--strategy", *strategy, "--cpu", str(cpu)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        text = child.stdout.read()
        _, child.returncode, used = os.wait4(child.pid, 0)
    cpus.put(cpu)
    runs = re.search(r": (?:all )?(\d+) (?:runs|schedules)", text)
    return (scene, int(runs[1]) if runs else 0, (used.ru_utime + used.ru_stime) / 60,
            text if power.FOUND.search(text) else None)


def add(totals, scene, runs, minutes, found):
    total = totals.setdefault(scene, [0, 0.0, 0])
    total[0] += runs
    total[1] += minutes
    total[2] += found


def before():
    """The totals that the page has."""
    found = {}
    for name, line in page.rows("Harvest").items():
        words = [w.strip() for w in line.split("|")[1:-1]]
        if name not in ("scene", "all"):
            found[name] = [int(words[1]), float(words[2]), int(words[3])]
    return found


def write(totals):
    commit = subprocess.run(["git", "-C", build.ROOT, "rev-parse", "--short", "HEAD"], text=True,
                            check=False, capture_output=True).stdout.strip()
    rows = [f"| {s} | {n} | {m:.2f} | {f} |" for s, (n, m, f) in sorted(totals.items())]
    all_ = [sum(t[i] for t in totals.values()) for i in range(3)]
    rows.append(f"| all | {all_[0]} | {all_[1]:.2f} | {all_[2]} |")
    page.write("Harvest", f"""
Added to by `./dev sim --harvest --write`: every scene with random walks, priorities and bounded
exhaustive search, under every memory model, fresh seeds, minutes of processor time. The last one
was at {commit or "an export"}. A finding is mended before the next harvest, or is a line here.

""" + page.table(HEAD, rows))


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = args.build.resolve() / "sim"
    scenes = args.scene or build.scene_names()
    turns = [(s, m, t) for t in STRATEGIES for m in MODELS for s in scenes]
    first, cpus = time.time_ns() // 10**9 * 10**6, queue.Queue()
    random.Random(first).shuffle(turns)  # what is not begun in time is another each time
    end = time.monotonic() + args.minutes * 60
    for cpu in sorted(os.sched_getaffinity(0))[:args.jobs]:
        cpus.put(cpu)
    print(f"sim: turns of {SECONDS} s, seeds from {first}", flush=True)
    now, begun = {}, itertools.count()

    def work():
        while time.monotonic() < end:
            i = next(begun)
            scene, runs, minutes, found = run(out, *turns[i % len(turns)], SECONDS,
                                              first + 10**5 * i, cpus)
            add(now, scene, runs, minutes, int(found is not None))
            if found:
                print(found, flush=True)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for worker in [pool.submit(work) for _ in range(args.jobs)]:
            worker.result()
    for scene, (runs, minutes, found) in sorted(now.items()):
        print(f"{scene}: {runs} runs in {minutes:.1f} minutes of a core, {found} findings")
    if args.write:
        totals = before()
        for scene, (runs, minutes, found) in now.items():
            add(totals, scene, runs, minutes, found)
        write(totals)
    return 1 if any(t[2] for t in now.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
