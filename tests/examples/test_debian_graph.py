#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""debian_graph.py on a package index of our own, and on an empty one."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "examples/05-graph/debian_graph.py"

INDEX = """\
Package: shell
Version: 1
Pre-Depends: libc (>= 2.3)
Description: of no interest
 Depends: nothing

Package: editor
Version: 1
Depends: libc (>= 2.3), shell | fancy-shell:any,
 mail-agent

Package: postman
Provides: mail-agent (= 3)
Depends: libc, missing

Package: pigeon
Provides: mail-agent, bird
Depends: pigeon

Package: libc
Version: 2

Package: editor
Version: 2
Depends: pigeon
"""
# In alphabetical order: editor 1, libc 2, pigeon 3, postman 4, shell 5.
ARCS = {(1, 2), (1, 5), (1, 3), (1, 4), (4, 2), (5, 2)}


class DebianGraph(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_on(self, index: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "Packages").write_text(index, encoding="utf-8")
        command = [sys.executable, SCRIPT, self.folder / "out.mtx", "--names",
                   self.folder / "names",
                   "--index", self.folder / "Packages"]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def test_arcs(self) -> None:
        done = self.run_on(INDEX)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "out.mtx").read_text(encoding="ascii").splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix coordinate pattern general")
        body = [tuple(map(int, line.split())) for line in lines if not line.startswith("%")]
        self.assertEqual(body[0], (5, 5, len(ARCS)))
        self.assertEqual(len(body), 1 + len(ARCS))
        self.assertEqual(set(body[1:]), ARCS)
        names = (self.folder / "names").read_text(encoding="ascii").split()
        self.assertEqual(names, ["editor", "libc", "pigeon", "postman", "shell"])

    def test_nothing_to_find(self) -> None:
        done = self.run_on("")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no dependencies", done.stderr)
        self.assertFalse((self.folder / "out.mtx").exists())

    def test_empty_system_index(self) -> None:
        # An apt-cache that knows no package, found first.
        fake = self.folder / "apt-cache"
        fake.write_text("#!/bin/sh\n", encoding="utf-8")
        fake.chmod(0o755)
        done = subprocess.run([sys.executable, SCRIPT, self.folder / "out.mtx"],
                              capture_output=True, text=True,
                              check=False, timeout=60, env={"PATH": f"{self.folder}:/usr/bin:/bin"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get update", done.stderr)


if __name__ == "__main__":
    unittest.main()
