#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checking mode reports at finalize what was not released, and nothing when all was; without
checking mode nothing is reported."""
import re

from common import check, compile_program, finish, run


MISTAKES = {"OpenSHMEM": {"leak": "leaks"}}


def cases():
    return {"leaks": False}


def main():
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
