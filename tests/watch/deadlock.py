#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report of a deadlock: one line per PE, in PE order, once, with the place of the call in the
program and the object that each waits for; none while a PE computes."""
import re
from concurrent.futures import ThreadPoolExecutor

from common import HERE, check, compile_program, finish, oshcc, run

MISTAKES = {"OpenSHMEM": {"gone": "finished 1"}, "ARMCI": {"gone": "finished 2"},
            "DART": {"gone": "finished 3"}}


def cases():
    return {f"finished {interface}": True for interface, *_ in finished()}


HEAD = (r"causeway: deadlock: all {n} PEs have waited longer than 1 s \(CAUSEWAY_DEADLOCK\); "
        r"this ends the job")
PLACE = r", called from \w+\+0x[0-9a-f]+ \((?:deadlock|finished)\.c:(\d+)\)"
LINE = (r"causeway: deadlock: PE {pe} \(node {node}, host [^,]+, pid \d+\) has waited \d+ s in "
        r"{call}{place}: {what}$")
SOURCE = (HERE / "deadlock.c").read_text(encoding="utf-8").splitlines()


def check_report(case, pes, layout, lines):
    """lines: (routine, what) of each PE."""
    output = run("deadlock", case, pes=pes, layout=layout, expect=1, CAUSEWAY_DEADLOCK=1,
                 CAUSEWAY_DEADLOCK_ACTION="abort", timeout=50)
    where = f"{case} {layout}/{pes}"
    printed = [line for line in output.splitlines() if line.startswith("causeway: deadlock:")]
    if not check(len(printed) == pes + 1,
                 f"{where}: {len(printed)} lines, expected {pes + 1}:\n{output}"):
        return
    check(re.match(HEAD.format(n=pes), printed[0]), f"{where}: head '{printed[0]}'")
    for pe, (call, what) in enumerate(lines):
        node = 0 if layout == "node" else pe * 2 // pes
        want = LINE.format(pe=pe, node=node, call=call, what=what, place=PLACE)
        found = re.match(want, printed[pe + 1])
        check(found and call in SOURCE[int(found[1]) - 1],
              f"{where}: '{printed[pe + 1]}' is not '{want}', or not where it calls")


def reports():
    """(case, PEs, layout, (routine, what) of each PE)"""
    never = ("shmem_int_wait_until", r"flag is 0, wanted >= 7")
    for layout, pes in [("node", 1), ("node", 3), ("2nodes-rdm", 2), ("2nodes-msg", 4)]:
        yield ("never", pes, layout, [never] * pes)
    yield ("never_on_heap", 2, "node",
           [("shmem_long_wait_until", r"heap \+0x50 is -5, wanted != -5")] * 2)
    yield ("never_all", 2, "node",
           [("shmem_int_wait_until_all",
             r"flags\+0x8 is 0, wanted == 1 \(word 2 of 8\)")] * 2)
    cycle = [("shmem_set_lock", r"lock lock_b, held by PE 1"),
             ("shmem_set_lock", r"lock lock_a, held by PE 0"),
             ("shmem_set_lock", r"lock lock_a, held by PE 0( \(in the queue behind PE 1\))?")]
    yield ("lock_cycle", 2, "node", cycle[:2])
    yield ("lock_cycle", 3, "node", [cycle[0], ("shmem_set_lock", r"lock lock_a, held by PE 0.*"),
                                     cycle[2]])
    yield ("lock_cycle", 2, "2nodes-msg", cycle[:2])
    endless = (r"lock lock_a, behind PE {} in a queue that has no end: one PE of it holds the lock "
               r"already, and a lock is not recursive")
    yield ("lock_twice", 2, "node", [("shmem_set_lock", endless.format(1)),
                                     ("shmem_set_lock", endless.format(0))])
    for layout, pes in [("node", 3), ("2nodes-rdm", 2), ("2nodes-rdm", 4)]:
        inside = ("shmem_barrier_all",
                  r"synchronisation \d+ of all PEs; not there: PE %d" % (pes - 1))
        last = ("shmem_signal_wait_until", r"sig is 0, wanted > 3")
        yield ("missing", pes, layout, [inside] * (pes - 1) + [last])
    inside = ("shmem_barrier_all", r"synchronisation \d+ of all PEs; not there: PE 1")
    ending = ("shmem_finalize", r"the end of all PEs; not there: PE 0, PE 2")
    for layout in ("node", "2nodes-msg"):
        yield ("ended", 3, layout, [inside, ending, inside])


def check_no_report():
    for layout, pes in [("node", 3), ("2nodes-rdm", 4)]:
        output = run("deadlock", "slow", pes=pes, layout=layout, CAUSEWAY_DEADLOCK=1,
                     CAUSEWAY_DEADLOCK_ACTION="abort")
        check("went on" in output and "deadlock: all" not in output, f"slow {layout}: {output}")
        check(len(re.findall(
            r"warning: PE 0 of \d+ .*has waited \d+ s in shmem_barrier_all%s; PE %d, at least, "
            r"does not wait"
            % (PLACE, pes - 1), output)) == 1, f"slow {layout}: no notice, or several:\n{output}")


def check_first_computes():
    """PE 0 computes: PE 1, not PE 0, says that others wait, and only PE 1."""
    for layout, pes in [("node", 3), ("2nodes-rdm", 4), ("2nodes-msg", 2)]:
        output = run("deadlock", "slow_first", pes=pes, layout=layout, CAUSEWAY_DEADLOCK=1,
                     CAUSEWAY_DEADLOCK_ACTION="abort")
        check("went on" in output and "deadlock: all" not in output, f"first {layout}: {output}")
        notices = re.findall(r"warning: PE (\d+) of \d+ .*has waited \d+ s in shmem_barrier_all, "
                             r"called from .*; PE 0, at least, does not wait", output)
        check(notices == ["1"], f"first {layout}: notices of {notices}:\n{output}")


def check_goes_on():
    # The job continues by default: the report comes once, the alarm ends it.
    output = run("deadlock", "never", "6", pes=2, expect=None, CAUSEWAY_DEADLOCK=1)
    check(output.count("causeway: deadlock: all 2 PEs") == 1
          and "the job goes on waiting" in output, f"report: {output}")


def check_settings():
    # Off unless requested; on in checking mode, at 60 s, for which this test does not wait.
    output = run("deadlock", "never", "3", pes=2, expect=None)
    check("causeway: deadlock" not in output, f"off: {output}")
    output = run("deadlock", "never", "4", pes=2, expect=None, CAUSEWAY_CHECK=1,
                 CAUSEWAY_DEADLOCK=1)
    check("causeway: deadlock: all 2 PEs" in output, f"checking: {output}")
    output = run("deadlock", "slow", pes=2, CAUSEWAY_CHECK=1)
    check("went on" in output and "deadlock" not in output, f"checking, slow: {output}")
    output = run("deadlock", "slow", pes=1, expect=1, CAUSEWAY_DEADLOCK_ACTION="shout")
    check(re.search(r'CAUSEWAY_DEADLOCK_ACTION="shout" is not known: give one of report\|abort',
                    output), output)


def check_part(case, pes, layout, lines):
    """PEs 0 and 1 wait for each other while the last one does not wait."""
    output = run("deadlock", case, pes=pes, layout=layout, expect=1, CAUSEWAY_DEADLOCK=1,
                 CAUSEWAY_DEADLOCK_ACTION="abort", timeout=50)
    head = f"causeway: deadlock: 2 of {pes} PEs wait for each other; this ends the job"
    check(head in output and output.count("deadlock: PE") == 2, f"{case} {layout}: {output}")
    for line in lines:
        check(re.search(line, output), f"{case} {layout}: no '{line}' in\n{output}")


def parts():
    cycle = [rf"PE 0 .* in shmem_set_lock{PLACE}: lock lock_b, held by PE 1",
             rf"PE 1 .* in shmem_set_lock{PLACE}: lock lock_a, held by PE 0"]
    for layout, pes in (("node", 3), ("2nodes-msg", 4)):
        yield "part_cycle", pes, layout, cycle
    yield "lock_and_barrier", 3, "2nodes-rdm", [
        rf"PE 0 .* in shmem_set_lock{PLACE}: lock lock_a, held by PE 1",
        rf"PE 1 .* in shmem_barrier_all{PLACE}: "]


def check_am():
    """The wait stands in the report though a handler has run in it."""
    output = run("finished4", expect=1, CAUSEWAY_DEADLOCK=1, CAUSEWAY_DEADLOCK_ACTION="abort",
                 timeout=50)
    waits = re.findall(rf"deadlock: PE \d .* in GASNET_BLOCKUNTIL{PLACE}: other PEs", output)
    check(len(waits) == 2, output)


def check_finished(interface, case, layout, pattern):
    """A PE has finalized, and others wait for what it does no more: said without any setting."""
    output = run(f"finished{interface}", case, pes=3, layout=layout, expect=1, timeout=50)
    check(re.search(pattern, output, re.M), f"finished {interface} {case} {layout}: {output}")


def check_polls():
    """That cannot be proved of a PE that polls: a warning says what it does."""
    output = run("finished1", "polls", pes=3, layout="2nodes-msg", timeout=50)
    check(re.search(r"warning: PE [12] of 3 .*: called shmem_finalize, and has waited \d+ s for "
                    rf"the others to end; PE 0 \(.*\) polls shmem_int_test{PLACE}, in a loop, for "
                    r"\d+ s in vain", output), output)


def finished():
    """(interface, case, layout, pattern)"""
    missing = (r"PEs? [02, ]+ of 3 .* waits in {}%s, for PE 1 \(pid \d+, host .*\), which has "
               r"called {}$" % PLACE)
    for layout in ("node", "2nodes-rdm"):
        yield 1, "barrier", layout, missing.format("shmem_barrier_all", "shmem_finalize")
    yield 1, "busy", "2nodes-msg", missing.format("shmem_barrier_all", "shmem_finalize")
    yield 1, "word", "2nodes-msg", (
        r"PE 1 of 3 .*: called shmem_finalize, and PE 0 \(.*\) waits in shmem_int_wait_until"
        rf"{PLACE}, for what no PE does any more")
    yield 2, "barrier", "node", missing.format("ARMCI_Barrier", "ARMCI_Finalize")
    yield 3, "barrier", "2nodes-msg", missing.format("dart_barrier", "dart_exit")


def main():
    compile_program("deadlock", "-g", "-O0")  # no call is the last jump of another
    for interface in (1, 2, 3, 4):
        oshcc(f"finished{interface}", "-g", f"-DINTERFACE={interface}", "-DGASNET_SEQ",
              HERE / "finished.c")
    with ThreadPoolExecutor(8) as pool:  # all of them sleep
        tasks = [pool.submit(check_finished, *case) for case in finished()]
        tasks += [pool.submit(check_one) for check_one in (
            check_polls, check_am, check_no_report, check_goes_on, check_first_computes,
            check_settings)]
        tasks += [pool.submit(check_part, *part) for part in parts()]
        tasks += [pool.submit(check_report, *report) for report in reports()]
        for task in tasks:
            task.result()
    finish("deadlock report")


if __name__ == "__main__":
    main()
