#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which atomic operations, locks and waits of the library some scene passes: each scene runs for a
few seconds and lists the places of the library's code that it passes."""
import argparse
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import build
import page
import sites

# what the page speaks for, and what in it cannot run here
ROOMS = ("core/", "transport/ofi/", "armci/", "dart/")
NOT_HERE = ("dart/windows/",)  # windows of an MPI


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --coverage", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--seconds", type=int, default=5, help="for each scene")
    p.add_argument("--scene", action="append", default=[], help="only this one (repeatable)")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    return p.parse_args()


def passed(out, scene, seconds):
    """The places that a scene passes; kept until the scene or the library is built again."""
    file = out / "coverage" / scene
    built = max((out / scene).stat().st_mtime, (out / "libcauseway.so").stat().st_mtime)
    if not file.exists() or file.stat().st_mtime < built:
        file.parent.mkdir(exist_ok=True)
        cpu = sorted(os.sched_getaffinity(0))[-1]
        subprocess.run([out / scene, "--seconds", str(seconds), "--seed", "1", "--cpu", str(cpu),
                        "--coverage", file], check=False, stdout=subprocess.DEVNULL)
    return {int(line, 16) for line in file.read_text().split()}


def summary(all_, seen):
    """Text for the page: counts by room, and functions with what is not reached in them."""
    counts, missing = {}, {}
    for s in all_:
        room = next((r for r in ROOMS if s.file.startswith(r)), None)
        if not room or s.file.startswith(NOT_HERE):
            continue
        kind = s.kind if s.kind in ("lock", "wait") else "atomic"
        n = counts.setdefault((room, kind), [0, 0])
        n[1] += 1
        if seen.isdisjoint(s.places):
            missing.setdefault(s.file, {}).setdefault(s.function, []).append(s.kind)
        else:
            n[0] += 1
    rows = [f"| `{room}` | " + " | ".join("{} of {}".format(*counts.get((room, k), (0, 0)))
                                          for k in ("atomic", "lock", "wait")) + " |"
            for room in ROOMS]
    texts = [f"- `{file}`: " + ", ".join(f"{f} ({', '.join(sorted(set(k)))})"
                                         for f, k in sorted(functions.items()))
             for file, functions in sorted(missing.items())]
    lines = [textwrap.fill(t, 99, subsequent_indent="  ", break_long_words=False,
                           break_on_hyphens=False) for t in texts]
    return "\n\n".join([page.table(["room", "atomic operations", "locks", "waits"], rows),
                        "Not reached by any scene:", "\n".join(lines)])


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = args.build.resolve() / "sim"
    seen = set()
    for scene in args.scene or build.scene_names():
        new = passed(out, scene, args.seconds)
        print(f"{scene}: {len(new - seen)} places more", flush=True)
        seen |= new
    text = summary(sites.sites(out / "libcauseway.so"), seen)
    print(text)
    if args.write:
        page.write("Coverage", f"""
Written by `./dev sim --coverage --write`: source lines with an atomic operation, those that take or
release a lock, and calls that wait, as they are in the library's machine code; reached are those
that some scene passes in {args.seconds} s of the first seeds. Segments in windows of an MPI do not
run here.

{text}""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
