#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests of many PEs to PE 0, on each topology, simulated: times by rank, messages, queues, hops.

`causeway-hotspot` (study/sim) runs the library's state machine of forwarding; times follow from
prices, which are assumptions and can be given, and from a contention penalty, which is swept.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from topologies import hotspot_page, results  # noqa: E402

PES_PER_NODE = 12
SIZES = (1024, 12288)
# Of the largest size: what the state of a complete graph of 10,923 nodes would take is 23 GB.
LARGEST, LARGEST_VARIANTS = 131072, (("direct", 0), ("mfcg", 1), ("cfcg", 1), ("hypercube", 1))
SHARES = (0, 11, 20, 100)
PENALTIES = (0.0, 2.0, 7.0)
OPERATIONS = ("fadd", "vput")
# Topology, and whether nodes aggregate.
VARIANTS = (("direct", 0), ("fcg", 0), ("mfcg", 0), ("cfcg", 0), ("hypercube", 0), ("fcg", 1),
            ("mfcg", 1), ("cfcg", 1), ("hypercube", 1))  # fmt: skip
ROUNDS = {1024: 10, 12288: 4, LARGEST: 2}  # operations of each PE; of other sizes the first
# Where forwarding begins to pay (auto): fetch-and-adds without a penalty.
NODES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
AUTO_VARIANTS = (("direct", 0), ("fcg", 1), ("mfcg", 1), ("cfcg", 1))
# Assumed, in nanoseconds: a network of 1.5 us and 4 GB/s, servers of 1 us a message.
PRICES = {"hop": 1500, "serve": 1000, "execute": 200, "send": 500, "byte": 0.25, "client": 500,
          "wake": 500, "local": 100}  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(prog="./dev study hotspot",
                                     description=__doc__.split("\n\n", maxsplit=1)[0])
    scratch = os.path.join(ROOT, "build", "study")
    swept = ", ".join(f"{p:g}" for p in PENALTIES)
    parser.add_argument("--quick", action="store_true",
                        help="1,024 processes, all contend, one penalty: seconds")
    parser.add_argument("--penalty", metavar="NS", type=float, action="append",
                        help="what each waiting message adds to the one before it; repeatable "
                        f"(default {swept})")
    parser.add_argument("--price", metavar="NAME=NS", action="append", default=[],
                        help=f"another price: {', '.join(PRICES)}")
    parser.add_argument("--out", metavar="DIR", default=scratch,
                        help="where page and figure go (default build/study)")
    parser.add_argument("--json", metavar="DIR", default=scratch,
                        help="where the numbers go (default build/study)")
    parser.add_argument("--build", metavar="DIR", default=os.path.join(ROOT, "build"),
                        help="build directory with the simulator")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    return parser.parse_args()


def prices_of(words):
    prices = dict(PRICES)
    for word in words:
        name, _, value = word.partition("=")
        if name not in prices:
            sys.exit(f"study: no price {name}: {', '.join(PRICES)}")
        prices[name] = float(value)
    return prices


def runs(args):
    penalties = sorted(args.penalty or PENALTIES)
    for npes in SIZES[:1] if args.quick else SIZES:
        for operation in OPERATIONS:
            for share in SHARES[-1:] if args.quick else SHARES:
                # Alone nothing waits, so there is nothing to penalise.
                for penalty in penalties[-1:] if args.quick or share == 0 else penalties:
                    for topology, packs in VARIANTS:
                        yield {
                            "npes": npes, "operation": operation, "share": share,
                            "penalty": penalty, "topology": topology, "packs": packs
                        }


def runs_of_largest(args):
    penalties = sorted(args.penalty or PENALTIES)
    for share in () if args.quick else SHARES:
        for penalty in penalties[-1:] if share == 0 else sorted({penalties[0], penalties[-1]}):
            for topology, packs in LARGEST_VARIANTS:
                yield {
                    "npes": LARGEST, "operation": "fadd", "share": share, "penalty": penalty,
                    "topology": topology, "packs": packs
                }


def runs_by_nodes(args):
    for nodes in () if args.quick else NODES:
        for share in SHARES:
            for topology, packs in AUTO_VARIANTS:
                yield {
                    "npes": nodes * PES_PER_NODE, "operation": "fadd", "share": share,
                    "penalty": 0.0, "topology": topology, "packs": packs
                }


def simulate(simulator, prices, run):
    rounds = run.get("rounds") or ROUNDS.get(run["npes"], ROUNDS[SIZES[0]])
    words = [f"{name}={value:g}" for name, value in {**prices, "penalty": run["penalty"]}.items()]
    command = [simulator, "--pes-per-node", str(run.get("ppn", PES_PER_NODE)), "--rounds",
               str(rounds), *words]
    if "buffer_nbytes" in run:
        command += ["--buffer-nbytes", str(run["buffer_nbytes"])]
    for name in ("npes", "operation", "share", "topology", "packs", "planes", "work", "data"):
        if name in run:
            command += [f"--{name}", str(run[name])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"study: {' '.join(command)}: {done.stderr}")
    return {**run, "rounds": rounds, **json.loads(done.stdout)}


def main():
    args = arguments()
    prices = prices_of(args.price)
    simulator = os.path.join(args.build, "study", "sim", "causeway-hotspot")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows, largest, by_nodes = (
            list(pool.map(lambda run: simulate(simulator, prices, run), each(args)))
            for each in (runs, runs_of_largest, runs_by_nodes))
    for row in by_nodes:
        del row["by_rank"]
    document = {"simulated": True, "pes_per_node": PES_PER_NODE, "prices": prices,
                "rows": rows + largest,
                "by_nodes": by_nodes}  # fmt: skip
    results.write(document, "hotspot", "topologies.hotspot_figure", hotspot_page, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
