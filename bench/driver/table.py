# SPDX-License-Identifier: BSD-3-Clause
"""Turns the store into lines: for the terminal, and for the page in docs/."""

from .limits import all_rows


def show(value, unit):
    """A value with its unit, three significant digits."""
    if value is None:
        return "n/a"
    for limit, factor, name in {
            "ns": ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (None, 1e9, "s")),
            "ms": ((1e3, 1, "ms"), (None, 1e3, "s")), "KiB": ((1024, 1, "KiB"), (None, 1024, "MiB"))
    }.get(unit, ()):
        if limit is None or abs(value) < limit:
            return f"{digits(value / factor)} {name}"
    return digits(value) if unit == "instructions" else f"{digits(value)} {unit}"


def digits(value):
    if value == 0 or abs(value) >= 99.95:
        return f"{value:.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


RATES = ("Mop/s", "GB/s")  # of these, more is better
BEHIND = 1.05  # medians of two runs of one library differ by as much


def other_layout(layout):
    """Libraries without Causeway's endpoint modes have one network layout, their own tcp."""
    return "local" if layout == "local" else "tcp"


class Line:
    """One row with everything found for it."""

    def __init__(self, row, store, others):
        self.row = row
        self.ours = store.get("causeway", row.layout, row.bench, row.op, row.nbytes, row.npes)
        self.base = self.ratios = None
        if row.paired:
            self.base, self.ratios = (
                store.get("causeway", row.layout, row.bench, f"{row.op}.{what}", row.nbytes,
                          row.npes) for what in ("base", "ratio"))
        elif row.base:
            bench, _, op = (row.base_op or f"{row.bench}:{row.op}").partition(":")
            nbytes = row.nbytes if row.base_nbytes is None else row.base_nbytes
            self.base = store.get(row.base_tag, row.layout, bench, op, nbytes, row.npes)
        self.others = [
            store.get(peer.tag, other_layout(row.layout), row.bench, row.op, row.nbytes, row.npes)
            for peer in others
        ]
        self.names = [peer.name for peer in others]
        self.found = next((pool for pool in (self.ours, self.base, *self.others) if pool), None)
        self.unit = self.found.unit if self.found else ""

    def text(self, pool):
        return show(pool.median if pool else None, self.unit)

    def ours_text(self):
        if not self.ours:
            return "n/a"
        text = self.text(self.ours)
        if len(self.ours.samples) > 1 and self.ours.p90 > self.ours.p10 * 1.005:
            low, high = show(self.ours.p10, self.unit), show(self.ours.p90, self.unit)
            if low.split()[-1] == high.split()[-1]:
                low = low.split()[0]
            text += f" [{low}–{high}]"
        return text

    def ratio(self, pool):
        """Causeway's figure over the other's; n/a when one is missing."""
        if not self.ours or not pool or not pool.median:
            return ""
        return f"{digits(self.ours.median / pool.median)} ×"

    def best(self):
        """The name and the pool of the peer that is ahead of the others, or None."""
        found = [(name, pool) for name, pool in zip(self.names, self.others) if pool]
        choose = max if self.unit in RATES else min
        return choose(found, key=lambda pair: pair[1].median) if found else None

    def behind(self):
        """How many times the best peer's cost Causeway's is, where that is more than measurements
        differ by, or 0."""
        best = self.best()
        if not self.ours or not best or not self.ours.median or not best[1].median:
            return 0
        times = self.ours.median / best[1].median
        times = 1 / times if self.unit in RATES else times
        return times if times > BEHIND else 0

    def distance(self):
        if self.row.over_base is not None and self.ours and self.base:
            return f"+{show(self.ours.median - self.base.median, self.unit)}"
        if self.ratios:
            low, high = digits(self.ratios.p10), digits(self.ratios.p90)
            return f"{digits(self.ratios.median)} [{low}–{high}] ×"
        return self.ratio(self.base)

    def limit(self):
        return self.row.limit_text(lambda value: show(value, self.unit))

    def _answers(self):
        """Whether the limit is met, by both ends of what the ratio may be."""
        if not self.ours:
            return {None}
        found = [pool.median for pool in self.others if pool]
        if not self.ratios:
            return {self.row.met(self.ours.median, self.base.median if self.base else None, found)}
        return {self.row.met(self.ours.median, self.ours.median / ratio, found)
                for ratio in self.ratios.interval()}

    def met(self):
        answers = self._answers()
        return answers.pop() if len(answers) == 1 else None

    def verdict(self):
        """open: the samples do not tell on which side of its limit a ratio is."""
        if not self.limit():
            return ""
        answers = self._answers()
        words = {True: "met", False: "missed", None: ""}
        return words[answers.pop()] if len(answers) == 1 else "open"


def lines(store, others):
    return [line for line in (Line(row, store, others) for row in all_rows()) if line.found]


def cells(line, others):
    out = [
        line.row.label,
        line.ours_text(),
        line.text(line.base) if line.row.base else "",
        line.distance(), *(line.text(pool) for pool in line.others)
    ]
    if others:
        best = line.best()
        out.append(line.ratio(best[1]) if best else "")
    return [*out, line.limit(), line.verdict()]


def header(others):
    out = ["", "Causeway [p10–p90]", "baseline", "ratio", *(peer.name for peer in others)]
    return [*out, *(["÷ best peer"] if others else []), "limit", ""]


def behind(store, others):
    """The lines in which a peer is ahead, the farthest first; then those whose limit is missed."""
    found = lines(store, others)
    late = sorted((line for line in found if line.behind()), key=lambda line: -line.behind())
    return [*late, *(line for line in found if line not in late and line.met() is False)]


def print_table(store, others, say):
    section = None
    block = []
    for line in lines(store, others):
        if line.row.section != section:
            _flush(section, block, others, say)
            section, block = line.row.section, []
        block.append(cells(line, others))
    _flush(section, block, others, say)


def _flush(section, block, others, say):
    if not block:
        return
    rows = [header(others), *block]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    say("")
    say(section)
    for row in rows:
        first, *rest = row
        say("  " +
            (first.ljust(widths[0]) + "".join("  " + cell.rjust(w)
                                              for cell, w in zip(rest, widths[1:]))).rstrip())


def print_sweeps(store, others, say):
    """Latency by size, every size, in more detail than the short table."""
    tags = [("causeway", "Causeway"), ("baseline", "baseline"),
            *((peer.tag, peer.name) for peer in others)]
    for layout in ("local", "rdm", "msg"):
        for bench, op in (("latency", "put_quiet"), ("latency", "get"), ("rate", "put_nbi_bw"),
                          ("rate", "get_nbi_bw")):
            columns = []
            for tag, name in tags:
                where = other_layout(layout) if tag not in ("causeway", "baseline") else layout
                sizes = store.sizes(tag, where, bench, op)
                columns.append(
                    (name, {size: store.get(tag, where, bench, op, size)
                            for size in sizes}))
            sizes = sorted({size for _, column in columns for size in column})
            if len(sizes) < 2:
                continue
            say("")
            say(f"{op} {layout}, by size")
            say("  " + "bytes".rjust(9) + "".join(name.rjust(18) for name, _ in columns))
            for size in sizes:
                found = [column.get(size) for _, column in columns]
                say("  " + str(size).rjust(9) + "".join(
                    (show(p.median, p.unit) if p else "n/a").rjust(18) for p in found))
