#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job that ends early leaves what its PEs had counted: statistics, a page, a trace. What a PE
had counted is complete until its death, however it died."""
import gzip
import json
import os
import re

from common import ROOT, check, compile_program, finish, page_data, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

ENDS = {"kill": 137, "segv": 139, "abort": 134, "global_exit": 3, "exit": 1}
PES = 3


def check_statistics(schema, how):
    with open("stats.json", encoding="utf-8") as file:
        data = json.load(file)
    if jsonschema:
        for error in jsonschema.Draft7Validator(schema).iter_errors(data):
            check(False, f"{how}: schema: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    check(data["job"]["ended"] == "early", f"{how}: {data['job']}")
    check([record["pe"] for record in data["pes"]] == list(range(PES)), f"{how}: PEs")
    for record in data["pes"]:
        classes = {name: c["calls"] for name, c in record["classes"].items()}
        # the last PE may have ended the job before the call that it waited for has returned
        atomics = classes.pop("atomic", 0)
        check(atomics <= (record["pe"] < PES - 1), f"{how} PE {record['pe']}: {atomics} atomics")
        want = {"p": 20, "put": 1}
        check(classes == want, f"{how} PE {record['pe']}: {classes}, expected {want}")
        check(record["routines"]["shmem_barrier_all"]["calls"] == 1,
              f"{how} PE {record['pe']}: {record['routines']}")
        right = [p for p in record["peers"] if p["pe"] == (record["pe"] + 1) % PES]
        check(right and right[0]["put_bytes"] == 21 * 8, f"{how} PE {record['pe']}: {right}")
        check(record["elapsed_us"] > 0 and record["rss_bytes"] > 100000 and record["host"],
              f"{how} PE {record['pe']}: {record}")


def check_trace(how):
    with gzip.open("trace.json.gz") as file:
        events = json.load(file)["traceEvents"]
    for pe in range(PES):
        mine = [e for e in events if e["pid"] == pe]
        check(sum(e["ph"] == "X" and e["name"] == "p" for e in mine) == 20,
              f"{how} PE {pe}: puts in the trace")
        check(all(e.get("dur", 0) < 1e9 for e in mine), f"{how} PE {pe}: a span without end")
    waits = [e for e in events if e["ph"] == "B" and e["pid"] < PES - 1]
    check(all(e["name"] in ("shmem_barrier_all", "a collective", "atomic",
                            "shmem_long_atomic_inc") for e in waits), f"{how}: open: {waits}")


def main():
    compile_program("early")
    with open(ROOT / "docs/causeway-stats.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    for how, status in ENDS.items():
        for name in ("stats.json", "trace.json.gz"):
            if os.path.exists(name):
                os.remove(name)
        output = run("early", how, pes=PES, expect=status, CAUSEWAY_STATS="json:stats.json",
                     CAUSEWAY_TRACE="trace.json.gz")
        check(re.search(r"oshrun: the job has ended early: the statistics until then are in /.*"
                        r"/stats\.json", output), output)
        check_statistics(schema, how)
        check_trace(how)
    output = run("early", "kill", pes=PES, layout="2nodes-msg", expect=137, CAUSEWAY_STATS=1)
    check(re.search(r"causeway: job: early, 3 PEs on 2 nodes; ended early", output)
          and re.search(r"causeway: job: p +60 +480 B", output), output)
    run("early", "kill", pes=PES, expect=137, CAUSEWAY_STATS="html")
    data = page_data("causeway-stats.html")
    check(data["job"]["ended"] == "early" and data["pes"][0]["timeline"]["begin_us"] == 0
          and all(sum(record["timeline"]["library_us"]) > 0 for record in data["pes"]),
          f"page: {data}")
    os.remove("causeway-stats.html")
    # nothing is recovered where the job has written it
    output = run("early", pes=PES, CAUSEWAY_STATS="json:stats.json")
    check("early" not in output, output)
    with open("stats.json", encoding="utf-8") as file:
        check(json.load(file)["job"]["ended"] == "finalized", "ended")
    # settings that oshrun itself passes on count, too
    run("early", "kill", pes=PES, expect=137, oshrun=["-x", "CAUSEWAY_TRACE=trace.json.gz"])
    check_trace("-x")
    finish("early")


if __name__ == "__main__":
    main()
