# SPDX-License-Identifier: BSD-3-Clause
"""The bars that the study was made for, judged by what was measured. A bar is no test: nothing fails."""

import statistics
from dataclasses import dataclass

from .calibrate import good_rows


@dataclass
class Bar:
    what: str
    asked: str
    seen: str  # "" when it was not measured
    met: bool | None


def _median(rows, figure):
    values = [figure(row) for row in rows]
    return statistics.median(values) if values else None


def growth(document):
    """On demand against the bare launch, from the smallest size to the largest, per kind of job."""
    for nodes in (1, 16):
        init = {row["npes"] for row in good_rows(document, "init", nodes=nodes, mode="ondemand", endpoint="msg")}
        sizes = sorted(n for n in init if n <= 256 and good_rows(document, "hello", what="fork+exec", npes=n))
        if len(sizes) < 2:
            yield Bar(f"init time on demand grows no faster than fork + exec, {nodes} nodes", "2 to 256 PEs", "", None)
            continue
        ends = sizes[0], sizes[-1]
        own = [_median(good_rows(document, "init", nodes=nodes, mode="ondemand", endpoint="msg", npes=n),
                       lambda row: row["init_us"]["median"]) for n in ends]  # fmt: skip
        bare = [_median(good_rows(document, "hello", what="fork+exec", npes=n), lambda row: row["wall_ms"]) for n in ends]
        a, b = own[1] / own[0], bare[1] / bare[0]
        name = "1 node" if nodes == 1 else f"{nodes} nodes"
        yield Bar(f"init time on demand grows no faster than launch itself, {name}", "growth ≤ that of fork + exec",
                  f"from {ends[0]} to {ends[1]} PEs: {a:.1f} × against {b:.1f} ×", a <= b)  # fmt: skip


def static_against_ondemand(document):
    npes, nodes = 256, 16
    times = [_median(good_rows(document, "init", npes=npes, nodes=nodes, mode=mode, endpoint="msg"), lambda row: row["init_us"]["median"])
             for mode in ("ondemand", "static")]  # fmt: skip
    known = None not in times
    yield Bar(f"init on demand against static, {npes} PEs on {nodes} nodes (msg)", "≥ 10 × faster",
              f"{times[1] / times[0]:.0f} × ({times[0] / 1e3:.1f} ms against {times[1] / 1e3:.0f} ms)" if known else "",
              times[1] >= 10 * times[0] if known else None)  # fmt: skip


def stencil(document):
    npes, nodes = 64, 16
    rows = {mode: good_rows(document, "peers", program="stencil", npes=npes, nodes=nodes, mode=mode) for mode in ("ondemand", "static")}
    sums = {mode: some[0]["connections"]["sum"] for mode, some in rows.items() if some}
    mesh = npes * (npes - 1)
    for against, limit, total in (("a mesh of processes", 0.05, mesh), ("our static mode", 0.2, sums.get("static"))):
        share = sums["ondemand"] / total if "ondemand" in sums and total else None
        yield Bar(f"connections of a 4-neighbour stencil, {npes} PEs on {nodes} nodes, against {against}", f"≤ {limit:.0%}",
                  "" if share is None else f"{share:.1%} ({sums['ondemand']} of {total})", None if share is None else share <= limit)  # fmt: skip


def latency(document):
    rows = good_rows(document, "latency")
    for op, endpoint in dict.fromkeys((row["op"], row["endpoint"]) for row in rows):
        ratios = []
        for row in good_rows(document, "latency", op=op, endpoint=endpoint, mode="ondemand"):
            twin = good_rows(document, "latency", op=op, endpoint=endpoint, mode="static", round=row["round"])
            ratios += [row["ns"] / twin[0]["ns"]] if twin else []
        if ratios:
            middle = statistics.median(ratios)
            yield Bar(f"latency of {op} ({endpoint}) on demand against static", "within 3 %",
                      f"{middle - 1:+.1%}, median of {len(ratios)} pairs ({min(ratios) - 1:+.0%} to {max(ratios) - 1:+.0%})",
                      abs(middle - 1) <= 0.03)  # fmt: skip


def overlap(document):
    rows = good_rows(document, "overlap", npes=16, compute_ms=200)
    for nodes in sorted({row["nodes"] for row in rows}):
        waits = [row["phases"]["exchange_wait_us"]["max"] for row in rows if row["nodes"] == nodes]
        yield Bar(f"wait for the exchange after 200 ms of computing, 16 PEs on {nodes} nodes", "0",
                  f"{statistics.median(waits):.0f} µs at most of all PEs, median of {len(waits)} runs (worst {max(waits):.0f})",
                  statistics.median(waits) == 0)  # fmt: skip


def ring(document):
    rows = good_rows(document, "ring", npes=1024)
    yield Bar("1024 PEs on 16 nodes start, pass a token round and end (msg)", "they do",
              f"{rows[0]['wall_ms'] / 1e3:.1f} s from launch to end" if rows else "", True if rows else None)  # fmt: skip


def all_bars(document):
    return [bar for judge in (growth, static_against_ondemand, stencil, latency, overlap, ring) for bar in judge(document)]
