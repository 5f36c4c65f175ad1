#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The litmus files of herd/, each of which says in its text what it shows: "Sometimes" or "Never".

They are herd7's, which is asked where it is installed. Debian has no package of it, so they are
also judged here, by as much of the Armv8 model as they use: all executions (which write each load
reads from, and the order of the writes to each location) are enumerated; forbidden are those with a
cycle of program order per location with communication, or of communication between processors with
what acquire and release order. Dependencies, barriers and atomics are not known, and refused."""

import itertools
import re
import shutil
import subprocess
from pathlib import Path

from frame.script import check, finish

FOLDER = Path(__file__).parent / "herd"


class Event:
    def __init__(self, processor, at, kind, location, register, value, strong):
        self.processor, self.at, self.kind, self.location = processor, at, kind, location
        self.register, self.value, self.strong = register, value, strong


def events_of(text):
    """The initial writes and the accesses of the processors."""
    begin, end = text.index("{"), text.index("}")
    place = {(int(p), r): where
             for p, r, where in re.findall(r"(\d+):X(\d+)=(\w+);", text[begin:end])}
    rows = [row.rstrip(" ;").split("|") for row in text[end + 1:text.index("exists")].splitlines()
            if "|" in row]
    events, constants = [], {}
    for processor in range(len(rows[0])):
        for at, row in enumerate(rows[1:]):
            word = row[processor].strip()
            if not word:
                continue
            move = re.fullmatch(r"MOV W(\d+),#(\d+)", word)
            access = re.fullmatch(r"(STLR|STR|LDAR|LDR) W(\d+),\[X(\d+)\]", word)
            assert move or access, f"'{word}' is not known here"
            if move:
                constants[processor, move[1]] = int(move[2])
                continue
            name, register, base = access.groups()
            store = name.startswith("ST")
            value = constants[processor, register] if store else None
            events.append(Event(processor, at, "W" if store else "R", place[processor, base],
                                register, value, name in ("STLR", "LDAR")))
    for location in sorted(set(place.values())):
        events.append(Event(-1, 0, "W", location, None, 0, False))
    return events


def has_cycle(edges):
    below = {}
    for a, b in edges:
        below.setdefault(a, set()).add(b)
    while below:
        last = [a for a, bs in below.items() if not bs & below.keys()]
        if not last:
            return True
        for a in last:
            del below[a]
    return False


def is_allowed(program, communication):
    internal = [(a, b) for a, b in program if a.location == b.location]
    if has_cycle(internal + communication):
        return False
    external = [(a, b) for a, b in communication if a.processor != b.processor]
    ordered = [(a, b) for a, b in program
               if (a.kind == "R" and a.strong) or (b.kind == "W" and b.strong)
               or (a.kind == "W" and a.strong and b.kind == "R" and b.strong)]
    return not has_cycle(external + ordered)


def orders_of(writes):
    """Every order of the writes to one location, the initial one first."""
    first = [w for w in writes if w.processor < 0]
    return [first + list(rest)
            for rest in itertools.permutations(w for w in writes if w.processor >= 0)]


def outcomes(events):
    """The final registers of every execution that the model allows."""
    program = [(a, b) for a in events for b in events
               if a.processor == b.processor >= 0 and a.at < b.at]
    loads = [e for e in events if e.kind == "R"]
    by_place = {}
    for e in events:
        if e.kind == "W":
            by_place.setdefault(e.location, []).append(e)
    for sources in itertools.product(*(by_place[load.location] for load in loads)):
        for chosen in itertools.product(*(orders_of(w) for w in by_place.values())):
            order = dict(zip(by_place, chosen))
            communication = list(zip(sources, loads))
            communication += [pair for w in chosen for pair in zip(w, w[1:])]
            for source, load in zip(sources, loads):
                later = order[load.location]
                communication += [(load, w) for w in later[later.index(source) + 1:]]
            if is_allowed(program, communication):
                yield {(r.processor, r.register): s.value for s, r in zip(sources, loads)}


def observe(text):
    wanted = [((int(p), r), int(value))
              for p, r, value in re.findall(r"(\d+):X(\d+)=(\d+)", text[text.index("exists"):])]
    found = [all(registers[key] == value for key, value in wanted)
             for registers in outcomes(events_of(text))]
    assert found, "no execution at all"
    return "Never" if not any(found) else "Always" if all(found) else "Sometimes"


def main():
    files = sorted(FOLDER.glob("*.litmus"))
    for file in files:
        text = file.read_text()
        says = re.search(r"(Sometimes|Never): ", text)[1]
        here = observe(text)
        check(here == says, f"{file.name} says {says}, and here it is {here}")
        if shutil.which("herd7"):
            done = subprocess.run(["herd7", file], capture_output=True, text=True, timeout=60)
            check(re.search(rf"^Observation \w+ {says} ", done.stdout, re.M),
                  f"{file.name} says {says}", done.stdout, done.stderr)
        print(f"{file.stem}: {here}" + ("" if shutil.which("herd7") else " (without herd7)"))
    check(len(files) >= 3, f"{len(files)} files")
    # the judge itself: without release and acquire nothing is ordered, with both all is
    weak = (FOLDER / "put_request.litmus").read_text().replace("LDAR", "LDR")
    check(observe(weak) == "Sometimes", "a load without acquire may come early")
    finish()


main()
