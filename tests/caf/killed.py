#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Images are killed, and the others go on: in each statement that waits for them, on one node and
between two; what ends the job all the same, and what oshrun says and returns."""
import re
import subprocess
from pathlib import Path

from frame.script import SLOW, STAGE, TESTS, check, clean_environment, finish

NODES = ["--emulate-nodes", "2"]
GONE = r"went on, 0 checks failed$"
LAST = r"^oshrun: {} of {} PEs were killed, and the others have ended well without: PE "
KILLED = r"^oshrun: PE \d+ of \d+ \(pid \d+, host .*\) was killed by signal 9 \(Killed\); "
LET_GO = KILLED + "the others go on without it$"
# a job: processes, options, settings, arguments; exit status, and what the output says
JOBS = {
    # image 1, whose process the others of the node do without, dies last
    "node": (16, [], {}, ["all", "8"], 0,
             ["^2 of 16 images " + GONE, LET_GO,
              LAST.format(14, 16) + "1, 2, 3, 4, 5, 6, 8, 9 and 6 more$"]),
    "rdm": (18, NODES, {"CAUSEWAY_ENDPOINT": "rdm"}, ["all", "10"], 0,
            ["^4 of 18 images " + GONE, LAST.format(14, 18)]),
    "msg": (18, NODES, {"CAUSEWAY_ENDPOINT": "msg"}, ["all", "10"], 0,
            ["^4 of 18 images " + GONE, LAST.format(14, 18)]),
    "nostat": (3, [], {}, ["nostat", "0"], 1,
               [r"images? [-12, ]+ of 3 \(.*\): sync all: 0 images of the team have "
                r"stopped, and 1 have failed; image 3 of the team \(PE 2, host .*\) was killed by "
                r"signal 9 \(Killed\); called from .*$"]),
    "each": (3, [], {}, ["each", "0"], 137, [LET_GO]),
    # the node server's host between nodes: nothing can go on without it
    "host": (4, NODES, {}, ["host", "3"], 137,
             [r"PE 2 of 4 .* was killed by signal 9 \(Killed\); it hosted the server of its node"]),
    "end": (3, [], {"CAUSEWAY_FAILED_IMAGES": "end"}, ["nostat", "0"], 137,
            [r"PE 2 of 3 .* was killed by signal 9 \(Killed\); ending the other PEs$"]),
    # a program that does not ask for images that are gone
    "plain": (3, [], {}, [], 137,
              [r"PE 2 of 3 .* was killed by signal 9 \(Killed\); ending the other PEs$"]),
    "continue": (3, [], {"CAUSEWAY_FAILED_IMAGES": "continue"}, [], 0,
                 [r"^image 1 has seen stat_failed_image$", LAST.format(1, 3) + "2$"]),
}


def build(name, *sources):
    where = [TESTS / "caf" / source for source in sources]
    subprocess.run([STAGE / "bin/caf", "-O2", "-g", "-o", name, *where], check=True)
    return Path(name).resolve()


def main():
    programs = {True: build("killed", "checks.f90", "killed.F90"),
                False: build("plain", "plain.f90")}
    for name, (npes, options, settings, arguments, status, texts) in JOBS.items():
        command = [STAGE / "bin/oshrun", "-n", str(npes), *options, programs[bool(arguments)],
                   *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 * SLOW,
                                  check=False, env={**clean_environment(), **settings})
        except subprocess.TimeoutExpired as late:
            check(False, f"{name}: no end", late.stdout, late.stderr)
            continue
        said = done.stdout + done.stderr
        check(done.returncode == status, f"{name}: status {done.returncode}", said)
        for text in texts:
            check(re.search(text, said, re.M), f"{name}: {text}", said)
        check("FAIL" not in said, f"{name}: its checks", said)
    finish()


main()
