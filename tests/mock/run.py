#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs rounds.c over the mock fabric: run.py DEMANDS... On two emulated nodes, with four PEs, in
both endpoint modes, once for each list of demands (separated by commas; "none" is the empty one;
DEMANDS@MODE: in that mode only; clients:DEMANDS: clients.c instead, with 64 clients a server).

The program checks its results; this script checks the mock's summaries: every PE used the mock,
nothing was violated, and each demand took effect.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from frame.script import BUILD, STAGE, TESTS, fail, finish, oshcc

HEAP = 64 << 20
NPES, NNODES = 4, 2


def problems_of(summaries, demands, mode):
    """What is wrong with the summaries."""
    def total(name):
        return sum(s[name] for s in summaries)

    if len(summaries) != NPES:
        yield f"{len(summaries)} of {NPES} PEs left a summary"
    if total("violations"):
        yield f"{total('violations')} violations"
    if total("write") + total("writemsg") + total("inject_write") == 0 or total("read") == 0:
        yield "no RMA went through the mock"
    if mode == "msg" and total("connect") == 0:
        yield "no connections in msg mode"
    if "unordered" in demands or "unordered_sends" in demands:
        if total("reordered") == 0:
            yield "nothing was reordered"
    elif total("held"):
        yield "operations were held back without a demand"
    if "cm55" in demands and total("cm_refused"):
        yield "more than 55 bytes of private data"
    if "cm32" in demands and (total("connect") or total("accept")):
        yield "a connection was tried with too little private data"
    if "key2" in demands and total("keys_taken") == 0:
        yield "no key was taken"
    if "mr_writable" in demands and total("mr_refused") == 0:
        yield "no memory was refused"
    if "order_asked" in demands and total("inject_write") == 0:
        yield "no order was asked for: no put went without a proof of its own"
    if "few_receives" in demands and total("queue_full"):
        yield "more receives than the queue takes"
    if "few_completions" in demands and total("cq_refused") == 0:
        yield "no completion queue was refused"
    if total("overrun"):
        yield "a completion queue was overrun"
    if "foreign" in demands and total("strange") < 1000:
        yield "few foreign messages"
    if "eagain" in demands and total("eagain") == 0:
        yield "no call was refused"
    if ("no_events" in demands) != (total("direct") > 0):
        yield "RMA went without the target and should not, or the other way round"
    if "atomics" in demands:
        if not all(s["fetch_atomic"] and s["compare_atomic"] for s in summaries):
            yield "a PE did its atomics elsewhere"
    if "mr_allocated" in demands:
        if total("mr_untouched_bytes"):
            yield f"{total('mr_untouched_bytes')} bytes were registered without memory"
        # used chunks of heap and data, control areas, local buffers: not the heaps
        for s in summaries:
            if s["mr_pinned"] > HEAP:
                yield f"a process pinned {s['mr_pinned']} bytes, more than is in use"


def run_one(directory, text, mode):
    name, _, text = text.rpartition(":")
    name = name or "rounds"
    rounds = "32" if name == "clients" else "25" if mode == "msg" else "12"
    demands = [word for word in text.split(",") if word]
    summary = directory / "summary"
    summary.unlink(missing_ok=True)
    env = os.environ | {
        "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
        "CAUSEWAY_ENDPOINT": mode,
        "CAUSEWAY_ATOMICS": "nic" if "atomics" in demands else "cpu",
        "CAUSEWAY_CTX_ENDPOINTS": "32",
        "SHMEM_SYMMETRIC_SIZE": str(HEAP),
        "MOCK_FABRIC": text,
        "MOCK_FABRIC_SUMMARY": str(summary),
    }
    if mode == "auto":
        env["CAUSEWAY_PROVIDER"] = "net"  # RDM over sockets: on request only
    command = [STAGE / "bin/oshrun", "-n", str(NPES), "--emulate-nodes", str(NNODES), "--timeout",
               "100", directory / name, rounds]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=200)
    summaries = ([json.loads(line) for line in summary.read_text().splitlines()]
                 if summary.exists() else [])
    problems = list(problems_of(summaries, demands, mode))
    if done.returncode != 0 or f"{name} done" not in done.stdout:
        problems.insert(0, f"exit status {done.returncode}")
    for problem in problems:
        fail(f"over {mode} with '{text}': {problem}")
    if problems:
        print(done.stdout[-4000:], done.stderr[-4000:], sep="")
        for s in summaries:
            print({k: v for k, v in s.items() if v})
    else:
        print(f"ok: {name} over {mode} with '{text}'")


def runs(words):
    """(demands, mode) of each run."""
    for word in words:
        text, _, mode = word.partition("@")
        for each in [mode] if mode else ["msg", "rdm"]:
            yield text.replace("none", ""), each


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for name in ("rounds", "clients"):
            oshcc(directory / name, TESTS / f"mock/{name}.c")
        wanted = list(runs(sys.argv[1:]))
        for text, mode in wanted:
            run_one(directory, text, mode)
    finish(f"{len(wanted)} runs")


main()
