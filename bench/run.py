#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the staged Causeway beside its baselines and, with --against, beside other OpenSHMEM
libraries and MPIs, all in one run.

Prints medians with their spread, ratios and limits. Never fails on a time: the exit status is
non-zero only when nothing could be measured.
"""

import argparse
import json
import os
import shlex
import sys

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
sys.path.insert(0, BENCH)
sys.dont_write_bytecode = True

from driver import ablate, build, dart, measure, peers, plan, report, table  # noqa: E402
from driver.draw import draw  # noqa: E402
from driver.store import Store  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument(
        "--against", metavar="PEER", action="append", default=[],
        help="compiler wrapper of another OpenSHMEM, e.g. oshcc of Debian's Open MPI, or of an "
             "MPI, whose one-sided communication is measured: mpicc.mpich; or of OpenCoarrays: "
             "caf.mpich; or caf.shmem (GCC 16), prif.caffeine, in the chroot of ./dev coarrays "
             "--peers; or the prefix of a GASNet, a folder with include/*-conduit; repeatable; "
             "\"all\" wrappers that are installed under Debian's names")
    parser.add_argument("--quick", action="store_true", help="few sizes, short budgets, one round")
    parser.add_argument("--rounds", type=int,
                        help="rounds of each measurement (default 3, with --quick 1)")
    parser.add_argument("--only", metavar="NAME", action="append", choices=(*plan.NAMES, "dart"),
                        help=f"only these measurements, repeatable: {', '.join(plan.NAMES)}; or "
                             "dart, alone")
    parser.add_argument("--max-bytes", type=int, metavar="N", help="no message larger than this")
    parser.add_argument("--json", metavar="FILE", help="everything measured, with samples")
    parser.add_argument("--plots", metavar="DIR",
                        help="where figures go (default build/bench/plots)")
    parser.add_argument("--report", metavar="FILE.md",
                        help="write the page with ratios, conditions and all figures")
    parser.add_argument("--note", metavar="TEXT",
                        help="a condition of this run that the page should name")
    parser.add_argument("--stage", metavar="DIR", default=os.path.join(ROOT, "build", "stage"),
                        help="install tree to measure")
    parser.add_argument("--build-only", action="store_true",
                        help="build the programs, and measure nothing")
    parser.add_argument("--built", action="store_true",
                        help="measure what --build-only has left, where there is no compiler")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N",
                        help="begin nothing behind so many")
    parser.add_argument("--ablate", metavar="NAME", nargs="*",
                        help="switch off mechanisms one at a time, all or these "
                             "(bench/ablate.toml), and print the rows that each moves")
    parser.add_argument("--from-json", metavar="FILE",
                        help="measure nothing: table, figures and page from an earlier --json")
    return parser.parse_args()


def typed():
    """The command line without the --stage that ./dev adds."""
    words = sys.argv[1:]
    return words[2:] if words[:1] == ["--stage"] else words


def say(text):
    print(text, flush=True)


def out_dir():
    return os.path.join(ROOT, "build", "bench")


BUILT = "built.json"  # of the conditions, those of the build


def built(builder, ours, others):
    say("building")
    with builder.lock():
        builder.baselines()
        builder.fortran_baselines()
        for peer in [ours, *others]:
            builder.peer(peer, build.programs_of(peer))


def build_only(ours, others):
    """For a machine without a compiler, to which the tree is taken."""
    built(build.Builder(BENCH, out_dir(), say), ours, others)
    conditions = report.conditions(ROOT, [], "")
    with open(os.path.join(out_dir(), BUILT), "w", encoding="utf-8") as file:
        json.dump({name: conditions[name] for name in ("commit", "compiler", "libfabric")}, file)


def measured(args, ours, others):
    """Builds, runs, returns the store and the document for --json."""
    builder = build.Builder(BENCH, out_dir(), say)
    conditions = report.conditions(ROOT, others, "./dev bench " + shlex.join(typed()))
    if args.note:
        conditions["note"] = args.note
    if args.built:
        with open(os.path.join(out_dir(), BUILT), encoding="utf-8") as file:
            conditions |= json.load(file)
        builder.take_as_built([ours, *others])
    else:
        built(builder, ours, others)
    store = Store()
    say("measuring")
    groups = plan.Plan(ours, others, builder, args.quick, args.only, args.max_bytes).groups()
    measure.interleave(groups, args.rounds or (1 if args.quick else 3), store, say, args.minutes)
    remarks = {
        f"{tag} {program}": f"cannot be built: {why}"
        for (tag, program), why in builder.missing.items()
    }
    remarks.update(
        {f"{peer.name} {layout}": why
         for peer in others
         for layout, why in peer.reasons.items()})
    remarks.update(store.failures)
    document = {
        "conditions": conditions,
        "others": [{"tag": peer.tag, "name": peer.name} for peer in others],
        "remarks": remarks,
        "results": list(store.rows()),
    }
    return store, document


class Named:
    """A peer as recorded by an earlier run."""

    def __init__(self, tag, name):
        self.tag, self.name = tag, name


def main():
    args = arguments()
    if args.ablate is not None:
        return ablate.main(args, say)
    if args.only and "dart" in args.only:
        if len(args.only) > 1:
            sys.exit("bench: --only dart has a page of its own: run the others by themselves")
        return dart.main(args, peers.causeway(args.stage), ROOT, typed(), say)
    if args.from_json:
        with open(args.from_json, encoding="utf-8") as file:
            document = json.load(file)
        store, others = Store.from_rows(
            document["results"]), [Named(**other) for other in document["others"]]
        json_file = args.from_json
    else:
        ours = peers.causeway(args.stage)
        if not os.path.exists(ours.compiler):
            sys.exit(f"bench: {ours.compiler} does not exist: run ./dev build first")
        names = [name for given in args.against
                 for name in (peers.all_found() if given == "all" else [given])]
        others = [peer for name in dict.fromkeys(names) for peer in peers.others(name)]
        if args.build_only:
            build_only(ours, others)
            return 0
        store, document = measured(args, ours, others)
        json_file = args.json or os.path.join(ROOT, "build", "bench", "results.json")
        os.makedirs(os.path.dirname(os.path.abspath(json_file)), exist_ok=True)
        with open(json_file, "w", encoding="utf-8") as file:
            json.dump(document, file)
    table.print_table(store, others, say)
    table.print_sweeps(store, others, say)
    for name, reason in document["remarks"].items():
        say(f"remark: {name}: {reason}")
    figures = draw("driver.plots", json_file, args.plots
                   or os.path.join(ROOT, "build", "bench", "plots"), say)
    say("")
    for figure in figures:
        say(f"figure: {os.path.relpath(figure)}")
    say(f"results: {os.path.relpath(json_file)}")
    if args.report:
        report.write(args.report, figures, document, store, others)
        say(f"page: {args.report}")
    return 0 if store.pools else 1


if __name__ == "__main__":
    sys.exit(main())
