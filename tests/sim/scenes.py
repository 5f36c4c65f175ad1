#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All scenes with fresh seeds: scenes.py OPTION... of sim.py. In continuous integration with more
of them, behind the kept ones. Numbers of runs and of points, not a time: with CI set seeds follow
from the commit, so each machine does the same."""
import os
import subprocess
import sys
from pathlib import Path

FEW = ["--runs", "10", "--points", "2"]
MANY = ["--kept", "--runs", "100", "--points", "20"]

sys.exit(subprocess.run([sys.executable, Path(__file__).with_name("sim.py"), "--build",
                         os.environ["CAUSEWAY_TEST_BUILD"],
                         *(MANY if os.environ.get("CI") else FEW), *sys.argv[1:]],
                        check=False).returncode)
