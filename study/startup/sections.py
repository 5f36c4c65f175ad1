# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the study. A section is a generator of steps; a step is a key, a launch, and the
figures that are kept of it."""

import contextlib
import sys
from dataclasses import dataclass
from typing import Callable

from . import launchers
from .job import Job, spread
from .programs import WORKLOADS

# Approximate seconds of each section in its full form on an idle machine of two cores; the file of
# a study has the true ones.
COSTS = {
    "hello": 60, "init": 130, "ring": 25, "overlap": 40, "latency": 80, "peers": 120,
    "launchers": 80, "endtoend": 150, "sim": 45
}


@dataclass
class Step:
    key: dict  # distinguishes this row from the others of its section
    make: Callable[[], Job]
    keep: Callable[[Job], dict]


class Context:
    """The paths that a section needs."""

    def __init__(self, stage, builder, quick, most=1024):
        self.stage, self.builder, self.quick = stage, builder, quick
        self.most = most  # PEs of a job

    def program(self, name, tag="causeway"):
        return self.builder.path(tag, name)

    def job(self, npes, nodes, program, args=(), env=None, timeout=300, stats=False,
            endpoint="msg"):
        where = {"CAUSEWAY_ENDPOINT": endpoint} if nodes > 1 else {}
        if npes > 64:
            # So many processes that all load libfabric take long to start.
            where["CAUSEWAY_TIMEOUT"] = "240"
        command = [*launchers.oshrun(self.stage, npes, nodes), self.program(program), *args]
        return Job(command, npes, {**where, **(env or {})}, timeout, stats)


def wall(job):
    launcher = {} if job.launcher_cpu is None else {
        "launcher_cpu_ms": round(job.launcher_cpu * 1e3, 3)
    }
    return {"wall_ms": round(job.seconds * 1e3, 2), "cpu_ms": round(job.cpu * 1e3, 1), **launcher}


def wall_and_init(job):
    return {**wall(job), **({"init_us": spread(job.init_us)} if job.init_us else {})}


def figures(job):
    return {**wall(job), **job.figures()}


def rounds_of(npes, quick):
    return 1 if quick else 5 if npes <= 32 else 3


def in_rounds(shapes, quick, most=5):
    """(round, shape) of shapes (nodes, npes), one round of all after another: the speed of a
    machine drifts by a quarter within minutes, and so it does for all shapes alike."""
    return ((number, shape) for number in range(most) for shape in shapes
            if number < rounds_of(shape[1], quick))


def sizes(quick, nodes, most):
    if quick:
        return [n for n in (2, 8, 32) if nodes <= n <= most]
    return [n for n in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if nodes <= n <= most]


MODES = {
    "ondemand": {},
    "blocking": {"CAUSEWAY_EXCHANGE": "blocking"},
    "static": {"CAUSEWAY_CONNECT": "static"},
}
MOST_STATIC = 256  # PEs; larger sizes take minutes and gigabytes


def shapes_of(c):
    return [(nodes, npes) for nodes in ((1, 4) if c.quick else (1, 4, 16))
            for npes in sizes(c.quick, nodes, c.most)]


def hello(c):
    """Wall time of a program that prints hello, and its time in shmem_init, beside plain fork and
    exec as the lower limit, with a blocking exchange, and with all connections made at the
    start."""
    plain = c.program("plain", "baseline")
    for number, (nodes, npes) in in_rounds(shapes_of(c), c.quick):
        key = {"npes": npes, "nodes": nodes, "round": number}
        if nodes == 1:
            floor = [c.program("forkexec", "baseline"), "--program", plain, "--nprocs", str(npes)]
            yield Step({**key, "what": "fork+exec"},
                       lambda f=floor, n=npes: Job(f, n).execute().hellos(), wall)
        yield Step({**key, "what": "causeway"},
                   lambda n=npes, k=nodes: c.job(n, k, "startup").execute().hellos(),
                   wall_and_init)
        for mode in ("blocking", "static") if nodes > 1 else ():
            if mode == "blocking" and number >= 3:
                continue
            if mode == "static" and (npes > MOST_STATIC or (npes > 64 and number > 0)):
                continue
            yield Step({**key, "what": mode},
                       lambda n=npes, k=nodes, e=MODES[mode]: c.job(n, k, "startup", env=e).
                       execute().hellos(), wall_and_init)


def init_modes(npes, nodes, endpoint, number):
    """Of MODES, those that the section measures. On one node there is nothing to connect."""
    yield "ondemand"
    if nodes == 1:
        return
    yield "blocking"
    most = MOST_STATIC if endpoint == "msg" else 64
    if npes <= most and (npes <= 64 or number == 0):
        yield "static"


def init(c):
    """Time in shmem_init, and what a PE has when it prints hello: connections, endpoints,
    memory."""
    for number, (nodes, npes) in in_rounds(shapes_of(c), c.quick, 3):
        both = nodes > 1 and not c.quick and npes in (16, 64, 256)
        for endpoint in ("msg", "rdm") if both else ("msg",):
            for mode in init_modes(npes, nodes, endpoint, number):
                key = {
                    "npes": npes, "nodes": nodes, "mode": mode, "endpoint": endpoint,
                    "round": number
                }
                yield Step(
                    key, lambda n=npes, k=nodes, e=MODES[mode], p=endpoint: c.job(
                        n, k, "startup", env=e, endpoint=p, stats=True).execute().hellos(),
                    figures)


def launching(c):
    """Causeway and Debian's Open MPI OpenSHMEM under the same launchers, one node each."""
    npes_all = (2, 8) if c.quick else (2, 4, 8, 16, 32, 64)
    peer, theirs = launchers.open_mpi()
    sets = [("causeway", c.program("startup"), list(launchers.ours(c.stage)))]
    if peer and (peer.tag, "startup") not in c.builder.missing:
        sets.append(("openmpi", c.program("startup", peer.tag), theirs))
    with contextlib.ExitStack() as stack:
        if not c.quick:  # the daemons take ten seconds to start
            more, why = stack.enter_context(launchers.slurm())
            more = more or [launchers.Launcher("slurm", None, None, why)]
            sets = [(library, program, [*known, *more]) for library, program, known in sets]
        for npes in npes_all:
            for number in range(1 if c.quick else 3 if npes <= 16 else 2):
                for library, program, known in sets:
                    for launcher in known:
                        key = {
                            "library": library, "launcher": launcher.name, "npes": npes,
                            "round": number
                        }
                        yield Step(key, lambda la=launcher, p=program, n=npes: la.start(p, n), wall)


def peers(c):
    """The number of PEs with which a PE of each program exchanges data, and the connections and
    memory that this takes."""
    for npes, nodes in ((8, 4),) if c.quick else ((64, 16),):
        for name, load in WORKLOADS.items():
            for mode in ("ondemand", "static"):
                if c.quick and mode == "static" and name != "stencil":
                    continue
                key = {"program": name, "npes": npes, "nodes": nodes, "mode": mode}
                yield Step(
                    key, lambda w=load, n=npes, k=nodes, e=MODES[mode], p=name: c.job(
                        n, k, p, w.args(c.quick), e, stats=True).execute().verified(), figures)


def endtoend(c):
    """Wall time of each program from launch to end, static against on demand, taking turns."""
    for number in range(1 if c.quick else 6):
        for npes, nodes in ((8, 4),) if c.quick else ((16, 4), (32, 16)):
            for name, load in WORKLOADS.items():
                if c.quick and name not in ("stencil", "ep"):
                    continue
                # A B, then B A: the second of a pair is not always the same.
                for mode in ("ondemand", "static") if number % 2 == 0 else ("static", "ondemand"):
                    key = {
                        "program": name, "npes": npes, "nodes": nodes, "mode": mode, "round": number
                    }
                    yield Step(
                        key, lambda w=load, n=npes, k=nodes, e=MODES[mode], p=name: c.job(
                            n, k, p, w.args(c.quick), e).execute().verified(), wall)


LATENCIES = (("latency", "put_quiet"), ("latency", "get"), ("atomics", "fetch_add"))


def latency(c):
    """Steady-state latency of 8 bytes, static against on demand, taking turns: once made,
    connections are the same."""
    for endpoint in ("msg",) if c.quick else ("msg", "rdm"):
        for program, op in LATENCIES:
            # Many short jobs: how the scheduler places two PEs and two servers on two cores differs
            # by job, not within one.
            for number in range(1 if c.quick else 60):
                # A B, then B A: the second of a pair is not always the same.
                for mode in ("ondemand", "static") if number % 2 == 0 else ("static", "ondemand"):
                    args = ["--only", op, "--max-bytes", "8", "--budget-ms", "20"]
                    key = {"op": op, "endpoint": endpoint, "mode": mode, "round": number}
                    yield Step(
                        key, lambda a=args, p=program, e=MODES[mode], m=endpoint: c.job(
                            2, 2, p, a, e, endpoint=m).execute(),
                        lambda job, o=op: {"ns": job.lines()[o, 8]["median"]})


def overlap(c):
    """The time that the first transfer waits for the exchange of addresses, after none and after
    200 ms of computing."""
    for npes, nodes in ((8, 4),) if c.quick else ((16, 4), (16, 16)):
        for compute_ms in (0, 200):
            for number in range(1 if c.quick else 5):
                key = {"npes": npes, "nodes": nodes, "compute_ms": compute_ms, "round": number}
                yield Step(
                    key, lambda n=npes, k=nodes, ms=compute_ms: c.job(
                        n, k, "ring", ["--mode", str(ms)], stats=True).execute(), figures)


def ring(c):
    """Start, a token passed round all PEs twice, end."""
    for npes, nodes in ((32, 4),) if c.quick else ((64, 16), (256, 16), (1024, 16), (2048, 64),
                                                   (4096, 64), (8192, 64), (16384, 64)):
        if npes > c.most:
            break
        key = {"npes": npes, "nodes": nodes, "endpoint": "msg"}
        yield Step(key, lambda n=npes, k=nodes: c.job(n, k, "ring").execute(),
                   lambda job: {**wall(job), "ring_ms": job.lines()["ring", 0]["median"]})


# The most important first, in case the time runs out.
SECTIONS = {
    "hello": hello, "init": init, "ring": ring, "overlap": overlap, "latency": latency,
    "peers": peers, "launchers": launching, "endtoend": endtoend
}


def measure(name, context, document, section, say):
    """Runs the steps that the document does not have yet."""
    steps = SECTIONS[name](context)
    for step in steps:
        if document.has(section, step.key):
            continue
        label = " ".join(f"{k}={v}" for k, v in step.key.items())
        job = step.make()
        row = dict(step.key)
        if job.error:
            row["error"] = job.error
        else:
            try:
                row.update(step.keep(job))
            except (KeyError, IndexError) as problem:
                row["error"] = f"no figure {problem}"
        document.add(section, row, job.seconds)
        tail = f"FAILED: {row['error']}" if "error" in row and not row["error"].startswith(
            "SKIP") else row.get("error", "")
        say(f"  {name}: {label}: {job.seconds:.2f} s {tail}".rstrip())
        sys.stdout.flush()
