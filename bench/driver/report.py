# SPDX-License-Identifier: BSD-3-Clause
"""The conditions of a run, and the page for docs/: ratios first, then all figures with their
spread."""

import datetime
import os
import platform
import re
import subprocess

from .table import behind, cells, digits, header, lines

HEADLINES = (
    ("local", "latency", "p", 8, 2, "p of 8 B, one node"),
    ("local", "latency", "put_quiet", 8, 2, "put + quiet of 8 B, one node"),
    ("local", "atomics", "fetch_add", 8, 2, "fetch_add, one node"),
    ("local", "latency", "put", 65536, 2, "put of 64 KiB, one node"),
    ("local", "pingpong", "p_wait", 8, 2, "p to wait, one node"),
    ("rdm", "pingpong", "p_wait", 8, 2, "p to wait, two nodes, rdm"),
    ("msg", "pingpong", "p_wait", 8, 2, "p to wait, two nodes, msg"),
    ("rdm", "latency", "put_quiet", 8, 2, "put + quiet of 8 B, two nodes, rdm"),
    ("msg", "latency", "put_quiet", 8, 2, "put + quiet of 8 B, two nodes, msg"),
    ("rdm", "latency", "get", 8, 2, "get of 8 B, two nodes, rdm"),
    ("msg", "latency", "get", 8, 2, "get of 8 B, two nodes, msg"),
    ("rdm", "atomics", "fetch_add", 8, 2, "fetch_add, two nodes, rdm"),
    ("msg", "atomics", "fetch_add", 8, 2, "fetch_add, two nodes, msg"),
    ("local", "am", "short_round_trip", 0, 2, "GASNet short message and reply, one node"),
    ("rdm", "am", "short_round_trip", 0, 2, "GASNet short message and reply, two nodes, rdm"),
    ("msg", "am", "short_round_trip", 0, 2, "GASNet short message and reply, two nodes, msg"),
    ("local", "coll", "barrier_all", 0, 2, "barrier_all of 2 PEs"),
    ("local", "coll", "barrier_all", 0, 8, "barrier_all of 8 PEs"),
    ("local", "coll", "barrier_all", 0, 32, "barrier_all of 32 PEs"),
    ("local", "startup", "wall", 0, 64, "hello with 64 PEs"),
    ("local", "startup", "pss", 0, 64, "Pss a PE with 64 PEs"),
)
FIGURES = (
    ("distributions.png", "Latency beside raw libfabric on the same provider: quartiles, median, "
                          "5th and 95th percentile."),
    ("messages.png", "Messages and transfers of GASNet beside bare flags (one node) and raw "
                     "libfabric: the same boxes."),
    ("latency.png", "Latency by size; the band is the 10th to the 90th percentile."),
    ("bandwidth.png", "Bandwidth of a window of non-blocking operations closed by one quiet. To "
                      "another node, puts of up to 2 KiB and gets of up to 256 bytes travel in "
                      "bundles, many in one message; longer ones go each by itself, as raw "
                      "libfabric's do, so the curve falls to that line: a bundle copies its data "
                      "twice, and the message of answers, of 4,064 bytes, has room for few long "
                      "gets. With CAUSEWAY_AGGREGATE=off there is no such edge: of 5,120 gets of "
                      "256 bytes 5,040 travel in 339 messages, of 257 bytes, or with off, each in "
                      "its own (docs/design/bundles.md)."),
    ("instructions.png", "Instructions, counted by single-stepping warm calls in a stream."),
    ("collectives.png", "Collectives on one node; from 4 PEs on, more PEs than cores."),
    ("startup.png", "Startup: wall time of a hello program, time inside shmem_init, memory a PE."),
)


def _text(cmd):
    try:
        return subprocess.run(cmd, capture_output=True, text=True, timeout=20,
                              check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def commit(root):
    """Of what is measured: pages and figures that a run writes make no other tree."""
    git = ["git", "-C", root]
    changed = _text([*git, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs"])
    name = _text([*git, "describe", "--always", "--abbrev=10"])
    return name + "-dirty" if name and changed else name


def conditions(root, peers, command):
    cpu = re.search(r"model name\s*: (.*)", _read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s+(\d+)", _read("/proc/meminfo"))
    system = re.search(r'PRETTY_NAME="(.*)"', _read("/etc/os-release"))
    fabric = re.search(r"libfabric: (\S+)", _text(["fi_info", "--version"]))
    dpkg = _text(["dpkg-query", "-W", "-f", "${Version}", "libfabric1"])
    virtual = _text(["systemd-detect-virt", "--vm"])
    fabric_text = dpkg or (fabric.group(1) if fabric else "not found")
    where = f", virtual machine ({virtual})" if virtual not in ("", "none") else ""
    name = system.group(1) if system else platform.system()
    out = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(root),
        "command": command,
        "cpu": f"{cpu.group(1) if cpu else platform.machine()}, {os.cpu_count()} cores{where}",
        "memory": f"{int(memory.group(1)) / 2**20:.0f} GiB" if memory else "",
        "system": f"{name}, kernel {platform.release()}",
        "compiler": _text(["cc", "--version"]).split("\n")[0],
        "libfabric": f"{fabric_text}; raw baseline: the provider net (tcp from 1.18 on), as "
                     "Causeway, over 127.0.0.1",
        "load average before": _read("/proc/loadavg").split(" ")[0],
    }
    for peer in peers:
        env = {**peer.env, **peer.layouts.get("tcp", {})}
        notes = " ".join(f"{name}={value}" for name, value in env.items())
        out[peer.name] = (f"`{peer.compiler}`; environment (UCX_…, OMPI_MCA_pml, _btl, _coll and "
                          f"_osc on two nodes only): {notes or 'none'}")
    return out


def _headlines(store, others):
    yield "| | Causeway ÷ baseline |" + "".join(f" Causeway ÷ {peer.name} |" for peer in others)
    yield "|---|--:|" + "--:|" * len(others)
    for layout, bench, op, nbytes, npes, label in HEADLINES:
        ours = store.get("causeway", layout, bench, op, nbytes, npes)
        if not ours:
            continue
        # Off the node an atomic is a round trip: the raw read is its baseline.
        base_key = ("atomics", "get") if bench == "atomics" and layout != "local" else (bench, op)
        pools = [store.get("baseline", layout, *base_key, nbytes, npes)]
        where = "local" if layout == "local" else "tcp"
        pools += [store.get(peer.tag, where, bench, op, nbytes, npes) for peer in others]
        ratios = [digits(ours.median / pool.median) if pool and pool.median else "–"
                  for pool in pools]
        yield f"| {label} | " + " | ".join(ratios) + " |"


def _behind(store, others):
    """First of all, what is not good."""
    found = behind(store, others)
    yield "## Behind\n"
    if not found:
        yield "No row: no peer is more than 5 % ahead, and no limit is missed.\n"
        return
    yield "Rows in which a peer is more than 5 % ahead, or a limit is missed.\n"
    yield "| | Causeway [p10–p90] | best peer | ÷ best peer | baseline | ÷ baseline | limit |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for line in found:
        best = line.best() if line.behind() else None
        yield "| " + " | ".join((
            f"{line.row.section}: {line.row.label}", line.ours_text(),
            f"{line.text(best[1])}, {best[0]}" if best else "", line.ratio(best[1]) if best else "",
            line.text(line.base) if line.base else "", line.distance(),
            f"{line.limit()} {line.verdict()}".strip())) + " |"
    yield ""


def _section_tables(store, others):
    section = None
    for line in lines(store, others):
        if line.row.section != section:
            section = line.row.section
            yield f"\n### {section}\n"
            head = header(others)
            yield "| " + " | ".join(head) + " |"
            yield "|---|" + "--:|" * (len(head) - 2) + "---|"
        yield "| " + " | ".join(cells(line, others)) + " |"


INTRODUCTION = """\
# Measured

<!-- Generated by bench/run.py --report: do not edit. -->

All figures of this page were measured in one run, libraries taking turns round by round, so quote
the **ratios**: the absolute figures belong to the machine below. The baseline is what the machine
allows: memcpy, plain loads, stores and CPU atomics through one function call, and a two-flag
ping-pong on one node; the same operation written directly against libfabric, same provider, same
loopback, target polling, on two nodes (for an atomic: a read); fork and exec of a plain C program
for startup. "Two nodes" are two nodes emulated on one machine, which share no memory and
communicate through libfabric. Medians; in brackets the 10th and 90th percentile. A time is never a
test: a missed limit is a line here, not a failure.
"""

METHOD = """\
## How it is measured

- A sample is one operation, or the mean of as many as fill 10 µs. Each round contributes 201
  quantiles of its samples with equal weight. The target waits in `shmem_barrier_all`; in the lines
  "target computes" it never calls into the library.
- The two processes of a baseline are bound to a core each; libraries run as they launch. Between
  two nodes a Causeway job of two PEs is four threads (each node has its server) on the cores named
  above: if there are two cores, sharing them causes spread.
- "put + quiet, complete": the baseline is a write with `FI_DELIVERY_COMPLETE`, which completes when
  target memory has changed.
- p to wait: half of a `shmem_p` / `shmem_wait_until` ping-pong; raw: inject-write, each side
  polling its memory and its queue.
- Messages of GASNet: a waiting node is in `GASNET_BLOCKUNTIL`; both are bound to a core each, as
  the baseline is. Round trip: request and reply; base: two flags in shared memory, or `fi_inject`
  against posted receives. Floods: windows of one-way messages, of which the last has a reply,
  within the measured time. Within a node they are judged beside "one at a time": a payload copied
  and a flag set, and a flag as the reply (the two-flag ping-pong). "Ring of flags" is listed for
  comparison and has no limit: 256 flags in a row between one sender and one receiver, without
  handlers, checks of arguments, credits or other senders. Between nodes: the same window of raw
  messages. Other GASNets: their smp conduit on one host; ofi (tcp) and udp with processes that
  share no memory.
- Bandwidth and rate: windows of non-blocking operations, with one quiet at the end within the
  measured time.
- Coarrays: each row and its base take turns in one pair of processes, in slices of 10 µs; the
  ratio is the median of those of neighbouring slices. Other libraries have processes of their own.
- MPI RMA: the same programs over a header that writes OpenSHMEM's calls with MPI-3's one-sided
  communication and MPI's collectives (`bench/baseline/mpi`); what the interfaces differ in is in
  the MPI's favour. MPICH polls without yielding, so it has no rows with more PEs than cores.
- Collectives: mean time of ten calls, of one from 64 KiB on. A broadcast ends when its root may go
  on, so it has two kinds of rows: with a barrier behind each, and ten in a row with one behind. In
  a collect PEs of odd ranks bring half of the size; MPIs are given the sizes.
- Instructions are counted exactly, by single-stepping (trap flag) warm calls with all symbols bound
  and address randomisation on, from the API's entry to its return, and to the first instruction in
  libfabric (for UCX users: in UCP).
- Memory is Pss while all PEs live, after `shmem_init` and a barrier; the baseline is a plain C
  program measured the same way.
- To measure again: `./dev bench --against all --report FILE.md --plots DIR`.
"""


def write(path, figures, document, store, others):
    """`figures` are files beside or below the page."""
    here = os.path.dirname(os.path.abspath(path))
    out = [INTRODUCTION, *_behind(store, others), "## Ratios\n",
           "Times and sizes: below 1 Causeway is faster or smaller.\n"]
    out += [*_headlines(store, others), ""]
    by_name = {os.path.basename(figure): os.path.relpath(figure, here) for figure in figures}
    for name, caption in FIGURES:
        if name in by_name:
            out += [f"![{caption}]({by_name[name]})\n", f"*{caption}*\n"]
    out += ["## Conditions\n", "| | |", "|---|---|"]
    out += [f"| {name} | {value} |" for name, value in document["conditions"].items() if value]
    out += ["", METHOD, "## All figures"]
    out += list(_section_tables(store, others))
    if document["remarks"]:
        out += [
            "\n## Not measured\n",
            *(f"- {name}: {reason}" for name, reason in document["remarks"].items())
        ]
    os.makedirs(here, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
