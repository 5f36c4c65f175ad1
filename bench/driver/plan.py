# SPDX-License-Identifier: BSD-3-Clause
"""The plan: groups of launches that are interleaved with one another, so that their ratios are
meaningful."""

import os

from .measure import Run
from .store import SAMPLES_PER_ROUND

LATENCY, WINDOWS, PING_PONG, ATOMICS = range(4)  # --mode of the baselines
PING_PONG_TWO = 4  # over a connection each way
# a launch is one start, and the first PE waits for the last: three launches of two PEs are too few
START_ROUNDS = 15
# a copy takes nanoseconds, and a launch is short: many turns
CHECK_ROUNDS = 9
CHECKED = ("shmem", "armci", "gasnet", "gex", "dart", "shmem_nbi", "shmem_nbi_static",
           "shmem_nbi_symmetric", "shmem_nbi_mapped")
NAMES = ("latency", "rate", "floods", "atomics", "pingpong", "am", "vis", "armci", "caf",
         "busy", "threads", "coll", "many", "large", "beside", "startup", "checks", "insn",
         "insn_gasnet", "insn_pgas")


class Group:
    def __init__(self, runs, rounds=None):
        self.runs, self.rounds = runs, rounds


class Plan:
    def __init__(self, ours, others, builder, quick, only, max_bytes=None):
        self.ours, self.others, self.builder, self.quick = ours, others, builder, quick
        self.only = only  # in this order
        self.gasnets = [ours, *(peer for peer in others if "am" in (peer.programs or ()))]
        self.coarrays = [ours, *(peer for peer in others
                                 if {"caf", "prif"} & set(peer.programs or ()))]
        self.peers = [peer for peer in (ours, *others) if peer.ours or not
                      (peer in self.gasnets or peer in self.coarrays)]
        self.common = ["--samples", str(SAMPLES_PER_ROUND)] + (["--quick"] if quick else [])
        if max_bytes:
            self.common += ["--max-bytes", str(max_bytes)]

    def _run(self, peer, layout, npes, program, args=(), title=None, env=None, **more):
        """A factory of launches, or none when the peer lacks the program or the layout."""
        if (peer.tag, program) in self.builder.missing or not peer.measures(program, layout, npes):
            return []
        cmd = [
            *peer.command(layout, npes),
            self.builder.path(peer.tag, program), *self.common, *args
        ]
        full_env = {**peer.environment(layout), **(env or {})}
        return [lambda: Run(peer.tag, layout, npes, title or program, cmd, full_env, **more)]

    def _baseline(self, program, layout, npes, args, title, **more):
        if ("baseline", program) in self.builder.missing:
            return []
        cmd = [self.builder.path("baseline", program), *self.common, *args]
        return [lambda: Run("baseline", layout, npes, title, cmd, dict(os.environ), **more)]

    def _pairs(self, program, mode):
        """Two PEs on one node, then two PEs on two nodes, each beside its baseline."""
        local = self._baseline("local", "local", 2, ["--mode", str(mode)], program)
        for peer in self.peers:
            local += self._run(peer, "local", 2, program)
        net = []
        for endpoint in ("rdm", "msg"):
            # Off the node an atomic is a round trip: the baseline is a raw read.
            raw = ["--mode", "0", "--only", "get", "--max-bytes", "8"
                   ] if mode == ATOMICS else ["--mode", str(mode)]
            # measured between them, and compared with them alone
            bench = "atomics" if mode == ATOMICS else None
            net += self._baseline("raw_fabric", endpoint, 2, ["--endpoint", endpoint, *raw],
                                  program, bench=bench)
            if mode == PING_PONG:
                net += self._baseline("raw_fabric", endpoint, 2,
                                      ["--endpoint", endpoint, "--mode",
                                       str(PING_PONG_TWO)], program)
            net += self._run(self.ours, endpoint, 2, program)
        for peer in self.others:
            net += self._run(peer, "tcp", 2, program)
        return [Group(local), Group(net)]

    def _am(self):
        """Messages and transfers of GASNet beside bare flags, raw messages and other GASNets; its
        start beside that of OpenSHMEM."""
        budget = ["--budget-ms", "2"] if self.quick else []
        few = ["--quick", *(budget or ["--budget-ms", "40"]), "--max-bytes", "1048576"]
        groups = []
        for layout in ("local", "rdm", "msg"):
            net = [] if layout == "local" else ["--endpoint", layout]
            runs = self._baseline("raw_messages" if net else "local_messages", layout, 2,
                                  [*budget, *net], "messages")
            if net:
                runs += self._baseline("raw_messages", layout, 2, [*budget, *net, "--mode", "1"],
                                       "messages, two connections")
            for mode, op in ((LATENCY, "put_quiet" if net else "put"), (LATENCY, "get"),
                             (WINDOWS, "put_nbi"), (WINDOWS, "get_nbi")):
                args = [*few, *net, "--mode", str(mode), "--only", op]
                runs += self._baseline("raw_fabric" if net else "local", layout, 2, args, op,
                                       bench="am")
            for peer in self.gasnets:
                where = "tcp" if net and not peer.ours else layout
                runs += self._run(peer, where, 2, "am", budget)
            groups.append(Group(runs))
        for npes in (2,) if self.quick else (2, 8, 16, 64):
            runs = []
            for layout in ("local", "rdm", "msg"):
                for make in self._run(self.ours, layout, npes, "startup", ["--mode", "1"],
                                      title="shmem_init", bench="am"):
                    runs.append(lambda make=make: make().as_baseline())
                for mode in ("1", "2"):
                    runs += self._run(self.ours, layout, npes, "am", ["--mode", mode],
                                      title="gasnet_init")
            groups.append(Group(runs, rounds=None if self.quick else START_ROUNDS))
        return groups

    def _vis(self):
        """Within a node beside loops of plain C in one process; everywhere beside other GASNets."""
        budget = ["--budget-ms", "2"] if self.quick else []
        groups = []
        for layout in ("local", "rdm", "msg"):
            runs = []
            plain = ["--mode", "1", *budget] if layout == "local" else None
            for make in self._run(self.ours, layout, 2, "vis", plain, "plain C") if plain else ():
                runs.append(lambda make=make: make().as_baseline())
            for peer in self.gasnets:
                where = "tcp" if layout != "local" and not peer.ours else layout
                runs += self._run(peer, where, 2, "vis", budget)
            groups.append(Group(runs))
        return groups

    def _armci(self):
        """Within a node beside plain C in one process; elsewhere beside a raw round trip."""
        budget = ["--budget-ms", "8"] if self.quick else []
        runs = []
        for make in self._run(self.ours, "local", 2, "armci", [*budget, "--mode", "1"], "plain C"):
            runs.append(lambda make=make: make().as_baseline())
        groups = [Group(runs + self._run(self.ours, "local", 2, "armci", budget))]
        for layout in ("rdm", "msg"):
            raw = ["--endpoint", layout, "--only", "short_round_trip", *budget]
            runs = self._baseline("raw_messages", layout, 2, raw, "round trip", bench="armci")
            groups.append(Group(runs + self._run(self.ours, layout, 2, "armci", budget)))
        return groups

    def _caf(self):
        """Ours have memcpy, loops and OpenSHMEM beside each row. Images that start, and one that is
        killed."""
        local, net = [], []
        for peer in self.coarrays:
            for program in ("caf", "prif"):
                local += self._run(peer, "local", 2, program)
                for layout in ("rdm", "msg") if peer.ours else ("tcp",):
                    net += self._run(peer, layout, 2, program)
        floor = ["--program", self.builder.path("baseline", "hello"), "--nprocs", "64"]
        hello = []
        if ("baseline", "hello") not in self.builder.missing:
            hello += self._baseline("forkexec", "local", 64, floor, "hello, no coarrays", wall=True,
                                    bench="caf")
        hello += self._run(self.ours, "local", 64, "caf_hello", title="hello", wall=True,
                           bench="caf")
        killed = []
        for layout in ("local", "rdm", "msg"):
            killed += self._run(self.ours, layout, 16, "caf_killed", title="a killed image")
        return [Group(local), Group(net), Group(hello, rounds=None if self.quick else 5),
                Group(killed)]

    def _floods(self):
        """Between two nodes: 2 PEs, then random updates by 4."""
        runs = []
        for peer in self.peers:
            for layout in [name for name in peer.layouts if name != "local"]:
                runs += self._run(peer, layout, 2, "floods")
                runs += self._run(peer, layout, 4, "floods", ["--mode", "1"], "random updates")
        return [Group(runs, rounds=1 if self.quick else 3)]

    def _busy(self):
        """A target that computes and never calls in: measured only for libraries with progress of
        their own."""
        runs = []
        for mode in ("local", "rdm", "msg"):
            for program, op in (("latency", "get"), ("latency", "put_quiet"),
                                ("atomics", "fetch_add")):
                args = ["--target", "busy", "--only", op, "--max-bytes", "8"]
                runs += self._run(self.ours, mode, 2, program, args, f"{op}, target busy",
                                  timeout=20, bench="busy")
        return [Group(runs, rounds=1 if self.quick else 2)]

    def _threads(self):
        """One thread and two: the scaling of contexts of their own and of a common one."""
        runs = []
        for mode in ("local", "rdm", "msg"):
            runs += self._run(self.ours, mode, 2, "threads")
        return [Group(runs, rounds=1 if self.quick else 2)]

    def _coll(self):
        groups = []
        for npes in (2, 4, 8) if self.quick else (2, 4, 8, 16, 32):
            runs = []
            for peer in self.peers:
                runs += self._run(peer, "local", npes, "coll", timeout=60)
            groups.append(Group(runs))
        for npes in (2,) if self.quick else (2, 4, 8):
            runs = []
            for mode in ("rdm", "msg"):
                runs += self._run(self.ours, mode, npes, "coll", timeout=60)
            for peer in self.others:
                runs += self._run(peer, "tcp", npes, "coll", timeout=60)
            groups.append(Group(runs, rounds=1 if self.quick else 2))
        return groups

    def _many(self):
        """A PE on each core, on one node, on two, and each a node of its own; there collectives,
        too, from four nodes on."""
        cores = max(4, os.cpu_count() or 1)
        budget = ["--budget-ms", "5"] if self.quick else []
        local, net = [], []
        for peer in self.peers:
            local += self._run(peer, "local", cores, "many", budget, timeout=60)
            for layout in ("rdm", "msg", "rdm-each", "msg-each") if peer.ours else ("tcp",):
                net += self._run(peer, layout, cores, "many", budget, timeout=60)
        groups = [Group(local), Group(net)]
        for npes in (4,) if self.quick else sorted({4, 8, 16} & {4, cores // 2, cores}):
            runs = []
            for peer in self.peers:
                for layout in ("rdm-each", "msg-each") if peer.ours else ("tcp",):
                    runs += self._run(peer, layout, npes, "coll", timeout=60)
            groups.append(Group(runs, rounds=1 if self.quick else 2))
        return groups

    def _large(self):
        """A heap with large pages, beside one without."""
        runs = []
        for make in self._run(self.ours, "local", 2, "large", env={"CAUSEWAY_HUGEPAGES": "off"},
                              timeout=120):
            runs.append(lambda make=make: make().as_baseline())
        runs += self._run(self.ours, "local", 2, "large", title="large, 2M",
                          env={"CAUSEWAY_HUGEPAGES": "2M"}, timeout=120)
        return [Group(runs)]

    def _beside(self):
        """The same program alone, as the baseline, and beside a loop for each core."""
        loops = os.cpu_count()
        groups = []
        for layout in ("local", "rdm", "msg", "tcp"):
            runs = []
            for peer in self.peers:
                for make in self._run(peer, layout, 2, "beside", timeout=120):
                    if peer.ours:
                        runs.append(lambda make=make: make().as_baseline())
                title = f"beside {loops} loops"
                runs += self._run(peer, layout, 2, "beside", title=title, timeout=120, loops=loops)
            groups.append(Group(runs))
        return groups

    def _startup(self):
        groups = []
        plain = self.builder.path("baseline", "plain")
        for npes in (2, 16, 64) if self.quick else (2, 4, 8, 16, 32, 64, 128, 256, 1024):
            floor = ["--program", plain, "--nprocs", str(npes)]
            hello = self._baseline("forkexec", "local", npes, floor, "hello", wall=True)
            inside = self._baseline("forkexec", "local", npes, [*floor, "--mode", "1"], "memory")
            for peer in self.peers:
                if peer.ours or npes <= 64:  # others take minutes beyond that
                    hello += self._run(peer, "local", npes, "startup", title="hello", wall=True)
                    inside += self._run(peer, "local", npes, "startup", ["--mode", "1"],
                                        title="init, memory")
            if npes in (2, 16, 64):
                for mode in ("rdm", "msg"):
                    hello += self._run(self.ours, mode, npes, "startup", title="hello", wall=True)
                    inside += self._run(self.ours, mode, npes, "startup", ["--mode", "1"],
                                        title="init, memory")
            groups.append(Group(hello, rounds=1 if npes > 256 else 3 if self.quick else 5))
            groups.append(Group(inside, rounds=1))
        return groups

    def _checks(self):
        """Puts in checking mode beside those without it."""
        groups = []
        for layout in self.ours.layouts:
            runs = []
            for name in CHECKED:
                for make in self._run(self.ours, layout, 2, f"puts_{name}",
                                      env={"CAUSEWAY_CHECK": "0"}):
                    runs.append(lambda make=make: make().as_baseline())
                runs += self._run(self.ours, layout, 2, f"puts_{name}", title=f"{name}, checked",
                                  env={"CAUSEWAY_CHECK": "1"})
            groups.append(Group(runs, rounds=1 if self.quick else CHECK_ROUNDS))
        return groups

    def _insn(self):
        runs = []
        env = {"LD_BIND_NOW": "1"}
        for peer in self.peers:
            for layout in peer.layouts:
                for mode, title in (("0", "insn"), ("1", "insn, threads")):
                    trace = os.path.join(self.builder.out_dir,
                                         f"insn-{peer.tag}-{layout}-{mode}.trace")
                    bench = "insn_threads" if mode == "1" else None
                    runs += self._run(peer, layout, 2, "insn", ["--mode", mode, "--trace", trace],
                                      title, env, bench=bench)
        return [Group(runs, rounds=1)]

    def _insn_gasnet(self):
        runs = []
        for layout in self.ours.layouts:
            for program in ("gasnet_calls", "gasnet_calls_par"):
                trace = os.path.join(self.builder.out_dir, f"{program}-{layout}.trace")
                runs += self._run(self.ours, layout, 2, program, ["--trace", trace],
                                  env={"LD_BIND_NOW": "1"}, timeout=300)
        return [Group(runs, rounds=1)]

    def _insn_pgas(self):
        runs = []
        for layout in self.ours.layouts:
            trace = os.path.join(self.builder.out_dir, f"pgas_calls-{layout}.trace")
            runs += self._run(self.ours, layout, 2, "pgas_calls", ["--trace", trace],
                              env={"LD_BIND_NOW": "1"}, timeout=300)
        return [Group(runs, rounds=1)]

    def groups(self):
        parts = {
            "checks": self._checks,
            "insn": self._insn,
            "insn_gasnet": self._insn_gasnet,
            "insn_pgas": self._insn_pgas,
            "pingpong": lambda: self._pairs("pingpong", PING_PONG),
            "am": self._am,
            "vis": self._vis,
            "armci": self._armci,
            "caf": self._caf,
            "atomics": lambda: self._pairs("atomics", ATOMICS),
            "latency": lambda: self._pairs("latency", LATENCY),
            "rate": lambda: self._pairs("rate", WINDOWS),
            "floods": self._floods,
            "busy": self._busy,
            "threads": self._threads,
            "coll": self._coll,
            "many": self._many,
            "large": self._large,
            "beside": self._beside,
            "startup": self._startup,
        }
        out = []
        for name in dict.fromkeys(self.only or parts):
            out += [(name, group) for group in parts[name]() if group.runs]
        return out
