#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of GASNet-EX ends the job with a message that names call and argument: always, or in checking mode."""
import os
import subprocess
import sys

ROOM = os.path.join(os.environ["CAUSEWAY_TEST_SOURCE"], "tests/gasnet_ex")
# what, needs checking mode, words of the message
CASES = [
    ("before-init", False, ["gex_Coll_BarrierNB", "before gex_Client_Init"]),
    ("rank", False, ["gex_AM_RequestShort", "no rank 7"]),
    ("handler", False, ["gex_AM_RequestShort", "no handler 222"]),
    ("arguments", True, ["gex_AM_RequestShort", "on_request", "0 arguments"]),
    ("kind", True, ["gex_AM_RequestMedium", "on_request"]),
    ("medium-length", False, ["gex_AM_Request", "1048576 bytes"]),
    ("long-outside", True, ["gex_AM_RequestLong"]),
    ("message-to-endpoint", False, ["gex_AM_RequestShort", "endpoint 0"]),
    ("prepare-twice", False, ["gex_AM_PrepareRequestMedium", "already"]),
    ("prepare-least", False, ["gex_AM_PrepareRequestMedium", "at most 3968"]),
    ("prepare-lc", False, ["gex_AM_PrepareRequestLong", "lc_opt"]),
    ("commit-nothing", False, ["gex_AM_CommitRequestMedium", "descriptor"]),
    ("commit-kind", False, ["gex_AM_CommitRequestLong", "gex_AM_CommitRequestMedium"]),
    ("commit-length", False, ["gex_AM_CommitRequestMedium", "10 bytes", "room for 9"]),
    ("commit-arguments", False, ["gex_AM_CommitRequestMedium", "1"]),
    ("cancel-kind", False, ["gex_AM_CancelRequestLong", "another kind"]),
    ("put-outside", True, ["gex_RMA_PutBlocking", "segment of rank 0"]),
    ("get-behind", True, ["gex_RMA_GetNB", "8 bytes", "4096 bytes"]),
    ("put-rank", False, ["gex_RMA_PutNBI", "no rank 3"]),
    ("no-team", False, ["gex_RMA_PutNBI", "GEX_TM_INVALID"]),
    ("value-width", False, ["gex_RMA_PutNBIVal", "nbytes is 9"]),
    ("unpublished", True, ["gex_RMA_GetBlocking", "endpoint 1"]),
    ("vector-length", False, ["gex_VIS_VectorPutBlocking", "10 bytes", "9 bytes"]),
    ("vector-outside", True, ["gex_VIS_VectorPutNB", "segment of rank 0"]),
    ("strided-levels", False, ["gex_VIS_StridedGetBlocking", "stridelevels is 2"]),
    ("completion-length", False, ["gex_VIS_SetPeerCompletionHandler"]),
    ("no-op-event", False, ["gex_Event_Wait", "GEX_EVENT_NO_OP"]),
    ("leaf", False, ["gex_Event_QueryLeaf", "GEX_EC_LC"]),
    ("category", False, ["gex_NBI_Wait", "0x100000"]),
    ("pair-barrier", False, ["gex_Coll_BarrierNB", "gex_TM_Pair"]),
    ("pair-split", False, ["gex_TM_Split", "gex_TM_Pair"]),
    ("pair-index", False, ["gex_TM_Pair", "GASNET_MAXEPS (32)"]),
    ("destroy-world", False, ["gex_TM_Destroy", "stays"]),
    ("create-rank", False, ["gex_TM_Create", "rank 9"]),
    ("create-twice", False, ["gex_TM_Create", "twice"]),
    ("destroy-attached", False, ["gex_Segment_Destroy", "stays"]),
    ("publish-nothing", False, ["gex_EP_PublishBoundSegment", "entry 0 of 1"]),
    ("domain-type", False, ["gex_AD_Create", "0x40"]),
    ("domain-none", False, ["gex_AD_OpNBI", "GEX_AD_INVALID"]),
    ("domain-operation", False, ["gex_AD_OpNB", "operation 0x10"]),
    ("reduce-operation", False, ["gex_Coll_ReduceToAllNB", "0x4"]),
    ("root", False, ["gex_Coll_BroadcastNB", "no rank 4"]),
    ("transfer-in-handler", True, ["gasnet_put_val", "handler"]),
    ("wait-in-handler", True, ["gex_Coll_BarrierBlocking", "handler"]),
    ("reply-handler-unknown", False, ["gex_AM_ReplyShort", "no handler 201"]),
]


def run(what, checked):
    env = dict(os.environ, CAUSEWAY_CHECK="1" if checked else "0", GASNET_MAX_SEGSIZE="1M")
    return subprocess.run(["oshrun", "-n", "1", "./misuse", what], env=env, capture_output=True, text=True, timeout=60)


def main():
    subprocess.run(["oshcc", "-DGASNET_PAR", "-O1", "-g", "-I", ROOM, "-o", "misuse", os.path.join(ROOM, "misuse_ex.c")],
                   check=True)
    wrong = 0
    for what, needs_check, words in CASES:
        done = run(what, needs_check)
        missing = [word for word in words if word not in done.stderr]
        if done.returncode == 0 or missing or "went through" in done.stdout:
            wrong += 1
            print(f"FAIL: {what}: status {done.returncode}, no {missing} in:\n{done.stdout}{done.stderr}")
    done = run("nothing", True)
    if done.returncode or "nothing went through" not in done.stdout:
        wrong += 1
        print(f"FAIL: right use: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(CASES)} kinds of wrong use, {wrong} not told")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
