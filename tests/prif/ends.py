#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ends of programs that use PRIF: stop codes, texts, quiet, callbacks, the end of the main
program, ends in a function that a PRINT statement calls. Wrong use gives one line with the image
and what is wrong, and the end of the job, or stat."""
import concurrent.futures
import os
import re
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, TESTS, check, finish

NPES = 3
# argument: what a line says
WRONG = {
    "before": "prif_sync_all: prif_init has not been called, or prif_stop has",
    "image": "assignment to an image: image 4 does not exist; the current team has 1 to 3",
    "handle": "assignment from an image: the coarray is not allocated",
    "beyond": "event post: 8 bytes at byte 1 of a coarray of 8",
    "unlock": "unlock: the variable is not locked",
    "cobounds": "prif_allocate_coarray: the cobounds have no place for 3 images",
    "alias_cobounds": "prif_alias_create: the cobounds have no place for 3 images",
    "corank": r"a query of a cobound: dim= is 2 for a coarray of corank 1",
    "team": "prif_change_team: the team was not formed",
    "number": "form team: the team number 0 is not positive",
    "sibling": "prif_num_images_with_team_number: no team beside the current one has number 5",
    "amid_image": "assignment from an image: image 4 does not exist; the current team has 1 to 3",
    "alias": "prif_alias_destroy: the handle is no alias",
    "released": "prif_set_context_data: the coarray has been deallocated",
}
# argument: what a line says in a program that goes on without images
MIXED = {
    "mixed_team": r"\S*prif_form_team: image 1 calls form team, but image 2 calls sync all or team "
                  "at ",
    "mixed_sum": r"\S*prif_co_\w+: image 1 calls co_sum, but image 2 calls allocate at ",
}
# argument: exit status, lines of standard output of one image, lines that the standard error has;
# only one image of those that end by an error says something
ENDS = {
    "stop": (7, ["late F F  7 none", "early F F  7 none", "STOP 7"], []),
    "stop_text": (0, ["late F F -1 all is done", "early F F -1 all is done", "all is done"], []),
    "quiet": (5, ["late F T  5 none", "early F T  5 none"], []),
    "end": (0, [], []),
    "error_stop": (9, ["late T F  9 none", "early T F  9 none"], ["ERROR STOP 9"]),
    "error_512": (1, ["late T F512 none", "early T F512 none"], ["ERROR STOP 512"]),
    "error_text": (1, ["late T F -1 it went wrong", "early T F -1 it went wrong"],
                   ["it went wrong"]),
    "amid_stop": (7, ["STOP 7"], []),
    "amid_error": (9, [], ["ERROR STOP 9"]),
    "error_quiet": (1, ["late T T -1 none", "early T T -1 none"], []),
}
# With stat the program goes on: what each image prints (form: image 2; deallocate: the others)
NOT_THERE = "the coarray is not allocated"
NO_MORE = "the coarray has been deallocated"
ASKED = {
    "allocate": r"a coarray has \d+ bytes here, and \d+ elsewhere in the team",
    "cobounds": "the cobounds have no place for 3 images",
    "upper": "2 upper cobounds beside 1 lower ones; as many, or one less, are possible",
    "shape": r"a codimension before the last one has more than 2\^63 - 1 cosubscripts",
    "form": "the team number 0 is not positive",
    "deallocate": "the coarray was allocated in a team that is not the current one",
    "change": "the team was not formed", "sync": "the team was not formed",
    "ranks": "the strides are of other ranks than the extents",
    "aligned": "the variable is not aligned to 8 bytes",
    "twice": "handle 2 is in the list before, too",
    "logicals": "there is none of logicals of 4 bytes", "operation": "there is no operation",
    "corank": "corank 16; Fortran has at most 15 codimensions",
    "released": NO_MORE, "its alias": NO_MORE, "its word": NO_MORE, "once more": NO_MORE,
    "put": NOT_THERE, "get": NOT_THERE, "critical": NOT_THERE, "again": NOT_THERE,
}
FEWER = {"form": 1, "deallocate": NPES - 1}
# of several images that say the same, one line
LINE = re.compile(r"^causeway: error: (?:(?:PE|image)s? [-\d, ]+(?: of 3)? \(.*?\): "
                  r"(?:image \d of 3: )?|pid .*?: )?(.*)$", re.M)


def job(program, argument):
    env = {"CAUSEWAY_FAILED_IMAGES": "continue"} if argument in MIXED else {}
    return argument, subprocess.run([STAGE / "bin/oshrun", "-n", str(NPES), program, argument],
                                    capture_output=True, text=True, timeout=120, check=False,
                                    env={**os.environ, **env})


def judge_wrong(argument, done):
    lines, wanted = LINE.findall(done.stderr), {**WRONG, **MIXED}[argument]
    check(done.returncode == 1 and lines and all(re.match(wanted, n) for n in lines),
          argument, done.returncode, done.stdout, done.stderr)


def judge_end(argument, done):
    status, out, err = ENDS[argument]
    images = 1 if "error" in argument else NPES
    said = [line for line in done.stderr.splitlines() if not line.startswith("oshrun: ")]
    check(done.returncode == status and sorted(done.stdout.splitlines()) == sorted(out * images)
          and (images > 1 or done.stdout.splitlines() == out) and said == err,
          argument, done.returncode, done.stdout, done.stderr)


def judge_asked(_, done):
    said = [line for line in done.stdout.splitlines() if not line.startswith(("late", "early"))]
    ok = all(sum(bool(re.match(f"{name}: {text}$", line)) for line in said) == FEWER.get(name, NPES)
             for name, text in ASKED.items())
    check(done.returncode == 0 and ok and len(said) == NPES * (len(ASKED) - 1) and not done.stderr,
          "asked", done.returncode, done.stdout, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        program = Path(scratch) / "ends"
        subprocess.run([STAGE / "bin/prifc", "-O2", TESTS / "prif/ends.f90", "-o", program],
                       check=True, cwd=scratch)
        for argument, done in pool.map(lambda a: job(program, a), [*WRONG, *MIXED, *ENDS, "asked"]):
            judge = judge_end if argument in ENDS else judge_wrong
            (judge_asked if argument == "asked" else judge)(argument, done)
    finish()


if __name__ == "__main__":
    main()
