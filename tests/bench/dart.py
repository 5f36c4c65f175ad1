#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The measurements of DART run, on one node and on two, and fill their page. MPIs are left out: how
long they take on a loaded machine has no bound."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from frame.script import BUILD, ROOT, STAGE, check, finish

sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True
from driver import dart, peers  # noqa: E402

NEEDED = {("local", "dart", op) for op in ("put", "get", "put_word", "fetch_and_op", "put_rows",
                                           "barrier", "team", "memory")}
NEEDED |= {(layout, "dart", op) for layout in ("rdm", "msg")
           for op in ("put", "get", "put_8", "get_1m")}
NEEDED |= {(layout, "sleeper", op) for layout in ("local", "rdm", "msg") for op in dart.OPERATIONS}
NEEDED |= {(layout, "random_access", op) for layout in ("local", "msg")
           for op in ("getput", "atomic")}
NEEDED |= {("local", "random_access", "batches")}
NEEDED |= {("local", "stencil", "sweep"), ("msg", "stencil", "sweep")}


def main():
    dart.MPIS = {}
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.md")
        args = argparse.Namespace(quick=True, rounds=None, from_json=None, note=None, plots=folder,
                                  json=str(Path(folder, "dart.json")), report=str(page))
        status = dart.main(args, peers.causeway(str(STAGE)), str(BUILD.parent), [], lambda _: None)
        document = json.loads(Path(args.json).read_text(encoding="utf-8"))
        text = page.read_text(encoding="utf-8")
    check(status == 0, "the command ends well", status)
    check(not document["remarks"], "every run ends well", document["remarks"])
    found = {(row["layout"], row["bench"], row["op"]) for row in document["results"]
             if row["peer"] == "causeway"}
    check(found >= NEEDED, "all that is needed was measured", sorted(NEEDED - found))
    for head in ("On a node", "Between two nodes", "A target that sleeps", "RandomAccess",
                 "Stencil", "Conditions"):
        check(f"## {head}" in text, f"the page has a section: {head}")
    finish()


if __name__ == "__main__":
    main()
