#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The start-up study: how launch, shmem_init and connections grow with the job, static against on
demand, beside others.

Section after section is measured into one JSON file; sections that the file has already are not
measured again. A time never passes or fails anything: the exit status is non-zero only when a
launch failed.
"""

import argparse
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BENCH = os.path.join(ROOT, "bench")
sys.path[:0] = [HERE, BENCH]
sys.dont_write_bytecode = True

from driver import build, peers, report  # noqa: E402
from startup import launchers, page, programs, sections, simulation  # noqa: E402
from startup.document import Document  # noqa: E402

NAMES = [*sections.SECTIONS, "sim"]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev study",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true",
                        help="few sizes, one round: less than a minute")
    parser.add_argument("--only", metavar="NAME", action="append", choices=NAMES, default=[],
                        help=f"only this section, repeatable: {', '.join(NAMES)}")  # fmt: skip
    parser.add_argument("--again", action="store_true",
                        help="measure the sections anew even if the file has them")
    parser.add_argument("--final", action="store_true",
                        help="mark the file: measured on an idle machine")
    parser.add_argument("--list", action="store_true",
                        help="print the sections and what they cost, then end")
    parser.add_argument("--json", metavar="FILE",
                        help="the results (default build/study/startup.json)")
    parser.add_argument("--out", metavar="DIR",
                        help="where page and figures go (default build/study)")
    parser.add_argument("--build", metavar="DIR",
                        default=os.path.join(ROOT, "build", "study",
                                             "bin"), help="where programs are compiled")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    parser.add_argument("--stage", metavar="DIR", default=os.path.join(ROOT, "build", "stage"),
                        help="install tree to measure")
    return parser.parse_args()


def say(text):
    print(text, flush=True)


def builder_of(stage, folder):
    """Compiles all programs for Causeway, and those that compile for Debian's Open MPI."""
    builder = build.Builder(BENCH, folder, say)
    builder.baselines(("plain", "forkexec"))
    ours = peers.causeway(stage)
    builder.peer(ours, ("startup", "ring", "latency", "atomics"))
    other, _ = launchers.open_mpi()
    if other:
        builder.peer(other, ("startup",))
    programs.build(ours.compiler, os.path.join(builder.out_dir, ours.tag), say)
    return builder


def measure(args, document):
    say("building")
    context = sections.Context(args.stage, builder_of(args.stage, args.build), args.quick)
    conditions = report.conditions(ROOT, [], "./dev study")
    conditions.pop("load average before", None)
    wanted = args.only or NAMES
    start = time.monotonic()
    for name in sections.SECTIONS:
        if name not in wanted:
            continue
        if document.is_done(name, args.quick) and not args.again:
            say(f"{name}: measured already")
            continue
        if args.again:
            document.data["sections"].pop(name, None)
        section = document.begin(name, args.quick, conditions)
        say(f"{name}: {sections.SECTIONS[name].__doc__.strip()}")
        begin = time.monotonic()
        sections.measure(name, context, document, section, say)
        document.end(section)
        say(f"{name}: done in {time.monotonic() - begin:.0f} s, {time.monotonic() - start:.0f} s "
            "in all"
            )
    if "sim" in wanted:
        simulation.add(document, args.stage, args.quick, say)


def list_sections(path):
    known = Document(path) if os.path.exists(path) else None
    for name in NAMES:
        what = (sections.SECTIONS[name]
                if name in sections.SECTIONS else simulation).__doc__.strip().split("\n")[0]
        section = known and known.section(name)
        measured = ""
        if section:
            so_far = "" if section["done"] else " so far"
            measured = f"{section['seconds']:4.0f} s{so_far} in {path}"
        say(f"{name:10} about {sections.COSTS[name]:4} s  {measured:8}  {what}")
    return 0


def main():
    args = arguments()
    path = args.json or os.path.join(ROOT, "build", "study", "startup.json")
    if args.list:
        return list_sections(path)
    if not os.path.exists(os.path.join(args.stage, "bin", "oshrun")):
        sys.exit(f"study: {args.stage} has no oshrun: run ./dev build first")
    document = Document(path)
    document.data["final"] = args.final
    measure(args, document)
    figures = [] if args.no_plots else page.draw(
        document.path, args.out or os.path.dirname(os.path.abspath(document.path)), say)
    page.write(document, args.out or os.path.dirname(os.path.abspath(document.path)), figures)
    failed = [
        row for section in document.data["sections"].values() for row in section["rows"]
        if "error" in row and not row["error"].startswith("SKIP")
        and row.get("library", "causeway") == "causeway"
    ]
    say(f"results: {document.path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
