#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GASNet programs under oshrun, Hydra, and gasnetrun_ofi with each launcher that it hands over to.
(srun: test_slurm.py; orterun and prterun on their own: test_pmix.py.)"""

import os
import shutil
import subprocess

import gasnet
from common import OSHRUN, STAGE, finish

ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
GASNETRUN = [str(STAGE / "bin/gasnetrun_ofi"), "-n", "3"]
BY_OSHRUN = r"PE {pe} of 3 .*signal {signo}"
BY_HYDRA = r"BAD TERMINATION .*\n.*PID \d+ RUNNING AT"
# launcher, what it needs, what it prints about a process that died
LAUNCHERS = [([OSHRUN, "-n", "3"], None, BY_OSHRUN),
             (["mpiexec.hydra", "-n", "3"], "mpiexec.hydra", BY_HYDRA),
             ([*GASNETRUN, "-spawner=oshrun"], None, BY_OSHRUN),
             ([*GASNETRUN, "-spawner=pmi"], "mpiexec.hydra", BY_HYDRA),
             ([*GASNETRUN, "-spawner=mpi"], "orterun", "rank {pe} .*signal {signo}")]


def main():
    gasnet.build()
    for command, needs, says in LAUNCHERS:
        name = " ".join(os.path.basename(word) for word in command)
        if needs and not shutil.which(needs):
            print(f"left out: {name}: {needs} is not installed")
            continue

        def launch(*words, command=command):
            return subprocess.run([*command, *map(str, words)], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True,
                                  errors="replace", timeout=100, env=ENV)

        gasnet.runs(launch, name, exact=says != BY_HYDRA)
        gasnet.dies(launch, name, says)
    gasnet.clean()
    finish()


main()
