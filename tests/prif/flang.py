#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module prif by flang, from the sources that the prefix has, and the tests of this room with
it. Where there is no flang from version 19 on, the case is skipped."""
import os
import re
import shutil
import sys
from pathlib import Path

from frame.client import scratch, works
from frame.script import STAGE, TESTS, check, finish

COMPILERS = ("flang", "flang-22", "flang-21", "flang-20", "flang-new-19")
BUILD = STAGE / "share/causeway/prif/build.sh"
# program: images, arguments
PROGRAMS = {"access": (3,), "words": (3,), "teams": (4,), "collectives": (3,), "gone": (3, "fail")}


def find():
    """The compiler and its options, or None."""
    for name in filter(shutil.which, COMPILERS):
        version = re.search(r"version (\d+)", works(name, "--version").stdout)
        if version and int(version[1]) >= 19:
            # what became the default with version 20
            return name, ["-mmlir", "-allow-assumed-rank"] if version[1] == "19" else []
    return None


def lowered(compiler, place):
    """What the compiler lowers to PRIF by itself."""
    done = works(compiler, "-fcoarray", TESTS / "prif/lowered.f90", "-o", "lowered", "-L", place,
                 "-lprif_causeway", f"-L{STAGE}/lib", "-lcauseway", f"-Wl,-rpath,{place}")
    if check(done.returncode == 0, "lowered: compiles", done.stderr):
        job = works(STAGE / "bin/oshrun", "-n", 4, "./lowered")
        check(job.returncode == 0 and ", 0 failed" in job.stdout, "lowered", job.stdout, job.stderr)


def main():
    found = find()
    if not found:
        print("SKIP: needs flang 19 or newer")
        sys.exit(77)
    compiler, options = found
    with scratch():
        done = works(BUILD, "compile", compiler, "own", *options)
        check(done.returncode == 0, "compile", done.stderr)
        done = works(BUILD, "link", compiler, "own", STAGE / "lib")
        check(done.returncode == 0, "link", done.stderr)
        place = Path.cwd() / "own"
        os.environ["LD_LIBRARY_PATH"] = f"{place}:{STAGE}/lib"  # not the prefix's of this name
        for name, (images, *arguments) in PROGRAMS.items():
            done = works(compiler, *options, "-I", place, TESTS / "prif/checks.f90",
                         TESTS / f"prif/{name}.f90", "-o", name, "-L", place, "-lprif_causeway",
                         f"-L{STAGE}/lib", "-lcauseway", f"-Wl,-rpath,{place}")
            if not check(done.returncode == 0, f"{name}: compiles", done.stderr):
                continue
            job = works(STAGE / "bin/oshrun", "-n", images, f"./{name}", *arguments)
            check(job.returncode == 0 and ", 0 failed" in job.stdout, name, job.stdout, job.stderr)
        if "-fcoarray" in works(compiler, "--help").stdout:
            lowered(compiler, place)
    finish()


if __name__ == "__main__":
    main()
