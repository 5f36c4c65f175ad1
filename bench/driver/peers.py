# SPDX-License-Identifier: BSD-3-Clause
"""The peers: the staged Causeway, other OpenSHMEM libraries, and the one-sided communication of
MPIs; how each is built and launched."""

import os
import re
import shutil
import subprocess

from . import chroot, gasnet

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NETWORK_LAYOUTS = ("rdm", "msg")
EACH = "-each"  # behind one of these: each PE is a node
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            # With its memory hooks Debian 12's build crashes in shmem_finalize; without them it
            # ends in order.
            "OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0"}
OVER_TCP = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo",
            # Its collectives use MPI's own transports: off shared memory with them too.
            "OMPI_MCA_coll": "^sm"}
UCX_OVER_TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
# What MPIs are measured by (baseline/mpi).
MPI_PROGRAMS = ("latency", "rate", "floods", "atomics", "pingpong", "coll", "many")


class Peer:
    """One library. `compiler` and `launcher` are its commands; `layouts` maps a layout to its
    environment; `reasons` has the reason why a layout is missing; `programs` and `most_pes` bound
    what it is measured by, unless they are None; `words` and, behind the sources, `libs` are added
    to the compiler's command; `linker` are the words of another command that links. `start` are the
    launcher's words where they are not its flags and -n, with %N for the number of processes.
    `fortran` has the words that compile "caf", coarrays, and "prif", and the libraries behind the
    sources."""

    def __init__(self, name, tag, compiler, launcher):
        self.name, self.tag, self.compiler, self.launcher = name, tag, compiler, launcher
        self.ours = False
        self.programs, self.most_pes = None, None
        self.words, self.libs, self.flags = (), (), []
        self.linker, self.start = (), ()
        self.fortran = {}
        self.env = {}
        self.layouts = {"local": {}}
        self.reasons = {}

    def measures(self, program, layout, npes):
        return (layout.removesuffix(EACH) in self.layouts and npes <= (self.most_pes or npes)
                and (not self.programs or program in self.programs))

    def command(self, layout, npes):
        if self.start:
            return [word.replace("%N", str(npes)) for word in self.start]
        nodes = npes if layout.endswith(EACH) else 2 if layout in NETWORK_LAYOUTS else 1
        extra = ["--emulate-nodes", str(nodes)] if self.ours and nodes > 1 else []
        return [self.launcher, *self.flags, "-n", str(npes), *extra]

    def environment(self, layout):
        return {**os.environ, **self.env, **self.layouts[layout.removesuffix(EACH)]}


def causeway(stage):
    peer = Peer("Causeway", "causeway", os.path.join(stage, "bin", "oshcc"),
                os.path.join(stage, "bin", "oshrun"))
    peer.ours = True
    peer.fortran = {name: ([os.path.join(stage, "bin", wrapper)], [])
                    for name, wrapper in (("caf", "caf"), ("prif", "prifc"))}
    for mode in NETWORK_LAYOUTS:
        peer.layouts[mode] = {"CAUSEWAY_ENDPOINT": mode}
    return peer


def _output(cmd):
    try:
        done = subprocess.run(cmd, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _open_mpi(peer, version):
    peer.name, peer.tag = f"Open MPI {version}", "openmpi"
    peer.flags = ["--oversubscribe"]
    peer.env = OPEN_MPI
    peer.layouts["tcp"] = {**UCX_OVER_TCP, **OVER_TCP}


def _mpi(path, launcher):
    """The one-sided communication of the MPI behind a compiler wrapper."""
    text = _output([launcher, "--version"])
    found = re.search(r"\((?:Open MPI|OpenRTE)\) (\S+)", text)
    mpich = re.search(r"Version:\s+(\S+)", text)
    tag = re.sub(r"[^A-Za-z0-9]+", "-", path.strip("/"))
    peer = Peer(path, tag, path, launcher)
    peer.programs = MPI_PROGRAMS
    peer.words = (f"-I{BENCH}/baseline/mpi",)
    if found:
        peer.name = f"MPI RMA, Open MPI {found.group(1)}"
        peer.flags = ["--oversubscribe"]
        # The windows over transports (rdma) crash in this program's atomics on a node.
        peer.env = OPEN_MPI
        peer.layouts["local"] = {"OMPI_MCA_osc": "^rdma"}
        peer.layouts["tcp"] = {**OVER_TCP, "OMPI_MCA_osc": "pt2pt"}
    elif mpich:
        peer.name = f"MPI RMA, MPICH {mpich.group(1)}"
        # It polls and does not yield: more of them than cores measure the scheduler, by minutes.
        peer.most_pes = os.cpu_count()
        peer.layouts["tcp"] = UCX_OVER_TCP
    else:
        peer.reasons["tcp"] = "no known way to keep this library off shared memory"
    return peer


def _coarrays(path, name):
    """OpenCoarrays on the MPI that the wrapper is named after, by its launcher."""
    family = name.partition(".")[2]
    launcher = shutil.which({"mpich": "mpiexec.hydra", "openmpi": "orterun"}.get(family, ""))
    if not launcher:
        raise SystemExit(f"bench: --against {name}: no launcher of an MPI with that name")
    peer = Peer(f"OpenCoarrays, {family}", name.replace(".", "-"), path, launcher)
    peer.fortran, peer.programs = {"caf": ([path], [])}, ("caf",)
    if family == "openmpi":
        peer.flags, peer.env = ["--oversubscribe"], OPEN_MPI
        peer.layouts["tcp"] = {**OVER_TCP, "OMPI_MCA_osc": "pt2pt"}
    else:
        peer.layouts["tcp"] = UCX_OVER_TCP
    return peer


def all_found():
    """The wrappers of other libraries that are installed."""
    wrappers = ("oshcc", "mpicc.openmpi", "mpicc.mpich", "caf.openmpi", "caf.mpich")
    return [*filter(shutil.which, wrappers),
            *(name for name in chroot.PEERS if not chroot.lacks(name))]


def others(name):
    """The peers behind a name given with --against: one for a compiler wrapper, of GASNet one for
    each conduit."""
    if name in chroot.PEERS:
        return [chroot.peer(Peer, name)]
    return gasnet.peers(Peer, name) if os.path.isdir(name) else [_wrapped(name)]


def _wrapped(wrapper):
    """The peer behind a compiler wrapper of an OpenSHMEM or of an MPI; its launcher lies beside the
    wrapper."""
    path = shutil.which(wrapper)
    if not path:
        raise SystemExit(f"bench: --against {wrapper}: no such compiler wrapper")
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    if name.startswith("caf"):
        return _coarrays(path, name)
    launcher = os.path.join(folder, name.replace("oshcc", "oshrun").replace("mpicc", "mpiexec"))
    if not os.path.exists(launcher):
        raise SystemExit(f"bench: --against {wrapper}: its launcher {launcher} does not exist")
    if name.startswith("mpicc"):
        return _mpi(path, launcher)
    peer = Peer(path, re.sub(r"[^A-Za-z0-9]+", "-", path.strip("/")), path, launcher)
    found = re.search(r"\((?:Open MPI|OpenRTE)\) (\S+)", _output([launcher, "--version"]))
    if found:
        _open_mpi(peer, found.group(1))
    else:
        peer.reasons["tcp"] = "no known way to keep this library off shared memory"
    return peer
