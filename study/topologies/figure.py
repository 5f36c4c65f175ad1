#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws memory against processes: python3 -m topologies.figure RESULTS.json DIR (needs
matplotlib)."""

import json
import sys

from driver.plots import Drawer

LINES = {
    "fcg": ("#c0392b", "fcg: all to all"), "mfcg": ("#d9762b", "mfcg: mesh"),
    "cfcg": ("#3f9157", "cfcg: cube"), "hypercube": ("#1f5fa8", "hypercube")
}
TICKS = (24, 96, 384, 1536, 12288, 131072)


def draw(document, folder):
    drawer = Drawer({"others": []}, None, folder)
    figure, axis = drawer.plt.subplots(figsize=(7.2, 4.6), constrained_layout=True)
    for name, (color, label) in LINES.items():
        rows = [row for row in document["rows"] if row["topology"] == name]
        axis.plot([row["pes"] for row in rows], [row["nbytes"] / 2**20 for row in rows],
                  linestyle=":", linewidth=2, color=color, label=label)
        rows = [row for row in document["measured"] if row["topology"] == name]
        axis.plot([row["nodes"] * document["pes_per_node"] for row in rows],
                  [row["edge_nbytes"] / 2**20 for row in rows], marker="o", markersize=4,
                  linestyle="none", color=color)
    paper = document["paper"]
    for name, nbytes in paper["nbytes"].items():
        axis.plot([paper["pes"]], [nbytes / 2**20], marker="x", markersize=7, markeredgewidth=1.8,
                  linestyle="none", color=LINES[name][0])
    axis.plot([], [], marker="o", markersize=4, linestyle="none", color="black",
              label="mapped, measured")
    axis.plot([], [], marker="x", linestyle="none", color="black",
              label="published, 812 MB and its ratios")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    axis.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
    sizes = [2.0**k for k in range(-1, 15, 3)]
    axis.set_yticks(sizes, [f"{size:g} MiB" if size < 1024 else f"{size / 1024:g} GiB"
                            for size in sizes])
    axis.set_xlabel(f"processes, {document['pes_per_node']} a node")
    axis.set_ylabel("request buffers of a node's first PE")
    axis.set_title("Lines: the formula degree × PEs × 4 × 16 KiB; circles: what jobs have mapped",
                   fontsize=9)
    axis.legend(fontsize=8)
    drawer.save(figure, "topologies-memory.png")
    return drawer.written


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results:
        for path in draw(json.load(results), sys.argv[2]):
            print(path)
