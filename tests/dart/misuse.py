#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use gives a code and one line, in the order of the calls, that names call, cause and place;
a place that comes again has three in checking mode only. A domain that is not found is an answer:
it has a line in checking mode only. A program may ask for silence, but not in checking mode."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, TESTS, check, finish, oshcc

EARLY = ("dart_barrier", "called before dart_init")
LATE = ("dart_exit", "called without dart_init")
CHECKED = "in checking mode"
LINES = [
    ("dart_init", "called again before dart_exit"),
    ("dart_put_blocking", "4 bytes at offset 16 reach out of segment 1"),
    ("dart_put_blocking", "DART_GPTR_NULL"),
    ("dart_put_blocking", r"types DART_TYPE_FLOAT \(remote\) and DART_TYPE_INT \(local\) have"),
    ("dart_put_blocking", "1 elements are no whole blocks"),
    ("dart_put", "src is NULL"),
    ("dart_put", "elements of 4 bytes are too many"),
    ("dart_flush", "DART_GPTR_NULL"),
    ("dart_put_blocking", r"unit 1 does not exist; team 0 has 1 \(4 bytes at offset 0 of segment 1"
                          r"\); CAUSEWAY_DART_UNIT_AFTER_LAST=ignored"),
    ("dart_flush", "unit 1 does not exist; team 0 has 1"),
    ("dart_get", r"unit 2 does not exist; team 0 has 1 \(4 bytes at offset 0 of segment 1\); "
                 "called"),
    ("dart_accumulate", "type DART_TYPE_INT has no operation DART_OP_MINMAX here"),
    ("dart_accumulate", "offset 2 is not aligned to 4 bytes"),
    ("dart_wait", "handle 0 is none"),
    ("dart_team_size", "in no team with number 9"),
    ("dart_team_size", "size is NULL"),
    ("dart_bcast", "unit 3 does not exist"),
    ("dart_lock_release", "does not hold the lock"),
    ("dart_lock_acquire", "holds the lock already"),
    ("dart_lock_acquire", "the lock is none that dart_team_lock_init gave"),
    ("dart_team_lock_destroy", "the lock is none that dart_team_lock_init gave"),
    ("dart_put_blocking", "team 0 has no segment 1"),
    ("dart_team_memregister", "addr is NULL on a unit of team 0"),
    ("dart_team_memregister", "in no team with number 7"),
    ("dart_put_blocking", "4 bytes at offset 1 reach out of segment -1 of team 0, 1 bytes beyond "
                          "the 4 that it has on unit 0"),
    ("dart_team_memfree", "segment -1 of team 0 is registered"),
    ("dart_put_blocking", "team 0 has no segment -1"),
    ("dart_team_memderegister", "team 0 has no segment -1"),
    ("dart_domain_find", r"domain \. has no domain .5 inside", CHECKED),
    ("dart_unit_locality", "unit 1 does not exist; team 0 has 1"),
    ("dart_domain_clone", "domain_in is NULL"),
    ("dart_team_size", "size is NULL"),
    ("dart_team_size", "size is NULL", CHECKED),
    ("dart_team_size", "size is NULL", CHECKED),
    ("dart_memalloc", "no memory for 1125899906842624 bytes"),
]
# of checked.c, in checking mode
ONCE = [
    r"unit 1 does not exist; team \d+ has 1 \(.*\); unit 1 of all is unit 0 of the team, which "
    "pointers have",
    "8 bytes at offset 36 reach out of segment 1 of team 0, 4 bytes beyond the 40 that it has on "
    r"unit 1; dart_team_memalloc_aligned gave its 40 bytes at main\+0x\w+ \(checked\.c:\d+\)",
    "src: 8 bytes at .* of this unit reach 4 bytes beyond .* has 40; dart_team_memalloc_aligned "
    "gave it at main",
    "src: 12 bytes at .* of this unit reach 4 bytes beyond the end of static few, which has 8",
    *(rf"{call}: {what}: 12 bytes at .* of this unit reach 4 bytes beyond the end of static few"
      for call, what in [("dart_bcast", "buf"), ("dart_scatter", "sendbuf"),
                         ("dart_gather", "recvbuf"), ("dart_allgather", "recvbuf"),
                         ("dart_allgatherv", "recvbuf"), ("dart_alltoall", "sendbuf"),
                         ("dart_allreduce", "sendbuf"), ("dart_reduce", "recvbuf"),
                         ("dart_send", "the buffer"), ("dart_accumulate", "values")]),
    r"source and destination \(8 bytes\) overlap: ",
    "dest: 12 bytes at .* of this unit reach 4 bytes beyond .* has 8; dart_memalloc gave it",
    "the global pointer: 4 bytes at .* reach 4 bytes beyond .*; dart_memalloc gave it",
    r"the global pointer: 4 bytes at .* that was freed at main\+0x\w+ \(checked\.c:\d+\); "
    "dart_memalloc gave its 8 bytes",
    r"dart_memalloc gave unit 1 no block with 8 bytes at offset \d+",
    r"dart_memalloc gave unit 1 no block with 4 bytes at offset \d+; dart_memalloc gave that to "
    r"this unit, 0, at main\+0x\w+ \(checked\.c:\d+\): keep its unit in the pointer",
    r"handle 0 was waited for already; dart_get_handle gave it at main\+0x\w+ \(checked\.c:\d+\)",
    r"handle 0 is none that a call has given; called from main\+0x\w+ \(checked\.c:\d+\)",
    r"leak: block: 1 of dart_team_lock_init at main\+0x\w+ \(checked\.c:\d+\), never freed",
    r"leak: block: 1 of dart_team_memalloc_aligned at main\+0x\w+ \(checked\.c:\d+\), never freed",
    r"leak: handle: 1 of dart_put_handle at main\+0x\w+ \(checked\.c:\d+\), never waited for",
    r"team 0 has no segment -1; it was freed at main\+0x\w+ \(checked\.c:\d+\); "
    "dart_team_memregister gave its 12 bytes at main",
    r"team 0 has no segment 1; it was freed at main\+0x\w+ \(checked\.c:\d+\); "
    "dart_team_memalloc_aligned gave its 40 bytes at main",
]
MISTAKES = {"DART": {
    "before": "called before dart_init", "after": "called without dart_init",
    "process": "unit 2 does not exist", "count": "elements of 4 bytes are too many",
    "foreign": "DART_GPTR_NULL", "beyond": "4 bytes at offset 16 reach out of segment 1",
    "freed": "team 0 has no segment 1", "null": "src is NULL",
    "short": "src: 8 bytes at .* of this unit reach", "short-static": "end of static few",
    "not-block": "registered",
    "twice": "team 0 has no segment -1",
    "team": "in no team with number 9", "garbage": "handle 0 is none",
    "waited": "was waited for already", "unwaited": "never waited for",
    "overlap": "source and destination", "aligned": "is not aligned to 4 bytes",
    "leak": "never freed", "own-lock": "holds the lock already",
    "not-held": "does not hold the lock",
    "unit": r"gave unit 1 no block with 4"}}


def cases():
    """By what the line says."""
    lines = [(text, CHECKED not in more) for _, text, *more in [EARLY, *LINES, LATE]]
    lines += [(text, False) for text in ONCE]
    return {case: always for case in MISTAKES["DART"].values() for text, always in reversed(lines)
            if case in text}


LINE = re.compile(r"^causeway: error: .*?: (dart_\w+): (.*)$", re.M)
MORE = re.compile(r"dart_exit: (\d+) more calls were refused")


def attempt(program, checking, *arguments):
    env = dict(os.environ, CAUSEWAY_CHECK="1" if checking else "0")
    done = subprocess.run([str(STAGE / "bin/oshrun"), "-n", "1", str(program), *arguments], env=env,
                          capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode == 0, "all codes are as expected", done.stdout, done.stderr)
    return LINE.findall(done.stderr), sum(map(int, MORE.findall(done.stderr)))


def compare(what, lines, wanted):
    check(len(lines) == len(wanted), f"{what}: a line for each", *lines)
    for (call, text), (wanted_call, words, *_) in zip(lines, wanted):
        check(call == wanted_call and re.search(words, text)
              and re.search(r"; called from (main|often_from_one_place)\+", text),
              f"{what}: {wanted_call}: {words}", call, text)


def compare_once(program):
    done = subprocess.run([str(STAGE / "bin/oshrun"), "-n", "2", str(program)],
                          env=dict(os.environ, CAUSEWAY_CHECK="1"), capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode == 0, "checked.c", done.stdout, done.stderr)
    for words in ONCE:
        check(re.search(words, done.stderr), words, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "misuse"
        oshcc("-O2", f"-I{TESTS}", TESTS / "dart/misuse.c", "-o", program, "-ldart-causeway")
        plain = [line for line in LINES if CHECKED not in line]
        lines, more = attempt(program, False)
        compare("plain", lines, [EARLY, *plain, LATE])
        check(more == 4, "those behind the first from one place are counted", more)
        lines, more = attempt(program, False, "quiet")
        check(not lines and not more, "no line if the program says so", *lines)
        lines, more = attempt(program, True, "quiet")
        # checking mode is not known before dart_init and after dart_exit
        compare("checking", lines, LINES)
        check(more == 2, "checking mode prints three from one place, and counts", more)
        program = Path(scratch) / "checked"
        oshcc("-O2", f"-I{TESTS}", TESTS / "dart/checked.c", "-o", program, "-ldart-causeway")
        compare_once(program)
    finish()


if __name__ == "__main__":
    main()
