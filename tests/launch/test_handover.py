#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshrun hands over to other launchers: the command of each (to scripts that print it), and real
ones that run a job."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from common import PROBE, check, finish, processes, run, wait_until


def sleepers():
    return [args for _, args in processes().values() if args == f"{PROBE} sleep"]


FAKE = '#!/bin/sh\necho "$(basename "$0")" "$@"\necho "FOO=$FOO"\n'
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith(("SLURM_", "PMI", "CAUSEWAY_", "SHMEM_", "SMA_"))}
TOOLS = ":/usr/bin:/bin"  # for sh, basename and timeout


def fakes(*names):
    folder = tempfile.mkdtemp(prefix="launchers-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in names:
        path = Path(folder, name)
        path.write_text(FAKE)
        path.chmod(0o755)
    return folder


def says(folder, args, want, env=None, foo=""):
    job = run(*args, env={**CLEAN, "PATH": folder + TOOLS, **(env or {})})
    check(job.stdout.splitlines() == [want, f"FOO={foo}"], f"{args}: says {want!r}", job.stdout,
          job.stderr)


def refused(args, status, text, env=None):
    job = run(*args, env={**CLEAN, **(env or {})})
    check(job.returncode == status and text in job.stderr,
          f"{args}: refused with {status}, {text!r}", job.returncode, job.stderr)


every = fakes("mpiexec.hydra", "srun", "orterun", "prterun")
hydra, slurm = ["--launcher", "hydra"], ["--launcher", "slurm"]
says(every, [*hydra, "-n", 4, "prog", "-n", 9], "mpiexec.hydra -n 4 prog -n 9")
says(every, [*hydra, "-n", 4, "--ppn", 2, "--hosts", "a:2,b:2", "-l", "prog"],
     "mpiexec.hydra -n 4 -ppn 2 -hosts a:2,b:2 -l prog")
for hosts in ("f", "hosts"):
    Path(hosts).write_text("a\n")
says(every, ["--hostfile", "f", "prog"], "mpiexec.hydra -n 1 -f f prog")
says(every, [*hydra, "-x", "FOO=a b", "prog"], "mpiexec.hydra -n 1 prog", foo="a b")
says(every, [*slurm, "-n", 4, "-N", 2, "--hosts", "a:2,b", "--label", "prog"],
     "srun --mpi=pmi2 -n 4 --ntasks-per-node=2 -w a,b --label --overcommit --kill-on-bad-exit=1 "
     "prog")
says(every, ["-n", 2, "prog"], "srun --mpi=pmi2 -n 2 --overcommit --kill-on-bad-exit=1 prog",
     env={"SLURM_JOB_ID": "7"})
says(every, ["--launcher=orte", "-n", 4, "--ppn", 2, "--host", "a,b", "-x", "FOO=1", "prog"],
     "orterun -n 4 --map-by ppr:2:node --oversubscribe --host a,b -x SHMEM_INFO -x "
     "FOO prog",
     env={"SHMEM_INFO": "0"}, foo="1")
says(every, ["--launcher=orte", "-x", "SHMEM_DEBUG=1", "prog"],
     "orterun -n 1 --oversubscribe -x GASNET_FREEZE -x SHMEM_DEBUG prog",
     env={"GASNET_FREEZE": "0"})
says(every, [*slurm, "-f", "hosts", "prog"],
     "srun --mpi=pmi2 -n 1 -w ./hosts --overcommit --kill-on-bad-exit=1 prog")
says(every, [*slurm, "-f", "/etc/hosts", "prog"],
     "srun --mpi=pmi2 -n 1 -w /etc/hosts --overcommit --kill-on-bad-exit=1 prog")
says(every, ["--launcher=prrte", "-n", 4, "prog"],
     "prterun -n 4 --map-by :OVERSUBSCRIBE prog")
says(fakes("orterun"), ["--hosts", "a", "prog"],
     "orterun -n 1 --oversubscribe --host a prog") \
    if not any(shutil.which(p, path=TOOLS[1:]) for p in ("mpiexec.hydra", "prterun")) else None
says(every, [*hydra, "-n", 1, "-x", "FOO=1", "a", ":",
             "-n", 3, "-x", "FOO=2", "--wdir", "/", "b", "c"],
     "mpiexec.hydra -n 1 a : -n 3 -wdir / -env FOO 2 b c", foo="1")
says(every, ["--launcher=orte", "a", ":", "-n", 3, "-x", "FOO=2", "b"],
     "orterun -n 1 --oversubscribe a : -n 3 -x FOO=2 b")
said = Path("d").absolute()
says(every, [*hydra, "--bind-to", "core", "--map-by", "socket", "--output", "d",
             "--wdir", "/", "a"],
     f"mpiexec.hydra -n 1 -outfile-pattern {said}/pe.%r.out -errfile-pattern {said}/pe.%r.err "
     "-bind-to core -map-by socket -wdir / a")
check(said.is_dir(), "--output makes the directory for another launcher")
says(every, [*slurm, "--bind-to", "core", "--report-bindings", "--output", "d",
             "--wdir", "/", "a"],
     f"srun --mpi=pmi2 -n 1 -o {said}/pe.%t.out -e {said}/pe.%t.err --cpu-bind=verbose,cores -D / "
     "--overcommit --kill-on-bad-exit=1 a")
says(every, ["--launcher=prrte", "--map-by", "core", "--output", "d", "-l", "a"],
     "prterun -n 1 --map-by core:OVERSUBSCRIBE --output tag,dir=d a")
says(every, [*hydra, "--bind-to", "none", "a"], "mpiexec.hydra -n 1 -bind-to none a")
says(every, ["--launcher=orte", "--bind-to=none", "a"],
     "orterun -n 1 --oversubscribe --bind-to none a")
says(every, [*slurm, "--bind-to", "none", "a"],
     "srun --mpi=pmi2 -n 1 --cpu-bind=none --overcommit --kill-on-bad-exit=1 a")
says(every, [*slurm, "--report-bindings", "a"],
     "srun --mpi=pmi2 -n 1 --cpu-bind=verbose --overcommit --kill-on-bad-exit=1 a")
refused([*hydra, "--bind-to", "share", "a"], 2, "--bind-to share is for PEs of this machine",
        env={"PATH": every})
refused([*slurm, "a", ":", "b"], 2, "srun --multi-prog", env={"PATH": every})
refused([*slurm, "--map-by", "core", "a"], 2, "srun --distribution", env={"PATH": every})
refused([*hydra, "--gdb", "a"], 2, "for PEs of this machine", env={"PATH": every})
says(every, [*hydra, "-t", "2.5", "prog"], "mpiexec.hydra -n 1 prog")
job = run(*hydra, "-v", "-t", "2.5", "prog", env={**CLEAN, "PATH": every + TOOLS})
check("hands over to hydra: timeout --foreground --kill-after=20 2.500 mpiexec.hydra -n 1"
      in job.stderr, "-v prints the command", job.stderr)
job = run(*hydra, "-v", "-t", "0.0001", "prog", env={**CLEAN, "PATH": every + TOOLS})
check("--kill-after=20 0.001 " in job.stderr, "a short time is no time without end", job.stderr)
job = run("--launcher=prrte", "prog", env={**CLEAN, "PATH": TOOLS}, cwd=every)
check(job.stdout.startswith("prterun -n 1"), "an empty part of PATH is this folder",
      job.stdout, job.stderr)

refused(["--launcher", "lsf", "prog"], 2, "expected oshrun, hydra, slurm, prrte or orte")
refused(["--launcher", "hydra", "prog"], 127, "mpiexec.hydra is not in PATH (Debian: mpich)",
        env={"PATH": "/nowhere"})
refused(["--hosts", "a", "prog"], 127, "none of mpiexec.hydra, prterun, orterun and srun",
        env={"PATH": "/nowhere"})
refused(["--hosts", "a", "--emulate-nodes", 2, "-n", 2, "prog"], 2,
        "--emulate-nodes splits one machine")
refused(["--hosts", "a", "--hostfile", "f", "prog"], 2, "one or the other")
refused(["-f", "absent", "prog"], 2, "--hostfile absent: No such file", env={"PATH": every})

# In an allocation, but with an explicit launcher; inside a step of it; and outside.
here = "launch: 2 PEs"
for args, env in ((["--launcher", "oshrun"], {"SLURM_JOB_ID": "7"}),
                  ([], {"SLURM_JOB_ID": "7", "PMI_FD": "99"}), ([], {})):
    job = run(*args, "-n", 2, PROBE, "ok", env={**CLEAN, **env})
    check(job.stdout.startswith(here), f"{args} {env}: runs the job itself", job.stdout, job.stderr)

for launcher, program, back_end in (("hydra", "mpiexec.hydra", "pmi1"),
                                    ("orte", "orterun", "pmix")):
    if not shutil.which(program):
        print(f"{program} is not installed: its part is left out")
        continue
    env = {**CLEAN, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    job = run("--launcher", launcher, "-n", 3, PROBE, "ok", env=env, timeout=60)
    check(job.stdout == f"{back_end}: 3 PEs, one_machine 1, node_fd no, nodes 0 0 0\n",
          f"{program} runs the job", job.stdout, job.stderr)
    job = run("--launcher", launcher, "-n", 2, "--timeout", 1, PROBE, "sleep", env=env, timeout=60)
    check(job.returncode == 124, f"{program}: 124 at the time limit", job.returncode, job.stderr)
    check(wait_until(lambda: not sleepers(), 10), f"{program}: nothing is left at the time limit",
          sleepers())
finish()
