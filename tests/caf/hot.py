#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of statements within the node, from call to return, by callgrind: what keeps an
assignment, a SYNC MEMORY and a SYNC IMAGES at some nanoseconds."""
import re

from frame.client import scratch, works
from frame.script import STAGE, TESTS, check, finish

MOST = {"send": 80, "sync_memory": 42, "sync_images": 140}
CALLS = 160


def main():
    with scratch():
        done = works(STAGE / "bin/caf", "-O2", TESTS / "caf/hot.f90", "-o", "hot")
        check(done.returncode == 0, "hot.f90", done.stderr)
        for statement, most in MOST.items():
            done = works("valgrind", "--tool=callgrind", "--callgrind-out-file=counts",
                         f"--toggle-collect=_gfortran_caf_{statement}", "./hot")
            counted = re.search(r"Collected : (\d+)", done.stderr)
            count = int(counted[1]) / CALLS if counted else 0
            check(0 < count <= most, f"{statement}: {count} instructions; at most {most}",
                  done.stderr)
            print(f"{statement:12} {count:5.1f} of {most}")
    finish()


if __name__ == "__main__":
    main()
