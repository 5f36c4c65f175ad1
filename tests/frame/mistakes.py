# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes of programs, as docs/guide/mistakes.md lists them (maint/gen_mistakes_page.py). Scripts
that test wrong use say which of their cases stands for which mistake in which interface:

    MISTAKES = {"ARMCI": {"freed": "put-freed"}}     mistake by the name below, case by its own
    def cases(): ...                                 case: is it noticed always?
"""

INTERFACES = {"S": "OpenSHMEM", "G": "GASNet", "X": "GASNet-EX", "A": "ARMCI", "D": "DART",
              "C": "coarrays"}

# name, the mistake, the interfaces in which it can be made
ROWS = [
    ("before", "a call before the interface is initialised", "SGXAD"),
    ("after", "a call after it was finalized", "SAD"),
    ("process", "a process that does not exist", "SGXADC"),
    ("unit", "the pointer to a block of one process with another process", "D"),
    ("count", "a negative or absurd number of bytes", "SGXAD"),
    ("foreign", "remote memory that no allocation gave", "SGXAD"),
    ("beyond", "bytes past the end of a block or segment", "SGXADC"),
    ("freed", "a block or segment that was freed", "SXADC"),
    ("null", "a buffer of the program that is NULL", "SGXAD"),
    ("short", "a buffer of the program past the end of the block that it is in", "SGXAD"),
    ("static", "bytes past the end of a static variable", "S"),
    ("short-static", "a buffer of the program past the end of a static variable", "SGXAD"),
    ("overlap", "source and destination overlap", "SGXAD"),
    ("aligned", "an atomic on a word that is not aligned", "SXAD"),
    ("twice", "a block freed twice", "SAD"),
    ("not-block", "what is freed is no block", "SAD"),
    ("leak", "blocks, contexts, teams never given back", "SXAD"),
    ("other-call", "a process makes another collective call than the others", "SGXADC"),
    ("alone", "a process alone in an allocation or in making a team", "SXADC"),
    ("other-size", "collectives with different sizes", "SXADC"),
    ("other-root", "with different roots", "SXADC"),
    ("other-operation", "with different operations", "SXADC"),
    ("gone", "a process that ends, or finalizes, while others wait for it", "SGXADC"),
    ("interfaces", "collectives of two interfaces on one group", "SGXADC"),
    ("team", "a team or group that does not exist, or not any more", "SXADC"),
    ("context", "a context that was destroyed", "S"),
    ("garbage", "a handle, event or context that no call gave", "SGXAD"),
    ("waited", "a handle or event that was waited for before", "GXAD"),
    ("unwaited", "a handle or event that is never waited for", "GXAD"),
    ("source", "the source of a put changed before the put is complete", "SGXAD"),
    ("in-use", "a handle that has an operation used for another", "A"),
    ("unflushed", "a put that is not complete at a barrier that completes none", "AD"),
    ("unwaited-get", "gets without a handle that nothing completes", "GXD"),
    ("ids", "a barrier with different ids", "G"),
    ("own-lock", "a lock set again by its holder", "SGXADC"),
    ("not-held", "a lock cleared by another than its holder", "SGXADC"),
    ("lock-order", "two processes that each hold a lock and wait for the other's", "SADC"),
    ("tag", "a receive with another tag than the message that was sent", "AD"),
    ("handler", "communication in the handler of an active message", "GX"),
    ("thread", "a second thread in a job for one thread", "SGXAD"),
    ("context-thread", "a private context in another thread", "S"),
    ("fork", "a call in a process made by fork", "SGXADC"),
    ("signal", "a call in the handler of a signal", "SGXADC"),
]

# relative to tests/
SCRIPTS = ["api/misuse.py", "armci/misuse_groups.py", "armci/misuse_memory.py",
           "armci/misuse_transfers.py", "caf/misuse.py", "caf/waiting.py", "dart/misuse.py",
           "errors/crash.py", "errors/disagree.py", "gasnet/ending.py", "gasnet/misuse.py",
           "gasnet_ex/misuse.py", "mixed/second_thread.py", "watch/deadlock.py", "watch/leaks.py",
           "watch/locks.py", "watch/receives.py", "watch/sources.py"]
