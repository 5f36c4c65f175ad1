#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The power of the scenes: each mutation of mutations/*.toml is built in, and its scenes run until
one finds it. With names, only these mutations (or files of them)."""
import argparse
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import build
import page

HEAD = ["mutation", "mend", "what is wrong then", "scene", "seed", "model, strategy", "runs"]
FOUND = re.compile(r"^FINDING scene \S+ seed (\d+) model (\S+) strategy ([^\s:]+)[^:]*: (.*)$",
                   re.M)


def arguments():
    p = argparse.ArgumentParser(prog="./dev sim --power", description=__doc__)
    p.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--seconds", type=int, default=60, help="for each scene and mutation")
    p.add_argument("--scene", action="append", help="these in place of the mutation's own")
    p.add_argument("--write", action="store_true",
                   help="write the rows into docs/results/sim.md, and keep the seeds in mutations/")
    p.add_argument("names", nargs="*", help="of mutations, or of files of mutations")
    return p.parse_args()


def mutations(names):
    """{file: [mutation]} of what is asked for."""
    found, unknown, seen = {}, set(names), set()
    for file in sorted(build.HERE.glob("mutations/*.toml")):
        for m in tomllib.loads(file.read_text()).get("mutation", []):
            unknown -= {file.stem, m["name"]}
            if m["name"] in seen:
                sys.exit(f"power: two mutations are called {m['name']}")
            seen.add(m["name"])
            if not names or file.stem in names or m["name"] in names:
                found.setdefault(file.stem, []).append(m)
    if unknown:
        sys.exit(f"power: no mutation and no file of them is called {', '.join(sorted(unknown))}")
    return found


def changed(mutation):
    """{source: text with the edits}: the mutation's own find and put, and those of `edits`."""
    texts = {}
    for edit in [mutation] * ("find" in mutation) + mutation.get("edits", []):
        source = build.ROOT / edit.get("source", mutation.get("source"))
        find, put = edit["find"].strip("\n"), edit["put"].strip("\n")
        text = texts.get(source) or source.read_text()
        if text.count(find) != 1:
            sys.exit(f"power: {mutation['name']}: {text.count(find)} places in {source.name} where "
                     "one is meant; the mutation needs its new words")
        texts[source] = text.replace(find, put)
    return texts


def hunt(out, place, scenes, seconds, words=()):
    """The first finding: scene, seed, model, runs, seconds; or None."""
    cpus = sorted(os.sched_getaffinity(0))
    for scene in scenes:
        start = time.monotonic()
        program = place / scene  # where it includes what is mutated
        if not program.exists():
            program = out / scene
        done = subprocess.run([program, "--seconds", str(seconds), "--cpu",
                               str(cpus[os.getpid() % len(cpus)]), *words], text=True, check=False,
                              capture_output=True, env={"LD_LIBRARY_PATH": str(place),
                                                        "PATH": "/usr/bin:/bin"})
        found = FOUND.search(done.stdout)
        runs = re.search(r": (\d+) runs", done.stdout)
        if found:
            return {"scene": scene, "seed": found[1], "model": found[2], "strategy": found[3],
                    "what": found[4], "runs": int(runs[1]) if runs else 0,
                    "seconds": time.monotonic() - start}
    return None


def row(mutation, found):
    words = [mutation["name"], mutation.get("mend", "–"), mutation["says"]]
    if found:
        words += [found["scene"], found["seed"], f"{found['model']}, {found['strategy']}",
                  f"{found['runs']} in {found['seconds']:.0f} s"]
    else:
        words += ["not found", "", "", ""]
    return f"| {' | '.join(words)} |"


def keep(file, name, found):
    """Writes the seed that found a mutation behind its scenes."""
    file = build.HERE / "mutations" / f"{file}.toml"
    line = (f'kept = {{ scene = "{found["scene"]}", seed = {found["seed"]}, '
            f'model = "{found["model"]}", strategy = "{found["strategy"].split()[0]}" }}\n')
    at = re.compile(rf'(name = "{re.escape(name)}"\n(?:(?!\[\[mutation).*\n)*?scenes = .*\n)'
                    r"(?:kept = .*\n)?")
    file.write_text(at.sub(lambda m: m[1] + line, file.read_text()))


def run_kept(out):
    """All kept seeds once; what fails, by name."""
    cpu, failed, n = str(sorted(os.sched_getaffinity(0))[-1]), [], 0
    for m in (m for list_ in mutations([]).values() for m in list_ if "kept" in m):
        kept, n = m["kept"], n + 1
        words = ["--seed", str(kept["seed"]), "--cpu", cpu]
        done = subprocess.run([out / kept["scene"], *words], text=True, check=False,
                              capture_output=True)
        if done.returncode != 0:
            failed.append(m["name"])
            print(f"kept for {m['name']}:\n{done.stdout}{done.stderr}", flush=True)
    print(f"{n} kept seeds, {len(failed)} findings", flush=True)
    return failed


def write(new):
    """The section of the page: rows of before, but for what has run now."""
    rows = {**page.rows("Power"), **new}
    parts = ["""
Written by `./dev sim --power --write`: each mutation of `tests/sim/mutations`, its scenes in turn
until one finds it, from the first seed on; runs of some names renew their rows. *Mend* is the
commit that is undone (`tests/sim`: the simulator found it first); without one the row is a rule of
a protocol that is broken. Times are those of a loaded machine of two cores, one run at a time."""]
    for file, list_ in mutations([]).items():
        lines = [rows[m["name"]] for m in list_ if m["name"] in rows]
        if lines:
            parts.append(f"### {file}\n\n" + page.table(HEAD, lines))
    page.write("Power", "\n\n".join(parts))


def main():
    args = arguments()
    wanted = mutations(args.names)
    texts = {m["name"]: changed(m) for list_ in wanted.values() for m in list_}  # all are meant
    if build.build(args.build) != 0:
        return 1
    out, rows, missed = args.build.resolve() / "sim", {}, 0
    for file, mutation in ((f, m) for f, list_ in wanted.items() for m in list_):
        name = mutation["name"]
        place = build.variant(args.build, name, texts[name])
        found = hunt(out, place, args.scene or mutation["scenes"], args.seconds)
        missed += found is None
        rows[name] = row(mutation, found)
        print(rows[name], flush=True)
        if found:
            print(f"    {found['what']}", flush=True)
        if args.write:
            write(rows)
        if args.write and found:
            keep(file, name, found)
    print(f"{len(rows) - missed} of {len(rows)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
