#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-info --plot draws what the statistics hold: an image of timeline, waits and traffic, one
of the matrix with as many colours as there is traffic, or a page around the same data."""
import json
import re
import subprocess
import sys

from common import check, compile_program, finish, page_data, run
from frame.script import ROOT


def has_libraries():
    return subprocess.run(["/usr/bin/python3", "-c", "import numpy, matplotlib"],
                          capture_output=True, check=False).returncode == 0


def info(*arguments):
    done = subprocess.run(["causeway-info", "--plot", *arguments], capture_output=True, text=True,
                          check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


# In one process, since matplotlib loads for seconds: the height, width and number of different
# colours of each image; the number of drawings of each part; the texts of the cells and those of
# the colours' bar of each quantity.
INSPECT = """
import importlib.util, json, sys
import matplotlib.image, numpy
from matplotlib.figure import Figure
spec = importlib.util.spec_from_file_location("plot", sys.argv[1])
plot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plot)
found = {}
def image(path):
    p = matplotlib.image.imread(path)
    colours = numpy.unique((p[..., :3] * 15).astype(int).reshape(-1, 3), axis=0)
    return [p.shape[0], p.shape[1], len(colours)]
def drawings(figure):
    return len(figure.axes)
def texts(figure):
    figure.canvas.draw()
    axes, bar = figure.axes
    return [["_".join(text.get_text().split()) for text in of]
            for of in (axes.texts, bar.get_yticklabels())]
for path in sys.argv[3].split():
    found[path] = image(path)
for part, what, look in [(part, "bytes", drawings) for part in sys.argv[4].split()] + \
                        [("matrix", what, texts) for what in sys.argv[5].split()]:
    Figure.savefig = lambda figure, *_, **__: found.update({(what, part)[look == drawings]:
                                                            look(figure)})
    plot.draw(plot.load(sys.argv[2]), what, part, "")
print(json.dumps(found))
"""
PARTS = {"all": 4, "timeline": 1, "waits": 1, "matrix": 2}  # with the bar of the matrix
KINDS = {"bytes": r"[\d.e+]+_([KMGT]i)?B", "calls": r"[\d.e+]+(_[kMGT])?",
         "atomics": r"[\d.e+]+(_[kMGT])?"}


def inspect(path, *images):
    """Images are not blank, parts are drawn, and cells and bar have units of one kind."""
    done = subprocess.run(
        ["/usr/bin/python3", "-B", "-c", INSPECT, ROOT / "tools/causeway-plot.py", path,
         " ".join(images), " ".join(PARTS), " ".join(KINDS)],
        capture_output=True, text=True, check=True).stdout
    found = json.loads(done)
    for image in images:
        height, width, colours = found[image]
        check(height > 300 and width > 300 and colours > 12,
              f"{image} is blank: {height}x{width}, {colours} colours")
    for part, axes in PARTS.items():
        check(found[part] == axes, f"{part}: {found[part]} drawings, not {axes}")
    for what, kind in KINDS.items():
        for where, texts in zip(("cells", "bar"), found[what]):
            check(len(texts) > 1 and all(re.fullmatch(kind, text) for text in texts),
                  f"{what}: units of the {where}: {texts}")


def main():
    if not has_libraries():
        print("SKIP: numpy and matplotlib are missing (Debian: python3-numpy python3-matplotlib)")
        return 77
    compile_program("traffic")
    run("traffic", pes=6, layout="2nodes-rdm", CAUSEWAY_STATS="json:job.json")
    for arguments, image in [(["job.json"], "job.png"),
                             (["job.json", "--draw", "matrix", "--what", "atomics", "-o", "a.png"],
                              "a.png")]:
        status, output = info(*arguments)
        check(status == 0 and output.strip() == image, f"plot {arguments}: {status}: {output}")
    inspect("job.json", "job.png", "a.png")
    status, output = info("job.json", "-o", "job.html")
    with open("job.json", encoding="utf-8") as file:
        check(status == 0 and page_data("job.html") == json.load(file), f"page: {status} {output}")
    with open("broken.json", "w", encoding="utf-8") as file:
        file.write('{"format": "something else"}')
    status, output = info("broken.json")
    check(status == 1 and "is not a statistics file" in output, f"broken: {status} {output}")
    status, output = info("job.json", "-o", "job.nothing")
    check(status == 1 and "cannot write job.nothing: Format" in output, f"a format: {output}")
    for name in ("png", "html"):
        status, output = info("job.json", "-o", f"no folder/job.{name}")
        check(status == 1 and f"cannot write no folder/job.{name}: No such" in output, output)
    for more in ("", ', "job": {}, "pes": []', ', "job": null, "pes": [7]'):
        with open("damaged.json", "w", encoding="utf-8") as file:
            file.write('{"format": "causeway-stats", "version": 2' + more + "}")
        for command in ("--plot", "--startup"):
            done = subprocess.run(["causeway-info", command, "damaged.json"], capture_output=True,
                                  text=True, check=False, timeout=60)
            check(done.returncode == 1 and "damaged.json lacks what such a file has" in done.stderr
                  and done.stderr.count("\n") == 1, f"{command} of {more}: {done.stderr}")
    status, output = info("nowhere.json")
    check(status == 1 and "cannot read nowhere.json" in output, f"nowhere: {status} {output}")
    finish("plot")
    return 0


if __name__ == "__main__":
    sys.exit(main())
