# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that live at the same time and take turns. What the machine does for some seconds, or to one
job by where its threads run, then falls on all of them."""

import contextlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time

from topologies.jobs import TIMEOUT

# seconds: PEs that were stopped fall asleep again, and have forgotten that a yield was long
SETTLE = 0.07


class Player:
    """A job of which the last PE answers lines. Its PEs are stopped between its turns."""

    def __init__(self, name, job_of, folder):
        """job_of: gives a Job by the path of the lines."""
        fifo = os.path.join(folder, name.replace(" ", "-"))
        os.mkfifo(fifo)
        # open for reading, too: the job does not read yet
        self.lines = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        self.err = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.name, self.job = name, job_of(fifo)
        self.child = subprocess.Popen(self.job.command, env=self.job.env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=self.err, text=True,
                                      start_new_session=True)

    def signal_pes(self, number):
        with open(f"/proc/{self.child.pid}/task/{self.child.pid}/children",
                  encoding="ascii") as children:
            for pid in children.read().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), number)

    def turn(self):
        """The answer to one line. Ends the program if there is none."""
        self.signal_pes(signal.SIGCONT)
        time.sleep(SETTLE)
        os.write(self.lines, b"\n")
        answered = select.select([self.child.stdout], [], [], TIMEOUT)[0]
        answer = self.child.stdout.readline() if answered else ""
        if not answer.startswith("["):
            self.err.seek(0)
            sys.exit(f"study: {self.name}: no answer: {answer}{self.err.read()}")
        self.signal_pes(signal.SIGSTOP)
        return json.loads(answer)

    def close(self):
        self.signal_pes(signal.SIGCONT)
        os.close(self.lines)
        try:
            status = self.child.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            sys.exit(f"study: {self.name}: no end after {TIMEOUT} s")
        if status != 0:
            self.err.seek(0)
            sys.exit(f"study: {self.name}: status {status}: {self.err.read()}")


def take(jobs_of, turns):
    """All times of each job by operation, from so many turns in random order. jobs_of: functions
    that give a Job by the path of its lines, by name. The first turn of each does not count."""
    times = {name: {} for name in jobs_of}
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        players = []
        for name, job_of in jobs_of.items():
            players.append(Player(name, job_of, folder))
            players[-1].turn()
        for _ in range(turns):
            for player in random.sample(players, len(players)):
                for row in player.turn():
                    key = row["name"], row["nbytes"]
                    times[player.name].setdefault(key, []).extend(row["took_us"])
        for player in players:
            player.close()
    return times
