#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of coarrays gives one line with the image and what is wrong, and the end of the job, or
stat=; the ends of programs: STOP and ERROR STOP with numbers and texts, quiet, the last statement,
the routine exit, these and a mistake in a function that a PRINT statement calls; RANDOM_INIT."""
import concurrent.futures
import os
import re
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, TESTS, check, finish

NPES = 3
AT = r" at \w+\+0x\w+ \(misuse\.f90:\d+\): "  # of the other image's call
# argument: what a line says
WRONG = {
    "image": r"assignment to an image: image 4 does not exist; the current team has 1 to 3; called "
             r"from (?:MAIN__|misuse)",
    "image_0": "assignment from an image: image 0 does not exist; the current team has 1 to 3",
    "image_0_part": "assignment from a component in an image: image 0 does not exist",
    "below": "assignment to an image: byte -4 is before the coarray: a subscript is below",
    "above": "assignment to an image: byte 16 is beyond the coarray, which has 16: a subscript is",
    "elsewhere": "assignment from a component in an image: a component in image 3 has memory that "
                 "is none of a coarray, which the system lets no other process read",
    "size": r"allocate: a coarray has \d+ bytes here, and \d+ elsewhere in the team",
    "unlock": "unlock: the variable is not locked",
    "not_mine": "unlock: image 2 has locked the variable",
    "locked": "lock: this image has locked the variable already",
    "memory": r"allocate: out of memory for a coarray of 140737488355328 bytes on this image",
    "team": "change team: the team was not formed",
    "number": "form team: the team number 0 is not positive",
    "quad": "co_sum: the compiler does not say whether a number of 16 bytes is of kind 10 or",
    "amid_image": "assignment from an image: image 4 does not exist; the current team has 1 to 3; "
                  "called from __by_signal_MOD_amid",
    "vector": r"assignment from an image: the compiler addresses byte -?\d+ of a coarray of 16; ",
    "substring": "assignment to an image: the compiler addresses 7 characters at byte 1 of a "
                 "coarray of 7; if this is a substring",
    "shape": "assignment of a section: 2 elements of rank 1 get 3 of rank 1; called",
    "broadcast": "co_broadcast: the argument, or a component of it, is not allocated in this image",
    "strided": "assignment of a section: 2 elements of rank 1 get 1 of rank 1; if a vector of "
               "subscripts is a section with a stride",
    "backwards": r"assignment of a section: 2 elements of rank 1 get \d+ of rank 1; if a vector",
    "whole": "assignment of a section: 4 elements of rank 2 get 0 of rank 3; if a vector",
}
# argument: what a line says in checking mode
CHECKED = {
    "freed": r"assignment from a component in an image: the component is not allocated in image 3 "
             r"any more: deallocated there at \w+\+0x\w+ \(misuse\.f90:115\)",
    "section": "assignment from an image: byte 19 is beyond the coarray, which has 16: a subscript",
    "other_call": r"\S*co_sum: image 1 calls co_sum \(.*\), but image 2 calls sync all or team"
                  + AT + "all images that take part must make the same",
    "alone": r"\S*: image 1 calls sync all or team, but image 2 calls allocate" + AT,
    "alone_team": r"\S*: image 1 calls form team, but image 2 calls sync all or team" + AT,
    "elements": r"\S*co_sum: image 1 calls co_sum \(elements 4, image 0, bytes each 4, type "
                r"\"integer\"\), but image 2 calls co_sum \(elements 3, ",
    "type": r"\S*co_sum: image 1 calls co_sum \(.*, bytes each 4, type \"integer\"\), but image 2 "
            r"calls co_sum \(.*, bytes each 4, type \"real\"\)" + AT,
    "root": r"\S*co_broadcast: image 1 calls co_broadcast \(elements 1, image 1, bytes each 4, "
            r"type \"integer\"\), but image 2 calls co_broadcast \(elements 1, image 2, ",
    "operation": r"\S*co_\w+: image 1 calls co_sum .*, but image 2 calls co_max ",
    "interfaces": r"\S*: image 1 calls sync all or team, but PE 1 calls shmem_barrier_all" + AT,
    "fork": r"_gfortran_caf_send\w*: called in process \d+, which fork has made of this image",
    "signal": r"_gfortran_caf_send\w*: called in the handler of a signal, which has interrupted",
}
if os.environ.get("CAUSEWAY_TEST_SANITIZE") == "thread":
    del CHECKED["signal"]  # that sanitizer calls handlers itself, later
# As above in programs that go on without images: statements that differ are found before their
# arguments are.
GOES_ON = {
    **CHECKED,
    "other_call": r"\S*co_sum: image 1 calls co_sum, but image 2 calls sync all or team" + AT,
    "operation": r"\S*co_\w+: image 1 calls co_sum, but image 2 calls co_max" + AT,
}
UNCHECKED = ("other_call", "operation", "alone", "alone_team")  # these without checking mode, too
# argument: exit status, lines of standard output, lines that the standard error has
ENDS = {
    "stop": (7, [" last words"] * NPES, ["STOP 7"]),
    "stop_text": (0, [" last words"] * NPES, ["STOP all is done"] * NPES),
    "quiet": (5, [], []),
    "error_stop": (9, [" last words"], ["ERROR STOP 9"]),
    "error_text": (1, [], ["ERROR STOP it went wrong"]),
    "end": (0, [" last words"] * NPES, []),
    "exit": (0, [], []),
    "amid_stop": (0, [" last words"] * NPES, ["STOP amid"] * NPES),
    "amid_exit": (0, [" last words"] * NPES, []),
    "amid_error_stop": (9, [" last words"], ["ERROR STOP 9"]),
}
# With stat= the program goes on. What each image prints.
ASKED = (r"allocate: a coarray has \d\d bytes here, and \d\d elsewhere in the team\Z", r"get: \Z",
         r"deallocate: the coarray was allocated in a team that is not the current one\Z",
         r"end: \Z")
MISTAKES = {"coarrays": {"process": "image", "beyond": "above", "other-size": "size",
                         "team": "team", "freed": "freed", "other-call": "other_call",
                         "alone": "alone", "other-root": "root",
                         "other-operation": "operation", "interfaces": "interfaces",
                         "own-lock": "locked", "not-held": "unlock", "fork": "fork",
                         "signal": "signal"}}


def cases():
    return {case: case in WRONG for case in [*WRONG, *CHECKED]}


LINE = re.compile(r"^causeway: error: (?:PE|image)s? [-\d, ]+ of 3 \(.*?\): "
                  r"(?:image \d of 3: )?(.*)$", re.M)


def job(program, argument, **env):
    env = {"CAUSEWAY_CHECK": "1", **env} if argument in CHECKED else env
    return argument, subprocess.run([STAGE / "bin/cafrun", "-n", str(NPES), program, argument],
                                    capture_output=True, text=True, timeout=120, check=False,
                                    env={**os.environ, **env})


def goes_on(program, run):
    argument, checking = run
    return job(program, argument, CAUSEWAY_FAILED_IMAGES="continue", CAUSEWAY_CHECK=checking)


def judge_wrong(argument, done, wanted):
    lines = LINE.findall(done.stderr)
    check(done.returncode == 1 and lines and all(re.match(wanted, n) for n in lines),
          argument, done.returncode, done.stdout, done.stderr)


def judge_end(argument, done):
    status, out, err = ENDS[argument]
    said = [line for line in done.stderr.splitlines() if "STOP" in line]
    check(done.returncode == status and done.stdout.splitlines() == out and said == err
          and "causeway:" not in done.stderr, argument, done.returncode, done.stdout, done.stderr)


def judge_asked(done):
    lines = done.stdout.splitlines()
    ok = all(sum(bool(re.match(wanted, line)) for line in lines) == NPES for wanted in ASKED)
    check(done.returncode == 0 and ok and len(lines) == NPES * len(ASKED) and not done.stderr,
          "asked", done.returncode, done.stdout, done.stderr)


def judge_random(done):
    rows = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("random")]
    ok = check(len(rows) == NPES, "random_init", done.stdout, done.stderr)
    for column, distinct in enumerate((True, False, False, True) if ok else ()):
        values = {row[column] for row in rows}
        check(len(values) == (NPES if distinct else 1), f"random_init, column {column}", rows)


def main():
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        program = Path(scratch) / "misuse"
        subprocess.run([STAGE / "bin/caf", "-g", "-O2", TESTS / "caf/misuse.f90", "-o", program],
                       check=True, cwd=scratch)
        runs = [*WRONG, *CHECKED, *ENDS, "asked", "random"]
        for argument, done in pool.map(lambda a: job(program, a), runs):
            if argument in WRONG or argument in CHECKED:
                judge_wrong(argument, done, {**WRONG, **CHECKED}[argument])
            elif argument in ENDS:
                judge_end(argument, done)
            elif argument == "asked":
                judge_asked(done)
            else:
                judge_random(done)
        runs = [(argument, "1") for argument in GOES_ON] + [(a, "0") for a in UNCHECKED]
        for argument, done in pool.map(lambda run: goes_on(program, run), runs):
            judge_wrong(argument, done, GOES_ON[argument])
    finish()


if __name__ == "__main__":
    main()
