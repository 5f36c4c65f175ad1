#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second thread that calls in a job which was joined for one thread is named in checking mode, in
every interface; queries, ends of the job and higher thread levels are right."""
from frame import wrong_use

ALONE = r"called in thread \d+; the job was joined by {} in thread \d+, .* ask for more with {}"
CASES = [("shmem", "shmem_long_p", "shmem_init_thread", "shmem_init_thread"),
         ("gasnet", "gasnet_barrier_notify", "gasnet_init", "the configuration PAR"),
         ("gex", "gex_Coll_BarrierNB", "gex_Client_Init", "the configuration PAR"),
         ("armci", "ARMCI_Put", "ARMCI_Init_thread", "ARMCI_Init_thread"),
         ("dart", "dart_put_blocking", "dart_init", "dart_init_thread")]
SOURCE, LIBS = "mixed/second_thread.c", ["-larmci", "-ldart-causeway", "-lpthread"]
NODES = ["--emulate-nodes", "2"]

wrong = [wrong_use.Use([name, "alone"], True, [call, ALONE.format(init, more)])
         for name, call, init, more in CASES]
wrong.append(wrong_use.Use(["shmem", "alone"], True, ["shmem_long_p"], options=NODES))
right = [wrong_use.Use([name, "allowed"], True) for name, *_ in CASES]
right += [wrong_use.Use(["shmem", "queries"], True), wrong_use.Use(["shmem", "allowed"], True, [],
                                                                   NODES)]
wrong_use.run([(SOURCE, ["-DGASNET_SEQ", *LIBS], wrong), (SOURCE, ["-DGASNET_PAR", *LIBS], right)],
              npes=2)
