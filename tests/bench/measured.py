# SPDX-License-Identifier: BSD-3-Clause
"""Runs the bench in its quick form for the tests that check its output."""

import json
import subprocess
import sys

from frame.script import ROOT, STAGE, check, fail


def measure(folder, *names, options=()):
    """The document of a run of the named measurements, which must end well and without remarks."""
    results = f"{folder}/r.json"
    command = [sys.executable, ROOT / "bench/run.py", "--quick", "--stage", STAGE, "--json",
               results, "--plots", folder, *options]
    for name in names:
        command += ["--only", name]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if not check(done.returncode == 0, f"status {done.returncode}\n{done.stdout}{done.stderr}"):
        return {"results": []}
    with open(results, encoding="utf-8") as file:
        document = json.load(file)
    for name, reason in document["remarks"].items():
        fail(f"{name}: {reason}")
    return document
