#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Signals through oshrun; kill -9 of oshrun, of a PE; nothing is left behind."""

import random
import signal
import subprocess
import time
from pathlib import Path

from common import (OSHRUN, PROBE, alive, check, children_running, descendants, finish,
                    kill_quietly, processes, shared_objects, start, wait_until)


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


LIMIT = 60  # of waits that end with an event: keeps a hang from lasting for ever


def in_time(what, attempt, seconds=1):
    """attempt returns what it took. The time is that of the fastest of five: a machine under load
    is late now and then, what waits for something is late each time. Everything else must be right
    in every attempt."""
    for _ in range(5):
        took = attempt()
        if took < seconds:
            return
        print(f"{what}: took {took:.1f} s", flush=True)
    check(False, f"{what}: within {seconds} s", took)


def until_gone(what, family, before):
    """Waits for the end of the processes; the time since then."""
    check(wait_until(lambda: not alive(family), LIMIT), f"{what}: all are gone",
          [processes().get(p) for p in alive(family)])
    return time.monotonic() - before


TRAP = 'trap "echo got; exit 0" {}; echo ready; while :; do sleep 0.02; done'

for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2"):
    job = start("-n", 3, "sh", "-c", TRAP.format(name))
    for _ in range(3):
        job.stdout.readline()
    job.send_signal(getattr(signal, "SIG" + name))
    out, err = job.communicate(timeout=LIMIT)
    check(out.count("got") == 3 and job.returncode == 0, f"SIG{name} reaches every PE", out, err,
          job.returncode)

job = start("-n", 3, PROBE, "sleep")
pes = children_running(job, 3)
job.send_signal(signal.SIGTERM)
out, err = job.communicate(timeout=LIMIT)
check(job.returncode == 143 and "signal 15" in err, "death by a forwarded signal", job.returncode,
      err)

def second_interrupt():
    job = start("-n", 3, "sh", "-c", 'trap "" INT; echo ready; sleep 60; sleep 60')
    for _ in range(3):
        job.stdout.readline()
    job.send_signal(signal.SIGINT)
    time.sleep(0.3)
    check(job.poll() is None, "one SIGINT that the PEs ignore does not end the job")
    before = time.monotonic()
    job.send_signal(signal.SIGINT)
    job.communicate(timeout=LIMIT)
    check(job.returncode == 130, "a second SIGINT kills", job.returncode)
    return time.monotonic() - before


in_time("a second SIGINT kills", second_interrupt)

# timeout(1) sends its signal to oshrun and to the group, whether its time is over or it gets one:
# one signal, whose handlers get their time.
job = subprocess.Popen(["timeout", "100", OSHRUN, "-n", "3", "sh", "-c",
                        'trap "sleep 0.6; echo handled; exit 0" TERM; echo ready; '
                        'while :; do sleep 0.02; done'],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                       text=True)
for _ in range(3):
    job.stdout.readline()
job.send_signal(signal.SIGTERM)
out, err = job.communicate(timeout=LIMIT)
check(out.count("handled") == 3, "timeout leaves time to handlers", out, err)

# Ignored when oshrun starts (nohup): stays ignored.
job = subprocess.Popen(["sh", "-c",
                        f'trap "" HUP; exec {OSHRUN} -n 1 sh -c "echo ready; sleep 0.5; echo '
                        f'done"'],
                       stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
job.stdout.readline()
job.send_signal(signal.SIGHUP)
check(job.communicate(timeout=LIMIT)[0] == "done\n" and job.returncode == 0, "nohup holds")

# Stop and continue.
job = start("-n", 2, PROBE, "sleep", start_new_session=True)
pes = children_running(job, 2)
job.send_signal(signal.SIGTSTP)
check(wait_until(lambda: [state_of(p) for p in [job.pid, *pes]] == ["T"] * 3, LIMIT),
      "SIGTSTP stops oshrun and the PEs",
      [state_of(p) for p in [job.pid, *pes]])
job.send_signal(signal.SIGCONT)
check(wait_until(lambda: "T" not in [state_of(p) for p in [job.pid, *pes]], LIMIT),
      "SIGCONT resumes them")
job.terminate()
job.communicate(timeout=LIMIT)

# kill -9 of oshrun: PEs, programs under wrappers and background helpers are gone within a second.
for name, args, count in (("PEs", [PROBE, "sleep"], 4),
                          ("wrapped", ["sh", "-c", f"{PROBE} sleep; true"], 4),
                          ("helpers", ["sh", "-c", f"sleep 97 & {PROBE} sleep; true"], 4)):
    def killed():
        job = start("-n", count, *args)
        children_running(job, count)
        wanted = count if name == "PEs" else 2 * count if name == "wrapped" else 3 * count
        wait_until(lambda: len(descendants(job.pid)) >= wanted + 1, LIMIT)
        family = descendants(job.pid)
        check(len(family) == wanted + 1, f"kill -9 of oshrun, {name}: all are running", len(family))
        before = time.monotonic()
        kill_quietly(job.pid)
        took = until_gone(f"kill -9 of oshrun, {name}", family, before)
        job.communicate()
        return took

    in_time(f"kill -9 of oshrun, {name}: all are gone", killed)

# Together with its guard, PEs under two wrappers: the library sees to its own end.
job = start("-n", 3, "sh", "-c", f"sh -c '{PROBE} sleep; true'; true")
for _ in range(3):
    job.stdout.readline()  # they have joined
family = descendants(job.pid)
guard = [p for p in family if processes().get(p, (0, ""))[1].startswith(OSHRUN)]
check(len(family) == 10 and len(guard) == 1, "three PEs under two shells each, and a guard", family)
kill_quietly(guard[0])
kill_quietly(job.pid)
until_gone("kill -9 of oshrun and its guard", family, 0)
for pid in alive(family):
    kill_quietly(pid)
job.communicate()

# kill -9 of a PE from outside; of the guard: the job continues.
def killed_pe():
    job = start("-n", 4, PROBE, "sleep")
    pes = children_running(job, 4)
    guard = list(descendants(job.pid) - set(pes))
    check(len(pes) == 4 and len(guard) == 1, "four PEs and a guard", pes, guard)
    kill_quietly(guard[0])
    time.sleep(0.1)
    check(job.poll() is None, "the death of the guard does not end the job")
    before = time.monotonic()
    kill_quietly(pes[2])
    out, err = job.communicate(timeout=LIMIT)
    check(job.returncode == 137 and f"pid {pes[2]}," in err and "signal 9" in err,
          "kill -9 of a PE is reported", err)
    return until_gone("kill -9 of a PE", pes, before)


in_time("kill -9 of a PE: the others are gone", killed_pe)

# At any moment of start, exchange and end a PE or oshrun is killed; the job must end within a
# second.
dice = random.Random(7)
for number in range(40):
    moment = dice.random() * 0.08

    def killed_at():
        job = start("-n", 6, PROBE, "stress")
        time.sleep(moment)
        family = descendants(job.pid)
        pes = [p for p in family if processes().get(p, (0, OSHRUN))[1].startswith(PROBE)]
        victim = job.pid if number % 4 == 0 or not pes else dice.choice(pes)
        before = time.monotonic()
        kill_quietly(victim)
        try:
            job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            check(False, f"round {number}: hangs after the death of "
                  f"{'oshrun' if victim == job.pid else 'a PE'}")
            job.kill()
            job.communicate()
        check(job.returncode in (0, 137, -9), f"round {number}: status", job.returncode)
        return until_gone(f"round {number}", family, before)

    in_time(f"round {number}", killed_at)


# Interrupted while many PEs are being started.
def interrupted():
    job = start("-n", 1000, PROBE, "sleep")
    check(wait_until(lambda: len(descendants(job.pid)) > 20, LIMIT), "PEs are being started")
    before = time.monotonic()
    job.send_signal(signal.SIGINT)
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=LIMIT)
    check(job.returncode in (130, 143), "interrupted while starting 1000 PEs", job.returncode)
    return time.monotonic() - before


in_time("interrupted while starting 1000 PEs", interrupted, 5)

check(not shared_objects(), "nothing is left in /dev/shm", shared_objects())
finish()
