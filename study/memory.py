#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a node's first PE against processes, for each virtual topology.

By formula: `causeway-info --topology` of the library that was built computes degrees and buffers.
Measured, with --measure: jobs on emulated nodes report what their servers have mapped. A page and a
figure show both, and the published figures.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from topologies import page, results  # noqa: E402
from topologies.jobs import Jobs  # noqa: E402

PES_PER_NODE = 12
NAMES = ("fcg", "mfcg", "cfcg", "hypercube")
MEASURED = os.path.join(ROOT, "docs", "papers", "4-hicoo.json")
NODES = (4, 8, 16, 32)  # that are measured
ROUNDS = 10  # of vectored puts to PE 0 by all PEs of other nodes
# What the authors of HiCOO report for 12,288 processes on nodes of 12: the growth of a node's
# master with all to all, and by how much the others reduce it.
PAPER = {"pes": 12288, "fcg": 812e6, "ratios": {"mfcg": 7.5, "cfcg": 16.6, "hypercube": 45.0}}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev study memory",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    scratch = os.path.join(ROOT, "build", "study")
    parser.add_argument("--out", metavar="DIR", default=scratch,
                        help="where page and figure go (default build/study)")
    parser.add_argument("--json", metavar="DIR", default=scratch,
                        help="where the numbers go (default build/study)")
    parser.add_argument("--measure", action="store_true",
                        help=f"run jobs of up to {NODES[-1] * PES_PER_NODE} PEs (minutes), and "
                        "show what they report; else docs/papers has what is shown")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    parser.add_argument("--stage", metavar="DIR", default=os.path.join(ROOT, "build", "stage"),
                        help="install tree that computes")
    return parser.parse_args()


def sizes():
    """Numbers of nodes: eight an octave, and those of 12,288 and 131,072 processes."""
    steps = {round(2**(k / 8)) for k in range(8, 8 * 14)}
    last = -(-131072 // PES_PER_NODE)
    return sorted({n for n in steps if n <= last} | {*NODES, 1024, last})


def rows_of(stage, nodes):
    """What the table of causeway-info has for so many nodes."""
    info = os.path.join(stage, "bin", "causeway-info")
    text = subprocess.run([info, "--topology", f"{nodes},{PES_PER_NODE}"], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        field = line.split()
        if field and field[0] in NAMES:
            yield {
                "topology": field[0], "nodes": nodes, "pes": nodes * PES_PER_NODE,
                "extents": field[1], "edges": int(field[2]), "degree": int(field[3]),
                "longest": int(field[4]), "mean_hops": float(field[5]),
                "nbytes": round(float(field[6]) * 2**20)  # of MiB with all their digits
            }


def constants():
    """What servers of today receive into, from the sources (ADR 39)."""
    def find(path, pattern):
        with open(os.path.join(ROOT, "src", "transport", path), encoding="utf-8") as file:
            return int(re.search(pattern, file.read())[1])

    message = find("transport.h", r"CWT_MESSAGE_MAX (\d+)")
    return {
        "buffer_nbytes": message + find("ofi/wire/wire.h",
                                        r"OFI_BUFFER_NBYTES \(CWT_MESSAGE_MAX \+ (\d+)\)"),
        "rdm_receives": find("ofi/wire/receives.h", r"OFI_RECEIVES_MAX (\d+)u"),
        "msg_receives": find("ofi/wire/wire.h", r"OFI_CREDITS (\d+)u")
    }


def measure(args):
    """What the first PE of node 0 reports: bytes of its edges' buffers, and of all its memory."""
    jobs = Jobs(args.stage, args.json, len(NODES) * (len(NAMES) + 1))
    words = ["hot", "vput", PES_PER_NODE, 100, ROUNDS]
    for nodes in NODES:
        for name in ("direct", *NAMES):
            first = jobs.run(name, "rdm", nodes, PES_PER_NODE, words, stats=True).pes[0]
            yield {
                "topology": name, "nodes": nodes, "edge_nbytes": first["forwarding"]["edge_bytes"],
                "most_held": first["forwarding"]["most_held"], "peak": first["peak_rss_bytes"]
            }


def measured(args):
    if args.measure:
        return list(measure(args))
    with open(MEASURED, encoding="utf-8") as file:
        rows = json.load(file)["parts"]["memory"]["rows"]
    return [row for row in rows if row["kind"] == "measured"]


def paper():
    fcg = PAPER["fcg"]
    return {**PAPER, "nbytes": {"fcg": fcg, **{k: fcg / r for k, r in PAPER["ratios"].items()}}}


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    document = {
        "pes_per_node": PES_PER_NODE, "paper": paper(), "today": constants(),
        "rows": [row for nodes in sizes() for row in rows_of(args.stage, nodes)],
        "measured": measured(args)
    }
    results.write(document, "topologies", "topologies.figure", page, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
