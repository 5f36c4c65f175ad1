#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-info --plot draws the matrix that the statistics hold: an image with as many colours as
there is traffic."""
import re
import subprocess
import sys

from common import check, compile_program, finish, run
from frame.script import ROOT


def has_libraries():
    return subprocess.run(["/usr/bin/python3", "-c", "import numpy, matplotlib"],
                          capture_output=True, check=False).returncode == 0


def info(*arguments):
    done = subprocess.run(["causeway-info", "--plot", *arguments], capture_output=True, text=True,
                          check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


COLOURS = ("import sys, matplotlib.image as i, numpy; p = i.imread(sys.argv[1]); "
           "colours = numpy.unique((p[..., :3] * 15).astype(int).reshape(-1, 3), axis=0); "
           "print(p.shape[0], p.shape[1], len(colours))")


# The texts of the cells, then those of the colours' bar; instead of an image.
TEXTS = """
import importlib.util, sys
from matplotlib.figure import Figure
spec = importlib.util.spec_from_file_location("plot", sys.argv[1])
plot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plot)
def show(figure, *_, **__):
    figure.canvas.draw()
    axes, bar = figure.axes
    for texts in (axes.texts, bar.get_yticklabels()):
        print(*("_".join(text.get_text().split()) for text in texts))
Figure.savefig = show
plot.draw(plot.load(sys.argv[2]), sys.argv[3], "")
"""
KINDS = {"bytes": r"[\d.e+]+_([KMGT]i)?B", "calls": r"[\d.e+]+(_[kMGT])?",
         "atomics": r"[\d.e+]+(_[kMGT])?"}


def check_units(path, what):
    """Cells and bar have units of one kind."""
    done = subprocess.run(["/usr/bin/python3", "-B", "-c", TEXTS, ROOT / "tools/causeway-plot.py",
                           path, what], capture_output=True, text=True, check=True).stdout
    cells, bar = (line.split() for line in done.splitlines())
    for where, texts in (("cells", cells), ("bar", bar)):
        check(len(texts) > 1 and all(re.fullmatch(KINDS[what], text) for text in texts),
              f"{what}: units of the {where}: {texts}")


def look(path):
    """Height, width and the number of different colours, roughly."""
    done = subprocess.run(["/usr/bin/python3", "-c", COLOURS, path], capture_output=True,
                          text=True, check=True).stdout
    return [int(word) for word in done.split()]


def main():
    if not has_libraries():
        print("SKIP: numpy and matplotlib are missing (Debian: python3-numpy python3-matplotlib)")
        return 77
    compile_program("traffic")
    run("traffic", pes=6, layout="2nodes-rdm", CAUSEWAY_STATS="json:job.json")
    for arguments, image in [(["job.json"], "job.png"),
                             (["job.json", "--what", "atomics", "-o", "a.png"], "a.png")]:
        status, output = info(*arguments)
        if check(status == 0 and output.strip() == image,
                 f"plot {arguments}: status {status}: {output}"):
            height, width, colours = look(image)
            check(height > 300 and width > 300 and colours > 12,
                  f"{image} is blank: {height}x{width}, {colours} colours")
    for what in KINDS:
        check_units("job.json", what)
    with open("broken.json", "w", encoding="utf-8") as file:
        file.write('{"format": "something else"}')
    status, output = info("broken.json")
    check(status == 1 and "is not a statistics file" in output, f"broken: {status} {output}")
    status, output = info("nowhere.json")
    check(status == 1 and "cannot read nowhere.json" in output, f"nowhere: {status} {output}")
    finish("plot")
    return 0


if __name__ == "__main__":
    sys.exit(main())
