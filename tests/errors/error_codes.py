#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An end by an error is none that a parent, which sees the low 8 bits of a code, takes for a
success: of every front end's routine, and of an exit without the finalize."""
import os
import shutil
import subprocess
import tempfile

from frame.script import STAGE, TESTS, check, finish, oshcc

CODES = {0: 1, 7: 7, 256: 1, 768: 1, -256: 1, -1: 255, 263: 7}
ROUTINES = ("ARMCI_Error", "armci_msg_abort", "dart_abort")


def ends(want, *command):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL,
                          env=dict(os.environ, PATH=f"{STAGE}/bin:{os.environ['PATH']}"))
    check(done.returncode == want, f"{command}: status {want}", done.returncode, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = oshcc(f"{scratch}/error_codes", TESTS / "errors/error_codes.c", "-larmci",
                        "-ldart-causeway")
        for code, status in CODES.items():
            for routine in ROUTINES:
                ends(status, "oshrun", "-n", 2, program, routine, code)
            if shutil.which("mpiexec.hydra"):
                ends(status, "mpiexec.hydra", "-n", 2, program, "exit", code)
        ends(1, "oshrun", "-n", 2, "--emulate-nodes", 2, program, "ARMCI_Error", 256)
        if shutil.which("gfortran"):
            images = f"{scratch}/images"
            subprocess.run([STAGE / "bin/caf", "-o", images, TESTS / "errors/error_codes.f90"],
                           check=True)
            for code, status in ((0, 0), (7, 7), (256, 1)):
                for npes in (1, 2):
                    ends(status, "oshrun", "-n", npes, images, code)
    finish()


if __name__ == "__main__":
    main()
