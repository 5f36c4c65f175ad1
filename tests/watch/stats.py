#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics as JSON: they follow the schema and match exactly the traffic of traffic.c; as text:
they name the same figures."""
import gzip
import json
import os
import re
import subprocess
from collections import Counter

from common import ROOT, check, compile_program, fail, finish, page_data, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

# class: (calls, bytes) of every PE
CLASSES = {
    "p": (10, 40), "put": (3, 3000), "put_nbi": (2, 10000), "put_strided": (1, 28),
    "put_signal": (1, 100),
    "g": (4, 32), "get": (2, 4000), "get_nbi": (1, 640), "get_strided": (1, 36),
    "atomic_fetch": (5, 40), "atomic": (6, 48), "atomic_fetch_nbi": (2, 16),
}
ROUTINES = {  # name: (calls, bytes)
    "shmem_quiet": (3, 0), "shmem_signal_wait_until": (1, 0), "shmem_barrier_all": (3, 0),
    "shmem_malloc": (1, 65536),
    "shmem_free": (1, 0), "shmem_long_sum_reduce": (1, 64), "shmem_my_pe": (1, 0),
    "shmem_n_pes": (1, 0),
    "shmem_init": (1, 0), "shmem_finalize": (1, 0),
}


def expected_peers(pe, npes):
    right, left = (pe + 1) % npes, (pe - 1) % npes
    peers = {}

    def add(peer, **figures):
        peers.setdefault(peer, Counter()).update(figures)
    add(right, puts=10 + 3 + 1 + 1, put_bytes=40 + 3000 + 28 + 100, gets=4, get_bytes=32, atomics=6)
    add(left, puts=2, put_bytes=10000, gets=1 + 1, get_bytes=640 + 36, atomics=2)
    add(0, gets=2, get_bytes=4000, atomics=5)
    return peers


def compare(what, got, want):
    check(got == want, f"{what}: {got}, expected {want}")


def check_timeline(record, where):
    """Its sums are those of the other figures."""
    line = record["timeline"]
    counters = [*record["classes"].values(), *record["routines"].values()]
    library = sum(c["time_us"] for c in counters)
    waited = sum(c["waited_us"] for c in record["routines"].values())
    # waits of transfers are in none of the figures above
    check(waited - 0.5 < sum(line["waiting_us"]) < library + 0.5, f"{where} PE {record['pe']} "
          f"timeline: waits {sum(line['waiting_us'])}, not from {waited} to {library}")
    for name, want in [("library_us", library),
                       ("bytes", sum(p["put_bytes"] + p["get_bytes"] + 8 * p["atomics"]
                                     for p in record["peers"]))]:
        check(abs(sum(line[name]) - want) < 0.5, f"{where} PE {record['pe']} timeline: {name} "
              f"{sum(line[name])}, not {want}")
        check(len(line[name]) * line["slice_us"] < record["elapsed_us"] + 2 * line["slice_us"],
              f"{where} PE {record['pe']} timeline: {name} after the end: {line}")
    check(record["pe"] or line["begin_us"] == 0, f"{where}: PE 0 begins at {line['begin_us']}")


def check_record(record, npes, nnodes, where):
    pe = record["pe"]
    got = {name: (c["calls"], c["bytes"]) for name, c in record["classes"].items()}
    compare(f"{where} PE {pe} classes", got, CLASSES)
    got = {name: (c["calls"], c["bytes"]) for name, c in record["routines"].items()}
    compare(f"{where} PE {pe} routines", got, ROUTINES)
    got = {peer["pe"]: {k: peer[k] for k in ("puts", "put_bytes", "gets", "get_bytes", "atomics")}
           for peer in record["peers"]}
    want = {peer: {k: figures[k] for k in ("puts", "put_bytes", "gets", "get_bytes", "atomics")}
            for peer, figures in expected_peers(pe, npes).items()}
    compare(f"{where} PE {pe} peers", got, want)
    compare(f"{where} PE {pe} peers_touched", record["peers_touched"], len(set(want) - {pe}))
    check_timeline(record, where)
    check(record["elapsed_us"] > 0 and record["rss_bytes"] > 100000,
          f"{where} PE {pe}: no time or no memory: {record}")
    check(record["heap"]["peak_bytes"] >= 65536, f"{where} PE {pe}: heap {record['heap']}")
    for counter in [*record["classes"].values(), *record["routines"].values()]:
        check(counter["longest_us"] <= counter["time_us"] + 0.001,
              f"{where} PE {pe}: longest above the sum: {counter}")
    waited = record["routines"]["shmem_barrier_all"]
    check(waited["waited_us"] <= waited["time_us"] + 0.001,
          f"{where} PE {pe}: waits longer than it takes: {waited}")
    if nnodes > 1:
        # else only leaders connect
        far = [peer for peer in want if peer * nnodes // npes != record["node"]]
        check(not far or (record["connections"] == 1 and record["endpoints"] >= 1),
              f"{where} PE {pe}: no connection: {record}")
    else:
        compare(f"{where} PE {pe} connections", (record["connections"], record["endpoints"]),
                (0, 0))


def check_json(schema):
    for layout, pes in [("node", 1), ("node", 3), ("2nodes-rdm", 4), ("2nodes-msg", 5)]:
        where = f"{layout}/{pes}"
        output = run("traffic", pes=pes, layout=layout, CAUSEWAY_STATS="json:stats.json")
        check("traffic done" in output, f"{where}: {output}")
        check("causeway: stats:" not in output, f"{where}: prints beside the file")
        try:
            data = json.load(open("stats.json", encoding="utf-8"))
        except ValueError as error:
            fail(f"{where}: {error}")
            continue
        if jsonschema:
            for error in jsonschema.Draft7Validator(schema).iter_errors(data):
                fail(f"{where}: schema: {'/'.join(map(str, error.path))}: {error.message[:300]}")
        nnodes = 2 if layout != "node" else 1
        compare(f"{where} job", (data["job"]["npes"], data["job"]["nnodes"]), (pes, nnodes))
        check(data["job"]["program"].endswith("/traffic"),
              f"{where}: program {data['job']['program']}")
        compare(f"{where} PEs", [record["pe"] for record in data["pes"]], list(range(pes)))
        for record in data["pes"]:
            check_record(record, pes, nnodes, where)
        if nnodes == 2:
            check(sum(record["served"]["connections"] for record in data["pes"]) >= 2,
                  f"{where}: no server served")


def check_path():
    """A watched put takes the path of one that is not watched: alone, it proves its delivery."""
    for layout in ("2nodes-msg", "2nodes-rdm"):
        run("quiets", layout=layout, CAUSEWAY_STATS="json:quiets.json")
        for record in json.load(open("quiets.json", encoding="utf-8"))["pes"]:
            network = record["network"]
            check(100 <= network["puts"] < 110 and network["flushes"] < 10,
                  f"{layout} PE {record['pe']}: 100 puts, each with a quiet: {network}")


def check_text():
    output = run("traffic", pes=2, CAUSEWAY_STATS="pes")
    for pattern in [
        r"PE 0 node 0: start-up in us: launch \d+, bootstrap \d+, .*; exchange unused, fabric none",
        r"PE 1: put +3 calls +3000 bytes", r"PE 0: shmem_barrier_all +3 calls",
        r"PE 0: with PE 1: puts 17 \(13168 bytes\), gets 6 \(708 bytes\), atomics 8,",
        r"PE 1: peers touched 1"]:
        check(re.search(pattern, output), f"text: no line '{pattern}' in\n{output}")


def check_page():
    """One page, whatever the size of the job: sums over the PEs, and which PE is late."""
    for layout, pes in [("node", 3), ("2nodes-msg", 4)]:
        output = run("traffic", pes=pes, layout=layout, CAUSEWAY_STATS=1)
        lines = [line for line in output.splitlines() if line.startswith("causeway: job:")]
        check(10 < len(lines) < 40, f"page: {len(lines)} lines\n{output}")
        nodes = "1 node" if layout == "node" else "2 nodes"
        for pattern in [rf"traffic, {pes} PEs on {nodes}$",
                        r"bytes moved +mean +[\d.]+ KiB, least", r"most / mean",
                        r"most traffic .*: PE \d with \d: [\d.]+ KiB"]:
            check(any(re.search(pattern, line) for line in lines),
                  f"page {layout}: no line '{pattern}' in\n{output}")
        calls = {name: calls for name, (calls, _) in (CLASSES | ROUTINES).items()}
        table = [re.match(r"causeway: job: (\w+) +(\d+) +[\d.]+ [KMG]?i?B ", line)
                 for line in lines]
        rows = {row[1]: int(row[2]) for row in table if row}
        check(len(rows) == 12 and all(n == pes * calls[name] for name, n in rows.items()),
              f"page {layout}: {rows}, expected {pes} times {calls}")
    output = run("late", pes=4, CAUSEWAY_STATS=1)
    for pattern in [r"in shmem_barrier_all the PEs wait for PE 2, which waits",
                    r"PE [023] waits .* for PE 1 \(locks"]:
        check(re.search(pattern, output), f"page: no line '{pattern}' in\n{output}")


def check_compressed():
    run("traffic", pes=2, CAUSEWAY_STATS="json:s.json.gz", CAUSEWAY_TRACE="t.json.gz")
    for name, key in [("s.json.gz", "pes"), ("t.json.gz", "traceEvents")]:
        with gzip.open(name) as file:
            check(len(json.load(file)[key]) > 1, f"{name} is empty")
    done = subprocess.run(["causeway-info", "--startup", "s.json.gz"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 0 and "bootstrap" in done.stdout, f"--startup: {done.stdout}")


def check_page_in_html():
    """The same data, in a page; a name that would end the script does not. Of names in UTF-8 with a
    byte that is none."""
    os.link("traffic", "a<b\u00fc\U0001f4a1\udcff")
    for setting, name in [("html", "causeway-stats.html"), ("html:p.html", "p.html")]:
        run("a<b\u00fc\U0001f4a1\udcff", pes=2, layout="2nodes-msg", CAUSEWAY_STATS=setting)
        data = page_data(name)
        check(data["job"]["program"].endswith("/a<b\u00fc\U0001f4a1\u00ff"),
              f"page: {ascii(data['job'])}")
        for record in data["pes"]:
            check_record(record, 2, 2, setting)
        os.remove(name)


def check_wrong_settings():
    for value, text in [("yes", r'CAUSEWAY_STATS="yes" is not known.*json:PATH'),
                        ("json:", "is not known"), ("html:", "is not known"),
                        ("json:/nonexistent/folder/x.json",
                         "cannot write the statistics to /nonexistent")]:
        output = run("traffic", pes=2, expect=1, CAUSEWAY_STATS=value)
        check(re.search(text, output), f"CAUSEWAY_STATS={value}: no '{text}' in\n{output}")


def main():
    compile_program("traffic")
    compile_program("quiets")
    compile_program("late")
    schema = json.load(open(ROOT / "docs/causeway-stats.schema.json", encoding="utf-8"))
    check_json(schema)
    check_path()
    check_text()
    check_page()
    check_compressed()
    check_page_in_html()
    check_wrong_settings()
    if not jsonschema:
        print("note: python3-jsonschema is not installed: figures were compared, the schema was "
              "not")
    finish("statistics")


if __name__ == "__main__":
    main()
