# SPDX-License-Identifier: BSD-3-Clause
"""Installs of GASNet as peers: one for each conduit that this machine can run, built and started as
the makefile fragments of the install say."""

import os
import re
import shlex
import subprocess

WANTED = ("GASNET_CC", "GASNET_LD", "GASNET_CPPFLAGS", "GASNET_CFLAGS", "GASNET_LDFLAGS",
          "GASNET_LIBS", "GASNET_RUN_CMD")
# conduit -> the layout that it is measured in, and its settings. One machine is two hosts where
# processes share no memory.
APART = {"GASNET_SUPERNODE_MAXSIZE": "1"}
CONDUITS = {
    "smp": ("local", {}),
    "ofi": ("tcp", {**APART, "FI_PROVIDER": "tcp"}),
    "udp": ("tcp", {**APART, "GASNET_SPAWNFN": "L"}),
}


def _settings(fragment):
    """What a fragment for make sets: name -> words."""
    makefile = (f"include {fragment}\n$(foreach v,{' '.join(WANTED)},$(info $(v)=$($(v))))\n"
                "nothing:;@:\n")
    done = subprocess.run(["make", "-s", "-f", "-"], input=makefile, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise SystemExit(f"bench: make cannot read {fragment}: {done.stderr.strip()}")
    pairs = (line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    return {name: shlex.split(value) for name, value in pairs}


def _name(prefix):
    """With the release; several of Causeway's differ by their place."""
    if _is_causeway(prefix):
        return f"Causeway in {prefix}"
    with open(os.path.join(prefix, "include", "gasnet_config.h"), encoding="utf-8") as file:
        found = re.search(r"RELEASE_VERSION\s+\"?([0-9][0-9.]*)", file.read())
    return f"GASNet {found.group(1) if found else prefix}"


def _is_causeway(prefix):
    return os.path.exists(os.path.join(prefix, "bin", "causeway-info"))


def _start(prefix, conduit, asked):
    """The words before the program's: those of the fragment, or the install's launcher, or none,
    where an environment variable says how many processes start."""
    words = asked[:asked.index("%P")] if "%P" in asked else []
    if not words:
        for name, option in ((f"gasnetrun_{conduit}", "-n"), (f"am{conduit}run", "-np")):
            launcher = os.path.join(prefix, "bin", name)
            if os.path.exists(launcher):
                words = [launcher, option, "%N"]
                break
        else:
            words = ["env", "GASNET_PSHM_NODES=%N"]
    if _is_causeway(prefix) and CONDUITS[conduit][0] != "local":
        words = [*words, "-N", "2"]  # nodes are emulated; processes share memory otherwise
    return words


def _peer(make, prefix, conduit, fragment):
    layout, env = CONDUITS[conduit]
    found = _settings(fragment)
    compiler, *words = found["GASNET_CC"]
    tag = re.sub(r"[^A-Za-z0-9]+", "-", f"{prefix}-{conduit}".strip("/"))
    start = _start(prefix, conduit, found["GASNET_RUN_CMD"])
    peer = make(f"{_name(prefix)}, {conduit}", tag, compiler, start[0])
    peer.start, peer.programs, peer.layouts = start, ("am", "vis"), {layout: env}
    peer.words = (*words, *found["GASNET_CPPFLAGS"], *found["GASNET_CFLAGS"])
    peer.linker = (*found["GASNET_LD"], *found["GASNET_LDFLAGS"])
    peer.libs = tuple(found["GASNET_LIBS"])
    return peer


def peers(make, prefix):
    prefix = os.path.abspath(prefix)
    fragments = ((conduit, os.path.join(prefix, "include", f"{conduit}-conduit",
                                        f"{conduit}-seq.mak")) for conduit in CONDUITS)
    found = [_peer(make, prefix, *pair) for pair in fragments if os.path.exists(pair[1])]
    if not found:
        raise SystemExit(f"bench: --against {prefix}: no GASNet of {', '.join(CONDUITS)} is there")
    return found
