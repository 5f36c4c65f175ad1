# SPDX-License-Identifier: BSD-3-Clause
"""The section on messages: program and baselines build, run on one node and on two, and print what the table needs."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STAGE = os.environ.get("CAUSEWAY_STAGE") or os.path.join(ROOT, "build", "stage")
BOTH = (("short_round_trip", 0), ("short_rate", 0), ("medium_rate", 512), ("medium_rate", 3968), ("get", 8), ("put_nbi_bw", 1048576),
        ("get_nbi_bw", 1048576), ("init", 0), ("ready", 0))  # fmt: skip
OURS = (("medium_round_trip", 8), ("put", 8))


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "r.json")
        cmd = [sys.executable, os.path.join(ROOT, "bench", "run.py"), "--quick", "--only", "am", "--stage", STAGE, "--json", results,
               "--plots", folder]  # fmt: skip
        done = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"FAIL: status {done.returncode}\n{done.stdout}{done.stderr}")
            return 1
        with open(results, encoding="utf-8") as file:
            document = json.load(file)
    found = {(row["peer"], row["layout"], row["op"], row["bytes"]) for row in document["results"] if row["bench"] == "am" and row["median"] > 0}
    wanted = [(peer, layout, *what) for peer in ("causeway", "baseline") for layout in ("local", "rdm", "msg") for what in BOTH]
    wanted += [("causeway", layout, *what) for layout in ("local", "rdm", "msg") for what in OURS]
    wanted += [("baseline", layout, "short_round_trip_two", 0) for layout in ("rdm", "msg")] + [("baseline", "local", "two_flags_rate", nbytes) for nbytes in (0, 8, 512, 3968)]
    bad = [f"no result for {' '.join(map(str, key))}" for key in wanted if key not in found]
    bad += [f"{name}: {reason}" for name, reason in document["remarks"].items()]
    for line in bad:
        print("FAIL:", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
