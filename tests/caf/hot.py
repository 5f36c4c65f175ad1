#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of statements within the node, from call to return, by callgrind: what keeps an
assignment, a SYNC MEMORY and a SYNC IMAGES at some nanoseconds. And those of all searches for the
routines that the program calls, at its start."""
import re

from frame.client import scratch, works
from frame.script import STAGE, TESTS, check, finish

MOST = {"send": 68, "sync_memory": 24, "sync_images": 40}
CALLS = 160
MOST_OF_SEARCHES = 50_000


def counted(function):
    """Instructions in it and in what it calls, while the program runs; and what valgrind says."""
    done = works("valgrind", "--tool=callgrind", "--callgrind-out-file=counts",
                 f"--toggle-collect={function}", "./hot")
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return int(collected[1]) if collected else 0, done.stderr


def main():
    with scratch():
        done = works(STAGE / "bin/caf", "-O2", TESTS / "caf/hot.f90", "-o", "hot")
        check(done.returncode == 0, "hot.f90", done.stderr)
        for statement, most in MOST.items():
            count, said = counted(f"_gfortran_caf_{statement}")
            count /= CALLS
            check(0 < count <= most, f"{statement}: {count} instructions; at most {most}", said)
            print(f"{statement:12} {count:5.1f} of {most}")
        count, said = counted("cw_program_uses")
        check(0 < count <= MOST_OF_SEARCHES,
              f"searches: {count} instructions; at most {MOST_OF_SEARCHES}", said)
        print(f"searches     {count} of {MOST_OF_SEARCHES}")
    finish()


if __name__ == "__main__":
    main()
