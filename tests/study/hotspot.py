# SPDX-License-Identifier: BSD-3-Clause
"""Simulated hot spots: all requests end, their numbers and hops are the topology's, windows stay
within the formula, aggregation sends fewer messages; no time is judged."""

import json
import os
import subprocess
import sys

from frame.script import ROOT, check, finish

BUILD = os.environ.get("CAUSEWAY_TEST_BUILD") or str(ROOT / "build")
SIMULATOR = os.path.join(BUILD, "study", "sim", "causeway-hotspot")
REMOTE = 1024 - 12  # PEs of other nodes than the target's
# By hand, of 86 nodes.
EXTENTS = {"mfcg": (10, 9), "cfcg": (5, 5, 4), "hypercube": (2, 2, 2, 2, 2, 2, 2)}
DEGREE = {"fcg": 85, "mfcg": 9 + 8, "cfcg": 4 + 4 + 3, "hypercube": 7}


def hops(topology):
    """Mean edges of the routes to node 0."""
    total = 0
    for pe in range(12, 1024):
        node = pe // 12
        for extent in EXTENTS.get(topology, (1024, )):
            total += node % extent > 0
            node //= extent
    return total / REMOTE


def refuses(*words):
    done = subprocess.run([SIMULATOR, *words], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "Usage" in done.stderr, f"{words}: {done.returncode}")


def check_windows():
    """With buffers that hold one request each, four for each PE of a neighbour and four of its
    server are the most that wait at the target."""
    words = ["--npes", "1024", "--pes-per-node", "4", "--share", "100", "--packs", "0", "--rounds",
             "4", "--operation", "fadd", "--topology", "mfcg",
             *(f"{name}=500" for name in ("hop", "serve", "execute", "send", "byte", "client",
                                          "wake", "local")), "penalty=7"]
    said = {}
    for nbytes in ("128", "16384"):
        done = subprocess.run([SIMULATOR, *words, "--buffer-nbytes", nbytes], capture_output=True,
                              text=True, check=False)
        if check(done.returncode == 0, f"buffers of {nbytes}: {done.stderr}"):
            said[nbytes] = json.loads(done.stdout)["queue"]
    check(said.get("128", 999) <= 30 * (4 + 4) < said.get("16384", 0),
          f"the longest queue by window: {said}")
    too_small = subprocess.run([SIMULATOR, *words, "--operation", "vput", "--buffer-nbytes", "128",
                                "--buffers", "1"], capture_output=True, text=True, check=False)
    check(too_small.returncode == 2 and "no room for a request" in too_small.stderr,
          f"a window smaller than a request: {too_small.returncode} {too_small.stderr}")


def main():
    command = [sys.executable, str(ROOT / "study/hotspot.py"), "--quick", "--build", BUILD,
               "--penalty", "3", "--price", "hop=2000", "--out", "out", "--json", "out",
               "--no-plots"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
    with open("out/hotspot.json", encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    check(len(rows) == 18, f"{len(rows)} rows")
    for row in rows:
        what = f"{row['topology']} {row['operation']} {row['packs']}"
        check(row["simulated"] and row["contending"] == REMOTE, what)
        check(row["requests"] == REMOTE * 10, f"{what}: {row['requests']} requests")
        check(abs(row["hops"] - hops(row["topology"])) < 0.001, f"{what}: {row['hops']} hops")
        check(row["packs"] == (row["messages"] < row["requests"]), f"{what}: {row['messages']}")
        window = DEGREE.get(row["topology"], 0) * 12 * 4 * 16384
        check(row["most_held"] <= window, f"{what}: {row['most_held']} bytes wait")
        if row["packs"] and row["operation"] == "fadd":  # puts fill messages
            check(row["queue"] < 3 * DEGREE[row["topology"]], f"{what}: {row['queue']} queue")
        check(row["least_us"] > 4, f"{what}: less than two hops, {row['least_us']} us")
    with open("out/hotspot.md", encoding="utf-8") as file:
        check("Every figure on this page is simulated" in file.read(), "the page does not say so")
    refuses("--npes", "24", "--topology", "mfcg")
    refuses("--npes", "24", "hop=fast")
    check_windows()
    finish()


if __name__ == "__main__":
    main()
