#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports of images that wait for ever speak of images, as the program counts them; two that wait
for each other's lock are named within seconds in checking mode, while a third one computes."""
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from frame.script import SLOW, STAGE, TESTS, check, finish

MISTAKES = {"coarrays": {"lock-order": "locks", "gone": "gone"}}
SOURCE = TESTS / "caf/waiting.f90"
LINES = SOURCE.read_text(encoding="utf-8").splitlines()
ENDS = "; this ends the job (CAUSEWAY_DEADLOCK_ACTION=abort)"


def place(comment):
    line = next(i for i, text in enumerate(LINES, 1) if f"! {comment}" in text)
    return rf", called from (?:MAIN__|waiting)\+0x\w+ \(waiting\.f90:{line}\): "


# case: settings, the first line, and for each line the image, its routine and what it waits for
CASES = {
    "locks": ({"CAUSEWAY_CHECK": "1"}, "2 of 3 images wait for each other" + ENDS, [
        (1, "never given", "a lock of image 2, held by image 2$"),
        (2, "never given", "a lock of image 1, held by image 1$")]),
    "missing": ({"CAUSEWAY_DEADLOCK": "1"}, "all 3 images have waited longer than 1 s "
                "(CAUSEWAY_DEADLOCK)" + ENDS, [
        (1, "never left", r"synchronisation \d+ of all images; not there: image 3$"),
        (2, "never left", r"synchronisation \d+ of all images; not there: image 3$"),
        (3, "never posted", "an event has 0 posts, 1 are wanted$")]),
    "partners": ({"CAUSEWAY_DEADLOCK": "1"}, "all 3 images have waited longer than 1 s "
                 "(CAUSEWAY_DEADLOCK)" + ENDS, [
        (1, "without image 2",
         "image 2, which has not come to its synchronisation with this image$"),
        (2, "without image 3",
         "image 3, which has not come to its synchronisation with this image$"),
        (3, "posted once", "an event has 1 post, 2 are wanted$")]),
    "behind": ({"CAUSEWAY_DEADLOCK": "1"}, "all 3 images have waited longer than 1 s "
               "(CAUSEWAY_DEADLOCK)" + ENDS, [
        (1, "the queue",
         r"a lock of image 2, held by image 2(?: \(in the queue behind image 3\))?$"),
        (2, "with the lock", ""),
        (3, "the queue",
         r"a lock of image 2, held by image 2(?: \(in the queue behind image 1\))?$")]),
}


def cases():
    return {"locks": False, "gone": True}


def attempt(program, case, options):
    settings, head, lines = CASES[case]
    begun = time.monotonic()
    done = subprocess.run([STAGE / "bin/cafrun", "-n", "3", *options, program, case],
                          env=dict(os.environ, CAUSEWAY_DEADLOCK_ACTION="abort", **settings),
                          capture_output=True, text=True, timeout=60 * SLOW, check=False)
    took, said = time.monotonic() - begun, done.stdout + done.stderr
    check(done.returncode == 1 and took < 15 * SLOW and "FAIL" not in said, case, took, said)
    reports = re.findall(r"^causeway: deadlock: (.*)$", said, re.M)
    check(len(reports) == 1 + len(lines) and reports[0] == head, case, head, said)
    for image, comment, what in lines:
        wanted = (rf"^image {image} \(PE {image - 1}, node \d, host [^,]+, pid \d+\) has waited "
                  rf"\d+ s in \S.*{place(comment)}{what}")
        check(any(re.search(wanted, line) for line in reports), case, wanted, said)


def attempt_gone(program, options):
    """An image waits for one that has ended: said without any setting."""
    done = subprocess.run([STAGE / "bin/cafrun", "-n", "3", *options, program, "gone"],
                          capture_output=True, text=True, timeout=60 * SLOW, check=False)
    check(done.returncode == 1 and re.search(
        r"^causeway: error: images? [-12, ]+ of 3 \([^)]+\): .*"
        "waits in _gfortran_caf_sync_all" + place("for an image").replace(": ", ", ")
        + r"for image 3 \(pid \d+, host [^)]+\), which has called _gfortran_caf_finalize$",
        done.stderr, re.M), "gone", done.stdout, done.stderr)


def attempt_asked(program):
    """oshrun --report, and a warning's first words, count images, too."""
    with subprocess.Popen([STAGE / "bin/cafrun", "-n", "3", program, "missing"],
                          env=dict(os.environ, CAUSEWAY_DEADLOCK="0"), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as job:
        wanted = [r"^oshrun: images 1, 2: in _gfortran_caf_sync_all" + place("never left")[:-2],
                  r"^oshrun: image 3: in _gfortran_caf_event_wait" + place("never posted")[:-2]]
        said = ""
        for _ in range(100 * SLOW):
            said = subprocess.run([STAGE / "bin/oshrun", "--report", str(job.pid)],
                                  capture_output=True, text=True, timeout=30 * SLOW,
                                  check=False).stderr
            if all(re.search(line, said, re.M) for line in wanted):
                break
            time.sleep(0.1)
        check(all(re.search(line, said, re.M) for line in wanted), "asked", wanted, said)
        job.terminate()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "waiting"
        subprocess.run([STAGE / "bin/caf", "-O1", "-g", SOURCE, "-o", program], check=True,
                       cwd=scratch)
        for case in CASES:
            for options in ([], ["--emulate-nodes", "3"]):
                attempt(program, case, options)
        for options in ([], ["--emulate-nodes", "3"]):
            attempt_gone(program, options)
        attempt_asked(program)
    finish()


if __name__ == "__main__":
    main()
