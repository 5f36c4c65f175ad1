#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Joins the names that the front ends export into one version script for the linker. A name has the
version under which maint/abi.py recorded it; one that is not recorded yet has the present one.

usage: exports.py OUTPUT VERSION RECORD SHMEM.map NAMES.txt...
"""
import pathlib
import re
import sys


def node_of(version):
    """A version node stands for all patches of a minor version."""
    return "CAUSEWAY_" + ".".join(version.split(".")[:2])


def order(node):
    return [int(part) for part in node.split("_")[1].split(".")]


def main(output, version, record, first, *lists):
    text = pathlib.Path(first).read_text(encoding="utf-8")
    names = re.findall(r"^    (\w+);$", text, re.M)
    for path in lists:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        names += [line for line in lines if line and not line.startswith("#")]
    lines = pathlib.Path(record).read_text(encoding="utf-8").splitlines()
    recorded = {line.split()[1]: line.split()[0] for line in lines if line.startswith("CAUSEWAY_")}
    nodes = {}
    for name in names:
        nodes.setdefault(recorded.get(name, node_of(version)), []).append(name)
    script, below = "", ""
    for node in sorted(nodes, key=order):
        body = "".join(f"    {name};\n" for name in nodes[node])
        local = "" if below else "local:\n    *;\n"
        script += f"{node} {{\nglobal:\n{body}{local}}}{below};\n"
        below = f" {node}"
    pathlib.Path(output).write_text(script, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
