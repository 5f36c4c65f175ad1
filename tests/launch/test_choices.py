#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What users of other launchers type: parts of a job, directories, files for output, processors;
debuggers and windows (by programs that print their command); input after fg."""

import fcntl
import os
import pty
import select
import signal
import termios
import time
from pathlib import Path

from common import OSHRUN, PROBE, check, finish, lines_of, run


def refused(args, *texts, status=2, **kwargs):
    job = run(*args, **kwargs)
    check(job.returncode == status and all(text in job.stderr for text in texts),
          f"{args}: refused with {status}, {texts}", job.returncode, job.stderr)


def prints(args, want, **kwargs):
    job = run(*args, **kwargs)
    check(job.returncode == 0 and lines_of(job.stdout) == sorted(want), f"{args}: prints {want}",
          job.returncode, job.stdout, job.stderr)


# ---------------------------------------------------------------- parts
show = ["sh", "-c", "echo $OSHRUN_PE of $OSHRUN_NPES: $A $B $0", "x"]
prints(["-n", 1, *show, ":", "-n", 2, *show[:3], "y", ":", *show[:3], "z"],
       ["0 of 4: x", "1 of 4: y", "2 of 4: y", "3 of 4: z"])
prints(["-x", "A=1", "-x", "B=2", *show, ":", "-x", "A=3", *show],
       ["0 of 2: 1 2 x", "1 of 2: 3 2 x"])
for sets in (["-x", "A=1", "-x", "A"], ["-x", "A", "-x", "A=1"]):  # A alone: is it set?
    prints([*sets, *show], ["0 of 1: 1 x"])
    check("not set" not in run(*sets, *show).stderr, sets)
prints(["-n", 2, PROBE, "ok", ":", "-n", 3, PROBE, "ok"],
       ["launch: 5 PEs, one_machine 1, node_fd yes, nodes 0 0 0 0 0"])
prints(["-n", 40, "echo", "a", ":", "-n", 40, "echo", "b"], ["a"] * 40 + ["b"] * 40)
refused(["echo", ":"], "no program given")
refused([":", "echo"], 'no program given before a ":"')
refused(["-n", 1, "echo", ":", "--label", "echo"], "--label is an option of the whole job")
refused(["-n", 1, "echo", ":", "no-such-program-anywhere"], "not found in PATH", status=127)

# ---------------------------------------------------------------- directories
here = Path.cwd()
inner = here / "inner"
inner.mkdir()
(inner / "tool").write_text("#!/bin/sh\npwd\n")
(inner / "tool").chmod(0o755)
(here / "file").write_text("")
prints(["-n", 2, "--wdir", "inner", "pwd"], [str(inner)] * 2)
prints(["--wdir", inner, "./tool"], [str(inner)])
prints(["--wdir", "inner", "pwd", ":", "-wdir", "/", "pwd", ":", "pwd"],
       [str(inner), "/", str(inner)])
prints(["--wdir", "inner", "tool"], [str(inner)],
       env=dict(os.environ, PATH=f".:{os.environ['PATH']}"))
refused(["--wdir", "nowhere", "pwd"], "--wdir nowhere: No such file or directory", status=126)
refused(["--wdir", "file", "pwd"], "--wdir file: Not a directory", status=126)
refused(["--wdir", "file/x", "pwd"], "--wdir file/x: Not a directory", status=126)
refused(["--wdir", "inner", "./missing"], "cannot run", "inner/./missing", status=127)

# ---------------------------------------------------------------- files for output
job = run("-n", 3, "--output", "out", "sh", "-c", "echo to $OSHRUN_PE; echo err >&2; exit 0")
check(job.returncode == 0 and job.stdout + job.stderr == "", "--output: nothing else is written",
      job.stdout, job.stderr)
for pe in range(3):
    for end, text in (("out", f"to {pe}\n"), ("err", "err\n")):
        check(Path(f"out/pe.{pe}.{end}").read_text() == text, f"--output: pe.{pe}.{end}")
job = run("-n", 2, "--output", "out", "sh", "-c", "exit $OSHRUN_PE")
check(job.returncode == 1 and "what PE 1 wrote is in out/pe.1.out" in job.stderr,
      "--output: a PE that fails", job.returncode, job.stderr)
run("-n", 2, "--output", "out", "echo", "again")
check([Path(f"out/pe.{pe}.out").read_text() for pe in range(3)] == ["again\n"] * 2 + ["to 2\n"],
      "--output: files are written anew")
refused(["--output", "file", "true"], "--output file: Not a directory", status=1)
refused(["--output", "no/where", "true"], "--output no/where: cannot make this directory: No such",
        status=1)
Path("taken/pe.1.err").mkdir(parents=True)
refused(["-n", "2", "--output", "taken", "true"],
        "--output taken: cannot make the file for standard error of PE 1: Is a directory", status=1)

# ---------------------------------------------------------------- processors
mine = sorted(os.sched_getaffinity(0))
ask = ["python3", "-c",
       "import os; print(os.environ['OSHRUN_PE'], *sorted(os.sched_getaffinity(0)))"]
everywhere = " ".join(map(str, mine))
prints(["-n", 2, "--bind-to", "none", *ask], [f"{pe} {everywhere}" for pe in range(2)])
prints([*ask], [f"0 {everywhere}"])
prints(["-n", len(mine) + 1, *ask], [f"{pe} {everywhere}" for pe in range(len(mine) + 1)])
cores = {Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
         for cpu in mine}
if len(cores) > 1:
    job = run("-n", 2, "--bind-to", "share", "--report-bindings", *ask)
    sets = [set(map(int, line.split()[1:])) for line in job.stdout.splitlines()]
    check(len(sets) == 2 and not sets[0] & sets[1] and sets[0] | sets[1] == set(mine),
          "shares: apart, and together all that may be used", mine, job.stdout, job.stderr)
    check(job.stderr.count(": processors ") == 2, "--report-bindings of shares", job.stderr)
job = run("--report-bindings", "true")
check(job.stderr == "oshrun: the PEs are not bound to processors\n", "--report-bindings of one PE",
      job.stderr)
job = run("-n", len(mine), "--bind-to", "hwthread", *ask)
check(sorted(int(line.split()[1]) for line in job.stdout.splitlines()) == mine
      and all(len(line.split()) == 2 for line in job.stdout.splitlines()),
      "--bind-to hwthread: each PE has one of its own", mine, job.stdout, job.stderr)
for unit in ("core", "socket", "numa"):
    job = run("-n", 3, "--bind-to", unit, "--report-bindings", *ask)
    sets = [set(map(int, line.split()[1:])) for line in job.stdout.splitlines()]
    check(job.returncode == 0 and len(sets) == 3 and all(s and s <= set(mine) for s in sets)
          and all(a == b or not a & b for a in sets for b in sets),
          f"--bind-to {unit}: equal or apart, and within what may be used", job.stdout)
    check(sum("oshrun: PE " in line and ": processors " in line
              for line in job.stderr.splitlines()) == 3, "--report-bindings", job.stderr)
job = run("-n", 2, "--map-by", "core", "true")
check(job.returncode == 0 and "--map-by has no effect without --bind-to" in job.stderr,
      "--map-by alone", job.stderr)
refused(["--bind-to", "moon", "true"], "expected hwthread, core, socket, numa, share or none")
refused(["--map-by", "share", "true"], "expected hwthread, core, socket or numa")

# ---------------------------------------------------------------- debuggers
tools = here / "tools"
tools.mkdir()
for name in ("gdb", "xterm"):
    (tools / name).write_text('#!/bin/sh\necho "$(basename "$0")" "$@"\n')
    (tools / name).chmod(0o755)
env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
prints(["-n", 2, "--gdb", inner / "tool", "a"], [f"gdb -q --args {inner}/tool a", str(here)],
       env=env)
prints(["-n", 3, "--gdb=1-2", inner / "tool"],
       [str(here)] + [f"gdb -q --args {inner}/tool"] * 2, env=env)
prints(["-n", 2, "--xterm", inner / "tool"],
       [f"xterm -T PE {pe} of 2 -e {inner}/tool" for pe in range(2)], env=env)
prints(["-n", 2, "--xterm=1", "--gdb", inner / "tool"],
       [str(here), f"xterm -T PE 1 of 2 -e {tools}/gdb -q --args {inner}/tool"], env=env)
for bad in ("x", "1-", "2-1", "0;1", "-1"):
    refused([f"--gdb={bad}", "true"], "expected numbers of PEs", env=env)
refused(["-n", 2, "--gdb=2-7", "true"], "--gdb=2-7: there is none of these PEs; this job has PEs "
        "0 to 1", env=env)
refused(["--xterm", "/bin/true"], "--xterm: xterm is not in PATH (Debian: xterm)", status=127,
        env=dict(os.environ, PATH="/nowhere"))


# ---------------------------------------------------------------- input after fg
def brought_back():
    """oshrun, in the background of a terminal, is made its foreground job: without a signal, as a
    shell does with a job that was not stopped."""
    master, slave = pty.openpty()
    shell = os.fork()
    if shell == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            for fd in range(3):
                os.dup2(slave, fd)
            os.execv(OSHRUN, [OSHRUN, "-n", "1", "sh", "-c", "echo ready; read x; echo got $x"])
        try:
            os.setpgid(job, job)
        except OSError:
            pass  # the child has done it
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        time.sleep(1)  # in the background, longer than any start of it
        os.tcsetpgrp(slave, job)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
    os.close(slave)
    os.write(master, b"hello\n")
    text, end = "", time.monotonic() + 60
    while "got hello" not in text and time.monotonic() < end:
        if select.select([master], [], [], 1)[0]:
            try:
                text += os.read(master, 4096).decode()
            except OSError:
                break  # the terminal's last process has gone
    status = os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1])
    check(status == 0 and "got hello" in text, "input after fg", status, text)


brought_back()
finish()
