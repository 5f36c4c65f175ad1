#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All scenes with fresh seeds: scenes.py OPTION... of sim.py."""
import os
import subprocess
import sys
from pathlib import Path

sys.exit(subprocess.run([sys.executable, Path(__file__).with_name("sim.py"), "--build",
                         os.environ["CAUSEWAY_TEST_BUILD"], *sys.argv[1:]],
                        check=False).returncode)
