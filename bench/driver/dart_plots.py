# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of DART: python3 -m driver.dart_plots RESULTS.json DIR (needs matplotlib)."""

import json
import sys

from .plots import BLUE, GREY, OTHERS, Drawer
from .store import Store

# tag, layout, name, style; Causeway's own last, so that it is on top
LOCAL = (("baseline", "local", "memcpy", {"color": GREY, "linestyle": "--"}),
         ("mpich", "local", "MPICH, RMA", {"color": OTHERS[0]}),
         ("openmpi", "local", "Open MPI, RMA", {"color": OTHERS[1]}),
         ("shmem", "local", "OpenSHMEM", {"color": "#222222", "linestyle": ":"}),
         ("causeway", "local", "DART", {"color": BLUE, "linewidth": 2}))
FAR = (("mpich", "tcp", "MPICH, RMA", {"color": OTHERS[0]}),
       ("openmpi", "tcp", "Open MPI, RMA", {"color": OTHERS[1]}),
       ("dart-mpich", "tcp", "DART on MPICH", {"color": OTHERS[0], "linestyle": "--"}),
       ("dart-openmpi", "tcp", "DART on Open MPI", {"color": OTHERS[1], "linestyle": "--"}),
       ("shmem", "msg", "OpenSHMEM, msg", {"color": "#222222", "linestyle": ":"}),
       ("causeway", "rdm", "DART, rdm", {"color": OTHERS[2]}),
       ("causeway", "msg", "DART, msg", {"color": BLUE, "linewidth": 2}))
PLACES = (("one node", LOCAL), ("two nodes, TCP", FAR))
TICKS = [1, 8, 64, 512, 4096, 32768, 262144, 4194304]


def curve(axis, store, tag, where, op, name, style):
    bench, op = ("latency", {"put": "put_quiet", "get": "get"}[op]) if tag == "shmem" else ("dart",
                                                                                          op)
    sizes = store.sizes(tag, where, bench, op)
    pools = [store.get(tag, where, bench, op, size) for size in sizes]
    if sizes:
        axis.plot(sizes, [p.median / 1e3 for p in pools], label=name, **style)
        axis.fill_between(sizes, [p.p10 / 1e3 for p in pools], [p.p90 / 1e3 for p in pools],
                          color=style["color"], alpha=0.15, linewidth=0)


def latency(drawer):
    figure, axes = drawer.plt.subplots(2, 2, figsize=(11, 8), sharex=True, constrained_layout=True)
    for panels, op in zip(axes, ("put", "get")):
        for axis, (place, curves) in zip(panels, PLACES):
            for tag, where, name, style in curves:
                curve(axis, drawer.store, tag, where, op, name, style)
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
            axis.set_xticks(TICKS, [f"{t >> 10} K" if t >= 1024 else str(t) for t in TICKS])
            axis.set_title(f"blocking {op}, {place}", fontsize=9)
            axis.legend(fontsize=8)
        panels[0].set_ylabel("µs, median and p10 to p90")
    for axis in axes[-1]:
        axis.set_xlabel("bytes")
    drawer.save(figure, "dart-latency.png")


def distance(drawer):
    figure, axes = drawer.plt.subplots(1, 2, figsize=(11, 3.6), constrained_layout=True)
    for axis, (size, label) in zip(axes, (("8", "8 B"), ("1m", "1 MiB"))):
        for layout, colour in (("rdm", OTHERS[2]), ("msg", BLUE)):
            for op, style in (("put", "-o"), ("get", "--s")):
                units = drawer.store.sizes("causeway", layout, "dart", f"{op}_{size}", 8)
                pools = [drawer.store.get("causeway", layout, "dart", f"{op}_{size}", unit, 8)
                         for unit in units]
                axis.plot(units, [p.median / 1e3 for p in pools], style, color=colour,
                          label=f"{op}, {layout}", markersize=4)
                axis.fill_between(units, [p.p10 / 1e3 for p in pools],
                                  [p.p90 / 1e3 for p in pools], color=colour, alpha=0.12,
                                  linewidth=0)
        axis.set_yscale("log")
        axis.set_title(f"{label} from unit 0: 8 units on 4 nodes", fontsize=9)
        axis.set_xlabel("unit (1 is on the node of unit 0)")
        axis.set_ylabel("µs, median and p10 to p90")
        axis.legend(fontsize=8)
    drawer.save(figure, "dart-distance.png")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    drawer = Drawer(document, Store.from_rows(document["results"]), sys.argv[2])
    latency(drawer)
    distance(drawer)
    for path in drawer.written:
        print(path)


if __name__ == "__main__":
    main()
