# SPDX-License-Identifier: BSD-3-Clause
"""The whole programs of the study: the examples and the NAS-like kernels, how each is built and
called."""

import glob
import os
import subprocess
from dataclasses import dataclass

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


@dataclass(frozen=True)
class Workload:
    """Sources below the root (patterns allowed), and arguments in the full and in the quick
    form."""

    sources: tuple
    full: str
    quick: str

    def args(self, quick):
        return (self.quick if quick else self.full).format(root=ROOT).split()


def _kernel(name, full, quick):
    return Workload((f"bench/kernels/{name}.c", "bench/kernels/kernel.c"), full, quick)


WORKLOADS = {
    "stencil": Workload(("examples/03-stencil/*.c", ), "-n 40", "-n 16"), "sort": Workload(
        ("examples/04-integer-sort/*.c", ), "-n 64K", "-n 16K"), "random-access": Workload(
            ("examples/02-random-access/*.c", ), "-m atomic -n 12", "-m atomic -n 8"),
    "search": Workload(
        ("examples/05-graph/*.c", ), "-g {root}/examples/05-graph/sample.mtx -k 2",
        "-g {root}/examples/05-graph/sample.mtx -k 1"), "ep": _kernel("ep", "-m 22", "-m 16"),
    "mg": _kernel("mg", "-k 4", "-k 3"), "lu": _kernel("lu", "-n 16 -i 3", "-n 8 -i 2"),
}


def build(oshcc, folder, say):
    """Compiles all into `folder`; returns the names of those that compiled."""
    os.makedirs(folder, exist_ok=True)
    built = []
    for name, load in WORKLOADS.items():
        sources = sorted(path for pattern in load.sources
                         for path in glob.glob(os.path.join(ROOT, pattern)))
        command = [oshcc, "-std=gnu11", "-O2", "-o", os.path.join(folder, name), *sources, "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            say(f"  cannot build {name}: {(done.stderr or done.stdout).strip().splitlines()[0]}")
        else:
            built.append(name)
    return built
