#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What ./dev cores packs for another machine measures in a chroot, and leaves nothing behind."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from frame.script import ROOT, STAGE, check, finish, skip


def left():
    return sorted(Path(tempfile.gettempdir()).glob("causeway-cores-*"))


def main():
    if os.getuid() != 0:
        skip("a chroot needs root")
    if not shutil.which("apt-get"):
        skip("the packages are Debian's")
    before = left()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, ROOT / "bench/cores.py", "--stage", STAGE, "--out", folder,
             "--minutes", "0.1"], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"status {done.returncode}\n{done.stdout}{done.stderr}")
        results = Path(folder, "measured", "results.json")
        document = json.loads(results.read_text()) if results.exists() else {}
    peers = {peer["tag"]: peer["name"] for peer in document.get("others", [])}
    found = {peers.get(row["peer"], row["peer"]).split()[0] for row in document.get("results", [])}
    check("causeway" in found, f"results of {found}")
    check(not shutil.which("oshcc") or "Open" in found, f"no results of Open MPI, but of {found}")
    check(document.get("conditions", {}).get("compiler"), "the page would name no compiler")
    check(any("not begun" in why for why in document.get("remarks", {}).values()),
          "groups that were not begun are not named")
    check(left() == before, f"left behind: {left()}")
    finish()


if __name__ == "__main__":
    main()
