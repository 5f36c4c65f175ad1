#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the dependency graph of the Debian archive as a Matrix Market file.

Vertices are the packages that the package index of this machine knows, in alphabetical order; an
arc leads from a package to each package it depends on (Depends and Pre-Depends, every alternative).
A name that no package bears but some provide leads to all of its providers.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator

EMPTY_INDEX = """debian_graph.py: the package index of this machine is empty.
Fill it with:  apt-get update     (as root, or with sudo)"""
FIELDS = ("Package", "Depends", "Pre-Depends", "Provides")


def index_lines(files: list[str]) -> Iterator[str]:
    """The lines of the package index, from apt-cache or from apt's lists."""
    if not files and shutil.which("apt-cache"):
        with subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, text=True,
                              encoding="utf-8", errors="replace") as process:
            yield from process.stdout
        return
    for path in files or sorted(glob.glob("/var/lib/apt/lists/*_Packages")):
        with open(path, encoding="utf-8", errors="replace") as lines:
            yield from lines
        yield "\n"


def stanzas(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The paragraphs of an index, reduced to the fields that matter."""
    stanza: dict[str, str] = {}
    field = None
    for line in lines:
        if line.strip() == "":
            if "Package" in stanza:
                yield stanza
            stanza, field = {}, None
        elif line[0] in " \t":
            if field:
                stanza[field] += " " + line.strip()
        else:
            name, _, value = line.partition(":")
            field = name if name in FIELDS else None
            if field:
                stanza[field] = value.strip()
    if "Package" in stanza:
        yield stanza


def names_in(relation: str) -> list[str]:
    """Package names of a relation field: "a (>= 1) | b:any, c [amd64]" gives a, b, c."""
    names = []
    for part in re.split(r"[,|]", relation):
        match = re.match(r"\s*([a-z0-9][a-z0-9+.-]*)", part)
        if match:
            names.append(match[1])
    return names


def dependency_graph(lines: Iterable[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """The sorted package names, and the arcs between them as pairs of positions."""
    depends: dict[str, set[str]] = {}
    providers: dict[str, set[str]] = {}
    for stanza in stanzas(lines):
        package = stanza["Package"]
        wanted = depends.setdefault(package, set())
        wanted.update(names_in(stanza.get("Depends", "")), names_in(stanza.get("Pre-Depends", "")))
        for provided in names_in(stanza.get("Provides", "")):
            providers.setdefault(provided, set()).add(package)

    packages = sorted(depends)
    number = {package: k for k, package in enumerate(packages)}
    arcs = set()
    for package, wanted in depends.items():
        for name in wanted:
            targets = [name] if name in number else providers.get(name, ())
            arcs.update((number[package], number[target]) for target in targets
                        if target != package)
    return packages, sorted(arcs)


def write_market(path: str, packages: list[str], arcs: list[tuple[int, int]]) -> None:
    """The graph as a square pattern matrix: row i, column j for an arc from i to j, counted from
    1."""
    with open(path, "w", encoding="ascii") as out:
        out.write("%%MatrixMarket matrix coordinate pattern general\n")
        out.write("% dependencies of Debian packages: the row depends on the column\n")
        out.write(f"{len(packages)} {len(packages)} {len(arcs)}\n")
        out.writelines(f"{i + 1} {j + 1}\n" for i, j in arcs)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write the dependency graph of the Debian archive, as this "
        "machine's package index knows it, as a Matrix Market file.")
    parser.add_argument("output", help="the Matrix Market file to write")
    parser.add_argument("--names", metavar="FILE", help="also write the package names, one a line")
    parser.add_argument("--index", metavar="FILE", nargs="+", default=[],
                        help="read these Packages files instead of the index of this machine")
    args = parser.parse_args()

    try:
        packages, arcs = dependency_graph(index_lines(args.index))
        if not arcs:
            print(EMPTY_INDEX if not args.index
                  else "debian_graph.py: no dependencies in these files", file=sys.stderr)
            return 1
        # Written beside its place and renamed: the output is never half a file.
        write_market(args.output + ".part", packages, arcs)
        os.replace(args.output + ".part", args.output)
        if args.names:
            with open(args.names, "w", encoding="ascii") as out:
                out.writelines(package + "\n" for package in packages)
    except OSError as error:
        print(f"debian_graph.py: {error}", file=sys.stderr)
        return 1
    print(f"{args.output}: {len(packages)} packages, {len(arcs)} dependencies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
