#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The transport contract and its faults on a current libfabric, which the wheel `mpich` brings:
there `tcp` has RDM endpoints, and `net` no longer exists."""

import os
import re
import subprocess
import sys

from frame.script import BUILD, STAGE, TESTS, check, finish, skip

sys.path.insert(0, str(TESTS / "launch"))
import wheels  # noqa: E402


def main():
    try:
        library = wheels.libfabric()
    except wheels.Missing as reason:
        skip(reason)
    env = {**os.environ, "CAUSEWAY_LIBFABRIC": str(library)}
    info = subprocess.run([STAGE / "bin/causeway-info", "--libfabric"], env=env,
                          capture_output=True, text=True, timeout=60)
    print(info.stdout)
    check(re.search(r"^libfabric [2-9]\.", info.stdout)
          and re.search(r"rdm endpoints +tcp,", info.stdout), "libfabric 2 with tcp for RDM",
          info.stderr)
    for mode in ("msg", "rdm"):
        for program, *args in (("test_contract", "1000"), ("test_ofi_faults",)):
            job = subprocess.run([BUILD / "tests/transport" / program, *args],
                                 stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, errors="replace", timeout=150,
                                 env={**env, "CAUSEWAY_ENDPOINT": mode, "CAUSEWAY_PROVIDER": "tcp"})
            last = (job.stdout.splitlines() or [""])[-1]
            print(f"{mode} {program}: {last}")
            check(job.returncode == 0 and last.endswith(" 0 failed"),
                  f"{mode} {program}: status {job.returncode}\n"
                  f"{job.stdout[-3000:]}{job.stderr[-3000:]}")
    finish()


main()
