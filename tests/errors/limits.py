#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default heap is a share of the machine's memory; under a limit on addresses (ulimit -v) it
shrinks with the limit, and a heap that does not fit names the limit."""
import os
import re
import subprocess
import tempfile

from frame.script import STAGE, TESTS, check, finish, oshcc

MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
NAMES = (r"cannot map the \S.* \([0-9.]+ GiB of addresses\): .*; the limit of a process is "
         r"0\.98 GiB: raise it \(ulimit -v\), set a smaller SHMEM_SYMMETRIC_SIZE")


def run(program, *arguments, npes=4, nodes=1, address_mib=None, **env):
    command = ["oshrun", "-n", npes, "--emulate-nodes", nodes, program, *arguments]
    if address_mib:
        command = ["prlimit", f"--as={address_mib << 20}", *command]
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=60,
                          env=dict(os.environ, PATH=f"{STAGE}/bin:{os.environ['PATH']}", **env))
    return done.returncode, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = oshcc(f"{scratch}/large_heap", TESTS / "errors/large_heap.c")
        for nodes in (1, 2):
            # more than 256 MiB, where the machine has it, without a setting
            mib = min(MEMORY // 4 // 2, 1 << 30) >> 20
            status, output = run(program, mib, nodes=nodes)
            check(status == 0 and output.count("read it") == 4, f"{mib} MiB on {nodes} nodes",
                  output)
            for address_mib in (1000, 4000):
                status, output = run(program, 8, nodes=nodes, address_mib=address_mib)
                check(status == 0 and output.count("read it") == 4,
                      f"{nodes} nodes under a limit of {address_mib} MiB", output)
            status, output = run(program, 8, nodes=nodes, address_mib=1000,
                                 SHMEM_SYMMETRIC_SIZE="900M")
            check(status not in (0, 124) and re.search(NAMES, output),
                  f"{nodes} nodes with heaps above the limit: status {status}", output)
        status, output = run(program, 8, CAUSEWAY_NODE="n" * 240)
        check(status == 0 and output.count("read it") == 4, "the longest name of a node", output)
        status, output = run(program, 8, CAUSEWAY_NODE="n" * 241)
        check(status == 1 and "CAUSEWAY_NODE has more than 240 characters" in output,
              f"a name of a node that is too long: status {status}", output)
        status, output = run(program, 400, address_mib=1000)
        check(status == 0 and "no block" in output, "a heap below the limit is full", output)
        done = subprocess.run(["prlimit", f"--fsize={64 << 20}", STAGE / "bin/oshrun", "-n", "2",
                               program, "8"], text=True, capture_output=True, timeout=60)
        check(done.returncode == 1 and re.search(r"shared memory has .*\(ulimit -f\)", done.stderr),
              f"a limit on files: status {done.returncode}", done.stderr)
    finish()


main()
