#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-plot FILE.json [-o IMAGE] [--what bytes|calls|put|get|atomics]

Draws the traffic matrix of a job from the file that CAUSEWAY_STATS=json:FILE.json left: row i,
column j shows what PE i put to, got from or changed at PE j. Needs numpy and matplotlib.
`causeway-info --plot` runs this."""

import argparse
import json
import sys
from pathlib import Path

LABELS = {"bytes": "bytes put and got", "calls": "transfers", "put": "bytes put",
          "get": "bytes got", "atomics": "atomics"}


class Unusable(Exception):
    pass


def load(path):
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Unusable(
            f"{path} is not JSON ({error}); did the job end before shmem_finalize?") from error
    if (not isinstance(data, dict) or data.get("format") != "causeway-stats"
        or data.get("version") != 2):
        raise Unusable(
            f"{path} is not a statistics file of this version: make it with "
            f"CAUSEWAY_STATS=json:{path}")
    return data


def amount(peer, what):
    return {"bytes": peer["put_bytes"] + peer["get_bytes"] + 8 * peer["atomics"],
            "calls": peer["puts"] + peer["gets"] + peer["atomics"],
            "put": peer["put_bytes"], "get": peer["get_bytes"], "atomics": peer["atomics"]}[what]


def matrix(data, what):
    import numpy
    npes = data["job"]["npes"]
    traffic = numpy.zeros((npes, npes))
    for record in data["pes"]:
        for peer in record["peers"]:
            traffic[record["pe"], peer["pe"]] = amount(peer, what)
    return traffic


def node_edges(data):
    """The PEs at which a new node begins."""
    nodes = [record["node"] for record in sorted(data["pes"], key=lambda record: record["pe"])]
    return [pe for pe in range(1, len(nodes)) if nodes[pe] != nodes[pe - 1]]


def with_unit(value, what):
    units = (["", " k", " M", " G", " T"]
             if what in ("calls", "atomics") else [" B", " KiB", " MiB", " GiB", " TiB"])
    step, unit = (1000 if what in ("calls", "atomics") else 1024), 0
    while value >= step and unit < len(units) - 1:
        value, unit = value / step, unit + 1
    return f"{value:.3g}{units[unit]}"


def draw(data, what, image):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    import numpy
    from matplotlib.colors import LogNorm
    traffic = matrix(data, what)
    npes = len(traffic)
    some = traffic[traffic > 0]
    figure, axes = plot.subplots(figsize=(7.2, 6.2), constrained_layout=True)
    axes.set_facecolor("#f2f2f2")
    if some.size:
        low, high = some.min(), some.max()
        norm = LogNorm(low, high) if high > 10 * low else None
        shown = axes.imshow(numpy.ma.masked_equal(traffic, 0), cmap="viridis_r", norm=norm,
                            interpolation="nearest",
                            vmin=None if norm else 0)
        figure.colorbar(shown, ax=axes, label=LABELS[what] + (" (logarithmic)" if norm else ""))
        if npes <= 16:
            for i, j in numpy.argwhere(traffic > 0):
                dark = shown.norm(traffic[i, j]) > 0.5
                axes.text(j, i, with_unit(traffic[i, j], what).replace(" ", "\n"), ha="center",
                          va="center",
                          fontsize=8 if npes <= 8 else 6, color="white" if dark else "black")
    else:
        axes.text(0.5, 0.5, "no traffic", transform=axes.transAxes, ha="center")
        axes.set_xlim(-0.5, npes - 0.5)
        axes.set_ylim(npes - 0.5, -0.5)
    for edge in node_edges(data):
        axes.axhline(edge - 0.5, color="#c03030", linewidth=1)
        axes.axvline(edge - 0.5, color="#c03030", linewidth=1)
    if npes <= 32:
        axes.set_xticks(range(npes))
        axes.set_yticks(range(npes))
    axes.set_xlabel("target PE")
    axes.set_ylabel("initiating PE")
    job = data["job"]
    axes.set_title(
        f"{Path(job['program']).name}: {npes} PEs on {job['nnodes']} "
        f"node{'s' if job['nnodes'] != 1 else ''}, "
        f"{with_unit(traffic.sum(), what)} in all" + (" (red: nodes)" if node_edges(data) else ""))
    figure.savefig(image, dpi=130)


def main():
    parser = argparse.ArgumentParser(prog="causeway-plot",
                                     description="traffic matrix of a job as an image")
    parser.add_argument("file", help="what CAUSEWAY_STATS=json:FILE wrote")
    parser.add_argument("-o", "--output",
                        help="image, of any kind matplotlib knows by its suffix (default: "
                        "FILE.png)")
    parser.add_argument("--what", choices=sorted(LABELS), default="bytes",
                        help="what the colours mean (default: bytes)")
    options = parser.parse_args()
    image = options.output or str(Path(options.file).with_suffix(".png"))
    try:
        draw(load(options.file), options.what, image)
    except Unusable as error:
        print(f"causeway-plot: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"causeway-plot: {error}; install numpy and matplotlib (Debian: python3-numpy "
              f"python3-matplotlib)",
              file=sys.stderr)
        return 1
    print(image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
