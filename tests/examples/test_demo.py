#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""demo.py must not report as verified what is not: it runs here on a substitute install tree.

Its oshcc "compiles" every example into a shell script that misbehaves as requested, its oshrun only
starts it.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "examples/demo.py"
GOOD = "echo RESULT program=hello pes=4 verified=yes seconds=0.5 rate=8 unit=PE/s"

OSHCC = """\
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n%s\\n' "$BEHAVIOUR" > "$2"
chmod +x "$2"
"""
OSHRUN = """\
#!/bin/sh
while [ "${1#/}" = "$1" ]; do shift; done
exec "$@"
"""


class Demo(unittest.TestCase):
    def run_with(self, behaviour: str, timeout: int = 20) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder) / "stage/bin"
            tools.mkdir(parents=True)
            for name, text in (("oshcc", OSHCC), ("oshrun", OSHRUN)):
                (tools / name).write_text(text, encoding="utf-8")
                (tools / name).chmod(0o755)
            command = [sys.executable, DEMO, "--stage", tools.parent, "--out", Path(folder) / "out",
                       "--only", "hello",
                       "--timeout", str(timeout), "--layouts", "node,emulated"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60,
                                  env={**os.environ, "BEHAVIOUR": behaviour})
            return done.returncode, done.stdout + done.stderr

    def test_good(self) -> None:
        status, output = self.run_with(GOOD)
        self.assertEqual(status, 0, output)
        self.assertIn("2 runs verified, 0 not verified, 0 skipped", output)

    def check_bad(self, behaviour: str, reason: str, timeout: int = 20) -> None:
        status, output = self.run_with(behaviour, timeout)
        self.assertEqual(status, 1, output)
        self.assertIn("0 runs verified, 2 not verified, 0 skipped", output)
        self.assertIn(reason, output)

    def test_not_verified(self) -> None:
        self.check_bad(GOOD.replace("yes", "no"), "verified=no")
        self.check_bad(GOOD.replace("yes", "skipped"), "verified=skipped")

    def test_exit_status(self) -> None:
        self.check_bad(f"{GOOD}; exit 3", "exit status 3")

    def test_no_result(self) -> None:
        self.check_bad("echo done", "no RESULT line")
        self.check_bad(f"{GOOD}; {GOOD}", "or more than one")

    def test_wrong_size(self) -> None:
        self.check_bad(GOOD.replace("pes=4", "pes=1"), "ran on 1 PEs")

    def test_hang(self) -> None:
        self.check_bad("sleep 50", "hangs or is far too slow", timeout=1)


if __name__ == "__main__":
    unittest.main()
