#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-plot FILE.json [-o IMAGE] [--draw all|timeline|waits|matrix] [--what bytes|calls|...]

Draws a job from the file that CAUSEWAY_STATS=json:FILE.json left: what each PE did over time, where
its time went, and who moved how much to whom. Needs numpy and matplotlib; -o FILE.html writes a
page that needs neither. `causeway-info --plot` runs this."""

import argparse
import contextlib
import gzip
import json
import sys
import zlib
from pathlib import Path

LABELS = {"bytes": "bytes put, got and sent", "calls": "transfers and messages",
          "put": "bytes put", "get": "bytes got", "atomics": "atomics", "messages": "messages",
          "message_bytes": "bytes of messages", "waited": "time waited for locks and messages"}
COUNTS = ("calls", "atomics", "messages")
# As in the page, tools/page.html.
COMPUTES, CALLS = "#e6ebee", "#3f7fbf"
WAITS = ("#d9541e", "#f0a05a", "#a8327d", "#c9a227", "#7a4b2a", "#b9b0a8")


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
    except (ValueError, RecursionError) as error:
        raise Unusable(
            f"{path} is not JSON ({error}); did the job end before shmem_finalize?") from error
    if (not isinstance(data, dict) or data.get("format") != "causeway-stats"
        or data.get("version") != 2):
        raise Unusable(
            f"{path} is not a statistics file of this version: make it with "
            f"CAUSEWAY_STATS=json:{path}")
    return data


@contextlib.contextmanager
def writing(image):
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a suffix that matplotlib does not know
        reason = getattr(error, "strerror", None) or error
        raise Unusable(f"cannot write {image}: {reason}") from error


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
    nodes = [record["node"] for record in in_order(data)]
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


def draw_matrix(figure, axes, data, what):
    import numpy
    from matplotlib.colors import LogNorm
    traffic = matrix(data, what)
    npes = len(traffic)
    some = traffic[traffic > 0]
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
    axes.set_title(f"traffic: {with_unit(traffic.sum(), what)} in all"
                   + (" (red: nodes)" if node_edges(data) else ""))


def in_order(data):
    return sorted(data["pes"], key=lambda record: record["pe"])


def library_us(record):
    counters = [*record["classes"].values(), *record["routines"].values()]
    return sum(counter["time_us"] for counter in counters)


def draw_waits(axes, data):
    """Bars of computing, communicating, and waiting in the routines that waited most."""
    pes = in_order(data)
    sums = {}
    for record in pes:
        for name, counter in record["routines"].items():
            sums[name] = sums.get(name, 0) + counter["waited_us"]
    names = [name for name in sorted(sums, key=sums.get, reverse=True) if sums[name] > 0]
    first, others = names[:len(WAITS) - 1], names[len(WAITS) - 1:]

    def waited(names):
        return [sum(record["routines"].get(name, {"waited_us": 0})["waited_us"]
                    for name in names) / 1000 for record in pes]
    parts = [(f"waits in {name}", WAITS[i], waited([name])) for i, name in enumerate(first)]
    if others:
        parts.append(("waits in others", WAITS[-1], waited(others)))
    library = [library_us(record) / 1000 for record in pes]
    parts.append(("communicates", CALLS, [max(0, all_ - w) for all_, w in
                                          zip(library, waited(names))]))
    parts.append(("computes", COMPUTES, [max(0, record["elapsed_us"] / 1000 - all_)
                                         for record, all_ in zip(pes, library)]))
    below = [0] * len(pes)
    for name, colour, values in parts:
        axes.bar([record["pe"] for record in pes], values, bottom=below, color=colour, label=name,
                 width=0.9 if len(pes) <= 64 else 1)
        below = [a + b for a, b in zip(below, values)]
    if len(pes) <= 32:
        axes.set_xticks([record["pe"] for record in pes])
    axes.set_xlabel("PE")
    axes.set_ylabel("ms")
    axes.set_title("time by PE")
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=2, frameon=False)


def draw_timeline(axes, data):
    """A row for each PE: the share of each slice of time in the library and in waits."""
    import numpy
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch
    pes = in_order(data)
    first = min(record["timeline"]["begin_us"] for record in pes)
    last = max(record["timeline"]["begin_us"] + record["elapsed_us"] for record in pes)
    columns = 1200
    picture = numpy.ones((len(pes), columns, 3))
    computes, calls, waits = (numpy.array(to_rgb(colour)) for colour in (COMPUTES, CALLS, WAITS[0]))
    for row, record in enumerate(pes):
        timeline, length = record["timeline"], record["timeline"]["slice_us"]
        at = first + (numpy.arange(columns) + 0.5) / columns * (last - first) - \
            timeline["begin_us"]
        inside = (at >= 0) & (at <= record["elapsed_us"])
        shares = []
        for name in ("library_us", "waiting_us"):
            values = numpy.array([*timeline[name], 0.0])
            slices = numpy.clip((at / length).astype(int), 0, len(values) - 1)
            # the last slice is cut where the job ended
            lengths = numpy.clip(record["elapsed_us"] - slices * length, 1e-3, length)
            shares.append(numpy.clip(values[slices] / lengths, 0, 1)[:, None])
        library, waited = shares[0], numpy.minimum(shares[0], shares[1])
        colours = computes * (1 - library) + calls * (library - waited) + waits * waited
        picture[row] = numpy.where(inside[:, None], colours, 1.0)
    scale, unit = (1e6, "s") if last - first >= 1e6 else (1e3, "ms")
    axes.imshow(picture, aspect="auto", interpolation="nearest",
                extent=(0, (last - first) / scale, len(pes) - 0.5, -0.5))
    for edge in node_edges(data):
        axes.axhline(edge - 0.5, color="#c03030", linewidth=1)
    if len(pes) <= 16:
        axes.set_yticks(range(len(pes)))
    axes.set_ylabel("PE")
    axes.set_xlabel(unit)
    axes.set_title("timeline")
    axes.legend(handles=[Patch(color=COMPUTES, label="computes"), Patch(color=CALLS, label=
                "in the library"), Patch(color=WAITS[0], label="waits")], fontsize=7, ncol=3,
                loc="lower right", bbox_to_anchor=(1, 1), frameon=False)


def draw(data, what, part, image):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    has_timeline = all("timeline" in record for record in data["pes"])
    if part == "timeline" and not has_timeline:
        raise Unusable("the statistics are of version 0.2, which kept no timeline")
    parts = [part] if part != "all" else (
        (["timeline", "timeline"] if has_timeline else []) + ["waits", "matrix"])
    rows = (len(parts) + 1) // 2
    shape = [parts[:2], parts[2:]] if rows == 2 else [parts]
    figure, panels = plot.subplot_mosaic(
        shape, constrained_layout=True,
        figsize={1: (7.2, 6.2), 2: (13, 6.2), 4: (13, 10)}[len(parts)],
        height_ratios=[2, 3] if rows == 2 else None)
    for name, axes in panels.items():
        if name == "matrix":
            draw_matrix(figure, axes, data, what)
        elif name == "waits":
            draw_waits(axes, data)
        else:
            draw_timeline(axes, data)
    job = data["job"]
    figure.suptitle(
        f"{Path(job['program']).name}: {job['npes']} PEs on {job['nnodes']} "
        f"node{'s' if job['nnodes'] != 1 else ''}"
        + (", ended early" if job.get("ended") == "early" else ""))
    with writing(image):
        figure.savefig(image, dpi=130)


def write_page(data, page):
    """The page that CAUSEWAY_STATS=html:PAGE writes, around the same data."""
    here = Path(__file__).resolve().parent
    templates = [folder / "share/causeway/page.html" for folder in here.parents] + \
        [here / "page.html"]
    template = next((path for path in templates if path.is_file()), None)
    if not template:
        raise Unusable(f"cannot find share/causeway/page.html above {here}: install Causeway whole")
    text = json.dumps(data).replace("<", "\\u003c")
    with writing(page):
        Path(page).write_text(template.read_text(encoding="utf-8").replace("@JOB@", text),
                              encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="causeway-plot",
                                     description="a job as an image: timeline, waits and "
                                     "traffic")
    parser.add_argument("file", help="what CAUSEWAY_STATS=json:FILE wrote")
    parser.add_argument("-o", "--output",
                        help="image, of any kind matplotlib knows by its suffix, or a page in HTML "
                        "(default: FILE.png)")
    parser.add_argument("--draw", choices=("all", "timeline", "waits", "matrix"), default="all",
                        help="one part only")
    parser.add_argument("--what", choices=sorted(LABELS), default="bytes",
                        help="what the colours of the matrix mean (default: bytes)")
    options = parser.parse_args()
    file = Path(options.file)
    image = options.output or str((file.with_suffix("") if file.suffix == ".gz" else file)
                                  .with_suffix(".png"))
    try:
        data = load(options.file)
        if image.endswith((".html", ".htm")):
            write_page(data, image)
        else:
            draw(data, options.what, options.draw, image)
    except Unusable as error:
        print(f"causeway-plot: {error}", file=sys.stderr)
        return 1
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        print(f"causeway-plot: {options.file} lacks what such a file has, or has something else "
              f"there ({type(error).__name__}: {error})", file=sys.stderr)
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
