#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The transport contract and its faults on a current libfabric, which the wheel `mpich` brings: there `tcp` has RDM
endpoints, and `net` is gone."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
import wheels  # noqa: E402

BUILD = Path(os.environ.get("CAUSEWAY_TEST_BUILD", HERE.parents[1] / "build"))
STAGE = Path(os.environ.get("CAUSEWAY_TEST_STAGE", BUILD / "stage"))


def main():
    try:
        library = wheels.libfabric()
    except wheels.Missing as reason:
        print(f"SKIP: {reason}")
        return 77
    failed = 0
    env = {**os.environ, "CAUSEWAY_LIBFABRIC": str(library)}
    info = subprocess.run([STAGE / "bin/causeway-info", "--libfabric"], env=env, capture_output=True, text=True, timeout=60)
    print(info.stdout)
    if not re.search(r"^libfabric [2-9]\.", info.stdout) or not re.search(r"rdm endpoints +tcp,", info.stdout):
        print("FAIL: no libfabric 2 with tcp for RDM", info.stderr)
        failed += 1
    for mode in ("msg", "rdm"):
        for program, *args in (("test_ofi", "1000"), ("test_ofi_faults",)):
            job = subprocess.run([BUILD / "tests/transport" / program, *args], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, errors="replace", timeout=150,
                                 env={**env, "CAUSEWAY_ENDPOINT": mode, "CAUSEWAY_PROVIDER": "tcp"})
            last = (job.stdout.splitlines() or [""])[-1]
            good = job.returncode == 0 and last.endswith(" 0 failed")
            print(f"{mode} {program}: {last}")
            if not good:
                failed += 1
                print(f"FAIL: exit status {job.returncode}", job.stdout[-3000:], job.stderr[-3000:], sep="\n")
    return 1 if failed else 0


sys.exit(main())
