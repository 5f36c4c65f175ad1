#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of memory, sets of mutexes, domains and finished handles ends the job with a line that
names call, argument and process."""
from pathlib import Path

from frame import wrong_use

BLOCK = r"0x[0-9a-f]+ \(.*\) is not a block"
NONE = "not created, or are destroyed"
COPY = "a copy of one that was waited for"
CASES = [
    ("none", []),
    ("list-null", ["ARMCI_Malloc: the list of addresses is NULL"]),
    ("malloc-negative", ["ARMCI_Malloc: -1 bytes"]),
    ("local-negative", ["ARMCI_Malloc_local: -1 bytes"]),
    ("free-inside", ["ARMCI_Free: " + BLOCK]),
    ("free-other", ["ARMCI_Free: " + BLOCK]),
    ("free-local", ["ARMCI_Free_local: " + BLOCK + " of ARMCI_Malloc_local"]),
    ("free-twice", ["ARMCI_Free: " + BLOCK]),
    ("free-group", ["ARMCI_Free_group", "was freed"]),
    ("memctl-twice", ["ARMCI_Memctl: " + BLOCK]),
    ("set-null", ["ARMCIX_Lock_hdl: mutex 0 of process 0", NONE]),
    ("set-number", ["ARMCIX_Trylock_hdl: mutex 2", "process 1 has 2"]),
    ("set-process", ["ARMCIX_Lock_hdl: process -1 does not exist"]),
    ("set-member", ["ARMCIX_Lock_hdl: process [01] is no member of the group"]),
    ("set-unlock", ["ARMCIX_Unlock_hdl", "does not hold mutex 0 of process [01]"]),
    ("set-other", ["ARMCIX_Unlock_hdl", "does not hold mutex [01] of process 0"]),
    ("set-plain", ["ARMCI_Unlock", "does not hold mutex [01] of process 0"]),
    ("set-twice", ["ARMCIX_Trylock_hdl", "holds mutex [01] of process 0 already"]),
    ("set-held", ["ARMCIX_Destroy_mutexes_hdl", "still holds mutex [01] of process 0"]),
    ("set-destroyed", ["ARMCIX_Lock_hdl", NONE]),
    ("set-destroyed-twice", ["ARMCIX_Destroy_mutexes_hdl", NONE]),
    ("mutexes-negative", ["ARMCI_Create_mutexes: -1 mutexes"]),
    ("domain", ["armci_domain_count: domain 1 is not ARMCI_DOMAIN_SMP"]),
    ("domain-number", ["armci_domain_glob_proc_id: domain number 2 does not exist"]),
    ("domain-rank", ["armci_domain_glob_proc_id: domain 0", "no number 2"]),
    ("domain-process", ["armci_domain_id: process 2 does not exist"]),
    ("same-node", ["ARMCI_Same_node: process -1 does not exist"]),
    ("cluster", ["armci_grp_clus_brdcst: 2 processes from rank 1", "2 members"]),
    ("elements", ["armci_msg_lgop: -1 elements"]),
    ("broadcast", ["armci_msg_bcast: 8 bytes at"]),
    ("wait-null", ["ARMCI_Wait: the handle is NULL"]),
    ("test-null", ["ARMCI_Test: the handle is NULL"]),
    ("strides-null", ["ARMCI_PutS: the strides of the destination are NULL, to process [01]"]),
    ("counts-null", ["ARMCI_GetS: the counts are NULL, to process [01]"]),
]
# what lists collect leaves the node
FAR = [
    ("none", []),
    ("copy-waited", ["ARMCI_Wait: the aggregate handle at", COPY]),
    ("copy-tested", ["ARMCI_Test: the aggregate handle at", COPY]),
    ("copy-unset", ["ARMCI_UNSET_AGGREGATE_HANDLE: the aggregate handle at", COPY]),
    ("garbage-list", ["ARMCI_Wait: the aggregate handle at", "has not been initialised"]),
]
FAR_CHECKED = [("copy-put", ["ARMCI_NbPut: the aggregate handle at", COPY])]
SITE = r"\w+\+0x[0-9a-f]+ \(misuse_memory\.c:\d+\)"
LINES = (Path(__file__).parent / "misuse_memory.c").read_text(encoding="utf-8").splitlines()
MADE = r"main\+0x[0-9a-f]+ \(misuse_memory\.c:%d\)" % (
    LINES.index("    ARMCI_Malloc(blocks, 4096);") + 1)
BEYOND = "beyond the end of their block, which has 4096; ARMCI_Malloc gave it at " + MADE
# where processes of a node have blocks at different addresses
NEAR_CHECKED = [
    ("own-entry", [r"ARMCI_Put: 8 bytes at 0x\w+ \(here: a block of ARMCI_Malloc, " + MADE
                   + r", 4 KiB\) are not in memory that ARMCI_Malloc gave"])]
CHECKED = [
    ("none", []),
    ("put-beyond", ["ARMCI_Put: 8 bytes", "of process [01] reach 2 bytes " + BEYOND]),
    ("get-beyond", ["ARMCI_Get: 4100 bytes", "reach 4 bytes " + BEYOND]),
    ("own-beyond", ["ARMCI_NbPut: 8 bytes", "reach 7 bytes " + BEYOND]),
    ("value-beyond", ["ARMCI_PutValueLong: 8 bytes", "reach 4 bytes " + BEYOND]),
    ("rows-beyond", ["ARMCI_PutS: 4100 bytes", "reach 4 bytes " + BEYOND]),
    ("rmw-beyond", ["ARMCI_Rmw: ", "reach 4 bytes " + BEYOND]),
    ("sizes-differ", ["ARMCI_Put: 8 bytes", "of process 1 reach 8 bytes", "which has 100"]),
    ("put-freed", ["ARMCI_Put: 8 bytes",
                   "that was freed at " + SITE + "; ARMCI_Malloc gave its [12]00 bytes at "
                   + SITE]),
    ("local-beyond", ["ARMCI_NbPut: the local address: 8 bytes", "reach 4 bytes " + BEYOND]),
    ("local-static", ["ARMCI_Put: the local address: 16 bytes", "reach 8 bytes beyond the end of "
                      "static local, which has 4096"]),
    ("local-null", ["ARMCI_Get: the local address is NULL for 8 bytes"]),
    ("local-rows", ["ARMCI_GetS: the local address: 4100 bytes", "reach 4 bytes " + BEYOND]),
    ("local-segment", ["ARMCI_PutV: the local address: 8 bytes", "reach 1 bytes " + BEYOND]),
    ("local-acc", ["ARMCI_AccS: the local address: 4100 bytes", "reach 4 bytes " + BEYOND]),
    ("memget-beyond", ["ARMCI_Put: 8 bytes", "reach 4 bytes beyond the end of their block, which "
                       "has 100; ARMCI_Memget gave it at " + SITE]),
    ("memget-freed", ["ARMCI_Put: 8 bytes", "ARMCI_Memget gave its 100 bytes at " + SITE]),
]


def uses():
    nodes = ["--emulate-nodes", "2"]
    yield from (wrong_use.Use([what], False, says) for what, says in CASES)
    yield from (wrong_use.Use([what], False, says, nodes) for what, says in FAR)
    yield from (wrong_use.Use([what], True, says, nodes) for what, says in FAR_CHECKED)
    yield from (wrong_use.Use([what], True, says) for what, says in NEAR_CHECKED)
    yield from (wrong_use.Use([what], True, says, options) for what, says in CHECKED
                for options in ([], nodes))


MISTAKES = {"ARMCI": {
    "beyond": "put-beyond", "freed": "put-freed", "null": "local-null", "short": "local-beyond",
    "short-static": "local-static",
    "twice": "free-twice", "not-block": "free-other", "waited": "copy-waited"}}


def cases():
    return wrong_use.cases(uses())


if __name__ == "__main__":
    wrong_use.run([("armci/misuse_memory.c", [], list(uses()))], npes=2)
