#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""However a job ends, all its processes end, with the status that was given, and what they printed is not lost."""
import os
import subprocess
import sys

SOURCE = os.path.join(os.environ["CAUSEWAY_TEST_SOURCE"], "tests/gasnet/ending.c")
NODE, TWO = ["-n", "3"], ["-n", "3", "--emulate-nodes", "2"]
# how, status, layout, status wanted
CASES = [("all", 0, NODE, 0), ("all", 7, NODE, 7), ("return", 0, NODE, 0), ("return", 5, NODE, 5), ("early", 0, NODE, 0),
         ("early", 3, NODE, 3), ("one", 6, NODE, 6), ("one", 0, NODE, 0), ("one-returns", 4, NODE, 4),
         ("computing", 8, NODE, 8), ("caught", 9, NODE, 9), ("crash", 0, NODE, 137),
         ("all", 0, TWO, 0), ("return", 0, TWO, 0), ("one", 6, TWO, 6), ("computing", 8, TWO, 8), ("early", 0, TWO, 0)]


def main():
    subprocess.run(["oshcc", "-DGASNET_SEQ", "-O1", "-g", "-o", "ending", SOURCE], check=True)
    env = dict(os.environ, GASNET_EXITTIMEOUT="2")
    wrong = 0
    for how, status, layout, wanted in CASES:
        done = subprocess.run(["oshrun", *layout, "./ending", how, str(status)], env=env, capture_output=True, text=True,
                              timeout=50)
        here = 0 if how == "early" else 3
        bad = []
        if done.returncode != wanted:
            bad.append(f"status {done.returncode}")
        if done.stdout.count("is here") != here and how != "crash":
            bad.append(f"{done.stdout.count('is here')} nodes spoke")
        if "FAIL" in done.stdout or "causeway: error" in done.stderr:
            bad.append("an error")
        if how == "caught" and done.stdout.count("cleaned up") != 2:
            bad.append("not everybody got SIGQUIT")
        if bad:
            wrong += 1
            print(f"FAIL: {how} {status} {' '.join(layout)}: {', '.join(bad)}\n{done.stdout}{done.stderr}")
    print(f"{len(CASES)} ends, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
