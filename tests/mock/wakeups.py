#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What wakes sleepers: wakeups.py MODE:DEMANDS... Four PEs on two emulated nodes sleep in waits for
words that puts change. With an event at the target or without, most are to be woken, not to find
out by the time-out of their sleep; judged by the library's own counts. A node learns in its first
waits that writes come without an event, and only then."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from frame.script import BUILD, STAGE, TESTS, check, finish, oshcc


def run_one(program, mode, demands, directory):
    where, path = f"{mode}, {demands}", directory / "stats.json"
    env = os.environ | {
        "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
        "CAUSEWAY_ENDPOINT": mode,
        "CAUSEWAY_SPIN": "0",  # a busy machine spends the whole wait in one yield
        "CAUSEWAY_YIELDS": "0",
        "CAUSEWAY_STATS": f"json:{path}",
        "SHMEM_SYMMETRIC_SIZE": str(16 << 20),
        "MOCK_FABRIC": "" if demands == "none" else demands,
    }
    command = [STAGE / "bin/oshrun", "-n", "4", "--emulate-nodes", "2", "--timeout", "60", program]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True)
    print(f"{where}:\n{done.stdout}{done.stderr}", end="")
    if not check(done.returncode == 0, f"{where}: the program failed", done.returncode):
        return
    for record in json.loads(path.read_text())["pes"]:
        judge(f"{where}: PE {record['pe']}", record, demands == "none")


def judge(who, record, events):
    waits = record["waits"]
    print(f"{who}: {waits}")
    if events:
        check(waits["arrivals"] == "events", f"{who}: its server polls where there are events")
    if record["node"] == 0:
        return  # its words are written by a PE of its node, mostly
    if not events:
        check(waits["arrivals"] != "events", f"{who}: its node has not learnt that no event comes")
    check(waits["woken"] + waits["late"] >= 30, f"{who}: it hardly slept; this shows nothing")
    check(waits["woken"] >= waits["late"], f"{who}: most sleeps ended by their time-out", waits)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "wakeups"
        oshcc(program, TESTS / "mock/wakeups.c")
        for arg in sys.argv[1:]:
            mode, demands = arg.split(":")
            run_one(program, mode, demands, Path(scratch))
    finish()


main()
