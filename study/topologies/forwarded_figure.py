#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws measured times by rank: python3 -m topologies.forwarded_figure RESULTS.json DIR (needs
matplotlib)."""

import json
import sys

from driver.plots import Drawer

LINES = {
    ("direct", "msg"): ("#6b6b6b", "direct, buffers for each peer"),
    ("direct", "rdm"): ("#b0b0b0", "direct, one pool"), ("fcg", "msg"): ("#c0392b", "fcg"),
    ("fcg", "rdm"): ("#e08a80", "fcg, one pool"), ("mfcg", "msg"): ("#d9762b", "mfcg"),
    ("cfcg", "msg"): ("#3f9157", "cfcg"), ("hypercube", "msg"): ("#1f5fa8", "hypercube")
}
NAMES = {"fadd": "fetch-and-add", "vput": "vectored put"}


def draw(document, folder):
    drawer = Drawer({"others": []}, None, folder)
    shares = sorted({row["share"] for row in document["rows"]})
    operations = list(dict.fromkeys(row["operation"] for row in document["rows"]))
    figure, axes = drawer.plt.subplots(len(operations) + 1, len(shares), squeeze=False,
                                       figsize=(2.7 * len(shares) + 1, 2.8 * len(operations) + 1.2),
                                       gridspec_kw={"height_ratios": [1] * len(operations) + [0.2]},
                                       sharey="row", constrained_layout=True)
    for across, operation in zip(axes, operations):
        for axis, share in zip(across, shares):
            for row in document["rows"]:
                line = LINES.get((row["topology"], row["endpoint"]))
                if line and (row["operation"], row["share"]) == (operation, share):
                    ranks, times = zip(*row["by_rank"])
                    axis.plot(ranks, times, linewidth=1.3, color=line[0], label=line[1],
                              marker="o" if len(ranks) < 20 else None, markersize=3)
            what = "alone, in turn" if share == 0 else f"{share} % contend"
            axis.set_title(f"{NAMES[operation]}, {what}", fontsize=9)
            axis.set_yscale("log")
        across[0].set_ylabel("microseconds, median")
    for axis in axes[-2]:
        axis.set_xlabel("rank")
    for axis in axes[-1]:  # a row for the legend alone
        axis.axis("off")
    figure.legend(*axes[0][0].get_legend_handles_labels(), fontsize=8, ncol=4, loc="lower center")
    hot = document["hot"]
    figure.suptitle(f"Measured: requests to rank 0, {hot['nodes']} emulated nodes of {hot['ppn']} "
                    f"PEs on {document['cores']} cores", fontsize=10)
    drawer.save(figure, "forwarded-ranks.png")
    return drawer.written


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results:
        for path in draw(json.load(results), sys.argv[2]):
            print(path)
