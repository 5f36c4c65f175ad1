# SPDX-License-Identifier: BSD-3-Clause
"""The launchers: oshrun, Hydra, Open MPI's, Slurm's. Each is a context manager that returns a
command prefix."""

import contextlib
import importlib.util
import os
import shutil

from driver import peers

from .job import OPEN_MPI_ENV, Job

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def oshrun(stage, npes, nodes=1):
    return [
        os.path.join(stage, "bin", "oshrun"), "-n",
        str(npes), *(["--emulate-nodes", str(nodes)] if nodes > 1 else [])
    ]


class Launcher:
    """`command(npes)` is the prefix; `env` goes to the job; `why` is the reason why the launcher
    cannot be used here, else None. A program that it cannot start is not tried again with more
    PEs."""

    def __init__(self, name, command, env=None, why=None):
        self.name, self.command, self.env, self.why = name, command, env or {}, why
        self.refused = {}  # program -> its error

    def start(self, program, npes):
        why = self.why or self.refused.get(program)
        if why:
            job = Job([], npes)
            job.error = f"SKIP: {why}"
            return job
        job = Job([*self.command(npes), program], npes, self.env, 90).execute().hellos()
        if job.error:
            self.refused[program] = f"not tried after {job.error}"
        return job


def _found(program):
    return None if shutil.which(program) else f"{program} is not installed"


def ours(stage):
    """Causeway under every launcher."""
    yield Launcher("oshrun", lambda n: oshrun(stage, n))
    yield Launcher("hydra", lambda n: ["mpiexec.hydra", "-n", str(n)], None,
                   _found("mpiexec.hydra"))
    yield Launcher(
        "orterun",
        lambda n: ["orterun", "--oversubscribe", "-n", str(n)], OPEN_MPI_ENV, _found("orterun"))


def open_mpi():
    """Debian's Open MPI OpenSHMEM: its compiler wrapper (or None) and the launchers that may start
    it."""
    if _found("oshcc") or _found("oshrun"):
        return None, []
    [peer] = peers.others("oshcc")
    prefix = [peer.launcher, *peer.flags]
    return peer, [
        Launcher("orterun", lambda n: [*prefix, "-n", str(n)], peer.env),
        Launcher("hydra", lambda n: ["mpiexec.hydra", "-n", str(n)], peer.env,
                 _found("mpiexec.hydra")),
    ]


@contextlib.contextmanager
def slurm():
    """A Slurm cluster of four nodes on this machine, as long as it is needed: (launchers, reason
    why there is none)."""
    spec = importlib.util.spec_from_file_location("slurm",
                                                  os.path.join(ROOT, "tests", "launch", "slurm.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lacking = module.missing()
    if os.geteuid() != 0 or lacking:
        yield [], "Slurm needs root" if not lacking else f"not installed: {', '.join(lacking)}"
        return
    with module.Cluster() as cluster:
        if not cluster.open():
            yield [], "the Slurm daemons did not come up"
            return
        out = []
        for mpi in ("pmi2", "pmix"):
            words = ["srun", "--overcommit", "--quiet", f"--mpi={mpi}"]
            env = {
                "SLURM_CONF": cluster.env["SLURM_CONF"], "PATH": cluster.env["PATH"], **OPEN_MPI_ENV
            }
            out.append(
                Launcher(f"slurm-{mpi}",
                         lambda n, words=words: [*words, f"-N{min(n, module.NODES)}", "-n",
                                                 str(n)], env))
        yield out, None
