# SPDX-License-Identifier: BSD-3-Clause
"""What the windows of the MPIs do wrong (windows.c, ADR 100). Says which MPI has which defect, and
fails where that is wrong on which the transport stands: created windows, and MPI_Win_flush. MPICH
runs with its ranks in cliques of their own, too: as on two machines."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from frame.script import check, finish, skip

SOURCE = Path(__file__).with_name("windows.c")
LAUNCHERS = {"mpich": ["mpiexec.hydra"], "openmpi": ["orterun", "--quiet"]}
ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
FLUSHES = re.compile(r"^(\w+): MPI_Win_flush_local (\d+) late, MPI_Win_flush (\d+) late$", re.M)
PARTS = re.compile(r"^(\w+): (\d+) bytes of another rank$", re.M)
KINDS = ["allocated", "created"]


def try_mpi(mpi, place, **env):
    done = subprocess.run([*LAUNCHERS[mpi], "-n", "2", f"./{mpi}"], env=os.environ | ENV | env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=100,
                          check=False)
    late = {kind: (int(local), int(both)) for kind, local, both in FLUSHES.findall(done.stdout)}
    strange = {kind: int(n) for kind, n in PARTS.findall(done.stdout)}
    if not check(done.returncode == 0 and sorted(late) == sorted(strange) == KINDS,
                 f"{mpi}, {place}: {done.returncode}\n{done.stdout}"):
        return
    check(strange["created"] == 0, f"{mpi}, {place}: created windows mix up the ranks' parts")
    name = " ".join(done.stdout.splitlines()[0].split())
    for kind in KINDS:
        check(late[kind][1] == 0, f"{mpi}, {place}, {kind}: MPI_Win_flush left gets under way")
        print(f"{name}, {place}, {kind} window: MPI_Win_flush_local is "
              f"{'wrong' if late[kind][0] else 'right'}, parts are "
              f"{'wrong' if strange[kind] else 'right'}")


for mpi, launcher in LAUNCHERS.items():
    for tool in (f"mpicc.{mpi}", launcher[0]):
        if not shutil.which(tool):
            skip(f"needs {tool}")
    subprocess.run([f"mpicc.{mpi}", "-O2", "-o", f"./{mpi}", SOURCE], check=True)
    try_mpi(mpi, "one machine")
try_mpi("mpich", "two cliques", MPIR_CVAR_ODD_EVEN_CLIQUES="1")
finish()
