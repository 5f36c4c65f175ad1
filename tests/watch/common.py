# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of this room: compile and run."""
import json
import os
import re
import subprocess

from frame.script import (ROOT, SLOW, STAGE, check, clean_environment, fail,  # noqa: F401
                          finish, oshcc)

HERE = ROOT / "tests/watch"
LAYOUTS = {"node": [], "2nodes-rdm": ["--emulate-nodes", "2"],
           "2nodes-msg": ["--emulate-nodes", "2"]}


def compile_program(name, *flags):
    oshcc(name, *flags, HERE / f"{name}.c")


def run(program, *arguments, pes=2, layout="node", timeout=60, expect=0, oshrun=(), **settings):
    """Output of a job, both streams. expect: its exit status, or None for any."""
    env = clean_environment() | {name: str(value) for name, value in settings.items()}
    if "-" in layout:
        env["CAUSEWAY_ENDPOINT"] = layout.split("-")[1]
    command = [str(STAGE / "bin/oshrun"), "-n", str(pes), *LAYOUTS[layout], *oshrun, f"./{program}",
               *arguments]
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              text=True, timeout=timeout * SLOW, errors="replace", check=False)
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode(errors="replace") if late.stdout else ""
        fail(f"{program} {' '.join(arguments)} ({pes} PEs, {layout}): hangs\n{output}")
        return output
    if expect is not None and done.returncode != expect:
        fail(f"{program} {' '.join(arguments)} ({pes} PEs, {layout}): exit status "
             f"{done.returncode}, not {expect}\n"
             f"{done.stdout}")
    return done.stdout


def page_data(path):
    """The data in a page of a job, which names nothing outside of it."""
    text = open(path, encoding="utf-8").read()
    check("default-src 'none'" in text and not re.search(r"https?:|src=|href=|@import|url\(", text),
          f"{path} loads something")
    found = re.search(r'<script type="application/json" id="job">(.*?)</script>', text, re.S)
    return json.loads(found[1]) if check(found, f"{path} has no data") else {}
