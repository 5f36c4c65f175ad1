#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The places of the simulator's library that matter: atomic operations with their memory orders,
locks, waits; read from its machine code, so that inlined ones are there as often as they are."""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent.parent / "src"
ORDERS = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"]
# which argument is the memory order
REGISTER = {"thread_fence": "edi", "load": "esi", "compare_exchange": "ecx"}
ATOMIC = re.compile(r"call.*<__tsan_atomic\d*_([a-z_]+?)(?:_strong|_weak)?(?:@|>)")
WAITS = re.compile(r"call +[0-9a-f]+ <(\w*(?:wait|sleep|nap)\w*)>")
NO_WAITS = re.compile(r"^(sim_|__|mpw_|pmi|sleep|wait$|await$|has_)|_(init|end|begin|name|publish|"
                      r"read|tested|found|sleeps|must_help|may_sleep|waiting|waits|fd_of)$")
LOCKS = ("base/lock.h", "base/lock.c", "core/progress/block_lock.c")


@dataclass(frozen=True)
class Site:
    """A source line with an atomic operation, a lock or a wait, and all its places."""
    kind: str
    order: str
    file: str
    function: str
    line: int
    places: tuple = ()

    @property
    def name(self):
        return f"{self.file}:{self.function}"


def calls(library):
    """(offset, kind, order) of the calls; offsets are those that they return to."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, text=True,
                          capture_output=True).stdout
    registers, waiting = {}, None
    for line in text.splitlines():
        at = re.match(r"\s+([0-9a-f]+):\t(.*)", line)
        if not at:
            registers = {}
            continue
        if waiting:
            yield (int(at[1], 16), *waiting)
            waiting = None
        constant = re.match(r"mov +\$0x([0-9a-f]+),%(\w+)", at[2])
        if constant:
            registers[constant[2]] = int(constant[1], 16)
        elif "call" in at[2]:
            if atomic := ATOMIC.match(at[2]):
                kind = atomic[1]
                n = registers.get(REGISTER.get(kind, "edx"), 5)
                waiting = (kind, ORDERS[n] if n < len(ORDERS) else "seq_cst")
            elif (wait := WAITS.match(at[2])) and not NO_WAITS.search(wait[1]):
                waiting = ("wait", "")
            registers = {}


def frames(library, offsets):
    """{offset: [(function, file, line)]}, the innermost first."""
    text = subprocess.run(["addr2line", "-aife", library], check=True, text=True,
                          input="\n".join(hex(o - 1) for o in offsets), capture_output=True).stdout
    found, at = {}, None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("0x"):
            at = found[int(line, 16) + 1] = []
            continue
        path, _, number = next(lines).partition(":")
        number = re.match(r"\d+", number)
        at.append((line, path, int(number[0]) if number else 0))
    return found


def relative(path):
    _, _, inside = path.rpartition("/src/")
    return inside if inside and (SRC / inside).is_file() else None


def sites(library):
    """All of them; a lock is that of the line which takes or releases it."""
    kinds = {offset: rest for offset, *rest in calls(library)}
    merged = {}
    for offset, chain in frames(library, list(kinds)).items():
        kind, order = kinds[offset]
        chain = [(f, relative(path), n) for f, path, n in chain]
        if not chain[0][1]:
            continue
        if chain[0][1] in LOCKS and len(chain) > 1:
            outer = next(((f, p, n) for f, p, n in chain if p not in LOCKS), None)
            if outer and outer[1]:
                merged.setdefault(("lock", "", outer[1], *outer[::2]), set()).add(offset)
        function, path, number = chain[0]
        merged.setdefault((kind, order, path, function, number), set()).add(offset)
    return sorted((Site(*key, tuple(sorted(places))) for key, places in merged.items()),
                  key=lambda s: (s.file, s.line, s.kind))


if __name__ == "__main__":
    import sys
    for s in sites(Path(sys.argv[1])):
        print(s.kind, s.order, s.name, s.line, len(s.places))
