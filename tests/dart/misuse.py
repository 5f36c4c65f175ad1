#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use gives a code; in checking mode also one line each, in the order of the calls, that
names call and cause, and without it none."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, TESTS, check, finish, oshcc

# The call before dart_init prints nothing: checking mode is not known yet. Nor does the last one.
LINES = [
    ("dart_init", "called again before dart_exit"),
    ("dart_put_blocking", "4 bytes at offset 16 reach out of segment 1"),
    ("dart_put_blocking", "DART_GPTR_NULL"),
    ("dart_put_blocking", "types 9 and 3 have different elements"),
    ("dart_put_blocking", "1 elements are no whole blocks"),
    ("dart_put", "src is NULL"),
    ("dart_put", "elements of 4 bytes are too many"),
    ("dart_flush", "DART_GPTR_NULL"),
    ("dart_put_blocking", "unit 1 does not exist; team 0 has 1"),
    ("dart_accumulate", "type 3 has no operation 3"),
    ("dart_wait", "handle 0 is none"),
    ("dart_team_size", "in no team with number 9"),
    ("dart_team_size", "size is NULL"),
    ("dart_bcast", "unit 3 does not exist"),
    ("dart_lock_release", "does not hold the lock"),
    ("dart_put_blocking", "team 0 has no segment 1"),
    ("dart_team_memregister", "addr is NULL on a unit of team 0"),
    ("dart_team_memregister", "in no team with number 7"),
    ("dart_put_blocking", "4 bytes at offset 1 reach out of segment -1 of team 0, which has 4"),
    ("dart_team_memfree", "segment -1 of team 0 is registered"),
    ("dart_put_blocking", "team 0 has no segment -1"),
    ("dart_team_memderegister", "team 0 has no segment -1"),
    ("dart_domain_find", "domain . has no domain .5 inside"),
    ("dart_unit_locality", "unit 1 does not exist; team 0 has 1"),
    ("dart_domain_clone", "domain_in is NULL"),
    ("dart_memalloc", "no memory for 1125899906842624 bytes"),
]
LINE = re.compile(r"^causeway: error: .*?: (dart_\w+): (.*)$", re.M)


def attempt(program, checking):
    env = dict(os.environ, CAUSEWAY_CHECK="1" if checking else "0")
    done = subprocess.run([str(STAGE / "bin/oshrun"), "-n", "1", str(program)], env=env,
                          capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode == 0, "all codes are as expected", done.stdout, done.stderr)
    return LINE.findall(done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "misuse"
        oshcc("-O2", f"-I{TESTS}", TESTS / "dart/misuse.c", "-o", program, "-ldart-causeway")
        lines = attempt(program, False)
        check(not lines, "no line without checking mode", lines)
        lines = attempt(program, True)
        while lines and lines[-1][0] == "dart_exit":
            lines.pop()
        check(len(lines) == len(LINES), "a line for each", lines)
        for (call, text), (wanted_call, wanted) in zip(lines, LINES):
            check(call == wanted_call and wanted in text, f"{wanted_call}: {wanted}", call, text)
    finish()


if __name__ == "__main__":
    main()
