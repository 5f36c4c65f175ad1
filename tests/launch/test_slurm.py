#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Slurm, on four nodes that the test starts: the bootstrap alone and a whole program, by --mpi=pmi2
and --mpi=pmix."""

import os
import signal
import subprocess
import time

import gasnet
import slurm
from common import BUILD, OSHRUN, PROBE, STAGE, check, finish, processes, skip, wait_until
from frame.script import TESTS, oshcc

if os.geteuid() != 0:
    skip("needs root: slurmd starts processes for users")
if slurm.missing():
    skip(f"needs {', '.join(slurm.missing())} (Debian: slurmctld slurmd slurm-client "
         f"slurm-wlm-basic-plugins munge)")
if not os.path.ismount("/sys/fs/cgroup"):
    skip("needs a file system mounted on /sys/fs/cgroup: slurmd does not start without one")

ring = BUILD / "tests/launch/slurm_ring"
build = subprocess.run([STAGE / "bin/oshcc", "-O2",
                        os.path.join(os.path.dirname(__file__), "ring.c"), "-o", ring],
                       capture_output=True, text=True)
check(build.returncode == 0, "the ring is built", build.stderr)


addresses = oshcc("./one_address", TESTS / "launch/one_address.c", "-pie")
can_fix = subprocess.run(["setarch", "-R", "true"], check=False).returncode == 0


def left_over():
    return [args for _, args in processes().values() if args.startswith((PROBE, str(ring)))]


def good(cluster, name, want, *words, env=None):
    job = cluster.srun(*words, env=env)
    check(job.returncode == 0, f"{name}: ends well", job.returncode, job.stdout, job.stderr)
    check(want is None or job.stdout == want, f"{name}: prints {want!r}", job.stdout, job.stderr)


def whole(cluster, mpi, back_end):
    how = f"--mpi={mpi}"
    good(cluster, f"{mpi}, one PE", f"{back_end}: 1 PEs, one_machine 1, node_fd no, nodes 0\n", how,
         "-N1", "-n1", PROBE, "ok")
    good(cluster, f"{mpi}, 4 nodes",
         f"{back_end}: 8 PEs, one_machine 0, node_fd no, nodes 0 0 1 1 2 2 3 3\n", how, "-N4",
         "-n8", PROBE, "ok")
    good(cluster, f"{mpi}, round robin",
         f"{back_end}: 8 PEs, one_machine 0, node_fd no, nodes 0 1 2 3 0 1 2 3\n", how, "-N4",
         "-n8", "--distribution=cyclic", PROBE, "ok")
    good(cluster, f"{mpi}, all keys", None, how, "-N2", "-n4", PROBE, "all")
    good(cluster, f"{mpi}, many rounds", None, how, "-N3", "-n3", PROBE, "stress")
    good(cluster, f"{mpi}, a late PE", None, how, "-N2", "-n2", PROBE, "late", 1)
    for endpoint in ("rdm", "msg"):
        good(cluster, f"{mpi}, ring, {endpoint}", "ring of 8 PEs: ok\n", how, "-N4", "-n8", ring,
             env={"CAUSEWAY_ENDPOINT": endpoint, "CAUSEWAY_INTERFACE": "lo"})
    if can_fix:
        good(cluster, f"{mpi}, one address",
             "4 PEs: one address, restarted, constructed 1\n", how, "-N2", "-n4", addresses,
             env={"CAUSEWAY_INTERFACE": "lo"})
    for what in (("abort", 1, 7), ("signal", 1, signal.SIGKILL)):
        start = time.monotonic()
        job = cluster.srun(how, "--kill-on-bad-exit=1", "-N3", "-n3", PROBE, *what)
        check(job.returncode != 0, f"{mpi}, {what[0]}: srun fails", job.returncode, job.stderr)
        check(wait_until(lambda: not left_over(), 20), f"{mpi}, {what[0]}: nothing is left",
              left_over())
        check(time.monotonic() - start < 30, f"{mpi}, {what[0]}: in time")


def gasnet_programs(cluster, mpi):
    """GASNet's ends, on three nodes."""
    def launch(*words):
        return cluster.srun(f"--mpi={mpi}", *how, "-N3", "-n3", *words,
                            env={"CAUSEWAY_INTERFACE": "lo"})

    how = []
    gasnet.runs(launch, f"srun --mpi={mpi}", exact=False)
    how = ["--kill-on-bad-exit=1"]
    gasnet.dies(launch, f"srun --mpi={mpi}", "task {pe}: |lost the connection to node {pe}")


def by_library(cluster):
    """The same service by libpmi2, for launchers that offer nothing else; every key once, all kinds
    of ends."""
    env = {"CAUSEWAY_BOOTSTRAP": "pmi2", "CAUSEWAY_INTERFACE": "lo"}
    good(cluster, "libpmi2, 4 nodes",
         "pmi2: 8 PEs, one_machine 0, node_fd no, nodes 0 0 1 1 2 2 3 3\n", "--mpi=pmi2", "-N4",
         "-n8", PROBE, "ok", env=env)
    good(cluster, "libpmi2, one PE", "pmi2: 1 PEs, one_machine 1, node_fd no, nodes 0\n",
         "--mpi=pmi2", "-N1", "-n1", PROBE, "ok", env=env)
    good(cluster, "libpmi2, all keys", None, "--mpi=pmi2", "-N2", "-n4", PROBE, "all", env=env)
    good(cluster, "libpmi2, a late PE", None, "--mpi=pmi2", "-N2", "-n2", PROBE, "late", 1, env=env)
    for endpoint in ("rdm", "msg"):
        good(cluster, f"libpmi2, ring, {endpoint}", "ring of 8 PEs: ok\n", "--mpi=pmi2", "-N4",
             "-n8", ring, env={**env, "CAUSEWAY_ENDPOINT": endpoint})
    job = cluster.srun("--mpi=pmi2", "--kill-on-bad-exit=1", "-N2", "-n2", PROBE, "abort", 1, 7,
                       env=env)
    check(job.returncode != 0 and wait_until(lambda: not left_over(), 20), "libpmi2, abort",
          job.returncode, job.stderr, left_over())
    # Without a service the library reports "one process": then it is not used any further.
    good(cluster, "no PMI at all", "single: 1 PEs, one_machine 1, node_fd no, nodes 0\n",
         "--mpi=none", "-N1", "-n1", PROBE, "ok")
    job = cluster.srun("--mpi=none", "-N1", "-n1", PROBE, "ok", env=env)
    check(job.returncode != 0 and "no launcher offers that service to this process" in job.stderr,
          "libpmi2 asked for, no PMI at all", job.returncode, job.stderr)
    for setting, lines in ((None, 1), ({"CAUSEWAY_BOOTSTRAP": "single"}, 0)):
        job = cluster.srun("--mpi=none", "-N1", "-n3", PROBE, "ok", env=setting)
        check(job.returncode == 0 and job.stderr.count("3 tasks of this Slurm step") == lines,
              f"tasks without PMI: {lines} warnings", job.returncode, job.stderr)


with slurm.Cluster() as cluster:
    if not cluster.open():
        print(cluster.why())
        check(False, "the cluster of four nodes comes up")
        finish()
    whole(cluster, "pmi2", "pmi1")  # Slurm's PMI-2 service understands PMI-1 on the same descriptor
    whole(cluster, "pmix", "pmix")
    gasnet.build()
    for service in ("pmi2", "pmix"):
        gasnet_programs(cluster, service)
    by_library(cluster)
    gasnet.clean()
    # In an allocation oshrun hands over to srun.
    job = subprocess.run(["salloc", "--quiet", "-N2", OSHRUN, "-v", "-n", "4", ring],
                         env={**cluster.env, "CAUSEWAY_INTERFACE": "lo"},
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
    check(job.stdout == "ring of 4 PEs: ok\n" and "hands over to slurm: srun" in job.stderr,
          "oshrun in an allocation", job.stdout, job.stderr)
finish()
