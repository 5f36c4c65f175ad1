# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the start-up study: the file from which it continues, the intervals, the prices."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "study"), os.path.join(ROOT, "bench")]
sys.dont_write_bytecode = True

from startup import calibrate, job, limits, sections  # noqa: E402
from startup.document import Document  # noqa: E402


class Fake:
    """A document with these rows."""

    def __init__(self, **rows):
        self.rows = rows

    def section(self, name):
        return {"rows": self.rows[name]} if name in self.rows else None


def one(value):
    return {"median": value, "min": value, "max": value, "sum": value}


class File(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "s.json")

    def test_goes_on(self):
        first = Document(self.path)
        section = first.begin("hello", False, {"cpu": "x"})
        first.add(section, {"npes": 2, "round": 0, "wall_ms": 5.0}, 0.5)
        again = Document(self.path)
        self.assertFalse(again.is_done("hello", False))
        section = again.begin("hello", False, {"cpu": "y"})
        self.assertTrue(again.has(section, {"npes": 2, "round": 0}))
        self.assertFalse(again.has(section, {"npes": 2, "round": 1}))
        again.end(section)
        last = Document(self.path)
        self.assertTrue(last.is_done("hello", False))
        self.assertEqual((section["seconds"], section["conditions"]["cpu"]), (0.5, "x"))

    def test_a_quick_run_does_not_count_as_a_full_one(self):
        document = Document(self.path)
        document.end(document.begin("hello", True, {}))
        self.assertFalse(document.is_done("hello", False))
        self.assertEqual(document.begin("hello", False, {})["rows"], [])

    def test_another_file_is_refused(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write('{"format": "something"}')
        with self.assertRaises(SystemExit):
            Document(self.path)


class Bars(unittest.TestCase):
    def test_stencil(self):
        def judged(connections):
            rows = [{"program": "stencil", "npes": 64, "nodes": 16, "mode": mode,
                     "connections": one(n)}
                    for mode, n in (("ondemand", connections), ("static", 960))]  # fmt: skip
            return [limit.met for limit in limits.stencil(Fake(peers=rows))]

        self.assertEqual(judged(186), [True, True])
        self.assertEqual(judged(195), [True, False])
        self.assertEqual(judged(202), [False, False])

    def test_static(self):
        def judged(static_us):
            rows = [{"npes": 256, "nodes": 16, "endpoint": "msg", "mode": mode, "init_us": one(us)}
                    for mode, us in (("ondemand", 1000), ("static", static_us))]  # fmt: skip
            return [limit.met for limit in limits.static_against_ondemand(Fake(init=rows))]

        self.assertEqual(judged(10000), [True])
        self.assertEqual(judged(9000), [False])

    def test_latency_compares_rounds(self):
        rows = [{"op": "get", "endpoint": "msg", "round": r, "mode": mode,
                 "ns": (100 + 50 * r) * (1.02 if mode == "static" else 1)}
                for r in range(3) for mode in ("ondemand", "static")]  # fmt: skip
        self.assertEqual([limit.met for limit in limits.latency(Fake(latency=rows))], [True])

    def test_confidence(self):
        # of 60 values, the table of the sign test
        self.assertEqual(limits.interval(range(1, 61)), (22, 39))
        self.assertEqual(limits.interval(range(1, 10)), (2, 8))
        self.assertEqual(limits.interval([5, 3, 4]), (3, 5))  # too few to leave any out

    def test_growth_by_ratio_and_by_slope(self):
        def judged(init_us, launch_ms):
            init = [{"npes": n, "nodes": 1, "mode": "ondemand", "endpoint": "msg",
                     "init_us": one(us)} for n, us in zip((2, 256), init_us)]
            hello = [{"npes": n, "nodes": 1, "what": what, "wall_ms": ms} for n,
                     ms in zip((2, 256), launch_ms) for what in ("fork+exec", "causeway")]
            return [limit.met for limit in limits.growth(Fake(init=init, hello=hello))
                    if limit.seen]

        self.assertEqual(judged((100, 150), (3, 150)), [True, True])
        self.assertEqual(judged((100, 50000), (3, 150)), [False, True])
        self.assertEqual(judged((100, 500000), (3, 150)), [False, False])

    def test_what_was_not_measured_is_not_judged(self):
        self.assertTrue(all(limit.met is None and limit.seen == ""
                            for limit in limits.all_limits(Fake())))


class Prices(unittest.TestCase):
    def test_slope(self):
        self.assertAlmostEqual(calibrate.slope({2: 11, 8: 14, 32: 26}), 0.5)
        self.assertEqual(calibrate.slope({2: 5, 8: 4}), 0)  # noise never makes a price negative
        with self.assertRaises(calibrate.NotEnough):
            calibrate.slope({2: 5})

    def test_time_of_the_processors_that_is_not_charged(self):
        """Two processors, 3 ms with one of them idle, and .2 ms of a processor for each PE beyond
        its own 1 ms. What is larger than 32 PEs is predicted, so it has no say."""
        rows = [{"npes": n, "cpu_ms": 1.0 * n + 3, "wall_ms": (1.2 * n + 6) / 2}
                for n in (2, 4, 8, 32)]
        rows.append({"npes": 64, "cpu_ms": 1, "wall_ms": 1e6})
        self.assertAlmostEqual(calibrate.uncharged(rows, 2), 0.2e6, delta=1)

    def test_two_slopes(self):
        rows = [(u, v, 7 * u + 3 * v) for u, v in ((4, 12), (28, 96), (16, 240))]
        a, b = calibrate.two_slopes(rows)
        self.assertAlmostEqual(a, 7)
        self.assertAlmostEqual(b, 3)
        with self.assertRaises(calibrate.NotEnough):
            calibrate.two_slopes([(1, 2, 5), (2, 4, 10)])


class Jobs(unittest.TestCase):
    def run_it(self, script, npes=2):
        return job.Job(["/bin/sh", "-c", script], npes).execute()

    def test_hellos_of_one_job(self):
        self.assertIsNone(
            self.run_it("echo hello from 0 of 2; echo hello from 1 of 2").hellos().error)
        self.assertIn("0 of 2", self.run_it(
            "echo hello from 0 of 1; echo hello from 0 of 1").hellos().error)

    def test_verified(self):
        self.assertIsNone(
            self.run_it("echo RESULT program=x pes=2 verified=yes seconds=1").verified().error)
        self.assertEqual(
            self.run_it("echo RESULT program=x pes=2 verified=no seconds=1").verified().error,
                         "not verified")
        self.assertIn("status 3", self.run_it("echo bad >&2; exit 3").verified().error)

    def test_processor_time(self):
        busy = self.run_it("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
        self.assertGreater(busy.cpu, 0.01)
        self.assertLessEqual(busy.cpu, busy.seconds * 1.5 + 0.05)

    def test_sections_have_costs(self):
        self.assertEqual(set(sections.COSTS), {*sections.SECTIONS, "sim"})


if __name__ == "__main__":
    unittest.main()
