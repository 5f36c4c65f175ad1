#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two PEs that wait for each other's lock are named within seconds in checking mode, in each
interface, while a third one computes."""
import re
import time

from common import HERE, check, compile_program, finish, run

MISTAKES = {"OpenSHMEM": {"lock-order": "shmem"}, "ARMCI": {"lock-order": "armci"},
            "DART": {"lock-order": "dart"}}
# the call, and the lock that the other one has, by the PE that has it
PROGRAMS = {"shmem": ("shmem_set_lock", lambda pe: r"lock locks" + (r"\+0x8" if pe else "")),
            "armci": ("ARMCI_Lock", lambda pe: f"a lock of PE {pe}"),
            "dart": ("dart_lock_acquire", lambda pe: "a lock of PE 0")}
SECONDS = 15  # of the 30 that the third PE computes, on a loaded machine


def cases():
    return {interface: False for interface in PROGRAMS}


def main():
    for interface, (call, lock_of) in PROGRAMS.items():
        program = f"locks_{interface}"
        compile_program(program)
        lines = (HERE / f"{program}.c").read_text(encoding="utf-8").splitlines()
        line = next(i for i, text in enumerate(lines, 1) if "never given" in text)
        for layout in ("node", "2nodes-msg"):
            begun = time.monotonic()
            output = run(program, pes=3, layout=layout, expect=1, CAUSEWAY_CHECK=1,
                         CAUSEWAY_DEADLOCK_ACTION="abort")
            took = time.monotonic() - begun
            check(took < SECONDS, f"{program}, {layout}: {took:.0f} s")
            check("deadlock: 2 of 3 PEs wait for each other; this ends the job" in output
                  and output.count("deadlock: PE") == 2, f"{program}, {layout}: {output}")
            for pe in (0, 1):
                wanted = (rf"deadlock: PE {pe} .* in {call}, called from main\+0x\w+ "
                          rf"\({program}\.c:{line}\): {lock_of(1 - pe)}, held by PE {1 - pe}$")
                check(re.search(wanted, output, re.M),
                      f"{program}, {layout}: no '{wanted}' in\n{output}")
    finish("locks")


if __name__ == "__main__":
    main()
