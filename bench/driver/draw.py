# SPDX-License-Identifier: BSD-3-Clause
"""Draws figures in a process of its own: the interpreter that has matplotlib may be another one
than this."""

import os
import subprocess
import sys

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def draw(module, json_file, folder, say, room=BENCH):
    """Runs python -m MODULE JSON FOLDER in `room`, with the modules of bench on its path. Returns
    the paths that it printed; without matplotlib it prints so and draws nothing."""
    env = {**os.environ, "PYTHONPATH": BENCH}
    for python in (sys.executable, "/usr/bin/python3"):
        cmd = [python, "-m", module, os.path.abspath(json_file), os.path.abspath(folder)]
        if os.path.exists(python) and subprocess.run(
            [python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
            done = subprocess.run(cmd, cwd=room, env=env, capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                say(f"figures: {done.stderr.strip().splitlines()[-1]}")
            return done.stdout.split("\n")[:-1]
    say("figures: skipped, no matplotlib (Debian: python3-matplotlib)")
    return []
