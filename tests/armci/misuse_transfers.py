#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of transfers, handles and atomics ends the job with a line that names call, argument
and process."""
from frame import wrong_use

OUTSIDE = "not in memory that ARMCI_Malloc gave process 1"
UNKNOWN = "has not been initialised; use ARMCI_INIT_HANDLE"
CASES = [
    ("none", []),
    ("before-init", ["ARMCI_PutS", "before ARMCI_Init"]),
    ("after-finalize", ["ARMCI_PutS", "called after ARMCI_Finalize"]),
    ("process", ["ARMCI_Put", "process 2 does not exist"]),
    ("process-negative", ["ARMCI_Get", "process -1 does not exist"]),
    ("size", ["ARMCI_Put", "-8 bytes"]),
    ("address", ["ARMCI_Put", "8 bytes", OUTSIDE], True),
    ("address-get", ["ARMCI_Get", "8 bytes", OUTSIDE], True),
    ("value", ["ARMCI_PutValueInt", "4 bytes", OUTSIDE], True),
    ("copy", ["ARMCI_Copy", "-1 bytes"]),
    ("strided-process", ["ARMCI_PutS", "process 5 does not exist"]),
    ("levels", ["ARMCI_PutS", "9 levels", "process 1", "0 to 8"]),
    ("levels-negative", ["ARMCI_GetS", "-1 levels", "process 1"]),
    ("count", ["ARMCI_PutS", r"count\[1\] is -3", "process 1"]),
    ("strided-address", ["ARMCI_PutS", "56 bytes", OUTSIDE]),
    ("strided-beyond", ["ARMCI_GetS", OUTSIDE]),
    ("strided-product", ["ARMCI_PutS", "64 bits", "process 1"]),
    ("flag", ["ARMCI_Put_flag", "flag", "process 1", "not aligned"]),
    ("flag-address", ["ARMCI_PutS_flag", "4 bytes", OUTSIDE]),
    ("vector-address", ["ARMCI_PutV", "8 bytes", OUTSIDE]),
    ("vector-process", ["ARMCI_PutV", "process 2 does not exist"]),
    ("vector-bytes", ["ARMCI_PutV", "descriptor 0", "-8 bytes", "process 1"]),
    ("vector-length", ["ARMCI_GetV", "descriptor 0", "-1 segments", "process 1"]),
    ("descriptors", ["ARMCI_GetV", "-2 descriptors", "process 1"]),
    ("vector-list", ["ARMCI_PutV", "descriptor 0", "1 sources", "process 1"]),
    ("handle", ["ARMCI_Wait", UNKNOWN]),
    ("handle-put", ["ARMCI_NbPut", UNKNOWN], True),
    ("handle-test", ["ARMCI_Test", UNKNOWN]),
    ("handle-set", ["ARMCI_SET_AGGREGATE_HANDLE", UNKNOWN]),
    ("rmw", ["ARMCI_Rmw", "operation 7"]),
    ("rmw-aligned", ["ARMCI_Rmw", "process 1", "not aligned"]),
    ("rmw-address", ["ARMCI_Rmw", "4 bytes", OUTSIDE]),
    ("notify", ["armci_notify", "process 2 does not exist"]),
    ("notify-wait", ["armci_notify_wait", "process -1 does not exist"]),
    ("wait-process", ["ARMCI_WaitProc", "process 2 does not exist"]),
    ("fence", ["ARMCI_Fence", "process 3 does not exist"]),
    ("memget", ["ARMCI_Memget", "0 bytes"]),
    ("memget-flags", ["ARMCI_Memget", "flags are 4"]),
]
CHECKED = [
    ("none", []),
    ("overlap", ["ARMCI_Put", r"source and destination \(8 bytes\) overlap"]),
    ("strided-overlap", ["ARMCI_PutS", "process 1", "4 bytes", "written more than once"]),
    ("strided-between", []),
    ("strided-turned", []),
    ("strided-turned-overlap", ["ARMCI_GetS", "15 bytes steps over 16", "written more than once"]),
]


def uses():
    for what, says, *between in CASES:
        nodes = ["--emulate-nodes", "2"] if between else []
        yield wrong_use.Use([what], False, says, nodes)
    for what, says in CHECKED:
        yield wrong_use.Use([what], True, says)


MISTAKES = {"ARMCI": {
    "before": "before-init", "after": "after-finalize", "process": "process", "count": "size",
    "foreign": "address", "aligned": "rmw-aligned", "overlap": "overlap", "garbage": "handle"}}


def cases():
    return wrong_use.cases(uses())


if __name__ == "__main__":
    wrong_use.run([("armci/misuse_transfers.c", [], list(uses()))], npes=2)
