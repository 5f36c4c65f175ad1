#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs under valgrind (oshrun --valgrind) and LeakSanitizer: a suite and a correct program,
without a report, over libfabric, whose own leaks are not shown; a fault is found."""

import os
import shutil
import subprocess
import sys

from frame.script import TESTS, check, finish, oshcc, skip

# small: valgrind notes for each page whether it may be used
ENV = dict(os.environ, SHMEM_SYMMETRIC_SIZE="16M")


def job(nodes, *words, **env):
    done = subprocess.run(["oshrun", "-n", "2", "--emulate-nodes", str(nodes), *words], text=True,
                          env=dict(ENV, **env), capture_output=True, timeout=200)
    return done.returncode, done.stdout + done.stderr


def valgrind():
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    suite = oshcc("./suite", TESTS / "conformance/every_rest.c", "-lm")
    program = oshcc("./faulty", TESTS / "tools/faulty.c")
    status, output = job(2, "--valgrind=--leak-check=full", suite)
    check(status == 0 and "==" not in output, f"valgrind, a suite: {status}", output)
    status, output = job(1, "--valgrind", program, "read")
    check(status == 9 and "Invalid read of size 1" in output, f"valgrind finds a read: {status}",
          output)
    status, output = job(1, "--valgrind=--leak-check=full --show-leak-kinds=definite", program,
                         "leak")
    check(status == 9 and "10 bytes in 1 blocks are definitely lost" in output,
          f"valgrind finds a leak: {status}", output)
    status, output = job(1, "--valgrind=-v", program, "put")
    check(status == 139 and "SIGSEGV in shmem_int_put, called from main+" in output and
          "LEAK SUMMARY" not in output, f"valgrind, a crash: {status}", output)
    status, output = job(1, "--valgrind", program, PATH=os.path.dirname(shutil.which("oshrun")))
    check(status == 127 and "cannot run valgrind: not found in PATH" in output,
          f"no valgrind: {status}", output)


def sanitizer():
    program = oshcc("./faulty", TESTS / "tools/faulty.c", "-fsanitize=address")
    for nodes in (1, 2):
        status, output = job(nodes, program)
        check(status == 0 and not output, f"LeakSanitizer on {nodes} nodes: {status}", output)
    status, output = job(2, program, "leak")
    check(status != 0 and "SUMMARY: AddressSanitizer: 10 byte" in output,
          f"LeakSanitizer finds a leak: {status}", output)
    # what the user has set stays
    status, output = job(2, program, "leak", LSAN_OPTIONS="exitcode=77")
    check(status == 77 and "SUMMARY: AddressSanitizer: 10 byte" in output,
          f"LeakSanitizer with options of the user: {status}", output)


{"valgrind": valgrind, "sanitizer": sanitizer}[sys.argv[1]]()
finish()
