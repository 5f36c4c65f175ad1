#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checking mode says where the source of a put was changed before the put was complete, once for
each place; where puts and gets of DART were never flushed, implicit gets of GASNet never waited
for, names of its barriers different, a handle of ARMCI in use, its puts not fenced; nothing of a
right program, and nothing without checking mode."""
import re

from common import HERE, check, compile_program, finish, run

MISTAKES = {"OpenSHMEM": {"source": "shmem"},
            "GASNet": {"source": "gasnet", "unwaited-get": "gasnet", "ids": "gasnet"},
            "GASNet-EX": {"source": "gasnet", "unwaited-get": "gasnet"},
            "ARMCI": {"source": "armci", "in-use": "armci", "unflushed": "armci"},
            "DART": {"source": "dart", "unflushed": "dart", "unwaited-get": "dart"}}
# interface: flags of the compiler, and for each line that is marked by a comment: what the message
# names
PROGRAMS = {
    "shmem": ([], {
        "A": (r"0x\w+ \(static `words`, [^)]*\), 32 bytes", "shmem_quiet"),
        "B": (r"0x\w+ \(static `large`, [^)]*\), 262144 bytes", "shmem_ctx_quiet"),
        "D": (r"0x\w+ \(no memory of this process\), 262144 bytes", "shmem_barrier_all"),
        "E": (r"0x\w+ \([^)]*\), 64 bytes", "shmem_barrier_all"),
        "F": (r"0x\w+ \(static `again`, [^)]*\), 32 bytes", "shmem_quiet")}),
    "gasnet": (["-DGASNET_SEQ"], {
        "A": (r"0x\w+ \(static `words`, [^)]*\), 64 bytes", "gasnet_wait_syncnb"),
        "B": (r"0x\w+ \(static `words`\+0x40, [^)]*\), 8 bytes", "gasnet_wait_syncnbi_puts"),
        "C": (r"0x\w+ \(static `words`\+0x80, [^)]*\), 64 bytes", "gex_Event_Test"),
        "D": (r"0x\w+ \(static `words`\+0xc0, [^)]*\), 32 bytes", "gasnet_wait_syncnb_all")}),
    "armci": ([], {
        "A": (r"0x\w+ \(static `words`, [^)]*\), 64 bytes", "ARMCI_Wait"),
        "B": (r"0x\w+ \(static `words`\+0x40, [^)]*\), 8 bytes", "ARMCI_WaitAll"),
        "C": (r"0x\w+ \(static `words`\+0x80, [^)]*\), 32 bytes", "ARMCI_AllFence")}),
    "dart": ([], {
        "A": (r"0x\w+ \(static `words`, [^)]*\), 64 bytes", "dart_flush"),
        "B": (r"0x\w+ \(static `words`\+0x40, [^)]*\), 8 bytes", "dart_wait"),
        "C": (r"0x\w+ \(static `words`\+0x80, [^)]*\), 64 bytes", "dart_test")})}
FREED = ("sources_shmemD", "sources_shmemE")  # before the completion; else it was changed
UNFLUSHED = [("dart_barrier", r"2 puts of this PE, one of them to PE 1 at (?:main|put)\+0x\w+ "
                              r"\([^)]*\)"),
             ("dart_team_memfree", r"1 put of this PE, to PE 0 at main\+0x[0-9a-f]+ \(.*:E\)"),
             ("dart_barrier", r"1 put of this PE, to PE 0 at main\+0x[0-9a-f]+ \(.*:F\)"),
             ("dart_barrier", r"1 get of this PE, from PE 1 at main\+0x[0-9a-f]+ \(.*:H\)"),
             ("dart_exit", r"1 put of this PE, to PE 0 at main\+0x[0-9a-f]+ \(.*:G\)")]


def cases():
    return {interface: False for interface in PROGRAMS}


def marked(program):
    """Numbers of lines by their marks."""
    lines = (HERE / f"{program}.c").read_text(encoding="utf-8").splitlines()
    return {mark[1]: number for number, line in enumerate(lines, 1)
            if (mark := re.search(r"// (?:line )?([A-Z])\b", line))}


def patterns_of(program, lines):
    marks = marked(program)
    place = rf"main\+0x[0-9a-f]+ \({program}\.c:%s\)"
    # GASNet's header inlines the put, which the compiler may move behind the function
    begun = place
    if "gasnet" in program:
        begun = place.replace(r"\(", r"\((?:near )?").replace("%s", ".*")
    wanted = [rf"{call}: the source of the put to PE 1 at {begun.replace('%s', str(marks[mark]))}, "
              rf"{what}, was {'freed' if f'{program}{mark}' in FREED else 'changed'} before this "
              rf"call completed the put: .*; called from "
              + place % r"\d+" for mark, (what, call) in lines.items()]
    if program == "sources_dart":
        wanted += [f"{call}: " + re.sub(":([EFGH])", lambda m: f":{marks[m[1]]}", what)
                   + ", .* not complete: this call completes no (?:puts|gets); call dart_flush"
                   for call, what in UNFLUSHED]
    if program == "sources_armci":
        begun = {mark: place % marks[mark] for mark in "DE"}
        wanted += [f"ARMCI_NbGet: the handle is in use by the ARMCI_NbGet at {begun['D']}, which "
                   "was not waited for: ",
                   f"armci_msg_barrier: the put to process 1 at {begun['E']} is not fenced: this "
                   "call completes no puts; call ARMCI_Barrier, "]
    if program == "sources_gasnet":
        wanted += [r"gasnet_exit: 3 gets of this PE, one of them from PE 1 at main\+0x\w+ "
                   r"\([^)]*\), are not complete: no call has waited for them; call "
                   "gasnet_wait_syncnbi_gets, ",
                   "gasnet_barrier_wait: the ids differ: 7 on node 0, 8 on node 1; give the same ",
                   "gasnet_barrier_try: the id is 5 here, and 4 in gasnet_barrier_notify; "]
    return wanted


def compare(program, layout, output, patterns):
    warnings = re.findall(r"^causeway: warning: .*$", output, re.M)
    missing = [pattern for pattern in patterns
               if not any(re.search(pattern, line) for line in warnings)]
    check(len(warnings) == len(patterns) and not missing,
          f"{program}, {layout}: {len(patterns)} lines, without {missing}\n{output}")


def main():
    for interface, (flags, lines) in PROGRAMS.items():
        program = f"sources_{interface}"
        compile_program(program, *flags)
        wanted = patterns_of(program, lines)
        for layout in ("node", "2nodes-rdm", "2nodes-msg"):
            output = run(program, layout=layout, CAUSEWAY_CHECK=1)
            check(output.count(f"{program} done") == 2, f"{program}, {layout}: {output}")
            compare(program, layout, output, wanted)
            compare(program, layout, run(program, "right", layout=layout, CAUSEWAY_CHECK=1), [])
        # what is gone is read all the same, where the handler of crashes is the library's; else
        # the system is asked
        for settings in ({"CAUSEWAY_BACKTRACE": 0}, {"HANDLER": "before"}, {"HANDLER": "after"}):
            if interface == "shmem":
                compare(program, settings, run(program, CAUSEWAY_CHECK=1, **settings), wanted)
        compare(program, "not checking", run(program, CAUSEWAY_CHECK=0), [])
    finish("sources")


if __name__ == "__main__":
    main()
