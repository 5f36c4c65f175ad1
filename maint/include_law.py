#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Enforces the dependency law of ARCHITECTURE.md: who may include whom. Prints each broken rule with file and line."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONT_ENDS = ("shmem", "gasnet", "armci", "dart")

# What core offers to front ends; every other header of core is private to it.
CORE_PUBLIC = {"core/core.h", "core/rma/hot.h", "core/rma/rma.h", "core/rma/amo.h", "core/progress/wait.h", "core/coll/coll.h", "core/sync/mpi.h",
               "core/rma/pieces.h", "core/sync/team.h", "core/mem/area.h", "core/sync/card.h", "core/am/am.h", "core/rma/put_scalar_x86_64.h", "core/observe/watch.h",
               "core/observe/check.h"}

# Room -> what its quoted includes may start with (its own room is always allowed).
MAY_INCLUDE = {
    "base": (),
    "bootstrap": ("base/",),
    "transport": ("base/",),
    "core": ("base/", "bootstrap/bootstrap.h", "transport/transport.h"),
    "gasnet_tools": ("gasnet_tools.h",),  # stands alone: its own public header, nothing of Causeway
}
for front_end in FRONT_ENDS:
    MAY_INCLUDE[front_end] = ("base/", *CORE_PUBLIC)

# System headers that belong to one place.
BELONGS = {
    "rdma/": ("src/transport/ofi/", "bench/baseline/", "tests/mock/", "tests/transport/"),
    "pmix": ("src/bootstrap/pmix.c",),
    "mpi.h": ("src/bootstrap/mpi_plugin.c", "tests/", "examples/"),
    "infiniband/": (),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<quoted>[^"]+)"|<(?P<system>[^>]+)>)')
READ_ENV = ("base", "bootstrap", "gasnet_tools")
GETENV = re.compile(r"\b(secure_)?getenv\s*\(")


def sources():
    for top in ("src", "include", "tools", "bench", "examples", "tests"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".cc", ".cpp", ".S", ".def"):
                yield path


def resolve(path, name):
    """An include as seen from src/: 'area.h' beside src/core/coll/x.c becomes 'core/sync/area.h'."""
    if "/" in name and (ROOT / "src" / name).exists():
        return name
    beside = (path.parent / name).resolve()
    if beside.exists() and beside.is_relative_to(ROOT / "src"):
        return str(beside.relative_to(ROOT / "src"))
    return name


def check_src(path, name):
    """Rule broken by a quoted include of a file under src/, or None."""
    room, *rest = path.relative_to(ROOT / "src").parts
    target = resolve(path, name)
    if room == "transport":
        part = target.split("/")
        if len(rest) > 1 and part[0] == "transport" and len(part) > 2 and part[1] != rest[0]:
            return f"transports do not include each other ({rest[0]} includes {part[1]})"
    if target.startswith(room + "/"):
        return None
    if room in FRONT_ENDS and (ROOT / "include" / target).exists():
        return None
    if room not in MAY_INCLUDE:
        return f"src/{room} is not in the table of {Path(__file__).name}: say what it may include"
    if any(target == allowed or (allowed.endswith("/") and target.startswith(allowed)) for allowed in MAY_INCLUDE[room]):
        return None
    if room in FRONT_ENDS and target.startswith("core/"):
        return f"{target} is private to core: front ends see only {', '.join(sorted(CORE_PUBLIC))}"
    allowed = ", ".join(MAY_INCLUDE[room]) or "nothing but itself"
    return f"{room} may include {allowed}"


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
    inner = (ROOT / "src" / quoted).exists() and "/" in quoted and not (path.parent / quoted).exists()
    if top == "include" and (inner or not (path.parent / quoted).exists()):
        return "public headers include only public headers"
    if top == "tools" and inner and not quoted.startswith(("base/", "bootstrap/", "transport/describe.h", "core/coll/describe.h")):
        return "tools may include base/, bootstrap/ and the describe.h of transport and core/coll only"
    if where.startswith("bench/sim/"):
        return None  # runs the library's own code at start, whichever room it is in
    if top in ("bench", "examples") and inner:
        return f"{top} stands on the public headers only"
    return None


def check_file(path):
    where = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    if "SPDX-License-Identifier: BSD-3-Clause" not in text[:400]:
        yield f"{where}:1: the licence line is missing at the top"
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and (rule := check_include(path, match["quoted"], match["system"])):
            yield f"{where}:{number}: {line.strip()}: {rule}"
        code = line.split("//")[0]
        if where.parts[0] == "src" and where.parts[1] not in READ_ENV and GETENV.search(code):
            yield f"{where}:{number}: only base (env.def) and bootstrap (what launchers pass) read the environment"


def main():
    broken = [message for path in sources() for message in check_file(path)]
    for message in broken:
        print(message)
    print(f"include law: {len(broken)} broken" if broken else "include law: kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
