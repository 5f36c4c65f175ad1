# SPDX-License-Identifier: BSD-3-Clause
"""Halts of the whole machine, as a hypervisor makes them for tens of seconds: a thread that only
sleeps notes where the clock jumps. Load delays a sleeper by fractions of a second."""

import threading
import time

LEAST = 3.0  # seconds that count as a halt
TICK = 0.1


class Halts:
    def __init__(self):
        self.found = []  # (begin, end), of time.monotonic()
        self.looked = time.monotonic()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            time.sleep(TICK)
            now = time.monotonic()
            if now - self.looked > LEAST:
                self.found.append((self.looked, now))
            self.looked = now

    def seconds(self, begin, end):
        """How long the machine stood still between these two times."""
        while self.looked < end:  # a halt that has just ended is not noted yet
            time.sleep(TICK)
        return sum(max(0.0, min(end, b) - max(begin, a)) for a, b in self.found)
