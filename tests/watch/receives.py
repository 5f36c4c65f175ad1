#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A receive that waits for another tag than was sent: the deadlock report, the line of a long wait
and checking mode name the message that is there. Likewise of notifications, of which one was sent
less."""
import re

from common import check, compile_program, finish, run

MISTAKES = {"ARMCI": {"tag": "tag"}, "DART": {"tag": "tag"}}
CALL = {"dart": r"dart_recv, called from main\+0x\w+ \(receives\.c:31\)",
        "armci": r"armci_msg_rcv, called from main\+0x\w+ \(receives\.c:33\)",
        "notify": r"armci_notify_wait, called from main\+0x\w+ \(receives\.c:35\)"}
WAITS = {"dart": "a message with tag 7 of PE 0; here wait 2, one of them of PE 0 with tag 9 and 80 "
                 "bytes",
         "armci": "a message with tag 8 of PE 0; here waits 1, of PE 0 with tag 9 and 24 bytes",
         "notify": "notification 2 of PE 0, which has sent 1"}
WARNS = {"dart": "dart_recv: has waited 5 s for a message with tag 7 of PE 0; 2 wait here, one of "
                 "them of PE 0 with tag 9 and 80 bytes",
         "armci": "armci_msg_rcv: has waited 5 s for a message with tag 8 of PE 0; 1 wait here, "
                  "one of them of PE 0 with tag 9 and 24 bytes"}


def cases():
    return {"tag": False}


def main():
    compile_program("receives")
    for interface, call in CALL.items():
        for layout in ("node", "2nodes-msg"):
            output = run("receives", interface, "wait", pes=3, layout=layout, expect=1,
                         CAUSEWAY_DEADLOCK=1, CAUSEWAY_DEADLOCK_ACTION="abort")
            wanted = rf"deadlock: PE 1 .* in {call}: {WAITS[interface]}$"
            check(re.search(wanted, output, re.M), f"{interface}, {layout}: '{wanted}'\n{output}")
        output = run("receives", interface, "computes", "only", pes=3, expect=None, timeout=60,
                     CAUSEWAY_DEADLOCK=1, CAUSEWAY_CHECK=1, CAUSEWAY_DEADLOCK_ACTION="abort")
        wanted = rf"warning: PE 1 .* has waited \d+ s in {call}, for {WAITS[interface]}; PE 0, at "
        check(re.search(wanted, output), f"{interface}: '{wanted}' in\n{output}")
        check(interface not in WARNS or WARNS[interface] + "; called from main" in output,
              f"{interface}: {output}")
    finish("receives")


if __name__ == "__main__":
    main()
