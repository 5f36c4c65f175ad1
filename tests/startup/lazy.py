#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Start-up is lazy: no libfabric before it is needed, no barrier of all PEs, no wait for an
exchange that is over."""
import json
import re
import subprocess
import sys

from frame.script import STAGE, TESTS, check, finish, oshcc

sys.path.insert(0, str(TESTS / "watch"))
from common import run  # noqa: E402

NNODES = 2
PROGRAM = TESTS / "startup" / "lazy.c"


def job(*arguments, pes=4, nnodes=NNODES, **settings):
    return run("lazy", *map(str, arguments), pes=pes, oshrun=["--emulate-nodes", str(nnodes)],
               timeout=60, NNODES=nnodes, **settings)


def startup_of(path):
    with open(path, encoding="utf-8") as file:
        return [record["startup"] for record in json.load(file)["pes"]]


def check_fabric():
    output = job("fabric", nnodes=1)
    check(len(re.findall(r"after init: no libfabric", output)) == 4
          and len(re.findall("at the end: no", output)) == 4,
          f"one node loads no libfabric\n{output}")
    output = job("fabric", CAUSEWAY_STATS="json:fabric.json")
    check(len(re.findall(r"after init: no libfabric", output)) == 2
          and len(re.findall("transfer: libfabric", output)) == 4,
          f"only a transfer off the node loads libfabric\n{output}")
    states = [s["fabric"] for s in startup_of("fabric.json")]
    check(states == ["helper", "on_demand"] * 2, f"libfabric was loaded by: {states}")


def with_libfabric(mode, **settings):
    """Those that have it, in a job of eight PEs on two nodes, of which 0 and 4 host the servers."""
    output = job(mode, pes=8, **settings)
    found = re.findall(r"^PE (\d), (?:when the token comes|at the end): (libfabric|none)$", output,
                       re.M)
    check(len(found) == 8, f"{mode} {settings}: {output}")
    return {int(pe) for pe, what in found if what == "libfabric"}


def check_one_after_another():
    """Why programs whose first transfers follow one another take longer on demand than with
    `static`, as docs/papers/5-on-demand.md has it, and those that never communicate do not."""
    for mode in ("chain", "alone"):
        check(with_libfabric(mode) <= {0, 4},
              f"{mode}: only a PE's own first transfer to another node loads libfabric")
        check(with_libfabric(mode, CAUSEWAY_CONNECT="static") == set(range(8)),
              f"{mode}: with CAUSEWAY_CONNECT=static all PEs load it at start")


def check_no_barrier():
    output = job("nobarrier", "returned.1")
    check(output.count("early") == 2 and output.count("late") == 2,
          f"shmem_init waits for PEs of another node\n{output}")
    # PE 0 needs the exchange right after the late node was released: it waits, and reports that. If
    # the machine does not run it for so long that the exchange is over, the test tries again.
    for attempt in range(5):
        job("early", f"early.{attempt}", CAUSEWAY_STATS="json:early.json")
        early = startup_of("early.json")
        check(all((s["exchange"] == "waited") == (s["exchange_wait_us"] > 0) for s in early),
              f"states and times: {early}")
        if early[0]["exchange"] == "waited":
            return
    check(False, f"a PE that needs the exchange early does not wait: {early}")


def check_late():
    """shmem_init does not wait for the PEs of its own node, and their memory is usable as if it had
    waited."""
    for checking in "0", "1":
        output = job("late", f"returned.late.{checking}", pes=11, nnodes=1, CAUSEWAY_CHECK=checking)
        check(output.count("early") == 10 and output.count("late") == 1 and "FAIL" not in output,
              f"shmem_init waits for PEs of its node, or their memory is not ready "
              f"(CAUSEWAY_CHECK={checking})\n{output}")
    output = run("lazy", "never", pes=4, expect=1, timeout=60, CAUSEWAY_TIMEOUT="3")
    check("3 of the 4 PEs of this node came to shmem_init within 3 s (CAUSEWAY_TIMEOUT)" in output,
          f"a PE that never comes\n{output}")


def check_hidden():
    """200 ms are enough on a machine without other load; on a busy one the exchange itself takes
    longer."""
    for what, ms in (("compute", 200), ("rest", 2000), ("rest", 8000), ("rest", 25000)):
        job(what, ms, pes=16, CAUSEWAY_STATS="json:compute.json")
        all_of_them = startup_of("compute.json")
        if all(s["exchange"] == "ready" and s["exchange_wait_us"] == 0 for s in all_of_them):
            print(f"16 PEs, {ms} ms ({what}): no PE waited for the exchange")
            return
    check(False, f"the exchange is not hidden by 25 s: {all_of_them}")


def check_blocking():
    # A PE that arrives last, or gets no processor for long, finds the exchange over: some PE waits
    # in nearly every job.
    for _ in range(5):
        job("compute", 1, CAUSEWAY_STATS="json:blocking.json", CAUSEWAY_EXCHANGE="blocking")
        states = startup_of("blocking.json")
        check(all(s["exchange"] == "blocking" and s["exchange_wait_us"] <= s["init_us"]
                  for s in states),
              f"CAUSEWAY_EXCHANGE=blocking: {states}")
        if any(s["exchange_wait_us"] > 0 for s in states):
            break
    else:
        check(False, f"CAUSEWAY_EXCHANGE=blocking: no PE waits in init: {states}")
    output = run("lazy", "compute", "1", expect=1, NNODES=1, CAUSEWAY_EXCHANGE="later")
    check("CAUSEWAY_EXCHANGE" in output and "nonblocking" in output,
          f"an unknown value is refused\n{output}")


def check_table():
    done = subprocess.run([str(STAGE / "bin/causeway-info"), "--startup", "fabric.json"],
                          capture_output=True, text=True, check=False)
    patterns = (r"4 PEs on 2 nodes", r"^fabric load +[\d.]+ +[\d.]+ +[\d.]+ +PE \d",
                r"^exchange wait ", r"^first connection ",
                r"libfabric loaded by: +helper 2, on_demand 2", r"^connections +1 +1 +1 +PE 0")
    check(done.returncode == 0 and all(re.search(p, done.stdout, re.M) for p in patterns),
          f"table: {done.stdout}{done.stderr}")
    for wrong in ("/nonexistent.json", str(PROGRAM)):
        done = subprocess.run([str(STAGE / "bin/causeway-info"), "--startup", wrong],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 1 and wrong in done.stderr and "Traceback" not in done.stderr,
              f"refuses {wrong}: {done}")


def main():
    oshcc("lazy", PROGRAM)
    check_fabric()
    check_one_after_another()
    check_no_barrier()
    check_late()
    check_hidden()
    check_blocking()
    check_table()
    finish("start-up")


if __name__ == "__main__":
    main()
