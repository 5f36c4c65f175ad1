#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that make different collective calls, in checking mode: one line that names two PEs, their
calls and arguments, and where the program calls, in each interface and between them, on one node
and on several. Every run has a time-out."""
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
    "pwrk_private": (r"pWrk 0x\w+ \(.*\), \d+ bytes, is not symmetric memory", None),
    "agree": (None, None),
}

PLACE = r"(PE|rank) \d calls .* at \w+\+0x\w+ \(disagree\w*\.c:\d+\)(, but|: all) "

# "interface case" of disagree_fronts.c: the same
FRONTS = {
    "armci alone": (r"PE [01] calls ARMCI_Barrier", r"PE 2 calls ARMCI_Malloc"),
    "armci free": (r"PE [01] calls armci_msg_barrier", r"PE 2 calls ARMCI_Free"),
    "armci length": (r"PE [01] calls armci_msg_bcast \(nelems 4, root 0\)",
                     r"PE 2 calls armci_msg_bcast \(nelems 8, root 0\)"),
    "armci root": (r"PE [01] calls armci_msg_brdcst \(nelems 4, root 0\)",
                   r"PE 2 calls armci_msg_brdcst \(nelems 4, root 1\)"),
    "armci operation": (r"PE [01] calls armci_msg_igop \(nelems 2, type -?\d+, operation \"\+\"\)",
                        r"PE 2 calls armci_msg_igop \(nelems 2, type -?\d+, operation \"max\"\)"),
    "armci type": (r"PE [01] calls armci_msg_gop_scope \(nelems 2, type -?\d+, operation",
                   r"PE 2 calls armci_msg_gop_scope \(nelems 2, type -?\d+, operation"),
    "armci group": (r"PE [01] calls armci_msg_group_igop \(nelems 3,",
                    r"PE 2 calls armci_msg_group_igop \(nelems 2,"),
    "armci finalize": (r"PE [01] calls ARMCI_Finalize", r"PE 2 calls ARMCI_Malloc"),
    "armci nothing": (None, None),
    "dart alone": (r"PE [01] calls dart_barrier", r"PE 2 calls dart_team_memalloc_aligned"),
    "dart team": (r"PE [01] calls dart_allreduce \(", r"PE 2 calls dart_team_create"),
    "dart root": (r"PE [01] calls dart_bcast \(nelems 4, root 0, type DART_TYPE_INT\)",
                  r"PE 2 calls dart_bcast \(nelems 4, root 1, type DART_TYPE_INT\)"),
    "dart elements": (r"PE [01] calls dart_allgather \(nelems 4, type DART_TYPE_INT\)",
                      r"PE 2 calls dart_allgather \(nelems 5, type DART_TYPE_INT\)"),
    "dart operation": (r"PE [01] calls dart_allreduce \(nelems 4, type DART_TYPE_INT, "
                       r"operation DART_OP_SUM\)",
                       r"PE 2 calls dart_allreduce \(nelems 4, type DART_TYPE_INT, "
                       r"operation DART_OP_MAX\)"),
    "dart type": (r"PE [01] calls dart_reduce \(nelems 4, root 0, type DART_TYPE_INT,",
                  r"PE 2 calls dart_reduce \(nelems 4, root 0, type DART_TYPE_FLOAT,"),
    "dart nothing": (None, None),
    "gex length": (r"rank 0 calls gex_Coll_BroadcastNB \(nbytes 4, root 0\)",
                   r"rank 2 calls gex_Coll_BroadcastNB \(nbytes 8, root 0\)"),
    "gex root": (r"rank 0 calls gex_Coll_BroadcastNB \(nbytes 4, root 0\)",
                 r"rank 2 calls gex_Coll_BroadcastNB \(nbytes 4, root 1\)"),
    "gex operation": (r"rank 0 calls gex_Coll_ReduceToAllNB \(nbytes 8, type 0x\w+, operation",
                      r"rank 2 calls gex_Coll_ReduceToAllNB \(nbytes 8, type 0x\w+, operation"),
    "gex kind": (r"rank 0 calls gex_Coll_ReduceToOneNB \(nbytes 8, root 0, type",
                 r"rank 2 calls gex_Coll_Barrier at \S+ \(disagree_fronts\.c:\d+\): all members"),
    "gex alone": (r"rank 0 calls gex_Coll_Barrier", r"rank 2 calls gex_TM_Split at "),
    "gex nothing": (None, None),
    "mixed shmem-armci": (r"PE [01] calls ARMCI_Barrier", r"PE 2 calls shmem_barrier_all"),
    "mixed dart-armci": (r"PE [01] calls ARMCI_Barrier", r"PE 2 calls dart_barrier"),
}


MISTAKES = {
    "OpenSHMEM": {"other-call": "call", "alone": "allocation", "other-size": "nelems",
                  "other-root": "root", "other-operation": "call",
                  "interfaces": "mixed shmem-armci"},
    "ARMCI": {"other-call": "armci free", "alone": "armci alone", "other-size": "armci length",
              "other-root": "armci root", "other-operation": "armci operation",
              "interfaces": "mixed shmem-armci"},
    "DART": {"other-call": "dart team", "alone": "dart alone", "other-size": "dart elements",
             "other-root": "dart root", "other-operation": "dart operation",
             "interfaces": "mixed dart-armci"},
    "GASNet-EX": {"other-call": "gex kind", "alone": "gex alone", "other-size": "gex length",
                  "other-root": "gex root", "other-operation": "gex operation"}}


def cases():
    return {case: False for case, (one, _) in [*CASES.items(), *FRONTS.items()] if one}


def run(program, case, nodes):
    command = [str(STAGE / "bin/oshrun"), "-n", "3", "--emulate-nodes", str(nodes), program,
               *case.split()]
    env = {**os.environ, "CAUSEWAY_CHECK": "1"}
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=40 * SLOW,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return None, "hangs"
    return done.returncode, done.stdout + done.stderr


def attempt(program, case, nodes):
    one, other = CASES.get(case) or FRONTS[case]
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
    # where this PE calls the line says at its end
    if other and not re.search(PLACE, errors):
        return what + f"no place of the other PE's call\n{output}"
    return None


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = oshcc(f"{scratch}/disagree", "-Wno-deprecated-declarations",
                        TESTS / "errors/disagree.c")
        fronts = oshcc(f"{scratch}/fronts", "-DGASNET_SEQ", TESTS / "errors/disagree_fronts.c",
                       "-larmci", "-ldart-causeway")
        jobs = [(program, case, nodes) for case in CASES for nodes in (1, 2, 3)]
        jobs += [(fronts, case, 1 + i % 2) for i, case in enumerate(FRONTS)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for text in pool.map(lambda job: attempt(*job), jobs):
                if text:
                    fail(text)
    finish(f"{len(jobs)} runs")


if __name__ == "__main__":
    main()
