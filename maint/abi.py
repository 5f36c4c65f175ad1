#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what programs rely on in binary form with the records in maint/abi/: the exported names
with their versions, prototypes, layouts of types and values of constants.

usage: abi.py [--build DIR]              compare; additions and breaks are complaints
       abi.py [--build DIR] --update     record additions
       abi.py [--build DIR] --update --breaks
                                         record changes and removals, too: once a version is
                                         released, only with another soversion in meson.build
       abi.py --release                  what is recorded is released by meson.build's version
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "maint/abi"
UPDATE = "python3 maint/abi.py --update"

# Each is compiled by itself, as a client would.
GASNET = ("gasnet.h", "gasnetex.h", "gasnet_coll.h", "gasnet_vis.h", "gasnet_ratomic.h",
          "gasnet_tools.h")
VIEWS = {
    "shmem": ((), ("shmem.h", "shmemx.h", "pshmem.h")),
    "gasnet": (("-DGASNET_PAR", ), GASNET),
    "armci": ((), ("armci.h", "armcix.h", "parmci.h", "message.h")),
    "dart": ((), ("dash/dart/if/dart.h", )),
}
# Numbers of releases, what is known about the compiler, guards against a second inclusion.
NO_INTERFACE = re.compile(r"VERSION|^_?PLATFORM_|^_?INCLUDED_|_H$")
NUMBER = re.compile(r"[(\s]*(\(\s*[A-Za-z_][\w ]*\**\s*\))?[(\s]*[-~]?(0[xX][0-9a-fA-F]+|\d+)"
                    r"[uUlL]*[)\s]*")


def run(*command, **more):
    environment = {**os.environ, "LC_ALL": "C"}
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            errors="replace", check=False, env=environment, **more)
    if answer.returncode:
        sys.exit(f"abi: {' '.join(map(str, command))} fails:\n{answer.stderr[-2000:]}")
    return answer.stdout


def in_meson(what):
    return re.search(what + r"\s*[:=]\s*'([^']+)'", (ROOT / "meson.build").read_text())[1]


# ---------------------------------------------------------------- names
def exported(library):
    """Name -> (version, kind); kind is "function", or "data" (of a process or of a thread) with its
    size: programs copy data."""
    words = {"OBJECT": "data", "TLS": "thread data"}
    found = {}
    table = run("readelf", "--dyn-syms", "--wide", library)
    for _, _, size, kind, _, _, index, name in re.findall(
            r"^ *(\d+): (\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\S+)", table, re.M):
        if index in ("UND", "ABS"):
            continue
        name, _, version = name.partition("@")
        found[name] = (version.strip("@") or "none",
                       f"{words[kind]} {int(size, 0)}" if kind in words else "function")
    return found


def symbol_lines(found):
    return {f"{version} {name} {kind}" for name, (version, kind) in found.items()}


# ---------------------------------------------------------------- prototypes and constants
def ours(path):
    return Path(path).resolve().is_relative_to(ROOT / "include")


def prototypes(listing, names):
    found = {}
    for path, kind, text in re.findall(r"^/\* (\S+?):\d+:(\w\w) \*/ (.*);", listing, re.M):
        name = re.search(r"(\w+) \(", text.replace("(*", "( *"))
        if name and ours(path) and name[1] in names and kind[1] in "CF":
            found.setdefault(name[1], re.sub(r"^extern ", "", text.split(" /* ")[0].rstrip(";")))
    lines = set()
    for name, text in found.items():
        # The profiling name's prototype is that of the other name.
        if name.startswith("p") and found.get(name[1:]) == text.replace(name, name[1:], 1):
            continue
        lines.add("function " + text)
    return lines


def constants(listing):
    lines, here = set(), False
    for line in listing.splitlines():
        marker = re.match(r'# \d+ "([^"]+)"', line)
        if marker:
            here = ours(marker[1])
            continue
        macro = re.match(r"#define (\w+) (.+)", line)
        if here and macro and NUMBER.fullmatch(macro[2]) and not NO_INTERFACE.search(macro[1]):
            lines.add(f"constant {macro[1]} {macro[2].strip()}")
    return lines


# ---------------------------------------------------------------- types
class Types:
    """The types that an object file's debug information describes."""

    def __init__(self, path):
        self.entries, self.children, stack = {}, {}, []
        entry = None
        for line in run("readelf", "--debug-dump=info", path).splitlines():
            head = re.match(r" <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)",
                            line)
            if head:
                depth, offset = int(head[1], 16), int(head[2], 16)
                entry = {"tag": head[3]}
                self.entries[offset] = entry
                del stack[depth:]
                if stack:
                    self.children.setdefault(stack[-1], []).append(entry)
                stack.append(offset)
                entry["offset"] = offset
                continue
            fact = re.match(r" +<[0-9a-f]+> +DW_AT_(\w+) *: (.*)", line)
            if fact and entry is not None:
                value = re.sub(r"^\(indirect (line )?string, offset: 0x[0-9a-f]+\): ", "", fact[2])
                entry[fact[1]] = value.strip()
        self.files = self.file_table(run("readelf", "--debug-dump=rawline", path))

    @staticmethod
    def file_table(text):
        folders = dict(re.findall(r"^  (\d+)\t(\S+)$", text, re.M))
        files = re.findall(r"^  (\d+)\t(\d+)\t\d+\t\d+\t(.+)$", text, re.M)
        return {number: Path(folders.get(folder, ".")) / name for number, folder, name in files}

    def of(self, entry):
        where = re.search(r"<0x([0-9a-f]+)>", entry.get("type", ""))
        return self.entries[int(where[1], 16)] if where else None

    def parts(self, entry, *tags):
        return [part for part in self.children.get(entry["offset"], []) if part["tag"] in tags]

    def name(self, entry):
        if entry is None:
            return "void"
        tag, under = entry["tag"], entry.get("name")
        if tag in ("base_type", "typedef", "unspecified_type"):
            return under
        if tag in ("structure_type", "union_type", "enumeration_type"):
            word = tag.split("_")[0].replace("structure", "struct").replace("enumeration", "enum")
            return f"{word} {under}" if under else self.body(entry)
        if tag == "pointer_type":
            return self.name(self.of(entry)) + "*"
        if tag == "array_type":
            bounds = [part.get("upper_bound") for part in self.parts(entry, "subrange_type")]
            return self.name(self.of(entry)) + "".join(
                f"[{int(bound, 0) + 1}]" if bound else "[]" for bound in bounds)
        if tag == "subroutine_type":
            return self.name(self.of(entry)) + "(" + ", ".join(
                self.name(self.of(part)) if part["tag"] == "formal_parameter" else "..."
                for part in self.parts(entry, "formal_parameter", "unspecified_parameters")) + ")"
        return f"{tag.removesuffix('_type')} {self.name(self.of(entry))}"  # const, volatile, ...

    def body(self, entry):
        word = entry["tag"].split("_")[0].replace("structure", "struct").replace(
            "enumeration", "enum")
        if word == "enum":
            parts = [
                f"{part['name']}={part['const_value']}" for part in self.parts(entry, "enumerator")
            ]
        else:
            parts = []
            for part in self.parts(entry, "member"):
                place = part.get("data_member_location", "0").split()[0]
                bits = f":{part['bit_size']}" if "bit_size" in part else ""
                parts.append(f"{int(place, 0)} {self.name(self.of(part))} "
                             f"{part.get('name', '')}{bits}".rstrip())
        size = entry.get("byte_size", "unknown")
        return f"{word} {size} {{" + "; ".join(parts) + "}"

    def lines(self):
        found = set()
        for entry in self.entries.values():
            if "name" not in entry or not ours(self.files.get(entry.get("decl_file"), "/")):
                continue
            if entry["tag"] == "typedef":
                found.add(f"type {entry['name']} = {self.name(self.of(entry))}")
            elif entry["tag"].endswith(("structure_type", "union_type", "enumeration_type")):
                found.add(f"type {self.name(entry)} = {self.body(entry)}")
        return found


def view_lines(flags, headers, names):
    lines = set()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "view.c"
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
        common = ("gcc", "-std=c17", "-D_GNU_SOURCE", "-w", "-I", str(ROOT / "include"), *flags,
                  str(source))
        run(*common, "-fsyntax-only", "-aux-info", folder + "/view.aux")
        lines |= prototypes((Path(folder) / "view.aux").read_text(), names)
        lines |= constants(run(*common, "-E", "-dD"))
        run(*common, "-c", "-g", "-gdwarf-4", "-gstrict-dwarf", "-fno-eliminate-unused-debug-types",
            "-o", folder + "/view.o")
        lines |= Types(folder + "/view.o").lines()
    return lines


# ---------------------------------------------------------------- records
def key(line):
    """What a line is about: two lines with one key are a change, not a removal and an addition."""
    words = line.split()
    if words[0] == "function":
        return "function " + re.search(r"(\w+) \(", line.replace("(*", "( *"))[1]
    if words[0] == "type":
        return line.split(" = ")[0]
    return f"{words[0] if words[0] == 'constant' else 'name'} {words[1]}"


def record(name):
    path = RECORDS / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def write(name, lines):
    title = f"# Recorded by maint/abi.py: {name}\n"
    (RECORDS / f"{name}.txt").write_text(title + "".join(f"{line}\n" for line in sorted(lines)),
                                         encoding="utf-8")


def released():
    """(version, soversion) of the last release whose interface is recorded, or None."""
    text = (RECORDS / "released").read_text().split()
    return None if text[0] == "none" else tuple(text)


def compare(name, then, now):
    """(additions, breaks), as lines of a report."""
    old, new = {key(line): line for line in then}, {key(line): line for line in now}
    added = [f"{name}: new: {line}" for what, line in sorted(new.items()) if what not in old]
    broken = [f"{name}: gone: {line}" for what, line in sorted(old.items()) if what not in new]
    broken += [f"{name}: was: {line}\n{name}: is:  {new[what]}"
               for what, line in sorted(old.items()) if what in new and new[what] != line]
    return added, broken


def release():
    (RECORDS / "released").write_text(f"{in_meson('version')} {in_meson('soversion')}\n")
    print(f"abi: recorded as released by {in_meson('version')}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    parser.add_argument("--build", type=Path,
                        default=Path(os.environ.get("CAUSEWAY_TEST_BUILD", ROOT / "build")))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--breaks", action="store_true")
    parser.add_argument("--release", action="store_true")
    options = parser.parse_args()
    if options.release:
        release()
        return
    if os.uname().machine != "x86_64":
        print("SKIP: the records are those of x86-64")
        sys.exit(77)
    library = options.build / "stage/lib/libcauseway.so"
    if not library.exists():
        sys.exit(f"abi: {library} is missing: ./dev build makes it")
    names = exported(library)
    now = {"names": symbol_lines(names)}
    for view, (flags, headers) in VIEWS.items():
        now[view] = view_lines(flags, headers, names)
    added, broken = [], []
    for name, lines in now.items():
        more, worse = compare(name, record(name), lines)
        added += more
        broken += worse
    if options.update:
        last = released()
        if broken and not options.breaks:
            print("\n".join(broken))
            sys.exit("abi: programs linked before would break; nothing is recorded (see --help)")
        if broken and last and last[1] == in_meson("soversion"):
            print("\n".join(broken))
            sys.exit(f"abi: {last[0]} is released: raise soversion in meson.build first")
        for name, lines in now.items():
            write(name, lines)
        print(f"abi: {len(added)} additions, {len(broken)} breaks recorded")
        return
    if added or broken:
        print("\n".join(broken[:40] + added[:40]))
        print(f"FAIL: the interface is not as recorded: {len(broken)} breaks of programs linked "
              f"before, {len(added)} additions.")
        if broken:
            print("Is the break meant? Raise soversion in meson.build if there was a release, "
                  f"then: {UPDATE} --breaks")
        else:
            print(f"Record them (after ./dev build): {UPDATE}")
        sys.exit(1)
    print(f"abi: {sum(map(len, now.values()))} lines as recorded")


if __name__ == "__main__":
    main()
