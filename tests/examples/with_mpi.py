#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples that use MPI beside OpenSHMEM, with the MPI named by the argument and its launcher,
on one node and on two; compared with the same expected.txt as without MPI."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

import run

STAGE = Path(os.environ.get("CAUSEWAY_TEST_STAGE", run.ROOT / "build/stage")).resolve()
LAUNCHERS = {"mpich": ["mpiexec.hydra", "-n"], "openmpi": ["orterun", "--quiet", "-n"]}
# Every other PE belongs to the second node.
TWO_NODES = ["sh", "-c", 'CAUSEWAY_NODE=n$((${PMI_RANK:-$PMIX_RANK} % 2)) exec "$@"', "sh"]


def main() -> int:
    mpi = sys.argv[1] if len(sys.argv) > 1 else "mpich"
    launcher, compiler = LAUNCHERS[mpi], f"mpicc.{mpi}"
    for tool in (launcher[0], compiler):
        if not shutil.which(tool):
            print(f"SKIP: needs {tool} (Debian: mpich libmpich-dev, or openmpi-bin libopenmpi-dev)")
            return 77
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_rmaps_base_oversubscribe="1",
                      OMPI_MCA_btl_base_warn_component_unused="0")
    where = [(f"4 PEs on one node by {mpi}", 4, [*launcher, "4"]),
             (f"4 PEs on two nodes by {mpi}", 4, [*launcher, "4", *TWO_NODES])]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for example in run.programs.WITH_MPI:
            program = run.programs.build(example, STAGE / "bin/oshcc", Path(folder),
                                         compiler=compiler)
            good, bad = run.check(example, program, where, failures=1)
            passed, failed = passed + good, failed + bad
    print(f"{passed} runs as expected, {failed} not")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
