#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Settings of GASNet's environment: each changes what it is for."""
import os
import pathlib
import re
import signal
import subprocess

from frame.script import TESTS, fail, finish, oshcc

TRIED = 0


def run(npes, *args, layout=(), program="settings", **env):
    """Status and output of the program with these settings."""
    env = {f"GASNET_{name.upper()}": value for name, value in env.items()}
    done = subprocess.run(["oshrun", "-n", str(npes), *layout, f"./{program}", *args],
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
    for name in "all", "2-1", "0;1", "-1", "0,":
        expect(f"no list: {name}", run(2, backtrace_nodes=name), 0,
               r"GASNET_BACKTRACE_NODES=.*: give numbers and ranges", 1)
    for name in "*", "0", "0,2-4", "0, 1":
        expect(f"a list: {name}", run(2, backtrace_nodes=name), 0, "give numbers and ranges", 0)
    expect("no signal", run(2, no_catch_signal="TERMINAL"), 0, "there is no signal TERMINAL")


def sizes():
    result = run(1, max_segsize="90T")
    most = int(re.search(r": (\d+) bytes", result[1])[1])
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if not memory // 2 < most <= memory:  # less where a container has less
        fail(f"90T gave {most} of {memory} bytes")
    expect("more than there is", result, 0, ": [0-9]+ bytes")
    expect("what it is reduced to", run(2, max_segsize="90T", verboseenv="1"), 0,
           "GASNET_MAX_SEGSIZE = 90T\n    A process can attach [0-9]+ bytes")
    oshcc("number", "-DGASNET_SEQ", "-DDEFAULT_SIZE=3<<20", SOURCE)
    oshcc("text", "-DGASNET_SEQ", "-DDEFAULT_SIZE=3<<20", '-DDEFAULT_TEXT="4MB/H"', SOURCE)
    expect("the client's number", run(2, program="number"), 0, ": 3145728 bytes, 1 threads", 2)
    expect("the client's text", run(2, program="text"), 0, ": 2097152 bytes", 2)
    expect("the user's", run(2, program="text", max_segsize="1M"), 0, ": 1048576 bytes", 2)
    expect("threads", run(1, max_threads="7"), 0, ", 7 threads")
    expect("no limit", run(1), 0, ", 256 threads")


def tools():
    """What the program asks for: by the first process, as what the library does."""
    oshcc("asks", "-DGASNET_SEQ", "-DASKS", SOURCE, "-lgasnet_tools-seq")
    for layout in (), ("--emulate-nodes", "2"):
        expect("asked for", run(3, layout=layout, program="asks", verboseenv="1"), 0,
               r"^ENV parameter: SETTINGS_ROOM = 4 KB \(default\)$")


def messages():
    """GASNET_OFI_MAX_MEDIUM (what it does: payloads.c)."""
    for given in "511", "65K", "0":
        expect("bounds", run(1, ofi_max_medium=given), 1,
               r"GASNET_OFI_MAX_MEDIUM is \d+ bytes; 512 to 65536")
    expect("no size", run(1, ofi_max_medium="some"), 1, 'GASNET_OFI_MAX_MEDIUM="some" is not a')
    pathlib.Path("differ").write_text(
        "#!/bin/sh\nGASNET_OFI_MAX_MEDIUM=$((8192 * (OSHRUN_PE + 1))) exec ./settings\n")
    os.chmod("differ", 0o755)
    expect("disagreement", run(2, program="differ"), 1,
           "the PEs disagree about GASNET_OFI_MAX_MEDIUM: (8192|16384) bytes here")


def without_effect():
    """Of the release's own insides: named once a job; those that clients set for any GASNet are
    not."""
    expect("named", run(3, ofi_receive_buff_size="2M", barrier="AMDISSEM", max_threads="7"), 0,
           "GASNET_OFI_RECEIVE_BUFF_SIZE, GASNET_BARRIER: .*no effect here")
    expect("not named", run(2, physmem_probe="0", odp_verbose="0", barrier="", ofi_max_medium="8K"),
           0, "no effect", 0)


def neighborhoods():
    result = run(5, supernode_maxsize="2")
    for rank, text in enumerate(("0, rank 0 of 2 from 0, 0", "0, rank 1 of 2 from 0, 0",
                                 "1, rank 0 of 2 from 2, 1", "1, rank 1 of 2 from 2, 1",
                                 "2, rank 0 of 1 from 4, 2")):
        expect("halves", result, 0, f"^process {rank}: .*, supernode {text} of 3$")
    expect("whole", run(3), 0, ", supernode 0, rank [012] of 3 from 0, 0 of 1$", 3)
    expect("one each, two nodes", run(3, layout=("--emulate-nodes", "2"), supernode_maxsize="1"), 0,
           ", rank 0 of 1 from ([012]), \\1 of 3$", 3)


def thaw(*args, **env):
    """Status and output of one process that freezes, and goes on by SIGCONT."""
    env = {f"GASNET_{name.upper()}": value for name, value in env.items()}
    process = subprocess.Popen(["oshrun", "-n", "1", "./settings", *args], stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **env})
    seen = ""
    for line in process.stderr:
        seen += line
        if found := re.search(r"is frozen: attach a debugger to pid (\d+)", line):
            os.kill(int(found[1]), signal.SIGCONT)
    return process.wait(), seen + process.stdout.read()


def debugging():
    frozen = "process 0 is frozen"
    expect("at the start", thaw(freeze="1"), 0, frozen)
    expect("at a crash", thaw("crash", freeze_on_error="1"), 139, frozen)
    expect("at an abort", thaw("abort", freeze_on_error="1"), 134, frozen)
    expect("at an error", thaw("fatal", freeze_on_error="1"), 1, frozen)
    stack = r"PE 0 #\d+ *main"
    expect("an abort", run(1, "abort", backtrace="1"), 134, stack)
    expect("a crash", run(1, "crash", backtrace="1"), 139, stack)
    expect("a crash by a signal", run(1, "raise", backtrace="1"), 139, stack)
    expect("an error", run(1, "fatal", backtrace="1", backtrace_nodes="3,0-1"), 1, stack)
    expect("an error of another", run(1, "fatal", backtrace="1", backtrace_nodes="1-4,7"), 1,
           stack, 0)
    expect("a signal", run(1, "usr1", backtrace_signal="SIGUSR1"), 0, stack)
    expect("no signal", run(1, "usr1"), 128 + signal.SIGUSR1, stack, 0)
    expect("frozen by a signal", thaw("usr1", freeze_signal="usr1"), 0, frozen)
    expect("no such signal", run(2, backtrace_signal="KILL"), 0, "KILL\": no signal that")
    expect("not caught", run(1, "abort", backtrace="1", no_catch_signal="abrt"), 134, stack, 0)


SOURCE = TESTS / "gasnet/settings.c"
oshcc("settings", "-DGASNET_PAR", "-O1", SOURCE)
exits()
signals()
sizes()
tools()
messages()
without_effect()
neighborhoods()
debugging()
finish(f"{TRIED} settings")
