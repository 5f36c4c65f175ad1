#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What clients of DART find in a prefix: -ldart-causeway alone from the shared library and from the
archive, in C and C++, oshcc, pkg-config."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, check, finish, run

PROGRAM = """#include <dash/dart/if/dart.h>
#include <stdio.h>
int main(int argc, char **argv) {
    size_t size;
    int one = 1, sum = 0;
    if (dart_init(&argc, &argv) != DART_OK) return 1;
    dart_allreduce(&one, &sum, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL);
    dart_size(&size);
    printf("%d of %zu\\n", sum, size);
    return dart_exit() != DART_OK;
}
"""
INCLUDE, LIB = f"-I{STAGE}/include", f"-L{STAGE}/lib"


def works(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def links(what, *command):
    done = works(*command, "-o", "program")
    if check(done.returncode == 0, f"{what}: links", done.stderr):
        job = works(STAGE / "bin/oshrun", "-n", 2, "./program")
        check(job.returncode == 0 and job.stdout.splitlines() == ["2 of 2"] * 2, f"{what}: runs",
              job.stdout, job.stderr)


def main():
    os.environ["LD_LIBRARY_PATH"] = f"{STAGE}/lib"
    os.environ["PKG_CONFIG_PATH"] = f"{STAGE}/lib/pkgconfig"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Path("c.c").write_text(PROGRAM)
        Path("cc.cc").write_text(PROGRAM)
        links("C", "cc", INCLUDE, "c.c", LIB, "-ldart-causeway")
        links("C, archive", "cc", INCLUDE, "c.c", LIB, "-l:libdart-causeway.a")
        links("C++", "c++", INCLUDE, "cc.cc", LIB, "-ldart-causeway")
        links("oshcc", STAGE / "bin/oshcc", "c.c", "-ldart-causeway")
        if shutil.which("pkg-config"):
            links("pkg-config", "cc", "c.c",
                  *run("pkg-config", "--cflags", "--libs", "causeway-dart").split())
        os.chdir("/")
    finish()


if __name__ == "__main__":
    main()
