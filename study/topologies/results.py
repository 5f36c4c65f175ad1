# SPDX-License-Identifier: BSD-3-Clause
"""Results of a study: the numbers, the figures drawn from them, and the page."""

import argparse
import json
import os

from driver import draw

STUDY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def arguments(name, purpose, again):
    """Those of a study that measures; makes the folders."""
    parser = argparse.ArgumentParser(prog=f"./dev study {name}",
                                     description=purpose.split("\n\n", maxsplit=1)[0])
    scratch = os.path.join(os.path.dirname(STUDY), "build", "study")
    parser.add_argument("--quick", action="store_true", help="4 nodes: less than a minute")
    parser.add_argument("--again", type=int, metavar="N", default=again,
                        help=f"rounds of each measurement, in turn (default {again})")
    parser.add_argument("--out", metavar="DIR", default=scratch,
                        help="where page and figures go (default build/study)")
    parser.add_argument("--json", metavar="DIR", default=scratch,
                        help="where the numbers go (default build/study)")
    parser.add_argument("--stage", metavar="DIR",
                        default=os.path.join(os.path.dirname(STUDY), "build", "stage"),
                        help="install tree that is measured")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    args = parser.parse_args()
    os.makedirs(args.json, exist_ok=True)
    return args


def size(nbytes):
    for unit, text in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if nbytes >= unit:
            return f"{nbytes // unit} {text}"
    return f"{nbytes} B"


def write(document, name, figure, page, args):
    """Writes NAME.json into args.json, figures (unless args.no_plots) and page into args.out, and
    prints their paths."""
    os.makedirs(args.out, exist_ok=True)
    os.makedirs(args.json, exist_ok=True)
    results = os.path.join(args.json, f"{name}.json")
    with open(results, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    figures = [] if args.no_plots else draw.draw(figure, results, args.out, print, STUDY)
    print("\n".join([results, *figures, page.write(document, args.out)]))
