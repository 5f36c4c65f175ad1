#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Active messages in statistics and traces: exactly those that messages.c sends, on one node and on
two; the same as text."""
import json
import re
from collections import Counter

from common import ROOT, check, compile_program, finish, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

# kind: (number, bytes) that every PE sends, and that every PE handles
MESSAGES = {"short_request": (200, 0), "medium_request": (3, 300), "long_request": (3, 7000),
            "short_reply": (200, 0), "medium_reply": (3, 150), "long_reply": (1, 64)}
ROUTINES = {"gasnet_AMRequestShort": (200, 0), "gasnet_AMRequestMedium": (3, 300),
            "gasnet_AMRequestLong": (3, 7000),
            "gasnet_AMPoll": (1, 0)}


def check_statistics(schema, layout, pes):
    where = f"{layout}/{pes}"
    output = run("messages", pes=pes, layout=layout, CAUSEWAY_STATS="json:stats.json",
                 CAUSEWAY_AM_CREDITS=4)
    check("messages done" in output, f"{where}: {output}")
    data = json.load(open("stats.json", encoding="utf-8"))
    if jsonschema:
        errors = [error.message[:300]
                  for error in jsonschema.Draft7Validator(schema).iter_errors(data)]
        check(not errors, f"{where}: schema: {errors}")
    for pe in data["pes"]:
        got = dict(pe["messages"])
        waits = got.pop("credit_waits") + got.pop("room_waits")
        routed = got.pop("routed")
        check(routed == 0, f"{where} PE {pe['pe']}: {routed} messages routed without a topology")
        for side in ("sent", "handled"):
            figures = {kind: (m[side], m[f"{side}_bytes"]) for kind, m in got.items()}
            check(figures == MESSAGES,
                  f"{where} PE {pe['pe']} {side}: {figures}, expected {MESSAGES}")
        check(waits > 0, f"{where} PE {pe['pe']}: 200 requests with 4 credits, and none waited")
        routines = {name: (r["calls"], r["bytes"]) for name, r in pe["routines"].items()
                    if name in ROUTINES}
        check(routines == ROUTINES, f"{where} PE {pe['pe']}: {routines}, expected {ROUTINES}")
        waited = pe["routines"]["gasnet_AMRequestShort"]["waited_us"]
        check(waited > 0, f"{where} PE {pe['pe']}: the waits took no time")
        right, left = (pe["pe"] + 1) % pes, (pe["pe"] - 1) % pes
        want = Counter({right: 206}) + Counter({left: 204})
        peers = {peer["pe"]: peer["messages"] for peer in pe["peers"] if peer["messages"]}
        check(peers == want, f"{where} PE {pe['pe']} peers: {peers}, expected {dict(want)}")


def check_arrows(events):
    """Each message has both ends of an arrow, the first one earlier."""
    ends = {side: {e["id"]: e for e in events if e["ph"] == side} for side in "sf"}
    check(ends["s"].keys() == ends["f"].keys(),
          f"arrows: one end only: {sorted(ends['s'].keys() ^ ends['f'].keys())[:9]}")
    number = sum(number for number, _ in MESSAGES.values())
    check(len(ends["s"]) == 2 * number, f"{len(ends['s'])} arrows, {2 * number} messages")
    for name, begin in ends["s"].items():
        end = ends["f"].get(name, begin)
        check(end["ts"] >= begin["ts"] and end["name"] == begin["name"]
              and (end is begin or end["pid"] == 1 - begin["pid"]),
              f"arrow from {begin} to {end}")
    counters = [e["args"] for e in events if e["ph"] == "C" and e["pid"] == 0]
    total = sum(nbytes for _, nbytes in MESSAGES.values())
    check(counters and counters[-1]["messages"] == total,
          f"counters end with {counters[-1:]}, of {total} bytes")


def check_trace():
    output = run("messages", pes=2, layout="2nodes-rdm", CAUSEWAY_TRACE="trace.json")
    check("messages done" in output, f"trace: {output}")
    every = json.load(open("trace.json", encoding="utf-8"))["traceEvents"]
    check_arrows(every)
    events = [e for e in every if e.get("cat") == "handler"]
    for pe in range(2):
        mine = Counter(e["name"].removeprefix("handler of a ").replace(" ", "_") for e in events
                       if e["pid"] == pe)
        want = {kind: number for kind, (number, _) in MESSAGES.items()}
        check(mine == want, f"trace PE {pe}: {dict(mine)}, expected {want}")
        check(all(e["args"]["pe"] == 1 - pe for e in events if e["pid"] == pe),
              f"trace PE {pe}: the PEs that sent them")


def check_text():
    output = run("messages", pes=2, CAUSEWAY_STATS="pes")
    for pattern in (r"PE 0: long_request: sent 3 \(7000 bytes\), handled 3 \(7000 bytes\)",
                    r"PE 1: requests that waited for a credit \d+",
                    r"PE 1: gasnet_AMRequestShort +200 calls",
                    r"PE 0: with PE 1: .* messages 410 \(7514 bytes\)"):
        check(re.search(pattern, output), f"text: no line '{pattern}' in\n{output}")


def main():
    compile_program("messages", "-DGASNET_SEQ")
    schema = json.load(open(ROOT / "docs/causeway-stats.schema.json", encoding="utf-8"))
    for layout, pes in (("node", 3), ("2nodes-rdm", 3), ("2nodes-msg", 4)):
        check_statistics(schema, layout, pes)
    check_trace()
    check_text()
    finish("messages")


if __name__ == "__main__":
    main()
