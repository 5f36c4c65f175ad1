# SPDX-License-Identifier: BSD-3-Clause
"""2: what OpenSHMEM's put and get add to raw libfabric."""

import os

from driver.measure import Run
from driver.plan import LATENCY, Group
from driver.store import SAMPLES_PER_ROUND
from driver.table import show

from . import bands, page, pictures
from .measure import Part

NAME = "overhead"
TITLE = "2. OpenSHMEM's put and get beside raw libfabric"
PUBLISHED = """\
A published evaluation of OpenSHMEM over libfabric (OFI) shows what put and get add to the same
transfer written directly against libfabric, as box plots. Its text, its machine and its numbers
were not at hand, so nothing of it is quoted; what is known is the form: put and get by size,
connected and datagram endpoints, processes bound to cores and not."""
OPERATIONS = (("put_quiet", "put and quiet"), ("get", "get"), ("put", "put, completed later"))
ENDPOINTS = ("msg", "rdm")
BOUND = ("bound", "unbound")
MOST = 16 << 20
SHOWN = (8, 64, 512, 4096, 32768, 262144, 1 << 21, MOST)
ROUNDS = 4


def _runs(context, endpoint, bound):
    """Raw and ours, for each operation in turn."""
    layout = f"{endpoint}-{bound}"
    most = 4096 if context.quick else MOST
    common = ["--samples", str(SAMPLES_PER_ROUND), "--max-bytes", str(most), "--budget-ms",
              "2" if context.quick else "12"]
    common += ["--quick"] if context.quick else []
    for op, _ in OPERATIONS:
        words = [*common, "--only", op]
        raw = [context.builder.path("baseline", "raw_fabric"), *words, "--mode", str(LATENCY),
               "--endpoint", endpoint, *(["--unbound"] if bound == "unbound" else [])]
        ours = [context.ours.launcher, "-n", "2", "--emulate-nodes", "2", "--bind-to",
                "none" if bound == "unbound" else "core",
                context.builder.path("causeway", "latency"), *words]
        env = {**os.environ, "CAUSEWAY_ENDPOINT": endpoint}
        yield lambda command=raw, op=op: Run("baseline", layout, 2, f"raw {op}", command,
                                             dict(os.environ))
        yield lambda command=ours, op=op: Run("causeway", layout, 2, op, command, env)


def take(context, bound):
    context.build(("latency",), ("raw_fabric",))
    runs = [run for endpoint in ENDPOINTS for run in _runs(context, endpoint, bound)]
    return context.interleaved([(bound, Group(runs))], 1 if context.quick else ROUNDS)


def parts(context):
    return [Part(bound, f"put and get, processes {bound}, raw libfabric and ours in turn",
                 lambda bound=bound: take(context, bound)) for bound in BOUND]


# ---------------------------------------------------------------- the page
def _spread(band):
    return (f"{show(band.median, 'ns')} ({show(band.quantile(0.05), 'ns')} to "
            f"{show(band.quantile(0.95), 'ns')})") if band else "–"


def _table(store, layout, op):
    rows = []
    for size in SHOWN:
        raw, ours = (store.get(tag, layout, "latency", op, size)
                     for tag in ("baseline", "causeway"))
        if raw and ours:
            rows.append((f"{size:,}", _spread(raw), _spread(ours),
                         ("+" if ours.median >= raw.median else "-")
                         + show(abs(ours.median - raw.median), "ns"),
                         f"{ours.median / raw.median:.2f}"))
    return page.table(("bytes", "raw libfabric", "ours", "difference", "ours ÷ raw"), rows)


def lines(document, figures):
    yield from page.head(document, TITLE, PUBLISHED)
    yield from page.items(
        "Two processes on two emulated nodes, the provider that Causeway takes, over loopback. "
        "Raw: the target polls its completion queue and does nothing else, which a library's "
        "target cannot be expected to do; ours is in a barrier.",
        "\"put and quiet\" ends when the target's memory has changed, on both sides (raw: "
        "FI_DELIVERY_COMPLETE); \"put, completed later\" is the time to hand it over.",
        "Boxes: quartiles and median; whiskers: 5th and 95th percentile, of all rounds, a sample "
        "being a batch of 10 µs. \"Bound\": each process on a core of its own.",
        "One machine with few cores: the target's node server shares them with both PEs, which no "
        "raw program has. Below the raw figure ours is where the kernel copies otherwise or small "
        "puts travel together.")
    for op, label in OPERATIONS:
        yield f"## {label[0].upper()}{label[1:]}\n"
        yield from page.picture(
            figures, f"2-overhead-{op}.png",
            f"{label}: raw libfabric (grey) and ours (blue), by size, endpoint and binding.")
        for bound in BOUND:
            store = bands.table(document.rows(bound))
            for endpoint in ENDPOINTS:
                if store.sizes("causeway", f"{endpoint}-{bound}", "latency", op):
                    yield f"### {endpoint}, {bound}\n"
                    yield from _table(store, f"{endpoint}-{bound}", op)


# ---------------------------------------------------------------- pictures
def _boxes(axis, store, layout, op):
    from driver.plots import BLUE, GREY

    sizes = [size for size in SHOWN if store.get("baseline", layout, "latency", op, size)
             and store.get("causeway", layout, "latency", op, size)]
    for tag, colour, shift in (("baseline", GREY, -0.2), ("causeway", BLUE, 0.2)):
        found = [store.get(tag, layout, "latency", op, size) for size in sizes]
        if not found:
            return
        shapes = axis.bxp([band.box(1e-3, "") for band in found], widths=0.34, showfliers=False,
                          positions=[at + shift for at in range(len(sizes))], patch_artist=True,
                          medianprops={"color": "black"}, manage_ticks=False)
        for shape in shapes["boxes"]:
            shape.set(facecolor=colour, alpha=0.6)
        axis.plot([], [], color=colour, linewidth=6, alpha=0.6,
                  label="raw libfabric" if tag == "baseline" else "ours")
    axis.set_xticks(range(len(sizes)), [f"{s >> 20} M" if s >= 1 << 20 else f"{s >> 10} K"
                                        if s >= 1024 else str(s) for s in sizes], fontsize=8)
    axis.set_yscale("log")


def draw(drawer, document):
    for op, label in OPERATIONS:
        figure, axes = pictures.panels(drawer, 2, 2, (11, 7), sharey=False, share=0.06)
        for across, bound in zip(axes, BOUND):
            store = bands.table(document.rows(bound))
            for axis, endpoint in zip(across, ENDPOINTS):
                _boxes(axis, store, f"{endpoint}-{bound}", op)
                axis.set_title(f"{label}, {endpoint}, {bound}", fontsize=9)
                drawer.log_ticks(axis)
            across[0].set_ylabel("µs")
        for axis in axes[-1]:
            axis.set_xlabel("bytes")
        pictures.legend(figure, [axis for across in axes for axis in across], 2)
        drawer.save(figure, f"2-overhead-{op}.png")
