#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run all examples on one node, on two emulated nodes and across two hosts, and print one table.

The two hosts are namespaces of this machine with their own network, host name and /dev/shm; making
them needs root. Where that is impossible the layout is skipped, with the reason. The exit status is
0 if and only if every run that took place was verified.
"""
import argparse
import os
import runpy
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import programs

EXAMPLES = programs.EXAMPLES
ROOT = EXAMPLES.parent
HOSTS_SCRIPT = ROOT / "tests/launch/hosts.py"
SKIPPED = 77  # exit status of a script that cannot run here
TIMED_OUT = 124  # exit status of oshrun when the time limit is over
GRACE = 5  # seconds more than the launcher has, so that it can end a stuck job itself


@dataclass(frozen=True)
class Layout:
    name: str
    short: str  # for file names
    pes: int
    local: bool  # all PEs share memory
    command: list[str]


@dataclass
class Row:
    label: str
    layout: Layout
    verdict: str  # yes, NO or skipped
    seconds: str = "-"
    rate: str = "-"
    reason: str = ""
    alone: bool = False  # the program is skipped, and not its layout


def layouts(stage: Path, timeout: int) -> list[Layout]:
    oshrun = [str(stage / "bin/oshrun"), "-n", "4", "--timeout", str(timeout)]
    hosts = [sys.executable, str(HOSTS_SCRIPT), "--hosts", "2", "--ppn", "2", "--timeout",
             str(timeout), "--"]
    return [Layout("1 node", "node", 4, True, oshrun),
            Layout("2 emulated nodes", "emulated", 4, False, oshrun + ["--emulate-nodes", "2"]),
            Layout("2 hosts", "hosts", 4, False, hosts)]


def prepare_graph(out: Path) -> dict[str, str]:
    """The dependency graph of Debian, or the small one that comes with the example."""
    graph, names = out / "debian.mtx", out / "debian.names"
    script = EXAMPLES / "05-graph/debian_graph.py"
    done = subprocess.run([sys.executable, str(script), str(graph), "--names", str(names)],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        print(f"graph of Debian's packages: {done.stdout.split(': ')[-1].strip()}")
        return {"graph": str(graph), "names": f"-N {shlex.quote(str(names))}"}
    print(done.stderr.strip(), "The graph example runs on its small sample instead.", sep="\n")
    return {"graph": str(EXAMPLES / "05-graph/sample.mtx"), "names": ""}


def write_png(ppm: Path) -> Path:
    """The image of the stencil as PNG, beside the PPM file."""
    convert = runpy.run_path(str(EXAMPLES / "03-stencil/ppm2png.py"))["ppm_to_png"]
    png = ppm.with_suffix(".png")
    png.write_bytes(convert(ppm.read_bytes()))
    return png


def judge(label: str, layout: Layout, outcome: programs.Outcome, timeout: int) -> Row:
    """A run is verified if it ended well and its one result line confirms it, for the right number
    of PEs."""
    row = Row(label, layout, "NO")
    result = outcome.result
    if result:
        row.seconds = f"{float(result['seconds']):.3f} s"
        rate = float(result["rate"])
        row.rate = f"{rate:.{2 if rate >= 10 else 4}f} {result['unit']}"
    if outcome.status in (None, TIMED_OUT):
        row.reason = f"no end after {timeout} s: it hangs or is far too slow"
    elif outcome.status == SKIPPED and not result:
        lines = [line for line in (outcome.stdout + outcome.stderr).splitlines()
                 if line.startswith("SKIP")]
        reason = (lines[0].removeprefix("SKIP").strip(": ")
                  if lines else "the layout cannot run here")
        row.verdict, row.reason = "skipped", reason
    elif outcome.status != 0:
        row.reason = f"exit status {outcome.status}"
    elif not result:
        row.reason = "no RESULT line, or more than one"
    elif result.get("pes") != str(layout.pes):
        row.reason = f"ran on {result.get('pes')} PEs instead of {layout.pes}"
    elif result.get("verified") != "yes":
        row.reason = f"verified={result.get('verified')}"
    else:
        row.verdict = "yes"
    return row


def run_one(label: str, program: Path, arguments: str, layout: Layout, out: Path,
            timeout: int) -> Row:
    """Perform one run and keep its output in a file beside the program."""
    command = [*layout.command, str(program), *shlex.split(arguments)]
    started = time.monotonic()
    outcome = programs.run(command, timeout + GRACE)
    log = out / "logs" / f"{label.replace(',', '').replace(' ', '-')}-{layout.short}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"$ {shlex.join(command)}\n{outcome.stdout}{outcome.stderr}", encoding="utf-8")
    row = judge(label, layout, outcome, timeout)
    note = {"yes": "verified", "NO": "NOT VERIFIED", "skipped": "skipped"}[row.verdict]
    print(f"{note}, {time.monotonic() - started:.1f} s in all"
          + (f": {row.reason}" if row.reason else ""), flush=True)
    if row.verdict == "NO":
        print(f"  $ {shlex.join(command)}")
        for line in (outcome.stdout + outcome.stderr).splitlines()[-15:]:
            print(f"  | {line}")
    return row


def print_table(rows: list[Row]) -> None:
    head = ("program", "layout", "PEs", "verified", "time", "rate")
    cells = [(r.label, r.layout.name, str(r.layout.pes), r.verdict, r.seconds, r.rate)
             for r in rows]
    widths = [max(len(line[k]) for line in [head, *cells]) for k in range(len(head))]
    right = (2, 4, 5)

    def show(line: tuple[str, ...]) -> None:
        print("  ".join(c.rjust(w) if k in right else c.ljust(w)
                        for k, (c, w) in enumerate(zip(line, widths))).rstrip())

    print()
    show(head)
    print("  ".join("-" * w for w in widths))
    for line in cells:
        show(line)
    print()


def build_all(chosen: list[programs.Example], stage: Path,
              out: Path) -> list[tuple[programs.Example, Path]]:
    built = []
    for example in chosen:
        if example.is_fortran and (reason := programs.missing_fortran(stage)):
            print(f"leaving out {example.folder}: {reason}", flush=True)
            continue
        print(f"compiling {example.folder}", flush=True)
        built.append((example, programs.build(example, stage / "bin/oshcc", out / "bin")))
    return built


def run_layout(layout: Layout, built: list[tuple[programs.Example, Path]], values: dict[str, str],
               out: Path, timeout: int) -> tuple[list[Row], list[Path]]:
    """All programs in one layout: the rows of the table, and the images that were written."""
    rows: list[Row] = []
    images: list[Path] = []
    print(f"\n{layout.name}, {layout.pes} PEs", flush=True)
    reason = ""  # why the layout cannot run here: the first run decides for all
    for example, program in built:
        for label, here, there in example.runs:
            if reason:
                rows.append(Row(label, layout, "skipped", reason=reason))
                continue
            image = out / f"stencil-{layout.short}.ppm"
            arguments = (here if layout.local
                         else there).format_map({**values, "image": shlex.quote(str(image))})
            print(f"  {label}: ", end="", flush=True)
            row = run_one(label, program, arguments, layout, out, timeout)
            rows.append(row)
            row.alone = example.needs_device
            if row.verdict == "skipped" and not row.alone:
                reason = row.reason
            if "{image}" in here and row.verdict == "yes":
                images.append(write_png(image))
    return rows, images


def conclude(rows: list[Row], images: list[Path]) -> int:
    print_table(rows)
    for image in images:
        print(f"image: {os.path.relpath(image)}")
    for what, reason in dict.fromkeys((row.label if row.alone else row.layout.name, row.reason)
                                      for row in rows if row.verdict == "skipped"):
        print(f"{what} skipped: {reason}")
    verified = sum(row.verdict == "yes" for row in rows)
    failed = sum(row.verdict == "NO" for row in rows)
    print(f"{verified} runs verified, {failed} not verified, {len(rows) - verified - failed} "
          f"skipped")
    return 1 if failed or not verified else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Run all examples in several layouts and print one table.")
    parser.add_argument("--stage", type=Path, default=ROOT / "build/stage",
                        help="install tree with bin/oshcc and bin/oshrun (default: build/stage)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/demo",
                        help="folder for programs, images and logs (default: build/demo)")
    parser.add_argument("--timeout", type=int, default=120,
                        help="seconds that one run may take (default: 120)")
    parser.add_argument("--layouts", default="node,emulated,hosts",
                        help="where to run, of node, emulated and hosts (default: all three)")
    parser.add_argument("--only", action="append", default=[], metavar="WORD",
                        help="only examples whose folder contains WORD; may be repeated")
    return parser.parse_args()


def main() -> int:
    args = parse()
    stage, out = args.stage.resolve(), args.out.resolve()
    places = [layout for layout in layouts(stage, args.timeout)
              if layout.short in args.layouts.split(",")]
    chosen = [e for e in programs.ALL if not args.only
              or any(word in e.folder for word in args.only)]
    complaint = ""
    for tool in ("oshcc", "oshrun"):
        if not os.access(stage / "bin" / tool, os.X_OK):
            complaint = f"{stage}/bin/{tool} is missing: run ./dev build first"
    if len(places) != len(set(args.layouts.split(","))):
        complaint = f"unknown layout in '{args.layouts}': choose of node, emulated and hosts"
    if not chosen:
        complaint = f"no example matches {' or '.join(args.only)}"
    if complaint:
        print(f"demo.py: {complaint}", file=sys.stderr)
        return 2

    out.mkdir(parents=True, exist_ok=True)
    try:
        built = build_all(chosen, stage, out)
    except RuntimeError as error:
        print(f"demo.py: an example cannot be compiled:\n{error}", file=sys.stderr)
        return 1
    values = prepare_graph(out) if any(example.binary == "graph" for example in chosen) else {}
    rows: list[Row] = []
    images: list[Path] = []
    for layout in places:
        more_rows, more_images = run_layout(layout, built, values, out, args.timeout)
        rows += more_rows
        images += more_images
    return conclude(rows, images)


if __name__ == "__main__":
    sys.exit(main())
