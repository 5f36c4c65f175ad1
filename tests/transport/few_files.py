#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Twelve nodes whose processes may have few file descriptors: the job works, or it ends with a
message long before CAUSEWAY_TIMEOUT."""

import os
import re
import subprocess
import time
from pathlib import Path

from frame.script import SLOW, STAGE, TESTS, check, finish, oshcc

TIMEOUT = 60 * SLOW


def run(program, mode, files, pes=12):
    """(seconds, exit status, output)"""
    env = os.environ | {"CAUSEWAY_ENDPOINT": mode, "CAUSEWAY_TIMEOUT": str(TIMEOUT),
                        "SHMEM_SYMMETRIC_SIZE": "1M"}
    start = time.monotonic()
    job = subprocess.run([STAGE / "bin/oshrun", "-n", str(pes), "--emulate-nodes", str(pes), "sh",
                          "-c", f"ulimit -n {files}; exec {program}"], env=env, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=2 * TIMEOUT)
    return time.monotonic() - start, job.returncode, job.stdout


program = oshcc(Path("few_files").resolve(), TESTS / "transport/few_files.c")
for mode in ("msg", "rdm"):
    seconds, status, output = run(f"{program} late", mode, 100, pes=4)
    check(status == 0 and "all done" in output, f"{mode}, late", status, output)
    for files in (400, 36, 32):
        seconds, status, output = run(program, mode, files)
        works = status == 0 and "all done" in output
        # connections that RDM endpoints lack are the provider's, which does not always say why
        reason = "out of file descriptors" if mode == "msg" else "causeway: error: "
        says = status != 0 and re.search(reason, output)
        # with 36 connections rest where a server would have none left for what comes in
        enough = 36 if mode == "msg" else 400
        check(works or (says and files < enough), f"{mode} with {files} descriptors", status,
              output)
        check(seconds < TIMEOUT / 2, f"{mode} with {files} descriptors takes {seconds:.1f} s",
              output)
    seconds, status, output = run(program, mode, 26)
    check(status != 0 and "ulimit" in output, f"{mode} with 26 descriptors", status, output)
    advises = "or CAUSEWAY_ENDPOINT=rdm" in output
    check(advises == (mode == "msg"), f"{mode}: the advice for what is in use", output)
finish()
