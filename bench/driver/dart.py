# SPDX-License-Identifier: BSD-3-Clause
"""DART beside memcpy, OpenSHMEM, and the one-sided transfers of MPIs: ./dev bench --only dart. A
table, pictures (dart_plots.py), and with --report a page."""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

from . import build, measure, report
from .draw import draw
from .measure import Run
from .store import Store
from .table import show

MPIS = {"mpich": ("mpiexec.hydra", "MPICH"), "openmpi": ("orterun", "Open MPI")}
# Its windows of shared memory in a dynamic one; over UCX the dynamic windows of Open MPI 4.1 end in
# crashes.
NESTED = "mpich"
# Off shared memory, so that all compare over one medium.
TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo",
       # Open MPI's own windows over TCP do not bear threads; those of UCX do.
       "OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": "ucx",
       "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any",
       "OMPI_MCA_opal_common_ucx_tls": "any", "OMPI_MCA_opal_common_ucx_devices": "any",
       "OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0"}
# Open MPI's windows over transports crash in compare-and-swap on a node.
ON_NODE = {"OMPI_MCA_osc": "^rdma"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
LATENCY, PLAIN, COLLECTIVE, DISTANCE, SLEEPER = map(str, range(5))  # --mode of dart.c
OPERATIONS = ("put", "get", "put_flush", "put_handle", "fetch_and_op", "compare_and_swap",
              "accumulate", "put_rows", "get_rows")
BAR_MS = 5  # of an operation on a sleeping target


class Plan:
    """The launches, in groups that take turns."""

    def __init__(self, ours, builder, examples, quick):
        self.ours, self.builder, self.examples, self.quick = ours, builder, examples, quick
        self.common = ["--samples", "201", "--budget-ms", "3" if quick else "6"]
        self.common += ["--quick"] if quick else []
        self.mpis = {mpi: words for mpi, words in MPIS.items()
                     if shutil.which(words[0]) and (mpi, "mpi_rma") not in builder.missing}

    def _dart(self, tag, layout, npes, mode, *, nodes=1, mpi=None, transfers=None):
        """transfers: CAUSEWAY_MPI_TRANSFERS."""
        env = {**self.ours.environment(layout if layout in self.ours.layouts else "local"),
               **(AS_ROOT if mpi else {}), **(TCP if mpi else {})}
        command = [self.ours.launcher, "-n", str(npes)]
        if nodes > 1:
            command += ["--emulate-nodes", str(nodes)]
        if transfers:
            env["CAUSEWAY_MPI_TRANSFERS"] = transfers
        if mpi:
            env["CAUSEWAY_TRANSPORT"] = "mpi"
            node = (f'export CAUSEWAY_NODE=n$(({npes // nodes}00 * '
                    '${PMI_RANK:-$OMPI_COMM_WORLD_RANK} / '
                    f'{npes // nodes * npes // nodes}00)); exec "$@"')
            command = [self.mpis[mpi][0], "-n", str(npes), "sh", "-c", node, "sh"]
        command += [self.builder.path("causeway", "dart"), *self.common, "--mode", mode]
        return lambda: Run(tag, layout, npes, f"dart, mode {mode}", command, env)

    def _latencies(self):
        baseline = [self.builder.path("causeway", "dart"), *self.common, "--mode", PLAIN]
        runs = [lambda: Run("baseline", "local", 2, "memcpy", baseline, dict(os.environ)),
                self._dart("causeway", "local", 2, LATENCY)]
        for layout in ("local", "rdm", "msg"):
            command = [*self.ours.command(layout, 2), self.builder.path("causeway", "latency"),
                       *self.common, "--max-bytes", str(1 << 22)]
            runs.append(lambda layout=layout, command=command: Run(
                "shmem", layout, 2, "OpenSHMEM", command, self.ours.environment(layout)))
        for layout in ("rdm", "msg"):
            runs.append(self._dart("causeway", layout, 2, LATENCY, nodes=2))
        for mpi, (launcher, _) in self.mpis.items():
            command = [launcher, "-n", "2", self.builder.path(mpi, "mpi_rma"), *self.common]
            for layout, more in (("local", ON_NODE), ("tcp", TCP)):
                env = {**os.environ, **AS_ROOT, **more}
                runs.append(lambda mpi=mpi, layout=layout, command=command, env=env: Run(
                    mpi, layout, 2, "MPI RMA", command, env))
            runs.append(self._dart(f"dart-{mpi}", "tcp", 2, LATENCY, nodes=2, mpi=mpi))
            runs.append(self._dart(f"window-{mpi}", "tcp", 2, LATENCY, nodes=2, mpi=mpi,
                                   transfers="window"))
        if NESTED in self.mpis:
            command = [self.mpis[NESTED][0], "-n", "2", self.builder.path(NESTED, "mpi_rma"),
                       *self.common, "--mode", "1"]
            runs.append(lambda: Run("nested", "tcp", 2, "MPI RMA", command,
                                    {**os.environ, **AS_ROOT, **TCP}))
        return runs

    def _sleepers(self):
        runs = [self._dart("causeway", "local", 2, SLEEPER)]
        runs += [self._dart("causeway", layout, 2, SLEEPER, nodes=2) for layout in ("rdm", "msg")]
        return runs + [self._dart(f"dart-{mpi}", "tcp", 2, SLEEPER, nodes=2, mpi=mpi)
                       for mpi in self.mpis]

    def _example(self, name, layout, npes, *args):
        command = [*self.ours.command(layout, npes), str(self.examples[name]), *map(str, args)]
        return lambda: Example(layout, npes, name, command, self.ours.environment(layout), args)

    def _examples(self):
        units = (2, 4) if self.quick else (2, 4, 8, 16, 32)
        words = 18 if self.quick else 22
        runs = [self._example("random_access", "local", 1, words, "plain")]
        for npes in units:
            runs.append(self._example("random_access", "local", npes, words, "batches"))
            for method in ("getput", "atomic"):
                runs.append(self._example("random_access", "local", npes, words, method))
                # a table so large that 1 % of its words is more than the units may lose
                runs.append(self._example("random_access", "msg", npes, 14 + (npes > 8) * 2,
                                          method))
        for side in (64,) if self.quick else (64, 1024):
            for npes in (1, 2, 4, 8):
                runs.append(self._example("stencil", "local", npes, side))
                if npes > 1:
                    runs.append(self._example("stencil", "msg", npes, side))
        return runs

    def groups(self):
        yield self._latencies(), None
        yield [self._dart("causeway", "local", n, COLLECTIVE) for n in (2, 4)], None
        yield [self._dart("causeway", layout, 8, DISTANCE, nodes=4) for layout in ("rdm", "msg")], 1
        yield self._sleepers(), None
        yield self._examples(), 1


class Example(Run):
    """A program of examples/: its RESULT line is the measurement."""

    def __init__(self, layout, npes, name, command, env, args):
        super().__init__("causeway", layout, npes, name, command, env)
        self.args = args

    def _parse(self, out, err, status):
        results = [line.split()[1:] for line in out.splitlines() if line.startswith("RESULT ")]
        fields = dict(pair.split("=", 1) for pair in results[0]) if len(results) == 1 else {}
        if status != 0 or fields.get("verified") != "yes":
            self.error = self._sentence(status, err)
            return
        self.records = [{"bench": self.title, "op": fields.get("method", "sweep"),
                         "bytes": int(self.args[0]), "unit": fields["unit"],
                         "median": float(fields["rate"])}]


# ---------------------------------------------------------------- the page
def ratio(pool, base):
    return f"{pool.median / base.median:.2f}" if pool and base else "–"


def text(pool):
    return (f"{show(pool.median, pool.unit)} ({show(pool.p10, pool.unit)} – "
            f"{show(pool.p90, pool.unit)})") if pool else "–"


def rows_of(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "--:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def latency_tables(store):
    def get(tag, layout, op, nbytes, bench="dart"):
        return store.get(tag, layout, bench, op, nbytes)

    yield "## On a node\n"
    names = (("put_word", "put", 8), ("get_word", "get", 8), ("fetch_and_op", None, 8),
             ("compare_and_swap", None, 8), ("put", "put", 65536), ("get", "get", 65536),
             ("put", "put", 1 << 22), ("get", "get", 1 << 22), ("put_rows", "put_rows", 1 << 20),
             ("get_rows", "get_rows", 1 << 20))
    yield from rows_of(("operation, bytes", "DART", "memcpy", "memcpy ÷ DART"), (
        (f"{op}, {n}", text(ours), text(base), ratio(base, ours))
        for op, plain, n in names
        for ours, base in [(get("causeway", "local", op, n),
                            get("baseline", "local", plain, n) if plain else None)] if ours))
    yield "## Collective calls on a node\n"
    yield from rows_of(("calls", "2 units", "4 units"), (
        (label, *(text(store.get("causeway", "local", "dart", op, 0, n)) for n in (2, 4)))
        for op, label in (("barrier", "barrier"), ("team", "team create and destroy"),
                          ("memory", "memalloc and free of 1 MiB"))))
    yield "## Between two nodes\n"
    yield ("All over TCP on the loopback device. On an MPI, DART's transfers go the way that the "
           "first one found\nfaster, its window or messages, here messages. The ratios are to the "
           "put or get and flush of\nthat MPI, in a program that is alone in MPI; \"window ÷\" is "
           "the same ratio of DART with\n`CAUSEWAY_MPI_TRANSFERS=window`. The column of nested "
           "windows, if there is one, is that MPI alone in\nthe arrangement of DART's reference "
           "implementation.\n")
    mpis = [mpi for mpi in MPIS if store.sizes(f"dart-{mpi}", "tcp", "dart", "put")]
    head = ["operation, bytes", "DART, rdm", "DART, msg"]
    for mpi in mpis:
        head += [f"DART on {MPIS[mpi][1]}", f"÷ {MPIS[mpi][1]}", "window ÷"]
    nested = store.sizes("nested", "tcp", "dart", "put")
    head += [f"nested windows of {MPIS[NESTED][1]}"] if nested else []
    wanted = (8, 64, 4096, 32768, 262144, 1 << 20, 1 << 22)
    yield from rows_of(head, (
        [f"{op}, {n}", *(text(get("causeway", layout, op, n)) for layout in ("rdm", "msg")),
         *(cell for mpi in mpis for ours in [get(f"dart-{mpi}", "tcp", op, n)]
           for native in [get(mpi, "tcp", op, n)]
           for cell in (text(ours), ratio(ours, native),
                        ratio(get(f"window-{mpi}", "tcp", op, n), native))),
         *([text(get("nested", "tcp", op, n))] if nested else [])]
        for op in ("put", "get") for n in wanted if get("causeway", "msg", op, n)))


def sleeper_table(store):
    yield "## A target that sleeps\n"
    yield ("The worst of up to 200 operations of each round, its median, and how many took longer "
           f"than\n{BAR_MS} ms, if any. Rows are 1 MiB. The last line is no operation but a loop "
           "of .4 ms that calls nothing,\n"
           "in the same processes: what is above .4 ms there the machine took.\n")
    places = [("causeway", "local", "one node"), ("causeway", "rdm", "rdm"),
              ("causeway", "msg", "msg")]
    places += [(f"dart-{mpi}", "tcp", f"on {words[1]}") for mpi, words in MPIS.items()
               if store.get(f"dart-{mpi}", "tcp", "sleeper", "put")]

    def worst(tag, layout, op):
        pool, late = (store.get(tag, layout, bench, op) for bench in ("sleeper", "late"))
        if not pool:
            return "–"
        count = int(sum(late.medians))
        return (f"{pool.high / 1e6:.2f} ms ({pool.median / 1e3:.2f} µs)"
                + (f", {count} of {pool.count} late" if count else ""))

    yield from rows_of(("worst (median)", *(name for _, _, name in places)), (
        (op, *(worst(tag, layout, op) for tag, layout, _ in places))
        for op in (*OPERATIONS, "loop")))


def example_tables(store):
    def cell(bench, layout, op, size, npes):
        pool = store.get("causeway", layout, bench, op, size, npes)
        return f"{pool.median:.3g} {pool.unit}" if pool else "–"

    sizes = sorted({key[4] for key in store.pools if key[2] == "random_access"})
    counts = sorted({key[5] for key in store.pools if key[2] == "random_access" and key[5] > 1})
    yield "## RandomAccess\n"
    for size in sizes:
        plain = store.get("causeway", "local", "random_access", "plain", size, 1)
        if plain:
            yield (f"Plain loads and stores of one process on 2^{size} words: "
                   f"{plain.median:.3g} {plain.unit}.\n")
    columns = (*((op, "local") for op in ("getput", "batches", "atomic")),
               *((op, "msg") for op in ("getput", "atomic")))
    where = {"local": "one node", "msg": "two nodes"}
    yield from rows_of(("units", *(f"{op}, {where[layout]}" for op, layout in columns)), (
        (str(n), *(next((text for size in sizes for text in
                         [cell("random_access", layout, op, size, n)] if text != "–"), "–")
                   for op, layout in columns))
        for n in counts))
    yield "## Stencil\n"
    counts = sorted({key[5] for key in store.pools if key[2] == "stencil"})
    sides = sorted({key[4] for key in store.pools if key[2] == "stencil"})
    yield from rows_of(("units", *(f"{side}², {where}" for side in sides
                                   for where in ("one node", "two nodes"))), (
        (str(n), *(cell("stencil", layout, "sweep", side, n) for side in sides
                   for layout in ("local", "msg"))) for n in counts))


def page(document, store, figures, folder):
    yield "# DART, measured\n"
    yield "<!-- Generated by ./dev bench --only dart --report: do not edit. -->\n"
    yield ("Blocking puts and gets of DART beside memcpy, OpenSHMEM of the same library, and the "
           "one-sided\ntransfers of MPIs, in one run, taking turns round by round. Medians; in "
           "brackets the 10th and 90th\npercentile. Quote the ratios: the figures belong to the "
           "machine below. `bench/dart.c` says what an\noperation is. A missed bar is a line here, "
           "not a failure.\n")
    for figure in figures:
        name = os.path.relpath(figure, folder)
        yield f"![{Path(figure).stem}]({name})\n"
    yield from latency_tables(store)
    yield from sleeper_table(store)
    yield from example_tables(store)
    yield "## Conditions\n"
    yield from rows_of(("", ""), document["conditions"].items())
    for name, reason in document["remarks"].items():
        yield f"Remark: {name}: {reason}\n"


# ---------------------------------------------------------------- the command
def build_all(builder, ours, root, say):
    sys.path.insert(0, str(Path(root) / "examples"))
    import programs  # of examples/

    with builder.lock():
        builder.peer(ours, ["dart", "latency"])
        for mpi in MPIS:
            builder.mpi(mpi, "mpi_rma")
        out = Path(builder.out_dir) / "examples"
        names = {"stencil": "13-dart-stencil", "random_access": "14-dart-random-access"}
        wanted = {name: example for name, folder in names.items()
                  for example in programs.ALL if example.folder == folder}
        say("building")
        return {name: programs.build(example, Path(ours.compiler), out)
                for name, example in wanted.items()}


def main(args, ours, root, command, say):
    builder = build.Builder(os.path.join(root, "bench"), os.path.join(root, "build/bench"), say)
    json_file = args.from_json or args.json or os.path.join(root, "build/bench/dart.json")
    if args.from_json:
        with open(json_file, encoding="utf-8") as file:
            document = json.load(file)
        store = Store.from_rows(document["results"])
    else:
        conditions = report.conditions(root, [], "./dev bench " + shlex.join(command))
        if args.note:
            conditions["note"] = args.note
        examples = build_all(builder, ours, root, say)
        store = Store()
        say("measuring")
        rounds = args.rounds or (1 if args.quick else 3)
        for runs, most in Plan(ours, builder, examples, args.quick).groups():
            measure.interleave([("dart", Turns(runs, min(rounds, most or rounds)))], rounds, store,
                               say)
        document = {"conditions": conditions, "others": [], "results": list(store.rows()),
                    "remarks": {**{" ".join(who): why for who, why in builder.missing.items()},
                                **store.failures}}
        with open(json_file, "w", encoding="utf-8") as file:
            json.dump(document, file)
    folder = args.plots or os.path.join(root, "build/bench/plots")
    os.makedirs(folder, exist_ok=True)
    figures = draw("driver.dart_plots", json_file, folder, say)
    lines = list(page(document, store, figures, os.path.dirname(os.path.abspath(args.report))
                      if args.report else folder))
    say("\n".join(lines))
    if args.report:
        Path(args.report).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
        say(f"page: {args.report}")
    return 0 if store.pools else 1


class Turns:
    def __init__(self, runs, rounds):
        self.runs, self.rounds = runs, rounds


