# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the programs for each peer, and the baselines, into build/bench."""

import contextlib
import fcntl
import glob
import os
import shutil
import subprocess

PROGRAMS = {
    "latency": ["latency.c"],
    "rate": ["rate.c"],
    "floods": ["floods.c"],
    "atomics": ["atomics.c"],
    "pingpong": ["pingpong.c"],
    "coll": ["coll.c"],
    "beside": ["beside.c"],
    "threads": ["threads.c"],
    "startup": ["startup.c"],
    "insn": ["insn/insn.c", "insn/step.c"],
    "ring": ["ring.c"],
    "many": ["many.c"],
}
# Of these, only am and vis are built for another library, a GASNet.
OURS = {
    "am": ["am.c"],
    "vis": ["vis.c"],
    "armci": ["armci.c"],
    "dart": ["dart.c"],
    "large": ["large.c"],
    "gasnet_calls": ["insn/gasnet_calls.c", "insn/step.c"],
    "gasnet_calls_par": ["insn/gasnet_calls.c", "insn/step.c"],
    "pgas_calls": ["insn/pgas_calls.c", "insn/step.c"],
    "upc_calls": ["insn/upc_calls.c", "insn/step.c"],
    "states": ["insn/states.c", "insn/step.c"],
    **{f"puts_{name}": ["insn/checked_puts.c", f"insn/puts_{name}.c", "insn/step.c"]
       for name in ("shmem", "shmem_nbi", "armci", "gasnet", "gex", "dart")},
    **{f"puts_shmem_nbi_{kind}": ["insn/checked_puts.c", "insn/puts_shmem_nbi.c", "insn/step.c"]
       for kind in ("static", "symmetric", "mapped")},
}
# Without coarrays: beside images that start.
FORTRAN_BASELINE = {"hello": ["gfortran", "-fcoarray=single", "caf_hello.f90"]}
# By a compiler of Fortran that a peer has or is (Peer.fortran).
COARRAYS = {"caf": ["caf_alone.f90", "common.f90", "caf.f90"],
            "prif": ["caf_alone.f90", "common.f90", "prif.f90"],
            "caf_killed": ["caf_alone.f90", "common.f90", "caf_killed.f90"],
            "caf_hello": ["caf_hello.f90"]}
# Of our own ones these have OpenSHMEM and plain C beside each row: in place of the first file.
PAIRED = ("caf", "prif")
BESIDE, BASE = "caf_beside.f90", "caf_base.c"
DEFINES = {"gasnet_calls": ["-DGASNET_SEQ"], "gasnet_calls_par": ["-DGASNET_PAR"],
           "puts_gasnet": ["-DGASNET_SEQ"], "puts_gex": ["-DGASNET_SEQ"],
           "puts_shmem_nbi_static": ["-DSTATIC"], "puts_shmem_nbi_symmetric": ["-DSYMMETRIC"],
           "puts_shmem_nbi_mapped": ["-DMAPPED"]}
BASELINES = {
    "local": (["baseline/local.c", "baseline/kernels.c"], []),
    "plain": (["baseline/plain.c"], []),
    "forkexec": (["baseline/forkexec.c"], []),
    "raw_fabric": (["baseline/raw_fabric.c", "baseline/fabric.c"], ["-lfabric"]),
    "local_messages": (["baseline/local_messages.c"], []),
    "raw_messages": (["baseline/raw_messages.c", "baseline/fabric.c"], ["-lfabric"]),
}
FFLAGS = ["-O2", "-g"]
CFLAGS = ["-O2", "-g", "-std=gnu11", "-Wall", "-Wno-deprecated-declarations"]


def programs_of(peer):
    return ([*PROGRAMS, *OURS, *COARRAYS] if peer.ours else
            peer.programs or tuple(PROGRAMS))


def _reason(error, root):
    """The compiler's first error, with paths relative to the repository."""
    lines = error.splitlines()
    line = next((line for line in lines if "error" in line), lines[0])
    return line.replace(root + os.sep, "")


def _said(cmd):
    """What a command says where it fails, else None."""
    done = subprocess.run(cmd, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()


def _compile(compiler, sources, output, libs=(), defines=(), linker=()):
    """linker: the words of another command that links, which may be of another language."""
    if not linker:
        return _said([compiler, *CFLAGS, *defines, *sources, "-o", output, *libs])
    objects = [f"{output}.{os.path.basename(source)}.o" for source in sources]
    for source, made in zip(sources, objects):
        error = _said([compiler, *CFLAGS, *defines, "-c", source, "-o", made])
        if error:
            return error
    return _said([*linker, *objects, "-o", output, *libs])


class Builder:
    def __init__(self, bench_dir, out_dir, say):
        self.bench_dir, self.out_dir, self.say = bench_dir, out_dir, say
        self.missing = {}  # (tag, program) -> reason

    def path(self, tag, program):
        return os.path.join(self.out_dir, tag, program)

    def _sources(self, names):
        return [os.path.join(self.bench_dir, n) for n in [*names, "common.c"]]

    def _fresh(self, compiler, out, sources, words):
        """Is the program newer than all it is made of, and was it built by the same command?"""
        stamp = f"{out}.command"
        command = "\0".join([compiler, *CFLAGS, *words])
        if os.path.exists(out) and os.path.exists(stamp):
            inputs = [*self._sources(sources),
                      *glob.glob(f"{self.bench_dir}/**/*.h", recursive=True)]
            library = os.path.join(os.path.dirname(compiler), "..", "lib", "libcauseway.so")
            inputs += [path for path in (shutil.which(compiler), library) if path
                       and os.path.exists(path)]
            with open(stamp, encoding="utf-8") as file:
                if (file.read() == command
                    and all(os.path.getmtime(path) <= os.path.getmtime(out) for path in inputs)):
                    return True
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(command)
        return False

    def _one(self, compiler, tag, program, sources, libs=(), defines=(), linker=()):
        out = self.path(tag, program)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if self._fresh(compiler, out, sources, [*linker, *libs, *defines]):
            return
        error = _compile(compiler, self._sources(sources), out, libs, defines, linker)
        if error and program == "coll":  # a library that dropped the active-set reductions
            error = _compile(compiler, self._sources(sources), out, libs, ["-DBENCH_TEAM_REDUCE"])
        if error:
            self.missing[tag, program] = _reason(error, os.path.dirname(self.bench_dir))
            self.say(f"  cannot build {program} for {tag}: {error.splitlines()[0]}")

    def _fortran(self, peer, program):
        """There may be no such compiler, or it has no module prif."""
        out = self.path(peer.tag, program)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        compiler, libs = peer.fortran[program.partition("_")[0]]
        names, error = COARRAYS[program], None
        if peer.ours and program in PAIRED:
            names, base = [BESIDE, *names[1:]], f"{out}.{BASE}.o"
            error = _said([peer.compiler, *CFLAGS, "-c", os.path.join(self.bench_dir, BASE), "-o",
                           base])
            libs = [base, *libs, "-lcauseway"]
        sources = [os.path.join(self.bench_dir, name) for name in names]
        command = [*compiler, *FFLAGS, f"-J{os.path.dirname(out)}", *sources, "-o", out, *libs]
        error = error or _said(command)
        if error:
            self.missing[peer.tag, program] = _reason(error, os.path.dirname(self.bench_dir))
            self.say(f"  cannot build {program} for {peer.tag}: {error.splitlines()[-1]}")

    @contextlib.contextmanager
    def lock(self):
        """Two benches may run at a time: the second finds the programs built."""
        os.makedirs(self.out_dir, exist_ok=True)
        with open(os.path.join(self.out_dir, "lock"), "w", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def peer(self, peer, programs):
        for program in programs:
            if program in COARRAYS:
                self._fortran(peer, program)
            elif not peer.programs or program in peer.programs:
                self._one(peer.compiler, peer.tag, program, {**PROGRAMS, **OURS}[program],
                          peer.libs, (*peer.words, *DEFINES.get(program, ())), peer.linker)

    def take_as_built(self, peers):
        """What is there is taken, as it is."""
        wanted = [("baseline", program) for program in (*BASELINES, *FORTRAN_BASELINE)]
        wanted += [(peer.tag, program) for peer in peers for program in programs_of(peer)]
        for key in wanted:
            if not os.path.exists(self.path(*key)):
                self.missing[key] = "was not built"

    def mpi(self, mpi, program):
        """A program of baseline/ for one of the MPIs."""
        compiler = shutil.which(f"mpicc.{mpi}")
        if compiler:
            self._one(compiler, mpi, program, [f"baseline/{program}.c"], ["-lpthread"])
        else:
            self.missing[mpi, program] = f"there is no mpicc.{mpi}"

    def baselines(self, names=tuple(BASELINES)):
        compiler = os.environ.get("CC", "cc")
        for program in names:
            sources, libs = BASELINES[program]
            self._one(compiler, "baseline", program, sources, libs)

    def fortran_baselines(self):
        for program, (*command, source) in FORTRAN_BASELINE.items():
            error = "there is no gfortran"
            if shutil.which(command[0]):
                error = _said([*command, *FFLAGS, os.path.join(self.bench_dir, source), "-o",
                               self.path("baseline", program)])
            if error:
                self.missing["baseline", program] = error
