#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages that never wait (tests/transport/test_ofi_attached.c) over the mock fabric: attached.py
DEMANDS..., in both endpoint modes, or DEMANDS@MODE. The peer does not read for more than a second,
after which a client asks what has come."""

import json
import os
import subprocess
import sys

from frame.script import BUILD, check, finish

SUMMARY = "summary"


def run(demands, mode):
    env = {**os.environ, "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
           "CAUSEWAY_ENDPOINT": mode, "MOCK_FABRIC": demands, "MOCK_FABRIC_SUMMARY": SUMMARY}
    done = subprocess.run([BUILD / "tests/transport/test_ofi_attached", "200", "1300"], env=env,
                          text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=110)
    with open(SUMMARY) as file:
        summaries = [json.loads(line) for line in file]
    os.remove(SUMMARY)
    return done, summaries


def main():
    for words in sys.argv[1:]:
        demands, _, only = words.partition("@")
        for mode in [only] if only else ["msg", "rdm"]:
            done, summaries = run(demands, mode)
            text = f"over {mode} with '{demands}'"
            violations = sum(s["violations"] for s in summaries)
            check(done.returncode == 0 and len(summaries) == 2 and violations == 0,
                  f"{text}: {done.returncode}, {violations} violations", done.stdout[-2000:],
                  done.stderr[-2000:])
            if "eagain" in demands:
                check(sum(s["eagain"] for s in summaries) > 0, f"{text}: no call was refused")
            if "unordered_sends" in demands:
                check(sum(s["held"] for s in summaries) > 0, f"{text}: nothing was held back")
    finish()


main()
