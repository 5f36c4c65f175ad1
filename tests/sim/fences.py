#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does each fence earn its place? Each one of the library is weakened to relaxed in the running
library, and the scenes that pass it run until one fails. The build directory keeps what has been
found: a run goes on where the last one ended, and one of some names renews their rows of the page.
A fence that no scene finds says why it stays in the comment in front of it: "No scene: ..."."""
import argparse
import json
import re
import sys
import time
from pathlib import Path

import build
import coverage
import page
import power
import sites

LEFT_OUT = ("transport/mpi/", "base/mpi/")  # do not run here
STAYS = re.compile(r"\bNo scene: (.*?)\.?$")
HEAD = ["fence", "order", "scene", "seed", "model, strategy", "runs"]


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --fences", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--seconds", type=int, default=60, help="for each of them, all scenes together")
    p.add_argument("--again", action="store_true", help="also those that no scene has found")
    p.add_argument("--scene", action="append", help="only this one (repeatable)")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    p.add_argument("names", nargs="*", help="file:function, or a part of it")
    return p.parse_args()


def candidates(library):
    """(name, site) of what is to be weakened; equal ones of a function have numbers."""
    found, numbers = [], {}
    for s in sites.sites(library):
        if s.kind != "thread_fence" or s.order == "relaxed" or s.file.startswith(LEFT_OUT):
            continue
        numbers[s.name] = n = numbers.get(s.name, 0) + 1
        found.append((s.name if n == 1 else f"{s.name} {n}", s))
    return found


def try_one(out, site, reached, seconds):
    """A finding of the scenes that pass it, or how many scenes did not fail."""
    scenes = [s for s in sorted(reached, key=lambda s: -len(reached[s] & set(site.places)))
              if reached[s] & set(site.places)]
    weaken = ["--weaken", ",".join(hex(p) for p in site.places)]
    models = ["c11"] + ["tso"] * (site.order == "seq_cst")
    each = max(2, seconds // max(1, len(scenes) * len(models)))
    end = time.monotonic() + seconds
    for model in models:
        for scene in scenes:
            if time.monotonic() > end:
                break
            found = power.hunt(out, out, [scene], each, [*weaken, "--model", model])
            if found:
                return found
    return {"scenes": len(scenes)}


def reason(site):
    """Why it stays, by the comment in front of it."""
    lines = (sites.SRC / site.file).read_text().splitlines()[:site.line - 1]
    words = []
    for line in reversed(lines[-6:]):
        if line.strip().startswith("//"):
            words.insert(0, line.strip()[2:].strip())
        elif words or "thread_fence" in line:
            break
    found = STAYS.search(" ".join(words))
    return found and found[1]


def row(name, result, site):
    if "seed" in result:
        return (f"| `{name}` | {result['order']} | {result['scene']} | {result['seed']} | "
                f"{result['model']}, {result['strategy']} | {result['runs']} |")
    says = "no scene passes it" if not result["scenes"] else f"none of {result['scenes']} fails"
    if why := reason(site):
        says = f"stays: {why}"
    return f"| `{name}` | {result['order']} | {says} | | | |"


def write(known, all_):
    before = page.rows("Fences")
    rows = [row(n, known[n], s) if n in known else before.get(f"`{n}`") for n, s in all_]
    rows = [r for r in rows if r]
    found = sum("| c11" in r or "| tso" in r for r in rows)
    page.write("Fences", f"""
Written by `./dev sim --fences --write`: each `atomic_thread_fence` of the library counts as relaxed
in its turn, under `c11` (and `tso` where it was sequentially consistent), in the scenes that pass
it; runs of some names renew their rows. A fence that no scene finds stays for the reason in the
comment in front of it, or goes. Of accesses with a memory order there is no such table, since it
would say nothing: most of them guard plain data, which the compiled code loads and stores itself,
at once, so that no model here can make it late.

{found} of {len(rows)} are found.

""" + page.table(HEAD, rows))


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = args.build.resolve() / "sim"
    store = out / "fences.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    all_ = candidates(out / "libcauseway.so")
    reached = {s: coverage.passed(out, s, 5) for s in args.scene or build.scene_names()}
    for name, site in all_:
        if args.names and not any(n in name for n in args.names):
            continue
        if name in known and not args.names and ("seed" in known[name] or not args.again):
            continue
        known[name] = {"order": site.order, **try_one(out, site, reached, args.seconds)}
        store.write_text(json.dumps(known, indent=1))
        print(row(name, known[name], site), flush=True)
        if "what" in known[name]:
            print(f"    {known[name]['what']}", flush=True)
    if args.write:
        write(known, all_)
    found = sum("seed" in known.get(n, {}) for n, _ in all_)
    print(f"{found} of {len(all_)} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
