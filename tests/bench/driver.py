# SPDX-License-Identifier: BSD-3-Clause
"""The driver's arithmetic: pooling of rounds, limits, units, remarks of failed runs."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
sys.dont_write_bytecode = True

from driver import ablate, limits, measure, peers, plan, report, table  # noqa: E402
from driver.store import Store  # noqa: E402


def record(op="p", median=5.0, **more):
    return {"bench": "latency", "op": op, "bytes": 8, "unit": "ns", "median": median, **more}


class Pooling(unittest.TestCase):
    def test_rounds_weigh_alike(self):
        store = Store()
        store.add("causeway", "local", 2, record(samples=[1, 2, 3], n=30, min=0.5, max=9))
        store.add("causeway", "local", 2, record(samples=[4, 5, 6], n=3000, min=3, max=7))
        pool = store.get("causeway", "local", "latency", "p")
        self.assertEqual(pool.median, 3.5)
        self.assertEqual((pool.count, pool.low, pool.high), (3030, 0.5, 9))
        self.assertAlmostEqual(pool.p10, 1.5)

    def test_survives_json(self):
        store = Store()
        store.add("x", "rdm", 4, record(samples=[1, 2, 9]))
        again = Store.from_rows(store.rows())
        self.assertEqual(again.get("x", "rdm", "latency", "p", 8, 4).median, 2)
        self.assertEqual(again.counts("x", "rdm", "latency", "p", 8), [4])


class Commit(unittest.TestCase):
    def test_pages_of_the_run_are_no_change(self):
        with tempfile.TemporaryDirectory() as root:
            def git(*words):
                subprocess.run(["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x@y.z",
                                *words], check=True, capture_output=True)
            for name in ("docs/page.md", "src/a.c"):
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                self.write(root, name, "before")
            git("init", "-q")
            git("add", "-A")
            git("commit", "-q", "-m", "all")
            clean = report.commit(root)
            self.assertRegex(clean, "^[0-9a-f]{10}$")
            self.write(root, "docs/page.md", "measured")
            self.write(root, "new.json", "measured")
            self.assertEqual(report.commit(root), clean)
            self.write(root, "src/a.c", "changed")
            self.assertEqual(report.commit(root), clean + "-dirty")

    def test_no_repository(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(report.commit(root), "")

    @staticmethod
    def write(root, name, text):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)


class Ablation(unittest.TestCase):
    def test_entries_fit_the_sources(self):
        for entry in ablate.mechanisms([]):
            with self.subTest(entry.name):
                self.assertGreater(entry.lines(), 0)
                self.assertLessEqual(set(entry.rows), set(plan.NAMES))
                self.assertNotEqual(bool(entry.edit), bool(entry.env))
                for source, find, put in [entry.edit] if entry.edit else []:
                    text = (ablate.ROOT / source).read_text(encoding="utf-8")
                    self.assertEqual(text.count(find), 1, f"{source}: {find!r}")
                    self.assertNotEqual(find, put)

    def test_unknown_ones_are_named(self):
        with self.assertRaisesRegex(SystemExit, "no such mechanism; there are"):
            ablate.mechanisms(["sieves"])

    def test_rows_that_move(self):
        store, ours = Store(), peers.causeway("/nowhere")
        rounds = {"far": ((10, 11, 10), (14, 15, 14)), "level": ((10, 11, 10), (10.1, 10, 11)),
                  "noise": ((10, 30, 10), (20, 21, 20))}
        for op, both in rounds.items():
            for tag, medians in zip((ours.tag, ablate.OFF), both):
                for median in medians:
                    store.add(tag, "msg", 2, record(op, median))
        moved = list(ablate.moved(store, ours))
        self.assertEqual([row for row, *_ in moved], ["latency far 8 B, msg, 2 PEs"])
        self.assertAlmostEqual(moved[0][3], 1.4)


class Limits(unittest.TestCase):
    def row(self, **more):
        return limits.Row("s", "l", "local", "latency", "p", **more)

    def test_absolute(self):
        self.assertTrue(self.row(at_most=5).met(5, None, []))
        self.assertFalse(self.row(at_most=5).met(5.1, None, []))

    def test_ratio_needs_a_baseline(self):
        self.assertIsNone(self.row(ratio_most=1.1).met(5, None, []))
        self.assertTrue(self.row(ratio_most=1.1).met(5.4, 5, []))
        self.assertFalse(self.row(ratio_most=1.1).met(5.6, 5, []))

    def test_bandwidth_wants_more(self):
        row = self.row(ratio_least=0.97, beat_others=True)
        self.assertTrue(row.met(9.8, 10, [9]))
        self.assertFalse(row.met(9.6, 10, [9]))
        self.assertFalse(row.met(9.8, 10, [9.9]))

    def test_faster_than_others(self):
        self.assertIsNone(self.row(beat_others=True).met(1, None, []))
        self.assertFalse(self.row(beat_others=True).met(1, None, [0.9, 2]))

    def test_a_limit_and_others(self):
        row = self.row(ratio_most=2, beat_others=True)
        self.assertEqual(row.limit_text(str), "≤ 2 × base, < others")
        self.assertTrue(row.met(9, 5, []))
        self.assertFalse(row.met(9, 5, [8]))
        self.assertFalse(row.met(11, 5, [12]))

    def test_memory_is_a_distance(self):
        self.assertTrue(self.row(over_base=1024).met(1100, 110, []))
        self.assertFalse(self.row(over_base=1024).met(1200, 110, []))

    def test_no_bar_no_verdict(self):
        self.assertIsNone(self.row().met(1, 1, [1]))

    def test_rows_are_unique(self):
        keys = [(r.layout, r.bench, r.op, r.base_op, r.nbytes, r.npes, r.section)
                for r in limits.all_rows()]
        self.assertEqual(len(keys), len(set(keys)))


class Turns(unittest.TestCase):
    """Ratios of neighbouring slices decide, not those of medians."""

    def line(self, ratio, ours=22.0, base=20.0):
        store = Store()
        for op, unit, samples in (("event", "ns", [ours]), ("event.base", "ns", [base]),
                                  ("event.ratio", "ratio", [ratio - 0.02, ratio, ratio + 0.02])):
            store.add("causeway", "rdm", 2, {"bench": "caf", "op": op, "bytes": 0, "unit": unit,
                                             "median": samples[len(samples) // 2], "n": 10000,
                                             "samples": samples})
        row = limits.Row("s", "l", "rdm", "caf", "event", 0, paired=True, ratio_most=1.1)
        return table.Line(row, store, [])

    def test_verdicts(self):
        self.assertEqual(self.line(1.04, ours=25).verdict(), "met")
        self.assertEqual(self.line(1.12, ours=20).verdict(), "missed")

    def test_too_few_samples(self):
        """Between 1.08 and 1.12 are 1.09 and 1.11: on both sides of 1.1."""
        line = self.line(1.10)
        line.ratios.count = 4
        self.assertEqual((line.verdict(), line.met()), ("open", None))
        line.ratios.count = 10000
        line.ratios.samples = [1.08] * 50 + [1.09] + [1.2] * 50
        self.assertEqual(line.verdict(), "open")
        line.ratios.samples = [1.08] * 60 + [1.09] + [1.2] * 40
        self.assertEqual(line.verdict(), "met")

    def test_spread(self):
        self.assertEqual(self.line(1.04).distance(), "1.04 [1.02–1.06] ×")
        self.assertEqual(self.line(1.04).text(self.line(1.04).base), "20.0 ns")

    def test_never_another_run(self):
        """Without a base of its own processes a row has none."""
        store = Store()
        for tag in ("causeway", "baseline"):
            store.add(tag, "rdm", 2, {"bench": "caf", "op": "event", "bytes": 0, "unit": "ns",
                                      "median": 5})
        rows = [row for row in limits.all_rows()
                if (row.layout, row.bench, row.op) == ("rdm", "caf", "event")]
        self.assertEqual([table.Line(row, store, []).base for row in rows], [None])


class Units(unittest.TestCase):
    def test_show(self):
        cases = {(4.321, "ns"): "4.32 ns", (4321, "ns"): "4.32 µs", (98765432, "ns"): "98.8 ms",
                 (1500, "ms"): "1.50 s",
                 (2048, "KiB"): "2.00 MiB", (82, "instructions"): "82.0",
                 (0.97, "GB/s"): "0.97 GB/s"}
        for (value, unit), text in cases.items():
            self.assertEqual(table.show(value, unit), text)
        self.assertEqual(table.show(None, "ns"), "n/a")


class Peer:
    def __init__(self, tag):
        self.tag = self.name = tag


class Behind(unittest.TestCase):
    """The rows that a page begins with."""

    def found(self, ours, others, op="add", bench="floods", layout="rdm", unit="ns"):
        store = Store()
        medians = {"causeway": ours, **others}
        for tag, median in medians.items():
            where = layout if tag == "causeway" else table.other_layout(layout)
            store.add(tag, where, 2, {**record(op, median), "bench": bench, "unit": unit})
        return [(line.row.label, line.best()[0] if line.best() else None, round(line.behind(), 2))
                for line in table.behind(store, [Peer(tag) for tag in others])]

    def test_the_best_peer_counts(self):
        self.assertEqual(self.found(90, {"a": 95, "b": 45, "c": 60}), [("add", "b", 2.0)])

    def test_ahead_and_within_the_limit(self):
        self.assertEqual(self.found(90, {"a": 95}), [])

    def test_a_missed_limit_without_peers(self):
        self.assertEqual(self.found(101, {}), [("add", None, 0)])

    def test_of_rates_the_highest(self):
        rows = self.found(5, {"a": 10, "b": 4}, "put_nbi_rate", "rate", "local", "Mop/s")
        self.assertEqual(rows, [("put_nbi 8 B rate", "a", 2.0)])


class Gasnets(unittest.TestCase):
    """An install of GASNet is built and started as its fragments for make say."""

    def install(self, folder, files):
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return peers.others(folder)

    def test_one_peer_a_conduit(self):
        with tempfile.TemporaryDirectory() as folder:
            fragment = (f"include {folder}/include/common.mak\nGASNET_CC = $(CHOSEN) -pipe\n"
                        "GASNET_LIBS = -L'/a b' -lgasnet\nGASNET_CPPFLAGS = -DGASNET_SEQ\n"
                        "GASNET_LD = g++\nGASNET_LDFLAGS = -O3\n")
            smp, udp = self.install(folder, {
                "include/common.mak": "CHOSEN = gcc\n",
                "include/gasnet_config.h": '#define GASNETI_RELEASE_VERSION 1.28.2\n',
                "include/smp-conduit/smp-seq.mak":
                    fragment + "GASNET_RUN_CMD = /x/run -n %N %P %A\n",
                "include/udp-conduit/udp-seq.mak": fragment,
                "bin/amudprun": ""})  # fmt: skip
            self.assertEqual(udp.command("tcp", 4), [f"{folder}/bin/amudprun", "-np", "4"])
        self.assertEqual((smp.name, smp.compiler), ("GASNet 1.28.2, smp", "gcc"))
        self.assertEqual(smp.command("local", 2), ["/x/run", "-n", "2"])
        self.assertEqual((smp.words, smp.libs), (("-pipe", "-DGASNET_SEQ"), ("-L/a b", "-lgasnet")))
        self.assertEqual(smp.linker, ("g++", "-O3"))
        self.assertTrue(smp.measures("am", "local", 2))
        self.assertFalse(smp.measures("am", "tcp", 2) or smp.measures("latency", "local", 2))
        self.assertEqual(udp.environment("tcp")["GASNET_SUPERNODE_MAXSIZE"], "1")

    def test_processes_by_a_variable(self):
        with tempfile.TemporaryDirectory() as folder:
            smp, = self.install(folder, {"include/gasnet_config.h": "",
                                         "include/smp-conduit/smp-seq.mak": "GASNET_CC = cc\n"})
        self.assertEqual(smp.command("local", 2), ["env", "GASNET_PSHM_NODES=2"])

    def test_no_install(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit):
            peers.others(folder)


class Lines(unittest.TestCase):
    def test_a_line_of_another_library_alone(self):
        store, said = Store(), []
        store.add("openmpi", "tcp", 2, record(median=4000.0))
        table.print_table(store, [Peer("openmpi")], said.append)
        text = "\n".join(said)
        self.assertIn("4.00 µs", text)
        self.assertIn("n/a", text)

    def test_ratio_and_verdict(self):
        store, said = Store(), []
        store.add("causeway", "local", 2, record(median=4.0))
        store.add("baseline", "local", 2, record(median=2.0))
        table.print_table(store, [], said.append)
        self.assertIn("2.00 ×  ≤ 5.00 ns  met", "\n".join(said))


class Runs(unittest.TestCase):
    def run_it(self, script, **more):
        return measure.Run("x", "local", 2, "t", ["/bin/sh", "-c", script], dict(os.environ),
                           **more).execute()

    def test_reads_lines(self):
        run = self.run_it("echo noise; echo '{\"bench\":\"a\",\"op\":\"b\"}'")
        self.assertEqual((run.records, run.error), ([{"bench": "a", "op": "b"}], None))

    def test_failure_is_a_remark(self):
        run = self.run_it("echo broken >&2; exit 3")
        self.assertEqual(run.error, "status 3: broken")

    def test_silence_is_a_remark(self):
        self.assertEqual(self.run_it("true").error, "printed no result")

    def test_hang_is_killed_with_its_children(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_it(f"(sleep 4; touch {folder}/alive) & wait", timeout=1)
            self.assertIn("no end after 1 s", run.error)
            self.assertLess(run.seconds, 4)
            self.assertEqual(os.listdir(folder), [])

    def test_hello_counts_its_lines(self):
        self.assertIsNone(self.run_it("echo hello from 0 of 2; echo hello from 1 of 2",
                                      wall=True).error)
        self.assertEqual(self.run_it("echo hello from 0 of 2", wall=True).error,
                         "1 of 2 said hello")


if __name__ == "__main__":
    unittest.main()
