# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of its own for one test: munged, slurmctld and four slurmd on this machine, in a
temporary folder.

The simulated nodes share host name and network: only Slurm sees them as nodes. Nothing is left
after close().
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

NODES = 4
DAEMONS = ("munged", "slurmctld", "slurmd", "srun", "sinfo", "scontrol", "salloc")
CONF = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket
CryptoType=crypto/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool-%n
SlurmctldPidFile={root}/ctld.pid
SlurmdPidFile={root}/slurmd-%n.pid
SlurmctldLogFile={root}/ctld.log
SlurmdLogFile={root}/slurmd-%n.log
TmpFS={root}/tmp-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
MpiDefault=none
SrunPortRange={low}-{high}
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{slurmd}-{last}] CPUs=8
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE
"""


def missing():
    """Names of the programs that are not installed."""
    found = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [name for name in DAEMONS if not shutil.which(name, path=found)]


def free_ports(n):
    """A run of n ports on which no process listens now."""
    for first in range(20000 + os.getpid() % 5000, 30000, n):
        taken = False
        for port in range(first, first + n):
            with socket.socket() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    s.bind(("127.0.0.1", port))
                except OSError:
                    taken = True
        if not taken:
            return first
    raise RuntimeError("no free ports")


class Cluster:
    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.root.chmod(0o755)
        self.children = []
        base = free_ports(2 + NODES + 200)
        for name in ("munge", "state",
                     *(f"{kind}-n{i + 1}" for kind in ("spool", "tmp") for i in range(NODES))):
            (self.root / name).mkdir()
        key = self.root / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.conf = self.root / "slurm.conf"
        self.conf.write_text(CONF.format(host=socket.gethostname().split(".")[0], root=self.root,
                                         nodes=NODES, ctld=base,
                                         slurmd=base + 1, last=base + NODES, low=base + 2 + NODES,
                                         high=base + 199 + NODES))
        self.env = {**os.environ, "SLURM_CONF": str(self.conf),
                    "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def _start(self, *words):
        log = open(self.root / f"{words[0]}.out", "ab")
        self.children.append(subprocess.Popen(list(map(str, words)), env=self.env,
                                              stdin=subprocess.DEVNULL, stdout=log,
                                              stderr=log, start_new_session=True))

    def open(self, seconds=60):
        """True when all nodes are idle; else why() returns the reason."""
        munge = self.root / "munge"
        self._start("munged", "--foreground", "--force", "--num-threads=2",
                    f"--socket={munge}/socket", f"--key-file={munge}/key",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                    f"--seed-file={munge}/seed")
        end = time.monotonic() + seconds
        while not (munge / "socket").exists() and time.monotonic() < end:
            time.sleep(0.05)
        self._start("slurmctld", "-D", "-f", self.conf)
        for i in range(NODES):
            self._start("slurmd", "-D", "-N", f"n{i + 1}", "-f", self.conf)
        while time.monotonic() < end:
            sinfo = subprocess.run(["sinfo", "-h", "-o", "%t %D"], env=self.env,
                                   capture_output=True, text=True, timeout=30)
            if sinfo.stdout.split() == ["idle", str(NODES)]:
                return True
            time.sleep(0.2)
        return False

    def why(self):
        """The last lines of each log."""
        return "\n".join(f"== {p.name}\n"
                         + "\n".join(p.read_text(errors="replace").splitlines()[-6:])
                         for p in sorted([*self.root.glob("*.log"), *self.root.glob("*.out")]))

    def srun(self, *words, timeout=90, env=None):
        return subprocess.run(["srun", "--overcommit", "--quiet", *map(str, words)],
                              env={**self.env, **(env or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout)

    def close(self):
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
