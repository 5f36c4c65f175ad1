#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests that the tables tests/*/tests.toml describe; the format is documented in
tests/README.md."""

import argparse
import concurrent.futures
import ctypes
import difflib
import fnmatch
import hashlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path

import stacks
from halts import Halts
from report import Report

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SKIP_STATUS = 77
# by the first source; else oshcc
WRAPPERS = {".cc": "oshc++", ".cpp": "oshc++", ".cxx": "oshc++", ".f90": "caf",
            ".F90": "caf"}
# Most cases wait for half of their time, for sleeps and for each other.
JOBS = max(2, len(os.sched_getaffinity(0)) * 3 // 2)
RUNS_AGAIN = 2  # at most, of a case during which the machine stands still
WAITING = 2  # cases at a time of those that mostly sleep, beside the others

# A test that prints one of these has failed, whatever its exit status is. This project's own words
# are in capitals.
FAILURE_WORDS = re.compile(
    r"\bFAIL(ED|URE|URES)?\b|\bERROR\b|\bMISMATCH\b|AddressSanitizer|LeakSanitizer|ThreadSanitizer"
    r"|runtime error:"
    r"|Assertion .* failed|Segmentation fault|Bus error|core dumped|\b[1-9][0-9]* "
    r"failed\b|Traceback \(most recent")
OWN_ERROR = re.compile(r"^causeway: error:", re.M)

KEYS = {
    "name": str, "source": str, "sources": list, "program": str, "script": str, "pes": list,
    "layouts": list,
    "args": list, "oshrun": list, "env": dict, "stdin": str, "timeout": (int, float),
    "exit": (int, str),
    "expect": list, "forbid": list, "allow": list, "needs": list, "exclusive": bool, "waits": bool,
    "slow": bool,
    "compiler": str, "sanitize": bool, "mpi": bool, "cflags": list, "libs": list, "modes": list,
}
DEFAULTS = {"timeout": 60, "exit": 0, "layouts": ["node"], "exclusive": False, "waits": False,
            "slow": False, "sanitize": True, "mpi": True}
LAYOUT = re.compile(
    r"(?P<nodes>[0-9]+)nodes-(?P<mode>rdm|msg|mpich|openmpi)(-(?P<provider>[a-z_]+))?$")
# Launchers of the MPIs whose windows connect the nodes; each process finds its node by its rank.
MPI = {"mpich": ["mpiexec.hydra"], "openmpi": ["orterun", "--quiet"]}
NODE_OF_RANK = ('shift "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"; export CAUSEWAY_NODE="$1"; '
                'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
# An emulated program is laid out with the C library right behind it; one with a fixed address has
# room for its heap.
EMULATED_LINK = ["-no-pie", "-Wl,-Ttext-segment=0x2000000000"]
CASE_NUMBER = itertools.count()
# tokens of the cases that run now, for an end by Ctrl-C or a time limit of the caller's
ACTIVE = set()
PROVIDERS = {"rxm": "tcp;ofi_rxm", "rxd": "udp;ofi_rxd"}


class TableError(Exception):
    pass


@dataclass
class Case:
    ident: str
    room: Path
    spec: dict
    npes: int | None = None
    layout: str = "node"


@dataclass
class Result:
    case: Case
    verdict: str  # PASS FAIL SKIP
    reason: str = ""
    output: str = ""
    seconds: float = 0.0


@dataclass
class Program:
    lock: threading.Lock = field(default_factory=threading.Lock)  # guards what follows
    tried: bool = False
    error: str | None = None
    seconds: float = 0.0


@dataclass
class Options:
    build: Path
    stage: Path
    sanitize: str | None  # address, thread
    arch: str | None  # of the programs, where they run emulated
    scale: float
    verbose: bool
    programs: dict = field(default_factory=dict)
    guard: threading.Lock = field(default_factory=threading.Lock)  # of programs
    halts: Halts = field(default_factory=Halts)


# ---------------------------------------------------------------- tables

def check_spec(where, spec):
    for key, value in spec.items():
        if key not in KEYS:
            raise TableError(f"{where}: unknown key '{key}' (known: {', '.join(sorted(KEYS))})")
        if not isinstance(value, KEYS[key]):
            raise TableError(f"{where}: '{key}' has the wrong type")


def layout_nodes(layout):
    """Number of nodes of a layout; raises on an unknown one."""
    if layout in ("node", "hydra"):
        return 1
    match = LAYOUT.match(layout)
    if not match:
        raise TableError(
            f"unknown layout '{layout}' (node, hydra, <K>nodes-rdm, <K>nodes-msg, "
            f"<K>nodes-rdm-<provider>, <K>nodes-mpich, <K>nodes-openmpi)")
    return int(match["nodes"])


def shapes(spec):
    """(layout, number of PEs) of each case: "node/1,4" has numbers of its own, "node" those of the
    key pes."""
    for text in spec["layouts"]:
        layout, _, counts = text.partition("/")
        if counts and not re.fullmatch(r"[0-9]+(,[0-9]+)*", counts):
            raise TableError(
                f"layout '{text}': after the slash stand numbers of PEs, e.g. node/1,4")
        nnodes = layout_nodes(layout)
        for npes in map(int, counts.split(",")) if counts else spec.get("pes", []):
            if npes >= nnodes:
                yield layout, npes


def expand(room, spec):
    """One test of a table into its cases: every layout with every number of PEs that fits it."""
    name = f"{room.name}/{spec['name']}"
    found = list(shapes(spec))
    if not found and "pes" not in spec:
        yield Case(name, room, spec)
    for layout, npes in found:
        yield Case(f"{name}/{layout}/{npes}", room, spec, npes, layout)


def in_modes(spec):
    """A test of several thread modes of GASNet is several tests."""
    modes = spec.pop("modes", None)
    if modes is None:
        yield spec
        return
    for mode in modes:
        yield spec | {"name": f"{spec.get('name')}_{mode.lower()}",
                      "cflags": [f"-DGASNET_{mode}=1", *spec.get("cflags", [])]}


def read_table(path):
    room = path.parent
    with path.open("rb") as f:
        try:
            table = tomllib.load(f)
        except tomllib.TOMLDecodeError as e:
            raise TableError(f"{path}: {e}") from e
    defaults = table.get("defaults", {})
    check_spec(f"{path} [defaults]", defaults)
    seen = set()
    for spec in table.get("test", []):
        where = f"{path} test '{spec.get('name', '?')}'"
        check_spec(where, spec)
        if sum(key in defaults | spec for key in ("source", "sources", "program", "script")) != 1:
            raise TableError(f"{where}: give exactly one of source, sources, program, script")
        merged = DEFAULTS | defaults | spec
        merged["env"] = defaults.get("env", {}) | spec.get("env", {})
        for one in in_modes(merged):
            if one.get("name") in (None, *seen):
                raise TableError(f"{where}: a test needs a name of its own")
            seen.add(one["name"])
            yield from expand(room, one)


def nearest(text, cases):
    parts = [c.ident.split("/") for c in cases]
    names = {p[0] for p in parts} | {p[1] for p in parts} | {f"{p[0]}/{p[1]}" for p in parts}
    found = difflib.get_close_matches(text, sorted(names), 1)
    return f"; did you mean {found[0]}?" if found else ""


def collect(filters):
    cases = []
    for path in sorted(ROOT.glob("tests/*/tests.toml")):
        cases.extend(read_table(path))
    if not filters:
        return cases
    chosen = [[c for c in cases if f in c.ident or fnmatch.fnmatch(c.ident, f)] for f in filters]
    for text, found in zip(filters, chosen):
        if not found:
            raise TableError(f"no test matches {text}{nearest(text, cases)}")
    wanted = {c.ident for found in chosen for c in found}
    return [c for c in cases if c.ident in wanted]


# ---------------------------------------------------------------- what a case runs

def have_namespaces():
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", "-n", "-m", "-u", "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).returncode == 0


def missing_coarrays():
    """Why there are no coarrays here, or None: the library has what gfortran 12 to 16 call."""
    compiler = shutil.which(os.environ.get("CAF_FC", "gfortran"))
    if not compiler:
        return "needs gfortran"
    done = subprocess.run([compiler, "-dumpversion"], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, text=True)
    version = done.stdout.strip()
    return None if version.split(".")[0] in ("12", "13", "14", "15", "16") else (
        f"needs gfortran 12 to 16, and this one is {version or 'unknown'}")


def missing_need(need, options):
    """Reason why a need is not met, or None."""
    if need == "root":
        return None if os.geteuid() == 0 else "needs root"
    if need == "namespaces":
        return None if have_namespaces() else "needs the right to make network namespaces"
    if need == "libfabric":
        library = os.environ.get("CAUSEWAY_LIBFABRIC", "libfabric.so.1")
        if options.arch:  # not to be loaded into this process
            return None if Path(library).exists() else f"needs libfabric for {options.arch}"
        try:
            ctypes.CDLL(library)
            return None
        except OSError:
            return "needs libfabric"
    if need.startswith("ram:"):  # ram:GIB of available memory
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return (None if int(line.split()[1]) >= float(need[4:]) * 2**20
                        else f"needs {need[4:]} GiB of memory")
    if need == "prif":
        return (None if (options.stage / "lib/libprif_causeway.so").exists()
                else "needs a build with the module prif")
    if need == "coarrays":
        return missing_coarrays()
    return None if shutil.which(need) else f"needs {need}"


def mode_of(case):
    """rdm, msg, mpich or openmpi; None: one node."""
    match = LAYOUT.match(case.layout)
    return match and match["mode"]


def over_mpi(cases, mpi):
    """The cases of several nodes, on that MPI's windows instead."""
    chosen = {}
    for case in cases:
        match = LAYOUT.match(case.layout)
        if not match or match["mode"] in MPI or not case.spec["mpi"] or case.spec.get("oshrun"):
            continue
        layout = f"{match['nodes']}nodes-{mpi}"
        ident = case.ident.replace(f"/{case.layout}/", f"/{layout}/")
        chosen[ident] = replace(case, ident=ident, layout=layout)
    return list(chosen.values())


def sources_of(case):
    return [(case.room / s).resolve() for s in case.spec.get("sources", [case.spec.get("source")])]


def program_of(case, options):
    """Where the case's program is built: one place for all cases, of any room, with the same
    sources, flags and libraries."""
    sources = sources_of(case)
    what = [*map(str, sources), *case.spec.get("cflags", []), "and", *case.spec.get("libs", [])]
    digest = hashlib.sha256("\0".join(what).encode()).hexdigest()[:8]
    return options.build / "tests-bin" / sources[0].parent.name / f"{sources[0].stem}-{digest}"


def compile_source(case, options):
    """Builds the case's source with the staged oshcc, once. Returns (program, error)."""
    program = program_of(case, options)
    with options.guard:
        built = options.programs.setdefault(program, Program())
    with built.lock:
        if not built.tried:
            start = time.monotonic()
            built.tried, built.error = True, compile_now(case, options, program)
            built.seconds = time.monotonic() - start
    return (None, built.error) if built.error else (program, None)


def compile_now(case, options, program):
    """None, or the compiler's message; nothing to do if the program is newer than all that it is
    made of."""
    inputs = [*sources_of(case), *(h for s in sources_of(case) for h in s.parent.glob("*.h")),
              *TESTS.glob("frame/*.h"),
              *(options.stage / "include").rglob("*.h"), options.stage / "lib/libcauseway.so"]
    if program.exists():
        made = program.stat().st_mtime
        if all(p.stat().st_mtime <= made for p in inputs if p.exists()):
            return None
    program.parent.mkdir(parents=True, exist_ok=True)
    sources = sources_of(case)
    wrapper = case.spec.get("compiler") or WRAPPERS.get(sources[0].suffix, "oshcc")
    compiler = options.stage / "bin" / wrapper
    command = [str(compiler), "-O2", "-g", "-Wall", "-Wextra", "-Werror", f"-I{TESTS}",
               *case.spec.get("cflags", []), "-o", str(program), *map(str, sources),
               *case.spec.get("libs", [])]
    folder = None
    if sources[0].suffix.lower() == ".f90":
        # A compiler leaves modules where it runs, and reads them there before others: two programs
        # with modules of one name must not meet.
        folder = program.with_name(program.name + ".modules")
        folder.mkdir(exist_ok=True)
    if options.arch:
        command += EMULATED_LINK
    if options.sanitize:
        command[1:1] = ["-fsanitize=address,undefined" if options.sanitize == "address"
                        else "-fsanitize=thread"]
    env = os.environ | ({"OSHCC_CC": f"{options.arch}-linux-gnu-gcc"} if options.arch else {})
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", env=env,
                          check=False, cwd=folder)
    if done.returncode != 0:
        program.unlink(missing_ok=True)
        return " ".join(command) + "\n" + done.stdout
    return None


def base_command(case, options):
    """The program or script itself, without a launcher. Returns (command, error)."""
    spec = case.spec
    if "script" in spec:
        path = case.room / spec["script"]
        if path.suffix == ".py":
            return [sys.executable, str(path)], None
        return ["bash", str(path)], None
    emulator = ([f"qemu-{options.arch}-static", "-L", f"/usr/{options.arch}-linux-gnu"]
                if options.arch else [])
    if "program" in spec:
        path = options.build / "tests" / case.room.name / spec["program"]
        return ([*emulator, str(path)], None) if path.exists() else (None, f"{path} was not built")
    program, error = compile_source(case, options)
    return ([*emulator, str(program)] if program else None), error


def mpi_launcher(npes, nnodes, mpi, env):
    """The launcher of an MPI, with oshrun's distribution of PEs over emulated nodes."""
    env |= {"CAUSEWAY_TRANSPORT": "mpi", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl_base_warn_component_unused": "0"}
    nodes = [f"node{k}" for k in range(nnodes)
             for _ in range(npes // nnodes + (k < npes % nnodes))]
    return [*MPI[mpi], "-n", str(npes), "sh", "-c", NODE_OF_RANK, "sh", *nodes, "--"]


def launcher(case, options, env):
    """Command prefix that starts npes copies in the case's layout; may add to env."""
    if case.npes is None:
        return []
    n = str(case.npes)
    if case.layout == "hydra":
        return ["mpiexec.hydra", "-n", n]
    stage = ROOT / "build/stage" if options.arch else options.stage  # the launcher is not emulated
    command = [str(stage / "bin/oshrun"), "-np", n, *case.spec.get("oshrun", [])]
    match = LAYOUT.match(case.layout)
    if match and match["mode"] in MPI:
        return mpi_launcher(case.npes, int(match["nodes"]), match["mode"], env)
    if match:
        command += ["--emulate-nodes", match["nodes"]]
        env["CAUSEWAY_ENDPOINT"] = match["mode"]
        if match["provider"]:
            env["CAUSEWAY_PROVIDER"] = PROVIDERS.get(match["provider"], match["provider"])
    return command


def environment(case, options, token):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CAUSEWAY_", "SHMEM_", "SMA_"))}
    for name in ("CAUSEWAY_LIBFABRIC", "CAUSEWAY_AGGREGATE"):
        if name in os.environ:
            env[name] = os.environ[name]
    env["PATH"] = f"{options.stage / 'bin'}:{env.get('PATH', '/usr/bin:/bin')}"
    env["LC_ALL"] = "C.UTF-8"
    # marks every process of the case, whatever group it moves to
    env["CAUSEWAY_TEST_TOKEN"] = token
    env["CAUSEWAY_TEST_STAGE"] = str(options.stage)
    env["CAUSEWAY_TEST_BUILD"] = str(options.build)
    env["CAUSEWAY_TEST_SOURCE"] = str(ROOT)
    env["CAUSEWAY_TEST_SANITIZE"] = options.sanitize or ""
    env["PYTHONPATH"] = f"{TESTS}:{env['PYTHONPATH']}" if env.get("PYTHONPATH") else str(TESTS)
    if options.sanitize:
        env["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=0:exitcode=99"
        known = ROOT / "tools/suppressions/tsan.supp"
        env["TSAN_OPTIONS"] = f"exitcode=99:history_size=7:suppressions={known}"
        env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1:exitcode=99"
    return env


# ---------------------------------------------------------------- running

def is_in_exec(pid):
    """Has no environment, being neither a zombie nor a thread of the kernel: it is just being
    replaced by a program."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0] not in "ZX" and fields[1] not in ("0", "2")


def environment_of(pid):
    for _ in range(20):
        with open(f"/proc/{pid}/environ", "rb") as f:
            environment = f.read()
        if environment or not is_in_exec(pid):
            break
        time.sleep(0.005)
    return environment.split(b"\0")


def processes_with(token):
    """Pids of live processes that carry the token in their environment."""
    mark = f"CAUSEWAY_TEST_TOKEN={token}".encode()
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and mark in environment_of(entry):
                found.append(int(entry))
        except OSError:
            continue
    return found


def kill_all(token):
    for sig, patience in ((signal.SIGTERM, 1.0), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + patience
        for pid in processes_with(token):
            try:
                os.kill(pid, sig)
            except ProcessLookupError:
                pass
        while processes_with(token) and time.monotonic() < deadline:
            time.sleep(0.05)


def wait_gone(token, seconds):
    """Names of processes still there after a grace period."""
    deadline = time.monotonic() + seconds
    while (left := processes_with(token)) and time.monotonic() < deadline:
        time.sleep(0.02)
    names = []
    for pid in left:
        try:
            names.append(Path(f"/proc/{pid}/comm").read_text().strip())
        except OSError:
            pass
    return names


def judge(spec, status, output):
    """(verdict, reason) of a case that ended by itself."""
    if status == SKIP_STATUS:
        match = re.search(r"SKIP: *(.*)", output)
        return (("SKIP", match[1])
                if match else ("FAIL", f"exit status {SKIP_STATUS} without a line 'SKIP: reason'"))
    wanted = spec["exit"]
    shown = (f"signal {-status} ({signal.strsignal(-status)})"
             if status < 0 else f"exit status {status}")
    if wanted == "nonzero":
        if status == 0:
            return "FAIL", "exit status 0, expected a failure"
        if status < 0:
            return "FAIL", f"{shown}, expected a non-zero exit status"
    elif status != wanted:
        return "FAIL", f"{shown}, expected {wanted}"
    expected = [re.compile(e, re.M) for e in spec.get("expect", [])]
    for pattern in expected:
        if not pattern.search(output):
            return "FAIL", f"output does not match '{pattern.pattern}'"
    for pattern in spec.get("forbid", []):
        if match := re.search(pattern, output, re.M):
            return "FAIL", f"output matches forbidden '{pattern}': {match[0]!r}"
    excused = expected + [re.compile(a) for a in spec.get("allow", [])]
    for line in output.splitlines():
        if any(e.search(line) for e in excused):
            continue
        if FAILURE_WORDS.search(line) or (wanted == 0 and OWN_ERROR.search(line)):
            return "FAIL", f"output speaks of failure: {line.strip()[:200]}"
    return "PASS", ""


def try_watched(case, options):
    """The result, and for a failure how many seconds the machine stood still meanwhile. An error of
    the runner is a failure of the case and not the end of the run."""
    start = time.monotonic()
    try:
        result = try_case(case, options)
    except Exception:  # noqa: BLE001
        result = Result(case, "FAIL", "the runner itself failed", traceback.format_exc())
    failed = result.verdict == "FAIL"
    return result, options.halts.seconds(start, time.monotonic()) if failed else 0


def run_case(case, options):
    """A case that fails while the machine stands still, where limits of time pass in which no
    process runs, has shown nothing: it runs again."""
    result, still = try_watched(case, options)
    for _ in range(RUNS_AGAIN):
        if still:
            print(f"{case.ident} runs again: the machine stood still for {still:.0f} s; it had "
                  f"ended with: {result.reason}", flush=True)
            result, still = try_watched(case, options)
    return result


def not_for_emulation(case):
    """Reason why a case cannot run under an emulator of the processor, or None."""
    spec = case.spec
    if "script" in spec:
        return "scripts run programs of this machine"
    if case.layout == "hydra" or mode_of(case) in MPI:
        return "oshrun starts the emulated programs"
    if "program" in spec and case.npes:
        return "programs that meson links have no fixed address"
    if any(Path(s).suffix != ".c" for s in spec.get("sources", [spec.get("source", "program.c")])):
        return "emulation has no C++ compiler"
    return None


def try_case(case, options):
    spec = case.spec
    if options.sanitize and not spec["sanitize"]:
        return Result(case, "SKIP", "not made for sanitizers")
    if options.arch and (reason := not_for_emulation(case)):
        return Result(case, "SKIP", reason)
    needs = list(spec.get("needs", [])) + (["mpiexec.hydra"] if case.layout == "hydra" else [])
    if (mode := mode_of(case)) in MPI:
        needs = [n for n in needs if n != "libfabric"] + [MPI[mode][0]]
        plugin = options.stage / f"lib/causeway/mpi-{mode}.so"
        if not plugin.exists():
            return Result(case, "SKIP", f"no plugin for {mode}: mpicc.{mode} was not there")
    elif mode:
        needs.append("libfabric")
    for need in needs:
        if reason := missing_need(need, options):
            return Result(case, "SKIP", reason)
    command, error = base_command(case, options)
    if error:
        return Result(case, "FAIL", "could not be built", error)
    token = f"{os.getpid()}.{next(CASE_NUMBER)}.{time.monotonic_ns()}"
    env = environment(case, options, token)
    command = launcher(case, options, env) + command + [str(a) for a in spec.get("args", [])]
    for key, value in spec["env"].items():
        env[key] = str(value).replace("{build}", str(options.build))
    ACTIVE.add(token)
    try:
        return run_command(case, command, env, token, spec["timeout"] * options.scale)
    finally:
        ACTIVE.discard(token)


def run_command(case, command, env, token, timeout):
    start = time.monotonic()
    stdin = case.spec.get("stdin")
    with tempfile.TemporaryDirectory(
        prefix="causeway-test-") as scratch, tempfile.TemporaryFile() as out:
        env["TMPDIR"] = scratch
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE if stdin is not None
                                       else subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.STDOUT, env=env, cwd=scratch,
                                       start_new_session=True)
        except OSError as e:
            return Result(case, "FAIL", f"cannot start {command[0]}: {e.strerror}")
        timed_out = False
        try:
            process.communicate(stdin.encode() if stdin is not None else None, timeout=timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            if "script" in case.spec:  # its own time limits would end what is looked at
                process.send_signal(signal.SIGSTOP)
            stood = stacks.of(processes_with(token))
            process.send_signal(signal.SIGCONT)
            kill_all(token)
            process.wait()
        left = wait_gone(token, 2.0)
        if left:
            kill_all(token)
        out.seek(0)
        output = out.read().decode(errors="replace")
        litter = sorted(p.name for p in Path(scratch).glob("causeway*"))
    seconds = time.monotonic() - start
    if timed_out:
        verdict, reason = "FAIL", f"no end after {timeout:g} s; all its processes were killed"
        output += stood
    else:
        verdict, reason = judge(case.spec, process.returncode, output)
        if verdict == "PASS" and left:
            verdict, reason = "FAIL", f"left processes behind: {', '.join(left)}"
        if verdict == "PASS" and litter:
            verdict, reason = "FAIL", f"left files behind: {', '.join(litter)}"
    if verdict == "FAIL":
        output = f"$ {' '.join(command)}\n{output}"
    return Result(case, verdict, reason, output, seconds)


# ---------------------------------------------------------------- the run

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filters", nargs="*",
                        help="run only cases whose name contains or matches one of these")
    parser.add_argument("--build", type=Path, default=ROOT / "build",
                        help="meson's build directory")
    parser.add_argument("--stage", type=Path,
                        help="install tree (default: stage in the build directory)")
    parser.add_argument("-j", "--jobs", type=int, default=JOBS,
                        help=f"cases at a time (default {JOBS}, by the cores)")
    parser.add_argument("--sanitize", choices=["address", "thread"],
                        help="what the build was sanitized for")
    parser.add_argument("--arch", choices=["aarch64"],
                        help="what the build was cross-compiled for; programs run emulated")
    parser.add_argument("--transport", choices=sorted(MPI),
                        help="only the cases of several nodes, on that MPI's windows")
    parser.add_argument("--slow", action="store_true", help="also the cases marked slow")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="run everything N times")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--check-filters", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--durations", type=int, metavar="N", help="show the N slowest cases")
    parser.add_argument("--junit", type=Path, metavar="FILE",
                        help="also write the results as JUnit's XML")
    parser.add_argument("-v", "--verbose", action="store_true", help="one line per case")
    return parser.parse_args()


def main():
    args = parse_arguments()
    try:
        cases = collect(args.filters)
    except TableError as e:
        print(f"tests/run.py: {e}\n0 passed, 1 failed", flush=True)
        return 2
    if args.transport:
        cases = over_mpi(cases, args.transport)
    if not args.slow:
        cases = [c for c in cases if not c.spec["slow"]]
    if args.list or args.check_filters:
        if args.list:
            print("\n".join(c.ident for c in cases))
        return 0
    if not cases:
        print(f"tests/run.py: no test matches {' '.join(args.filters)}\n0 passed, 1 failed",
              flush=True)
        return 2
    cases *= args.repeat
    build = args.build.resolve()
    stage = (args.stage or build / "stage").resolve()
    scale = float(os.environ.get("TEST_TIMEOUT_SCALE", "4" if args.sanitize or args.arch else "1"))
    options = Options(build, stage, args.sanitize, args.arch, scale, args.verbose)
    report = Report(len(cases), args.verbose)
    # a shell ignores it for what it runs in the background
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        run_all(cases, options, report, max(1, args.jobs))
    except KeyboardInterrupt:
        for token in list(ACTIVE):
            kill_all(token)
        deadline = time.monotonic() + 5
        while ACTIVE and time.monotonic() < deadline:  # workers remove their scratch directories
            time.sleep(0.02)
        if args.junit:
            report.junit(args.junit, interrupted=True)
        report.summary(interrupted=True)
        os._exit(130)  # workers of the pool are not waited for
    if args.durations:
        report.durations(args.durations, len(options.programs),
                         sum(p.seconds for p in options.programs.values()))
    if args.junit:
        report.junit(args.junit)
    return report.summary()


def interrupt(*_):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # once is enough: clearing up takes a second
    raise KeyboardInterrupt


def compiled(case, options):
    """True if the runner compiles the case's program, and the case will run."""
    spec = case.spec
    return not ("script" in spec or "program" in spec or (options.sanitize and not spec["sanitize"])
                or (options.arch and not_for_emulation(case)))


def run_all(cases, options, report, jobs):
    """Compiles what is needed, then runs: long cases first, those that wait beside the others; at
    the end the exclusive ones that wait, beside each other, and the other exclusive ones alone."""
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    waiting = concurrent.futures.ThreadPoolExecutor(WAITING)
    shared = sorted((c for c in cases if not c.spec["exclusive"]), key=lambda c: -c.spec["timeout"])
    try:
        futures = [waiting.submit(run_case, c, options) for c in shared if c.spec["waits"]]
        programs = {program_of(c, options): c for c in shared if compiled(c, options)}
        for case in programs.values():
            pool.submit(compile_source, case, options)
        futures += [pool.submit(run_case, c, options) for c in shared if not c.spec["waits"]]
        for future in concurrent.futures.as_completed(futures):
            report.add(future.result())
        quiet = sorted((c for c in cases if c.spec["exclusive"] and c.spec["waits"]),
                       key=lambda c: -c.spec["timeout"])
        futures = [waiting.submit(run_case, c, options) for c in quiet]
        for future in concurrent.futures.as_completed(futures):
            report.add(future.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        waiting.shutdown(wait=False, cancel_futures=True)
    for case in cases:
        if case.spec["exclusive"] and not case.spec["waits"]:
            report.add(run_case(case, options))


if __name__ == "__main__":
    sys.exit(main())
