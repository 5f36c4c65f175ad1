# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of requests.c on emulated nodes, by topology, one after the other; says how far it is."""

import json
import os
import subprocess
import sys

from startup.job import Job

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 300


class Jobs:
    """Compiles the program into `folder`. total: of the jobs, for the display."""

    def __init__(self, stage, folder, total):
        self.stage, self.done, self.total = stage, 0, total
        self.program = os.path.join(folder, "requests")
        subprocess.run([os.path.join(stage, "bin", "oshcc"), "-std=gnu11", "-O2", "-o",
                        self.program, os.path.join(HERE, "requests.c"), "-larmci"],
                       check=True)  # fmt: skip

    def job(self, topology, endpoint, nodes, ppn, words, stats=False):
        command = [os.path.join(self.stage, "bin", "oshrun"), "-n", str(nodes * ppn),
                   "--emulate-nodes", str(nodes), self.program, *map(str, words)]  # fmt: skip
        env = {"CAUSEWAY_TOPOLOGY": topology, "CAUSEWAY_ENDPOINT": endpoint}
        return Job(command, nodes * ppn, env, TIMEOUT, stats)

    def progress(self, what):
        self.done += 1
        print(f"  [{self.done}/{self.total}] {what}", flush=True)

    def run(self, topology, endpoint, nodes, ppn, words, stats=False):
        """Runs one job, with `pes` if the statistics are wanted. Ends the program if it fails."""
        job = self.job(topology, endpoint, nodes, ppn, words, stats).execute()
        what = f"{topology}, {endpoint}, {nodes} x {ppn} PEs, {' '.join(map(str, words))}"
        self.progress(f"{what}: {job.seconds:.1f} s")
        if job.error:
            sys.exit(f"study: {what}: {job.error}")
        return job


def said(job):
    """The line of JSON that the program printed."""
    return json.loads([line for line in job.out.splitlines() if line.startswith(("{", "["))][-1])
