# SPDX-License-Identifier: BSD-3-Clause
"""3: DART with nested shared-memory and RMA windows."""

import os
import shutil
import subprocess

from driver import dart as bench
from driver.measure import Run
from driver.plan import Group
from driver.table import show

from . import bands, page
from .measure import Part

NAME = "dart"
TITLE = "3. DART beside MPI's one-sided transfers"
PUBLISHED = """\
*Leveraging MPI-3 Shared-Memory Extensions for Efficient PGAS Runtime Systems* (Zhou, Idrees,
Gracia; Euro-Par 2015) nests MPI's shared-memory windows in RMA windows: loads and stores on a
node, MPI between nodes. On a Cray XC40 its Figures 3 to 6 show the latency of blocking put and
get of 2^0 to 2^21 bytes, on a node and between nodes; latency by distance at 8 B and 1 MiB;
RandomAccess; a five-point stencil. Its finding: transfers on a node match low-level RMA
libraries, those between nodes MPI. Its numbers were not at hand."""
REFERENCE = "reference"  # the tag of what --dart-prefix names
CODES = {bench.LATENCY: "latency", bench.COLLECTIVE: "collective"}


# ---------------------------------------------------------------- the reference implementation
def mpi_of(prefix):
    """With which MPI a prefix was built: Open MPI's symbols have its name."""
    for folder in ("lib", "lib64"):
        for name in ("libdart-mpi.a", "libdart-mpi.so"):
            path = os.path.join(prefix, folder, name)
            if os.path.exists(path):
                done = subprocess.run(["nm", "-g", *(["-D"] if path.endswith("so") else []), path],
                                      capture_output=True, text=True, check=False)
                return "openmpi" if "ompi_mpi_" in done.stdout else "mpich"
    raise SystemExit(f"papers: --dart-prefix {prefix}: it has no libdart-mpi in lib or lib64")


def build_reference(prefix, out):
    """bench/dart.c against it; the MPI's name, and why it cannot be built, or None."""
    mpi = mpi_of(prefix)
    folders = [os.path.join(prefix, name) for name in ("lib", "lib64")]
    command = [f"mpicc.{mpi}", *bench.build.CFLAGS, "-I", os.path.join(prefix, "include"),
               os.path.join("bench", "dart.c"), os.path.join("bench", "common.c"), "-o", out,
               *(word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")),
               "-ldart-mpi", "-ldart-base", "-lm", "-lpthread"]
    if not shutil.which(command[0]):
        return mpi, f"there is no {command[0]}"
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    return mpi, done.stderr.strip().splitlines()[0] if done.returncode else None


class Peers:
    """Builds everything once; the launches by part."""

    def __init__(self, context):
        self.context, self.remarks = context, []
        # --quick is for machines under load, where MPIs that poll have no bound
        found = {} if context.quick else bench.MPIS
        bench.MPIS = found
        examples = bench.build_all(context.builder, context.ours, context.builder.bench_dir + "/..",
                                   context.say)
        self.plan = bench.Plan(context.ours, context.builder, examples, context.quick)
        self.groups = [runs for runs, _ in self.plan.groups()]
        self.reference = None
        if context.args.dart_prefix:
            self._build_reference(os.path.abspath(context.args.dart_prefix))
        else:
            self.remarks.append("the reference implementation: no --dart-prefix")
        missing = [name for name in ("mpich", "openmpi") if name not in self.plan.mpis]
        self.remarks += [f"{name}: " + ("left out of a trial run" if context.quick else
                                        "not installed") for name in missing]

    def _build_reference(self, prefix):
        out = self.context.builder.path(REFERENCE, "dart")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        mpi, why = build_reference(prefix, out)
        if why or not shutil.which(bench.MPIS.get(mpi, ("",))[0] or "mpiexec.hydra"):
            self.remarks.append(f"the reference implementation on {mpi}: {why or 'no launcher'}")
        else:
            self.reference = (mpi, out)

    def of_reference(self, mode, loops=0, layout="local"):
        if not self.reference:
            return []
        mpi, program = self.reference
        launcher = {"mpich": "mpiexec.hydra", "openmpi": "orterun"}[mpi]
        command = [launcher, "-n", "2", program, *self.plan.common, "--mode", mode]
        return [lambda: Run(REFERENCE, layout, 2, "the reference", command,
                            {**os.environ, **bench.AS_ROOT}, loops=loops)]

    def barriers(self, loops):
        """Ours and MPIs' of two processes on a node."""
        layout = "loaded" if loops else "local"
        ours = [*self.context.ours.command("local", 2),
                self.context.builder.path("causeway", "dart"), *self.plan.common, "--mode",
                bench.COLLECTIVE, "--only", "barrier"]
        runs = [lambda: Run("causeway", layout, 2, "barrier", ours,
                            self.context.ours.environment("local"), loops=loops)]
        for mpi, (launcher, _) in self.plan.mpis.items():
            command = [launcher, "-n", "2", self.context.builder.path(mpi, "mpi_rma"),
                       *self.plan.common, "--mode", "2"]
            runs.append(lambda mpi=mpi, command=command: Run(
                mpi, layout, 2, "barrier", command, {**os.environ, **bench.AS_ROOT}, loops=loops))
        return runs + self.of_reference(bench.COLLECTIVE, loops, layout)

    def take(self, name):
        rounds = 1 if self.context.quick else 2
        latency, collective, distance, sleepers, programs = self.groups
        groups = {
            "latency": [*latency, *self.of_reference(bench.LATENCY)], "distance": distance,
            "collective": [*collective, *self.barriers(0)], "programs": programs,
            "beside": self.barriers(os.cpu_count()), "sleepers": sleepers}
        once = name in ("distance", "programs")
        rows, remarks = self.context.interleaved([(name, Group(groups[name]))],
                                                 1 if once else rounds)
        return rows, [*remarks, *(self.remarks if name == "latency" else [])]


def parts(context):
    known = []

    def take(name):
        if not known:
            known.append(Peers(context))
        return known[0].take(name)

    what = {"latency": "puts, gets and atomics on a node and between nodes, with the peers in turn",
            "distance": "latency by distance: 8 units on 4 nodes",
            "programs": "RandomAccess and the stencil",
            "collective": "barrier, teams, memory; barriers of the MPIs",
            "beside": "barriers beside a loop for each core",
            "sleepers": "operations on a target that sleeps"}
    return [Part(name, words, lambda name=name: take(name), loaded=name == "beside")
            for name, words in what.items()]


# ---------------------------------------------------------------- the page
NAMES = {"causeway": "DART", "mpich": "MPICH", "openmpi": "Open MPI", "baseline": "memcpy",
         "shmem": "our OpenSHMEM", "nested": "MPICH, windows nested as published",
         REFERENCE: "reference"}


def _cell(band):
    return f"{show(band.median, band.unit)}" if band else "–"


def _peers_table(store, layout, ours, columns):
    """Blocking operations of ours beside plain MPI's."""
    found = [tag for tag in columns if store.sizes(tag, layout, "dart", "put")]
    rows = []
    for op, size in [(op, size) for op in ("put", "get") for size in (1, 8, 64, 512, 4096, 32768,
                                                                     262144, 1 << 21)] + [
            ("fetch_and_op", 8), ("compare_and_swap", 8)]:
        mine = [store.get(tag, where, "dart", op, size) for tag, where, _ in ours]
        shmem = [store.get("shmem", where, "latency", {"put": "put_quiet"}.get(op, op), size)
                 for _, where, _ in ours[-1:]]
        theirs = [store.get(tag, layout, "dart", op, size) for tag in found]
        if any(mine):
            rows.append((f"{op}, {size:,} B", *map(_cell, mine), *map(_cell, shmem),
                         *map(_cell, theirs)))
    return page.table(("", *(words for _, _, words in ours), NAMES["shmem"],
                       *(NAMES[tag] for tag in found)), rows)


def _barriers(store, loaded):
    yield "## Barrier of two\n"
    tags = [tag for tag in ("causeway", "mpich", "openmpi", REFERENCE)
            if store.get(tag, "local", "dart", "barrier", 0)]
    yield from page.table(
        ("on one node", *(NAMES[tag] for tag in tags)),
        ((words, *((f"{show(band.median, 'ns')} ({show(band.p10, 'ns')} to {show(band.p90, 'ns')})"
                    if band else "–") for tag in tags
                   for band in [table.get(tag, layout, "dart", "barrier", 0)]))
         for words, table, layout in (("alone", store, "local"),
                                      ("beside a loop for each core", loaded, "loaded"))))
    yield page.prose(
        "MPIs poll in a barrier: while both processes have a core that is the quickest way, and "
        "beside other work each burns the time slice that the other needs. Ours polls briefly, "
        "then yields, and beside load sleeps at once and is woken, which costs a system call on "
        "each side and leaves the processors to what computes.")


def lines(document, figures):
    store = bands.table([row for name in ("latency", "distance", "programs", "collective",
                                          "sleepers") for row in document.rows(name)])
    loaded = bands.table(document.rows("beside"))
    yield from page.head(document, TITLE, PUBLISHED)
    yield from page.items(
        "Peers, in the same run and in turn: put or get and flush of plain MPI (an allocated "
        "window, the target in a barrier), our OpenSHMEM, and the reference implementation where "
        "a prefix of it is given (`--dart-prefix`); MPICH also with a shared-memory window "
        "attached to a dynamic one, as published.",
        "Emulated nodes and TCP over loopback in place of a Cray; the published ratios on a node "
        "(ours to plain loads and stores) can be compared, those of a network cannot.",
        "An earlier column, our DART in windows as published, is gone, and its code has left the "
        "library: its atomics waited for a proxy that slept .2 ms at a time (some 300 µs each), "
        "which said nothing of that arrangement. MPI alone in the same arrangement stands for it.")
    yield "## Figure 3 and 4: blocking put and get\n"
    yield from page.picture(figures, "3-dart-latency.png",
                            "Blocking put and get by size, on a node and between nodes.")
    yield "### On a node, with the peers\n"
    yield from _peers_table(store, "local", [("causeway", "local", "DART")],
                            ("baseline", "mpich", "openmpi", REFERENCE))
    yield "### Between two nodes, with the peers\n"
    yield from _peers_table(store, "tcp", [("causeway", "rdm", "DART, rdm"),
                                           ("causeway", "msg", "DART, msg")],
                            ("mpich", "openmpi", "nested"))
    tables = "\n".join(bench.latency_tables(store)).replace("\n## ", "\n### ")
    yield "## The same with its spread, and on windows of an MPI\n"
    yield tables.replace("## On a node", "### On a node", 1) if tables.startswith("## ") else tables
    yield from _barriers(store, loaded)
    yield "## By distance\n"
    yield from page.picture(figures, "3-dart-distance.png",
                            "Latency from unit 0 to each other unit, 8 units on 4 nodes.")
    yield from bench.example_tables(store)
    yield page.prose("RandomAccess in batches and the stencil verify their results. `getput` is "
                     "the published form: a get, an exclusive or, a put.")
    yield from bench.sleeper_table(store)
    yield page.prose("The paper names progress while the target computes as its future work; this "
                     "is that case.")


# ---------------------------------------------------------------- pictures
def draw(drawer, document):
    from driver import dart_plots

    drawer.store = bands.table([row for name in ("latency", "distance")
                                for row in document.rows(name)])
    save = drawer.save
    drawer.save = lambda figure, name: save(figure, f"3-{name}")
    dart_plots.latency(drawer)
    if drawer.store.sizes("causeway", "msg", "dart", "put_8", 8):
        dart_plots.distance(drawer)
