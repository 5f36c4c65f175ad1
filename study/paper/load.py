# SPDX-License-Identifier: BSD-3-Clause
"""What others do on the machine meanwhile: the share of the processors that processes took which
this one has not started."""

import contextlib
import os
import resource
import subprocess
import time


def average():
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return float(file.read().split()[0])
    except OSError:
        return None


KTHREADD = 2  # the parent of the kernel's threads, and its number


def _kernel():
    """Clock ticks of the kernel's threads."""
    ticks = 0
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(entry)}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (ValueError, OSError):  # of no process, or of one that has ended
            continue
        if KTHREADD in (int(entry), int(fields[1])):
            ticks += int(fields[11]) + int(fields[12])
    return ticks


def _busy():
    """Seconds that all processors have spent in processes. What interrupts and the kernel's threads
    took belongs to none: where thousands start and end, they look after the memory of these."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, _, _, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + steal - _kernel()) / os.sysconf("SC_CLK_TCK")


def _own():
    """Of this process and all that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Meter:
    """From its making on."""

    def __init__(self):
        self.start, self.busy, self.own = time.monotonic(), _busy(), _own()

    def seconds(self):
        return time.monotonic() - self.start

    def foreign(self):
        """Of all processors, from 0 to 1."""
        others = (_busy() - self.busy) - (_own() - self.own)
        share = others / (self.seconds() * os.cpu_count() + 1e-9)
        return min(1.0, max(0.0, share))  # ticks of kernel threads that end are counted as others'


@contextlib.contextmanager
def loops(count):
    """Processes that compute and call nothing."""
    running = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for child in running:
            child.kill()
            child.wait()
