#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Joins the names that the front ends export into one version script for the linker.

usage: exports.py OUTPUT SHMEM.map NAMES.txt...
"""
import pathlib
import re
import sys


def main(output, first, *lists):
    text = pathlib.Path(first).read_text(encoding="utf-8")
    names = re.findall(r"^    (\w+);$", text, re.M)
    for path in lists:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        names += [line for line in lines if line and not line.startswith("#")]
    body = "".join(f"    {name};\n" for name in names)
    pathlib.Path(output).write_text("{\nglobal:\n" + body + "local:\n    *;\n};\n",
                                    encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
