#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace loads as JSON, has all calls of traffic.c as spans that nest, on one clock, and reports
the number of dropped events."""
import json
import re
from collections import Counter

from common import check, compile_program, finish, run


def load(where):
    with open("trace.json", encoding="utf-8") as file:
        data = json.load(file)
    check(isinstance(data.get("traceEvents"), list), f"{where}: no traceEvents")
    return data["traceEvents"]


def check_nesting(spans, where):
    """Spans of one track begin and end inside one another, or one after the other."""
    open_until = []
    for start, end_, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_until and start >= open_until[-1][0] - 0.0005:
            open_until.pop()
        if open_until and end_ > open_until[-1][0] + 0.0015:
            check(False, f"{where}: {name} ({start} to {end_}) sticks out of {open_until[-1]}")
            return
        open_until.append((end_, name))


def check_clock(spans, where):
    """A barrier ends on no PE before it has begun on every PE."""
    barriers = {pe: [s for s in sorted(of_pe) if s[2] == "shmem_barrier_all"] for pe,
                of_pe in spans.items()}
    for which in range(3):
        last_start = max(of_pe[which][0] for of_pe in barriers.values())
        first_end = min(of_pe[which][1] for of_pe in barriers.values())
        check(first_end >= last_start,
              f"{where}: barrier {which} is over at {first_end} us, and begins at {last_start}")


def check_trace(layout, pes):
    where = f"{layout}/{pes}"
    output = run("traffic", pes=pes, layout=layout, CAUSEWAY_TRACE="trace.json")
    check("traffic done" in output, f"{where}: {output}")
    events = load(where)
    spans, counts, waits = {}, Counter(), 0
    for event in events:
        if event["ph"] != "X":
            continue
        check(event["ts"] >= -1e6 and event["dur"] >= 0, f"{where}: {event}")
        spans.setdefault(event["pid"],
                         []).append((event["ts"], event["ts"] + event["dur"], event["name"]))
        counts[event["pid"], event["name"]] += 1
        waits += event["cat"] == "wait"
    check(set(spans) == set(range(pes)), f"{where}: tracks {sorted(spans)}")
    for pe, of_pe in spans.items():
        check_nesting(of_pe, f"{where} PE {pe}")
        for name, calls in [("p", 10), ("put", 3), ("put_nbi", 2), ("get", 2), ("atomic_fetch", 5),
                            ("put_signal", 1),
                            ("shmem_barrier_all", 3), ("shmem_quiet", 3), ("shmem_init", 1),
                            ("shmem_finalize", 1)]:
            want = calls + (1 if name == "put" else 0)  # the one inside put_signal
            check(counts[pe, name] == want,
                  f"{where} PE {pe}: {counts[pe, name]} spans {name}, expected {want}")
    if pes > 1:
        check(waits > 0, f"{where}: no waits")
    names = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    check(len(names) == pes and all(re.match(r"PE \d+ \(node \d", name) for name in names),
          f"{where}: {names}")
    check_clock(spans, where)


def check_dropping():
    output = run("traffic", pes=2, CAUSEWAY_TRACE="trace.json", CAUSEWAY_TRACE_EVENTS=20)
    lacks = r"the trace lacks the last \d+ events of this PE: set CAUSEWAY_TRACE_EVENTS to \d+"
    check(re.search(lacks, output), output)
    events = load("dropping")
    kept = Counter(e["pid"] for e in events if e["ph"] == "X")
    check(kept == {0: 20, 1: 20}, f"kept {kept}")
    dropped = [e["args"]["events"] for e in events if e["name"] == "causeway_dropped"]
    check(len(dropped) == 2 and all(n > 10 for n in dropped), f"dropped {dropped}")


def main():
    compile_program("traffic")
    check_trace("node", 1)
    check_trace("node", 3)
    check_trace("2nodes-rdm", 4)
    check_trace("2nodes-msg", 2)
    check_dropping()
    output = run("traffic", pes=1, expect=1, CAUSEWAY_TRACE="/nonexistent/folder/t.json")
    check("cannot write the trace to /nonexistent" in output, output)
    finish("trace")


if __name__ == "__main__":
    main()
