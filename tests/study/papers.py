# SPDX-License-Identifier: BSD-3-Clause
"""A page of docs/papers in its quick form: every part of it is measured, the page and its pictures
are written, and --write-only writes the same page again. No test depends on a time."""

import json
import os
import subprocess
import sys

from frame.script import BUILD, ROOT, STAGE, check, finish

# Of each page: parts with rows that must be there, as fields of one, and headings.
EXPECTED = {
    1: ({"shmem": [{"bench": "states", "op": "int_p.1.to_provider", "layout": "msg"},
                   {"bench": "states", "op": "int_p.64.appended", "layout": "msg", "bytes": 15},
                   {"bench": "insn", "op": "int_p.to_provider.next", "layout": "rdm"}],
         "gasnet": [{"bench": "insn_gasnet", "op": "AMRequestShort0.to_provider.next"},
                    {"bench": "upc", "op": "upc_fence, nothing pending|in all"}]},
        ["Figures 6 to 8", "Every state of a small operation", "GASNet", "UPC"]),
    2: ({part: [{"peer": peer, "layout": f"{endpoint}-{part}", "op": op}
                for peer in ("baseline", "causeway") for endpoint in ("msg", "rdm")
                for op in ("put_quiet", "get", "put")] for part in ("bound", "unbound")},
        ["Put and quiet", "Get", "Put, completed later"]),
    3: ({"latency": [{"peer": "causeway", "layout": layout, "op": "put"}
                     for layout in ("local", "rdm", "msg")] + [{"peer": "shmem"}],
         "distance": [{"op": "put_8"}], "programs": [{"bench": "stencil"}],
         "collective": [{"op": "barrier"}], "beside": [{"op": "barrier", "layout": "loaded"}],
         "sleepers": [{"bench": "sleeper", "op": "get"}]},
        ["Figure 3 and 4", "Barrier of two", "By distance", "RandomAccess", "Stencil"]),
    4: ({"memory": [{"kind": "computed", "topology": "mfcg"}, {"kind": "measured"}],
         "hot, simulated": [{"simulated": True, "topology": "mfcg", "packs": 1, "ppn": 4}],
         "hot, measured": [{"topology": "cfcg", "operation": "vput"}],
         "transfers": [{"name": "strided get", "topology": "hypercube"}],
         "loaded": [{"name": "lock", "topology": "direct"}],
         "programs": [{"program": name, "topology": "mfcg"} for name in ("lu", "scf")],
         "nwchem": [{"input": "papers.py", "topology": topology, "nodes": nodes}
                    for topology, nodes in (("direct", 1), ("mfcg", 2))]},
        ["Memory of a node's master", "Contention", "Figures 13 and 14", "Figure 16"]),
    5: ({**{part: [{}] for part in ("hello", "init", "ring", "overlap", "latency", "peers",
                                    "endtoend")},
         "sim": [{"kind": "validation"}, {"kind": "projection"}, {"kind": "price"}]},
        ["Figure 5 and 6", "Latency once connected", "Whole programs", "Beyond this machine"]),
}
# For page 4, in place of an NWChem, a program that ends well.
MORE = {4: ("--nwchem", "/bin/true", "--nwchem-input", __file__)}
PEERS = ("openmpi", "mpich", "reference", "no other OpenSHMEM")  # may be absent


def papers(number, *more):
    command = [sys.executable, str(ROOT / "study/papers.py"), "--stage", str(STAGE), "--only",
               str(number), "--out", "out", "--build", "built", "--simulators",
               str(BUILD / "study/sim"), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def read(name):
    with open(os.path.join("out", name), encoding="utf-8") as file:
        return file.read()


def main():
    number = int(sys.argv[1])
    rows, headings = EXPECTED[number]
    said = papers(number, "--quick", "--to", "32", *MORE.get(number, ()))
    name = next(name for name in os.listdir("out") if name.endswith(".json"))[:-len(".json")]
    parts = json.loads(read(f"{name}.json"))["parts"]
    for part, wanted in rows.items():
        record = parts.get(part, {"rows": [], "remarks": []})
        for fields in wanted:
            check(any(all(row.get(k) == v for k, v in fields.items()) for row in record["rows"]),
                  f"{part} has no row {fields}: {record['remarks']}")
    for part, record in parts.items():
        check(0 <= record["foreign"] <= 1 and record["load_before"] is not None, f"{part}: load")
        for remark in record["remarks"]:
            check(any(peer in remark for peer in PEERS), f"{part}: {remark}")
    page = read(f"{name}.md")
    check("A trial run" in page and "## Conditions" in page, "the page says what it is")
    for heading in headings:
        check(f"# {heading}" in page, f"no heading {heading}")
    if "no matplotlib" not in said:
        pictures = [file for file in os.listdir("out") if file.endswith(".png")]
        check(pictures, "no picture")
        for picture in pictures:
            check(f"]({picture})" in page, f"{picture} is not on the page")
    papers(number, "--write-only", "--no-plots")
    check(read(f"{name}.md") == page, "--write-only writes another page")
    finish()


main()
