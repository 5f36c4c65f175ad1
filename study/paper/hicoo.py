# SPDX-License-Identifier: BSD-3-Clause
"""4: HiCOO, communication servers that cooperate along virtual topologies."""

import concurrent.futures
import functools
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import forwarded
import hotspot
import memory
import transfers
from startup.job import Job
from topologies import turns
from topologies.jobs import Jobs
from topologies.results import size

from . import load, page, pictures
from .measure import Part

NAME = "hicoo"
TITLE = "4. HiCOO: requests along virtual topologies"
PUBLISHED = """\
*HiCOO: Hierarchical cooperation for scalable communication in Global Address Space programming
models on Cray XT systems* (Yu, Que, Tipparaju, Vetter; JPDC 2012) lets ARMCI's servers forward
requests along virtual topologies of nodes, on Jaguar, 12 processes a node. Known of its figures:
all to all costs the master of a node 812 MB at 12,288 processes, and the other topologies cut
that growth 7.5, 16.6 and 45 times; with 20 % of the processes contending nearly all are faster
on the mesh; with 100 % a fetch-and-add falls from 8,000 µs to 2,000 to 6,000 µs; without
contention a put and a get are as before, an accumulate and a fetch-and-add a little slower;
NWChem's SiOSi3 takes 52 % less. Other numbers of it were not at hand."""
TOPOLOGIES = ("direct", "fcg", "mfcg", "cfcg", "hypercube")
SHAPES = ((256, 4), (86, 12))  # nodes, PEs a node: 1,024 processes each
REQUEST = {"fadd": 128, "vput": 640}  # bytes in a window, by cells of 128
PENALTY = 7.0  # ns for each message that waits: "direct" takes then what the paper has at 1,024
MEASURED = (16, 4)
PROGRAMS = {"lu": ("12-lu", "lu"), "scf": ("11-scf", "scf")}
# program, arguments, nodes, PEs a node, how often: class S is too small for more processes
CASES = (("lu", "S", 4, 1, 3), ("lu", "W", 8, 2, 1), ("scf", "-n 10", 4, 4, 2),
         ("scf", "-n 10", 16, 1, 2))
CLASSES = {"C": 162}  # points of a side
# Of the lower and the upper sweep, each a half of what class C takes in an iteration (2.04e12
# operations, 250 iterations); assumed: cores of 1 Gflop/s, as LU had then.
FLOPS_A_POINT, FLOPS_A_NS = 960, 1.0
WAVES = ((64, 4, "C"), (256, 4, "C"), (86, 12, "C"))
CASES_QUICK = (("lu", "S", 4, 1, 1), ("scf", "-n 8", 4, 2, 1))


# ---------------------------------------------------------------- what is measured
def take_memory(context):
    nodes = (4, 8) if context.quick else memory.sizes()
    rows = [{"kind": "computed", **row} for count in nodes
            for row in memory.rows_of(context.stage, count)]
    few = (4,) if context.quick else (4, 8, 16)
    words = ["hot", "vput", memory.PES_PER_NODE, 100, memory.ROUNDS]
    jobs = Jobs(context.stage, context.folder, len(few) * len(TOPOLOGIES))
    for count in few:
        for name in TOPOLOGIES:
            first = jobs.run(name, "rdm", count, memory.PES_PER_NODE, words, stats=True).pes[0]
            rows.append({"kind": "measured", "topology": name, "nodes": count,
                         "edge_nbytes": first["forwarding"]["edge_bytes"],
                         "most_held": first["forwarding"]["most_held"],
                         "peak": first["peak_rss_bytes"]})
    return rows, []


def wave_of(name, npes):
    """Planes, ns that one PE computes in a plane, bytes for a neighbour: a class of LU, cut among
    PEs."""
    side = CLASSES[name]
    points = side * side / npes
    return {"planes": side, "work": round(points * FLOPS_A_POINT / FLOPS_A_NS),
            "data": round(40 * points ** .5)}  # five doubles a point of the border


def take_simulated(context):
    """Every share of contention, with and without aggregation, with and without the penalty."""
    shares = (100,) if context.quick else hotspot.SHARES
    shapes = ((16, 4),) if context.quick else SHAPES
    runs = [{"npes": 1024 if nodes > 80 else nodes * ppn, "ppn": ppn, "operation": operation,
             "share": share, "penalty": penalty, "topology": topology, "packs": packs}
            for nodes, ppn in shapes for operation in hotspot.OPERATIONS for share in shares
            for penalty in ((PENALTY,) if share == 0 else (0.0, PENALTY))
            for topology, packs in hotspot.VARIANTS]
    # As published, a request takes a whole buffer, however small it is.
    runs += [{**run, "buffer_nbytes": REQUEST[run["operation"]]} for run in runs
             if not run["packs"] and run["topology"] != "direct"]
    program = os.path.join(context.args.simulators, "causeway-hotspot")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda run: hotspot.simulate(program, hotspot.PRICES, run), runs))
    for row in rows:
        if row["penalty"] == 0 or row["operation"] != "fadd":
            del row["by_rank"]
        else:
            row["by_rank"] = row["by_rank"][::4]
    return rows, []


def take_wave(context):
    """The wave fronts of LU, a plane a step, with and without aggregation."""
    shapes = WAVES[:1] if context.quick else WAVES
    runs = [{"npes": nodes * ppn, "ppn": ppn, "operation": "notify", "share": 100,
             "penalty": PENALTY, "topology": topology, "packs": packs, "nodes": nodes,
             "class": name, "rounds": 1, **wave_of(name, nodes * ppn)}
            for nodes, ppn, name in shapes for topology, packs in hotspot.VARIANTS]
    program = os.path.join(context.args.simulators, "causeway-hotspot")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda run: hotspot.simulate(program, hotspot.PRICES, run), runs)), []


def take_hot(context):
    nodes, ppn = (4, 2) if context.quick else MEASURED
    shape = {"nodes": nodes, "ppn": ppn, "rounds": 20 if context.quick else 50}
    shares = (100,) if context.quick else forwarded.SHARES
    jobs = Jobs(context.stage, context.folder, len(shares) * 2 * len(forwarded.VARIANTS))
    return [{"nodes": nodes, "ppn": ppn, **row} for operation in forwarded.OPERATIONS
            for share in shares
            for row in forwarded.hot_spot(jobs, shape, operation, share, 1)], []


def take_transfers(context, loops):
    """One PE's operations with each topology; `loops` processes compute beside it."""
    sizes = {"nodes": 4, "rounds": 10} if context.quick else {"nodes": 16, "rounds": 20}
    ppns = (2,) if context.quick else (4,) if loops else (4, 8, 11)
    again = 2 if context.quick or loops else turns_of(context)
    jobs = Jobs(context.stage, context.folder, len(ppns))
    rows = []
    for ppn in ppns:
        jobs_of = {name: functools.partial(
            lambda topology, ppn, fifo: jobs.job(topology, "msg", sizes["nodes"], ppn,
                                                 ["pair", fifo, sizes["rounds"]]), name, ppn)
            for name in TOPOLOGIES}  # fmt: skip
        with load.loops(loops):
            times = turns.take(jobs_of, again)
        jobs.progress(f"{ppn} PEs a node, {again} turns of {len(TOPOLOGIES)} jobs")
        for name in TOPOLOGIES:
            for (operation, nbytes), took in times[name].items():
                marks = transfers.percentiles(took)
                direct = transfers.percentiles(times["direct"][operation, nbytes])
                rows.append({"topology": name, "ppn": ppn, "name": operation, "nbytes": nbytes,
                             "quick_us": round(marks[0], 2), "median_us": round(marks[2], 2),
                             "ratio": round(marks[0] / direct[0], 3),
                             "ratio_median": round(marks[2] / direct[2], 3)})
    return rows, []


def turns_of(context):
    return 2 if context.quick else 5


def built(context, name):
    sys.path.insert(0, str(Path(context.builder.bench_dir).parent / "examples"))
    import programs  # of examples/

    folder, binary = PROGRAMS[name]
    example = next(e for e in programs.ALL if (e.folder, e.binary) == (folder, binary))
    return str(programs.build(example, Path(context.ours.compiler),
                              Path(context.folder) / "examples"))


def take_programs(context):
    """LU and SCF by topology, size and shape of the job, in turn."""
    rows, remarks = [], []
    found = {name: built(context, name) for name in PROGRAMS}
    for name, words, nodes, ppn, repeats in CASES_QUICK if context.quick else CASES:
        for number in range(repeats):
            for topology in TOPOLOGIES:
                command = [context.ours.launcher, "-n", str(nodes * ppn), "--emulate-nodes",
                           str(nodes), found[name], *words.split()]
                env = {"CAUSEWAY_TOPOLOGY": topology, "CAUSEWAY_ENDPOINT": "msg"}
                job = Job(command, nodes * ppn, env, 120, stats=number == 0).execute().verified()
                what = f"{name} {words}, {topology}, {nodes} × {ppn}"
                context.say(f"  {what}: {job.seconds:.2f} s {job.error or ''}".rstrip())
                if job.error:
                    remarks.append(f"{what}: {job.error}")
                    continue
                row = {"program": name, "input": words, "topology": topology, "nodes": nodes,
                       "ppn": ppn, "round": number,
                       "seconds": float(re.search(r"\bseconds=([\d.]+)", job.out)[1])}
                if job.pes:
                    row["arrived"] = sum(pe.get("forwarding", {}).get("arrived", 0)
                                         for pe in job.pes)
                rows.append(row)
    return rows, remarks


def take_nwchem(context):
    """A program that was built outside: not ours, and nothing of it is kept but the times."""
    program, rows, remarks = context.args.nwchem, [], []
    if not program:
        return [], ["NWChem: no --nwchem PROGRAM"]
    if not context.args.nwchem_input:
        return [], ["NWChem: no --nwchem-input FILE"]
    for path in context.args.nwchem_input:
        for nodes, npes in ((1, 2), (2, 2)):
            for topology in ("direct",) if nodes == 1 else TOPOLOGIES:
                words = ["--emulate-nodes", str(nodes)] if nodes > 1 else []
                job = Job([context.ours.launcher, "-n", str(npes), *words, program, path], npes,
                          {"CAUSEWAY_TOPOLOGY": topology}, timeout=600).execute()
                what = f"{os.path.basename(path)}, {topology}, {npes} PEs on {nodes} nodes"
                context.say(f"  NWChem {what}: {job.seconds:.1f} s {job.error or ''}".rstrip())
                if job.error:
                    remarks.append(f"NWChem {what}: {job.error}")
                else:
                    rows.append({"input": os.path.basename(path), "topology": topology,
                                 "nodes": nodes, "npes": npes, "seconds": round(job.seconds, 2)})
    return rows, remarks


def parts(context):
    return [Part("memory", "request buffers by topology: computed, and of jobs on emulated nodes",
                 lambda: take_memory(context)),
            Part("hot, simulated", "requests to PE 0: each share, with and without aggregation",
                 lambda: take_simulated(context), simulated=True),
            Part("hot, measured", "the same on emulated nodes", lambda: take_hot(context)),
            Part("transfers", "one PE's puts, gets, rows, accumulates, fetch-adds, locks",
                 lambda: take_transfers(context, 0)),
            Part("loaded", "the same beside a loop for each core",
                 lambda: take_transfers(context, os.cpu_count()), loaded=True),
            Part("programs", "LU and SCF by topology and size", lambda: take_programs(context)),
            Part("lu, simulated", "wave fronts of LU at the paper's sizes",
                 lambda: take_wave(context), simulated=True),
            Part("nwchem", "NWChem, if a program is given", lambda: take_nwchem(context))]


# ---------------------------------------------------------------- the page
def label(row):
    if "buffer_nbytes" in row:
        return f"{row['topology']}, a request a buffer"
    return f"{row['topology']}, aggregated" if row["packs"] else row["topology"]


def _memory(document):
    computed, measured = (document.rows("memory", kind=kind) for kind in ("computed", "measured"))
    known = {(row["topology"], row["nodes"]): row for row in computed}
    paper = memory.PAPER
    yield "## Memory of a node's master\n"
    yield page.prose(
        "Computed by the library's own arithmetic on nodes of 12: degree × 12 × 4 buffers × 16 "
        "KiB, the paper's parameters.")
    nodes = paper["pes"] // memory.PES_PER_NODE
    if ("fcg", nodes) in known:
        fcg = known["fcg", nodes]["nbytes"]
        yield from page.table(
            (f"{paper['pes']:,} processes", "published", "ours, computed", "fcg ÷ it, published",
             "fcg ÷ it, ours"),
            ((name, "812 MB" if name == "fcg" else page.UNKNOWN, f"{row['nbytes'] / 1e6:.1f} MB",
              "1" if name == "fcg" else f"{paper['ratios'][name]:g}", f"{fcg / row['nbytes']:.1f}")
             for name in memory.NAMES for row in [known[name, nodes]]))
        yield page.prose(
            "All to all is the paper's figure within 1 %. The others are half of what it has: "
            "its ratios fit 142 to 147 KiB for each process of a neighbour where all to all has "
            "65, as if a server that forwards had a second set of buffers to send from; ours "
            "forwards out of the buffers into which it received. That is read out of the ratios, "
            "not out of the paper.")
        last = max(row["nodes"] for row in computed)
        yield from page.table(
            (f"computed, {last * memory.PES_PER_NODE:,} processes", "degree", "longest route",
             "mean hops", "MiB"),
            ((name, f"{row['degree']:,}", str(row["longest"]), f"{row['mean_hops']:.2f}",
              f"{row['nbytes'] / 2**20:,.1f}") for name in memory.NAMES
             for row in [known[name, last]]))
    yield page.prose("Measured on emulated nodes of 12, all PEs of other nodes putting vectors to "
                     "PE 0 at once: what the server of node 0 has mapped agrees with the formula "
                     "to the byte.")
    yield from page.table(
        ("nodes", "topology", "formula, bytes", "mapped, bytes", "most held, bytes", "peak, MiB"),
        ((str(row["nodes"]), row["topology"],
          f"{known[row['topology'], row['nodes']]['nbytes']:,}" if row["topology"] != "direct"
          else "–", f"{row['edge_nbytes']:,}", f"{row['most_held']:,}",
          f"{row['peak'] / 2**20:.1f}") for row in measured), left=2)


def _simulated(document):
    rows = document.rows("hot, simulated")
    yield "## Contention: requests of many to one\n"
    yield from page.simulated(
        "The library's state machine of forwarding runs on each simulated node (`study/sim`), so "
        "messages, queues and packing are this code's; times follow from prices that are "
        "assumptions, and from a penalty for each message that waits, "
        f"{PENALTY:g} ns, chosen so that \"direct\" takes what the paper reports at 1,024 "
        "processes. Nothing else is fitted.")
    for npes, ppn, operation in dict.fromkeys((row["npes"], row["ppn"], row["operation"])
                                              for row in rows):
        some = [row for row in rows if (row["npes"], row["ppn"], row["operation"])
                == (npes, ppn, operation)]
        shares = sorted({row["share"] for row in some})
        what = {"fadd": "fetch-and-add", "vput": "vectored put, 8 × 64 B"}[operation]
        yield f"### Simulated: {what}, {-(-npes // ppn)} nodes of {ppn}\n"
        out = []
        for name in dict.fromkeys(map(label, some)):
            of = {(row["share"], row["penalty"]): row for row in some if label(row) == name}
            last = of[shares[-1], PENALTY]
            out.append((name,
                        *(f"{of[share, PENALTY]['mean_us']:,.1f}" for share in shares),
                        f"{of[shares[-1], 0.0]['mean_us']:,.0f}",
                        f"{100 * last['messages'] / last['requests']:.1f}", f"{last['queue']:,}"))
        yield from page.table(
            ("µs, penalty 7 ns", *(f"{share} %" for share in shares), "100 %, no penalty",
             "messages for 100 requests", "longest queue"), out)
    yield from page.items(
        "**Where the paper's gain comes from, and why ours differs.** It reports 8,000 µs for "
        "all to all and 2,000 to 6,000 along topologies. Ours without aggregation gains next to "
        "nothing: a fetch-and-add takes one unit of a window's 512, so windows hold nothing "
        "back, and the target's queue is as long as without a topology. Where each request "
        "takes one of the four buffers, however small it is (\"a request a buffer\"), windows "
        "are flow control: the queue at the target falls to some requests for each neighbour, "
        "and the time to and below the published range. So the published gain can be that of the "
        "buffers' number, which a topology makes small, not of forwarding as such. That is read "
        "out of this model, not out of the paper. Windows by bytes let more requests be under "
        "way where nothing contends.",
        "**With aggregation** a node sends what it has for the target as one message while an "
        "answer is under way: the queue falls to the order of the degree, and the time far below "
        "the published range.",
        "0 %: each PE alone, in turn. Forwarding costs there, a hop at a time.")


def _hot(document):
    rows = document.rows("hot, measured")
    if not rows:
        return
    nodes, ppn = rows[0]["nodes"], rows[0]["ppn"]
    shares = sorted({row["share"] for row in rows})
    yield f"## Measured: the same on {nodes} emulated nodes of {ppn}\n"
    yield page.prose(
        f"On {os.cpu_count() if not rows else document.data['conditions']['cpu'].split(', ')[1]}, "
        "which all nodes share: servers that forward take them from the PEs, so only a machine "
        "with a core for each shows a gain. On 16 real cores (an earlier run, one a cell, 1,000 "
        "fetch-adds a PE): 16 × 4 PEs direct 527 µs, fcg 338, mfcg 292, cfcg 276, hypercube 234; "
        "16 × 1: 96, 118, 98, 120, 97; 8 × 1: 35, 50, 54, 65, 57. So forwarding gains with "
        "several PEs a node and costs otherwise, which is the rule of `CAUSEWAY_TOPOLOGY=auto`.")
    for operation in dict.fromkeys(row["operation"] for row in rows):
        some = [row for row in rows if row["operation"] == operation]
        yield from page.table(
            (f"{forwarded.forwarded_page.NAMES[operation]}, µs",
             *(f"{share} %" for share in shares)),
            ((f"{topology}, {endpoint}",
              *(f"{row['mean_us']:,.0f}" for share in shares for row in some
                if (row["topology"], row["endpoint"], row["share"])
                == (topology, endpoint, share)))
             for topology, endpoint in forwarded.VARIANTS))


def _transfer_rows(rows, ppn, key):
    for name, nbytes in dict.fromkeys((row["name"], row["nbytes"]) for row in rows):
        of = {row["topology"]: row for row in rows
              if (row["name"], row["nbytes"], row["ppn"]) == (name, nbytes, ppn)}
        rows_of = "1 MiB in rows of " if name.startswith("strided") else ""
        yield (f"{name}, {rows_of}{size(nbytes)}",
               f"{of['direct']['quick_us' if key == 'ratio' else 'median_us']:,.0f} µs",
               *(f"{of[topology][key]:.2f}" for topology in TOPOLOGIES[1:]))


def _transfers(document):
    rows = document.rows("transfers")
    yield "## Figures 13 and 14: without contention\n"
    yield page.prose(
        "One PE of the last node and PE 0, the others asleep in a barrier; jobs of all topologies "
        "live at once and take turns in random order. Direct in µs, the tenth percentile (a "
        "wake-up that finds its core asleep adds 5 µs in each job alike); the others in parts of "
        "direct. Contiguous puts and gets go straight with every topology, as in the paper. "
        "Accumulates, fetch-and-adds, locks and heads of strided transfers are forwarded, and "
        "wake one server more for each hop on cores that the nodes share. \"strided get\" is "
        "Figure 14's GetS.")
    for ppn in sorted({row["ppn"] for row in rows}):
        yield f"### {ppn} PEs a node\n"
        yield from page.table(("", *TOPOLOGIES), _transfer_rows(rows, ppn, "ratio"))
    yield from page.picture(figures_of(document), "4-hicoo-strided.png",
                            "Bandwidth of strided puts and gets of 1 MiB by length of a row.")
    loaded = document.rows("loaded")
    for ppn in sorted({row["ppn"] for row in loaded}):
        yield f"### Loaded: {ppn} PEs a node, beside a loop for each core\n"
        yield page.prose("Medians: what a PE waits for is mostly a core.")
        yield from page.table(("", *TOPOLOGIES), _transfer_rows(loaded, ppn, "ratio_median"))


def figures_of(document):
    return document.drawn


def _waves(document):
    """Of Figure 16 at the paper's sizes."""
    rows = document.rows("lu, simulated")
    yield "### Simulated: wave fronts of LU\n"
    yield from page.simulated(
        "An iteration is two sweeps of a wave front over a grid of PEs, a plane of points a step "
        "(`study/sim/wave.c`): a PE computes, puts the border of its plane to two neighbours, and "
        "notifies them. Puts go straight; notifies run through the library's state machine of "
        "forwarding on each node. Times follow from assumed prices and cores of 1 Gflop/s; nothing "
        "is fitted but the penalty, which hardly shows here. Milliseconds an iteration, and in "
        "brackets messages with requests or answers that arrive at servers for a notify.")
    shapes = dict.fromkeys((row["class"], row["nodes"], row["ppn"]) for row in rows)
    out = []
    for name in dict.fromkeys(map(label, rows)):
        cells = []
        for shape in shapes:
            row = next(row for row in rows if label(row) == name
                       and (row["class"], row["nodes"], row["ppn"]) == shape)
            cells.append(f"{row['iteration_us'] / 1e3:.2f} "
                         f"({row['messages'] / row['requests']:.1f})")
        out.append((name, *cells))
    yield from page.table(
        ("", *(f"class {name}, {nodes} nodes × {ppn}" for name, nodes, ppn in shapes)), out)
    yield page.prose(
        "A notify is one message to one neighbour, on whose way nothing is packed, so each hop is "
        "time that the wave front waits: LU gains by no topology here, and the fewer hops the "
        "better. What the paper gains for LU is not in this model, nor in the measurement above.")


def _programs(document):
    rows = document.rows("programs")
    yield "## Figure 16: NAS LU, and Figure 17 by SCF\n"
    yield page.prose(
        "LU of the NAS benchmarks over our ARMCI (`examples/12-lu`, verified against its "
        "reference norms) and a self-consistent field with a shared counter and accumulates "
        "(`examples/11-scf`, verified energies): seconds of the timed part, the median of "
        "turns, and how many messages with requests arrived at servers in one run, each hop "
        "counted (direct: requests). LU's data are puts, which go straight with every topology; "
        "the notify behind each is a request and is forwarded, so a wave front waits for a "
        "server more at each hop, on cores that the nodes share. SCF's counter and accumulates "
        "travel packed. The paper shows LU by topology and size; its numbers were not at hand.")
    out = []
    for name, words, nodes, ppn in dict.fromkeys((row["program"], row["input"], row["nodes"],
                                                  row["ppn"]) for row in rows):
        some = [row for row in rows if (row["program"], row["input"], row["nodes"], row["ppn"])
                == (name, words, nodes, ppn)]
        cells = []
        for topology in TOPOLOGIES:
            took = [row["seconds"] for row in some if row["topology"] == topology]
            count = [row["arrived"] for row in some
                     if row["topology"] == topology and "arrived" in row]
            cells.append("–" if not took else f"{statistics.median(took):.3f} s"
                         + (f", {count[0]:,}" if count else ""))
        out.append((f"{name} {words}, {nodes} nodes × {ppn}", *cells))
    yield from page.table(("seconds, messages", *TOPOLOGIES), out)
    yield from _waves(document)
    nwchem = document.rows("nwchem")
    yield "## Figure 17: NWChem\n"
    if nwchem:
        yield from page.table(
            ("input", "PEs, nodes", *TOPOLOGIES),
            ((name, f"{npes}, {nodes}",
              *(f"{row['seconds']:.1f} s" if row else "–" for topology in TOPOLOGIES
                for row in [next((r for r in nwchem if (r["input"], r["npes"], r["nodes"],
                                                        r["topology"])
                                  == (name, npes, nodes, topology)), None)]))
             for name, npes, nodes in dict.fromkeys((r["input"], r["npes"], r["nodes"])
                                                    for r in nwchem)), left=2)
    else:
        yield page.prose(
            "No program was handed over (`./dev papers --only 4 --nwchem PROGRAM --nwchem-input "
            "FILE`). An earlier run on two cores: dft_siosi3 with 2 ranks took .77 to .84 of the "
            "time over ComEx. The paper's 52 % is of thousands of processes.")


def lines(document, figures):
    document.drawn = figures
    yield from page.head(document, TITLE, PUBLISHED)
    yield from page.picture(figures, "4-hicoo-memory.png",
                            "Request buffers of a node's first PE by processes and topology. "
                            "Dotted lines are computed, circles measured, crosses published.")
    yield from _memory(document)
    yield from page.picture(figures, "4-hicoo-simulated.png",
                            "SIMULATED: a fetch-and-add by share of contending processes, 256 "
                            "nodes of 4 and 86 of 12.")
    yield from page.picture(figures, "4-hicoo-ranks.png",
                            "SIMULATED: a fetch-and-add by rank, all topologies with aggregation.")
    yield from _simulated(document)
    yield from _hot(document)
    yield from _transfers(document)
    yield from _programs(document)


# ---------------------------------------------------------------- pictures
def _draw_memory(drawer, document):
    figure, (axes,) = pictures.panels(drawer, 1, 1, (7, 5.2), share=0.22)
    axis = axes[0]
    for name in memory.NAMES:
        colour = pictures.COLOURS[name]
        rows = document.rows("memory", kind="computed", topology=name)
        axis.plot([row["pes"] for row in rows], [row["nbytes"] / 2**20 for row in rows], ":",
                  color=colour, label=f"{name}, computed")
        seen = document.rows("memory", kind="measured", topology=name)
        axis.plot([row["nodes"] * memory.PES_PER_NODE for row in seen],
                  [row["edge_nbytes"] / 2**20 for row in seen], "o", color=colour, markersize=5,
                  label=f"{name}, measured")
        ratio = memory.PAPER["ratios"].get(name, 1)
        axis.plot([memory.PAPER["pes"]], [memory.PAPER["fcg"] / ratio / 2**20], "x", color=colour,
                  markersize=8, label=f"{name}, published")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xlabel("processes, 12 a node")
    axis.set_ylabel("MiB of request buffers")
    ticks = (24, 192, 1536, 12288, 131072)
    axis.set_xticks(ticks, [f"{t:,}" for t in ticks])
    pictures.legend(figure, [axis], 4)
    drawer.save(figure, "4-hicoo-memory.png")


def _draw_simulated(drawer, document):
    rows = document.rows("hot, simulated", operation="fadd", penalty=PENALTY)
    shapes = sorted({(row["npes"], row["ppn"]) for row in rows})
    shares = sorted({row["share"] for row in rows})
    if len(shares) < 2:
        return
    figure, (axes,) = pictures.panels(drawer, 1, len(shapes), (11, 5.4), share=0.2, sharey="row")
    for axis, (npes, ppn) in zip(axes, shapes):
        for name in dict.fromkeys(map(label, rows)):
            some = {row["share"]: row["mean_us"] for row in rows
                    if (row["npes"], row["ppn"], label(row)) == (npes, ppn, name)}
            topology, _, how = name.partition(", ")
            axis.plot(range(len(shares)), [some[share] for share in shares],
                      {"aggregated": "-o", "a request a buffer": ":^"}.get(how, "--s"),
                      markersize=4, color=pictures.COLOURS[topology], label=name)
        axis.set_yscale("log")
        axis.set_xticks(range(len(shares)), [f"{share} %" for share in shares])
        axis.set_title(f"SIMULATED: {-(-npes // ppn)} nodes of {ppn}", fontsize=9)
        axis.set_xlabel("processes that contend")
    axes[0].set_ylabel("µs a fetch-and-add, mean")
    pictures.legend(figure, axes, 5)
    drawer.save(figure, "4-hicoo-simulated.png")


def _draw_ranks(drawer, document):
    rows = [row for row in document.rows("hot, simulated", operation="fadd", penalty=PENALTY)
            if row["packs"] or row["topology"] == "direct"]
    shapes = sorted({(row["npes"], row["ppn"]) for row in rows})
    shares = sorted({row["share"] for row in rows})
    figure, axes = pictures.panels(drawer, len(shapes), len(shares), (11, 2.4 * len(shapes) + 1),
                                   sharey=False)
    for across, (npes, ppn) in zip(axes, shapes):
        for axis, share in zip(across, shares):
            for row in rows:
                if (row["npes"], row["ppn"], row["share"]) == (npes, ppn, share):
                    ranks, times = zip(*row["by_rank"])
                    axis.plot(ranks, times, linewidth=1.3,
                              color=pictures.COLOURS[row["topology"]],
                              label=label(row))
            axis.set_yscale("log")
            axis.set_ylim(1, 3e4)
            axis.set_title(f"{-(-npes // ppn)} × {ppn}, {share} %", fontsize=9)
        across[0].set_ylabel("µs, simulated")
    for axis in axes[-1]:
        axis.set_xlabel("rank")
    pictures.legend(figure, [axis for across in axes for axis in across], 5)
    drawer.save(figure, "4-hicoo-ranks.png")


def _draw_strided(drawer, document):
    rows = document.rows("transfers")
    ppn = min((row["ppn"] for row in rows), default=0)
    if not ppn:
        return
    figure, (axes,) = pictures.panels(drawer, 1, 2, (10, 3.8), sharey="row")
    for axis, name in zip(axes, ("strided put", "strided get")):
        for topology in TOPOLOGIES:
            some = [row for row in rows if (row["name"], row["topology"], row["ppn"])
                    == (name, topology, ppn)]
            axis.plot([row["nbytes"] for row in some],
                      [(1 << 20) / row["quick_us"] / 1e3 for row in some], "-o", markersize=4,
                      color=pictures.COLOURS[topology], label=topology)
            pictures.size_ticks(axis, [row["nbytes"] for row in some])
        axis.set_title(f"{name}, 1 MiB, {ppn} PEs a node", fontsize=9)
        axis.set_xlabel("bytes of a row")
    axes[0].set_ylim(bottom=0)
    axes[0].set_ylabel("GB/s")
    pictures.legend(figure, axes, 5)
    drawer.save(figure, "4-hicoo-strided.png")


def draw(drawer, document):
    _draw_memory(drawer, document)
    _draw_simulated(drawer, document)
    _draw_ranks(drawer, document)
    _draw_strided(drawer, document)
