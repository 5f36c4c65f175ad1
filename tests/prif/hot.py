#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of a prif_put and a prif_get of 8 bytes within the node, from call to return, by
callgrind: what keeps a scalar assignment at some 8 ns."""
import re

from frame.client import scratch, works
from frame.script import STAGE, TESTS, check, finish

MOST = 70
CALLS = 100


def main():
    with scratch():
        done = works(STAGE / "bin/prifc", "-O2", TESTS / "prif/checks.f90", TESTS / "prif/hot.f90",
                     "-o", "hot")
        check(done.returncode == 0, "hot.f90", done.stderr)
        for procedure in ("prif_put", "prif_get"):
            done = works("valgrind", "--tool=callgrind", "--callgrind-out-file=counts",
                         f"--toggle-collect=__prif_MOD_{procedure}", "./hot")
            counted = re.search(r"Collected : (\d+)", done.stderr)
            check(counted and 0 < int(counted[1]) <= CALLS * MOST, procedure, done.stderr)
    finish()


if __name__ == "__main__":
    main()
