#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second thread that calls in a job which was joined for one thread is named in checking mode, in
every interface, and so is a process that fork has made; queries, ends of the job and higher thread
levels are right."""
from frame import wrong_use

ALONE = r"called in thread \d+; the job was joined by {} in thread \d+, .* ask for more with {}"
FORKED = r"called in process \d+, which fork has made of this PE"
CASES = [("shmem", "shmem_long_p", "shmem_init_thread", "shmem_init_thread"),
         ("gasnet", "gasnet_barrier_notify", "gasnet_init", "the configuration PAR"),
         ("gex", "gex_Coll_BarrierNB", "gex_Client_Init", "the configuration PAR"),
         ("armci", "ARMCI_Put", "ARMCI_Init_thread", "ARMCI_Init_thread"),
         ("dart", "dart_put_blocking", "dart_init", "dart_init_thread")]
SOURCE, LIBS = "mixed/second_thread.c", ["-larmci", "-ldart-causeway", "-lpthread"]
NODES = ["--emulate-nodes", "2"]

MISTAKES = {"OpenSHMEM": {"thread": "shmem alone", "fork": "shmem fork"},
            "GASNet": {"thread": "gasnet alone", "fork": "gasnet fork"},
            "GASNet-EX": {"thread": "gex alone", "fork": "gex fork"},
            "ARMCI": {"thread": "armci alone", "fork": "armci fork"},
            "DART": {"thread": "dart alone", "fork": "dart fork"}}


def wrong():
    for name, call, init, more in CASES:
        yield wrong_use.Use([name, "alone"], True, [call, ALONE.format(init, more)])
        yield wrong_use.Use([name, "fork"], True, [call, FORKED])
    yield wrong_use.Use(["shmem", "alone"], True, ["shmem_long_p"], options=NODES)


def right():
    for name, *_ in CASES:
        yield wrong_use.Use([name, "allowed"], True)
    yield wrong_use.Use(["shmem", "queries"], True)
    yield wrong_use.Use(["shmem", "allowed"], True, [], NODES)


def cases():
    return wrong_use.cases(wrong())


if __name__ == "__main__":
    wrong_use.run([(SOURCE, ["-DGASNET_SEQ", *LIBS], list(wrong())),
                   (SOURCE, ["-DGASNET_PAR", *LIBS], list(right()))], npes=2)
