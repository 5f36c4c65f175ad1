#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests call every function of ARMCI's interface, under both of its names.

1. The programs of this room's table are compiled; the functions of src/armci/exports.txt that they
   have as undefined symbols are called. Those that take an MPI communicator are in
   launch/armci_mpi.c.
2. They are compiled again with each ARMCI_ name of a call turned into its PARMCI_ name (armci_ into
   parmci_), and run between two nodes: the latter are called, and the programs check their results.
3. The audit itself misses the functions of a program that is left out, and a function that no test
   calls."""
import re
import subprocess
import tomllib

from frame.script import ROOT, SLOW, TESTS, check, finish, oshcc

WITH_MPI = {"ARMCI_Init_mpi_comm", "ARMCI_Init_thread_comm", "armci_group_comm",
            "armci_msg_init_comm"}
VARIABLES = {"mp_group_name"}
PROFILING = re.compile(r"P(ARMCIX?_\w+)|p(armci_\w+)")


def exports():
    lines = (ROOT / "src/armci/exports.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")} - VARIABLES


def profiling_names(names):
    """The name of each that has a profiling name."""
    return {match[1] or match[2]: name for name in names if (match := PROFILING.fullmatch(name))}


def programs():
    """The first test of each program of the table that runs with PEs."""
    found = {}
    for test in tomllib.loads((TESTS / "armci/tests.toml").read_text())["test"]:
        if test.get("sources") and test.get("pes") and not test.get("slow"):
            found.setdefault(tuple(test["sources"]), test)
    return found.values()


def undefined(program):
    text = subprocess.run(["nm", "-u", program], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r" U (\w+)", text))


def build(test, suffix, *flags):
    sources = [TESTS / "armci" / source for source in test["sources"]]
    return oshcc(f"./{test['name']}{suffix}", *flags, *sources, *test.get("libs", []))


def main():
    names = exports()
    profiling_of = profiling_names(names)
    flags = [f"-D{name}={profiling}" for name, profiling in sorted(profiling_of.items())]
    called, by_program = set(), {}
    for test in programs():
        by_program[test["name"]] = undefined(build(test, "")) & names
        called |= by_program[test["name"]]
        program = build(test, "_profiling", "-include", "armci.h", "-include", "message.h", *flags)
        called |= undefined(program) & set(profiling_of.values())
        job = subprocess.run(["oshrun", "-n", "2", "--emulate-nodes", "2", program,
                              *test.get("args", [])], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False, timeout=60 * SLOW)
        check(job.returncode == 0 and "FAIL" not in job.stdout, f"{test['name']} by PARMCI_ names",
              job.stdout[-2000:])
    source = (TESTS / "launch/armci_mpi.c").read_text()
    called |= {name for name in names if PROFILING.sub(r"\1\2", name) in WITH_MPI
               and re.search(rf"\b{name}\(", source)}
    missing = sorted(names - called)
    check(not missing, f"tests call all {len(names)} functions", missing)
    without = set().union(*(found for name, found in by_program.items() if name != "messages"))
    check(names - without - {profiling_of.get(name) for name in names} > names - called,
          "without a program functions are missed")
    check("ARMCI_No_such_function" not in called, "a function that no test calls is missed")
    finish()


main()
