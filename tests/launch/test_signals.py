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


TRAP = 'trap "echo got; exit 0" {}; echo ready; while :; do sleep 0.02; done'

for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2"):
    job = start("-n", 3, "sh", "-c", TRAP.format(name))
    for _ in range(3):
        job.stdout.readline()
    job.send_signal(getattr(signal, "SIG" + name))
    out, err = job.communicate(timeout=10)
    check(out.count("got") == 3 and job.returncode == 0, f"SIG{name} reaches every PE", out, err,
          job.returncode)

job = start("-n", 3, PROBE, "sleep")
pes = children_running(job, 3)
job.send_signal(signal.SIGTERM)
out, err = job.communicate(timeout=10)
check(job.returncode == 143 and "signal 15" in err, "death by a forwarded signal", job.returncode,
      err)

job = start("-n", 3, "sh", "-c", 'trap "" INT; echo ready; sleep 60; sleep 60')
for _ in range(3):
    job.stdout.readline()
job.send_signal(signal.SIGINT)
time.sleep(0.3)
check(job.poll() is None, "one SIGINT that the PEs ignore does not end the job")
before = time.monotonic()
job.send_signal(signal.SIGINT)
job.communicate(timeout=10)
check(job.returncode == 130 and time.monotonic() - before < 1, "a second SIGINT kills",
      job.returncode)

# timeout(1) sends its signal to oshrun and to the group: one signal, whose handlers get their time.
job = subprocess.run(["timeout", "1", OSHRUN, "-n", "3", "sh", "-c",
                      'trap "sleep 0.6; echo handled; exit 0" TERM; while :; do sleep 0.02; done'],
                     capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=20)
check(job.stdout.count("handled") == 3, "timeout leaves time to handlers", job.stdout, job.stderr)

# Ignored when oshrun starts (nohup): stays ignored.
job = subprocess.Popen(["sh", "-c",
                        f'trap "" HUP; exec {OSHRUN} -n 1 sh -c "echo ready; sleep 0.5; echo '
                        f'done"'],
                       stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
job.stdout.readline()
job.send_signal(signal.SIGHUP)
check(job.communicate(timeout=10)[0] == "done\n" and job.returncode == 0, "nohup holds")

# Stop and continue.
job = start("-n", 2, PROBE, "sleep", start_new_session=True)
pes = children_running(job, 2)
job.send_signal(signal.SIGTSTP)
check(wait_until(lambda: [state_of(p) for p in [job.pid, *pes]] == ["T"] * 3, 3),
      "SIGTSTP stops oshrun and the PEs",
      [state_of(p) for p in [job.pid, *pes]])
job.send_signal(signal.SIGCONT)
check(wait_until(lambda: "T" not in [state_of(p) for p in [job.pid, *pes]], 3),
      "SIGCONT resumes them")
job.terminate()
job.communicate(timeout=10)

# kill -9 of oshrun: PEs, programs under wrappers and background helpers are gone within a second.
for name, args, count in (("PEs", [PROBE, "sleep"], 4),
                          ("wrapped", ["sh", "-c", f"{PROBE} sleep; true"], 4),
                          ("helpers", ["sh", "-c", f"sleep 97 & {PROBE} sleep; true"], 4)):
    job = start("-n", count, *args)
    children_running(job, count)
    wanted = count if name == "PEs" else 2 * count if name == "wrapped" else 3 * count
    wait_until(lambda: len(descendants(job.pid)) >= wanted + 1, 5)
    family = descendants(job.pid)
    check(len(family) == wanted + 1, f"kill -9 of oshrun, {name}: all are running", len(family))
    kill_quietly(job.pid)
    check(wait_until(lambda: not alive(family), 1),
          f"kill -9 of oshrun, {name}: all are gone within a second",
          [processes().get(p) for p in alive(family)])
    job.communicate()

# Together with its guard, PEs under two wrappers: the library sees to its own end.
job = start("-n", 3, "sh", "-c", f"sh -c '{PROBE} sleep; true'; true")
for _ in range(3):
    job.stdout.readline()  # they have joined
family = descendants(job.pid)
guard = [p for p in family if processes().get(p, (0, ""))[1].startswith(OSHRUN)]
check(len(family) == 10 and len(guard) == 1, "three PEs under two shells each, and a guard", family)
kill_quietly(guard[0])
kill_quietly(job.pid)
check(wait_until(lambda: not alive(family), 5), "kill -9 of oshrun and its guard: all are gone",
      [processes().get(p) for p in alive(family)])
for pid in alive(family):
    kill_quietly(pid)
job.communicate()

# kill -9 of a PE from outside; of the guard: the job continues.
job = start("-n", 4, PROBE, "sleep")
pes = children_running(job, 4)
guard = list(descendants(job.pid) - set(pes))
check(len(pes) == 4 and len(guard) == 1, "four PEs and a guard", pes, guard)
kill_quietly(guard[0])
time.sleep(0.1)
check(job.poll() is None, "the death of the guard does not end the job")
before = time.monotonic()
kill_quietly(pes[2])
out, err = job.communicate(timeout=10)
check(job.returncode == 137 and f"pid {pes[2]}," in err and "signal 9" in err,
      "kill -9 of a PE is reported", err)
check(time.monotonic() - before < 1 and not alive(pes), "and the others are gone within a second")

# At any moment of start, exchange and end a PE or oshrun is killed; the job must end within a
# second.
dice = random.Random(7)
for number in range(40):
    job = start("-n", 6, PROBE, "stress")
    time.sleep(dice.random() * 0.08)
    family = descendants(job.pid)
    pes = [p for p in family if processes().get(p, (0, OSHRUN))[1].startswith(PROBE)]
    victim = job.pid if number % 4 == 0 or not pes else dice.choice(pes)
    kill_quietly(victim)
    try:
        job.communicate(timeout=3)
    except subprocess.TimeoutExpired:
        check(False, f"round {number}: hangs after the death of "
              f"{'oshrun' if victim == job.pid else 'a PE'}")
        job.kill()
        job.communicate()
    check(job.returncode in (0, 137, -9), f"round {number}: status", job.returncode)
    check(wait_until(lambda: not alive(family), 1), f"round {number}: all are gone", alive(family))

# Interrupted while many PEs are being started.
job = start("-n", 1000, PROBE, "sleep")
check(wait_until(lambda: len(descendants(job.pid)) > 20, 10), "PEs are being started")
before = time.monotonic()
job.send_signal(signal.SIGINT)
job.send_signal(signal.SIGTERM)
job.communicate(timeout=20)
check(job.returncode in (130, 143) and time.monotonic() - before < 5,
      "interrupted while starting 1000 PEs", job.returncode)

check(not shared_objects(), "nothing is left in /dev/shm", shared_objects())
finish()
