#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-plot FILE.json [-o IMAGE] [--what bytes|calls|put|get|atomics|messages|...]

Draws the traffic matrix of a job from the file that CAUSEWAY_STATS=json:FILE.json left: row i,
column j shows what PE i put to, got from, changed at or sent to PE j. Needs numpy and matplotlib.
`causeway-info --plot` runs this."""

import argparse
import gzip
import json
import sys
import zlib
from pathlib import Path

LABELS = {"bytes": "bytes put, got and sent", "calls": "transfers and messages",
          "put": "bytes put", "get": "bytes got", "atomics": "atomics", "messages": "messages",
          "message_bytes": "bytes of messages", "waited": "time waited for locks and messages"}
COUNTS = ("calls", "atomics", "messages")


class Unusable(Exception):
    pass


def load(path):
    try:
        text = Path(path).read_bytes()
        data = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
    except (EOFError, zlib.error) as error:
        raise Unusable(f"{path} is not whole ({error})") from error
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror or error}") from error
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
    return {"bytes": peer["put_bytes"] + peer["get_bytes"] + 8 * peer["atomics"]
            + peer["message_bytes"],
            "calls": peer["puts"] + peer["gets"] + peer["atomics"] + peer["messages"],
            "messages": peer["messages"], "message_bytes": peer["message_bytes"],
            "waited": peer.get("waited_us", 0),
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


UNITS = {"count": (1000, ["", " k", " M", " G", " T"]),
         "time": (1000, [" us", " ms", " s"]),
         "bytes": (1024, [" B", " KiB", " MiB", " GiB", " TiB"])}


def kind_of(what):
    return "time" if what == "waited" else "count" if what in COUNTS else "bytes"


def with_unit(value, what):
    step, units = UNITS[kind_of(what)]
    unit = 0
    while value >= step and unit < len(units) - 1:
        value, unit = value / step, unit + 1
    return f"{value:.3g}{units[unit]}"


def set_ticks(bar, norm, low, high, what):
    """Round values in the units of the cells: powers of two of bytes, 1, 2 and 5 of the rest."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator
    step, units = UNITS[kind_of(what)]
    steps = (1, 4, 16, 64, 256) if step == 1024 else (1, 2, 5, 10, 20, 50, 100, 200, 500)
    values = [step ** power * factor for power in range(len(units)) for factor in steps]
    inside = [value for value in values if low <= value <= high] if norm else []
    bar.minorticks_off()
    if norm and len(inside) >= 2:
        bar.set_ticks(inside[::max(1, len(inside) // 8)])
    elif norm:
        bar.set_ticks([low, high])
    elif step == 1024:
        unit = 1
        while unit * 1024 <= high:
            unit *= 1024
        bar.set_ticks([unit * tick for tick in MaxNLocator(6).tick_values(0, high / unit)
                       if unit * tick <= high])
    bar.formatter = FuncFormatter(lambda value, _: with_unit(value, what))
    bar.update_ticks()


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
        bar = figure.colorbar(shown, ax=axes,
                              label=LABELS[what] + (" (logarithmic)" if norm else ""))
        set_ticks(bar, norm, low, high, what)
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
    file = Path(options.file)
    image = options.output or str((file.with_suffix("") if file.suffix == ".gz" else file)
                                  .with_suffix(".png"))
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
