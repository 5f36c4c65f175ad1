# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the programs for each peer, and the baselines, into build/bench."""

import os
import subprocess

PROGRAMS = {
    "latency": ["latency.c"],
    "rate": ["rate.c"],
    "atomics": ["atomics.c"],
    "pingpong": ["pingpong.c"],
    "coll": ["coll.c"],
    "threads": ["threads.c"],
    "startup": ["startup.c"],
    "insn": ["insn/insn.c", "insn/step.c"],
    "ring": ["ring.c"],
}
# GASNet: no other library of this kind is packaged.
OURS = {
    "am": ["am.c"],
    "gasnet_calls": ["insn/gasnet_calls.c", "insn/step.c"],
    "gasnet_calls_par": ["insn/gasnet_calls.c", "insn/step.c"],
}
DEFINES = {"gasnet_calls": ["-DGASNET_SEQ"], "gasnet_calls_par": ["-DGASNET_PAR"]}
BASELINES = {
    "local": (["baseline/local.c", "baseline/kernels.c"], []),
    "plain": (["baseline/plain.c"], []),
    "forkexec": (["baseline/forkexec.c"], []),
    "raw_fabric": (["baseline/raw_fabric.c", "baseline/fabric.c"], ["-lfabric"]),
    "local_messages": (["baseline/local_messages.c"], []),
    "raw_messages": (["baseline/raw_messages.c", "baseline/fabric.c"], ["-lfabric"]),
}
CFLAGS = ["-O2", "-g", "-std=gnu11", "-Wall", "-Wno-deprecated-declarations"]


def _reason(error, root):
    """The compiler's first error, with paths relative to the repository."""
    lines = error.splitlines()
    line = next((line for line in lines if "error" in line), lines[0])
    return line.replace(root + os.sep, "")


def _compile(compiler, sources, output, libs=(), defines=()):
    cmd = [compiler, *CFLAGS, *defines, *sources, "-o", output, *libs]
    done = subprocess.run(cmd, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()


class Builder:
    def __init__(self, bench_dir, out_dir, say):
        self.bench_dir, self.out_dir, self.say = bench_dir, out_dir, say
        self.missing = {}  # (tag, program) -> reason

    def path(self, tag, program):
        return os.path.join(self.out_dir, tag, program)

    def _sources(self, names):
        return [os.path.join(self.bench_dir, n) for n in [*names, "common.c"]]

    def _one(self, compiler, tag, program, sources, libs=(), defines=()):
        out = self.path(tag, program)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        error = _compile(compiler, self._sources(sources), out, libs, defines)
        if error and program == "coll":  # a library that dropped the active-set reductions
            error = _compile(compiler, self._sources(sources), out, libs, ["-DBENCH_TEAM_REDUCE"])
        if error:
            self.missing[tag, program] = _reason(error, os.path.dirname(self.bench_dir))
            self.say(f"  cannot build {program} for {tag}: {error.splitlines()[0]}")

    def peer(self, peer, programs):
        for program in programs:
            self._one(peer.oshcc, peer.tag, program, {**PROGRAMS, **OURS}[program],
                      defines=DEFINES.get(program, ()))

    def baselines(self, names=tuple(BASELINES)):
        compiler = os.environ.get("CC", "cc")
        for program in names:
            sources, libs = BASELINES[program]
            self._one(compiler, "baseline", program, sources, libs)
