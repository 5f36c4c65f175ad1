# SPDX-License-Identifier: BSD-3-Clause
"""Figures are drawn in a process of its own: the interpreter that has matplotlib may be another one than this."""

import os
import subprocess
import sys

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def draw(module, json_file, folder, say):
    """Runs python -m MODULE JSON FOLDER; the paths it printed. Without matplotlib it says so and draws nothing."""
    for python in (sys.executable, "/usr/bin/python3"):
        cmd = [python, "-m", module, os.path.abspath(json_file), os.path.abspath(folder)]
        if os.path.exists(python) and subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
            done = subprocess.run(cmd, cwd=BENCH, capture_output=True, text=True, check=False)
            if done.returncode:
                say(f"figures: {done.stderr.strip().splitlines()[-1]}")
            return done.stdout.split("\n")[:-1]
    say("figures: skipped, no matplotlib (Debian: python3-matplotlib)")
    return []
