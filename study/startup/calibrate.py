# SPDX-License-Identifier: BSD-3-Clause
"""Prices for the simulator from small measured runs (at most 32 PEs). Each is a processor time or a
latency that was measured here, or an assumption that is named as one."""

import os
import statistics
import time

LARGEST = 32  # PEs of the runs that calibrate: larger sizes are predicted

# Of the projected machine, not of this one.
ASSUMED = {
    "hop": 2e3,  # ns from node to node
    "message": 2e4,  # ns that a launcher's daemon spends on a message
    "daemon": 2e7,  # ns until a daemon on another host runs
    "bandwidth": 1.0,  # bytes a ns of what the launcher's fence carries
}
MANY = 100  # of what is measured on the spot
CLOCK_MONOTONIC_COARSE = 6  # moves by ticks of the scheduler's clock
SLICE = 7e5  # ns, Linux's base_slice_ns on one processor; doubled processors add as much, up to 8


class NotEnough(Exception):
    """A section is missing, or too small."""


def good_rows(document, name, **key):
    section = document.section(name)
    return [
        row for row in section["rows"]
        if "error" not in row and all(row.get(k) == v for k, v in key.items())
    ] if section else []


def medians(rows, figure, by="npes"):
    """{size: median of the rounds}, of the small sizes."""
    found = {}
    for row in rows:
        value = figure(row)
        if row[by] <= LARGEST and value is not None:
            found.setdefault(row[by], []).append(value)
    return {size: statistics.median(values) for size, values in sorted(found.items())}


def slope(points):
    """Least squares through the points, per unit of x."""
    if len(points) < 2:
        raise NotEnough("a slope needs two sizes")
    mean_x, mean_y = statistics.mean(points), statistics.mean(points.values())
    return max(
        0.0,
        sum((x - mean_x) * (y - mean_y) for x, y in points.items()) / sum(
            (x - mean_x)**2 for x in points))


def two_slopes(rows):
    """a, b >= 0 of y = a u + b v by least squares; rows of (u, v, y)."""
    uu, uv, vv = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    uy, vy = (sum(r[i] * r[2] for r in rows) for i in (0, 1))
    det = uu * vv - uv * uv
    if abs(det) < 1e-9:
        raise NotEnough("static runs of two shapes")
    return max(0.0, (vv * uy - uv * vy) / det), max(0.0, (uu * vy - uv * uy) / det)


def line(points):
    """(intercept, slope) by least squares, neither below 0."""
    b = slope(points)
    return max(0.0, statistics.mean(points.values()) - b * statistics.mean(points)), b


def _whole_jobs(document, what):
    """{(PEs, nodes): processor ns of a whole job that collects no statistics}, small ones."""
    found = {}
    for row in good_rows(document, "hello", what=what):
        if row["npes"] <= LARGEST:
            found.setdefault((row["npes"], row["nodes"]), []).append(row["cpu_ms"] * 1e6)
    return {shape: statistics.median(values) for shape, values in sorted(found.items())}


def _connections(document, mode):
    """{(PEs, nodes): connections of a job}."""
    return {(row["npes"], row["nodes"]): row["connections"]["sum"]
            for row in good_rows(document, "init", endpoint="msg", mode=mode)}


def _static_against_ondemand(document):
    """(PEs that open a client more, connections more, processor ns more) of each small shape."""
    few, all_of_them = (_whole_jobs(document, what) for what in ("causeway", "static"))
    out = []
    for shape in sorted(set(few) & set(all_of_them)):
        made = [_connections(document, mode).get(shape) for mode in ("ondemand", "static")]
        if None not in made:
            out.append((shape[0] - shape[1], made[1] - made[0], all_of_them[shape] - few[shape]))
    if len(out) < 2:
        raise NotEnough("static runs of two shapes")
    return out


def _of_a_node(document):
    """(processor ns, connections) that each of several nodes adds to a small job."""
    jobs, made = _whole_jobs(document, "causeway"), _connections(document, "ondemand")
    out = [((ns - jobs[npes, 1]) / nodes, made.get((npes, nodes), 0) / nodes)
           for (npes, nodes), ns in jobs.items() if nodes > 1 and (npes, 1) in jobs]
    if not out:
        raise NotEnough("a job of several nodes")
    return tuple(statistics.median(column) for column in zip(*out))


def uncharged(rows, cores):
    """Core ns of each PE of a small job that no process is charged with: what the processors had
    from launch to end, less the processor time of launcher and PEs. What does not grow with the
    PEs, as a launcher alone on one of two processors, is not in it."""
    return slope(medians(rows, lambda row: cores * row["wall_ms"] - row["cpu_ms"])) * 1e6


def starts():
    """(ns of a parent, of its child) until a new process is on its way to exec and has left the
    memory that both share, which posix_spawn waits for; on one processor."""
    cpus, taken = os.sched_getaffinity(0), []
    os.sched_setaffinity(0, {min(cpus)})
    try:
        for _ in range(MANY):
            begin, own = time.perf_counter_ns(), time.process_time_ns()
            child = os.posix_spawn("/bin/true", ["true"], {})
            own = time.process_time_ns() - own
            taken.append((own, time.perf_counter_ns() - begin - own))
            os.waitpid(child, 0)
    finally:
        os.sched_setaffinity(0, cpus)
    return tuple(statistics.median(column) for column in zip(*taken))


def look():
    """ns that a thread takes to wake up and to sleep again."""
    begin = time.process_time_ns()
    for _ in range(MANY):
        time.sleep(2e-4)
    return (time.process_time_ns() - begin) / MANY


def prices(document):
    """Nanoseconds, by the simulator's names, of this machine."""
    floor = good_rows(document, "hello", nodes=1, what="fork+exec")
    ours = good_rows(document, "hello", nodes=1, what="causeway")
    if not floor or not any("init_us" in row and row["npes"] <= LARGEST for row in ours):
        raise NotEnough("sections hello and init")
    spawn = slope(medians(ours, lambda row: row.get("launcher_cpu_ms"))) * 1e6
    start, whole = (1e6 * ms for ms in line(medians(ours, lambda row: row["cpu_ms"])))
    whole -= spawn
    bare = slope(medians(floor, lambda row: row["cpu_ms"] -
                         (row.get("launcher_cpu_ms") or 0))) * 1e6
    inits = medians(ours, lambda row: row.get("init_us", {}).get("median"))
    join = min(inits[max(inits)] * 1e3, whole)  # half of the PEs have waited for nothing
    execed = min(bare, whole - join)
    parent, seat = starts()
    parent, seat = min(parent, spawn), min(seat, execed)
    opened, connection = two_slopes(_static_against_ondemand(document))
    node, made = _of_a_node(document)
    several = good_rows(document, "init", mode="ondemand", endpoint="msg")
    few = min((row["npes"], row["nodes"]) for row in several if row["nodes"] > 1)
    few_rows = [row for row in several if (row["npes"], row["nodes"]) == few]
    endpoint = statistics.median(row["phases"]["endpoint_us"]["max"] for row in few_rows) * 1e3
    loading = statistics.median(row["phases"]["fabric_load_us"]["max"] for row in few_rows) * 1e3
    client = min(endpoint / 2, opened)
    load = opened - client
    beside = max(1.0, few[1] / 2)  # processes that load at once, a core
    bare_few = good_rows(document, "hello", what="causeway", npes=few[0], nodes=few[1])
    if not bare_few:
        raise NotEnough(f"hello of {few[0]} PEs on {few[1]} nodes")
    entered = statistics.median(row["init_us"]["median"] for row in bare_few) * 1e3
    begin = min(max(0.0, entered - join) / beside, load)
    round_trip = [
        row["ns"]
        for row in good_rows(document, "latency", op="get", mode="ondemand", endpoint="msg")
    ]
    return {
        "start": start,
        "spawn": parent,
        "reap": spawn - parent,
        "seat": seat,
        "exec": execed - seat,
        "kernel": uncharged(ours, len(os.sched_getaffinity(0))),
        "join": join,
        "leave": whole - join - execed,
        "wake": 0.0,
        "look": look(),
        "serve": 0.0,
        "shut": max(0.0, node - load - endpoint / 2 - made * connection),
        "begin": begin,
        "load": load - begin,
        "load_wait": max(0.0, loading - load * beside),
        "listen": endpoint / 2,
        "open": client,
        "connect": connection / 2,
        "accept": connection / 2,
        "hop": statistics.median(round_trip) / 2 if round_trip else ASSUMED["hop"],
        "tick": time.clock_getres(CLOCK_MONOTONIC_COARSE) * 1e9,
        "phase": 0.0,
        "slice": SLICE * min(8, os.cpu_count()).bit_length(),
        # of launchers across hosts: not on this machine
        "message": 0.0,
        "daemon": 0.0,
        "bandwidth": 1.0,
    }


HOW = {
    "start": "processor time of a job (hello, one node) less that of its PEs",
    "spawn": "posix_spawn on one processor, its own processor time",
    "reap": "launcher's own processor time per PE (hello, one node), less that",
    "seat": "the rest of what posix_spawn takes: the new process is on its way to exec",
    "exec": "processor time of a plain C program started the same way, less that",
    "kernel": "time of the processors per PE that no process is charged with (hello, one node)",
    "join": f"shmem_init of the median PE of {LARGEST} (hello, one node)",
    "leave": "rest of a PE's processor time",
    "look": "processor time of a thread for a sleep of .2 ms",
    "wake": "not measured separately: in join", "serve": "not measured separately: in listen",
    "shut": "processor time that a node adds to a job, less load, listen and connect",
    "begin": "shmem_init of the smallest job of several nodes, less join: it loads libfabric",
    "load": "processor time of a PE that loads libfabric: static minus on demand, less begin",
    "load_wait": "what loading lasts beyond its processor time: it sleeps",
    "listen": "half of the time for both endpoints of a node server's process",
    "open": "the other half",
    "connect": "half of the processor time per connection: static minus on demand",
    "accept": "the other half", "hop": "half a round trip of get",
    "tick": "of the scheduler's clock", "slice": "assumed: a time slice of Linux by its processors",
}
