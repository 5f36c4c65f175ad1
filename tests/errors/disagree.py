#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that make different collective calls, in checking mode: one line that names two PEs, their
calls and arguments, on one node and on several. Every run has a time-out."""
import concurrent.futures
import os
import re
import subprocess
import tempfile

from frame.script import SLOW, STAGE, TESTS, fail, finish, oshcc

# case: (one PE's call, the other's). Which of the two usual PEs is named with the last one varies.
CASES = {
    "nelems": (r"PE [01] calls shmem_int_broadcast \(nelems 4, root 0\)",
               r"PE 2 calls shmem_int_broadcast \(nelems 5, root 0\)"),
    "root": (r"PE [01] calls shmem_int_broadcast \(nelems 4, root 0\)",
             r"PE 2 calls shmem_int_broadcast \(nelems 4, root 1\)"),
    "call": (r"PE [01] calls shmem_int_sum_reduce \(nelems 4\)",
             r"PE 2 calls shmem_int_max_reduce \(nelems 4\)"),
    "barrier": (r"PE [01] calls shmem_int_fcollect \(nelems 4\)", r"PE 2 calls shmem_barrier_all"),
    "object": (r"PE [01] calls shmem_int_alltoall \(nelems 2, dest at offset 0x\w+\)",
               r"PE 2 calls shmem_int_alltoall \(nelems 2, dest at offset 0x\w+\)"),
    "stride": (r"PE [01] calls shmem_int_alltoalls \(nelems 2, dst 1, sst 2\)",
               r"PE 2 calls shmem_int_alltoalls \(nelems 2, dst 1, sst 3\)"),
    "scan": (r"PE [01] calls shmem_int_sum_inscan \(nelems 3\)",
             r"PE 2 calls shmem_int_sum_inscan \(nelems 4\)"),
    "allocation": (r"PE [01] calls shmem_malloc \(size 100\)",
                   r"PE 2 calls shmem_malloc \(size 200\)"),
    "release": (r"PE [01] calls shmem_free \(ptr at offset \d+\)",
                r"PE 2 calls shmem_free \(ptr at offset \d+\)"),
    "finalize": (r"PE [01] calls shmem_finalize", r"PE 2 calls shmem_barrier_all"),
    "team": (r"PE [01] calls shmem_team_split_strided \(start 0, stride 1, size 2\)",
             r"PE 2 calls shmem_team_split_strided \(start 0, stride 1, size 1\)"),
    "in_team": (r"PE [01] calls shmem_int_broadcast \(nelems 4, root 0\)",
                r"PE 2 calls shmem_int_broadcast \(nelems 5, root 0\)"),
    "active_set": (r"PE 1 calls shmem_fcollect32 \(nelems 3\)",
                   r"PE 2 calls shmem_fcollect32 \(nelems 4\)"),
    "no_source": (r"PE [01] calls shmem_int_collect \(source at offset 0x\w+\)",
                  r"PE 2 calls shmem_int_collect \(no source\)"),
    "psync_dirty": (r"pSync\[3\] is 77 instead of SHMEM_SYNC_VALUE \(0\)", None),
    "psync_set_dirty": (r"pSync\[1\] is -1 instead of SHMEM_SYNC_VALUE \(0\)", None),
    "pwrk_private": (r"pWrk 0x\w+ \(\d+ bytes\) is not symmetric memory", None),
    "agree": (None, None),
}


def run(program, case, nodes):
    command = [str(STAGE / "bin/oshrun"), "-n", "3", "--emulate-nodes", str(nodes), program, case]
    env = {**os.environ, "CAUSEWAY_CHECK": "1"}
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=40 * SLOW,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return None, "hangs"
    return done.returncode, done.stdout + done.stderr


def attempt(program, case, nodes):
    one, other = CASES[case]
    status, output = run(program, case, nodes)
    what = f"{case} on {nodes} node(s), status {status}: "
    if one is None:
        return None if status == 0 and "agreed" in output else what + f"should be fine\n{output}"
    if not status or status > 127 or status < 0 or "NOT NOTICED" in output:
        return what + f"not noticed\n{output}"
    errors = "\n".join(line for line in output.splitlines() if line.startswith("causeway: error:"))
    for text in (one, other):
        if text and not re.search(text, errors):
            return what + f"no message with '{text}'\n{output}"
    return None


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = oshcc(f"{scratch}/disagree", "-Wno-deprecated-declarations",
                        TESTS / "errors/disagree.c")
        jobs = [(case, nodes) for case in CASES for nodes in (1, 2, 3)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for text in pool.map(lambda job: attempt(program, *job), jobs):
                if text:
                    fail(text)
    finish(f"{len(jobs)} runs")


if __name__ == "__main__":
    main()
