# SPDX-License-Identifier: BSD-3-Clause
"""The start-up study in its quick form: every section runs to its end, the simulator predicts the
connections that were counted, figures and page are written, and a second call measures nothing
again. No test depends on a time."""

import json
import os
import subprocess
import sys

from frame.script import ROOT, STAGE, check, finish

SECTIONS = ("hello", "init", "launchers", "peers", "endtoend", "latency", "overlap", "ring", "sim")


def study(*more):
    command = [sys.executable, str(ROOT / "study/run.py"), "--quick", "--stage", str(STAGE),
               "--json", "s.json",
               "--out", "out", "--build", "built", *more]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr)
    check(done.returncode == 0, f"status {done.returncode}")
    return done.stdout


def main():
    said = study()
    with open("s.json", encoding="utf-8") as file:
        data = json.load(file)
    for name in SECTIONS:
        section = data["sections"].get(name)
        check(section and section["done"] and section["rows"],
              f"section {name} is not done: {section and section['remarks']}")
        for row in section["rows"] if section else []:
            if row.get("library") != "openmpi":
                check("error" not in row or row["error"].startswith("SKIP"), f"{name}: {row}")
    validated = [row for row in data["sections"]["sim"]["rows"] if row["kind"] == "validation"]
    check(len(validated) >= 9, f"only {len(validated)} shapes were predicted")
    for row in validated:
        check(row["predicted"]["connections"] == row["measured"]["connections"],
              f"connections: {row}")
    static = [row for row in validated if row["mode"] == "static"]
    check(all(row["predicted"]["connections"] == row["npes"] * (row["nodes"] - 1)
              for row in static), "static connects all")
    with open("out/README.md", encoding="utf-8") as file:
        page = file.read()
    check("## Limits" in page and "A trial run" in page and "SIMULATED" in page,
          "the page lacks a part")
    again = study("--no-plots")
    check(again.count("measured already") == len(SECTIONS) - 1, "the second call measured again")
    if "no matplotlib" in said:
        print("no matplotlib: figures are not checked")
    else:
        for name in ("hello", "init", "resources", "launchers", "peers", "endtoend", "latency",
                     "overlap", "simulated"):
            path = f"out/startup-{name}.png"
            check(os.path.exists(path) and os.path.getsize(path) > 2000
                  and f"startup-{name}.png" in page, f"no figure {name}")
    finish()


if __name__ == "__main__":
    main()
