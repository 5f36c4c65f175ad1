#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Enforces the dependency law of ARCHITECTURE.md: who may include whom, and who may call whom.

ROOMS is the law: a room includes headers of, and calls functions of, rooms that stand above it in
the list (below it in the building) and of its own; rooms of one row are siblings and do not know
each other. Includes are read from the sources, calls from the symbol table of the archive. Prints
each broken rule with file and line, or with object and symbol. Calls upward go through tables of
function pointers, which neither check can see, and which are five: progress hooks, server
handlers, cold puts, observers, foreign memory.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Bottom first.
ROOMS = [
    ("base",),
    ("base/mpi",),
    ("bootstrap", "transport/ofi/lib", "transport/delay", "transport/mpi"),
    ("transport/ofi/wire",),
    ("transport/ofi/server", "transport/ofi/client"),
    ("transport/ofi",),
    ("transport",),
    ("core/world",),
    ("core/mem",),
    ("core/observe",),
    ("core/progress",),
    ("core/route",),
    ("core/collect",),
    ("core/port",),
    ("core/path",),
    ("core/rma",),
    ("core/bulk",),
    ("core/server",),
    ("core/forward",),
    ("core/am",),
    ("core/sync",),
    ("core/coll",),
    ("core/owner",),
    ("core/device",),
    ("core/p2p",),
    ("core/report",),
    ("core/life",),
    ("gasnet_job", "caf"),
    ("shmem", "gasnet", "gex", "armci", "dart", "caf/gfortran", "caf/prif"),
]
LEVEL = {room: level for level, row in enumerate(ROOMS) for room in row}
FRONT_ENDS = ROOMS[-1] + ROOMS[-2]
# Floors of some front ends only.
FLOOR_OF = {"gasnet_job": ("gasnet", "gex"), "caf": ("caf/gfortran", "caf/prif")}

# Families of rooms that do not know each other, whatever their level: (those of one row).
APART_FAMILIES = [("bootstrap", "transport"), ("transport/ofi", "transport/delay", "transport/mpi")]
# Contracts that stand in a room above those that implement them.
CONTRACTS = ("transport/transport.h", "transport/table.h", "transport/describe.h",
             "transport/records.h")

# Rooms with a law of their own: what their quoted includes may start with.
APART = {
    "gasnet_tools": ("gasnet_tools.h",),  # its own public header, nothing of Causeway
}

DOORS = {  # what a family of rooms shows to those above it, where that is not every header
    "bootstrap": ("bootstrap/bootstrap.h",),
    "transport": ("transport/transport.h", "transport/table.h"),
}
TALLEST_HEADER = 300
MOST_FILES = 30

# System headers that belong to one place.
BELONGS = {
    "rdma/": ("src/transport/ofi/", "bench/baseline/", "tests/mock/", "tests/sim/",
              "tests/transport/"),
    "pmix": ("src/bootstrap/pmix.c",),
    # armci.h: where the include path of a program has it
    "mpi.h": ("src/base/mpi/plugin.c", "src/base/mpi/plugin.h", "src/bootstrap/mpi_plugin.c",
              "src/transport/mpi/plugin.c", "include/armci.h", "bench/baseline/", "tests/",
              "examples/"),
    "infiniband/": (),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<quoted>[^"]+)"|<(?P<system>[^>]+)>)')
READ_ENV = ("base", "bootstrap", "gasnet_tools")
# gasnet_mk.h wants what the header before it defines.
UNORDERED = ("src/gex/segment.c",)
GETENV = re.compile(r"\b(secure_)?getenv\s*\(")


def sources():
    for top in ("src", "include", "tools", "bench", "study", "examples", "tests"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".cc", ".cpp", ".S", ".def"):
                yield path


def room_of(name):
    """The room of a path below src/, or None."""
    parts = name.split("/")
    for n in (3, 2, 1):
        room = "/".join(parts[:n])
        if len(parts) > n and (room in LEVEL or room in APART):
            return room
    return None


def within(room, family):
    return room == family or room.startswith(family + "/")


def resolve(path, name):
    """An include as seen from src/: 'map.h' beside src/core/sync/x.c becomes 'core/sync/map.h'."""
    if "/" in name and (ROOT / "src" / name).exists():
        return name
    beside = (path.parent / name).resolve()
    if beside.exists() and beside.is_relative_to(ROOT / "src"):
        return str(beside.relative_to(ROOT / "src"))
    return name


def relation(room, other):
    """The rule that `room` breaks by using `other`, or None."""
    for families in APART_FAMILIES:
        own = [family for family in families if within(room, family)]
        if own and any(within(other, family) for family in families if family not in own):
            return f"{room} and {other} are siblings"
    if LEVEL[other] > LEVEL[room]:
        return f"{room} is below {other}"
    if LEVEL[other] == LEVEL[room] and other != room:
        return f"{room} and {other} are siblings"
    if other in FLOOR_OF and room != other and room not in FLOOR_OF[other]:
        return f"{other} is for {' and '.join(FLOOR_OF[other])}"
    return None


def check_src(path, name):
    """Rule broken by a quoted include of a file under src/, or None."""
    where = str(path.relative_to(ROOT / "src"))
    room, target = room_of(where), resolve(path, name)
    if where.startswith("core/core.h"):
        return None
    if room is None:
        return f"{where} is in no room of {Path(__file__).name}"
    if room in APART:
        inside = target.startswith((room + "/", *APART[room]))
        return None if inside else f"{room} may include {', '.join(APART[room])}"
    if target == "core/core.h":
        return None if room in FRONT_ENDS else "core/core.h is for front ends"
    other = room_of(target)
    if other is None:
        public = room in FRONT_ENDS and (ROOT / "include" / target).exists()
        return None if public or target == name else f"{target} is in no room"
    if other in APART:
        return f"{other} stands apart"
    for family, doors in DOORS.items():
        if within(other, family) and not within(room, family) and target not in doors:
            return f"{target} is private to {family}: see {', '.join(doors)}"
    if target in CONTRACTS and within(room, target.split("/")[0]):
        return None
    return relation(room, other)


def check_include(path, quoted, system):
    where = str(path.relative_to(ROOT))
    if system:
        for prefix, places in BELONGS.items():
            if system.startswith(prefix) and not where.startswith(places or ("\0",)):
                return f"<{system}> belongs in {' or '.join(places) or 'no file'}"
        return None
    top = where.split("/")[0]
    if top == "src":
        return check_src(path, quoted)
    inner = (ROOT / "src" /
             quoted).exists() and "/" in quoted and not (path.parent / quoted).exists()
    if top == "include" and (inner or not (path.parent / quoted).exists()):
        return "public headers include only public headers"
    tools_see = ("base/", "bootstrap/", "transport/describe.h", "core/coll/describe.h",
                 "core/report/record.h", "core/route/topology.h")
    if top == "tools" and inner and not quoted.startswith(tools_see):
        return f"tools may include {', '.join(tools_see)} only"
    if top == "study":
        return None  # runs the library's own code, whichever room it is in
    if top in ("bench", "examples") and inner:
        return f"{top} stands on the public headers only"
    return None


def unordered(path, text):
    """Lines of quoted includes that stand behind a later name of their block; a source's own header
    may come first."""
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        name = match["quoted"] if match else None
        if name and name < before:
            yield number, line
        before = name or ""
        if Path(before).stem == path.stem:
            before = ""


def check_file(path):
    where = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    if "SPDX-License-Identifier: BSD-3-Clause" not in text[:400]:
        yield f"{where}:1: the licence line is missing at the top"
    if where.parts[0] == "src" and str(where) not in UNORDERED:
        for number, line in unordered(path, text):
            yield f"{where}:{number}: {line.strip()}: not in the order of its block"
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and (rule := check_include(path, match["quoted"], match["system"])):
            yield f"{where}:{number}: {line.strip()}: {rule}"
        code = line.split("//")[0]
        if where.parts[0] == "src" and where.parts[1] not in READ_ENV and GETENV.search(code):
            yield f"{where}:{number}: only base and bootstrap read the environment"


# Fractions in text follow the program's locale, where nothing forbids that.
FRACTION = re.compile(r'"[^"\n]*%[-+ #0*.\d]*[lL]?[aefgAEFG][^"\n]*"|'
                      r"\b(?:strto(?:d|f|ld)|atof)\s*\(")
DECIMAL_POINT = re.compile(r"CWU_DECIMAL_POINT\(\)|gast_decimal_point\(\)")
MESSAGE = re.compile(r"\b(?:cwu_(?:error|warn|debug|fatal)|cw_check_failed|aci_fail)\s*\(")


def check_fractions():
    for path in sources():
        text = path.read_text(encoding="utf-8")
        if path.relative_to(ROOT).parts[0] != "src" or DECIMAL_POINT.search(text):
            continue
        for found in FRACTION.finditer(text):
            begin = max(text.rfind(mark, 0, found.start()) for mark in ";{}")
            line = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
            if "//" not in line and not MESSAGE.search(text, begin + 1, found.start()):
                number = text.count("\n", 0, found.start()) + 1
                yield (f"{path.relative_to(ROOT)}:{number}: a fraction in the locale of the "
                       "program: CWU_DECIMAL_POINT() of base/output.h first")


# Names of interfaces, which the rooms below the front ends do not know: what they print of them
# comes from core/world/front_end.h. Comments may name an interface as an example.
FRONT_END_NAMES = re.compile(r"\w*(?:shmem|gasnet|armci)\w*|\b(?:gex|dart)_\w*|\bSMA_\w+",
                             re.IGNORECASE)
BELOW_FRONT_ENDS = ("src/base/", "src/core/")


def check_names():
    for path in sources():
        where = str(path.relative_to(ROOT))
        if not where.startswith(BELOW_FRONT_ENDS):
            continue
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"),
                      path.read_text(encoding="utf-8"), flags=re.S)
        for number, line in enumerate(text.splitlines(), 1):
            if found := FRONT_END_NAMES.search(line.split("//")[0]):
                yield f"{where}:{number}: {found[0]}: base and core name no front end"


def check_sizes():
    """Rooms and headers that a reader can take in."""
    for folder in sorted(p for p in (ROOT / "src").rglob("*") if p.is_dir()):
        nfiles = sum(p.is_file() and p.name != "meson.build" for p in folder.iterdir())
        if nfiles > MOST_FILES:
            yield f"{folder.relative_to(ROOT)}: {nfiles} files, more than {MOST_FILES}"
    for header in sorted((ROOT / "src").rglob("*.h")):
        text = header.read_text(encoding="utf-8")
        nlines = text.count("\n")
        if nlines > TALLEST_HEADER and "Generated by maint/" not in text[:400]:
            yield f"{header.relative_to(ROOT)}: {nlines} lines, more than {TALLEST_HEADER}"


def objects():
    """Object name in the archive (meson's) -> room."""
    names = {}
    for path in (ROOT / "src").rglob("*"):
        if path.suffix in (".c", ".S"):
            inside = str(path.relative_to(ROOT / "src"))
            names["src_" + inside.replace("/", "_") + ".o"] = room_of(inside)
    return names


def check_symbols(archive):
    """Calls and data references between objects of the archive, by nm."""
    table = subprocess.run(["nm", "-A", "-P", str(archive)], capture_output=True, text=True,
                           check=True).stdout
    rooms, defined, wanted = objects(), {}, []
    for line in table.splitlines():
        match = re.match(r"\S*\[(\S+)\]: (\S+) (\w)", line)
        if not match:
            continue
        obj, symbol, kind = match.groups()
        if kind == "U":
            wanted.append((obj, symbol))
        elif kind.isupper():
            defined.setdefault(symbol, obj)
    for obj, symbol in sorted(set(wanted)):
        room, other = rooms.get(obj), rooms.get(defined.get(symbol))
        if room in LEVEL and other in LEVEL and (rule := relation(room, other)):
            yield f"{obj}: uses {symbol} of {defined[symbol]}: {rule}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path, default=ROOT / "build/libcauseway.a",
                        help="archive whose symbols are checked (default: %(default)s)")
    args = parser.parse_args()
    broken = [message for path in sources() for message in check_file(path)]
    broken += check_sizes()
    broken += check_names()
    broken += check_fractions()
    if args.archive.exists():
        broken += check_symbols(args.archive)
    else:
        broken.append(f"{args.archive} is missing: build first")
    for message in broken:
        print(message)
    print(f"law: {len(broken)} broken" if broken else "law: kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
