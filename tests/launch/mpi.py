# SPDX-License-Identifier: BSD-3-Clause
"""Programs with MPI: which MPI, its compiler and its launcher."""

import os
import shutil
import subprocess
from pathlib import Path

from common import STAGE, check, skip

TESTS = Path(__file__).resolve().parents[1]
LAUNCHERS = {"mpich": ["mpiexec.hydra"], "openmpi": ["orterun", "--quiet"]}
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}


class Mpi:
    def __init__(self, family):
        self.family, self.launcher, self.compiler = family, LAUNCHERS[family], f"mpicc.{family}"
        for tool in (self.launcher[0], self.compiler):
            if not shutil.which(tool):
                skip(f"needs {tool} (Debian: mpich libmpich-dev, or openmpi-bin libopenmpi-dev)")
        if not (STAGE / f"lib/causeway/mpi-{family}.so").exists():
            skip(f"the plugin for {family} was not built: its mpi.h is missing")

    def build(self, source, program, *flags):
        """By the staged wrapper around the MPI's compiler; the program's path."""
        subprocess.run([STAGE / "bin/oshcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror",
                        f"-I{TESTS}", *flags, "-o", program, str(source),
                        "-lpthread"], check=True, env={**ENV, "OSHCC_CC": self.compiler})
        return program

    def run(self, npes, program, *words, env=None, timeout=100):
        return subprocess.run([*self.launcher, "-n", str(npes), program, *words],
                              stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=timeout,
                              env={**ENV, **(env or {})})

    def good(self, said, npes, program, *words, env=None, status=0, reports=False):
        """Runs a program that must end with that status (None: any but 0) and print that text; None
        if it does not end at all. reports: errors may be reported."""
        what = f"{Path(program).name} {' '.join(words)}"
        try:
            job = self.run(npes, program, *words, env=env)
        except subprocess.TimeoutExpired as late:
            check(False, f"{what}: ends", (late.stdout or b"")[-2000:],
                  (late.stderr or b"")[-2000:])
            return None
        as_wanted = job.returncode != 0 if status is None else job.returncode == status
        check(as_wanted and said in job.stdout and "FAIL" not in job.stdout
              and (reports or "causeway: error" not in job.stderr), f"{what}: ends well",
              job.returncode, job.stdout[-2000:], job.stderr[-2000:])
        return job
