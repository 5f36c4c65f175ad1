#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What each PE does is printed before a job is ended, by a signal or the time limit, and on request
by oshrun --report and SIGURG; equal PEs are one line."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from frame.script import SLOW, STAGE, TESTS, check, finish, oshcc

OSHRUN = str(STAGE / "bin/oshrun")
BARRIER = (r"PEs 0, 4, 5: in shmem_barrier_all, called from main\+0x\w+ \(report\.c:\d+\), for "
           r"\d+( to \d+)? s: synchronisation 2 of all PEs$")
LINES = [BARRIER, r"PE 1: outside of the library, in \w+\+0x\w+ \(report\.c:\d+\)$",
         r"PE 2: in shmem_int_wait_until, called from main\+0x\w+ \(report\.c:\d+\), for \d+ s: "
         r"flag is 0$", r"PE 3: outside of the library, in main\+0x\w+ \(report\.c:\d+\)$"]


def start(*command):
    """The job, in the state that is to be reported: PE 0 says that it has come there."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = job.stdout.readline()
    check(line == "ready\n", f"{command}: '{line}'")
    time.sleep(0.5)  # a PE that has not come into its wait yet is asked again by `ask`
    return job


def start_limited(*command):
    """As `start`, with a time limit, which grows until a loaded machine meets it."""
    for seconds in (1, 4, 16):
        job = subprocess.Popen([OSHRUN, "-t", str(seconds), *command], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        line = job.stdout.readline()
        if line == "ready\n":
            break
        job.communicate(timeout=30 * SLOW)
    check(line == "ready\n", f"{command}: '{line}'")
    return job


def end(job, what, status):
    try:
        output = job.communicate(timeout=30 * SLOW)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        output = job.communicate()[0]
        check(False, f"{what}: hangs")
    check(job.returncode == status, f"{what}: status {job.returncode}, not {status}\n{output}")
    return output


def check_lines(what, output, prefix="oshrun: ", lines=tuple(LINES)):
    for line in lines:
        check(re.search("^" + prefix + line, output, re.M), f"{what}: no '{line}' in\n{output}")


def ask(job, complete):
    """Reports until one is complete: a PE on a loaded machine may need long to its wait."""
    output = ""
    for _ in range(100):
        done = subprocess.run([OSHRUN, "--report", str(job.pid)], capture_output=True, text=True,
                              timeout=30 * SLOW, check=False)
        output = done.stdout + done.stderr
        if done.returncode == 0 and all(re.search(line, output, re.M) for line in complete):
            return output
        time.sleep(0.1)
    return output


def check_signals():
    for number, nodes in ((signal.SIGINT, 1), (signal.SIGQUIT, 2)):
        job = start(OSHRUN, "-n", "6", "--emulate-nodes", str(nodes), "./report")
        check_lines(f"--report, {nodes} nodes", ask(job, LINES))
        job.send_signal(number)
        output = end(job, number.name, 128 + number)
        check_lines(number.name, output)
        check(output.count("synchronisation 2") == 1, f"{number.name}: not merged\n{output}")


def check_apart():
    """PEs under a wrapper that gives them sessions of their own."""
    job = start(OSHRUN, "-n", "6", "setsid", "--wait", "./report")
    check_lines("in sessions", ask(job, LINES))
    job.send_signal(signal.SIGTERM)
    end(job, "in sessions", 143)


def check_twice():
    """A PE that does not reply delays the first signal, not the second one."""
    job = start(OSHRUN, "-n", "6", "./report")
    pids = subprocess.run(["pgrep", "-P", str(job.pid), "-x", "report"], text=True,
                          capture_output=True, check=False).stdout.split()
    check(len(pids) == 6, f"PEs: {pids}")
    for pid in pids:
        os.kill(int(pid), signal.SIGSTOP)
    for _ in range(100 * SLOW):
        job.send_signal(signal.SIGINT)
        time.sleep(0.15)  # two within a tenth of a second, or before oshrun runs, count as one
        if job.poll() is not None:
            break
    output = end(job, "twice", 130)
    check("does not reply" not in output, output)


def check_asleep():
    """The question ends a sleep; the program goes on only after the signal that follows."""
    for _ in range(5):
        for what, number in (("SIGTERM", 143), ("SIGINT", 130), ("limit", 124)):
            if number > 128:
                job = start(OSHRUN, "-n", "4", "./asleep")
                job.send_signal(number - 128)
            else:
                job = start_limited("-n", "4", "./asleep")
            output = end(job, f"asleep, {what}", number)
            check("goes on" not in output, f"asleep, {what}:\n{output}")
        job = start(OSHRUN, "-n", "4", "./asleep", "handled")
        job.send_signal(signal.SIGTERM)
        output = end(job, "asleep, handled", 0)
        check(output.count("after the signal") == 4, f"asleep, handled:\n{output}")


def check_limit_and_silence():
    job = start(OSHRUN, "-n", "6", "-t", "4", "./report")
    os.kill(int(subprocess.run(["pgrep", "-P", str(job.pid), "-x", "report"], text=True,
                               capture_output=True, check=False).stdout.split()[4]), signal.SIGSTOP)
    output = end(job, "limit", 124)
    check_lines("limit", output, lines=[r"the time limit of 4 s is over; ending the job$",
                                        r"PE \d: stopped \(SIGSTOP\)$"])
    job = start(OSHRUN, "-n", "3", "-x", "CAUSEWAY_BACKTRACE=0", "./report")
    output = ask(job, [r"PEs 0-2: joining the job, or without a handler \(CAUSEWAY_BACKTRACE=0\)$"])
    check_lines("silence", output, lines=[r"PEs 0-2: joining the job, or without a handler"])
    job.send_signal(signal.SIGTERM)
    check("PE" not in end(job, "no handler", 143).replace("all PEs", ""), "asked in vain")
    done = subprocess.run([OSHRUN, "--report", str(os.getpid())], capture_output=True, text=True,
                          check=False)
    check(done.returncode == 1 and "is of no job of an oshrun" in done.stderr, str(done))
    done = subprocess.run([OSHRUN, "--report", "job"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "expected the process number" in done.stderr, str(done))


def check_late():
    """A PE that joins after the question is asked, too."""
    job = start(OSHRUN, "-n", "2", "./report", "late")
    state = Path("/proc") / Path("late.pid").read_text().strip() / "stat"
    for _ in range(1000 * SLOW):
        if state.read_text().rpartition(") ")[2][0] == "T":
            break
        time.sleep(0.02)
    done = subprocess.run([OSHRUN, "--report", str(job.pid)], capture_output=True, text=True,
                          timeout=30 * SLOW, check=False)
    job.send_signal(signal.SIGTERM)
    end(job, "late", 143)
    check_lines("late", done.stderr, lines=[r"PE 0: stopped \(SIGSTOP\)$", r"PE 1: \w"])


def check_ended():
    """A program whose sleep ends by the question, and which ends then, has replied."""
    job = start(OSHRUN, "-n", "4", "./report", "short")
    done = subprocess.run([OSHRUN, "--report", str(job.pid)], capture_output=True, text=True,
                          timeout=30 * SLOW, check=False)
    job.send_signal(signal.SIGKILL)  # where the question came before the sleep
    job.communicate(timeout=30 * SLOW)
    check(done.returncode == 0 and not re.search("has (ended|finalized)", done.stderr),
          f"ended:\n{done.stderr}")


def check_small_stack():
    """A question harms no program whose alternate stack is too small for the reply."""
    job = start(OSHRUN, "-n", "6", "./small_stack")
    check_lines("small alternate stack", ask(job, LINES))
    job.send_signal(signal.SIGTERM)
    end(job, "small alternate stack", 143)


def check_replaced():
    """The names of a program that has been compiled anew, and lay deep in folders."""
    folder = Path(200 * "d") / (200 * "d")
    folder.mkdir(parents=True)
    program = folder / "report"
    shutil.copy("report", program)
    job = start(OSHRUN, "-n", "6", program)
    program.unlink()
    check_lines("replaced", ask(job, LINES))
    job.send_signal(signal.SIGTERM)
    end(job, "replaced", 143)


def check_hydra():
    """By the signal that the launcher passes on: PE 0's node prints for all."""
    job = start("mpiexec.hydra", "-n", "6", "env", "CAUSEWAY_REPORT_SIGNAL=USR1", "./report")
    for _ in range(4 * SLOW):  # the first may come before the waits on a loaded machine
        job.send_signal(signal.SIGUSR1)
        time.sleep(1.1)  # a round of replies
    job.send_signal(signal.SIGTERM)
    check_lines("hydra", job.communicate(timeout=30 * SLOW)[0], prefix="causeway: report: ")
    # Ctrl-C, by which the PEs end: none before the report, for Hydra kills all others then. It can
    # be asked once only: one of five jobs must have come into its waits by then.
    prefix = "causeway: report: "
    for _ in range(5):
        job = start("mpiexec.hydra", "-n", "6", "env", "CAUSEWAY_REPORT_SIGNAL=INT", "./report")
        job.send_signal(signal.SIGINT)
        output = job.communicate(timeout=30 * SLOW)[0]
        if all(re.search("^" + prefix + line, output, re.M) for line in LINES):
            break
    check_lines("hydra, Ctrl-C", output, prefix=prefix)


def check_gasnet():
    """Macros have their names, and a return from main is no computing."""
    lines = [r"PE 0: at the begin or the end of the process, in \w+",
             r"PEs 1, 2: in GASNET_BLOCKUNTIL, called from main\+0x\w+ \(report_gasnet\.c:\d+\)"]
    job = start(OSHRUN, "-n", "3", "./report_gasnet")
    check_lines("gasnet", ask(job, lines), lines=lines)
    job.send_signal(signal.SIGINT)
    end(job, "gasnet", 130)


def main():
    oshcc("report", "-O1", TESTS / "launch/report.c")
    oshcc("small_stack", "-O1", "-DSMALL_STACK", TESTS / "launch/report.c")
    oshcc("asleep", "-O1", TESTS / "launch/asleep.c")
    oshcc("report_gasnet", "-O1", "-DGASNET_SEQ", TESTS / "launch/report_gasnet.c")
    check_gasnet()
    check_late()
    check_ended()
    check_small_stack()
    check_replaced()
    check_signals()
    check_apart()
    check_twice()
    check_asleep()
    check_limit_and_silence()
    if shutil.which("mpiexec.hydra"):
        check_hydra()
    finish("reports")


if __name__ == "__main__":
    main()
