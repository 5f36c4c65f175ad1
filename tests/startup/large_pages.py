#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Large blocks may have large pages, do have them where CAUSEWAY_HUGEPAGES=2M says so, and none
with off; a warning where the kernel makes none."""
import subprocess

from frame.script import STAGE, TESTS, check, clean_environment, finish, oshcc

oshcc("large_pages", TESTS / "startup/large_pages.c", "-larmci")
oshcc("large_segment", "-DGASNET_SEQ", TESTS / "startup/large_segment.c", "-lgasnet-ofi-seq")


def job(program, nodes, setting):
    """Its output and its errors, each."""
    done = subprocess.run([STAGE / "bin/oshrun", "-n", "3", "--emulate-nodes", str(nodes),
                           f"./{program}", setting], capture_output=True, text=True,
                          env=clean_environment() | {"CAUSEWAY_HUGEPAGES": setting,
                                                     "SHMEM_SYMMETRIC_SIZE": "1G"},
                          timeout=120, check=False)
    check(done.returncode == 0,
          f"{program}, {setting}, {nodes} nodes\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


for nodes in (1, 2):
    for setting in ("auto", "2M", "off"):
        job("large_segment", nodes, setting)
        output, errors = job("large_pages", nodes, setting)
        warned = "pages stay small, this kernel makes no large ones" in errors
        check(warned == ("this kernel makes no large pages" in output),
              f"{setting}, {nodes} nodes: a warning: {warned}\n{output}{errors}")
        if warned:
            print("SKIP of a part: this kernel makes no large pages of shared memory")
finish()
