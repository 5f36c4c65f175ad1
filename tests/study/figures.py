# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the start-up study, from the measurements of docs/papers: no legend lies on data,
and the latencies are those of the page's table."""

import os
import re
import subprocess
import sys
import tempfile

from frame.script import ROOT, check, finish, skip

PAPERS = ROOT / "docs/papers"
SYSTEM = "/usr/bin/python3"  # for which Debian installs matplotlib


def have_matplotlib(python):
    return subprocess.run([python, "-c", "import matplotlib, PIL"], capture_output=True,
                          check=False).returncode == 0


def use_matplotlib():
    """Goes on in the system's interpreter where this one lacks it."""
    if have_matplotlib(sys.executable):
        return
    if sys.executable == SYSTEM or not os.path.exists(SYSTEM) or not have_matplotlib(SYSTEM):
        skip("no matplotlib (Debian: python3-matplotlib)")
    os.execv(SYSTEM, [SYSTEM, *sys.argv])


def table():
    """{"get msg": (median, least, most)} in %, as the committed page has them."""
    page = (PAPERS / "5-on-demand.md").read_text(encoding="utf-8")
    line = re.compile(r"^\| latency of (\w+) \((\w+)\) .*\| ([-+][\d.]+)%, median of \d+ pairs; "
                      r"95 % sure: ([-+][\d.]+)% to ([-+][\d.]+)% \|", re.M)
    return {f"{op} {endpoint}": tuple(map(float, figures))
            for op, endpoint, *figures in line.findall(page)}


def drawn(axis):
    """The same, as the figure has them."""
    marks, _, (bars,) = axis.containers[0]
    names = [text.get_text() for text in axis.get_xticklabels()]
    return {name: tuple(round(float(y), 1) for y in (middle, low, high))
            for name, middle, ((_, low), (_, high)) in zip(names, marks.get_ydata(),
                                                           bars.get_segments())}


def main():
    use_matplotlib()
    sys.path[:0] = [str(ROOT / "study"), str(ROOT / "bench")]
    sys.dont_write_bytecode = True
    from paper.document import Document
    from startup.figures import Figures

    class Checked(Figures):
        """Looks at each figure instead of writing it."""

        def save(self, figure, name):
            figure.canvas.draw()
            legends = [axis.get_legend() for axis in figure.axes if axis.get_legend()]
            boxes = [legend.get_window_extent() for legend in legends]
            check(boxes, f"{name} has a legend")
            page = figure.bbox
            for i, box in enumerate(boxes):
                check(page.x0 <= box.x0 and page.y0 <= box.y0 and box.x1 <= page.x1
                      and box.y1 <= page.y1, f"{name}: legend {i} is in the picture", box, page)
                for axis in figure.axes:
                    check(not axis.axison or not box.overlaps(axis.get_window_extent()),
                          f"{name}: legend {i} lies on {axis.get_title()!r}")
                for other in boxes[:i]:
                    check(not box.overlaps(other), f"{name}: legend {i} lies on another")
            if name == "startup-latency.png":
                check(drawn(figure.axes[0]) == table(), f"{name} is not the table",
                      drawn(figure.axes[0]), table())
            self.written.append(name)

    with tempfile.TemporaryDirectory() as scratch:
        names = Checked(Document.read(str(PAPERS / "5-on-demand.json")), scratch).all()
    check({name.replace("startup-", "5-on-demand-") for name in names}
          == {path.name for path in PAPERS.glob("5-on-demand-*.png")}, "the committed figures",
          names)
    finish()


main()
