# SPDX-License-Identifier: BSD-3-Clause
"""The simulator beside the measurements, and beyond them.

Calibrates with the small runs of this file, predicts all that were measured, then projects to sizes
that no machine here can run."""

import json
import os
import statistics
import subprocess
import time

from . import calibrate

PPN = 64  # PEs and cores of a projected node
PROJECTED = (4096, 8192, 16384, 32768, 65536, 131072)
PHASES = tuple(i / 11 for i in range(11))
FIGURES = {  # that are compared, of a row
    "init_median_ms": lambda row: row["init_us"]["median"] / 1e3,
    "init_mean_ms": lambda row: row["init_us"]["sum"] / row["npes"] / 1e3,
    "wall_ms": lambda row: row["wall_ms"],
    "cpu_ms": lambda row: row["cpu_ms"],
}
TIMES = tuple(FIGURES)
# Beyond it, a billion connections: minutes of simulation for a line that only continues.
MOST_STATIC = 32768


def simulator(stage):
    """The build tree is the stage's parent: the simulator is never installed."""
    for folder in (os.environ.get("CAUSEWAY_TEST_BUILD",
                                  ""), os.path.dirname(os.path.abspath(stage))):
        path = os.path.join(folder, "study", "sim", "causeway-sim")
        if os.path.exists(path):
            return path
    return None


def simulate(program, prices, npes, nodes, hosts, cores, timeout=300, **options):
    words = [f"{name}={value:.3f}" for name, value in prices.items()]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    command = [
        program, "--npes",
        str(npes), "--nodes",
        str(nodes), "--hosts",
        str(hosts), "--cores",
        str(cores), *words
    ]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CAUSEWAY_", "SHMEM_"))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout,
                          env=env)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"causeway-sim: status {done.returncode}")
    return json.loads(done.stdout)


def simulate_rounds(program, prices, *shape, **options):
    """Medians of rounds whose ticks come at other times, as measured ones are medians."""
    rounds = [simulate(program, {**prices, "phase": share * prices["tick"]}, *shape, **options)
              for share in PHASES]
    return {**rounds[0], **{name: statistics.median(said[name] for said in rounds)
                            for name in TIMES}}


def _bare(document, npes, nodes, mode):
    """Rows of whole jobs: those of the section hello. The jobs of init also collect statistics at
    their end, which take most of a large job's time, and interrupt PEs that start meanwhile."""
    what = "causeway" if mode == "ondemand" else mode
    return calibrate.good_rows(document, "hello", what=what, npes=npes, nodes=nodes)


def _median(rows, figure):
    return statistics.median(figure(row) for row in rows) if rows else None


def measured_shapes(document):
    """{(npes, nodes, mode): medians of what was measured}, over msg endpoints."""
    found = {}
    for row in calibrate.good_rows(document, "init", endpoint="msg"):
        found.setdefault((row["npes"], row["nodes"], row["mode"]), []).append(row)
    out = {}
    for key, rows in sorted(found.items()):
        bare = _bare(document, *key)
        out[key] = {
            **{name: _median(bare, figure) for name, figure in FIGURES.items()},
            "connections": _median(rows, lambda row: row["connections"]["sum"]),
        }
    return out


def error(predicted, measured):
    return round(predicted / measured - 1, 4) if measured else None


def validate(program, prices, document):
    """A row a shape: predicted, measured, and the difference."""
    cores = len(os.sched_getaffinity(0))
    for (npes, nodes, mode), seen in measured_shapes(document).items():
        options = {"connect": "static"} if mode == "static" else {"exchange": "blocking"
                                                                  } if mode == "blocking" else {}
        said = simulate_rounds(program, prices, npes, nodes, 1, cores, **options)
        row = {
            "kind": "validation", "npes": npes, "nodes": nodes, "mode": mode,
            "calibrated_with": npes <= calibrate.LARGEST
        }
        row["measured"] = {
            name: value if value is None else round(value, 3)
            for name, value in seen.items()
        }
        row["predicted"] = {name: said[name] for name in (*TIMES, "connections")}
        row["off"] = {name: error(row["predicted"][name], seen[name]) for name in TIMES}
        yield row


def project(program, prices, quick):
    far = {**prices, **calibrate.ASSUMED}
    for npes in PROJECTED[:1] if quick else PROJECTED:
        for fence in ("tree", "star"):
            for mode, pattern in (("ondemand", "hello"), ("ondemand", "stencil"),
                                  ("static", "hello")):
                if mode == "static" and (npes > MOST_STATIC or fence == "star"):
                    continue
                said = simulate(program, far, npes, npes // PPN, npes // PPN, PPN, connect=mode,
                                pattern=pattern, fence=fence)
                yield {
                    "kind": "projection", "mode": mode, "pattern": pattern, "fence": fence, **said
                }


def summary(rows):
    """The errors of the predictions, separately for sizes that calibrated and sizes that did
    not."""
    out = {}
    for used in (True, False):
        some = [
            row for row in rows if row["kind"] == "validation" and row["calibrated_with"] == used
        ]
        for figure in TIMES:
            errors = [abs(row["off"][figure]) for row in some if row["off"][figure] is not None]
            if errors:
                out[f"{figure} {'calibrated' if used else 'predicted'}"] = {
                    "median": round(statistics.median(errors), 4), "max": round(max(errors), 4),
                    "n": len(errors)
                }
    return out


def spreads(document, checks):
    """How far the rounds lie apart that predictions are compared with, by the names of summary():
    half of what is between the least and the most, as a share of their median; the median of the
    sizes with several rounds."""
    found = {}
    for row in checks:
        bare = _bare(document, row["npes"], row["nodes"], row["mode"])
        for name, figure in FIGURES.items():
            values = [figure(each) for each in bare]
            if len(values) > 1:
                far = (max(values) - min(values)) / 2 / statistics.median(values)
                used = "calibrated" if row["calibrated_with"] else "predicted"
                found.setdefault(f"{name} {used}", []).append(far)
    return {name: statistics.median(far) for name, far in found.items()}


def add(document, stage, quick, say):
    program = simulator(stage)
    section = {
        "done": False, "quick": quick, "conditions": {}, "seconds": 0.0, "rows": [], "remarks": []
    }
    document.data["sections"]["sim"] = section
    begin = time.monotonic()
    try:
        if not program:
            raise calibrate.NotEnough("the simulator: ./dev build makes it in build/study/sim")
        prices = calibrate.prices(document)
        section["prices_ns"] = {name: round(value, 1) for name, value in prices.items()}
        section["how"] = calibrate.HOW
        section["assumed"] = {**calibrate.ASSUMED, "pes_and_cores_a_node": PPN}
        section["rows"] += validate(program, prices, document)
        say(f"sim: {len(section['rows'])} measured shapes predicted, simulated")
        section["rows"] += project(program, prices, quick)
        section["accuracy"] = summary(section["rows"])
        section["done"] = True
    except calibrate.NotEnough as lacking:
        section["remarks"].append(f"no simulation without {lacking}")
        say(f"sim: SKIP: no simulation without {lacking}")
    section["seconds"] = round(time.monotonic() - begin, 2)
    document.save()
    for name, far in section.get("accuracy", {}).items():
        say(f"sim: {name}: off by {far['median']:.0%} in the median, {far['max']:.0%} at most, of "
            f"{far['n']}"
            )
