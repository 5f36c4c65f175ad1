# SPDX-License-Identifier: BSD-3-Clause
"""Shared by demo.py and the tests: the list of examples, how to build and how to run one."""
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Example:
    """A folder with a program, and how the demo runs it.

    `runs` gives for each row of the demo's table a label and the arguments on one node and between
    nodes, where a small operation costs a thousand times as much.
    """
    folder: str
    binary: str
    runs: tuple[tuple[str, str, str], ...] = field(default=())
    without: tuple[str, ...] = field(default=())  # sources of another version of the program
    flags: tuple[str, ...] = field(default=())  # of the compiler
    kernels: str = ""  # source of those that a device runs
    expected: str = "expected.txt"

    @property
    def path(self) -> Path:
        return EXAMPLES / self.folder

    @property
    def needs_device(self) -> bool:
        return bool(self.kernels)

    @property
    def is_fortran(self) -> bool:
        return any(self.path.glob("*.f90"))


ALL = (
    Example("01-hello", "hello", (("hello", "", ""),)),
    Example("02-random-access", "random_access", (
        ("random access, atomic", "-m atomic -n 22", "-m atomic -n 18"),
        ("random access, batch", "-m batch -n 22", "-m batch -n 16"),
        ("random access, get+put", "-m getput -n 22", "-m getput -n 13"))),
    Example("03-stencil", "stencil", (("stencil", "-n 512 -i {image}", "-n 512 -i {image}"),)),
    Example("04-integer-sort", "integer_sort", (
        ("integer sort, uniform", "-n 16M", "-n 16M"),
        ("integer sort, gauss", "-n 16M -d gauss", "-n 16M -d gauss"))),
    Example("05-graph", "graph", (
        ("graph", "-g {graph} {names} -d both -k 8", "-g {graph} {names} -d both -k 4"),)),
    Example("06-graph500", "graph500", (("graph500", "-s 17", "-s 14"),), without=("comm_mpi.c",)),
    Example("07-am-pingpong", "am_pingpong", (("AM ping-pong", "20000", "2000"),)),
    Example("08-hash-table", "hash_table", (("hash table", "2000000", "20000"),)),
    Example("09-work-stealing", "work_stealing", (("work stealing", "40000", "40000"),)),
    Example("10-matrix-multiply", "matrix_multiply", (
        ("matrix multiplication", "-t 24 -s 48", "-t 16 -s 48"),)),
    Example("11-scf", "scf", (("self-consistent field", "-n 10", "-n 10"),)),
    Example("12-lu", "lu", (("NPB LU, class S", "S", "S"),)),
    Example("13-dart-stencil", "stencil_dart", (("DART stencil", "512", "64"),)),
    Example("14-dart-random-access", "random_access_dart", (
        ("DART random access, get+put", "22 getput", "13 getput"),
        ("DART random access, batches", "22 batches", "16 batches"),
        ("DART random access, atomic", "22 atomic", "16 atomic"))),
    Example("15-dart-hash-map", "hash_map", (("DART hash map", "200000", "2000"),)),
    Example("16-caf-pi", "pi", (("coarrays, pi", "100000000", "100000000"),)),
    Example("17-caf-heat", "heat", (("coarrays, heat", "1024 200", "256 100"),)),
    Example("18-caf-sort", "sort", (("coarrays, sort", "200000", "50000"),)),
    Example("19-caf-farm", "farm", (
        ("coarrays, task farm", "1000 killed", "500"),)),  # other launchers end such a job
    Example("20-caf-hash-table", "table", (("coarrays, hash table", "20000", "1000"),)),
    Example("21-devices", "heat_device", (("devices, heat", "2048 500", "512 100"),),
            without=("random_access.c",), flags=("-rdynamic", "-ldl"), kernels="heat.cu",
            expected="heat.txt"),
    Example("21-devices", "random_access_device", (("devices, random access", "22", "12"),),
            without=("heat.c",), flags=("-rdynamic", "-ldl"), kernels="random_access.cu",
            expected="random_access.txt"),
)

# With MPI beside OpenSHMEM, started by MPI's launcher: not part of ALL.
WITH_MPI = (Example("06-graph500", "graph500_mpi", without=("comm_shmem.c",)),)


def missing_fortran(stage: Path) -> str:
    """Why the wrapper caf compiles nothing here; empty if it does."""
    done = subprocess.run([str(stage / "bin/caf"), "-fsyntax-only", "-x", "f95", "-"], text=True,
                          input="end\n", capture_output=True, check=False)
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else lines[-1] if lines else "caf fails"


def build_kernels(example: Example, oshcc: Path, program: Path) -> None:
    """The kernels beside the program, by clang; without it the program says that they are
    missing."""
    clang = shutil.which("clang")
    if not clang:
        return
    command = [clang, "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-device-only", "-nocudainc",
               "-nocudalib", "-O2", "-S", f"-I{oshcc.parent.parent}/include",
               str(example.path / example.kernels), "-o", f"{program}.ptx"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def build(example: Example, oshcc: Path, folder: Path, flags: tuple[str, ...] = (),
          compiler: str = "") -> Path:
    """Compile an example, with further flags and optionally another compiler behind oshcc (MPI's);
    raises RuntimeError with the compiler's output if that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / example.binary
    sources = sorted(str(source) for source in example.path.glob("*.[cf]*")
                     if source.suffix in (".c", ".f90") and source.name not in example.without)
    words = [str(oshcc), "-std=c11"]
    if example.is_fortran:  # modules go beside the program
        words = [str(oshcc.parent / "caf"), f"-J{folder}"]
    command = [*words, "-O2", "-Wall", "-Wextra", "-Werror", *flags, "-o", str(program), *sources,
               *example.flags, "-lm"]
    env = {**os.environ, "OSHCC_CC": compiler} if compiler else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    if example.needs_device:
        build_kernels(example, oshcc, program)
    return program


@dataclass
class Outcome:
    """How a run ended. `status` is None if it was killed after its time limit."""
    status: int | None
    stdout: str
    stderr: str

    @property
    def result(self) -> dict[str, str]:
        """The fields of the RESULT line; empty unless there is exactly one such line."""
        lines = re.findall(r"^RESULT (.*)$", self.stdout, re.MULTILINE)
        return dict(pair.split("=", 1) for pair in lines[0].split()) if len(lines) == 1 else {}


def run(command: list[str], timeout: float, cwd: Path | None = None,
        env: dict[str, str] | None = None) -> Outcome:
    """Run a job. A job that exceeds its time limit is asked to end, so that it can clean up, then
    killed."""
    process = subprocess.Popen(command, cwd=cwd, env=env, text=True, errors="replace",
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    status: int | None = None
    try:
        stdout, stderr = process.communicate(timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            stdout, stderr = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=5)
        raise
    return Outcome(status, stdout, stderr)
