# SPDX-License-Identifier: BSD-3-Clause
"""The limits that the study checks, judged by the measurements. A limit is no test: nothing
fails."""

import math
import statistics
from dataclasses import dataclass

from .calibrate import good_rows


@dataclass
class Limit:
    what: str
    asked: str
    seen: str  # "" when it was not measured
    met: bool | None


def _median(rows, figure):
    values = [figure(row) for row in rows]
    return statistics.median(values) if values else None


def _shape(nodes):
    return "1 node" if nodes == 1 else f"{nodes} nodes"


def growth(document):
    """On demand against the bare launch, from the smallest size to the largest, per kind of job: as
    a ratio of totals, and by the cost of each further PE. The time is that of the median PE in
    shmem_init; the slowest PE and the whole job are shown beside it."""
    for nodes in (1, 16):
        init = {
            row["npes"]
            for row in good_rows(document, "init", nodes=nodes, mode="ondemand", endpoint="msg")
        }
        sizes = sorted(n for n in init
                       if n <= 256 and good_rows(document, "hello", what="fork+exec", npes=n))
        name = f"init time on demand grows no faster than launch itself, {_shape(nodes)}"
        if len(sizes) < 2:
            yield Limit(name, "2 to 256 PEs", "", None)
            continue
        few, many = sizes[0], sizes[-1]

        def at(figure, section, **key):
            return [
                _median(good_rows(document, section, npes=n, **key), figure) for n in (few, many)
            ]

        own, slowest = (at(lambda row, w=which: row["init_us"][w] / 1e3, "init", nodes=nodes,
                           mode="ondemand", endpoint="msg") for which in ("median", "max"))
        bare = at(lambda row: row["wall_ms"], "hello", what="fork+exec")
        whole = at(lambda row: row["wall_ms"], "hello", what="causeway", nodes=nodes)
        a, b = own[1] / own[0], bare[1] / bare[0]
        hello = ""
        if None not in whole:
            hello = f"; hello from launch to end {whole[1] / whole[0]:.1f} ×"
        yield Limit(
            name, "growth ≤ that of fork + exec",
            f"from {few} to {many} PEs: {a:.1f} × against {b:.1f} × ({own[0]:.2f} ms, then "
            f"{own[1]:.2f} ms; the slowest PE "
            f"{slowest[0]:.2f} ms, then {slowest[1]:.2f} ms{hello})", a <= b)
        c, d = ((y[1] - y[0]) / (many - few) * 1e3 for y in (own, bare))
        yield Limit(f"the same by the cost of each further PE, {_shape(nodes)}",
                    "≤ that of fork + exec",
                    f"{few} to {many} PEs: {c:.1f} µs a PE against {d:.0f} µs", c <= d)  # fmt: skip


def static_against_ondemand(document):
    npes, nodes = 256, 16
    times = [
        _median(good_rows(document, "init", npes=npes, nodes=nodes, mode=mode, endpoint="msg"),
                lambda row: row["init_us"]["median"]) for mode in ("ondemand", "static")
    ]
    known = None not in times
    yield Limit(
        f"init on demand against static, {npes} PEs on {nodes} nodes (msg)", "≥ 10 × faster",
        f"{times[1] / times[0]:.0f} × ({times[0] / 1e3:.1f} ms against {times[1] / 1e3:.0f} ms)"
        if known else "", times[1] >= 10 * times[0] if known else None)


def stencil(document):
    npes, nodes = 64, 16
    rows = {
        mode: good_rows(document, "peers", program="stencil", npes=npes, nodes=nodes, mode=mode)
        for mode in ("ondemand", "static")
    }
    sums = {mode: some[0]["connections"]["sum"] for mode, some in rows.items() if some}
    mesh = npes * (npes - 1)
    for against, limit, total in (("a mesh of processes", 0.05, mesh), ("the static mode", 0.2,
                                                                        sums.get("static"))):
        share = sums["ondemand"] / total if "ondemand" in sums and total else None
        yield Limit(
            f"connections of a 4-neighbour stencil, {npes} PEs on {nodes} nodes, against {against}",
            f"≤ {limit:.0%}",
            "" if share is None else f"{share:.1%} ({sums['ondemand']} of {total})",
            None if share is None else share <= limit)


def interval(values):
    """The median's 95 % confidence interval, from the order of the values alone, without an
    assumption about the distribution of the noise."""
    ordered, n = sorted(values), len(values)
    tail, k = 0.5**n, 0
    # the probability that fewer than k + 1 of n values are below the median
    while k < n and tail <= 0.025:
        k += 1
        tail += math.comb(n, k) * 0.5**n
    return (ordered[k - 1], ordered[n - k]) if k else (ordered[0], ordered[-1])


LATENCY = 0.03  # how far on demand may be behind static, once connected


@dataclass
class Compared:
    """An operation on demand against static: ratios of pairs of jobs."""
    op: str
    endpoint: str
    pairs: int
    middle: float  # the median
    low: float     # its interval
    high: float


def compare_latencies(document):
    """Of pairs of jobs that ran one after the other, so that a disturbance of some seconds affects
    both."""
    rows = good_rows(document, "latency")
    for op, endpoint in dict.fromkeys((row["op"], row["endpoint"]) for row in rows):
        static = {
            row["round"]: row["ns"]
            for row in good_rows(document, "latency", op=op, endpoint=endpoint, mode="static")
        }
        ratios = [
            row["ns"] / static[row["round"]]
            for row in good_rows(document, "latency", op=op, endpoint=endpoint, mode="ondemand")
            if row["round"] in static
        ]
        if ratios:
            yield Compared(op, endpoint, len(ratios), statistics.median(ratios), *interval(ratios))


def latency(document):
    for c in compare_latencies(document):
        # Fewer pairs do not allow that confidence.
        sure = "95 % sure" if c.pairs >= 6 else "spread"
        yield Limit(
            f"latency of {c.op} ({c.endpoint}) on demand against static",
            f"within {100 * LATENCY:g} %",
            f"{c.middle - 1:+.1%}, median of {c.pairs} pairs; {sure}: {c.low - 1:+.1%} to "
            f"{c.high - 1:+.1%}",
            abs(c.middle - 1) <= LATENCY)


def overlap(document):
    rows = good_rows(document, "overlap", npes=16, compute_ms=200)
    for nodes in sorted({row["nodes"] for row in rows}):
        waits = [row["phases"]["exchange_wait_us"]["max"] for row in rows if row["nodes"] == nodes]
        yield Limit(
            "wait for the exchange after 200 ms of computing (each PE keeps a processor busy), 16 "
            f"PEs on {nodes} nodes",
            "0",
            f"{statistics.median(waits):.0f} µs at most of all PEs, median of {len(waits)} runs "
            f"(worst {max(waits):.0f})",
            statistics.median(waits) == 0)


def ring(document):
    rows = good_rows(document, "ring", npes=1024)
    yield Limit("1024 PEs on 16 nodes start, pass a token round and end (msg)", "they do",
                f"{rows[0]['wall_ms'] / 1e3:.1f} s from launch to end" if rows else "",
                True if rows else None)


def all_limits(document):
    return [
        limit for judge in (growth, static_against_ondemand, stencil, latency, overlap, ring)
        for limit in judge(document)
    ]
