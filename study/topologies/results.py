# SPDX-License-Identifier: BSD-3-Clause
"""Results of a study: the numbers, the figures drawn from them, and the page."""

import json
import os

from driver import draw

STUDY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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
