#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints an instruction stream written by insn --trace with its disassembly: annotate.py FILE
[OPERATION]."""

import functools
import re
import subprocess
import sys


@functools.lru_cache(maxsize=None)
def disassembly(path):
    """Address -> (function, text) for one object file."""
    table, function = {}, "?"
    try:
        dump = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True,
                              text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return table
    for line in dump.splitlines():
        head = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if head:
            function = head.group(1)
            continue
        body = re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line)
        if body:
            table[int(body.group(1), 16)] = (function, body.group(2))
    return table


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted = sys.argv[2] if len(sys.argv) > 2 else None
    shown, count, last = False, 0, None
    for line in open(sys.argv[1], encoding="utf-8"):
        if line.startswith("#"):
            shown, count, last = wanted is None or line.split()[1] == wanted, 0, None
            if shown:
                print(line.rstrip())
            continue
        if not shown:
            continue
        path, address = line.split()
        function, text = disassembly(path).get(int(address, 16), ("?", "?"))
        count += 1
        place = f"{path.rsplit('/', 1)[-1]}:{function}"
        print(f"{count:5} {address:>10} {text:60} {place if place != last else ''}".rstrip())
        last = place


if __name__ == "__main__":
    main()
