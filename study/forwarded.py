#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests of many PEs to PE 0 on emulated nodes, measured: each topology beside no forwarding.

Hot spots: times by rank while a share of the PEs contends, messages that reach the target's server,
its longest queue. One PE alone: study/transfers.py.
"""

import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from topologies import forwarded_page, results  # noqa: E402
from topologies.jobs import Jobs, said  # noqa: E402

# Topology and endpoint type: without forwarding, receives are each peer's (msg) or one pool (rdm).
VARIANTS = (("direct", "msg"), ("direct", "rdm"), ("fcg", "msg"), ("fcg", "rdm"), ("mfcg", "msg"),
            ("cfcg", "msg"), ("hypercube", "msg"))  # fmt: skip
SHARES = (0, 11, 20, 100)
COUNTED = (20, 100)  # what servers do is counted
OPERATIONS = ("fadd", "vput")
HOT = {"nodes": 32, "ppn": 4, "rounds": 50}
HOT_QUICK = {"nodes": 4, "ppn": 2, "rounds": 20}


def hot_spot(jobs, sizes, operation, share, again):
    nodes, ppn, rounds = sizes["nodes"], sizes["ppn"], sizes["rounds"]
    times = {variant: [] for variant in VARIANTS}
    for _ in range(again):
        for variant in VARIANTS:
            job = jobs.run(*variant, nodes, ppn, ["hot", operation, ppn, share, rounds])
            times[variant].append(said(job))
    for variant, runs in times.items():
        by_rank = [[ranks[0][0], statistics.median(us for _, us in ranks)]
                   for ranks in zip(*(run["by_rank"] for run in runs))]
        each = [statistics.mean(us for _, us in run["by_rank"]) for run in runs]
        yield {
            "topology": variant[0], "endpoint": variant[1], "operation": operation, "share": share,
            "by_rank": by_rank, "mean_us": statistics.median(each), "least_us": min(each),
            "most_us": max(each), "requests": rounds * len(by_rank)
        }


def servers(jobs, sizes, row):
    """What the target's server counted in one more run."""
    ppn = sizes["ppn"]
    words = ["hot", row["operation"], ppn, row["share"], sizes["rounds"]]
    job = jobs.run(row["topology"], row["endpoint"], sizes["nodes"], ppn, words, stats=True)
    return [pe["forwarding"] for pe in job.pes if "forwarding" in pe]


def main():
    args = results.arguments("forwarded", __doc__, 3)
    hot = HOT_QUICK if args.quick else HOT
    again = 1 if args.quick else args.again
    shares = SHARES[-1:] if args.quick else SHARES
    counted = len(set(shares) & set(COUNTED))
    total = len(OPERATIONS) * (again * len(shares) + counted)
    jobs = Jobs(args.stage, args.json, len(VARIANTS) * total)
    rows = [row for operation in OPERATIONS for share in shares
            for row in hot_spot(jobs, hot, operation, share, again)]
    for row in rows:
        if row["share"] in COUNTED:
            row["servers"] = servers(jobs, hot, row)
    document = {"hot": hot, "again": again, "cores": os.cpu_count(), "rows": rows}
    results.write(document, "forwarded", "topologies.forwarded_figure", forwarded_page, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
