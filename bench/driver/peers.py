# SPDX-License-Identifier: BSD-3-Clause
"""The peers: the staged Causeway, other OpenSHMEM libraries, and the baselines; how each is built
and launched."""

import os
import re
import shutil
import subprocess

NETWORK_LAYOUTS = ("rdm", "msg")


class Peer:
    """One OpenSHMEM. `layouts` maps a layout to its environment; `reasons` has the reason why a
    layout is missing."""

    def __init__(self, name, tag, oshcc, oshrun):
        self.name, self.tag, self.oshcc, self.oshrun = name, tag, oshcc, oshrun
        self.ours = False
        self.flags = []
        self.env = {}
        self.layouts = {"local": {}}
        self.reasons = {}

    def command(self, layout, npes):
        extra = ["--emulate-nodes", "2"] if self.ours and layout in NETWORK_LAYOUTS else []
        return [self.oshrun, *self.flags, "-n", str(npes), *extra]

    def environment(self, layout):
        return {**os.environ, **self.env, **self.layouts[layout]}


def causeway(stage):
    peer = Peer("Causeway", "causeway", os.path.join(stage, "bin", "oshcc"),
                os.path.join(stage, "bin", "oshrun"))
    peer.ours = True
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
    peer.env = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # With its memory hooks Debian 12's build crashes in shmem_finalize; without them it ends in
        # order.
        "OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0",
    }
    peer.layouts["tcp"] = {
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": "lo",
        # Its collectives use MPI's own transports: off shared memory with them too.
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,tcp",
        "OMPI_MCA_btl_tcp_if_include": "lo",
        "OMPI_MCA_coll": "^sm",
    }


def other(oshcc):
    """The peer behind a compiler wrapper given with --against; its launcher is the oshrun beside
    the wrapper."""
    path = shutil.which(oshcc)
    if not path:
        raise SystemExit(f"bench: --against {oshcc}: no such compiler wrapper")
    oshrun = os.path.join(os.path.dirname(os.path.abspath(path)),
                          os.path.basename(path).replace("oshcc", "oshrun"))
    if not os.path.exists(oshrun):
        raise SystemExit(f"bench: --against {oshcc}: its launcher {oshrun} does not exist")
    tag = re.sub(r"[^A-Za-z0-9]+", "-", os.path.abspath(path).strip("/"))
    peer = Peer(os.path.abspath(path), tag, path, oshrun)
    found = re.search(r"\((?:Open MPI|OpenRTE)\) (\S+)", _output([oshrun, "--version"]))
    if found:
        _open_mpi(peer, found.group(1))
    else:
        peer.reasons["tcp"] = "no known way to keep this library off shared memory"
    return peer
