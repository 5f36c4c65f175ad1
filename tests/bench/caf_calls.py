# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of statements of coarrays, by gfortran's interface and by PRIF's, from a program's
entry to the return on one node, and between two nodes to the network library: none may take more
than its limit here. Images do not wait in them: the partner has come. What images do together is
held beside the calls of OpenSHMEM that do the same, and takes no more than these."""

import os

from counted import build, counts, hold
from frame.script import check, finish

GFORTRAN, PRIF, SHMEM = range(3)
NAMES = {GFORTRAN: "gfortran", PRIF: "PRIF"}
NEAR = {
    GFORTRAN: {"put": 68, "get": 58, "sync_memory": 18, "event_post": 38, "event_wait": 48,
               "sync_images": 40, "sync_all": 98, "sum": 206, "sum_array": 221},
    PRIF: {"put": 49, "get": 43, "sync_memory": 22, "event_post": 51, "event_wait": 44,
           "sync_images": 43, "sync_all": 100, "sum": 224, "sum_array": 235},
}
# To the library of libfabric, but where a put waits to travel with others.
FAR = {
    GFORTRAN: {"put.to_provider": 129, "put_again.to_provider": 270, "put.collected": 242,
               "get.to_provider": 130, "event_post.to_provider": 248,
               "sync_images.to_provider": 339, "sync_all.to_provider": 466,
               "sum.to_provider": 786},
    PRIF: {"put.to_provider": 107, "put_again.to_provider": 248, "put.collected": 225,
           "get.to_provider": 112, "event_post.to_provider": 254,
           "sync_images.to_provider": 340, "sync_all.to_provider": 466, "sum.to_provider": 804},
}
TOGETHER = ("event_post", "event_wait", "sync_images", "sync_all", "sum", "sum_array")
SETTINGS = {"CAUSEWAY_SPIN": "100000000"}  # the partner is awake when it is counted


def by(mode, *oshrun, **settings):
    return counts(("./caf_calls", "--mode", str(mode)), *oshrun, **SETTINGS, **settings)


def near():
    """With one processor the partner sleeps, and is woken."""
    alone = len(os.sched_getaffinity(0)) < 2
    peer = by(SHMEM)
    for mode, limits in NEAR.items():
        found = by(mode)
        for op, most in limits.items():
            if alone and op in TOGETHER:
                continue
            hold(f"{NAMES[mode]} node", found, f"{op}.total", most)
            if op in TOGETHER:
                count, base = (f[f"{op}.total"]["min"] for f in (found, peer))
                check(count <= base, f"{op}: {count} instructions, and {base} by OpenSHMEM")


def far():
    for endpoint in ("msg", "rdm"):
        for mode, limits in FAR.items():
            found = by(mode, "--emulate-nodes", "2", CAUSEWAY_ENDPOINT=endpoint)
            for op, most in limits.items():
                hold(f"{NAMES[mode]} {endpoint}", found, op, most)


def main():
    build("./caf_calls", "caf_calls.c")
    near()
    far()
    finish()


if __name__ == "__main__":
    main()
