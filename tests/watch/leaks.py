#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checking mode reports at finalize what was not released, and nothing when all was; without
checking mode nothing is reported."""
import re

from common import check, compile_program, finish, run


MISTAKES = {"OpenSHMEM": {"leak": "leaks"}, "GASNet": {"unwaited": "left"},
            "GASNet-EX": {"unwaited": "left", "leak": "left"},
            "ARMCI": {"unwaited": "left_armci", "leak": "left_armci"}}


def cases():
    return {"leaks": False, "left": False, "left_armci": False}


PLACE = r"main\+0x[0-9a-f]+ \((near )?(left|left_armci|gasnet)\.[ch]:\d+\)"
LEFT = [("left", ["-DGASNET_SEQ"], [
    f"leak: handle: 3 of gex_RMA_PutNB at {PLACE}, never waited for",
    f"leak: handle: 1 of gasnet_get_nb_bulk at {PLACE}, never waited for",
    f"leak: handle: 1 of gasnet_get_nb_val at {PLACE}, never waited for",
    f"leak: event: 1 of gex_Coll_BarrierNB at {PLACE}, never waited for",
    f"leak: team: 1 of gex_TM_Split at {PLACE}, never destroyed",
    f"leak: segment: 1 of gex_Segment_Create at {PLACE}, never destroyed",
    f"leak: domain of atomics: 1 of gex_AD_Create at {PLACE}, never destroyed"]),
        ("left_armci", [], [
            f"leak: block: 1 of ARMCI_Malloc at {PLACE}, never freed",
            "leak: mutex: mutex 0 of process 1 is still held by process 0; ARMCI_Unlock it",
            f"leak: handle: 1 of ARMCI_NbPut at {PLACE}, never waited for",
            f"leak: handle: 1 of ARMCI_NbAcc at {PLACE}, never waited for"])]


def left(program, flags, patterns):
    """What the other interfaces leave: the place of the call, and nothing when all was given back
    or nothing is checked."""
    compile_program(program, *flags)
    for layout in ("node", "2nodes-rdm"):
        output = run(program, layout=layout, CAUSEWAY_CHECK=1)
        for pattern in patterns:
            check(re.search(pattern, output), f"{layout}: no '{pattern}' in\n{output}")
        found = len(set(re.findall("leak: .*", output)))
        check(found == len(patterns), f"{program}, {layout}: other lines than these:\n{output}")
    for arguments, check_mode in (["clean"], 1), ([], 0):
        output = run(program, *arguments, CAUSEWAY_CHECK=check_mode)
        check("leak:" not in output and f"{program} done" in output, f"{program}: {output}")


def main():
    for program in LEFT:
        left(*program)
    compile_program("leaks")
    for layout in ("node", "2nodes-rdm"):
        output = run("leaks", pes=2, layout=layout, CAUSEWAY_CHECK=1)
        for pattern in [
                r"warning: PE 0 of 2 .*leak: block of 1000 bytes at heap offset 0x0, allocated in "
                r"allocate_here\+0x[0-9a-f]+ \(leaks\.c:\d+\); "
                "shmem_free it",
                r"leak: block of 24 bytes at heap offset 0x[0-9a-f]+, allocated in main\+0x",
                r"leak: 9 symmetric heap blocks, 1192 bytes on each PE, were not freed before "
                r"shmem_finalize",
                r"warning: PE 0 of 2 .*leak: lock: the lock at 0x[0-9a-f]+ "
                r"\(static `lock`, 8 bytes\) is still set by PE 0; "
                r"shmem_clear_lock it"]:
            check(re.search(pattern, output), f"{layout}: no '{pattern}' in\n{output}")
        check(output.count("leak: block") == 5, f"{layout}: not the first five blocks:\n{output}")
        check("PE 1 of 2" not in output, f"{layout}: PE 1 repeats it:\n{output}")
        output = run("leaks", "clean", pes=2, layout=layout, CAUSEWAY_CHECK=1)
        check("leak:" not in output and "leaks done" in output, f"{layout}, clean: {output}")
    output = run("leaks", pes=2)
    check("leak:" not in output, f"not checking: {output}")
    finish("leaks")


if __name__ == "__main__":
    main()
