#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Transfers and requests of one PE to another node on emulated nodes: each topology beside no
forwarding.

Puts and gets of 8 B to 1 MiB, 1 MiB in rows of 8 B to 1 MiB, accumulates, fetch-adds and a lock,
with 4, 8 and 11 PEs a node. Jobs of all topologies, and two of none, live at the same time and take
turns; then others take their places.
"""

import functools
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from topologies import results, transfers_page, turns  # noqa: E402
from topologies.jobs import Jobs  # noqa: E402

AGAIN = "direct again"  # how far two equal jobs are apart
TOPOLOGIES = ("direct", AGAIN, "fcg", "mfcg", "cfcg", "hypercube")
SIZES = {"nodes": 16, "ppn": (4, 8, 11), "rounds": 40}
SIZES_QUICK = {"nodes": 4, "ppn": (2, ), "rounds": 10}
TURNS = 6  # of the same jobs: what large transfers take differs by job


def percentiles(took):
    """The tenth, which is what it takes where a wake-up finds its core; quartile and median."""
    cuts = statistics.quantiles(took, n=20, method="inclusive")  # of few: none below the least
    return cuts[1], cuts[4], cuts[9]


def of_one_size(jobs, sizes, ppn, again):
    """Of each operation and topology the tenth percentile, quartile and median, and their ratios to
    direct."""
    jobs_of = {
        name: functools.partial(lambda topology, fifo: jobs.job(
            topology, "msg", sizes["nodes"], ppn, ["pair", fifo, sizes["rounds"]]),
            name.split()[0]) for name in TOPOLOGIES}  # fmt: skip
    times = {name: {} for name in TOPOLOGIES}
    for _ in range(again // TURNS):
        for name, rows in turns.take(jobs_of, TURNS).items():
            for key, took in rows.items():
                times[name].setdefault(key, []).extend(took)
        jobs.progress(f"{ppn} PEs a node, {TURNS} turns of {len(TOPOLOGIES)} jobs")
    for name in TOPOLOGIES:
        for (operation, nbytes), took in times[name].items():
            marks = percentiles(took)
            direct = percentiles(times["direct"][operation, nbytes])
            ratios = [mine / its for mine, its in zip(marks, direct)]
            yield {
                "topology": name, "ppn": ppn, "name": operation, "nbytes": nbytes,
                "quick_us": marks[0], "ratio": ratios[0], "least": min(ratios),
                "most": max(ratios)
            }


def main():
    args = results.arguments("transfers", __doc__, 60)
    sizes = SIZES_QUICK if args.quick else SIZES
    again = 2 * TURNS if args.quick else max(1, args.again // TURNS) * TURNS
    jobs = Jobs(args.stage, args.json, again // TURNS * len(sizes["ppn"]))
    rows = [row for ppn in sizes["ppn"] for row in of_one_size(jobs, sizes, ppn, again)]
    document = {
        "sizes": sizes, "again": again, "turns": TURNS, "cores": os.cpu_count(), "rows": rows
    }
    results.write(document, "transfers", "topologies.transfers_figure", transfers_page, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
