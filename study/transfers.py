#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Transfers and requests of one PE to another node on emulated nodes: each topology beside no
forwarding.

Puts and gets of 8 B to 1 MiB, 1 MiB in rows of 8 B to 1 MiB, accumulates, fetch-adds and a lock,
with 4, 8 and 11 PEs a node. All jobs take turns, and a topology is compared with the direct job of
the same round.
"""

import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from topologies import results, transfers_page  # noqa: E402
from topologies.jobs import Jobs, said  # noqa: E402

TOPOLOGIES = ("direct", "fcg", "mfcg", "cfcg", "hypercube")
SIZES = {"nodes": 16, "ppn": (4, 8, 11), "rounds": 200}
SIZES_QUICK = {"nodes": 4, "ppn": (2, ), "rounds": 20}


def of_one_size(jobs, sizes, ppn, again):
    """Of each operation and topology the median of the rounds' medians, and the median, least and
    most of its ratios to direct in the same round."""
    rounds = [{name: said(jobs.run(name, "msg", sizes["nodes"], ppn, ["pair", sizes["rounds"]]))
               for name in TOPOLOGIES} for _ in range(again)]
    for name in TOPOLOGIES:
        for i, row in enumerate(rounds[0][name]):
            times = [of[name][i]["median_us"] for of in rounds]
            ratios = [of[name][i]["median_us"] / of["direct"][i]["median_us"] for of in rounds]
            yield {
                "topology": name, "ppn": ppn, "name": row["name"], "nbytes": row["nbytes"],
                "median_us": statistics.median(times), "ratio": statistics.median(ratios),
                "least": min(ratios), "most": max(ratios)
            }


def main():
    args = results.arguments("transfers", __doc__, 5)
    sizes = SIZES_QUICK if args.quick else SIZES
    again = 1 if args.quick else args.again
    jobs = Jobs(args.stage, args.json, len(TOPOLOGIES) * again * len(sizes["ppn"]))
    rows = [row for ppn in sizes["ppn"] for row in of_one_size(jobs, sizes, ppn, again)]
    document = {"sizes": sizes, "again": again, "cores": os.cpu_count(), "rows": rows}
    results.write(document, "transfers", "topologies.transfers_figure", transfers_page, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
