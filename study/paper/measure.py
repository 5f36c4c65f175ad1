# SPDX-License-Identifier: BSD-3-Clause
"""Measures the parts of a page one after another. A part during which others used the processors is
measured again, while the page has time, and the quieter one counts."""

import time
from dataclasses import dataclass
from typing import Callable

from . import load

FOREIGN = 0.05  # of the processors: what the kernel's own threads take is below
TRIES = 3
MINUTES = 6  # of a page: later nothing is measured again


@dataclass
class Part:
    """`take` gives the rows and the remarks. A simulated part needs no quiet machine; one that is
    loaded on purpose is not judged."""

    name: str
    what: str
    take: Callable[[], tuple[list, list]]
    simulated: bool = False
    loaded: bool = False


def once(part):
    before, meter = load.average(), load.Meter()
    rows, remarks = part.take()
    return {"what": part.what, "simulated": part.simulated, "loaded": part.loaded,
            "seconds": round(meter.seconds(), 1), "load_before": before,
            "load_after": load.average(), "foreign": round(meter.foreign(), 3), "tries": 1,
            "remarks": remarks, "rows": rows}


def measure(document, parts, say, tries=TRIES, minutes=MINUTES):
    begin = time.monotonic()
    for number, part in enumerate(parts, 1):
        say(f"[{number}/{len(parts)}] {part.name}: {part.what}")
        best = once(part)
        judged = not (part.simulated or part.loaded)
        for again in range(2, tries + 1):
            left = 60 * minutes - (time.monotonic() - begin)
            if not judged or best["foreign"] <= FOREIGN or left < best["seconds"]:
                break
            say(f"  others took {best['foreign']:.0%} of the processors: measured again")
            another = once(part)
            best = min(best, another, key=lambda one: one["foreign"])
            best["tries"] = again
        document.data["parts"][part.name] = best
        document.data["seconds"] = round(time.monotonic() - begin, 1)
        say(f"[{number}/{len(parts)}] {part.name}: {len(best['rows'])} rows in "
            f"{best['seconds']:.0f} s; others took {best['foreign']:.0%} of the processors")
        for remark in best["remarks"]:
            say(f"  remark: {remark}")


def met_load(document):
    """The parts that others disturbed."""
    return [name for name, part in document.data["parts"].items()
            if part["foreign"] > FOREIGN and not (part["simulated"] or part["loaded"])]
