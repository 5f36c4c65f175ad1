#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the start-up study: python3 -m startup.figures RESULTS.json DIR (needs matplotlib). One
figure per section; missing measurements are not drawn."""

import os
import statistics
import sys

from driver.plots import Drawer

from . import limits
from .calibrate import good_rows
from .document import Document

MODES = {
    "ondemand": ("#1f5fa8", "on demand"), "blocking": ("#3f9157", "on demand, blocking exchange"),
    "static": ("#c0392b", "static")
}
NODES = {1: ("#6b6b6b", "1 node"), 4: ("#d9762b", "4 nodes"), 16: ("#1f5fa8", "16 nodes")}
TICKS = (2, 8, 32, 128, 512, 2048, 8192, 32768, 131072)


def curve(rows, figure, by="npes"):
    """[(size, median, least, most)] over the rounds."""
    found = {}
    for row in rows:
        found.setdefault(row[by], []).append(figure(row))
    return [(size, statistics.median(v), min(v), max(v)) for size, v in sorted(found.items())]


class Figures(Drawer):
    def __init__(self, document, folder):
        super().__init__({"others": []}, None, folder)
        self.document = document
        self.legend_of = {}

    def rows(self, section, **key):
        return good_rows(self.document, section, **key)

    def line(self, axis, points, label, color, **style):
        if points:
            x, middle, low, high = zip(*points)
            axis.plot(x, middle, marker="o", markersize=3, label=label, color=color, **style)
            axis.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        return bool(points)

    def axes(self, n, width=4.4, height=4):
        """Axes side by side, and below each a place for its legend, which so hides no data."""
        figure, (axes, places) = self.plt.subplots(
            2, n, figsize=(width * n, height), constrained_layout=True, squeeze=False,
            gridspec_kw={"height_ratios": (1, 0.01)})
        for axis, place in zip(axes, places):
            place.axis("off")
            self.legend_of[axis] = place
        return figure, axes

    def finish(self, figure, axes, name, xlabel="PEs", ylabels=(), log=True):
        for i, axis in enumerate(axes):
            if log:
                axis.set_xscale("log", base=2)
                axis.set_yscale("log")
                self.log_ticks(axis)
                low, high = axis.get_xlim()
                ticks = [t for t in TICKS if low <= t <= high]
                axis.set_xticks(ticks, [f"{t:,}" for t in ticks])
            axis.set_xlabel(xlabel)
            if i < len(ylabels):
                axis.set_ylabel(ylabels[i])
            handles, labels = axis.get_legend_handles_labels()
            if handles:
                self.legend_of[axis].legend(handles, labels, fontsize=8, loc="upper center",
                                            ncol=1 + (len(labels) > 1), borderaxespad=0)
        self.save(figure, name)

    # ------------------------------------------------------------ one a section
    def hello(self):
        figure, axes = self.axes(1, 6)
        drawn = self.line(axes[0],
                          curve(self.rows("hello", what="fork+exec"), lambda r: r["wall_ms"]),
                          "fork + exec of a plain program", "black", linestyle="--")
        for nodes, (color, label) in NODES.items():
            drawn |= self.line(
                axes[0],
                curve(self.rows("hello", what="causeway", nodes=nodes), lambda r: r["wall_ms"]),
                label, color)
        if drawn:
            axes[0].set_title("Hello, from launch to end", fontsize=9)
            self.finish(figure, axes, "startup-hello.png", ylabels=("ms",))

    def init(self):
        shapes = [k for k in NODES if self.rows("init", nodes=k)]
        if not shapes:
            return
        figure, axes = self.axes(len(shapes), 5.2)
        for axis, nodes in zip(axes, shapes):
            for mode, (color, label) in MODES.items():
                for endpoint, style in (("msg", "-"), ("rdm", ":")):
                    rows = self.rows("init", nodes=nodes, mode=mode, endpoint=endpoint)
                    name = label + (", rdm" if endpoint == "rdm" else "")
                    self.line(axis, curve(rows, lambda r: r["init_us"]["median"] / 1e3), name,
                              color, linestyle=style)
            axis.set_title(f"shmem_init, {NODES[nodes][1]}", fontsize=9)
        self.finish(figure, axes, "startup-init.png", ylabels=("ms, median over PEs",))

    def resources(self):
        if not self.rows("init"):
            return
        figure, axes = self.axes(3)
        nodes = max(row["nodes"] for row in self.rows("init"))
        for axis, (field, title, scale) in zip(
                axes,
            (("connections", "connections of all PEs", 1), ("endpoints", "endpoints of all PEs", 1),
             ("rss_bytes", "resident memory a PE, MiB", None))):
            for mode in ("ondemand", "static"):
                rows = self.rows("init", nodes=nodes, mode=mode, endpoint="msg")
                figure_of = (lambda r: r["rss_bytes"]["median"] / 2**20) if scale is None else (
                    lambda r, f=field: max(r[f]["sum"], 0.5))
                self.line(axis, curve(rows, figure_of), MODES[mode][1], MODES[mode][0])
            if field == "connections":
                sizes = sorted({row["npes"] for row in self.rows("init", nodes=nodes)})
                axis.plot(sizes, [n * (n - 1) for n in sizes], color="black", linestyle="--",
                          label="mesh of processes")
            axis.set_title(f"Hello on {nodes} nodes: {title}", fontsize=9)
        self.finish(figure, axes, "startup-resources.png")

    def launchers(self):
        rows = self.rows("launchers")
        if not rows:
            return
        figure, axes = self.axes(1, 7, 4.6)
        colors = {
            "oshrun": "#1f5fa8", "hydra": "#3f9157", "orterun": "#d9762b", "slurm-pmi2": "#a0489c",
            "slurm-pmix": "#6b6b6b"
        }
        for library, style, name in (("causeway", "-", "Causeway"), ("openmpi", "--",
                                                                     "Open MPI's OpenSHMEM")):
            for launcher, color in colors.items():
                points = curve(self.rows("launchers", library=library, launcher=launcher),
                               lambda r: r["wall_ms"])
                self.line(axes[0], points, f"{name}, {launcher}", color, linestyle=style)
        axes[0].set_title("Hello by launcher, one machine", fontsize=9)
        self.finish(figure, axes, "startup-launchers.png", ylabels=("ms from launch to end",))

    def bars(self, axis, names, groups):
        """groups: (label or None, color, {name: value})."""
        width = 0.8 / len(groups)
        for i, (label, color, values) in enumerate(groups):
            at = [k + i * width for k in range(len(names))]
            axis.bar(at, [values.get(name, 0) for name in names], width, label=label, color=color)
        axis.set_axisbelow(True)
        axis.set_xticks([k + 0.4 - width / 2 for k in range(len(names))], names, rotation=30,
                        ha="right")

    def peers(self):
        rows = self.rows("peers")
        if not rows:
            return
        names = list(dict.fromkeys(row["program"] for row in rows))
        npes, nodes = rows[0]["npes"], rows[0]["nodes"]

        def means(field, mode):
            return {
                row["program"]: row[field]["sum"] / row["npes"]
                for row in rows if row["mode"] == mode
            }

        figure, axes = self.axes(3)
        self.bars(axes[0], names, [(None, "#6b6b6b", means("peers_touched", "ondemand"))])
        axes[0].set_title(f"PEs that a PE communicates with, of {npes - 1}", fontsize=9)
        self.bars(axes[1], names, [(MODES[m][1], MODES[m][0], means("connections", m))
                                   for m in ("ondemand", "static")])
        axes[1].set_title(f"connections a PE, {nodes} nodes", fontsize=9)
        memory = [{k: v / 2**20
                   for k, v in means("rss_bytes", m).items()} for m in ("ondemand", "static")]
        self.bars(axes[2], names, [(MODES[m][1], MODES[m][0], values)
                                   for m, values in zip(("ondemand", "static"), memory)])
        axes[2].set_title("resident memory a PE, MiB", fontsize=9)
        self.finish(figure, axes, "startup-peers.png", xlabel="", log=False)

    def endtoend(self):
        rows = self.rows("endtoend")
        if not rows:
            return
        shapes = sorted({(row["npes"], row["nodes"]) for row in rows})
        figure, axes = self.axes(len(shapes), 5.4)
        for axis, (npes, nodes) in zip(axes, shapes):
            some = [row for row in rows if (row["npes"], row["nodes"]) == (npes, nodes)]
            names = list(dict.fromkeys(row["program"] for row in some))
            groups = []
            for mode in ("ondemand", "static"):
                values = {
                    name: [
                        r["wall_ms"] / 1e3 for r in some
                        if r["program"] == name and r["mode"] == mode
                    ]
                    for name in names
                }
                groups.append((MODES[mode][1], MODES[mode][0],
                               {name: statistics.median(v)
                                for name, v in values.items() if v}))
            self.bars(axis, names, groups)
            axis.set_title(f"From launch to end, {npes} PEs on {nodes} nodes", fontsize=9)
        self.finish(figure, axes, "startup-endtoend.png", xlabel="", ylabels=("s",), log=False)

    def latency(self):
        """What the page's table says: the median of the pairs' ratios and its interval."""
        compared = list(limits.compare_latencies(self.document))
        if not compared:
            return
        figure, axes = self.axes(1, 6)
        axis, at = axes[0], range(len(compared))
        middles = [100 * (c.middle - 1) for c in compared]
        reach = [[100 * (c.middle - c.low) for c in compared],
                 [100 * (c.high - c.middle) for c in compared]]
        axis.axhspan(-100 * limits.LATENCY, 100 * limits.LATENCY, color="#6b6b6b", alpha=0.15,
                     linewidth=0, label=f"the limit, {100 * limits.LATENCY:g} %")
        axis.axhline(0, color=MODES["static"][0], linewidth=1, label="static")
        axis.errorbar(at, middles, reach, fmt="o", markersize=4, capsize=3,
                      color=MODES["ondemand"][0],
                      label="on demand: median of the pairs, 95 % interval")
        axis.set_xticks(at, [f"{c.op} {c.endpoint}" for c in compared], rotation=30, ha="right")
        axis.set_title("8 bytes between two nodes, once connected", fontsize=9)
        self.finish(figure, axes, "startup-latency.png", xlabel="",
                    ylabels=("% slower than static",), log=False)

    def overlap(self):
        rows = self.rows("overlap")
        if not rows:
            return
        shapes = sorted({(row["npes"], row["nodes"]) for row in rows})
        names = [f"{npes} PEs, {nodes} nodes" for npes, nodes in shapes]
        figure, axes = self.axes(1, 5)
        groups = []
        for ms, color in ((0, "#c0392b"), (200, "#1f5fa8")):
            values = {}
            for name, (npes, nodes) in zip(names, shapes):
                waits = [
                    r["phases"]["exchange_wait_us"]["max"] / 1e3 for r in rows
                    if (r["npes"], r["nodes"], r["compute_ms"]) == (npes, nodes, ms)
                ]
                values[name] = statistics.median(waits) if waits else 0
            groups.append((f"after {ms} ms of computing", color, values))
        self.bars(axes[0], names, groups)
        axes[0].set_title("Longest wait for the exchange", fontsize=9)
        self.finish(figure, axes, "startup-overlap.png", xlabel="", ylabels=("ms",), log=False)

    def simulated(self):
        checks = self.rows("sim", kind="validation")
        if not checks:
            return
        figure, axes = self.axes(3, 4.6, 4.3)
        nodes = max(row["nodes"] for row in checks)
        for axis, field, title in ((axes[0], "wall_ms", "hello"),
                                   (axes[1], "init_median_ms", "shmem_init of the median PE")):
            for mode in ("ondemand", "static"):
                some = [row for row in checks if row["nodes"] == nodes and row["mode"] == mode]
                for which, style in (("measured", "-"), ("predicted", ":")):
                    points = [(row["npes"], *[row[which][field]] * 3) for row in some
                              if row["measured"][field] is not None]
                    self.line(axis, points, f"{MODES[mode][1]}, {which}", MODES[mode][0],
                              linestyle=style)
            axis.set_title(f"{title} on {nodes} emulated nodes, simulated beside measured",
                           fontsize=8)
        for mode, pattern, fence, color, label in (("ondemand", "hello", "tree", "#1f5fa8",
                                                    "on demand"), ("ondemand", "stencil", "tree",
                                                                   "#3f9157", "on demand, stencil"),
                                                   ("ondemand", "hello", "star", "#6b6b6b",
                                                    "on demand, launcher without a tree"),
                                                   ("static", "hello", "tree", "#c0392b",
                                                    "static")):
            some = self.rows("sim", kind="projection", mode=mode, pattern=pattern, fence=fence)
            self.line(axes[2], [(row["npes"], *[row["wall_ms"]] * 3) for row in some], label, color,
                      linestyle=":")
        axes[2].set_title("SIMULATED: from launch to end, 64 PEs a node", fontsize=8)
        self.finish(figure, axes, "startup-simulated.png", ylabels=("ms", "ms", "ms"))

    def all(self):
        for draw in (self.hello, self.init, self.resources, self.launchers, self.peers,
                     self.endtoend, self.latency, self.overlap, self.simulated):
            draw()
            self.plt.close("all")
        return self.written


def main():
    json_file, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    for path in Figures(Document(json_file), folder).all():
        print(path)


if __name__ == "__main__":
    main()
