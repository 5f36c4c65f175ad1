#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second thread that calls in a job which was joined for one thread is named in checking mode, in
every interface, and so are a process that fork has made and the handler of a signal; queries, ends
of the job and higher thread levels are right."""
import os

from frame import wrong_use

ALONE = r"called in thread \d+; the job was joined by {} in thread \d+, .* ask for more with {}"
FORKED = r"called in process \d+, which fork has made of this PE"
IN_HANDLER = r"called in the handler of a signal, which has interrupted {}; set a flag there"
CASES = [("shmem", "shmem_long_p", "shmem_init_thread", "shmem_init_thread"),
         ("gasnet", "gasnet_barrier_notify", "gasnet_init", "the configuration PAR"),
         ("gex", "gex_Coll_BarrierNB", "gex_Client_Init", "the configuration PAR"),
         ("armci", "ARMCI_Put", "ARMCI_Init_thread", "ARMCI_Init_thread"),
         ("dart", "dart_put_blocking", "dart_init", "dart_init_thread")]
# that sanitizer calls handlers itself, later
SIGNALS = os.environ.get("CAUSEWAY_TEST_SANITIZE") != "thread"
SOURCE = "mixed/second_thread.c"
FLAGS = ["-fno-optimize-sibling-calls", "-larmci", "-ldart-causeway", "-lpthread"]
NODES = ["--emulate-nodes", "2"]

MISTAKES = {"OpenSHMEM": {"thread": "shmem alone", "fork": "shmem fork", "signal": "shmem signal"},
            "GASNet": {"thread": "gasnet alone", "fork": "gasnet fork", "signal": "gasnet signal"},
            "GASNet-EX": {"thread": "gex alone", "fork": "gex fork", "signal": "gex signal"},
            "ARMCI": {"thread": "armci alone", "fork": "armci fork", "signal": "armci signal"},
            "DART": {"thread": "dart alone", "fork": "dart fork", "signal": "dart signal"}}


def wrong():
    for name, call, init, more in CASES:
        yield wrong_use.Use([name, "alone"], True, [call, ALONE.format(init, more)])
        yield wrong_use.Use([name, "fork"], True, [call, FORKED])
        if SIGNALS:
            yield wrong_use.Use([name, "signal"], True,
                                [call.replace("long_p", "long_put"),
                                 IN_HANDLER.format(r"the program at \S+( \(\S+\))?")])
    if SIGNALS:
        yield wrong_use.Use(["shmem", "signal-wait"], True,
                            ["shmem_long_p", IN_HANDLER.format("shmem_barrier_all")])
        yield wrong_use.Use(["armci", "signal-wait"], True,
                            ["ARMCI_Put", IN_HANDLER.format("ARMCI_Barrier")], NODES)
    yield wrong_use.Use(["shmem", "alone"], True, ["shmem_long_p"], options=NODES)


def right():
    for name, *_ in CASES:
        yield wrong_use.Use([name, "allowed"], True)
    yield wrong_use.Use(["shmem", "queries"], True)
    yield wrong_use.Use(["shmem", "signal-queries"], True)
    yield wrong_use.Use(["shmem", "allowed"], True, [], NODES)


def cases():
    return wrong_use.cases(wrong())


if __name__ == "__main__":
    wrong_use.run([(SOURCE, ["-DGASNET_SEQ", *FLAGS], list(wrong())),
                   (SOURCE, ["-DGASNET_PAR", *FLAGS], list(right()))], npes=2)
