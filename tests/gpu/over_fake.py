#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of this room over the driver of fake/: on one node and on two, with a device and
with two, which reach each other's memory or do not, in checking mode, and where the PEs cannot have
one address; with the NIC's atomics, and forwarded. Arguments: the source, options of the compiler;
with --handles also where memory has no handles by which other processes map it."""
import os
import re
import subprocess
import sys
from pathlib import Path

from frame.script import (BUILD, SANITIZE, SLOW, STAGE, TESTS, check, clean_environment, finish,
                          oshcc)

FLAGS = ["-rdynamic", "-pthread", "-ldl"]  # kernels are found by their names
NODES = ["--emulate-nodes", "2"]
LEFT = re.compile(r"left behind: 0 mappings, 0 handles, 0 registrations, 0 ranges, ")
# PEs, options of oshrun, variables
RUNS = [
    (1, [], {}),
    (2, [], {"FAKE_CUDA_DEVICES": "2"}),
    (4, [], {"FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_PEER": "0", "CAUSEWAY_DEVICE_RING": "4"}),
    (3, [], {"CAUSEWAY_CHECK": "1", "FAKE_CUDA_MOVE": "1", "FAKE_CUDA_DEVICES": "2",
             "FAKE_CUDA_PEER_ATOMICS": "0"}),
    (2, NODES, {"CAUSEWAY_ENDPOINT": "rdm"}),
    (3, NODES, {"CAUSEWAY_ENDPOINT": "msg", "FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_PEER": "0"}),
    (4, NODES, {"CAUSEWAY_CHECK": "1", "CAUSEWAY_STAGING": "0", "FAKE_CUDA_MOVE": "1"}),
    (3, NODES, {"CAUSEWAY_ATOMICS": "nic", "CAUSEWAY_STATS": "1"}),
    (4, ["--emulate-nodes", "4"], {"CAUSEWAY_TOPOLOGY": "hypercube"}),
]
HANDLES = [
    (3, [], {"FAKE_CUDA_IPC": "0"}),
    (2, [], {"FAKE_CUDA_IPC": "2", "FAKE_CUDA_DEVICES": "2"}),
    (4, NODES, {"FAKE_CUDA_IPC": "0", "CAUSEWAY_CHECK": "1"}),
    (3, NODES, {"FAKE_CUDA_IPC": "2"}),
]


def environment(variables):
    """The driver is found by LD_LIBRARY_PATH, unless the variables have one. The thread sanitizer
    lets nothing be mapped where heaps are to be at first."""
    env = clean_environment()
    env["LD_LIBRARY_PATH"] = os.pathsep.join(
        [str(BUILD / "tests/gpu/fake"), *filter(None, [env.get("LD_LIBRARY_PATH")])])
    if SANITIZE == "thread":
        env["FAKE_CUDA_MOVE"] = "1"
    return env | variables


def run(program, npes, options, variables, *arguments):
    command = [str(STAGE / "bin/oshrun"), "-n", str(npes), *options, program, *arguments]
    return subprocess.run(command, env=environment(variables), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120 * SLOW, errors="replace")


def main():
    source = TESTS / "gpu" / sys.argv[1]
    flags = [word for word in sys.argv[2:] if word != "--handles"]
    program = oshcc(Path(source.stem).resolve(), source, *flags, *FLAGS)
    for npes, options, variables in RUNS + (HANDLES if "--handles" in sys.argv else []):
        done = run(program, npes, options, variables | {"FAKE_CUDA_REPORT": "1"})
        check(done.returncode == 0 and "FAIL" not in done.stdout
              and len(LEFT.findall(done.stdout)) == npes,
              f"{source.stem} on {npes} PEs {' '.join(options)} {variables}: status "
              f"{done.returncode}\n{done.stdout[:8000]}")
    finish()


if __name__ == "__main__":
    main()
