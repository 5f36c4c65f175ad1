#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Large blocks may have large pages, do have them where CAUSEWAY_HUGEPAGES=2M says so, and none
with off; a warning where the kernel makes none."""
import subprocess

from frame.script import STAGE, TESTS, check, clean_environment, finish, oshcc

oshcc("large_pages", TESTS / "startup/large_pages.c", "-larmci")
for nodes in (1, 2):
    for setting in ("auto", "2M", "off"):
        done = subprocess.run([STAGE / "bin/oshrun", "-n", "3", "--emulate-nodes", str(nodes),
                               "./large_pages", setting], capture_output=True, text=True,
                              env=clean_environment() | {"CAUSEWAY_HUGEPAGES": setting,
                                                         "SHMEM_SYMMETRIC_SIZE": "1G"},
                              timeout=120, check=False)
        output = done.stdout + done.stderr
        check(done.returncode == 0, f"{setting}, {nodes} nodes\n{output}")
        warned = "pages stay small, this kernel makes no large ones" in output
        check(warned == ("this kernel makes no large pages" in done.stdout),
              f"{setting}, {nodes} nodes: a warning: {warned}\n{output}")
        if warned:
            print("SKIP of a part: this kernel makes no large pages of shared memory")
finish()
