#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures: python3 -m driver.plots RESULTS.json DIR (needs matplotlib)."""

import json
import math
import os
import sys

BLUE, GREY, OTHERS = "#1f5fa8", "#6b6b6b", ("#d9762b", "#3f9157", "#a0489c")
TITLES = {"local": "one node", "rdm": "two nodes, rdm", "msg": "two nodes, msg"}
DPI = 80


class Drawer:
    def __init__(self, document, store, folder):
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.rcParams.update({
            "font.size": 9, "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False,
            "axes.spines.right": False, "legend.frameon": False
        })
        self.plt, self.store, self.folder = plt, store, folder
        self.others = document["others"]
        self.written = []

    @staticmethod
    def log_ticks(axis):
        """Numbers as people write them, and at least three of them: a logarithmic axis over less
        than two decades has one power of ten, or none."""
        from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

        low, high = axis.get_ylim()
        decades = math.log10(high / low)
        subs = (1,) if decades > 3 else (1, 3) if decades > 1.5 else (1, 1.5, 2, 3, 4, 6)
        nearly_linear = decades < 0.4
        axis.yaxis.set_major_locator(MaxNLocator(6) if nearly_linear else LogLocator(subs=subs))
        axis.yaxis.set_major_formatter(FuncFormatter(
            lambda value, _: f"{value:,.0f}" if value >= 10 and value % 1 == 0 else f"{value:g}"))
        axis.yaxis.set_minor_locator(NullLocator())

    def save(self, figure, name):
        path = os.path.join(self.folder, name)
        figure.savefig(path, dpi=DPI, metadata={"Software": None})
        self.plt.close(figure)
        self.shrink(path)
        self.written.append(path)

    @staticmethod
    def shrink(path):
        """To a palette: a third of the bytes in the repository."""
        from PIL import Image

        with Image.open(path) as image:
            image.convert("RGB").quantize(64).save(path, optimize=True)

    def who(self, layout):
        """(tag, layout, name, style) of each curve of a panel: Causeway last, so that it is on
        top."""
        baseline = "memcpy" if layout == "local" else "raw libfabric"
        out = [("baseline", layout, baseline, {"color": GREY, "linestyle": "--"})]
        for i, other in enumerate(self.others):
            where = "local" if layout == "local" else "tcp"
            out.append((other["tag"], where, other["name"], {"color": OTHERS[i % 3]}))
        return [*out, ("causeway", layout, "Causeway", {"color": BLUE, "linewidth": 2})]

    def sweep(self, name, rows, ylabel, scale):
        """Small multiples: an operation per row, a layout per column, size on x; the band is p10 to
        p90."""
        figure, axes = self.plt.subplots(len(rows), 3, figsize=(11, 6), sharex=True, sharey="row",
                                         constrained_layout=True)
        drawn = False
        for panels, (bench, op, label) in zip(axes, rows):
            for axis, layout in zip(panels, TITLES):
                for tag, where, who, style in self.who(layout):
                    sizes = self.store.sizes(tag, where, bench, op)
                    pools = [self.store.get(tag, where, bench, op, size) for size in sizes]
                    if not sizes:
                        continue
                    drawn = True
                    axis.plot(sizes, [p.median * scale for p in pools], label=who, **style)
                    axis.fill_between(sizes, [p.p10 * scale for p in pools],
                                      [p.p90 * scale for p in pools], color=style["color"],
                                      alpha=0.15, linewidth=0)
                axis.set_xscale("log", base=2)
                axis.set_yscale("log")
                axis.set_title(f"{label}, {TITLES[layout]}", fontsize=9)
                axis.set_xticks([8, 128, 2048, 32768, 524288, 16777216],
                                ["8", "128", "2 K", "32 K", "512 K", "16 M"])
                if axis.get_legend_handles_labels()[0]:
                    axis.legend(fontsize=8)
            panels[0].set_ylabel(ylabel)
        for axis in axes[-1]:
            axis.set_xlabel("bytes")
        if drawn:
            self.save(figure, name)
        self.plt.close(figure)

    @staticmethod
    def boxes(axis, title, boxes, scale):
        """One panel of (label, colour, pool); pools may be missing. Box: quartiles and median;
        whiskers: 5th and 95th percentile."""
        boxes = [box for box in boxes if box[2]]
        axis.set_title(title, fontsize=9)
        if not boxes:
            return False
        shapes = axis.boxplot([[v * scale for v in box[2].samples] for box in boxes], whis=(5, 95),
                              showfliers=False, widths=0.6, patch_artist=True,
                              medianprops={"color": "black"})
        for shape, box in zip(shapes["boxes"], boxes):
            shape.set(facecolor=box[1], alpha=0.55)
        axis.set_xticks(range(1, len(boxes) + 1), [box[0] for box in boxes], fontsize=7)
        # One disturbed measurement must not flatten the others: whiskers beyond three medians leave
        # the panel.
        highest = max(box[2].median for box in boxes)
        axis.set_ylim(0,
                      min(1.05 * max(box[2].quantile(0.95) for box in boxes), 3 * highest) * scale)
        return True

    def messages(self):
        """Messages of GASNet beside their baselines."""
        figure, axes = self.plt.subplots(1, 5, figsize=(15, 3.6), constrained_layout=True,
                                         width_ratios=(1, 1.5, 1, 1.5, 2.8))
        one, two = ("local", ), ("rdm", "msg")
        panels = (("short_round_trip", 0, "short, round trip, one node", 1, "ns", one),
                  ("short_round_trip", 0, "short, round trip, two nodes", 1e-3, "µs", two),
                  ("short_flood", 0, "flood of shorts, one node", 1, "ns", one),
                  ("short_flood", 0, "flood of shorts, two nodes", 1e-3, "µs", two),
                  ("put", 8, "put and get of 8 B, two nodes", 1e-3, "µs", two))
        drawn = False
        for axis, (op, nbytes, title, scale, unit, layouts) in zip(axes, panels):
            boxes = []
            for layout in layouts:
                for what in (op, "get") if op == "put" else (op,):
                    raw = "put_quiet" if what == "put" else what
                    words = f"\n{what}" if op == "put" else ""
                    boxes.append((f"raw{words}\n{layout}", GREY,
                                  self.store.get("baseline", layout, "am", raw, nbytes)))
                    boxes.append((f"GASNet{words}\n{layout}", BLUE,
                                  self.store.get("causeway", layout, "am", what, nbytes)))
            drawn = self.boxes(axis, title, boxes, scale) or drawn
            axis.set_ylabel(unit)
        if drawn:
            self.save(figure, "messages.png")
        self.plt.close(figure)

    def distributions(self):
        """Box: quartiles and median; whiskers: 5th and 95th percentile."""
        panels = (("pingpong", "p_wait", "p to wait, half round trip", None),
                  ("latency", "put_quiet", "put + quiet 8 B", None),
                  ("latency", "get", "get 8 B", None),
                  ("atomics", "fetch_add", "fetch_add (raw: a read)", ("latency", "get")))
        figure, axes = self.plt.subplots(1, 4, figsize=(16, 3.6), constrained_layout=True)
        drawn = False
        for axis, (bench, op, title, raw) in zip(axes, panels):
            boxes = []
            for mode in ("rdm", "msg"):
                boxes.append(
                    (f"raw\n{mode}", GREY, self.store.get("baseline", mode, *(raw or (bench, op)))))
                boxes.append(
                    (f"Causeway\n{mode}", BLUE, self.store.get("causeway", mode, bench, op)))
            for i, other in enumerate(self.others):
                pool = self.store.get(other["tag"], "tcp", bench, op)
                library, _, release = other["name"].rpartition(" ")
                name = "\n".join([*library.split(", "), release])
                boxes.append((name, OTHERS[i % 3], pool))
            drawn = self.boxes(axis, title, boxes, 1e-3) or drawn
        axes[0].set_ylabel("µs")
        if drawn:
            self.save(figure, "distributions.png")
        self.plt.close(figure)

    def by_npes(self, name, panels):
        """Number of PEs on x. A panel: (title, ylabel, scale, [(tag, layout, bench, op, bytes,
        label, style)])."""
        figure, axes = self.plt.subplots(1, len(panels), figsize=(4 * len(panels), 3.5),
                                         constrained_layout=True)
        drawn = False
        for axis, (title, ylabel, scale, curves) in zip(axes, panels):
            for tag, layout, bench, op, nbytes, label, style in curves:
                counts = self.store.counts(tag, layout, bench, op, nbytes)
                if not counts:
                    continue
                drawn = True
                values = [
                    self.store.get(tag, layout, bench, op, nbytes, n).median * scale for n in counts
                ]
                axis.plot(counts, values, marker="o", markersize=3, label=label, **style)
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
            ticks = sorted({n for curve in curves for n in self.store.counts(*curve[:5])})
            axis.set_xticks(ticks, [str(n) for n in ticks])
            axis.minorticks_off()
            axis.set(title=title, xlabel="PEs", ylabel=ylabel)
            if axis.get_legend_handles_labels()[0]:
                axis.legend(fontsize=8)
        if drawn:
            self.save(figure, name)
        self.plt.close(figure)

    def collectives(self):
        panels = []
        for op, nbytes, title in (("barrier_all", 0, "barrier_all"), ("sum", 8, "sum of 8 B"),
                                  ("sum", 65536, "sum of 64 KiB")):
            curves = [("causeway", "local", "coll", op, nbytes, "Causeway", {"color": BLUE})]
            for i, other in enumerate(self.others):
                curves.append((other["tag"], "local", "coll", op, nbytes, other["name"],
                               {"color": OTHERS[i % 3]}))
            panels.append((f"{title}, one node", "µs", 1e-3, curves))
        self.by_npes("collectives.png", panels)

    def startup(self):
        panels = []
        for op, title, unit, scale in (("wall", "hello, wall time", "ms", 1),
                                       ("init", "inside shmem_init", "ms", 1),
                                       ("pss", "memory a PE (Pss)", "MiB", 1 / 1024)):
            curves = [("causeway", "local", "startup", op, 0, "Causeway", {"color": BLUE}),
                      ("causeway", "rdm", "startup", op, 0, "Causeway, two nodes",
                       {"color": BLUE, "linestyle": ":"}),
                      ("baseline", "local", "startup", op, 0, "fork + exec",
                       {"color": GREY, "linestyle": "--"})]
            for i, other in enumerate(self.others):
                curves.append((other["tag"], "local", "startup", op, 0, other["name"],
                               {"color": OTHERS[i % 3]}))
            panels.append((title, unit, scale, curves))
        self.by_npes("startup.png", panels)

    def instructions(self):
        """Bars: instructions from the API's entry to the network library's."""
        ops = (("int_p", "int_p"), ("int_g", "int_g"), ("putmem", "putmem 8 B"),
               ("fetch_add", "fetch_add"))
        who = [("causeway", "rdm", "Causeway rdm", BLUE),
               ("causeway", "msg", "Causeway msg", "#7fa8d6")]
        who += [(other["tag"], "tcp", other["name"], OTHERS[i % 3])
                for i, other in enumerate(self.others)]
        local = [("causeway", "local", "Causeway", BLUE)]
        local += [(other["tag"], "local", other["name"], OTHERS[i % 3])
                  for i, other in enumerate(self.others)]
        figure, axes = self.plt.subplots(1, 2, figsize=(11, 3.2), constrained_layout=True)
        panels = (("network: API entry to network library", who, "to_provider.next", ops),
                  ("one node: in all", local, "total.next",
                   (*ops, ("quiet", "idle quiet"), ("fence", "idle fence"))))
        drawn = False
        for axis, (title, bars, what, names) in zip(axes, panels):
            measured = [(bar, [self.store.get(bar[0], bar[1], "insn", f"{op}.{what}", 0)
                               for op, _ in names]) for bar in bars]
            bars = [(bar, pools) for bar, pools in measured if any(pools)]
            width = 0.8 / max(1, len(bars))
            for i, ((_, _, label, color), pools) in enumerate(bars):
                drawn = True
                xs = [k + (i - (len(bars) - 1) / 2) * width for k in range(len(names))]
                shapes = axis.bar(xs, [p.median if p else 0 for p in pools], width, label=label,
                                  color=color)
                axis.bar_label(shapes, [f"{p.median:.0f}" if p else "" for p in pools], fontsize=7)
            axis.set_xticks(range(len(names)), [label.replace(" ", "\n", 1) for _, label in names])
            axis.set(title=title, ylabel="instructions")
            axis.grid(axis="x", visible=False)
            axis.set_ylim(top=1.25 * axis.get_ylim()[1])
            if axis.get_legend_handles_labels()[0]:
                axis.legend(fontsize=8, ncols=len(bars), loc="upper left")
        if drawn:
            self.save(figure, "instructions.png")
        self.plt.close(figure)

    def draw(self):
        os.makedirs(self.folder, exist_ok=True)
        self.sweep("latency.png",
                   (("latency", "put_quiet", "put + quiet"), ("latency", "get", "get")), "µs", 1e-3)
        self.sweep("bandwidth.png",
                   (("rate", "put_nbi_bw", "put_nbi"), ("rate", "get_nbi_bw", "get_nbi")), "GB/s",
                   1)
        self.distributions()
        self.messages()
        self.instructions()
        self.collectives()
        self.startup()
        return self.written


def main():
    from driver.store import Store

    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    for path in Drawer(document, Store.from_rows(document["results"]), sys.argv[2]).draw():
        print(path)


if __name__ == "__main__":
    main()
