#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Settings of GASNet's environment: each changes what it is for."""
import os
import re
import subprocess

from frame.script import TESTS, fail, finish, oshcc

TRIED = 0


def run(npes, *args, layout=(), **env):
    """Status and output of the program with these settings."""
    env = {f"GASNET_{name.upper()}": value for name, value in env.items()}
    done = subprocess.run(["oshrun", "-n", str(npes), *layout, "./settings", *args],
                          capture_output=True, text=True, timeout=100, env={**os.environ, **env})
    return done.returncode, done.stdout + done.stderr


def expect(what, result, status, pattern, count=1):
    """`pattern`: a line that stands `count` times in the output."""
    global TRIED
    TRIED += 1
    found = len(re.findall(pattern, result[1], re.MULTILINE))
    if result[0] != status or found != count:
        fail(f"{what}: status {result[0]}, {found} x '{pattern}'\n{result[1]}")


def exits():
    shown = r"^ENV parameter: GASNET_EXITTIMEOUT = %s$"
    expect("default", run(4, verboseenv="1"), 0, shown % r"11 \(default\)")
    expect("parts", run(4, verboseenv="1", exittimeout_min="3/2", exittimeout_factor="1e-1"), 0,
           shown % r"1\.9 \(default\)")
    expect("most", run(4, verboseenv="1", exittimeout_max="0.5"), 0, shown % r"0\.5 \(default\)")
    expect("set", run(2, verboseenv="yes", exittimeout="2.5"), 0, shown % r"2\.5")
    # were the most not half a second, it would take longer than this test may
    expect("one ends all", run(3, "one", exittimeout_min="5000", exittimeout_max="1/2"), 0, "error",
           0)
    expect("nonsense", run(1, exittimeout_min="soon"), 1, r'GASNET_EXITTIMEOUT_MIN="soon" is not')
    # 0: the others would be ended at once
    for layout in (), ("--emulate-nodes", "2"):
        expect("part", run(3, "part", layout=layout, catch_exit="0", exittimeout="0"), 0,
               r"^process [012] of 3: (0|2100)$", 3)


def signals():
    expect("SIGTERM is caught", run(1, "term"), 9, "^cleaned up$")
    for name in "sigterm", "INT,TERM", "15", "*":
        expect(f"SIGTERM is not caught: {name}", run(1, "term", no_catch_signal=name), 143,
               "^cleaned up$", 0)
    expect("another is not caught", run(1, "term", no_catch_signal="SIGINT segv"), 9,
           "^cleaned up$")
    expect("a crash", run(1, "crash"), 139, "SIGSEGV in ")
    expect("a crash is not caught", run(1, "crash", no_catch_signal="SEGV"), 139, "SIGSEGV in ", 0)
    expect("no signal", run(2, no_catch_signal="TERMINAL"), 0, "there is no signal TERMINAL")


oshcc("settings", "-DGASNET_PAR", "-O1", TESTS / "gasnet/settings.c")
exits()
signals()
finish(f"{TRIED} settings")
