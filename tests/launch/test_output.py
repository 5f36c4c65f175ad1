#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Output line by line, labels, standard input of PE 0, readers that are slow or gone."""

import os
import pty
import resource
import subprocess
import time
from pathlib import Path

from common import OSHRUN, PROBE, check, finish, lines_of, processes, run, start, wait_until

# Lines of many writers, each written in two pieces, stay whole and in order.
for label in (False, True):
    job = run(*(["--label"] if label else []), "-n", 8, PROBE, "flood", 2000, timeout=60)
    check(job.returncode == 0, "flood ends well", job.stderr)
    next_of, bad = [0] * 8, []
    for line in job.stdout.splitlines():
        prefix, text = line.split(" ", 1) if label else ("", line)
        try:
            pe, number, filler = text.strip("<>").split(":")
            whole = text == f"<{pe}:{number}:{'x' * (int(number) % 100)}>"
            if not whole or next_of[int(pe)] != int(number) or (label and prefix != f"[{pe}]"):
                bad.append(line)
            next_of[int(pe)] += 1
        except ValueError:
            bad.append(line)
    check(not bad and next_of == [2000] * 8, f"flood, label {label}: lines whole and in order",
          bad[:3], next_of)

job = run("-n", 3, "sh", "-c", "echo out; echo err >&2")
check((job.stdout, job.stderr) == ("out\n" * 3, "err\n" * 3), "stdout and stderr stay apart",
      job.stdout, job.stderr)
job = run("-n", 1, "printf", r"a\n\nb")
check(job.stdout == "a\n\nb", "a last line without newline is passed on as it is", job.stdout)
job = run("-n", 3, "printf", "abc")
check(job.stdout == "abc\nabc\nabc", "unterminated lines of several PEs do not mix", job.stdout)
job = run("-l", "-n", 2, "printf", r"x\ny")
check(lines_of(job.stdout) == ["[0] x", "[0] y", "[1] x", "[1] y"],
      "labels, last line without newline", job.stdout)
job = run("-n", 1, "head", "-c", 3000000, "/dev/zero", text=False)
check(job.stdout == bytes(3000000), "three million bytes without a newline", len(job.stdout))

# What a PE wrote comes before the line about its death.
job = subprocess.run([OSHRUN, "-n", "1", "sh", "-c", "printf 'last words'; kill -9 $$"],
                     stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
check(job.stdout.startswith("last words") and "\noshrun: PE 0" in job.stdout, "last words",
      job.stdout)

# Standard input.
job = run("-l", "-n", 3, "cat", input="one\ntwo\n")
check(job.stdout == "[0] one\n[0] two\n", "standard input goes to PE 0 alone", job.stdout)
data = os.urandom(1 << 20).hex()
job = run("-n", 2, "cat", input=data)
check(job.stdout == data, "two megabytes of input arrive", len(job.stdout))

# A reader that stops after one line ends the job, as SIGPIPE would.
job = start("-n", 2, "yes")
job.stdout.readline()
job.stdout.close()
check(job.wait(10) == 141, "a reader that leaves ends the job with 141", job.returncode)

# A reader that does not read does not keep oshrun from ending a job.
job = start("-n", 2, "--timeout", "0.5", "yes")


def writers():
    return [args for parent, args in processes().values() if parent == job.pid and args == "yes"]


job.stdout.readline()  # they write, and from here on into full pipes
check(wait_until(lambda: not writers(), 10), "the time limit holds although no reader reads",
      writers())
job.communicate(timeout=10)
check(job.returncode == 124, "and the status is 124", job.returncode)

# PEs that close a stream while others start: the rest of the output comes when it is written.
job = start("-n", 12, "--timeout", 15, "sh", "-c",
            "exec 2>/dev/null; sleep 0.2; echo written; exec sleep 100")
before = time.monotonic()
lines = [job.stdout.readline() for _ in range(12)]
took = time.monotonic() - before
check(lines == ["written\n"] * 12 and took < 12, "output after a closed stream comes at once", took)
job.terminate()
job.communicate(timeout=10)

# Output that cannot be written: a line and status 1, before the PEs end and after.
LOST = "oshrun: cannot write the output of the PEs: "


def limited(nbytes):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, nbytes))


def lost(what, args, reason, out, **kwargs):
    done = subprocess.run([OSHRUN, "-n", "2", *args], stdin=subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE, text=True, timeout=20, **kwargs)
    check(done.returncode == 1 and done.stderr.count(LOST) == 1 and reason in done.stderr, what,
          done.returncode, done.stderr)


with open("/dev/full", "w") as full:
    lost("a full disk", ["echo", "x"], "No space left on device", full)
    lost("a full disk, while PEs write", ["yes"], "No space left on device; ending the job", full)
    job = subprocess.run([OSHRUN, "-n", "2", "true"], stdout=full)
    check(job.returncode == 0, "a full disk and nothing to write", job.returncode)
with open("out", "w") as out:
    lost("a file of the largest size", ["yes"], "File too large; ending the job", out,
         preexec_fn=limited(20 << 20))
check(Path("out").stat().st_size == 20 << 20, "all that fits is written")
job = subprocess.run([OSHRUN, "-n", "2", PROBE, "ok"], text=True, capture_output=True,
                     preexec_fn=limited(1 << 16))
check(job.returncode == 1 and "(ulimit -f)" in job.stderr, "no room for the job", job.stderr)

# A wrapper that does not wait for its program: a line says so. SIGPIPE ends the program.
job = run("-n", 1, "sh", "-c",
          'setsid sh -c "echo >left; while :; do sleep 0.1; echo more; done" & '
          "until test -e left; do sleep 0.02; done", timeout=60)
check(job.returncode == 0 and "PE 0 has ended, but a process that it has started" in job.stderr,
      "a wrapper that does not wait", job.returncode, job.stderr)

# A terminal: typed lines reach PE 0, a prompt without newline is shown at once.
master, slave = pty.openpty()


def become_foreground():
    os.setsid()
    import fcntl
    import termios
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


job = subprocess.Popen([OSHRUN, "-n", "2", "sh", "-c",
                        'test $OSHRUN_PE = 0 || exit 0; printf "name? "; read n; echo "hello $n"'],
                       stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       preexec_fn=become_foreground)
check(os.read(job.stdout.fileno(), 100) == b"name? ", "a prompt is shown at once")
os.write(master, b"causeway\n")
rest = job.communicate(timeout=10)[0]
check(b"hello causeway" in rest and job.returncode == 0, "a typed line reaches PE 0", rest)
finish()
