#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of groups, mutexes and the message layer ends the job with a line that names call,
argument and process."""
from frame import wrong_use

CASES = [
    ("none", []),
    ("before-init", ["armci_msg_snd", "before ARMCI_Init"]),
    ("level", ["ARMCI_Init_thread", "level 4"]),
    ("rank-twice", ["ARMCI_Group_create", "entry 1", "rank 0", "twice"]),
    ("rank-unknown", ["ARMCI_Group_create_child", "rank 7", "does not exist"]),
    ("list-too-long", ["ARMCI_Group_create", "3 processes", "2 members"]),
    ("garbage", ["ARMCI_Group_rank", "none that ARMCI_Group_create made"]),
    ("freed", ["armci_msg_group_barrier", "was freed"]),
    ("no-member", ["armci_msg_group_barrier", "no member"]),
    ("free-world", ["ARMCI_Group_free", "all processes"]),
    ("absolute", ["ARMCI_Absolute_id", "rank 2", "2 members"]),
    ("other-lists", ["ARMCI_Group_create", "process [01]", "another list"]),
    ("lock-none", ["ARMCI_Lock", "mutex 0 of process 0", "not created"]),
    ("destroy-none", ["ARMCI_Destroy_mutexes", "not created"]),
    ("create-twice", ["ARMCI_Create_mutexes", "ARMCI_Destroy_mutexes first"]),
    ("mutex-number", ["ARMCI_Lock", "mutex 2", "process 1 has 2"]),
    ("mutex-process", ["ARMCI_Lock", "process 2 does not exist"]),
    ("unlock-free", ["ARMCI_Unlock", "does not hold mutex 1 of process 0"]),
    ("lock-twice", ["ARMCI_Lock", "holds mutex 1 of process 0 already"]),
    ("unlock-other", ["ARMCI_Unlock", "does not hold mutex 1 of process 0"]),
    ("destroy-held", ["ARMCI_Destroy_mutexes", "still holds mutex 1 of process 0"]),
    ("lock-destroyed", ["ARMCI_Lock", "destroyed"]),
    ("send-where", ["armci_msg_snd", "process -1 does not exist"]),
    ("send-length", ["armci_msg_snd", "-5 bytes"]),
    ("too-long", ["armci_msg_rcv", "tag 1 has 100 bytes", "room for 99"]),
    ("root", ["armci_msg_bcast", "process 2 does not exist"]),
    ("scope", ["armci_msg_bcast_scope", "scope 5"]),
    ("operation", ["armci_msg_dgop", "\"plus\"", "absmax"]),
    ("or-of-doubles", ["armci_msg_dgop", "\"or\"", "real numbers"]),
    ("type", ["armci_msg_gop_scope", "type 3"]),
    ("select", ["armci_msg_sel_scope", "4 bytes"]),
    ("finalize-messages", ["armci_msg_finalize", "without armci_msg_init"]),
]

MISTAKES = {"ARMCI": {"team": "freed", "own-lock": "lock-twice", "not-held": "unlock-free"}}


def uses():
    return [wrong_use.Use([what], False, says) for what, says in CASES]


def cases():
    return wrong_use.cases(uses())


if __name__ == "__main__":
    wrong_use.run([("armci/misuse_groups.c", [], uses())], npes=2)
