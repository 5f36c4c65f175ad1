#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job across hosts made of namespaces: hosts.py --hosts 2 --ppn 2 -- prog args…

Each host has its own network with one private address, host name, /dev/shm, and process numbers;
all are connected to one bridge, whose namespace is not part of the machine's network either.
mpiexec.hydra starts the job.

Nothing has a name outside: every namespace lives as long as its processes, and the processes as
long as this one (PR_SET_PDEATHSIG, and a process namespace whose first process is killed takes all
others with it). So nothing is left behind, however this script ends, and any number of runs may go
in parallel.

Needs root (or unprivileged user namespaces), ip, nsenter and mpiexec.hydra; otherwise prints SKIP
and exits with 77. The exit status is the job's; 124 when --timeout ended it.
"""

import argparse
import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

SWITCH = "br0"
NETWORK = "10.77.0"

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 0x4000, 0x40000, 2, 4
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


class Impossible(Exception):
    """This machine, or this user, cannot create hosts."""


def call(name, *args):
    if getattr(libc, name)(*args) != 0:
        raise Impossible(f"{name}: {os.strerror(ctypes.get_errno())}")


def unshare(flags):
    call("unshare", ctypes.c_int(flags))


def mount(source, target, kind, flags):
    call("mount", source.encode(), target.encode(), kind.encode() if kind else None,
         ctypes.c_ulong(flags), None)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Impossible(f"{shlex.join(words)}: {done.stderr.strip() or done.returncode}")


def set_host_name(name):
    call("sethostname", name.encode(), ctypes.c_size_t(len(name)))


def become_first_process():
    """Runs in a fresh mount and process namespace: private mounts, own /proc and /dev/shm; dies
    with the parent."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV)


# ---------------------------------------------------------------- how Hydra reaches a host
def write_launcher(holders):
    """Writes a script with the interface of ssh: [-x …] ADDRESS words of one shell command. It is
    in the switch's own /dev/shm."""
    path = "/dev/shm/enter-host"
    cases = "\n".join(f"{address}) pid={pid} ;;" for address, pid in holders.items())
    with open(path, "w", encoding="ascii") as file:
        file.write(f'''#!/bin/sh
while :; do case $1 in -*) shift ;; *) break ;; esac; done
case $1 in
{cases}
*) echo "no host $1" >&2; exit 1 ;;
esac
shift
exec nsenter -t $pid -n -u -i -m -p -- sh -c "$*"
''')
    os.chmod(path, 0o755)
    return path


# ---------------------------------------------------------------- hosts
def make_host(number):
    """Starts the first process of a host; returns its pid. Host 1 is .1, and so on."""
    ready_r, ready_w = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        try:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS | CLONE_NEWPID)
            pid = os.fork()
            if pid == 0:
                become_first_process()
                set_host_name(f"host{number}")
                run("ip", "link", "set", "lo", "up")
                os.write(ready_w, b"+")
                # Adopts orphans of the job.
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
                while True:
                    signal.pause()
            os.write(ready_w, b"%d " % pid)
            os.waitpid(pid, 0)
        except (Impossible, OSError) as error:
            os.write(ready_w, f"!{error}".encode())
        os._exit(1)
    os.close(ready_w)
    said = b""
    while not ("+" in said.decode() and " " in said.decode()):
        piece = os.read(ready_r, 4096)
        said += piece
        if not piece or b"!" in said:
            raise Impossible(f"host {number}: {said.decode().partition('!')[2] or 'did not start'}")
    os.close(ready_r)
    return int(said.replace(b"+", b"").split()[0])


def connect_host(number, pid):
    run("ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", "eth0", "netns",
        str(pid))
    run("ip", "link", "set", f"to{number}", "master", SWITCH, "up")
    inside = ["nsenter", "-t", str(pid), "-n", "ip"]
    run(*inside, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
    run(*inside, "link", "set", "eth0", "up")


def make_hosts(count):
    set_host_name("switch")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", SWITCH, "type", "bridge")
    run("ip", "addr", "add", f"{NETWORK}.254/24", "dev", SWITCH)
    run("ip", "link", "set", SWITCH, "up")
    holders = {}
    for number in range(1, count + 1):
        pid = make_host(number)
        connect_host(number, pid)
        holders[f"{NETWORK}.{number}"] = pid
    return holders


def cut_links(path, count):
    """When `path` appears: cuts the hosts from each other, so that their packets are dropped; the
    launcher still reaches all of them. Then creates path.cut, or path.kept with the reason."""
    while not os.path.exists(path):
        time.sleep(0.01)
    try:
        for number in range(1, count + 1):
            run("ip", "link", "set", f"to{number}", "type", "bridge_slave", "isolated", "on")
        said, name = "", ".cut"
    except Impossible as error:
        said, name = str(error), ".kept"
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(said)
    os.rename(path + ".new", path + name)


def run_job(options, holders):
    if options.cut_at:
        threading.Thread(target=cut_links, args=(options.cut_at, len(holders)), daemon=True).start()
    npes = options.n or len(holders) * options.ppn
    words = ["mpiexec.hydra", "-iface", SWITCH, "-launcher", "ssh", "-launcher-exec",
             write_launcher(holders),
             "-hosts", ",".join(f"{address}:{options.ppn}" for address in holders), "-ppn",
             str(options.ppn),
             "-n", str(npes)]
    if options.label:
        words.append("-prepend-rank")
    for setting in options.env:
        name, _, value = setting.partition("=")
        words += ["-genv", name, value]
    job = subprocess.Popen(words + options.command)
    while True:  # the first process of a namespace also reaps orphans
        pid, status = os.wait()
        if pid == job.pid:
            tell_what_is_left(os.path.basename(options.program or options.command[0]))
            return os.waitstatus_to_exitcode(status)


def tell_what_is_left(program):
    """The job is over: a process of it that still lives two seconds later was left behind. The end
    of its host ends it."""
    end = time.monotonic() + 2
    while True:
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                    name, _, rest = file.read().partition("(")[2].rpartition(")")
            except OSError:
                continue
            if name == program[:15] and rest.split()[0] not in "ZX":
                left.append(int(pid))
        if not left or time.monotonic() > end:
            break
        time.sleep(0.02)
    if left:
        print(f"hosts.py: processes of {program} are left: {left}", file=sys.stderr, flush=True)


def inside(options):
    """First process of the outer namespace: the switch. When it ends, everything ends."""
    try:
        become_first_process()
        holders = make_hosts(options.hosts)
    except (Impossible, OSError) as error:
        print(f"SKIP: cannot make hosts: {error}", flush=True)
        return 77
    status = run_job(options, holders)
    return status if status >= 0 else 128 - status


# ---------------------------------------------------------------- outside
def become_root():
    """A user without privileges becomes root in a user namespace, where the system allows that."""
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Run a job across hosts made of namespaces.")
    parser.add_argument("--hosts", type=int, default=2, choices=range(1, 65), metavar="H")
    parser.add_argument("--ppn", type=int, default=1, metavar="K", help="PEs of a host (default 1)")
    parser.add_argument("-n", type=int, metavar="N", help="PEs (default: hosts times K)")
    parser.add_argument("--env", action="append", default=[], metavar="VAR=VALUE",
                        help="set a variable for the PEs")
    parser.add_argument("--label", action="store_true", help="begin each line of output with [pe]")
    parser.add_argument("--timeout", type=float, metavar="S",
                        help="end the job after S seconds with status 124")
    parser.add_argument("--cut-at", metavar="FILE",
                        help="drop all between the hosts once FILE exists, then make FILE.cut")
    parser.add_argument("--program", metavar="NAME",
                        help="what nothing may be left of, if it is not the command itself")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- program [arguments]")
    options = parser.parse_args()
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        parser.error("no program given")
    return options


def check_means():
    missing = [program for program in ("ip", "nsenter", "mpiexec.hydra")
               if not shutil.which(program)]
    if missing:
        raise Impossible(f"{', '.join(missing)} not found (Debian: iproute2, util-linux, mpich)")
    if not sys.platform.startswith("linux"):
        raise Impossible("namespaces exist on Linux only")


def supervise(child, timeout):
    """Waits for the switch; a signal or the time limit kills it, and everything with it."""
    why = []

    def end(signo, _frame):
        why.append(signo)
        os.kill(child, signal.SIGKILL)

    for signo in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM):
        signal.signal(signo, end)
    if timeout:
        signal.setitimer(signal.ITIMER_REAL, timeout)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not why:
        return status if status >= 0 else 128 - status
    if why[0] == signal.SIGALRM:
        print(f"hosts.py: the time limit of {timeout:g} s is over", file=sys.stderr)
        return 124
    return 128 + why[0]


def main():
    options = parse_arguments()
    try:
        check_means()
        if os.geteuid() != 0:
            become_root()
        unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS | CLONE_NEWPID)
    except (Impossible, OSError) as error:
        print(f"SKIP: cannot make hosts: {error}")
        return 77
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = inside(options)
        finally:
            sys.stdout.flush()
            os._exit(status)
    return supervise(child, options.timeout)


if __name__ == "__main__":
    sys.exit(main())
