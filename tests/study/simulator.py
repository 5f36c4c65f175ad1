# SPDX-License-Identifier: BSD-3-Clause
"""The start-up simulator: what must hold whatever the prices are, and connections exactly as real
jobs count them."""

import json
import math
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.environ.get("CAUSEWAY_TEST_BUILD") or os.path.join(ROOT, "build")
STAGE = os.environ.get("CAUSEWAY_TEST_STAGE") or os.path.join(BUILD, "stage")
SIM = os.path.join(BUILD, "study", "sim", "causeway-sim")
# Invented prices, all different.
PRICES = {"start": 2e6, "spawn": 1e5, "reap": 2e5, "seat": 2e5, "exec": 5e5, "kernel": 1e5,
          "join": 2e5, "wake": 5e3, "look": 2e4, "leave": 1e5, "serve": 3e4, "shut": 4e5,
          "begin": 6e5, "load": 9e7, "load_wait": 2e8, "listen": 9e5, "open": 8e5, "connect": 6e4,
          "accept": 4e4, "hop": 1e4, "message": 2e4, "daemon": 2e7, "bandwidth": 1, "tick": 4e6,
          "phase": 0, "slice": 1.4e6}


def sim(npes, nodes, hosts=1, cores=2, prices=None, status=0, **options):
    words = [f"{name}={value}" for name, value in {**PRICES, **(prices or {})}.items()
             if value is not None]
    for name, value in options.items():
        words += [f"--{name}", value]
    command = [SIM, "--npes", str(npes), "--nodes", str(nodes), "--hosts", str(hosts), "--cores",
               str(cores), "--tables", "1", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == status, f"{command}: status {done.returncode}: {done.stderr}"
    return json.loads(done.stdout) if status == 0 else done.stderr


class Counts(unittest.TestCase):
    def test_hello_connects_leaders_by_dissemination(self):
        for npes, nodes in ((4, 1), (4, 2), (7, 3), (48, 16), (100, 33)):
            said = sim(npes, nodes)
            self.assertEqual(said["connections"], nodes * math.ceil(math.log2(nodes)),
                             (npes, nodes))
            self.assertEqual(said["endpoints"], 2 * nodes if nodes > 1 else 0)

    def test_static_connects_each_pe_to_every_node(self):
        for npes, nodes in ((4, 2), (7, 3), (64, 16)):
            said = sim(npes, nodes, connect="static")
            self.assertEqual(said["connections"], npes * (nodes - 1))
            self.assertEqual(said["most_connections"], nodes - 1)
            self.assertEqual(said["endpoints"], npes + nodes)
            self.assertEqual(said["most_accepts"], npes - npes // nodes)

    def test_large_jobs_share_recordings_and_count_the_same_way(self):
        said = sim(4096, 64, 64, 64, fence="tree")
        self.assertLess(said["recorded_pes"], 4096)
        self.assertEqual(said["connections"], 64 * 6)
        said = sim(4096, 64, 64, 64, fence="tree", connect="static")
        self.assertEqual(said["connections"], 4096 * 63)

    def counted(self, npes, nodes, program, **env):
        """By a real job on emulated nodes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stats.json")
            full = {**os.environ, "CAUSEWAY_ENDPOINT": "msg", "CAUSEWAY_STATS": f"json:{path}",
                    **env}
            done = subprocess.run([os.path.join(STAGE, "bin", "oshrun"), "-n", str(npes),
                                   "--emulate-nodes", str(nodes), *program],
                                  env=full, capture_output=True, text=True, check=False,
                                  timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                return sum(pe["connections"] for pe in json.load(file)["pes"])

    def test_as_real_jobs_count(self):
        program = os.path.join(os.getcwd(), "ring")
        subprocess.run([os.path.join(STAGE, "bin", "oshcc"), "-O2", "-std=gnu11", "-o", program,
                        os.path.join(ROOT, "bench", "ring.c"),
                        os.path.join(ROOT, "bench", "common.c")], check=True)
        for npes, nodes in ((4, 2), (7, 3)):
            self.assertEqual(sim(npes, nodes, pattern="ring")["connections"],
                             self.counted(npes, nodes, [program]))
        self.assertEqual(sim(7, 3, pattern="ring", connect="static")["connections"],
                         self.counted(7, 3, [program], CAUSEWAY_CONNECT="static"))  # fmt: skip


class Time(unittest.TestCase):
    def test_the_same_again(self):
        def figures():
            said = sim(100, 10, connect="static", prices={"wake": 0})
            return said["connections"], said["events"], said["most_accepts"]

        self.assertEqual(figures(), figures())

    def test_what_costs_more_takes_longer(self):
        base = sim(64, 16, connect="static")
        for price in ("start", "begin", "load", "accept", "connect", "open", "join", "spawn",
                      "reap", "seat", "exec", "leave", "shut"):
            dear = sim(64, 16, connect="static", prices={price: 10 * PRICES[price]})
            self.assertGreater(dear["wall_ms"], base["wall_ms"], price)
            self.assertGreater(dear["cpu_ms"], base["cpu_ms"], price)

    def test_what_the_kernel_does_beside_takes_time_and_is_nobodys(self):
        free = {name: 0 for name in PRICES if name not in ("bandwidth", "tick")}
        base, dear = (sim(64, 1, prices={**free, "exec": 1e6, "kernel": kernel})
                      for kernel in (0, 5e5))
        self.assertAlmostEqual(dear["wall_ms"] - base["wall_ms"], 64 * 0.5 / 2, delta=0.5)
        self.assertAlmostEqual(dear["cpu_ms"], base["cpu_ms"], delta=0.01)

    def test_work_is_conserved(self):
        """Two cores cannot do more than two cores' work."""
        for connect in ("ondemand", "static"):
            said = sim(64, 16, connect=connect)
            self.assertGreaterEqual(said["wall_ms"] * 2 * 1.0001, said["cpu_ms"])
        one = {name: 0 for name in PRICES if name not in ("bandwidth", "tick")} | {"exec": 1e6}
        # ten milliseconds of work
        self.assertAlmostEqual(sim(10, 1, cores=2, prices=one)["wall_ms"], 5, delta=0.2)

    def test_a_thread_keeps_its_core_until_a_tick(self):
        """shmem_init behind the start of the process does not wait for the other PEs, unless a tick
        comes in between."""
        free = {name: 0 for name in PRICES if name not in ("bandwidth", "tick")}
        prices = {**free, "spawn": 1e3, "exec": 1e6, "join": 1e6}
        calm = sim(8, 1, cores=1, prices={**prices, "tick": 1e9})
        for figure in ("init_median_ms", "init_mean_ms", "init_max_ms"):
            self.assertAlmostEqual(calm[figure], 1, delta=0.01)
        ticking = sim(8, 1, cores=1, prices={**prices, "tick": 5e5})
        self.assertGreater(ticking["init_mean_ms"], 4)

    def test_a_thread_that_is_interrupted_waits_while_new_ones_come(self):
        """The tick that interrupts a PE within shmem_init costs it more than a turn of the PEs that
        are there: as many as the launcher lets be on their way to exec."""
        free = {name: 0 for name in PRICES if name not in ("bandwidth", "tick", "slice")}
        said = sim(256, 1, cores=1, prices={**free, "spawn": 5e4, "exec": 7e5, "join": 3e5,
                                            "tick": 4e6, "slice": 7e5})
        self.assertAlmostEqual(said["init_median_ms"], .3, delta=.1)
        self.assertGreater(said["init_max_ms"], 15)

    def test_pes_that_wait_interrupt_those_that_start(self):
        """Without a tick: a PE that has waited for a tenth of a second looks whether the others
        live, and a slice that is over ends when another thread comes."""
        free = {name: 0 for name in PRICES if name not in ("bandwidth", "tick", "slice")}
        prices = {**free, "spawn": 5e4, "seat": 1e5, "exec": 7e5, "join": 3e5, "tick": 1e9,
                  "slice": 7e5}
        soon, later = (sim(npes, 1, cores=1, prices=prices) for npes in (64, 256))
        self.assertLess(soon["wall_ms"], 100)
        self.assertAlmostEqual(soon["init_mean_ms"], .3, delta=.01)
        self.assertAlmostEqual(later["init_median_ms"], .3, delta=.01)
        self.assertGreater(later["init_mean_ms"], 2)

    def test_a_seat_is_taken_until_exec(self):
        free = {name: 0 for name in PRICES if name not in ("bandwidth", "tick", "slice")}
        early, late = (sim(64, 1, cores=64, prices={**free, "seat": seat, "exec": 1e7 - seat})
                       for seat in (1e4, 1e7))
        self.assertAlmostEqual(early["wall_ms"], 10, delta=.2)
        self.assertAlmostEqual(late["wall_ms"], 80, delta=.2)  # eight seats

    def test_modes(self):
        ondemand, blocking, static = (sim(64, 16), sim(64, 16, exchange="blocking"),
                                      sim(64, 16, connect="static"))
        self.assertLess(ondemand["init_mean_ms"], blocking["init_mean_ms"])
        self.assertLess(blocking["init_mean_ms"], static["init_mean_ms"])
        self.assertEqual(ondemand["connections"], blocking["connections"])

    def test_servers_accept_one_after_the_other(self):
        """With expensive accepts a static start takes at least what the busiest server needs."""
        said = sim(64, 16, 16, 64, connect="static", fence="tree", prices={"accept": 5e7})
        self.assertGreaterEqual(said["init_max_ms"], said["most_accepts"] * 50)
        self.assertLess(said["init_median_ms"], said["init_max_ms"])

    def test_launchers(self):
        tree, star = sim(1024, 256, 256, 4, fence="tree"), sim(1024, 256, 256, 4, fence="star")
        self.assertLess(tree["fence_ms"], star["fence_ms"] + 1000)
        far = sim(1024, 256, 256, 4, fence="star", prices={"message": 2e6})
        self.assertGreaterEqual(far["fence_ms"], 256 * 2)  # the root receives one after the other
        self.assertGreater(far["wall_ms"], far["fence_ms"])


class Refusals(unittest.TestCase):
    def test_nothing_is_made_up(self):
        self.assertIn("a price is missing", sim(4, 2, prices={"load": None}, status=2))
        self.assertIn("unknown option or price", sim(4, 2, prices={"speed": 1}, status=2))
        self.assertIn("hosts share no memory", sim(4, 2, 2, status=2))
        self.assertIn("no more nodes than PEs", sim(2, 4, status=2))
        self.assertIn("unusable number", sim(0, 1, status=2))


class Tables(unittest.TestCase):
    def test_what_a_pe_and_a_node_hold_of_all_pes(self):
        """Of the library's own code: 64 PEs a node."""
        for npes, most_pe, most_node in ((131072, 64 << 10, 4 << 20),
                                           (1048576, 256 << 10, 16 << 20)):
            said = sim(npes, npes // 64, npes // 64, 64, fence="tree")
            with self.subTest(npes=npes):
                self.assertLessEqual(said["table_bytes_pe"], most_pe)
                self.assertLessEqual(said["table_bytes_node"] + 64 * said["table_bytes_pe"],
                                     most_node)
                # where each PE is, 8 bytes, and how it is reached, 8 bytes of which the most repeat
                self.assertGreaterEqual(said["table_bytes_node"], 10 * npes)


if __name__ == "__main__":
    unittest.main()
