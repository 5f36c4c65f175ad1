#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Images are killed, and the others go on by PRIF: in each procedure that waits for them, with
stat, on one node and between two; without stat the job ends with a line that names the image."""
import re
import subprocess
from pathlib import Path

from frame.script import SLOW, STAGE, TESTS, check, clean_environment, finish

NODES = ["--emulate-nodes", "2"]
GONE = r" images went on, 0 checks failed$"
# a job: processes, options, settings, arguments; exit status, and what the output says
JOBS = {
    "node": (16, [], {}, ["all", "8"], 0, ["^1 of 16" + GONE, "^oshrun: 15 of 16 PEs were killed"]),
    "rdm": (18, NODES, {"CAUSEWAY_ENDPOINT": "rdm"}, ["all", "10"], 0, ["^3 of 18" + GONE]),
    "msg": (18, NODES, {"CAUSEWAY_ENDPOINT": "msg"}, ["all", "10"], 0, ["^3 of 18" + GONE]),
    "nostat": (3, [], {}, ["nostat", "0"], 1,
               [r"images? [-12, ]+ of 3 \(.*\): (prif_)?sync[ _]all: .*; image 3 of the "
                r"team \(PE 2, host .*\) was killed by signal 9 \(Killed\)"]),
    "end": (3, [], {"CAUSEWAY_FAILED_IMAGES": "end"}, ["nostat", "0"], 137,
            [r"PE 2 of 3 .* was killed by signal 9 \(Killed\); ending the other PEs$"]),
}


def main():
    sources = [TESTS / "prif" / name for name in ("checks.f90", "killed.f90")]
    subprocess.run([STAGE / "bin/prifc", "-O2", "-g", "-o", "killed", *sources], check=True)
    program = Path("killed").resolve()
    for name, (npes, options, settings, arguments, status, texts) in JOBS.items():
        command = [STAGE / "bin/oshrun", "-n", str(npes), *options, program, *arguments]
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
