# SPDX-License-Identifier: BSD-3-Clause
"""A PMI-1 launcher for tests: it starts processes, replies as its test says, and takes no notice of
their ends."""

import itertools
import os
import socket
import subprocess
import threading

from common import PROBE

NUMBERS = itertools.count()  # jobs of one name would be one job


class Server:
    """Speaks PMI-1 with `size` processes over socket pairs. `behave` changes single replies:
    {command: function}."""

    def __init__(self, size, vallen_max=1024, mapping=None, behave=None, program=PROBE):
        self.size, self.vallen_max, self.behave = size, vallen_max, behave or {}
        self.program, self.name = program, f"kvs_test/{os.getpid()}.{next(NUMBERS)}"
        self.keys = {} if mapping is None else {"PMI_process_mapping": mapping}
        self.lock = threading.Lock()
        self.waiting, self.log = [], []
        self.ends, self.jobs = [], []

    def start(self, *args, env=None, per_rank=None):
        for rank in range(self.size):
            own, other = socket.socketpair()
            full = {**os.environ, "PMI_FD": str(other.fileno()), "PMI_RANK": str(rank),
                    "PMI_SIZE": str(self.size),
                    **(env or {}), **(per_rank(rank) if per_rank else {})}
            self.jobs.append(subprocess.Popen([self.program, *map(str, args)], env=full,
                                              pass_fds=[other.fileno()],
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                              text=True))
            other.close()
            self.ends.append(own)
            threading.Thread(target=self.serve, args=(rank, own), daemon=True).start()
        return self

    def finish(self, timeout=20):
        """Exit statuses, and all of stdout and of stderr."""
        outs = [job.communicate(timeout=timeout) for job in self.jobs]
        for end in self.ends:
            end.close()
        return [job.returncode
                for job in self.jobs], "".join(o for o, _ in outs), "".join(e for _, e in outs)

    def serve(self, rank, end):
        try:
            for line in end.makefile("r"):
                words = dict(word.split("=", 1) for word in line.split())
                self.log.append((rank, words))
                reply = self.behave.get(words["cmd"], self.reply)(words)
                if words["cmd"] == "barrier_in":
                    self.arrive(end)
                elif reply is None:
                    end.shutdown(socket.SHUT_RDWR)
                elif reply:
                    # In two pieces: a reader must not take a piece for a line.
                    data = (reply + "\n").encode()
                    end.sendall(data[:5])
                    end.sendall(data[5:])
        except OSError:
            pass

    def arrive(self, end):
        with self.lock:
            self.waiting.append(end)
            if len(self.waiting) == self.size:
                for waiter in self.waiting:
                    waiter.sendall(b"cmd=barrier_out\n")
                self.waiting = []

    def reply(self, words):
        command = words["cmd"]
        if command == "init":
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
        if command == "get_maxes":
            return f"cmd=maxes kvsname_max=256 keylen_max=64 vallen_max={self.vallen_max}"
        if command == "get_my_kvsname":
            return f"cmd=my_kvsname kvsname={self.name}"
        if command == "put":
            if len(words["value"]) >= self.vallen_max or len(words["key"]) >= 64:
                return "cmd=put_result rc=-1 msg=too_long"
            with self.lock:
                self.keys[words["key"]] = words["value"]
            return "cmd=put_result rc=0 msg=success"
        if command == "get":
            with self.lock:
                value = self.keys.get(words["key"])
            if value is None:
                return "cmd=get_result rc=-1 msg=no_such_key value=unknown"
            return f"cmd=get_result rc=0 msg=success value={value}"
        if command == "finalize":
            return "cmd=finalize_ack"
        return ""
