#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PMI-1: a server written here plays launchers of every kind, good and bad; then Hydra itself, if
it is installed."""

import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import termios
import time

from common import PROBE, check, descendants, alive, finish, kill_quietly, lines_of, wait_until
from pmi_server import Server


def good(name, want, size=4, args=("ok",), **kwargs):
    start = {k: kwargs.pop(k) for k in ("env", "per_rank") if k in kwargs}
    server = Server(size, **kwargs).start(*args, **start)
    statuses, out, err = server.finish()
    check(statuses == [0] * size and err == "", f"{name}: all end well", statuses, err)
    check(lines_of(out) == want, f"{name}: prints {want}", out)
    return server


def unread(pipe):
    """Bytes in it."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def bad(name, text, status=90, seconds=5, size=1, env=None, args=("ok",), **kwargs):
    before = time.monotonic()
    statuses, out, err = Server(size, **kwargs).start(*args, env=env).finish()
    check(all(s == status for s in statuses) and text in err,
          f"{name}: ends with {status} and says {text!r}", statuses, err)
    check(time.monotonic() - before < seconds, f"{name}: in {seconds} s")


one = "(vector,(0,1,4))"
good("one host", ["pmi1: 4 PEs, one_machine 1, node_fd no, nodes 0 0 0 0"], mapping=one)
good("two hosts", ["pmi1: 4 PEs, one_machine 0, node_fd no, nodes 0 0 1 1"],
     mapping="(vector,(0,2,2))")
good("round robin", ["pmi1: 4 PEs, one_machine 0, node_fd no, nodes 0 1 0 1"],
     mapping="(vector,(3,2,1))")
good("no mapping", ["pmi1: 4 PEs, one_machine 0, node_fd no, nodes 0 0 0 0"])
good("names", ["pmi1: 4 PEs, one_machine 1, node_fd no, nodes 0 1 1 0"], mapping=one,
     per_rank=lambda rank: {"CAUSEWAY_NODE": ["a", "b", "b", "a"][rank]})
good("one PE", ["pmi1: 1 PEs, one_machine 1, node_fd no, nodes 0"], size=1,
     mapping="(vector,(0,1,1))")
server = good("short values", [], args=("all",), vallen_max=40, mapping=one)
parts = [w["key"] for _, w in server.log if w["cmd"] == "put" and w["key"].startswith("key.1.0")]
check(len(parts) == 13, "484 characters in 13 values of at most 39", parts)
good("many rounds", [], args=("stress",), size=3, mapping="(vector,(0,1,3))")
server = good("an own mapping is one get",
              ["pmi1: 64 PEs, one_machine 1, node_fd no, nodes" + " 0" * 64], size=64,
              mapping="(vector,(0,1,64))")
gets = [w["key"] for rank, w in server.log if rank == 5 and w["cmd"] == "get"]
check(len(gets) == 4 + 4, "a PE asks for what it needs, whatever the number of PEs", gets)
server = good("no mapping, 64 PEs", ["pmi1: 64 PEs, one_machine 0, node_fd no, nodes" + " 0" * 64],
              size=64)
gets = [w["key"] for rank, w in server.log if rank == 5 and w["cmd"] == "get"]
check(len(gets) == 4 + 4 + 1, "the map of nodes is one more", gets)

reply = Server(1, mapping=one).reply
bad("launcher gone at once", "the launcher is gone", status=1, behave={"init": lambda w: None})
bad("other version", "does not speak PMI-1",
    behave={"init": lambda w: "cmd=response_to_init rc=-1 msg=version"})
bad("nonsense", "the launcher replied \"cmd=nonsense",
    behave={"get_maxes": lambda w: "cmd=nonsense rc=0"})
bad("line without end", "a line of more than", behave={"get_maxes": lambda w: "x" * 10000})
bad("no name", "no name of a key-value space",
    behave={"get_my_kvsname": lambda w: "cmd=my_kvsname"})
bad("limits", "limits are too small",
    behave={"get_maxes": lambda w: "cmd=maxes keylen_max=8 vallen_max=1024"})
bad("put refused", "refused key \"secret\"",
    behave={"put": lambda w: "cmd=put_result rc=-1 msg=full"})
bad("no reply", "did not reply in 1 s", env={"CAUSEWAY_TIMEOUT": "1"},
    behave={"get_my_kvsname": lambda w: ""})
bad("garbled value", "came back garbled", status=93, mapping=one,
    behave={"get": lambda w: "cmd=get_result rc=0 value=00zz" if w["key"].startswith("key")
            else reply(w)})
bad("value of another size", "came back garbled", status=93, mapping=one,
    behave={"get": lambda w: "cmd=get_result rc=0 value=ffff" + "0" * 100
            if w["key"].startswith("key") else reply(w)})
bad("size not set", "PMI_SIZE is \"x\"", env={"PMI_SIZE": "x"})
bad("rank out of range", "PMI_RANK is \"7\"", env={"PMI_RANK": "7"})
job = Server(1, mapping="nonsense").start("ok")
statuses, out, err = job.finish()
check(statuses == [0] and "is not understood" in err, "a mapping of nonsense is a warning", err)

server = Server(2, mapping=one)
server.arrive = lambda end: None  # a fence that never ends, and a launcher that then dies
server.start("ok")
check(wait_until(lambda: sum(w["cmd"] == "barrier_in" for _, w in server.log) == 2, 20),
      "both are in the fence")
for end in server.ends:
    end.shutdown(socket.SHUT_RDWR)
statuses, out, err = server.finish()
check(statuses == [1, 1] and err.count("the launcher is gone") == 2, "launcher gone in a fence",
      statuses, err)

server = Server(2, mapping=one)
server.arrive = lambda end: None
statuses, out, err = server.start("ok", env={"CAUSEWAY_TIMEOUT": "1"}).finish()
check(statuses == [91, 91] and "not all PEs reached the start-up fence in 1 s" in err,
      "fence time-out", statuses, err)

server = Server(1, mapping="(vector,(0,1,1))").start("abort", 0, 9)
wait_until(lambda: any(w["cmd"] == "abort" for _, w in server.log), 20)
aborts = [w for _, w in server.log if w["cmd"] == "abort"]
check(aborts == [{"cmd": "abort", "exitcode": "9"}], "abort passes the status", server.log[-1:])
server.ends[0].shutdown(socket.SHUT_RDWR)
check(server.finish()[0] == [9], "and the process ends with it")

# What it has written is read first, for Hydra drops it behind "abort"; a second is waited for that.
aborted = []
server = Server(1, mapping="(vector,(0,1,1))", program="sh",
                behave={"abort": lambda w: aborted.append(time.monotonic())})
server.start("-c", f"echo last words >&2; exec {PROBE} abort 0 9")
stderr = server.jobs[0].stderr.fileno()
check(wait_until(lambda: unread(stderr) > 0, 20), "an abort with something written")
written = time.monotonic()
time.sleep(0.2)
reads = time.monotonic()
while not aborted and time.monotonic() < reads + 20:
    if unread(stderr) > 0:
        os.read(stderr, 65536)
    time.sleep(0.001)
check(aborted and (aborted[0] > reads or aborted[0] > written + 1), "abort follows its reader",
      written, reads, aborted)
server.jobs[0].wait()

job = subprocess.run([PROBE, "ok"], env=dict(os.environ, PMI_FD="77", PMI_RANK="0", PMI_SIZE="4"),
                     capture_output=True, text=True)
check(job.stdout.startswith("single: 1 PEs"), "PMI_FD that is not open: a program on its own",
      job.stdout, job.stderr)

# ---------------------------------------------------------------- Hydra
if not shutil.which("mpiexec.hydra"):
    print("mpiexec.hydra (Debian: mpich) is not installed: its part is left out")
    finish()


def hydra(*words, timeout=30):
    return subprocess.run(["mpiexec.hydra", *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout)


job = hydra("-n", 4, PROBE, "ok")
check((job.returncode,
       job.stdout) == (0, "pmi1: 4 PEs, one_machine 1, node_fd no, nodes 0 0 0 0\n"),
      "Hydra, 4 PEs", job.stdout, job.stderr)
job = hydra("-n", 4, PROBE, "all")
check(job.returncode == 0, "Hydra, all keys", job.stdout, job.stderr)
job = hydra("-n", 3, PROBE, "stress")
check(job.returncode == 0, "Hydra, many rounds", job.stdout, job.stderr)
for status in (0, 7):
    check(hydra("-n", 3, PROBE, "abort", 1, status).returncode == status,
          f"Hydra, abort with {status}")
check(hydra("-n", 3, PROBE, "signal", 1, signal.SIGKILL).returncode != 0, "Hydra, a killed PE")
job = hydra("-n", 4, "sh", "-c", f"CAUSEWAY_NODE=n$((PMI_RANK % 2)) exec {PROBE} ok")
check(job.stdout == "pmi1: 4 PEs, one_machine 1, node_fd no, nodes 0 1 0 1\n",
      "Hydra, nodes by name", job.stdout, job.stderr)
job = hydra("-n", 2, PROBE, "late", 0, 1)
check(job.returncode == 0, "Hydra, a late PE", job.stderr)

job = subprocess.Popen(["mpiexec.hydra", "-n", "4", PROBE, "sleep"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
check(wait_until(lambda: len(descendants(job.pid)) >= 5, 20), "Hydra, sleepers are running")
family = descendants(job.pid)
kill_quietly(job.pid)
job.wait()
check(wait_until(lambda: not alive(family), 20), "Hydra, kill -9 of mpiexec ends the PEs",
      alive(family))
for pid in alive(family):
    kill_quietly(pid)
finish()
