# SPDX-License-Identifier: BSD-3-Clause
"""Every bench program builds with the staged wrapper, runs on one node and on two, and prints what the table needs."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STAGE = os.environ.get("CAUSEWAY_STAGE") or os.path.join(ROOT, "build", "stage")
NEEDED = (
    ("local", "latency", "p"), ("local", "latency", "get"), ("local", "atomics", "fetch_add"), ("local", "pingpong", "p_wait"),
    ("local", "rate", "put_nbi_bw"), ("local", "insn", "int_p.total.next"), ("rdm", "insn", "int_p.to_provider.next"),
    ("rdm", "latency", "put_quiet"), ("msg", "latency", "put_quiet"), ("rdm", "pingpong", "p_wait"),
    ("msg", "pingpong", "p_wait"), ("rdm", "busy", "get"), ("msg", "busy", "fetch_add"), ("local", "coll", "barrier_all"),
    ("local", "threads", "p.two_private"), ("msg", "threads", "fetch_add.two_default"),
)  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as folder:
        results, page = os.path.join(folder, "r.json"), os.path.join(folder, "page.md")
        cmd = [sys.executable, os.path.join(ROOT, "bench", "run.py"), "--quick", "--max-bytes", "1024", "--stage", STAGE, "--json", results,
               "--plots", folder, "--report", page]  # fmt: skip
        for name in ("latency", "atomics", "pingpong", "rate", "insn", "busy", "threads", "coll"):
            cmd += ["--only", name]
        done = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"FAIL: status {done.returncode}\n{done.stdout}{done.stderr}")
            return 1
        with open(results, encoding="utf-8") as file:
            document = json.load(file)
        with open(page, encoding="utf-8") as file:
            text = file.read()
    found = {(row["layout"], row["bench"], row["op"]) for row in document["results"] if row["peer"] == "causeway"}
    bad = [f"no result for {' '.join(key)}" for key in NEEDED if key not in found]
    bad += [f"{name}: {reason}" for name, reason in document["remarks"].items()]
    bad += [f"the page lacks {head}" for head in ("## Ratios", "## Conditions", "## All figures") if head not in text]
    for line in bad:
        print("FAIL:", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
