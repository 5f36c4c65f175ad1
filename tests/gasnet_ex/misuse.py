#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of GASNet-EX ends the job with a line that names call and argument: always, or in
checking mode."""
import pathlib
import re

from frame import wrong_use

# what, needs checking mode, patterns that its line matches
CASES = [
    ("before-init", False, ["gex_Coll_BarrierNB", "before gex_Client_Init"]),
    ("rank", False, ["gex_AM_RequestShort", "no rank 7"]),
    ("handler", False, ["gex_AM_RequestShort", "no handler 222"]),
    ("arguments", True, ["gex_AM_RequestShort", "on_request", "0 arguments, and this call has 1"]),
    ("kind", True,
     ["gex_AM_RequestMedium", "on_request", "not registered for messages of this kind"]),
    ("medium-length", False, ["gex_AM_RequestMedium", "1048576 bytes"]),
    ("long-outside", False, ["gex_AM_RequestLong", "8 bytes. is not in the segment of rank 0"]),
    ("message-to-endpoint", False, ["gex_AM_RequestShort", "endpoint 0"]),
    ("prepare-twice", False, ["gex_AM_PrepareRequestMedium", "already"]),
    ("prepare-least", False, ["gex_AM_PrepareRequestMedium", "at most 8192"]),
    ("prepare-lc", False, ["gex_AM_PrepareRequestLong", "lc_opt"]),
    ("commit-nothing", False, ["gex_AM_CommitRequestMedium", "descriptor"]),
    ("commit-kind", False, ["gex_AM_CommitRequestLong", "gex_AM_CommitRequestMedium"]),
    ("commit-length", False, ["gex_AM_CommitRequestMedium", "10 bytes", "room for 9"]),
    ("commit-arguments", False,
     ["gex_AM_CommitRequestMedium", "with 0 arguments, not for this with 1"]),
    ("cancel-kind", False, ["gex_AM_CancelRequestLong", "another kind"]),
    ("put-outside", True, ["gex_RMA_PutBlocking", r"segment of rank 0 .* \(4096 bytes\); gex_Seg"]),
    ("no-segment", True, ["gex_RMA_PutBlocking", "rank 0 .*, which has none: attach one"]),
    ("get-behind", True,
     ["gex_RMA_GetNB", "8 bytes", "4096 bytes", "it ends 2 bytes beyond the segment; "
      r"gex_Segment_Attach gives segments at main\+0x\w+ \(ex\.h:\d+\)"]),
    ("get-to-behind", True,
     ["gex_RMA_GetNB: the local address: 8 bytes", "reach 2 bytes beyond the end of their block"]),
    ("get-to-static", True,
     ["gex_RMA_GetNB: the local address: 8 bytes", "reach 3 bytes beyond the end of static big"]),
    ("put-rank", False, ["gex_RMA_PutNBI", "no rank 3"]),
    ("no-team", False, ["gex_RMA_PutNBI", "GEX_TM_INVALID"]),
    ("value-width", False, ["gex_RMA_PutNBIVal", "nbytes is 9"]),
    ("unpublished", True, ["gex_RMA_GetBlocking", "endpoint 1"]),
    ("vector-length", False, ["gex_VIS_VectorPutBlocking", "10 bytes", "9 bytes"]),
    ("vector-outside", True, ["gex_VIS_VectorPutNB", "segment of rank 0"]),
    ("strided-levels", False, ["gex_VIS_StridedGetBlocking", "stridelevels is 2"]),
    ("completion-length", False, ["gex_VIS_SetPeerCompletionHandler", "1048576", "3968"]),
    ("no-op-event", False, ["gex_Event_Wait", "GEX_EVENT_NO_OP"]),
    ("medium-source", True, ["gex_AM_RequestMedium: source_addr is NULL for 10 bytes"]),
    ("long-source", True, ["gex_AM_RequestLong: source_addr is NULL for 10 bytes"]),
    ("limit-arguments", False, ["gex_AM_MaxRequestMedium: numargs is 17"]),
    ("put-prepared", True, ["gex_RMA_PutBlockingVal", "prepared a message already"]),
    ("reply-handler-source", True, ["gex_AM_ReplyMedium: source_addr is NULL for 10 bytes"]),
    ("team-in-use", True, ["gex_TM_Destroy", "1 events of the team"]),
    ("domain-outside", True, ["gex_AD_OpNBI_I32", "begins 0 bytes beyond the segment"]),
    ("create-nowhere", False, ["gex_TM_Create: new_tms is NULL"]),
    ("reduce-overlap", True, ["gex_Coll_ReduceToAllNB", r"\(8 bytes\) overlap"]),
    ("broadcast-behind", True, ["gex_Coll_BroadcastNB: src", "beyond the end of static big"]),
    ("event-twice", True,
     ["gex_Event_Wait", r"was waited for already; gex_Coll_BroadcastNB gave it at main\+0x\w+ "]),
    ("event-tested", True, ["gex_Event_Test", "was waited for already"]),
    ("get-twice", True,
     ["gex_Event_Test", r"was waited for already; gex_RMA_GetNB gave it at \w+\+0x\w+ "]),
    ("event-garbage", True, ["gex_Event_Wait", "no event that a call has given"]),
    ("events-null", False, ["gex_Event_WaitAll: the array of 2 events is NULL"]),
    ("some-events-null", False, ["gex_Event_WaitSome: the array of 1 events is NULL"]),
    ("test-events-null", False, ["gex_Event_TestAll: the array of 1 events is NULL"]),
    ("test-some-null", False, ["gex_Event_TestSome: the array of 1 events is NULL"]),
    ("rank-before-init", False, ["gex_System_QueryJobRank: called before gex_Client_Init"]),
    ("size-before-init", False, ["gex_System_QueryJobSize: called before gex_Client_Init"]),
    ("team-before-init", False, ["gex_TM_QuerySize: called before gex_Client_Init"]),
    ("rank-of-none", False, ["gex_TM_QueryRank: the team is GEX_TM_INVALID"]),
    ("get-overlap", True,
     ["gex_RMA_GetBlocking", r"source and destination \(8 bytes\) overlap"]),
    ("put-negative", False, ["gex_RMA_PutBlocking", "negative"]),
    ("get-negative", False, ["gex_RMA_GetNBI", "negative"]),
    ("strided-negative", False, ["gex_VIS_StridedPutBlocking", "the count is negative"]),
    ("team-garbage", True, ["gex_RMA_PutNBI", "no team that a call has given"]),
    ("team-foreign", True, ["gex_AM_RequestShort", "no team that a call has given"]),
    ("team-asked", True, ["gex_TM_QuerySize", "no team that a call has given"]),
    ("endpoint-garbage", True, ["gex_EP_QueryIndex", "no endpoint that a call has given"]),
    ("endpoint-of-pair", True, ["gex_TM_Pair", "no endpoint that a call has given"]),
    ("client-garbage", True, ["gex_Client_QueryName", "no client that a call has given"]),
    ("segment-garbage", True, ["gex_Segment_QueryAddr", "no segment that a call has given"]),
    ("domain-garbage", True, ["gex_AD_OpNBI_I32", "no domain that a call has given"]),
    ("team-destroyed", True,
     ["gex_Coll_BarrierNB", r"team 0x\w+ was destroyed before; gex_TM_Split gave it at \w+\+0x\w+ "
      r"\(misuse_ex\.c:\d+\)"]),
    ("domain-destroyed", True, ["gex_AD_QueryOps", "destroyed before; gex_AD_Create gave it"]),
    ("domain-unaligned", False, ["gex_AD_OpNBI_I32", "is not an aligned address"]),
    ("segment-destroyed", True,
     ["gex_EP_BindSegment", "destroyed before; gex_Segment_Create gave it"]),
    ("leaf", False, ["gex_Event_QueryLeaf", "GEX_EC_LC"]),
    ("category", False, ["gex_NBI_Wait", "0x100000"]),
    ("pair-barrier", False, ["gex_Coll_BarrierNB", "gex_TM_Pair"]),
    ("pair-split", False, ["gex_TM_Split", "gex_TM_Pair"]),
    ("pair-index", False, ["gex_TM_Pair", "GASNET_MAXEPS \\(33\\)"]),
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
    ("transfer-in-handler", True, ["^gex_RMA_PutBlockingVal", "handler"]),
    ("wait-in-handler", True, ["gex_Coll_BarrierBlocking", "handler"]),
    ("request-in-handler", False,
     ["gex_AM_RequestShort",
      "handler .of a request of PE 0. may not send requests|called inside a handler"]),
    ("prepare-in-handler", True, ["gex_AM_PrepareRequestMedium", "called inside a handler"]),
    ("request-in-reply-handler", False,
     ["gex_AM_RequestShort",
      "handler .of a reply of PE 0. may not send requests|called inside a handler"]),
    ("reply-in-reply-handler", False,
     ["gex_AM_ReplyShort", "the handler of a reply .from PE 0. may not reply"]),
    ("reply-handler-unknown", False, ["gex_AM_ReplyShort", "no handler 201"]),
    ("reply-handler-kind", True, ["gex_AM_ReplyShort", "on_request", "requests only"]),
    ("reply-handler-twice", False, ["gex_AM_ReplyShort", "PE 0 has been replied to"]),
    ("reply-handler-length", False, ["gex_AM_ReplyMedium", "1048576 bytes"]),
    ("reply-handler-outside", False,
     ["gex_AM_ReplyLong", "1 bytes. is not in the segment of rank 0"]),
]


def plan():
    yield wrong_use.Use(["nothing"], False)
    yield wrong_use.Use(["nothing"], True)
    yield wrong_use.Use(["team-left"], False)
    for what, needs_check, says in CASES:
        for checking in (True,) if needs_check else (False, True):
            yield wrong_use.Use([what], checking, says)
    yield wrong_use.Use(["right-then-beyond"], True,
                        ["gex_RMA_PutBlocking", "it ends 1 bytes beyond the segment"],
                        options=["-n", "2"])


def calls():
    """Every call of misuse_calls.c, in checking mode: the message must name the call itself, not a
    call that it is made of."""
    text = (pathlib.Path(__file__).parent / "misuse_calls.c").read_text()
    for name in re.findall(r"^    CALL\((\w+)", text, re.M):
        shown = re.sub(r"\d$", "", name) if "_AM_R" in name else name
        yield wrong_use.Use([name], True, [f"^{shown}: .*(handler|poll)"])
    for name in re.findall(r"^    CALL_OUTSIDE\((\w+)", text, re.M):
        yield wrong_use.Use([name, "outside"], True, [f"^{name}: "])


MISTAKES = {"GASNet-EX": {
    "before": "before-init", "process": "put-rank", "count": "put-negative",
    "foreign": "put-outside", "beyond": "get-behind", "freed": "segment-destroyed",
    "null": "gex_RMA_PutNBI outside", "short": "get-to-behind", "short-static": "get-to-static",
    "overlap": "get-overlap", "aligned": "domain-unaligned", "team": "no-team",
    "garbage": "event-garbage",
    "waited": "event-twice", "own-lock": "gex_HSL_Lock outside",
    "not-held": "gex_HSL_Unlock outside", "handler": "transfer-in-handler"}}


def cases():
    return wrong_use.cases([*plan(), *calls()])


if __name__ == "__main__":
    flags = ["-DGASNET_PAR", "-O1"]
    wrong_use.run([("gasnet_ex/misuse_ex.c", flags, list(plan())),
                   ("gasnet_ex/misuse_calls.c", flags, list(calls()))],
                  env={"GASNET_MAX_SEGSIZE": "1M"})
