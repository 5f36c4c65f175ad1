#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use of GASNet ends the job with a line that names call and argument: always, or in checking
mode."""
from frame import wrong_use

# what, needs checking mode, patterns that its line matches, the code that the call returns
CASES = [
    ("before-init", False, ["gasnet_barrier_notify", "before gasnet_init"]),
    ("attach-before-init", False, ["gasnet_attach", "before gasnet_init"], "GASNET_ERR_NOT_INIT"),
    ("poll-before-init", False, ["gasnet_AMPoll", "before gasnet_init"]),
    ("request-before-init", False, ["gasnet_AMRequestShort", "before gasnet_init"]),
    ("init-twice", False, ["gasnet_init", "second time"], "GASNET_ERR_NOT_INIT"),
    ("before-attach", False, ["gasnet_put_val", "before gasnet_attach"]),
    ("segments-before-attach", False, ["gasnet_getSegmentInfo", "before gasnet_attach"]),
    ("attach-index-twice", False, ["gasnet_attach", "index 200", "taken by an entry before"]),
    ("attach-no-function", False, ["gasnet_attach", "entry 1", "no function"]),
    ("attach-many", False, ["gasnet_attach", "numentries is 129", "128 entries"]),
    ("attach-index", False, ["gasnet_attach", "index 100", "128 to 255"], "GASNET_ERR_BAD_ARG"),
    ("attach-size", False, ["gasnet_attach", "segsize is 4097"], "GASNET_ERR_BAD_ARG"),
    ("attach-huge", False, ["gasnet_attach", "gasnet_getMaxLocalSegmentSize is"],
     "GASNET_ERR_BAD_ARG"),
    ("attach-twice", False, ["gasnet_attach", "second time"]),
    ("lock-twice", False, ["gasnet_hsl_lock", "already"]),
    ("unlock-free", False, ["gasnet_hsl_unlock", "does not hold|is not locked"]),
    ("unlock-order", True, ["gasnet_hsl_unlock", "reverse order"]),
    ("lock-raw", True, ["gasnet_hsl_lock", "not initialized"]),
    ("destroy-raw", True, ["gasnet_hsl_destroy", "not initialized"]),
    ("lock-destroyed", True, ["gasnet_hsl_lock", "destroyed"]),
    ("trylock-mine", True, ["gasnet_hsl_trylock", "already"]),
    ("request-under-lock", True, ["gasnet_AMRequestShort", "holds the HSL"]),
    ("request-in-section", True, ["gasnet_AMRequestMedium", "no-interrupt section"]),
    ("destroy-locked", False, ["gasnet_hsl_destroy", "is locked"]),
    ("poll-under-lock", True, ["gasnet_AMPoll", "holds the HSL"]),
    ("hold-twice", True, ["gasnet_hold_interrupts", "open already"]),
    ("resume-alone", True, ["gasnet_resume_interrupts", "no section"]),
    ("get-in-section", True, ["gasnet_get", "no-interrupt section"]),
    ("handler-reserved", False, ["gasnet_AMRequestShort", "no handler 5", "node 0"]),
    ("handler-unknown", False, ["handler", "222"]),
    ("node-unknown", False, ["gasnet_AMRequestShort", "no node 1", "0 to 0"]),
    ("medium-too-long", False, ["gasnet_AMRequestMedium", "bytes", "at most"]),
    ("long-too-long", False, ["gasnet_AMRequestLong", "bytes", "at most"]),
    ("long-async-node", False, ["gasnet_AMRequestLongAsync", "no node 7"]),
    ("medium-null", True, ["gasnet_AMRequestMedium", "source_addr is NULL"]),
    ("long-outside", True, ["gasnet_AMRequestLong", "dest_addr", "segment of node 0"]),
    ("long-into-static", False, ["gasnet_AMRequestLong", "dest_addr", "segment of node 0"]),
    ("request-from-request-handler", False, ["gasnet_AMRequestShort"]),
    ("reply-null", True, ["gasnet_AMReplyMedium", "source_addr is NULL"]),
    ("request-from-reply-handler", False, ["gasnet_AMRequestShort"]),
    ("reply-from-reply-handler", False, ["gasnet_AMReplyShort"]),
    ("reply-twice", False, ["gasnet_AMReplyShort"]),
    ("reply-unknown", False, ["handler", "222"]),
    ("reply-reserved", False, ["gasnet_AMReplyMedium", "no handler 5", "node 0"]),
    ("reply-too-long", False, ["gasnet_AMReplyMedium", "bytes", "at most"]),
    ("reply-long-outside", False, ["gasnet_AMReplyLong", "dest_addr", "segment of node 0"]),
    ("reply-no-token", False, ["gasnet_AMReplyShort", "token"]),
    ("reply-kept", True, ["gasnet_AMReplyShort", "token"]),
    ("reply-under-lock", True, ["gasnet_AMReplyShort", "holds the HSL"]),
    ("handler-keeps-lock", True, ["holds the HSL"]),
    ("poll-in-handler", True, ["gasnet_AMPoll", "handler"]),
    ("put-from-handler", True, ["gasnet_put_val", "handler"]),
    ("barrier-from-handler", True, ["gasnet_barrier_notify", "handler"]),
    ("put-node", False,
     ["gasnet_put", "no node 4", "0 to 0", r"called from .*\((near )?misuse\.c:1[56]\d\)"]),
    ("get-node-minus-one", False, ["gasnet_get", "no node 4294967295"]),
    ("put-negative", False, ["gasnet_put", "negative|nbytes is"]),
    ("get-negative", False, ["gasnet_get_nbi", "negative|nbytes is"]),
    ("memset-negative", False, ["gasnet_memset", "negative|nbytes is"]),
    ("strided-negative", False, ["gasnet_puts_bulk", "the count is negative"]),
    ("strided-both-negative", False, ["gasnet_gets_bulk", "the count is negative"]),
    ("indexed-negative", False, ["gasnet_puti_bulk", "the count is negative"]),
    ("vector-negative", False, ["gasnet_putv_bulk", "the count is negative"]),
    ("put-outside", True,
     ["gasnet_put_bulk", "segment of node 0", r"it ends 1 bytes beyond the segment; gasnet_attach "
      r"gives segments at main\+0x\w+ \("]),
    ("put-from-beyond", True,
     ["gasnet_put_bulk: the local address: 8 bytes", "reach 3 bytes beyond the end of their block",
      r"gasnet_attach gave it at main\+0x\w+ \("]),
    ("put-from-static", True,
     ["gasnet_put_bulk: the local address: 8 bytes", "reach 3 bytes beyond the end of static big"]),
    ("get-outside", True, ["gasnet_get_nbi_bulk", "segment of node 0"]),
    ("memset-outside", True, ["gasnet_memset", "it begins 1 bytes before the segment"]),
    ("put-overlap", True, ["gasnet_put_bulk", r"source and destination \(8 bytes\) overlap"]),
    ("put-null", True, ["gasnet_put_nb_bulk", "local address is NULL"]),
    ("value-size", False, ["gasnet_put_val", "nbytes is 9"]),
    ("vector-length", False, ["gasnet_putv_bulk", "10 bytes", "11 bytes"]),
    ("strided-outside", True, ["gasnet_puts_bulk", "segment of node 0"]),
    ("indexed-outside", True, ["gasnet_puti_bulk", "segment of node 0"]),
    ("value-node", False, ["gasnet_get_val", "no node 9"]),
    ("memset-node", False, ["gasnet_memset_nbi", "no node 9"]),
    ("handle-even", True, ["gasnet_wait_syncnb", "no handle"]),
    ("handle-odd", True, ["gasnet_try_syncnb", "no handle"]),
    ("handle-array", True, ["gasnet_wait_syncnb_some", "no handle"]),
    ("handle-twice", True,
     ["gasnet_wait_syncnb", r"was waited for already; gasnet_put_nb gave it at \w+\+0x\w+ \("]),
    ("handle-tried", True, ["gasnet_try_syncnb_some", "was waited for already"]),
    ("value-twice", True,
     ["gasnet_wait_syncnb_valget", "was waited for already; gasnet_get_nb_val gave it"]),
    ("handles-null", False, ["gasnet_wait_syncnb_all", "3 handles is NULL"]),
    ("wait-in-region", True, ["gasnet_wait_syncnbi_all", "access region"]),
    ("try-in-region", True, ["gasnet_try_syncnbi_puts", "access region"]),
    ("try-alone", False, ["gasnet_barrier_try", "without gasnet_barrier_notify"]),
    ("region-twice", False, ["gasnet_begin_nbi_accessregion", "open already"]),
    ("region-end", False, ["gasnet_end_nbi_accessregion", "no access region"]),
    ("notify-twice", False, ["gasnet_barrier_notify", "twice"]),
    ("wait-alone", False, ["gasnet_barrier_wait", "without gasnet_barrier_notify"]),
    ("barrier-flags", False, ["gasnet_barrier_notify", "flags is 64"]),
]

# of two nodes, in checking mode
PAIRS = [
    ("right-then-beyond", ["gasnet_put_bulk", "it ends 1 bytes beyond the segment"]),
    ("right-then-static", ["gasnet_get_bulk", "reach 3 bytes beyond the end of static big"]),
    ("right-then-locked", ["gasnet_put_bulk", "holds the HSL"]),
    ("right-then-section", ["gasnet_get_bulk", "no-interrupt section"]),
]


def plan():
    yield wrong_use.Use(["nothing"], False)
    yield wrong_use.Use(["nothing"], True)
    for what, needs_check, says, *also in CASES:
        for checking in (True,) if needs_check else (False, True):
            yield wrong_use.Use([what], checking, says, also=also)
    for what, says in PAIRS:
        yield wrong_use.Use([what], True, says, options=["-n", "2"])


MISTAKES = {"GASNet": {
    "before": "before-init", "process": "put-node", "count": "put-negative",
    "foreign": "get-outside", "beyond": "put-outside", "null": "put-null",
    "short": "put-from-beyond", "short-static": "put-from-static", "garbage": "handle-even",
    "waited": "handle-twice", "overlap": "put-overlap",
    "own-lock": "lock-twice", "not-held": "unlock-free", "handler": "put-from-handler"}}


def cases():
    return wrong_use.cases(plan())


if __name__ == "__main__":
    wrong_use.run([("gasnet/misuse.c", ["-DGASNET_PAR", "-O1"], list(plan()))],
                  env={"GASNET_MAX_SEGSIZE": "1M"})
