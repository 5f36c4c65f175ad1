#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a provider refuses for good: the job ends at once with the provider's reason, or goes on
without it, where it can. rounds.c on two emulated nodes over the mock fabric."""

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from frame.script import BUILD, STAGE, TESTS, SLOW, check, finish, oshcc

PATIENCE = 100  # of a job that waits for what cannot come


def run(program, demands, **env):
    start = time.monotonic()
    done = subprocess.run(
        [STAGE / "bin/oshrun", "-n", "2", "--emulate-nodes", "2", program, "2"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3 * PATIENCE,
        env={**os.environ, "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
             "CAUSEWAY_ENDPOINT": "msg", "CAUSEWAY_TIMEOUT": str(PATIENCE),
             "SHMEM_SYMMETRIC_SIZE": "16M", "MOCK_FABRIC": demands, **env})
    return done, time.monotonic() - start, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "rounds"
        oshcc(program, TESTS / "mock/rounds.c")

        for demands, text in (("no_connect", r"cannot connect to .*Invalid argument; the provider "
                                             r"refuses the call itself"),
                              ("no_accept", r"node server cannot accept a connection: Invalid")):
            done, seconds, output = run(program, demands)
            check(done.returncode != 0 and seconds < PATIENCE / 2 * SLOW,
                  f"{demands} ends the job at once, not after {seconds:.1f} s", output[-2000:])
            found = len(re.findall(text, output))
            check(1 <= found <= 2, f"{demands}: the reason, {found} times by two PEs",
                  output[-2000:])

        done, _, output = run(program, "mr_fault")
        check(done.returncode != 0 and "no limit refused it" in output
              and "ulimit" not in output, "a refusal that has nothing to do with a limit",
              output[-2000:])

        for endpoint in "msg", "rdm":
            done, _, output = run(program, "", CAUSEWAY_ATOMICS="nic", CAUSEWAY_ENDPOINT=endpoint)
            check(done.returncode == 0 and "rounds done" in output,
                  f"the provider's atomics where it has none ({endpoint})", output[-2000:])
            found = len(re.findall("CAUSEWAY_ATOMICS=nic: provider .* node servers do", output))
            check(found == 1, f"which is said once, not {found} times", output[-2000:])
    finish()


main()
