#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each text of the table of messages, as a job prints it, is found by causeway-info --explain: with
numbers and with words in it, behind the head of a line and the name of a routine, and with the
place of the call."""
import re
import subprocess
import sys

from frame.script import ROOT, check, finish

sys.path.insert(0, str(ROOT / "maint"))
import gen_messages as gen  # noqa: E402

WORDS = ("some_name-of a thing (of 12 bytes), /a/long/path/to/it.so", "n", "put 7")
HEADS = ("", "causeway: error: PE 3 of 8 (pid 4711, host node-1.site): ",
         "[0, 2] causeway: warning: PEs 0, 2-63 of 64 (host n1): ")


def table():
    rows = gen.rows()
    gen.assign(rows, gen.texts())
    return rows


def main():
    count = 0
    for row in table():
        for i, text in enumerate(row.texts):
            line = re.sub(f"{gen.ANY}+", WORDS[count % len(WORDS)], text)
            line = line.replace(gen.NUMBER, ("4096", "0x55d0c8a0b2c0", "-1")[i % 3])
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
    # of which no text's parts are few
    long = "causeway: error: " + "a: b, c-1 of 2 bytes, " * 90
    done = subprocess.run(["causeway-info", "--explain", long], capture_output=True, check=False,
                          timeout=20)
    check(done.returncode == 0, f"a long line: {done}")
    finish(f"{count} messages explained")


if __name__ == "__main__":
    main()
