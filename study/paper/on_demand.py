# SPDX-License-Identifier: BSD-3-Clause
"""5: connections on demand and a start without waiting."""

import os
import statistics

from startup import calibrate, page as startup_page, programs, sections, simulation
from startup.limits import all_limits

from . import page
from .measure import Part

NAME = "on-demand"
TITLE = "5. Connections on demand, and a start without waiting"
PUBLISHED = """\
*On-demand Connection Management for OpenSHMEM and OpenSHMEM+MPI* (Chakraborty, Subramoni,
Perkins, Awan, Panda; IPDPS Workshops 2015) connects processes at first contact and exchanges
addresses without blocking. Known of its Figures 5 to 9: at 8,192 processes initialisation is 30
times and a hello 8.3 times faster than with all connections at start; up to 90 % fewer
endpoints; less than 3 % change of latency once connected; NAS benchmarks take 18 to 35 % less
from launch to end; with work to overlap the cost of initialisation is constant. Its machine and
other numbers were not at hand."""
SECTIONS = {
    "hello": "hello from launch to end, beside fork and exec",
    "init": "time in shmem_init, connections, endpoints, memory: on demand, blocking, static",
    "ring": "start, a token round all PEs, end",
    "overlap": "the wait for the exchange of addresses after computing",
    "latency": "latency once connected, on demand against static",
    "peers": "peers, connections and memory of whole programs",
    "endtoend": "whole programs from launch to end, static against on demand"}


class Rows:
    """What sections write into: a part's rows."""

    def __init__(self):
        self.rows = []

    @staticmethod
    def has(_section, _key):
        return False

    def add(self, _section, row, _seconds):
        self.rows.append(row)


class Measured:
    """The parts that the simulator is calibrated with; calibrate and limits ask for sections."""

    def __init__(self, known):
        self.data = {"sections": {name: {"rows": rows} for name, rows in known.items()}}

    def section(self, name):
        return self.data["sections"].get(name)

    def save(self):
        pass


def context_of(context):
    builder = context.builder
    with builder.lock():
        builder.baselines(("plain", "forkexec"))
        builder.peer(context.ours, ("startup", "ring", "latency", "atomics"))
    programs.build(context.ours.compiler, os.path.join(builder.out_dir, context.ours.tag),
                   context.say)
    return sections.Context(context.stage, builder, context.quick, context.args.to)


def take(context, known, name):
    if "context" not in known:
        known["context"] = context_of(context)
    target = Rows()
    sections.measure(name, known["context"], target, {}, context.say)
    remarks = [" ".join(f"{k}={v}" for k, v in row.items()) for row in target.rows
               if "error" in row]
    known.setdefault("rows", {})[name] = target.rows
    return [row for row in target.rows if "error" not in row], remarks


def take_simulated(context, known):
    """Predicts what was measured in this run, and projects beyond."""
    document = Measured(known.get("rows", {}))
    program = os.path.join(context.args.simulators, "causeway-sim")
    try:
        if not os.path.exists(program):
            raise calibrate.NotEnough(f"the simulator {program}")
        prices = calibrate.prices(document)
        rows = [{"kind": "price", "name": name, "ns": round(value, 1), "how": calibrate.HOW[name]}
                for name, value in prices.items() if name in calibrate.HOW]
        checks = list(simulation.validate(program, prices, document))
        rows += [{"kind": "accuracy", "what": what, **far}
                 for what, far in simulation.summary(checks).items()]
        return [*rows, *checks, *simulation.project(program, prices, context.quick)], []
    except calibrate.NotEnough as lacking:
        return [], [f"no simulation without {lacking}"]


def parts(context):
    known = {}
    out = [Part(name, words, lambda name=name: take(context, known, name))
           for name, words in SECTIONS.items()]
    return [*out, Part("sim", "the simulator beside these measurements, and beyond them",
                       lambda: take_simulated(context, known), simulated=True)]


# ---------------------------------------------------------------- the page
CAPTIONS = {f"{NAME}-{name.removeprefix('startup-')}": caption
            for name, caption in startup_page.CAPTIONS.items()}


def _picture(figures, name):
    yield from page.picture(figures, f"5-{NAME}-{name}.png", CAPTIONS[f"{NAME}-{name}.png"])


def _median(document, part, figure, **key):
    values = [figure(row) for row in document.rows(part, **key)]
    return statistics.median(values) if values else None


def _published(document):
    """What the paper's abstract says, and the nearest that was measured here."""
    def init(row):
        return row["init_us"]["median"] / 1e3

    static = max((row["npes"] for row in document.rows("init", mode="static", endpoint="msg")),
                 default=0)
    nodes = max((row["nodes"] for row in document.rows("init", npes=static, mode="static")),
                default=0)
    key = {"npes": static, "nodes": nodes, "endpoint": "msg"}
    times = [_median(document, "init", init, mode=mode, **key) for mode in ("ondemand", "static")]
    if None not in times:
        yield ("initialisation, all connections at start ÷ on demand", "30, at 8,192 processes",
               f"{times[1] / times[0]:,.0f}, at {static} on {nodes} nodes (median PE "
               f"{times[0]:.2f} ms against {times[1]:.0f})")
    opened = [_median(document, "init", lambda row: row["connections"]["sum"], mode=mode, **key)
              for mode in ("ondemand", "static")]
    if None not in opened and opened[1]:
        yield ("fewer endpoints or connections", "up to 90 %",
               f"{1 - opened[0] / opened[1]:.0%} fewer connections in hello, "
               f"{1 - opened[0] / (static * (static - 1)):.1%} fewer than a mesh of processes")
    stencil = [_median(document, "peers", lambda row: row["connections"]["sum"], program="stencil",
                       mode=mode) for mode in ("ondemand", "static")]
    if None not in stencil:
        yield ("the same in a stencil", page.UNKNOWN, f"{1 - stencil[0] / stencil[1]:.0%} fewer")
    walls = []
    for name in dict.fromkeys(row["program"] for row in document.rows("endtoend")):
        for npes in dict.fromkeys(row["npes"] for row in document.rows("endtoend")):
            pair = [_median(document, "endtoend", lambda row: row["wall_ms"], program=name,
                            npes=npes, mode=mode) for mode in ("ondemand", "static")]
            if None not in pair:
                walls.append(pair[0] / pair[1])
    if walls:
        yield ("whole programs, on demand ÷ static, from launch to end", ".65 to .82",
               f"{min(walls):.2f} to {max(walls):.2f}, median {statistics.median(walls):.2f} "
               "(see below why)")


def _simulated(document):
    rows = document.rows("sim")
    if not rows:
        return
    yield "## Beyond this machine\n"
    yield from page.simulated(
        "The simulator runs the library's own placement, exchange and connection code for each PE "
        "(`study/sim`) at prices that were measured in this run with at most "
        f"{calibrate.LARGEST} PEs. Connections are counted, so they must agree exactly; times are "
        "predictions, and their errors stand here.")
    checks = [row for row in rows if row["kind"] == "validation"]
    spreads = simulation.spreads(Measured({"hello": document.rows("hello")}), checks)
    yield from page.table(("error as a share of what was measured", "median", "at most", "sizes",
                           "rounds measured differ by ±"),
                          ((row["what"], f"{row['median']:.0%}", f"{row['max']:.0%}", str(row["n"]),
                            f"{spreads[row['what']]:.0%}" if row["what"] in spreads else "–")
                           for row in rows if row["kind"] == "accuracy"))
    yield page.prose("Times are those of hello, without statistics. init_median is that of the "
                     "median PE. The mean follows the PEs that are interrupted within shmem_init, "
                     "by a tick of the scheduler's clock, or by PEs that wait for the others and "
                     "look each tenth of a second whether they live: they wait while new PEs come.")
    right = sum(row["predicted"]["connections"] == row["measured"]["connections"]
                for row in checks)
    yield f"Connections: {right} of {len(checks)} shapes exactly as counted.\n"
    yield from page.table(("price", "µs", "how it was measured"),
                          ((row["name"], f"{row['ns'] / 1e3:.4g}", row["how"])
                           for row in rows if row["kind"] == "price"))
    yield from page.table(
        ("simulated: PEs", "nodes", "mode", "program", "launcher", "launch to end",
         "shmem_init, mean", "connections", "most of one PE", "tables a PE", "shared in a node"),
        ((f"{row['npes']:,}", f"{row['nodes']:,}", row["mode"], row["pattern"], row["fence"],
          f"{row['wall_ms'] / 1e3:.2f} s", f"{row['init_mean_ms']:.1f} ms",
          f"{row['connections']:,}", str(row["most_connections"]),
          f"{row['table_bytes_pe'] / 1024:.0f} KiB",
          f"{row.get('table_bytes_node', 0) / 1024:.0f} KiB")
         for row in rows if row["kind"] == "projection"))


def _ring(document):
    rows = document.rows("ring")
    yield page.prose("Real processes: start, a token twice round all PEs, end. More of them "
                     "with `--to N`.")
    yield from page.table(("PEs", "nodes", "from launch to end", "the ring"),
                          ((f"{row['npes']:,}", str(row["nodes"]), f"{row['wall_ms'] / 1e3:.2f} s",
                            f"{row['ring_ms']:.0f} ms") for row in rows))


def lines(document, figures):
    yield from page.head(document, TITLE, PUBLISHED)
    yield page.prose(
        "\"Nodes\" are emulated on one machine: they share no memory and talk through libfabric, "
        "but they share its cores. Here a connection goes from a process to a node, and there it "
        "went from process to process: what grew with processes grows with nodes. Bands are the "
        "least and the most of all rounds.")
    yield "## What is known of the figures, and ours\n"
    yield from page.table(("", "published", "ours"), _published(document), left=3)
    yield "## Figure 5 and 6: initialisation and hello\n"
    for name in ("init", "hello"):
        yield from _picture(figures, name)
    yield from _ring(document)
    yield "## Overlap\n"
    yield from _picture(figures, "overlap")
    yield "## Resources\n"
    for name in ("resources", "peers"):
        yield from _picture(figures, name)
    yield "## Latency once connected\n"
    yield from _picture(figures, "latency")
    yield "## Whole programs\n"
    yield from _picture(figures, "endtoend")
    yield from startup_page.idle_cores(document.section("endtoend"))
    yield from _picture(figures, "simulated")
    yield from _simulated(document)
    yield "## Limits\n"
    yield from page.table(
        ("", "limit", "measured", ""),
        ((limit.what, limit.asked, limit.seen or "–",
          {True: "met", False: "missed", None: "not measured"}[limit.met])
         for limit in all_limits(document)), left=4)


# ---------------------------------------------------------------- pictures
def draw(drawer, document):
    from startup.figures import Figures

    class Pictures(Figures):
        def save(self, figure, name):
            super().save(figure, f"5-{NAME}-{name.removeprefix('startup-')}")

    drawer.written += Pictures(document, drawer.folder).all()
