#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each text of the table of messages, as a job prints it, is found by causeway-info --explain: with
numbers and with words in it, behind the head of a line and the name of a routine, and with the
place of the call."""
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from frame.script import check, finish

WORDS = ("some_name-of a thing (of 12 bytes), /a/long/path/to/it.so", "n", "put 7")
HEADS = ("", "causeway: error: PE 3 of 8 (pid 4711, host node-1.site): ",
         "[0, 2] causeway: warning: PEs 0, 2-63 of 64 (host n1): ")


def table():
    path = Path(os.environ["CAUSEWAY_TEST_SOURCE"]) / "maint/gen_messages.py"
    spec = importlib.util.spec_from_file_location("gen_messages", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    rows = module.rows()
    module.assign(rows, module.texts())
    return module, rows


def main():
    module, rows = table()
    count = 0
    for row in rows:
        for i, text in enumerate(row.texts):
            line = re.sub(f"{module.ANY}+", WORDS[count % len(WORDS)], text)
            line = line.replace(module.NUMBER, ("4096", "0x55d0c8a0b2c0", "-1")[i % 3])
            if row.place.startswith("tools/messages/oshrun"):
                line = "oshrun: " + line
            else:
                line = HEADS[count % len(HEADS)] + ("", "shmem_int_put: ")[i % 2] + line
                line += ("", "; called from main+0x33 (grid.c:3)")[count % 2]
            done = subprocess.run(["causeway-info", "--explain", line], capture_output=True,
                                  text=True, check=False)
            check(done.stdout.startswith(f"  {row.name}\n"),
                  f"{row.name} is not found by '{line}': {done.stdout.splitlines()[:2]}")
            count += 1
    check(count > 800, f"only {count} texts")
    finish(f"{count} messages explained")


if __name__ == "__main__":
    main()
