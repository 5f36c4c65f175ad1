#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of an operation that is alone between two quiets: one, with no flush and no question
behind it. The mock counts what PE 0 hands to the provider, less what the same job does without."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

from frame.script import BUILD, STAGE, TESTS, check, finish, oshcc

ROUNDS = 200
RMA = ("write", "writemsg", "inject_write", "read")
CALLS = RMA + ("send", "inject")


def calls_of(program, mode, what, directory):
    """What all PEs handed to the provider."""
    path = directory / f"{mode}-{what}"
    env = os.environ | {
        "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
        "CAUSEWAY_ENDPOINT": mode,
        "SHMEM_SYMMETRIC_SIZE": str(16 << 20),
        "MOCK_FABRIC": "",
        "MOCK_FABRIC_SUMMARY": str(path),
    }
    done = subprocess.run([STAGE / "bin/oshrun", "-n", "3", "--emulate-nodes", "3", "--timeout",
                           "60", program, what],
                          env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    check(done.returncode == 0 and "FAIL" not in done.stdout, f"{mode}, {what}: it failed")
    summaries = [json.loads(line) for line in path.read_text().splitlines()]
    return {name: sum(s[name] for s in summaries) for name in CALLS}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "lone"
        oshcc(program, TESTS / "mock/lone.c")
        for mode in ("rdm", "msg"):
            none = calls_of(program, mode, "none", Path(scratch))
            for what, puts, requests in (("p", 1, 0), ("block", 1, 0), ("long", 1, 0),
                                         ("add", 0, 1), ("pairs", 2, 0), ("apart", 3, 0)):
                calls = calls_of(program, mode, what, Path(scratch))
                more = {name: calls[name] - none[name] for name in CALLS}
                print(f"{mode}, {what}: {more}")
                # a guess is learnt in some rounds; the server answers by messages, too
                rma = sum(more[name] for name in RMA)
                check(rma <= ROUNDS * puts + 20, f"{mode}, {what}: a flush behind each", more)
                check(rma >= ROUNDS * min(puts, 1), f"{mode}, {what}: too few", more)
                if what == "apart":  # by its delivery, the first of two would make the other wait
                    check(more["writemsg"] <= ROUNDS // 2 + 20, f"{mode}, {what}: waits", more)
                if mode == "msg":  # an RDM connection takes any number of messages to open
                    messages = more["send"] + more["inject"]
                    check(abs(messages - ROUNDS * requests * 2) <= 20,
                          f"{mode}, {what}: more than a request and its answer each", more)
    finish()


main()
