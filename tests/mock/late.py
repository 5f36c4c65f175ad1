#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Remote completion into a late target (tests/transport/test_ofi_late.c) over the mock fabric:
late.py DEMANDS..., in both endpoint modes. Where the provider does not promise completion by
delivery it is never asked for; without a promise of order either, there is nothing to prove a put
by, and it is refused."""

import json
import os
import subprocess
import sys

from frame.script import BUILD, check, finish

SUMMARY = "summary"


def run(demands, mode):
    if os.path.exists(SUMMARY):
        os.remove(SUMMARY)
    env = {**os.environ, "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
           "CAUSEWAY_ENDPOINT": mode, "MOCK_FABRIC": demands, "MOCK_FABRIC_SUMMARY": SUMMARY}
    if "card" in demands:
        env["CAUSEWAY_PROVIDER"] = "card"
    done = subprocess.run([BUILD / "tests/transport/test_ofi_late"], env=env, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=110)
    with open(SUMMARY) as file:
        return done, [json.loads(line) for line in file]


def main():
    for demands in sys.argv[1:]:
        for mode in ["rdm"] if "card" in demands else ["msg", "rdm"]:
            done, summaries = run(demands, mode)
            text = f"over {mode} with '{demands}'"
            check(done.returncode == 0 and len(summaries) == 2, f"{text}: {done.returncode}",
                  done.stdout[-2000:], done.stderr[-2000:])
            asked = sum(s["delivery_refused"] + s["delivery_ignored"] for s in summaries)
            check(asked == 0, f"{text}: {asked} puts asked for delivery that is not promised")
    for mode in "msg", "rdm":
        done, _ = run("unordered,delivery_ignored", mode)
        check(done.returncode != 0 and "quiet cannot prove a put" in done.stderr,
              f"over {mode}: a provider that proves no put is refused", done.stderr[-2000:])
    finish()


main()
