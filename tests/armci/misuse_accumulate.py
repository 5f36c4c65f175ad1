#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong accumulates end the job with a line that names call, argument and process."""
from frame import wrong_use

CASES = [
    ("before-init", ["ARMCI_Acc: called before ARMCI_Init"]),
    ("type", ["ARMCI_Acc: type 36, to process 1"]),
    ("process", ["ARMCI_NbAcc: process 2 does not exist"]),
    ("scale", ["ARMCI_Acc: scale is NULL, to process 1"]),
    ("bytes", ["ARMCI_Acc: the block of 24 bytes, to process 1, is no whole number of 16"]),
    ("negative", ["ARMCI_Acc: -4 bytes"]),
    ("outside",
     [r"ARMCI_Acc: 8 bytes at 0x[0-9a-f]+ .*are not in memory that ARMCI_Malloc gave"]),
    ("row", ["ARMCI_AccS: a row of 12 bytes, to process 1, is no whole number of 8"]),
    ("levels", ["ARMCI_AccS: 9 levels", "process 1"]),
    ("rows", [r"ARMCI_AccS: count\[1\] is -2, to process 1"]),
    ("segment", ["ARMCI_AccV: a segment of 12 bytes, to process 1, is no whole number of 8"]),
    ("right", []),
]
uses = [wrong_use.Use([what], False, says) for what, says in CASES]
uses += [wrong_use.Use([what], False, says, options=["--emulate-nodes", "2"])
         for what, says in CASES if what in ("bytes", "outside", "right")]
wrong_use.run([("armci/misuse_accumulate.c", [], uses)], npes=2)
