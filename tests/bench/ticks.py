# SPDX-License-Identifier: BSD-3-Clause
"""Logarithmic axes of the committed figures have numbers to read: three at least, whatever the
range, none over another."""
import subprocess
import sys

from frame.script import ROOT, check, finish

PYTHON = "/usr/bin/python3"
RANGES = [(7, 30), (0.8, 1.3), (40, 95), (10, 13), (0.02, 0.5), (1, 900), (3, 40000), (1, 5e6)]

# In one process, since matplotlib loads for seconds: for each range the numbers inside of the axis,
# and whether the boxes of two of them meet.
DRAW = """
import sys
sys.path.insert(0, sys.argv[1])
from driver.plots import Drawer
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
for words in sys.argv[2:]:
    low, high = map(float, words.split("-"))
    figure, axis = plt.subplots(figsize=(3.6, 2.6))
    axis.set_yscale("log")
    axis.set_ylim(low, high)
    Drawer.log_ticks(axis)
    figure.canvas.draw()
    inside = [label for label, at in zip(axis.get_yticklabels(), axis.get_yticks())
              if low <= at <= high]
    boxes = [label.get_window_extent() for label in inside]
    meet = any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    print(words, "meet" if meet else "apart", *[label.get_text() for label in inside])
"""


def main():
    if subprocess.run([PYTHON, "-c", "import numpy, matplotlib"], capture_output=True,
                      check=False).returncode:
        print("SKIP: numpy and matplotlib are missing (Debian: python3-numpy python3-matplotlib)")
        return 77
    done = subprocess.run([PYTHON, "-B", "-c", DRAW, ROOT / "bench",
                           *(f"{low}-{high}" for low, high in RANGES)],
                          capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    check(len(lines) == len(RANGES), "a line for each range", done.stdout, done.stderr)
    for line in lines:
        _, how, *numbers = line.split()
        check(how == "apart" and len(numbers) >= 3 and len(set(numbers)) == len(numbers), line)
    finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
