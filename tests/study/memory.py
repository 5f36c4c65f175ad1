# SPDX-License-Identifier: BSD-3-Clause
"""Memory of virtual topologies: the study agrees with the formula to the byte, and the committed
page has what it computes today."""

import json
import subprocess
import sys

from frame.script import ROOT, STAGE, check, finish

# By hand: rows, columns and layers of 1,024 and 10,923 nodes, less the node itself.
DEGREES = {
    1024: {"fcg": 1023, "mfcg": 31 + 31, "cfcg": 10 + 9 + 9, "hypercube": 10},
    10923: {"fcg": 10922, "mfcg": 104 + 104, "cfcg": 22 + 21 + 21, "hypercube": 14}
}


def main():
    command = [sys.executable, str(ROOT / "study/memory.py"), "--stage", str(STAGE), "--out", "out",
               "--json", "out", "--no-plots"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
    with open("out/topologies.json", encoding="utf-8") as file:
        document = json.load(file)
    rows = document["rows"]
    for nodes, degrees in DEGREES.items():
        for name, degree in degrees.items():
            row = next(r for r in rows if r["nodes"] == nodes and r["topology"] == name)
            check(row["degree"] == degree and row["nbytes"] == degree * 12 * 4 * 16384,
                  f"{name} of {nodes}: {row}")
    for row in rows:
        check(row["nbytes"] == row["degree"] * 12 * 4 * 16384, f"{row}")
    for measured in document["measured"]:
        formula = sum(r["nbytes"] for r in rows if r["nodes"] == measured["nodes"]
                      and r["topology"] == measured["topology"])
        check(measured["edge_nbytes"] == formula, f"{measured}: the formula says {formula}")
    with open(ROOT / "docs/papers/4-hicoo.json", encoding="utf-8") as file:
        committed = json.load(file)["parts"]["memory"]["rows"]
    computed = [{k: v for k, v in row.items() if k != "kind"} for row in committed
                if row["kind"] == "computed"]
    check(computed == rows, "docs/papers/4-hicoo.json is not what is computed today")
    finish()


if __name__ == "__main__":
    main()
