#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which atomic operations, locks and waits of the library some scene passes: each scene makes some
runs and lists the places of the library's code that it passes."""
import argparse
import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import build
import page
import sites

# what the page speaks for, and what in it cannot run here
ROOMS = ("core/", "transport/ofi/", "transport/mpi/", "armci/", "dart/")
REASONS = Path(__file__).with_name("unreached.toml")  # why the rest is not reached


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --coverage", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--points", type=int, default=10, metavar="MILLIONS",
                   help="of each scene, and at most 500 runs")
    p.add_argument("--scene", action="append", default=[], help="only this one (repeatable)")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    return p.parse_args()


def passed(out, scene, points):
    """The places that a scene passes; kept until the scene or the library is built again."""
    file = out / "coverage" / scene
    built = max((out / scene).stat().st_mtime, (out / "libcauseway.so").stat().st_mtime)
    if not file.exists() or file.stat().st_mtime < built:
        file.parent.mkdir(exist_ok=True)
        cpu = sorted(os.sched_getaffinity(0))[-1]
        # numbers, not a time; of a block of seeds a few, since settings are those of the block
        subprocess.run([out / scene, "--runs", "500", "--points", str(points), "--seed", "1",
                        "--stride", "11", "--cpu", str(cpu), "--coverage", file], check=False,
                       stdout=subprocess.DEVNULL)
    return {int(line, 16) for line in file.read_text().split()}


def reasons():
    """{place: why}, a place being a file, or a function as file:function."""
    found = {}
    for reason in tomllib.loads(REASONS.read_text())["reason"]:
        for place in reason["places"]:
            if place in found:
                sys.exit(f"coverage: {REASONS.name} names {place} twice")
            found[place] = " ".join(reason["why"].split())
    return found


def split_by_reason(missing, known):
    """Of the sites that are missing: {why: sites}, with "" for those without a reason."""
    groups, used = {}, set()
    for s in missing:
        place = next((p for p in (s.name, s.file) if p in known), None)
        used.add(place)
        groups.setdefault(known.get(place, ""), []).append(s)
    return groups, sorted(set(known) - used)


def listed(missing, indent=""):
    """Functions by file, with what is not reached in them."""
    files = {}
    for s in missing:
        files.setdefault(s.file, {}).setdefault(s.function, set()).add(s.kind)
    texts = [f"{indent}- `{file}`: " + ", ".join(f"{f} ({', '.join(sorted(kinds))})"
                                           for f, kinds in sorted(functions.items()))
             for file, functions in sorted(files.items())]
    return "\n".join(textwrap.fill(t, 99, subsequent_indent=indent + "  ",
                                   break_long_words=False, break_on_hyphens=False) for t in texts)


def counted(here, seen, missing):
    """The table: places by room and kind, reached ones, those without a reason."""
    rows = []
    for room in ROOMS:
        sites_ = [s for s in here if s.file.startswith(room)]
        cells = [f"{sum(not seen.isdisjoint(s.places) for s in kind)} of {len(kind)}"
                 for kind in ([s for s in sites_ if s.kind not in ("lock", "wait")],
                              [s for s in sites_ if s.kind == "lock"],
                              [s for s in sites_ if s.kind == "wait"])]
        cells.append(str(sum(s.file.startswith(room) for s in missing)))
        rows.append(f"| `{room}` | {' | '.join(cells)} |")
    return page.table(["room", "atomic operations", "locks", "waits", "without a reason"], rows)


def summary(all_, seen):
    """Text for the page, and the reasons that are none: all that they name is reached."""
    here = [s for s in all_ if s.file.startswith(ROOMS) and
            s.kind != "signal_fence"]  # which is no operation
    groups, stale = split_by_reason([s for s in here if seen.isdisjoint(s.places)], reasons())
    without = groups.pop("", [])
    texts = [counted(here, seen, without)]
    if without:
        texts += ["Not reached by any scene, without a reason:", listed(without)]
    if groups:
        texts += ["Not reached, for a reason:",
                  "\n".join(textwrap.fill(f"- {why}", 99, subsequent_indent="  ") + "\n" +
                            listed(sites_, "  ") for why, sites_ in sorted(groups.items()))]
    return "\n\n".join(texts), stale


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = args.build.resolve() / "sim"
    seen = set()
    for scene in args.scene or build.scene_names():
        new = passed(out, scene, args.points)
        print(f"{scene}: {len(new - seen)} places more", flush=True)
        seen |= new
    text, stale = summary(sites.sites(out / "libcauseway.so"), seen)
    print(text)
    if stale and not args.scene:
        print(f"coverage: {REASONS.name} excuses what is reached: {', '.join(stale)}")
        return 1
    if args.write:
        page.write("Coverage", f"""
Written by `./dev sim --coverage --write`: source lines with an atomic operation, those that take or
release a lock, and calls that wait, as they are in the library's machine code; reached are those
that some scene passes in at most 500 runs and {args.points} million points. Reasons are those
of `tests/sim/unreached.toml`; one for what is reached is an error.

{text}""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
