#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of two hosts whose interfaces are not only the one between them: bridges with the same
address on both, networks that lead nowhere, IPv6 alone, IPv4 that leads nowhere beside it. Every
layout with both kinds of endpoints finds the way between the hosts without a setting, or says
accurately why there is none.

The hosts are namespaces (hosts.py); their processes are started by a PMI-1 server of this test,
which needs no network itself."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hosts
from common import OSHRUN, check, finish, skip, wait_until
from pmi_server import Server
from waits import compile_here

# What each host has, in the order in which the kernel lists it: KIND NAME ADDRESS…, N being the
# number of the host. bridge: without ports; busy: a bridge with a port, as beside a running
# container; net: a card of the network of that name, which connects the hosts; late: one that the
# kernel does not call running, as in its first second; lonely: a card that nothing is connected to.
WAY = "net A 10.77.0.N/24"
DOCKER = "172.17.0.1/16"
LAYOUTS = {
    "a bridge with one address on both": [f"bridge docker0 {DOCKER}", WAY],
    "a bridge with ports, the same": [f"busy docker0 {DOCKER}", WAY],
    "networks of their own": ["lonely eth9 192.168.N.1/24", WAY, "route default 10.77.0.254"],
    "an address of its own making": ["lonely bmc 169.254.3.N/16", "late A 10.77.0.N/24"],
    "IPv6 alone": ["no4", "net A fd00:77::N/64"],
    "IPv6 beside IPv4 that leads nowhere": [f"busy docker0 {DOCKER}", "net A fd00:77::N/64"],
    "one of two networks": {1: ["net A 10.77.0.N/24", "net B 10.78.0.N/24",
                                "route default 10.77.0.254"],
                            2: ["lonely eth8 10.79.0.N/24", "net B 10.78.0.N/24"]},
}
SAME = [f"busy docker0 {DOCKER}"]


def configure(number, pid, words, batch, outside):
    """Adds the commands of one line to the host's and the switch's."""
    kind, *rest = words.replace("N", str(number)).split() if words != "no4" else ["no4"]
    if kind == "no4":
        batch.append("addr del 127.0.0.1/8 dev lo")
        return
    if kind == "route":
        batch.append(f"route add {rest[0]} via {rest[1]}")
        return
    name, *addresses = rest
    if kind in ("net", "late"):
        name, net = f"card{name}", f"net{name}"
        outside.append(f"link add {net}{number} type veth peer name {name} netns {pid}")
        outside.append(f"link set {net}{number} master {net} up")
        batch += [f"link set {name} mode dormant"] if kind == "late" else []
    elif kind == "lonely":
        batch += [f"link add {name} type veth peer name {name}x", f"link set {name}x up"]
    else:
        batch.append(f"link add {name} type bridge")
    if kind == "busy":
        batch += ["link add port0 type veth peer name inside0", "link set inside0 up",
                  f"link set port0 master {name} up"]
    for address in addresses:
        batch.append(f"addr add {address} dev {name}" + (" nodad" if ":" in address else ""))
    batch.append(f"link set {name} up")


def ip(lines, *enter):
    done = subprocess.run([*enter, "ip", "-batch", "-"], input="\n".join(lines) + "\n",
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise hosts.Impossible(f"ip: {done.stderr.strip()}")


def make(layout):
    """Two hosts; the pids of their first processes."""
    outside = []
    for net in ("netA", "netB"):
        outside += [f"link add {net} type bridge", f"link set {net} up"]
    ip(outside)
    pids = {}
    for number in (1, 2):
        pids[number] = pid = hosts.make_host(number)
        first, outside = [], []
        lines = layout[number] if isinstance(layout, dict) else layout
        for line in lines:
            # A card appears in its place of the order when the switch makes it.
            configure(number, pid, line, first, outside)
            if outside:
                ip(outside)
            if first:
                ip(first, "nsenter", "-t", str(pid), "-n")
            first, outside = [], []
    for pid in pids.values():
        check(wait_until(lambda: are_up(pid), 20), "the cards come up")
    return pids


def are_up(pid):
    """The kernel notices a moment later that both ends of a card are up."""
    done = subprocess.run(["nsenter", "-t", str(pid), "-n", "ip", "-oneline", "link", "show",
                           "type", "veth"], capture_output=True, text=True)
    cards = done.stdout.splitlines()
    return cards and all("state UP" in card or "state DORMANT" in card for card in cards)


ENTER = 'exec nsenter -t "$HOST" -n -u -i -m -p -- "$0" "$@"'


def job(pids, program, *args, env=None, each=None):
    server = Server(2, mapping="(vector,(0,2,1))", program="sh")
    server.start("-c", ENTER, program, *args,
                 env={"CAUSEWAY_TIMEOUT": "20", **(env or {})},
                 per_rank=lambda rank: {"HOST": str(pids[rank + 1]),
                                        **(each(rank) if each else {})})
    try:
        return server.finish(timeout=60)
    except subprocess.TimeoutExpired:
        for one in server.jobs:
            one.kill()
        return server.finish(timeout=10)


def works(what, pids, program, **kwargs):
    statuses, out, err = job(pids, program, **kwargs)
    said = [line for line in err.splitlines() if "rdm endpoints of" not in line]
    check(statuses == [0, 0] and "all ways work" in out and not said, what, statuses, out, err)


def try_layout(name, layout, program):
    pids = make(layout)
    for mode in ("msg", "rdm"):
        works(f"{name}, {mode}", pids, program, env={"CAUSEWAY_ENDPOINT": mode})
    if name == "IPv6 alone":
        for mode in ("msg", "rdm"):
            done = subprocess.run(
                ["nsenter", "-t", str(pids[1]), "-n", "-u", "-i", "-m", "-p", "--", OSHRUN, "-np",
                 "2", "--emulate-nodes", "2", program], capture_output=True, text=True,
                env={**os.environ, "CAUSEWAY_ENDPOINT": mode}, timeout=60)
            check(done.returncode == 0 and "all ways work" in done.stdout and not done.stderr,
                  f"{name}, emulated nodes, {mode}", done.returncode, done.stdout, done.stderr)
    if name == "a bridge with ports, the same":
        works(f"{name}, the card by its name", pids, program, env={"CAUSEWAY_INTERFACE": "cardA"})
        works(f"{name}, one card by its address", pids, program,
              each=lambda rank: {"CAUSEWAY_INTERFACE": "10.77.0.1"} if rank == 0 else {})
        statuses, out, err = job(pids, program, "leaves")
        check(statuses[0] != 0 and "PE 1 (host host2) and with it the server of node 1 have ended "
              "without calling shmem_finalize" in err, f"{name}: the end of a host is seen",
              statuses, out, err)


def same_address(program):
    pids = make(SAME)
    for mode in ("msg", "rdm"):
        statuses, out, err = job(pids, program, env={"CAUSEWAY_ENDPOINT": mode})
        check(0 not in statuses[:1] and "cannot connect to node " in err and
              "both hosts have the same address, 172.17.0.1 (" in err and
              "have ended" not in err and
              "CAUSEWAY_INTERFACE names the network" in err,
              f"nothing but one address for both, {mode}", statuses, out, err)


def inside(name):
    """First process of namespaces of its own."""
    program = str(Path.cwd() / "addresses")
    hosts.become_first_process()
    hosts.set_host_name("switch")
    try:
        if name == "same":
            same_address(program)
        else:
            try_layout(name, LAYOUTS[name], program)
    except hosts.Impossible as error:
        skip(f"cannot make hosts: {error}")
    finish()


def main():
    if len(sys.argv) > 1:
        return inside(sys.argv[1])
    compile_here("addresses.c", "-I", str(Path(__file__).resolve().parent.parent))
    unshare = ["unshare", "-n", "-u", "-i", "-m", "-p", "--fork", "--kill-child"]

    def run(name):
        return name, subprocess.run([*unshare, sys.executable, __file__, name],
                                    capture_output=True, text=True, timeout=150)

    with ThreadPoolExecutor(4) as pool:
        for name, done in pool.map(run, (*LAYOUTS, "same")):
            if done.returncode == 77:
                skip(done.stdout.partition("SKIP: ")[2].strip())
            check(done.returncode == 0, name, done.stdout, done.stderr)
    return finish()


main()
