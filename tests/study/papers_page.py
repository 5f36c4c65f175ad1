# SPDX-License-Identifier: BSD-3-Clause
"""Pages of docs/papers: of fixed results, what a page says; which parts are measured again; that
the committed pages are what their results give; the implementation that --dart-prefix names."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "study"), str(ROOT / "bench")]
sys.dont_write_bytecode = True

from paper import bands, dart, load, measure, modules, page  # noqa: E402
from paper.document import Document  # noqa: E402


def band(tag, size, q, layout="msg-bound", op="get"):
    return {"peer": tag, "layout": layout, "bench": "latency", "op": op, "bytes": size, "npes": 2,
            "unit": "ns", "n": 100, "min": q[0], "max": q[-1], "medians": [q[3]], "q": q}


def part(rows, foreign=0.0, **more):
    return {"what": "w", "simulated": False, "loaded": False, "seconds": 1.0, "load_before": 0.5,
            "load_after": 0.6, "foreign": foreign, "tries": 1, "remarks": [], "rows": rows, **more}


def document(number, **parts):
    made = Document(number, modules.of(number).NAME, {"commit": "0123456789"})
    made.data["parts"] = parts
    return made


class Page(unittest.TestCase):
    def page_of(self, made, figures=()):
        with tempfile.TemporaryDirectory() as folder:
            module = modules.of(made.data["number"])
            path = page.write(made, module.lines(made, list(figures)), folder)
            return Path(path).read_text(encoding="utf-8")

    def test_a_row_of_overhead(self):
        rows = [band("baseline", 8, [1000, 1100, 1200, 2000, 2100, 2200, 2300]),
                band("causeway", 8, [1000, 1100, 1200, 3000, 3100, 3200, 3300])]
        text = self.page_of(document(2, bound=part(rows), unbound=part([])))
        self.assertIn("| 8 | 2.00 µs (1.00 µs to 2.30 µs) | 3.00 µs (1.00 µs to 3.30 µs) "
                      "| +1.00 µs | 1.50 |", text)
        self.assertIn("### msg, bound", text)
        self.assertNotIn("### rdm, bound", text)
        self.assertNotIn("Other work used", text)
        self.assertNotIn("![", text)

    def test_counts_beside_the_published(self):
        rows = [{**band("causeway", 0, [66] * 7, "msg", "AMRequestShort0.to_provider.next"),
                 "bench": "insn_gasnet"},
                {**band("causeway", 0, [54] * 7, "msg", "relaxed shared write, one of four|to it"),
                 "bench": "upc"}]
        state = [{**band("causeway", 0, [138] * 7, "msg", "int_p.1.to_provider"),
                  "bench": "states"}]
        text = self.page_of(document(1, shmem=part(state), gasnet=part(rows)))
        self.assertIn("| gasnet_AMRequestShort | 345 | 106 | 66 |", text)
        self.assertIn("| AMRequestShort0 | – | – | 66 |", text)
        self.assertIn("| relaxed shared write, one of four | – | – | 54 to the network |", text)
        self.assertIn("| 138 (alone before its quiet);", text)

    def test_foreign_load_is_said(self):
        text = self.page_of(document(2, bound=part([], 0.4), unbound=part([], 0.01)))
        self.assertIn("**Other work used the processors while this was measured** (bound:", text)
        self.assertIn("| bound | w | 0.5 | 0.6 | 40% | 1 | 1 |", text)

    def test_remarks_and_pictures(self):
        made = document(2, bound=part([], remarks=["raw_fabric: not built"]), unbound=part([]))
        text = self.page_of(made, ["2-overhead-get.png"])
        self.assertIn("- bound: raw_fabric: not built", text)
        self.assertIn("](2-overhead-get.png)", text)

    def test_survives_its_file(self):
        made = document(2, bound=part([band("causeway", 8, [1] * 7)]), unbound=part([]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "2-overhead.json")
            made.write(path)
            self.assertEqual(Document.read(path).data, made.data)
            Path(path).write_text('{"format": "other"}', encoding="utf-8")
            with self.assertRaises(SystemExit):
                Document.read(path)

    def test_committed_pages_are_of_their_results(self):
        for results in sorted((ROOT / "docs/papers").glob("*.json")):
            made = Document.read(str(results))
            committed = results.with_suffix(".md").read_text(encoding="utf-8")
            names = sorted(path.name for path in results.parent.glob(f"{results.stem}-*.png"))
            self.assertEqual(self.page_of(made, names), committed, results.name)
            for name in names:
                self.assertIn(f"]({name})", committed)

    def test_every_paper_has_its_parts(self):
        for number in modules.NAMES:
            module = modules.of(number)
            self.assertTrue(module.TITLE.startswith(f"{number}. "))
            text = self.page_of(document(number))  # nothing measured: still a page
            self.assertIn(page.UNKNOWN, text + module.PUBLISHED.replace("\n", " "))


class Repeats(unittest.TestCase):
    def run_parts(self, shares, tries=3, minutes=1.0, **more):
        """How often a part was taken whose runs met these shares, and which counts."""
        left = list(shares)
        taken = []

        class Fake:
            def seconds(self):
                return 0.1

            def foreign(self):
                return left.pop(0)

        def take():
            taken.append(len(taken))
            return [{"run": taken[-1]}], []

        real, load.Meter = load.Meter, Fake
        try:
            made = document(2)
            made.data["parts"] = {}
            measure.measure(made, [measure.Part("p", "w", take, **more)], lambda _: None, tries,
                            minutes)
        finally:
            load.Meter = real
        record = made.part("p")
        return len(taken), record["rows"][0]["run"], record["tries"]

    def test_quiet_is_taken_once(self):
        self.assertEqual(self.run_parts([0.01]), (1, 0, 1))

    def test_disturbed_is_taken_again_and_the_quietest_counts(self):
        self.assertEqual(self.run_parts([0.5, 0.02]), (2, 1, 2))
        self.assertEqual(self.run_parts([0.5, 0.3, 0.4]), (3, 1, 3))

    def test_not_without_time_nor_where_load_does_not_matter(self):
        self.assertEqual(self.run_parts([0.5], minutes=0), (1, 0, 1))
        self.assertEqual(self.run_parts([0.5], simulated=True), (1, 0, 1))
        self.assertEqual(self.run_parts([0.5], loaded=True), (1, 0, 1))


class Load(unittest.TestCase):
    def test_own_work_is_not_foreign(self):
        """Half a second of this process's own child counts as own, whatever others do."""
        before = load._own()
        subprocess.run(["/bin/sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"],
                       check=True)
        self.assertGreater(load._own() - before, 0.05)
        with load.loops(1):
            pass  # ends it

    def test_bands(self):
        store = bands.table([band("causeway", 8, [1, 2, 3, 4, 5, 6, 7])])
        found = store.get("causeway", "msg-bound", "latency", "get", 8)
        self.assertEqual((found.p10, found.median, found.p90), (2, 4, 6))
        self.assertEqual(found.box(2, "x")["whishi"], 14)


class Reference(unittest.TestCase):
    def test_a_prefix_without_the_library_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit):
            dart.mpi_of(folder)

    def test_a_prefix_is_built_against(self):
        """Our own library under the reference's name."""
        stage = Path(os.environ["CAUSEWAY_TEST_STAGE"])
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder)
            (prefix / "lib").mkdir()
            (prefix / "include").symlink_to(stage / "include")
            for name, ours in (("libdart-mpi.so", "libdart-causeway.so"),
                               ("libdart-base.so", "libdart-base.so")):
                (prefix / "lib" / name).symlink_to(stage / "lib" / ours)
            mpi, why = dart.build_reference(str(prefix), str(prefix / "dart"))
            if why and why.startswith("there is no mpicc"):
                self.skipTest(why)
            self.assertEqual((mpi, why), ("mpich", None))
            env = {**os.environ, "LD_LIBRARY_PATH": str(stage / "lib")}
            done = subprocess.run([str(stage / "bin/oshrun"), "-n", "2", str(prefix / "dart"),
                                   "--mode", "2", "--only", "barrier"], env=env, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["op"], "barrier")


if __name__ == "__main__":
    unittest.main()
