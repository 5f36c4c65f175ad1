# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the short table: what is measured, the baseline beside it, and the limit that the
project has set itself. A limit is no test: nothing fails."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    section: str
    label: str
    layout: str
    bench: str
    op: str
    nbytes: int = 8
    npes: int = 2
    base_op: str | None = None  # the baseline's line, if it has another name
    base_nbytes: int | None = None  # if it has another size
    base_tag: str = "baseline"  # "causeway": another line of our own
    base: bool = True  # a baseline exists
    paired: bool = False  # the base took turns with it in its processes, which give the ratios too
    at_most: float | None = None  # absolute limit, in the unit of the row
    ratio_most: float | None = None  # limit against the baseline
    ratio_least: float | None = None
    over_base: float | None = None  # absolute distance from the baseline
    beat_others: bool = False

    def limit_text(self, show):
        parts = []
        if self.at_most is not None:
            parts.append(f"≤ {show(self.at_most)}")
        if self.ratio_most is not None:
            parts.append(f"≤ {self.ratio_most:g} × base")
        if self.ratio_least is not None:
            parts.append(f"≥ {self.ratio_least:g} × base")
        if self.over_base is not None:
            parts.append(f"≤ base + {show(self.over_base)}")
        if self.beat_others:
            parts.append("≥ others" if self.ratio_least is not None else
                         "< others" if parts else "faster than others")
        return ", ".join(parts)

    def met(self, ours, base, others):
        """True, False, or None when there is no limit or nothing to compare with."""
        checks = []
        if self.at_most is not None:
            checks.append(ours <= self.at_most)
        if self.ratio_most is not None:
            checks.append(None if base is None else ours <= self.ratio_most * base)
        if self.ratio_least is not None:
            checks.append(None if base is None else ours >= self.ratio_least * base)
        if self.over_base is not None:
            checks.append(None if base is None else ours - base <= self.over_base)
        if self.beat_others and others:
            more_is_better = self.ratio_least is not None
            checks.append(all((ours >= o) if more_is_better else (ours < o) for o in others))
        if not checks or None in checks:
            return False if False in checks else None
        return all(checks)


def _local():
    where = "Two PEs, one node"
    yield Row(where, "p 8 B", "local", "latency", "p", at_most=5)
    yield Row(where, "put + quiet 8 B", "local", "latency", "put_quiet", at_most=12)
    yield Row(where, "get 8 B", "local", "latency", "get", at_most=8)
    yield Row(where, "g 8 B", "local", "latency", "g")
    for nbytes, label in ((1024, "1 KiB"), (65536, "64 KiB"), (1048576, "1 MiB"),
                          (4194304, "4 MiB")):
        yield Row(where, f"put {label}", "local", "latency", "put", nbytes,
                  ratio_most=1.1 if nbytes < 4194304 else None)
    for nbytes, label in ((1024, "1 KiB"), (65536, "64 KiB"), (1048576, "1 MiB")):
        yield Row(where, f"get {label}", "local", "latency", "get", nbytes)
    for op in ("put", "get"):
        yield Row(where, f"{op} 16 MiB, base: streaming stores", "local", "latency", op, 16777216,
                  base_op="latency:stream", ratio_most=1.05)
    for op in ("fetch_add", "cswap", "swap"):
        yield Row(where, op, "local", "atomics", op, at_most=10)
    yield Row(where, "add + quiet", "local", "atomics", "add_quiet")
    yield Row(where, "p to wait, half round trip", "local", "pingpong", "p_wait", at_most=200)
    yield Row(where, "put_nbi 8 B rate", "local", "rate", "put_nbi_rate")
    yield Row(where, "get_nbi 8 B rate", "local", "rate", "get_nbi_rate")


def _network(mode):
    where = f"Two PEs, two nodes, {mode} endpoints over loopback"
    yield Row(where, "p to wait, half round trip", mode, "pingpong", "p_wait", ratio_most=1.05)
    yield Row(where, "the same, base over a connection each way", mode, "pingpong", "p_wait",
              base_op="pingpong:p_wait_two")
    yield Row(where, "p 8 B", mode, "latency", "p")
    yield Row(where, "p + quiet", mode, "latency", "p_quiet", base_op="latency:put_quiet",
              ratio_most=1.1)
    yield Row(where, "put + quiet 8 B, complete", mode, "latency", "put_quiet", ratio_most=1.15)
    yield Row(where, "get 8 B", mode, "latency", "get", ratio_most=1.1)
    yield Row(where, "g 8 B", mode, "latency", "g", ratio_most=1.1)
    for op in ("fetch_add", "cswap", "swap"):
        yield Row(where, op, mode, "atomics", op, base_op="atomics:get", ratio_most=1.1)
    yield Row(where, "add + quiet", mode, "atomics", "add_quiet", base_op="atomics:get",
              ratio_most=1.1)
    yield Row(where, "put + quiet 64 KiB", mode, "latency", "put_quiet", 65536)
    yield Row(where, "get 64 KiB", mode, "latency", "get", 65536)
    yield Row(where, "get 16 MiB", mode, "latency", "get", 16777216)
    yield Row(where, "put_nbi 8 B rate", mode, "rate", "put_nbi_rate")
    yield Row(where, "get_nbi 8 B rate", mode, "rate", "get_nbi_rate")
    for op in ("put", "get"):
        yield Row(where, f"{op} 4 MiB bandwidth", mode, "rate", f"{op}_nbi_bw", 4194304,
                  ratio_least=0.97, beat_others=True)
    for op, label in (("get", "get 8 B"), ("put_quiet", "put + quiet 8 B"),
                      ("fetch_add", "fetch_add")):
        yield Row(where, f"{label}, target computes", mode, "busy", op, base=False)


def _floods(mode):
    """A base is our own row of the same run: the program collects."""
    where = f"Floods of small operations, two nodes, {mode} endpoints over loopback"
    for op, nbytes, label, most in (
            ("p", 8, "p 8 B", 100), ("put", 8, "put 8 B", 100), ("put", 256, "put 256 B", 500),
            ("put", 1024, "put 1 KiB", 1500), ("add", 8, "add", 100),
            ("get_nbi", 8, "get_nbi 8 B", 300), ("get_nbi", 256, "get_nbi 256 B", None),
            ("fetch_add_nbi", 8, "fetch_add_nbi", 300)):
        yield Row(where, label, mode, "floods", op, nbytes, base=False, at_most=most)
    yield Row(where, "random updates by add, 4 PEs, base: in buckets of the program", mode,
              "floods", "updates", npes=4, base_op="floods:updates_in_buckets",
              base_tag="causeway", ratio_most=2)


def _messages():
    """GASNet, beside other GASNets. Floods within a node are judged beside a flag each way, which
    carries one message per round trip. A ring of flags shows the most that one sender can do, with
    no handler, no credit and no second sender: it is listed without a limit."""
    kinds = (("short", (0, )), ("medium", (8, 512, 3968)), ("long", (8, 512, 4096)))
    messages = [(kind, nbytes, f"{kind} {nbytes} B" if nbytes else kind)
                for kind, sizes in kinds for nbytes in sizes]
    for layout, words in (("local", "two nodes of GASNet on one host"), ("rdm", "two hosts, rdm"),
                          ("msg", "two hosts, msg")):
        where, net = f"Active messages, {words}", layout != "local"
        for kind, nbytes, label in messages:
            short = kind == "short"
            yield Row(where, f"{label}, round trip", layout, "am", f"{kind}_round_trip", nbytes,
                      base=short, beat_others=True,
                      ratio_most=None if not short else 1.15 if net else 2)
            if short and net:
                yield Row(where, "the same, base over a connection each way", layout, "am",
                          "short_round_trip", 0, base_op="am:short_round_trip_two")
            flags = kind != "long" and not net
            yield Row(where, f"{label}, flood" + (", base: one at a time" if flags else ""), layout,
                      "am", f"{kind}_flood", nbytes, base=flags or (kind != "long" and nbytes != 8),
                      base_op="am:two_flags" if flags else None, beat_others=True,
                      ratio_most=1.25 if flags else None, at_most=150 if short and net else None)
            if flags:
                yield Row(where, f"{label}, flood, base: ring of flags", layout, "am",
                          f"{kind}_flood", nbytes)
        for op in ("put", "get"):
            yield Row(where, f"{op} 8 B", layout, "am", op,
                      base_op="am:put_quiet" if net and op == "put" else None,
                      ratio_most=1.15 if net else None, beat_others=True)
        for op in ("put_nb", "get_nb", "put_nbi", "get_nbi") if net else ():
            for nbytes in (8, 256):
                yield Row(where, f"{op} {nbytes} B, windows of 256", layout, "am", f"{op}_flood",
                          nbytes, base=False, beat_others=True,
                          at_most=300 if nbytes == 8 else None)
        for op in ("put", "get"):
            yield Row(where, f"{op}_nbi 1 MiB, bandwidth", layout, "am", f"{op}_nbi_bw", 1048576,
                      ratio_least=0.8, beat_others=True)
    for layout, words in (("local", ""), ("rdm", ", two nodes rdm"), ("msg", ", two nodes msg")):
        for npes in (2, 8, 16, 64):
            # The specification makes gasnet_attach a barrier, so it is compared with shmem_init and
            # shmem_barrier_all; and without waiting.
            yield Row(
                "Start of GASNet beside OpenSHMEM's",
                f"gasnet_init + attach, which is a barrier, beside shmem_init + barrier"
                f"{words}, {npes} PEs", layout, "am", "init", 0, npes, base_op="am:ready",
                ratio_most=1.1)
            yield Row(
                "Start of GASNet beside OpenSHMEM's",
                f"the same without waiting (CAUSEWAY_ATTACH=nowait), beside shmem_init"
                f"{words}, {npes} PEs", layout, "am", "init_nowait", 0, npes, base_op="am:init",
                ratio_most=1.1)
            yield Row("Start of GASNet beside OpenSHMEM's",
                      f"until a first barrier of the program is over{words}, {npes} PEs", layout,
                      "am", "ready", 0, npes)


VIS = (("dense", "rows that follow each other"), ("strided", "rows with gaps"),
       ("planes", "rows in planes that follow each other"), ("indexed", "indexed regions"),
       ("vector", "vectors of regions"))


def _vis():
    """64 regions a call."""
    for mode in ("local", "rdm", "msg"):
        place = ("one node, beside plain C" if mode == "local" else
                 f"two nodes, {mode} endpoints over loopback")
        where = f"Vector, indexed and strided transfers of GASNet, {place}"
        for op in ("put", "get"):
            for kind, label in VIS:
                for nbytes in (8, 32, 64, 512):
                    yield Row(where, f"{op} of 64 {label}, {nbytes} B", mode, "vis",
                              f"{op}_{kind}", nbytes, base=mode == "local", beat_others=True)


ROWS = ((8, "8 B"), (64, "64 B"), (512, "512 B"), (1024, "1 KiB"), (4096, "4 KiB"),
        (16384, "16 KiB"), (65536, "64 KiB"), (1048576, "1 MiB"))


def _armci_local():
    where = "ARMCI, one node, beside plain C"
    yield Row(where, "put 8 B", "local", "armci", "put", base=False, at_most=10)
    yield Row(where, "get 8 B", "local", "armci", "get", base=False, at_most=10)
    for op, label in (("fetch_add", "fetch-and-add"), ("acc_fence", "accumulate 8 B + fence"),
                      ("mutex", "lock + unlock"), ("fence_idle", "fence, idle")):
        yield Row(where, label, "local", "armci", op, base=False)
    for op, label in (("put", "put"), ("get", "get")):
        for row, text in ROWS:
            yield Row(where, f"{label} 1 MiB in rows of {text}", "local", "armci", f"{op}_rows",
                      row, ratio_least=0.7 if row >= 64 else None)
    yield Row(where, "accumulate 64 KiB", "local", "armci", "acc", 65536, ratio_least=0.7)
    yield Row(where, "accumulate 1 MiB", "local", "armci", "acc", 1048576)
    yield Row(where, "accumulate 81 rows of 800 B", "local", "armci", "acc_rows", 800,
              ratio_least=0.7)


def _armci_far(mode):
    """A transfer of rows stands beside a contiguous one of the same run: the base is ours."""
    where = f"ARMCI, two nodes, {mode} endpoints over loopback"
    trip = "armci:short_round_trip"
    for op, label, limit in (("fetch_add", "fetch-and-add", 1.2),
                             ("acc_fence", "accumulate 8 B + fence", 1.2),
                             ("put_fence", "put 8 B + fence", None), ("get", "get 8 B", None),
                             ("mutex", "lock + unlock", None)):
        yield Row(where, f"{label}, base: raw round trip", mode, "armci", op, base_op=trip,
                  base_nbytes=0, ratio_most=limit)
    yield Row(where, "fence, idle", mode, "armci", "fence_idle", base=False)
    for op in ("put", "get", "acc"):
        for nbytes in (8, 256):
            yield Row(where, f"{op} {nbytes} B without waiting, windows of 256", mode, "armci",
                      f"{op}_flood", nbytes, base=False, at_most=300 if nbytes == 8 else None)
    for op in ("put", "get"):
        yield Row(where, f"{op} 1 MiB", mode, "armci", f"{op}_block", 1048576, base=False)
        for row, text in ROWS:
            yield Row(where, f"{op} 1 MiB in rows of {text}, base: contiguous", mode, "armci",
                      f"{op}_rows", row, base_op=f"armci:{op}_block", base_nbytes=1048576,
                      base_tag="causeway", ratio_least=0.8 if row == 1024 else None)
    for op, nbytes, label in (("acc", 65536, "64 KiB"), ("acc", 1048576, "1 MiB"),
                              ("acc_rows", 800, "81 rows of 800 B")):
        yield Row(where, f"accumulate {label}, base: put 1 MiB", mode, "armci", op, nbytes,
                  base_op="armci:put_block", base_nbytes=1048576, base_tag="causeway")


CAF = (("put", 8, "x[i] = s"), ("get", 8, "s = x[i]"),
       ("put_memory", 8, "x[i] = s; sync memory"), ("put_loop", 8, "x(k)[i] = s in a loop, each"),
       ("put_section", 1048576, "put of a section of 1 MiB"),
       ("get_section", 1048576, "get of a section of 1 MiB"),
       ("put_stride", 1048576, "put of 1 MiB with stride 2"),
       ("get_stride", 1048576, "get of 1 MiB with stride 2"), ("sync_all", 0, "sync all"),
       ("sync_images", 0, "sync images with the neighbour"),
       ("event", 0, "event post and event wait, round trip"), ("sum", 8, "co_sum 8 B"),
       ("sum", 65536, "co_sum 64 KiB"))


# Of the base: bandwidth 0.95 and 0.7 within the node, time off it, and of what images do together.
CAF_NEAR = {"put_section": 1 / 0.95, "get_section": 1 / 0.95, "put_stride": 1 / 0.7,
            "get_stride": 1 / 0.7}
CAF_TOGETHER = ("sync_all", "sync_images", "event", "sum")
CAF_FAR = ("put", "get", "put_memory", "put_section", "get_section", "put_stride", "get_stride")


def _coarrays():
    """The bases: memcpy and loops in plain C, OpenSHMEM, in the same processes; fork and exec."""
    for bench, words, scalar in (("caf", "gfortran's interface", 15), ("prif", "PRIF", 8)):
        where = f"Coarrays by {words}, one node, beside memcpy, plain loops and OpenSHMEM"
        for op, nbytes, label in CAF:
            ratio = 1.1 if op in CAF_TOGETHER else CAF_NEAR.get(op)
            yield Row(where, label, "local", bench, op, nbytes, paired=True,
                      ratio_most=round(ratio, 2) if ratio else None,
                      at_most=scalar if op in ("put", "get") else None, beat_others=True)
    for bench, words in (("caf", "gfortran's interface"), ("prif", "PRIF")):
        for mode in ("rdm", "msg"):
            where = f"Coarrays by {words}, two nodes, {mode} endpoints over loopback"
            for op, nbytes, label in CAF:
                ratio = 1.1 if op in CAF_TOGETHER else 1.05 if op in CAF_FAR else None
                yield Row(where, label, mode, bench, op, nbytes, paired=True, ratio_most=ratio,
                          beat_others=True, at_most=150 if op == "put_loop" else None)
    where = "Coarrays: images that start, and one that is killed"
    yield Row(where, "hello of 64 images, base: fork, exec, the same without coarrays", "local",
              "caf", "wall", 0, 64, ratio_most=1.5)
    for mode, words in (("local", "one node"), ("rdm", "two nodes, rdm"),
                        ("msg", "two nodes, msg")):
        yield Row(where, f"a killed image of 16: the others go on, {words}", mode, "caf", "killed",
                  0, 16, base=False, at_most=1e9)


def _instructions():
    for bench, threads in (("insn", ""), ("insn_threads", ", threads on")):
        where = f"Instructions{threads}"
        for op, limit in (("int_p", 10), ("int_g", 10), ("putmem", None), ("fetch_add", None),
                          ("quiet", 11), ("fence", None)):
            yield Row(where, f"{op} local, in all", "local", bench, f"{op}.total.next", 0,
                      base=False, at_most=limit)
        for mode in ("rdm", "msg"):
            for op, limit in (("int_p", 16), ("putmem", 84), ("int_g", 80), ("fetch_add", 98),
                              ("add", 91)):
                for which, words in (("first", "first after quiet"), ("next", "in a stream")):
                    yield Row(where, f"{op} {mode}, to the provider, {words}", mode, bench,
                              f"{op}.to_provider.{which}", 0, base=False, at_most=limit)
            for op in ("int_p", "putmem", "add"):
                yield Row(where, f"{op} {mode}, collected with others of a flood", mode, bench,
                          f"{op}.total.collected", 0, base=False)
            yield Row(where, f"quiet {mode}, idle", mode, bench, "quiet.total.next", 0, base=False,
                      at_most=11)
            yield Row(where, f"fence {mode}, idle", mode, bench, "fence.total.next", 0, base=False)


def _instructions_gasnet():
    messages = [
        f"AM{way}{n}" for way in ("RequestShort", "RequestMedium", "RequestLong", "ReplyShort",
                                  "ReplyMedium", "ReplyLong") for n in (0, 1, 4, 16)
    ]
    moves = ("put.8", "put.64", "put_bulk.8", "put_nb.8", "put_nbi.4", "put_nbi.8", "put_nbi.16",
             "put_nbi.64", "put_nbi.256", "put_nbi_bulk.8", "put_nbi_bulk.16", "put_nbi_bulk.64",
             "put_nbi_bulk.256", "put_val.4", "put_nb_val.4", "put_nbi_val.4", "get.8", "get.64",
             "get_nb.8", "get_nbi.8", "get_nbi_bulk.256", "get_val.4", "inline.put.8",
             "inline.put.64", "inline.put_nb.8", "inline.put_nbi.8", "inline.put_nbi.64",
             "inline.put_val.4", "inline.put_nbi_val.4", "inline.get.8", "inline.get_nbi.8",
             "inline.gex_put_nbi.8", "inline.gex_team_put_nbi.8")
    shorts = {f"AMRequestShort{n}": 80 for n in (0, 1, 4)}
    loaded = {f"AMRequest{kind}{n}": 100 for kind in ("Medium", "Long") for n in (0, 1, 4)}
    local_bars = {"SEQ": {**shorts, **loaded, "put.8": 14, "AMPoll": 20, "wait_syncnbi_puts": 15},
                  "PAR": loaded}
    net_bars = {"SEQ": {**shorts, "put_nbi.8": 30, "put_nbi_bulk.8": 25}, "PAR": {}}
    for bench, mode in (("insn_gasnet", "SEQ"), ("insn_gasnet_par", "PAR")):
        where = f"Instructions, GASNet, {mode}"
        for op in (*messages, "AMPoll", *moves, "wait_syncnbi_puts", "wait_syncnbi_puts_after_put"):
            yield Row(where, f"{op} local, in all", "local", bench, f"{op}.total.next", 0,
                      base=False, at_most=local_bars[mode].get(op))
        for layout in ("rdm", "msg"):
            for op in (*messages, *moves, "wait_syncnbi_puts_after_put",
                       "try_syncnbi_puts_after_put"):
                yield Row(where, f"{op} {layout}, to the provider", layout, bench,
                          f"{op}.to_provider.next", 0, base=False,
                          at_most=net_bars[mode].get(op))


def _instructions_pgas():
    bars = {"ARMCI_Put.8": 20, "ARMCI_Get.8": 20, "ARMCI_Fence": 20}
    first_bars = {"ARMCI_Put.8": 150, "ARMCI_Get.8": 130}
    armci = ("ARMCI_Put.8", "ARMCI_NbPut.8", "ARMCI_Get.8", "ARMCI_Rmw", "ARMCI_Acc.8")
    dart = ("dart_put.8", "dart_put_blocking.8", "dart_get.8", "dart_get_blocking.8")
    where = "Instructions, ARMCI and DART"
    for op in (*armci, "ARMCI_Fence", *dart):
        yield Row(where, f"{op} local, in all", "local", "insn_pgas", f"{op}.total.next", 0,
                  base=False, at_most=bars.get(op))
    for mode in ("rdm", "msg"):
        for op in (*armci, *dart):
            for which, words in (("first", "first after quiet"), ("next", "in a stream")):
                yield Row(where, f"{op} {mode}, to the provider, {words}", mode, "insn_pgas",
                          f"{op}.to_provider.{which}", 0, base=False,
                          at_most=first_bars.get(op) if which == "first" else None)
        yield Row(where, f"ARMCI_Fence {mode}, idle", mode, "insn_pgas", "ARMCI_Fence.total.next",
                  0, base=False, at_most=20)


def _threads():
    for mode, words in (("local", "one node"), ("rdm", "two nodes, rdm"),
                        ("msg", "two nodes, msg")):
        where = f"Threads of one PE, operations of all together, {words}"
        for op, label in (("p", "p 8 B"), ("put", "put 1 KiB"), ("fetch_add", "fetch_add")):
            for how, text in (("one", "one thread"), ("two_private", "two, private contexts"),
                              ("two_default", "two, default context")):
                yield Row(where, f"{label}, {text}", mode, "threads", f"{op}.{how}",
                          1024 if op == "put" else 8, base=False)


def _collectives():
    """Times until all have what they wait for; and of broadcasts, whose root need not wait, also
    many in a row."""
    sizes = ((8, "8 B"), (1024, "1 KiB"), (8192, "8 KiB"), (65536, "64 KiB"), (1048576, "1 MiB"))
    rows = (("sum", "sum"), ("broadcast", "broadcast + barrier_all"),
            ("broadcasts", "broadcast, in a row"), ("fcollect", "fcollect"),
            ("collect", "collect"), ("alltoall", "alltoall"))
    layouts = (("local", "Collectives, one node", (2, 4, 8, 16, 32)),
               ("rdm", "Collectives, two nodes, rdm", (2, 4, 8)),
               ("msg", "Collectives, two nodes, msg", (2, 4, 8)),
               ("rdm-each", "Collectives, each PE a node, rdm", (4, 8, 16)),
               ("msg-each", "Collectives, each PE a node, msg", (4, 8, 16)))
    for layout, where, counts in layouts:
        for npes in counts:
            yield Row(where, f"barrier_all, {npes} PEs", layout, "coll", "barrier_all", 0, npes,
                      base=False, beat_others=True)
        for op, label in rows:
            for nbytes, size in sizes:
                for npes in counts if op == "sum" else counts[:4]:
                    yield Row(where, f"{label} {size}, {npes} PEs", layout, "coll", op, nbytes,
                              npes, base=False, beat_others=True)


def _many():
    """As many PEs as the machine has cores, four at least."""
    for layout, where, late in (("local", "one node", 5e3), ("rdm", "two nodes, rdm", None),
                                ("msg", "two nodes, msg", None),
                                ("rdm-each", "a node each, rdm", 25e3),
                                ("msg-each", "a node each, msg", 25e3)):
        on_node = layout == "local"
        for npes in (4, 8, 16, 32, 64, 128):
            section = f"{npes} PEs at once, {where}"
            yield Row(section, "late PE to the last one's release", layout, "many", "late_barrier",
                      0, npes, base=False, at_most=late, beat_others=True)
            yield Row(section, "ring, a hop", layout, "many", "ring_hop", 8, npes, base=False,
                      at_most=200 if on_node else None, beat_others=True)
            yield Row(section, "a word from each, a word to each", layout, "many", "fan", 8, npes,
                      base=False, at_most=1500 if on_node else None, beat_others=True)
            for op, label in (("contended_fetch_add", "fetch_add of all on one word"),
                              ("lock", "a section of a lock that all want"),
                              ("random_puts", "puts to random words")):
                yield Row(section, label, layout, "many", op, 8, npes, base=False,
                          beat_others=True)
            yield Row(section, "puts of 1 MiB by all pairs, together", layout, "many", "pairs",
                      1 << 20, npes, base=False)


def _large():
    where = "CAUSEWAY_HUGEPAGES=2M, base: off, one node"
    for op, nbytes, label in (("put", 8, "p to a random word of 512 MiB"),
                              ("get", 8, "g of a random word of 512 MiB"),
                              ("touch", 1 << 20, "allocation and first touch, a MiB"),
                              ("reach", 1 << 20, "first p to each 4 KiB, a MiB")):
        yield Row(where, label, "local", "large", op, nbytes)


def _beside():
    for mode, words in (("local", "one node"), ("rdm", "two nodes, rdm"),
                        ("msg", "two nodes, msg")):
        where = f"Beside a loop for each core, base: alone, {words}"
        # the loops leave half of the cores
        for op, label in (("barriers", "barrier_all"), ("sums", "sum 8 B"),
                          ("waits", "p and wait_until, round trip"),
                          ("tests", "p and test in a loop, round trip"), ("gets", "g 8 B")):
            yield Row(where, label, mode, "beside", op, ratio_most=5)


def _checks():
    """Within the node a put is a copy, so that checks weigh most."""
    names = {"shmem": "OpenSHMEM put", "armci": "ARMCI put", "gasnet": "GASNet put",
             "gex": "GASNet-EX put", "dart": "DART put", "shmem_nbi": "OpenSHMEM put_nbi",
             "shmem_nbi_static": "OpenSHMEM put_nbi of static data",
             "shmem_nbi_symmetric": "OpenSHMEM put_nbi of the symmetric heap"}
    for mode, words in (("local", "one node"), ("rdm", "two nodes, rdm"),
                        ("msg", "two nodes, msg")):
        where = f"CAUSEWAY_CHECK=1, base: without, {words}"
        for name, label in names.items():
            for what, how in (("same", "one buffer"), ("turns", "three buffers in turn")):
                yield Row(where, f"{label}, 1 KiB, {how}", mode, "checks", f"{name}.{what}",
                          1024, ratio_most=2)


def _startup():
    for npes in (2, 4, 8, 16, 32, 64, 128, 256, 1024):
        yield Row("Startup", f"hello, {npes} PEs", "local", "startup", "wall", 0, npes,
                  ratio_most=1.5 if npes == 64 else None)  # fmt: skip
    for npes in (2, 16, 64, 256, 1024):
        yield Row("Startup", f"shmem_init, {npes} PEs", "local", "startup", "init", 0, npes,
                  base=False)
    for mode in ("rdm", "msg"):
        for npes in (2, 16, 64):
            yield Row("Startup", f"hello, two nodes {mode}, {npes} PEs", mode, "startup", "wall", 0,
                      npes, base=False)
            yield Row("Startup", f"shmem_init, two nodes {mode}, {npes} PEs", mode, "startup",
                      "init", 0, npes, base=False)
    for npes in (2, 16, 64, 256, 1024):
        yield Row("Memory", f"Pss a PE, {npes} PEs", "local", "startup", "pss", 0, npes,
                  over_base=1024 if npes == 64 else None)  # fmt: skip
    for mode in ("rdm", "msg"):
        yield Row("Memory", f"Pss a PE, two nodes {mode}, 64 PEs", mode, "startup", "pss", 0, 64,
                  base=False)


def all_rows():
    return [
        *_local(), *_network("rdm"), *_network("msg"), *_floods("rdm"), *_floods("msg"),
        *_messages(), *_vis(), *_armci_local(), *_armci_far("rdm"), *_armci_far("msg"),
        *_coarrays(), *_instructions(),
        *_instructions_gasnet(), *_instructions_pgas(), *_threads(), *_collectives(), *_many(),
        *_large(), *_beside(), *_checks(), *_startup()
    ]
