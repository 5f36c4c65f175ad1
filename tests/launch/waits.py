# SPDX-License-Identifier: BSD-3-Clause
"""The programs waits.c and waits_gasnet.c, and their kinds of waiting."""

import subprocess
from pathlib import Path

from common import STAGE, check

SHMEM = ("put", "get", "fetch_add", "wait_until", "heard", "fed", "barrier")
GASNET = ("reply", "replied", "barrier")


def compile_here(source, *flags):
    program = Path.cwd() / source.removesuffix(".c")
    done = subprocess.run([STAGE / "bin/oshcc", "-O1", "-g", "-Wall", "-Wextra", *flags,
                           Path(__file__).with_name(source), "-o", program], capture_output=True,
                          text=True)
    check(done.returncode == 0, f"{source} is built", done.stderr)
    return program


def build():
    """Both, in the current directory."""
    return compile_here("waits.c"), compile_here("waits_gasnet.c", "-DGASNET_SEQ")
