# SPDX-License-Identifier: BSD-3-Clause
"""Counts the connections of jobs that communicate with few neighbours. Usage: scale.py ring PES
NODES
scale.py stencil"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
subprocess.run(["oshcc", "-O2", "-o", "neighbours", os.path.join(HERE, "neighbours.c")], check=True)


def job(npes, nodes, *args, **settings):
    """The statistics of each PE."""
    env = dict(os.environ, CAUSEWAY_STATS="json:stats.json", CAUSEWAY_ENDPOINT="msg",
               SHMEM_SYMMETRIC_SIZE="1M", **settings)
    done = subprocess.run(["oshrun", "-n", str(npes), "--emulate-nodes", str(nodes), "./neighbours",
                           *args],
                          env=env, stdout=subprocess.PIPE, text=True, check=True)
    assert "neighbours done" in done.stdout, done.stdout
    with open("stats.json") as file:
        return json.load(file)["pes"]


def total(pes, what):
    return sum(record[what] for record in pes)


def ring(npes, nodes):
    """A PE needs one connection if its neighbour is on another node; leaders a few more for
    barriers."""
    pes = job(npes, nodes, "ring")
    rounds = (nodes - 1).bit_length()
    most = 2 * nodes + nodes * rounds
    print(f"ring of {npes} PEs on {nodes} nodes: {total(pes, 'connections')} connections, at most "
          f"{max(r['served']['connections'] for r in pes)} at a server, "
          f"resident at most {max(r['rss_bytes'] for r in pes) / 2**20:.1f} MiB a PE")
    assert len(pes) == npes
    assert total(pes, "connections") <= most, (total(pes, "connections"), most)
    served = sum(r["served"]["connections"] for r in pes)
    assert total(pes, "connections") == served, (total(pes, "connections"), served)
    assert total(pes, "reconnects") == 0


def stencil():
    npes, nodes = 64, 16
    demand = job(npes, nodes, "grid", "8")
    static = job(npes, nodes, "grid", "8", CAUSEWAY_CONNECT="static")
    mesh = npes * (npes - 1)
    count, all_at_once = total(demand, "connections"), total(static, "connections")
    print(f"stencil of {npes} PEs on {nodes} nodes: {count} connections on demand, {all_at_once} "
          f"static, {mesh} from "
          f"process to process: {100 * count / mesh:.1f} % and {100 * count / all_at_once:.1f} %")
    assert all_at_once == npes * (nodes - 1), all_at_once
    assert count <= 0.05 * mesh and count <= 0.20 * all_at_once
    assert all(r["peers_touched"] <= 4 and r["connections"] >= r["nodes_touched"] for r in demand)


if sys.argv[1] == "ring":
    ring(int(sys.argv[2]), int(sys.argv[3]))
else:
    stencil()
