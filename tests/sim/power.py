#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The power of the scenes: each mutation of mutations.toml is built in, and its scenes run until
one finds it. power.py --build DIR [--seconds N] [--write] [NAME...]"""
import argparse
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import build

ROOT = build.HERE.parent.parent
PAGE = ROOT / "docs" / "results" / "sim.md"


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --power", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--seconds", type=int, default=60, help="for each scene and mutation")
    p.add_argument("--write", action="store_true", help="write docs/results/sim.md")
    p.add_argument("names", nargs="*")
    return p.parse_args()


def mutate(out, mutation):
    """Directory with a library of its own, made of one source that differs."""
    source = ROOT / mutation["source"]
    find, put = mutation["find"].strip("\n"), mutation["put"].strip("\n")
    text = source.read_text()
    if text.count(find) != 1:
        sys.exit(f"power: {mutation['name']}: {text.count(find)} places in {mutation['source']} "
                 "where one is meant; the mutation needs its new words")
    place = out / "power" / mutation["name"]
    place.mkdir(parents=True, exist_ok=True)
    changed = place / source.name
    changed.write_text(text.replace(find, put))
    name = mutation["source"].replace("/", "_") + ".o"
    commands = subprocess.run(["ninja", "-C", out, "-t", "commands", out / "libcauseway.so"],
                              capture_output=True, text=True, check=True).stdout.splitlines()
    for command in commands:
        if f"-o {out / 'lib' / name} " in command:
            words = command.replace(str(source), str(changed))
            words = words.replace(f"-o {out / 'lib' / name} ", f"-o {place / name} ")
            words = words.replace(f"-MF {out / 'lib' / name}.d", f"-MF {place / name}.d")
            words = words.replace("-fsanitize=thread", f"-iquote {source.parent} -fsanitize=thread")
        elif f"-o {out / 'turned.o'} " in command or "-shared" in shlex.split(command):
            words = command.replace(str(out / "lib" / name), str(place / name))
            words = words.replace(str(out / "turned.o"), str(place / "turned.o"))
            words = words.replace(str(out / "libcauseway.so"), str(place / "libcauseway.so"))
        else:
            continue
        subprocess.run(words, shell=True, check=True)
    (place / "turned.o").unlink()
    return place


def hunt(out, place, mutation, seconds):
    """The first finding: scene, seed, model, runs, seconds; or None."""
    for scene in mutation["scenes"]:
        start = time.monotonic()
        done = subprocess.run([out / scene, "--seconds", str(seconds)], text=True, check=False,
                              capture_output=True, env={"LD_LIBRARY_PATH": str(place),
                                                        "PATH": "/usr/bin:/bin"})
        took = time.monotonic() - start
        found = re.search(r"^FINDING scene \S+ seed (\d+) model (\S+) strategy (\S+)[^:]*: (.*)$",
                          done.stdout, re.M)
        runs = re.search(r": (\d+) runs", done.stdout)
        if found:
            return {"scene": scene, "seed": found[1], "model": found[2], "strategy": found[3],
                    "what": found[4], "runs": int(runs[1]) if runs else 0, "seconds": took}
    return None


def row(mutation, found):
    mend = mutation.get("mend", "–")
    if not found:
        return f"| {mutation['name']} | {mend} | {mutation['says']} | not found | | | |"
    return (f"| {mutation['name']} | {mend} | {mutation['says']} | {found['scene']} | "
            f"{found['seed']} | {found['model']}, {found['strategy']} | "
            f"{found['runs']} in {found['seconds']:.0f} s |")


def main():
    args = arguments()
    if build.build(args.build) != 0:
        return 1
    out = args.build.resolve() / "sim"
    all_ = tomllib.loads((build.HERE / "mutations.toml").read_text())["mutation"]
    rows, missed = [], 0
    for mutation in all_:
        if args.names and mutation["name"] not in args.names:
            continue
        found = hunt(out, mutate(out, mutation), mutation, args.seconds)
        missed += found is None
        rows.append(row(mutation, found))
        print(rows[-1], flush=True)
    if args.write:
        write(rows, args.seconds)
    print(f"{len(rows) - missed} of {len(rows)} found")
    return 1 if missed else 0


def write(rows, seconds):
    PAGE.write_text(f"""# What the simulator finds

Written by `./dev sim --power --write`: each mutation of `tests/sim/mutations.toml` in turn, its
scenes for {seconds} s at most each, seeds from 1. *Mend* is the commit that is undone (`tests/sim`:
the simulator found it first); without one the line is a rule of a protocol that is broken. Times
are those of a loaded machine of two cores.

| mutation | mend | what is wrong then | scene | seed | model, strategy | runs |
|---|---|---|---|---|---|---|
""" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    sys.exit(main())
