#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws transfers of one PE: python3 -m topologies.transfers_figure RESULTS.json DIR (needs
matplotlib)."""

import json
import sys

from driver.plots import Drawer
from topologies.results import size
from topologies.transfers_page import label

COLORS = {"direct": "#6b6b6b", "fcg": "#c0392b", "mfcg": "#d9762b", "cfcg": "#3f9157",
          "hypercube": "#1f5fa8"}  # fmt: skip
# operation, sizes up to, its figure of a row, label of the axis
PANELS = (
    ("put", 4096, lambda row: row["quick_us"], "put: microseconds"),
    ("put", 1 << 20, lambda row: row["nbytes"] / row["quick_us"] / 1e3, "put: GB/s"),
    ("strided put", 1 << 20, lambda row: (1 << 20) / row["quick_us"] / 1e3,
     "1 MiB in rows: GB/s"),
)
REQUESTS = ("accumulate", "fetch-add", "lock")


def save(drawer, figure, axes, name):
    below = 0.3 / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, below, 1, 1 - below))
    figure.legend(*axes[0][0].get_legend_handles_labels(), fontsize=8, ncol=len(COLORS),
                  loc="lower center")
    drawer.save(figure, name)


def sizes(drawer, document):
    ppns = document["sizes"]["ppn"]
    figure, axes = drawer.plt.subplots(len(PANELS), len(ppns), squeeze=False, sharey="row",
                                       figsize=(3.2 * len(ppns) + 1, 7.4), constrained_layout=True)
    for across, (name, most, of, text) in zip(axes, PANELS):
        for axis, ppn in zip(across, ppns):
            for topology, color in COLORS.items():
                rows = [row for row in document["rows"] if row["topology"] == topology
                        and row["ppn"] == ppn and row["name"] == name and row["nbytes"] <= most]
                axis.plot([row["nbytes"] for row in rows], [of(row) for row in rows], marker="o",
                          markersize=3, linewidth=1.3, color=color, label=topology)
            axis.set_xscale("log", base=2)
            ticks = [row["nbytes"] for row in rows][::2]
            axis.set_xticks(ticks, [size(tick) for tick in ticks])
            axis.set_title(f"{ppn} PEs a node", fontsize=9)
        across[0].set_ylim(0, 1.08 * max(max(line.get_ydata()) for axis in across
                                         for line in axis.lines))
        across[0].set_ylabel(text)
    save(drawer, figure, axes, "transfers-sizes.png")


def requests(drawer, document):
    ppns = document["sizes"]["ppn"]
    figure, axes = drawer.plt.subplots(1, len(ppns), squeeze=False, sharey=True,
                                       figsize=(3.4 * len(ppns) + 1, 3.6), constrained_layout=True)
    for axis, ppn in zip(axes[0], ppns):
        names = []
        for i, (topology, color) in enumerate(COLORS.items()):
            rows = [row for row in document["rows"] if row["topology"] == topology
                    and row["ppn"] == ppn and row["name"] in REQUESTS]
            names = [label(row).replace(", ", "\n") for row in rows]
            axis.bar([k + 0.16 * (i - 2) for k in range(len(rows))],
                     [row["ratio"] for row in rows], width=0.15, color=color, label=topology)
        axis.axhline(1, color="#6b6b6b", linewidth=0.8)
        axis.set_xticks(range(len(names)), names, fontsize=7)
        axis.set_title(f"{ppn} PEs a node", fontsize=9)
    axes[0][0].set_ylabel("time, in parts of direct")
    save(drawer, figure, axes, "transfers-requests.png")


def draw(document, folder):
    drawer = Drawer({"others": []}, None, folder)
    sizes(drawer, document)
    requests(drawer, document)
    return drawer.written


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results:
        for path in draw(json.load(results), sys.argv[2]):
            print(path)
