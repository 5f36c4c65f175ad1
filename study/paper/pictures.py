# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the pages' pictures."""

COLOURS = {"direct": "#6b6b6b", "fcg": "#c0392b", "mfcg": "#d9762b", "cfcg": "#3f9157",
           "hypercube": "#1f5fa8"}


def panels(drawer, rows, columns, size, share=0.12, **more):
    """A figure of panels, and below them a place for one legend, which so hides no data."""
    figure, axes = drawer.plt.subplots(
        rows + 1, columns, squeeze=False, figsize=size, constrained_layout=True,
        gridspec_kw={"height_ratios": [1] * rows + [share]}, **more)
    for axis in axes[-1]:
        axis.axis("off")
    return figure, axes[:-1]


def legend(figure, axes, columns):
    """The lines of all panels, each once, at the bottom."""
    found = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if found:
        figure.legend(found.values(), found.keys(), fontsize=8, ncol=columns, loc="lower center")


def size_ticks(axis, sizes, step=1):
    """Bytes on a logarithmic axis."""
    ticks = sorted(sizes)[::step]
    axis.set_xscale("log", base=2)
    axis.set_xticks(ticks, [f"{t >> 20} M" if t >= 1 << 20 else f"{t >> 10} K" if t >= 1024 else
                            str(t) for t in ticks], fontsize=8)
