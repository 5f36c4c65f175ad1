#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws times by rank: python3 -m topologies.hotspot_figure RESULTS.json DIR (needs matplotlib)."""

import json
import sys

from driver.plots import Drawer

LINES = {
    ("direct", 0): ("#6b6b6b", "direct"), ("fcg", 1): ("#c0392b", "fcg, aggregated"),
    ("mfcg", 1): ("#d9762b", "mfcg, aggregated"), ("cfcg", 1): ("#3f9157", "cfcg, aggregated"),
    ("hypercube", 1): ("#1f5fa8", "hypercube, aggregated")
}


def panel(axis, rows, npes, share):
    for row in rows:
        line = LINES.get((row["topology"], row["packs"]))
        if line and row["npes"] == npes and row["share"] == share:
            ranks, times = zip(*row["by_rank"])
            axis.plot(ranks, times, linestyle=":", linewidth=2, color=line[0], label=line[1])
    what = "alone, in turn" if share == 0 else f"{share} % contend"
    axis.set_title(f"{npes:,} processes, {what}", fontsize=9)
    axis.set_yscale("log")
    axis.set_xticks([0, npes // 2, npes], ["0", f"{npes // 2:,}", f"{npes:,}"])
    first, _, last = axis.get_xticklabels()
    first.set_ha("left")
    last.set_ha("right")


def draw(document, folder):
    drawer = Drawer({"others": []}, None, folder)
    penalty = max(row["penalty"] for row in document["rows"])
    rows = [row for row in document["rows"]
            if row["operation"] == "fadd" and row["penalty"] == penalty]
    sizes = sorted({row["npes"] for row in rows})
    shares = sorted({row["share"] for row in rows})
    figure, axes = drawer.plt.subplots(len(sizes), len(shares), squeeze=False, sharey="row",
                                       figsize=(2.6 * len(shares) + 1, 2.7 * len(sizes) + 1),
                                       constrained_layout=True)
    for across, npes in zip(axes, sizes):
        for axis, share in zip(across, shares):
            panel(axis, rows, npes, share)
        across[0].set_ylabel("microseconds a fetch-and-add")
    for axis in axes[-1]:
        axis.set_xlabel("rank")
    axes[0][0].legend(fontsize=7, loc="upper center")
    figure.suptitle(
        f"Simulated: fetch-and-add to rank 0, penalty {penalty:g} ns for each waiting message",
        fontsize=10)
    drawer.save(figure, "hotspot-ranks.png")
    return drawer.written


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results:
        for path in draw(json.load(results), sys.argv[2]):
            print(path)
