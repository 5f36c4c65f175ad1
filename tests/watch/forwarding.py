#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the edges of virtual topologies, as jobs report it in their statistics: degree x PEs x
buffers x bytes, to the byte, for every node; what servers executed and passed on; and the values of
fetch-and-adds that are combined on the way."""

import json

from common import check, compile_program, finish, run

# topology, nodes, PEs, buffers, bytes of one; neighbours of each node, by hand
CASES = [
    ("fcg", 4, 8, 4, 16384, [3, 3, 3, 3]),
    ("mfcg", 4, 4, 1, 4352, [2, 2, 2, 2]),
    ("2x2x2", 8, 8, 2, 8192, [3] * 8),
    ("3x2", 5, 10, 3, 16384, [3, 3, 2, 2, 2]),
]


def hot_spot():
    """While an answer is due, PEs of a node leave what they send to its server, which packs it. On
    a crowded machine the PEs of a job may run one after the other, and none finds an answer due:
    delays longer than its turns bring them together, and one of five jobs must show it."""
    compile_program("hot")
    for endpoint in "msg", "rdm":
        for _ in range(5):
            run("hot", pes=12, oshrun=("--emulate-nodes", "2"), CAUSEWAY_ENDPOINT=endpoint,
                CAUSEWAY_PROVIDER="tcp" if endpoint == "msg" else "net", CAUSEWAY_TOPOLOGY="fcg",
                CAUSEWAY_DELAY="1:20000", CAUSEWAY_STATS="json:hot.json")
            with open("hot.json") as file:
                servers = [r for r in json.load(file)["pes"] if r["slot"] == 0]
            target, other = (r["forwarding"] for r in sorted(servers, key=lambda r: r["node"]))
            if other["left"] > 0 and target["arrived"] < target["executed"] * 3 / 4:
                break
        check(target["executed"] >= 300 and other["left"] > 0 and
              target["arrived"] < target["executed"] * 3 / 4,
              f"hot spot over {endpoint}: messages and requests: {target} {other}")


def lone():
    """Fetches of one PE alone to a neighbour's: each is answered on its own connection, so servers
    answer but the first, some barriers, and what was sent while an answer to these was due."""
    compile_program("lone")
    for endpoint in "msg", "rdm":
        run("lone", pes=8, oshrun=("--emulate-nodes", "4"), CAUSEWAY_ENDPOINT=endpoint,
            CAUSEWAY_PROVIDER="tcp" if endpoint == "msg" else "net", CAUSEWAY_TOPOLOGY="fcg",
            CAUSEWAY_STATS="json:lone.json")
        with open("lone.json") as file:
            target = next(r["forwarding"] for r in json.load(file)["pes"] if r["pe"] == 0)
        check(target["executed"] >= 1000 and target["answers"] < 300,
              f"lone fetches over {endpoint}: executed and answered: {target}")


def messages():
    """Active messages of GASNet: each PE sends to the next one, every second one to another node,
    and of these half by way of a third node."""
    compile_program("messages", "-DGASNET_SEQ")
    for endpoint in "msg", "rdm":
        run("messages", pes=8, oshrun=("--emulate-nodes", "4"), CAUSEWAY_ENDPOINT=endpoint,
            CAUSEWAY_PROVIDER="tcp" if endpoint == "msg" else "net", CAUSEWAY_TOPOLOGY="2x2",
            CAUSEWAY_STATS="json:messages.json")
        with open("messages.json") as file:
            pes = sorted(json.load(file)["pes"], key=lambda r: r["pe"])
        routed = [pe["messages"]["routed"] for pe in pes]
        passed = sum(pe["forwarding"]["passed"] for pe in pes)
        check(routed == [204, 206] * 4 and passed >= 2 * (204 + 206),
              f"messages over {endpoint}: routed and passed on", routed, passed)


def main():
    compile_program("traffic")
    for name, nodes, pes, buffers, nbytes, degrees in CASES:
        where = f"{name} on {nodes} nodes"
        run("traffic", pes=pes, oshrun=("--emulate-nodes", str(nodes)),
            CAUSEWAY_ENDPOINT="msg", CAUSEWAY_STATS="json:forwarding.json",
            CAUSEWAY_TOPOLOGY=name, CAUSEWAY_EDGE_BUFFERS=str(buffers),
            CAUSEWAY_EDGE_BUFFER=str(nbytes), SHMEM_SYMMETRIC_SIZE="16M")
        with open("forwarding.json") as file:
            records = [r for r in json.load(file)["pes"] if r["slot"] == 0]
        found = [r["forwarding"] for r in sorted(records, key=lambda r: r["node"])]
        want = [degree * pes // nodes * buffers * nbytes for degree in degrees]
        check([f["edge_bytes"] for f in found] == want, f"{where}: bytes of edges", found, want)
        check(all(f["most_held"] <= f["edge_bytes"] and f["dropped"] == 0 for f in found),
              f"{where}: held and dropped", found)
        check(sum(f["executed"] for f in found) > 0 and sum(f["arrived"] for f in found) > 0 and
              sum(f["answers"] for f in found) > 0, f"{where}: nothing was executed", found)
        check((sum(f["passed"] for f in found) > 0) == (name != "fcg"), f"{where}: passed", found)
    compile_program("counter")
    for endpoint in "msg", "rdm":
        run("counter", pes=8, oshrun=("--emulate-nodes", "4"), CAUSEWAY_ENDPOINT=endpoint,
            CAUSEWAY_PROVIDER="tcp" if endpoint == "msg" else "net", CAUSEWAY_TOPOLOGY="2x2",
            CAUSEWAY_COMBINE="1", CAUSEWAY_STATS="json:counter.json")
        with open("counter.json") as file:
            combined = sum(r["forwarding"]["combined"] for r in json.load(file)["pes"])
        check(combined > 0, f"counter over {endpoint}: {combined} combined")
    hot_spot()
    lone()
    messages()
    finish()


main()
