#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of five published systems beside ours: measures each page of docs/papers in one run,
and writes it with its pictures.

1 instructions over libfabric, 2 overhead over libfabric, 3 DART, 4 HiCOO's virtual topologies,
5 on-demand connections. A part that other work disturbed is measured again. No time passes or fails
anything: the exit status is non-zero only where a page could not be measured.
"""

import argparse
import os
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from driver import report  # noqa: E402
from driver.draw import draw  # noqa: E402
from paper import measure, modules, page  # noqa: E402
from paper.context import Context  # noqa: E402
from paper.document import Document  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="./dev papers",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--only", metavar="N", type=int, action="append", choices=modules.NAMES,
                        help="only this page, 1 to 5; repeatable")
    parser.add_argument("--quick", action="store_true",
                        help="few sizes, one round: a test of the set-up")
    parser.add_argument("--write-only", action="store_true",
                        help="measure nothing: pages and pictures from the results beside them")
    parser.add_argument("--out", metavar="DIR", default=os.path.join(ROOT, "docs", "papers"),
                        help="where pages, pictures and results go (default docs/papers)")
    parser.add_argument("--tries", type=int, metavar="N", default=measure.TRIES,
                        help="how often a part is measured at most where other work disturbs it "
                        f"(default {measure.TRIES})")
    parser.add_argument("--minutes", type=float, metavar="N", default=measure.MINUTES,
                        help="of a page, after which nothing is measured again (default "
                        f"{measure.MINUTES})")
    parser.add_argument("--to", type=int, metavar="N", default=1024,
                        help="page 5: most processes that really run (default 1,024)")
    parser.add_argument("--dart-prefix", metavar="DIR",
                        help="page 3: where DART's reference implementation is installed")
    parser.add_argument("--nwchem", metavar="PROGRAM",
                        help="page 4: an nwchem built over our ARMCI")
    parser.add_argument("--nwchem-input", metavar="FILE", action="append", default=[],
                        help="page 4: what it computes; repeatable")
    parser.add_argument("--build", metavar="DIR", default=os.path.join(ROOT, "build", "papers"),
                        help="where programs are compiled")
    parser.add_argument("--simulators", metavar="DIR",
                        default=os.path.join(ROOT, "build", "study", "sim"),
                        help="where the simulators are")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    parser.add_argument("--stage", metavar="DIR", default=os.path.join(ROOT, "build", "stage"),
                        help="install tree to measure")
    return parser.parse_args()


def typed():
    """The command line without the --stage that ./dev adds, and without where pages go."""
    words = sys.argv[1:]
    for option in ("--stage", "--out"):
        if option in words:
            at = words.index(option)
            words = words[:at] + words[at + 2:]
    return words


def say(text):
    print(text, flush=True)


def results_of(args, number):
    return os.path.join(args.out, f"{number}-{modules.of(number).NAME}.json")


def measured(args, number):
    """Measures a page into its file of results."""
    module = modules.of(number)
    conditions = report.conditions(ROOT, [], "./dev papers " + shlex.join(typed()))
    conditions.pop("load average before")  # each part has its own
    document = Document(number, module.NAME, conditions)
    document.data["quick"] = args.quick
    tries = 1 if args.quick else args.tries
    measure.measure(document, module.parts(Context(args, say)), say, tries, args.minutes)
    document.write(results_of(args, number))


def written(args, number):
    """Pictures and page from the file of results."""
    module, results = modules.of(number), results_of(args, number)
    if not os.path.exists(results):
        sys.exit(f"papers: {results} does not exist: run without --write-only")
    document = Document.read(results)
    drawn = [] if args.no_plots else draw("paper.figures", results, args.out, say, HERE)
    figures = [os.path.basename(path) for path in drawn]
    if args.no_plots:  # those of an earlier run stay on the page
        figures = sorted(name for name in os.listdir(args.out)
                         if name.startswith(f"{number}-{module.NAME}") and name.endswith(".png"))
    for path in (*drawn, page.write(document, module.lines(document, figures), args.out)):
        say(f"  {os.path.relpath(path)}")
    return bool(document.data["parts"]) and any(part["rows"]
                                                for part in document.data["parts"].values())


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    if not args.write_only and not os.path.exists(os.path.join(args.stage, "bin", "oshrun")):
        sys.exit(f"papers: {args.stage} has no oshrun: run ./dev build first")
    good = True
    for number in args.only or modules.NAMES:
        say(f"papers: page {number}, {modules.of(number).TITLE.partition('. ')[2]}")
        if not args.write_only:
            measured(args, number)
        good = written(args, number) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
