# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of what clients find in a prefix: programs that are compiled with the
system's compilers, as clients do it, in a scratch directory."""
import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

from frame.script import STAGE, check

INCLUDE, LIB = f"-I{STAGE}/include", f"-L{STAGE}/lib"


def works(*command):
    """The finished command, whatever its end."""
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def runs(what, program):
    """Two PEs of the program each print "2 of 2"."""
    job = works(STAGE / "bin/oshrun", "-n", 2, program)
    check(job.returncode == 0 and job.stdout.splitlines() == ["2 of 2"] * 2, f"{what}: runs",
          job.stdout, job.stderr)


def links(what, *command):
    """The command makes such a program."""
    done = works(*command, "-o", "program")
    if check(done.returncode == 0, f"{what}: links", done.stderr):
        runs(what, "./program")


@contextlib.contextmanager
def scratch():
    """A directory to work in, with the prefix in the paths of loader and pkg-config."""
    os.environ["LD_LIBRARY_PATH"] = f"{STAGE}/lib"
    os.environ["PKG_CONFIG_PATH"] = f"{STAGE}/lib/pkgconfig"
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            yield
        finally:
            os.chdir("/")


def by_cmake(text):
    """A project that makes `program`, and `program_static` from archives: both run."""
    Path("CMakeLists.txt").write_text(text)
    for command in (("-S", ".", "-B", "cmake", f"-DCMAKE_PREFIX_PATH={STAGE}"),
                    ("--build", "cmake")):
        done = works("cmake", *command)
        if not check(done.returncode == 0, f"cmake {command[0]}", done.stdout, done.stderr):
            return
    runs("CMake", "cmake/program")
    runs("CMake, static", "cmake/program_static")
