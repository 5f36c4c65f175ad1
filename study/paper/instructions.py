# SPDX-License-Identifier: BSD-3-Clause
"""1: instructions of OpenSHMEM and GASNet over libfabric."""

import re
import shutil

from driver import peers
from driver.measure import Run
from driver.plan import Group, Plan

from . import bands, page, pictures
from .measure import Part

NAME = "instructions"
LAYOUTS = ("local", "rdm", "msg")
WHERE = {"local": "one node", "rdm": "two nodes, rdm", "msg": "two nodes, msg"}
TITLE = "1. Instructions of OpenSHMEM, GASNet and UPC over libfabric"
PUBLISHED = """\
*Early Evaluation of Scalable Fabric Interface for PGAS Programming Models* (PGAS 2014) maps
GASNet, OpenSHMEM and Berkeley UPC over GASNet to the interface that became libfabric, and counts
instructions against the same mapping over Verbs: 82 % fewer for GASNet, 80 % for UPC, 95 % for
OpenSHMEM. Figures 6 to 8 show the counts by call. Its full text was not at hand: of single calls
the table below has the numbers that are known, and says where there is none."""
# What is known of the published counts: call -> (over Verbs, over SFI).
KNOWN = {"shmem_int_p": (None, 16), "shmem_quiet, idle": (None, 11),
         "gasnet_AMRequestShort": (345, 106), "gasnet_wait_syncnbi_puts": (160, 56)}
OPERATIONS = (("int_p", "shmem_int_p"), ("putmem", "shmem_putmem, 8 B"),
              ("add", "shmem_long_atomic_add"))
STATES = (("alone before its quiet", 1, 0), ("one of four", 4, 1),
          ("first of a flood of 64", 64, 0), ("third of a flood", 64, 2),
          ("later in a flood, appended", 64, 15))


class Upc(Run):
    """The model of UPC's runtime calls prints a table: a record a line."""

    def _parse(self, out, err, status):
        for line in out.splitlines():
            found = re.match(r"(.+?)(?: +-)? +(\d+)(?:-(\d+))? +(in all|to it)", line)
            if found:
                least, most = int(found[2]), int(found[3] or found[2])
                self.records.append({
                    "bench": "upc", "op": f"{found[1]}|{found[4]}", "bytes": 0,
                    "unit": "instructions", "median": least, "min": least, "max": most})
        if status != 0:
            self.error = self._sentence(status, err or out)
        elif not self.records:
            self.error = next(iter(out.splitlines()), "printed no result")


def _plain(context, cls, layout, program, args=(), bench=None):
    command = [*context.ours.command(layout, 2), context.builder.path("causeway", program), *args]
    env = {**context.ours.environment(layout), "LD_BIND_NOW": "1"}
    return lambda: cls("causeway", layout, 2, program, command, env, timeout=300, bench=bench)


def take_shmem(context):
    others = [peer for name in ([] if context.quick else ["oshcc"]) if shutil.which(name)
              for peer in peers.others(name)]
    for other in others:  # it polls: between two nodes its counting ends in minutes or never
        other.layouts = {"local": other.layouts["local"]}
    context.build(("insn", "states"))
    with context.builder.lock():
        for other in others:
            context.builder.peer(other, ("insn",))
    plan = Plan(context.ours, others, context.builder, context.quick, ["insn"])
    groups = plan.groups()
    runs = [_plain(context, Run, layout, "states", ("--mode", mode),
                   "states_threads" if mode == "1" else None)
            for layout in (("msg",) if context.quick else ("rdm", "msg"))
            for mode in (("0",) if context.quick else ("0", "1"))]
    rows, remarks = context.interleaved([*groups, ("states", Group(runs))], 1)
    if not others:
        remarks.append("no other OpenSHMEM: oshcc of Open MPI is not installed" if not context.quick
                       else "no other OpenSHMEM in a trial run")
    return rows, remarks


def take_gasnet(context):
    context.build(("gasnet_calls", "gasnet_calls_par", "upc_calls"))
    layouts = ("local", "msg") if context.quick else LAYOUTS
    runs = [_plain(context, Run, layout, program, ("--quick",)) for layout in layouts
            for program in ("gasnet_calls", "gasnet_calls_par")]
    runs += [_plain(context, Upc, layout, "upc_calls") for layout in layouts]
    rows, remarks = context.interleaved([("gasnet", Group(runs))], 1)
    kept = tuple(f"{call}." for call in GASNET)
    return [row for row in rows if row["bench"] == "upc" or row["op"].startswith(kept)], remarks


def parts(context):
    return [Part("shmem", "calls of OpenSHMEM in each state, beside Open MPI's",
                 lambda: take_shmem(context)),
            Part("gasnet", "calls of GASNet; UPC's shared write and fence",
                 lambda: take_gasnet(context))]


# ---------------------------------------------------------------- the page
def number(band):
    """The least, which is one without any delay, and the most, if it differs."""
    if not band:
        return "–"
    least, most = f"{band.low:.0f}", f"{band.high:.0f}"
    return least if least == most else f"{least} to {most}"


def state(store, layout, bench, op, size, position):
    """A count, with a word for where the call ended."""
    for what, words in (("to_provider", ""), ("appended", ", no call of the network")):
        band = store.get("causeway", layout, bench, f"{op}.{size}.{what}", position)
        if band and band.count > 1:
            return f"{band.median:.0f}{words}"
    return "–"


def summary(store, gasnet):
    def ours(call, layout):
        if call == "shmem_int_p":
            return "; ".join(f"{state(store, layout, 'states', 'int_p', size, position)} ({words})"
                             for words, size, position in STATES[:3])
        if call == "shmem_quiet, idle":
            return number(store.get("causeway", layout, "insn", "quiet.total.next", 0))
        name = {"gasnet_AMRequestShort": "AMRequestShort0.to_provider",
                "gasnet_wait_syncnbi_puts": "wait_syncnbi_puts.total"}[call]
        return gasnet_count(gasnet, layout, name)

    yield "## Figures 6 to 8: what is known of them\n"
    yield from page.table(
        ("call, between two nodes", "published, over Verbs", "published, over SFI", "ours, msg"),
        ((call, *(str(n) if n else page.UNKNOWN for n in known), ours(call, "msg"))
         for call, known in KNOWN.items()))
    yield from page.items(
        "Published counts go from the call to the network library as ours do; whether they hold a "
        f"proof of delivery is {page.UNKNOWN}. Our quiet returns when data are in the target's "
        "memory, so a put that is alone carries the proof with it.",
        "Ours are of the release build with threads and address randomisation possible, counted "
        "by single steps of warm calls, each provider's own instructions left out.",
        "Verbs was not measured: there is no such device here, and no mapping to it in this tree.")


def gasnet_count(store, layout, name, bench="insn_gasnet"):
    for which in ("next", "first", ""):
        op = f"{name}.{which}".rstrip(".")
        band = store.get("causeway", layout, bench, op, 0)
        if band:
            return number(band)
    return "–"


def states_tables(store):
    yield "## Every state of a small operation\n"
    yield page.prose(
        "A program meets one call in several states. Alone before its quiet, it carries its own "
        "proof of delivery. As one of a few it goes straight to the network. In a flood the first "
        "ones open a bundle (they go, and pay for its making); later ones are appended to it and "
        "call no network at all.")
    for layout in ("msg", "rdm"):
        if not store.sizes("causeway", layout, "states", "int_p.1.to_provider"):
            continue
        yield f"### {WHERE[layout]}\n"
        yield from page.table(
            ("call", *(words for words, _, _ in STATES)),
            ((f"{label}{', threads' if bench == 'states_threads' else ''}",
              *(state(store, layout, bench, op, size, position) for _, size, position in STATES))
             for bench in ("states", "states_threads") for op, label in OPERATIONS))


def calls_table(store, others):
    yield "## OpenSHMEM by call\n"
    yield page.prose("In a stream of calls of one kind: on one node to the return, between nodes "
                     "to the network library (fence and quiet idle, to their return). The least "
                     "and the most of ten.")
    columns = [("causeway", layout, f"ours, {WHERE[layout]}") for layout in LAYOUTS]
    columns += [(tag, "local", f"{name}, one node") for tag, name in others]
    columns = [column for column in columns
               if store.get(column[0], column[1], "insn", "int_p.total.next", 0)]
    rows = []
    for bench, words in (("insn", ""), ("insn_threads", ", threads")):
        for op in ("int_p", "int_g", "putmem", "fetch_add", "add", "quiet", "fence"):
            cells = []
            for tag, layout, _ in columns:
                idle = op in ("quiet", "fence") or layout == "local"
                kind = "total" if idle else "to_provider"
                cells.append(number(store.get(tag, layout, bench, f"{op}.{kind}.next", 0)))
            rows.append((f"{op}{words}", *cells))
    yield from page.table(("call", *(name for _, _, name in columns)), rows)


GASNET = ("AMRequestShort0", "AMRequestShort4", "AMRequestMedium0", "AMRequestLong0", "AMPoll",
          "put_nbi.8", "put_nbi_bulk.8", "wait_syncnbi_puts", "put.8", "get.8")


def gasnet_tables(store):
    yield "## GASNet\n"
    rows = []
    for bench, words in (("insn_gasnet", ""), ("insn_gasnet_par", ", PAR")):
        for call in GASNET:
            cells = [gasnet_count(store, layout, f"{call}.total", bench) if layout == "local" else
                     next((text for kind in ("to_provider", "total")
                           for text in [gasnet_count(store, layout, f"{call}.{kind}", bench)]
                           if text != "–"), "–") for layout in LAYOUTS]
            if set(cells) != {"–"}:
                rows.append((f"{call}{words}", *cells))
    yield from page.table(("call", *(WHERE[layout] for layout in LAYOUTS)), rows)
    yield "## UPC\n"
    yield page.prose(
        "The runtime calls that a UPC compiler emits for a write of a shared `int` and for "
        "`upc_fence`: **a model written by hand in C** (`bench/insn/upc_calls.c`), no UPC "
        "compiler. The paper's counts of single calls are "
        f"{page.UNKNOWN}; it reports 80 % fewer over SFI than over Verbs. A strict write "
        "(put_val, put_bulk) waits; relaxed ones (put_nbi_val) end with the fence, and are "
        "counted by their place before it.")
    names = {}
    for tag, layout, bench, op, _, _ in store.pools:
        if bench == "upc":
            call, kind = op.split("|")
            call = re.sub(r", (same|other) node", "", call)
            names.setdefault(call, {})[layout] = (
                number(store.get(tag, layout, bench, op, 0))
                + {"to it": " to the network"}.get(kind, f" {kind}"))
    yield from page.table(("call", *(WHERE[layout] for layout in LAYOUTS)), (
        (call, *(cells.get(layout, "–") for layout in LAYOUTS)) for call, cells in names.items()))


def lines(document, figures):
    store, gasnet = (bands.table(document.rows(name)) for name in ("shmem", "gasnet"))
    tags = sorted({row["peer"] for row in document.rows("shmem")} - {"causeway"})
    yield from page.head(document, TITLE, PUBLISHED)
    yield from summary(store, gasnet)
    yield from page.picture(figures, "1-instructions-states.png",
                            "Instructions of a call by its position in a window, two nodes, msg.")
    yield from page.picture(figures, "1-instructions-calls.png",
                            "Instructions by call, ours beside the published counts.")
    yield from states_tables(store)
    yield from calls_table(store, [(tag, {"openmpi": "Open MPI"}.get(tag, tag)) for tag in tags])
    yield from gasnet_tables(gasnet)


# ---------------------------------------------------------------- pictures
def draw(drawer, document):
    from driver.plots import BLUE, GREY, OTHERS

    store, gasnet = (bands.table(document.rows(name)) for name in ("shmem", "gasnet"))
    figure, (axes,) = pictures.panels(drawer, 1, 3, (11, 3.9), sharey="row")
    for axis, (op, label) in zip(axes, OPERATIONS):
        for size, colour, words in ((1, "#222222", "alone"), (4, OTHERS[1], "window of 4"),
                                    (64, BLUE, "window of 64")):
            for what, marker in (("to_provider", "o"), ("appended", "^")):
                found = [(at, band) for at in store.sizes("causeway", "msg", "states",
                                                          f"{op}.{size}.{what}")
                         for band in [store.get("causeway", "msg", "states", f"{op}.{size}.{what}",
                                                at)] if band.count > 1 and at < 16]
                if found:
                    end = "to the network" if what == "to_provider" else "appended"
                    axis.plot([at + 1 for at, _ in found], [band.median for _, band in found],
                              marker, color=colour, markersize=5,
                              fillstyle="full" if what == "to_provider" else "none",
                              label=f"{words}, {end}")
        axis.set_title(label, fontsize=9)
        axis.set_xlabel("position in the window")
    axes[0].set_ylim(bottom=0)  # of all three, once all have their points
    axes[0].set_ylabel("instructions")
    pictures.legend(figure, axes, 4)
    drawer.save(figure, "1-instructions-states.png")

    bars = [("int_p,\nalone", None, band_of(store, "int_p.1.to_provider", 0)),
            ("int_p,\none of four", 16, band_of(store, "int_p.4.to_provider", 1)),
            ("int_p,\nappended", None, band_of(store, "int_p.64.appended", 15)),
            ("quiet,\nidle", 11, store.get("causeway", "msg", "insn", "quiet.total.next", 0))]
    for label, published, name in (("AMRequest-\nShort", 106, "AMRequestShort0.to_provider"),
                                   ("wait_sync-\nnbi_puts", 56, "wait_syncnbi_puts.total")):
        bars.append((label, published, next(
            (band for which in ("next", "first") for band in
             [gasnet.get("causeway", "msg", "insn_gasnet", f"{name}.{which}", 0)] if band), None)))
    figure, axis = drawer.plt.subplots(figsize=(8, 3.4), constrained_layout=True)
    axis.bar([i - 0.2 for i in range(len(bars))], [b[1] or 0 for b in bars], 0.4, color=GREY,
             label="published, over SFI")
    axis.bar([i + 0.2 for i in range(len(bars))], [b[2].low if b[2] else 0 for b in bars], 0.4,
             color=BLUE, label="ours, msg")
    for i, (_, published, band) in enumerate(bars):
        axis.text(i - 0.2, (published or 0) + 2, str(published) if published else "not\nat hand",
                  ha="center", fontsize=7)
        axis.text(i + 0.2, (band.low if band else 0) + 2, f"{band.low:.0f}" if band else "–",
                  ha="center", fontsize=7)
    axis.set_xticks(range(len(bars)), [b[0] for b in bars], fontsize=8)
    axis.set_axisbelow(True)
    axis.set_ylabel("instructions")
    axis.legend(fontsize=8)
    drawer.save(figure, "1-instructions-calls.png")


def band_of(store, op, position):
    return store.get("causeway", "msg", "states", op, position)
