# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the scripts of all rooms: places, compiling, checks and the end.

The runner puts tests/ on PYTHONPATH; by hand: PYTHONPATH=tests python3 tests/ROOM/SCRIPT.py"""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = Path(os.environ.get("CAUSEWAY_TEST_SOURCE", TESTS.parent))
BUILD = Path(os.environ.get("CAUSEWAY_TEST_BUILD", ROOT / "build"))
STAGE = Path(os.environ.get("CAUSEWAY_TEST_STAGE", BUILD / "stage"))
SANITIZE = os.environ.get("CAUSEWAY_TEST_SANITIZE", "")
SANITIZE_FLAGS = {"address": ["-fsanitize=address,undefined"],
                  "thread": ["-fsanitize=thread"]}.get(SANITIZE, [])
SLOW = 4 if SANITIZE else 1  # factor of time limits
SHOWN = 40  # failures that are printed; the rest is counted

checks = 0
failures = []


def check(condition, what, *details):
    """Prints and counts a false condition; the script continues. Returns the condition."""
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        if len(failures) <= SHOWN:
            print(f"FAIL: {what}", *(f"\n    {detail!r}" for detail in details), flush=True)
    return bool(condition)


def fail(what, *details):
    check(False, what, *details)


def finish(what=None):
    """Prints the counts, after the text; ends with status 1 if a check failed. Without a text it
    ends with status 1, too, if there was no check."""
    print(f"{what or f'{checks} checks'}, {len(failures)} wrong", flush=True)
    sys.exit(1 if failures or not (what or checks) else 0)


def skip(reason):
    print(f"SKIP: {reason}", flush=True)
    sys.exit(77)


def clean_environment():
    """The environment without settings. What the runner gives to a test stays: by its token it
    finds the test's processes."""
    kept = ("CAUSEWAY_TEST_", "CAUSEWAY_LIBFABRIC")
    return {k: v for k, v in os.environ.items()
            if k.startswith(kept) or not k.startswith(("CAUSEWAY_", "SHMEM_", "SMA_"))}


def run(*command, **options):
    """The output of a command that must succeed."""
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True,
                          **options).stdout


def oshcc(program, *words, compiler="oshcc", **options):
    """Compiles a program of a room as the runner does; words: sources, flags, libraries."""
    command = [STAGE / "bin" / compiler, "-O2", "-g", "-Wall", "-Wextra", "-Werror", f"-I{TESTS}",
               *SANITIZE_FLAGS, "-o", program, *words]
    subprocess.run(list(map(str, command)), check=True, **options)
    return str(program)
