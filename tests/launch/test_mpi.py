#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM and MPI in one program, under the MPI named by the argument and its launcher: every
order of their initialisations and finalisations that overlap or follow each other, with and without
the launcher's help; the end of one PE after MPI's; progress of one while the other blocks; teams
and communicators."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from common import STAGE, check, finish
from mpi import Mpi

MPI = Mpi(sys.argv[1] if len(sys.argv) > 1 else "mpich")
run, good = MPI.run, MPI.good
PES = 3  # with "nodes": two on a node and one on another

ORDERS = ["sS", "sSsS", "mM", "smSM", "smMS", "msSM", "msMS", "sSmM", "smSsSM", "msSsSM", "smSsMS",
          "sSmsSM"]
# Processes known to MPI alone: MPI first.
ALONE = ["msSM", "msMS", "msSsSM", "msSsMS"]


def build(scratch, name, *flags):
    return MPI.build(Path(__file__).with_name(f"{name}.c"), f"{scratch}/{name}", *flags)


def lives(scratch):
    life = build(scratch, "mpi_life")
    for order in ORDERS:
        good("mpi life done" if "s" in order else "", PES, life, order, "nodes")
    for order in ("smMS", "msSsSM"):
        good("mpi life done", 3, life, order)
    for order in ("smSM", "msMS"):
        good("mpi life done", PES, life, order, "nodes", "multiple")
    # When no launcher is left PEs count themselves: state left behind by teams must not matter.
    good("mpi life done", PES, life, "msMS", "nodes", "teams")
    for order in ALONE:
        for words in (["alone", "nodes"],
                      ["alone", "nodes", "multiple"]) if order == "msMS" else (["alone", "nodes"],):
            job = good("mpi life done", PES, life, order, *words, env={"CAUSEWAY_DEBUG": "1"})
            check(job and job.stderr.count('joined by "mpi"') == PES * order.count("s"),
                  f"{order} {words}: by MPI", job)
    good("mpi life done", 2, life, "msSM", env={"CAUSEWAY_BOOTSTRAP": "mpi"})
    job = run(2, life, "smMS", env={"CAUSEWAY_BOOTSTRAP": "mpi"})
    check(job.returncode != 0
          and "CAUSEWAY_BOOTSTRAP=mpi, but this process was not started that way" in job.stderr,
          "CAUSEWAY_BOOTSTRAP names an MPI that is not there", job.returncode, job.stdout[-2000:],
          job.stderr[-2000:])
    job = run(2, life, "msSMs", env={"CAUSEWAY_BOOTSTRAP": "mpi"})
    check(job.returncode != 0 and "MPI_Finalize has been called" in job.stderr,
          "an epoch that lost its MPI", job.returncode, job.stdout[-2000:], job.stderr[-2000:])
    if MPI.family == "mpich":
        job = run(4, life, "mMs")
        check(job.returncode != 0 and "closed, probably by MPI_Finalize" in job.stderr,
              "SHMEM after MPI_Finalize reports why",
              job.returncode, job.stdout[-2000:], job.stderr[-2000:])


def ends(scratch):
    """After MPI_Finalize, which under PMI-1 closes the connection to the launcher."""
    life = f"{scratch}/mpi_life"
    for words in ([], ["nodes"]):
        for order in ("smMg", "msMg", "smMx", "smMk"):
            good("", PES, life, order, *words, status=None if words else 7, reports=True)
    within = build(scratch, "mpi_exit", "-DGASNET_PAR")
    for words in ([], ["nodes"]):
        job = good("", 2, within, *words, status=5)
        check(job and "backtrace" not in job.stderr and "UCX" not in job.stderr,
              "ends within MPI: MPI is left alone", job.stderr[-2000:] if job else "")


def without_plugin(scratch):
    """An install tree in another place, without the plugin."""
    tree = Path(scratch, "tree")
    shutil.copytree(STAGE / "lib", tree / "lib", symlinks=True,
                    ignore=shutil.ignore_patterns("causeway", "*.a"))
    (tree / "lib/causeway").mkdir()
    (tree / f"lib/causeway/mpi-{MPI.family}.so").write_text("no library", encoding="ascii")
    # comes before the program's RUNPATH
    env = {"LD_LIBRARY_PATH": str(tree / "lib"), "CAUSEWAY_BOOTSTRAP": "mpi"}
    job = run(1, f"{scratch}/mpi_life", "msSM", env=env)
    check(job.returncode != 0 and f"mpi-{MPI.family}.so cannot be loaded" in job.stderr,
          "a plugin that cannot be loaded", job.returncode, job.stdout, job.stderr)
    check(re.search(r"uses (MPICH|Open MPI v)\s?\d[\d.]+\w*, whose plugin", job.stderr),
          "the name of the MPI", job.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        lives(scratch)
        ends(scratch)
        without_plugin(scratch)
        progress = build(scratch, "mpi_progress")
        for endpoint in ("rdm", "msg"):
            good("progress seen", 2, progress, env={"CAUSEWAY_ENDPOINT": endpoint})
            good("progress seen", 4, progress, "multiple", env={"CAUSEWAY_ENDPOINT": endpoint})
        # Over MPI's windows, whose server has no thread: the wait is named, and its remedy.
        job = good("replied in the end", 2, build(scratch, "mpi_silent"), reports=True,
                   env={"CAUSEWAY_TRANSPORT": "mpi", "CAUSEWAY_TIMEOUT": "1"})
        said = job.stderr if job else ""
        check(re.search(r"PE 0 of 2 .*still waiting for node 1 \(host .*\) after 1 s", said)
              and "MPI_Init_thread(MPI_THREAD_MULTIPLE)" in said and "after 2 s" in said,
              "a node that does not answer is named", said)
        teams = build(scratch, "mpi_teams")
        for npes, words in ((1, []), (2, ["nodes"]), (5, []), (5, ["nodes"]),
                            (4, ["nodes", "multiple", "late"])):
            good("teams and communicators agree", npes, teams, *words)
        good("teams and communicators agree", 3, teams, "nodes", env={"CAUSEWAY_CHECK": "1"})
    finish()


main()
