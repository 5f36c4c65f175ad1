# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this room share: compile, run, complain."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("CAUSEWAY_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
STAGE = pathlib.Path(os.environ.get("CAUSEWAY_TEST_STAGE", ROOT / "build/stage"))
HERE = ROOT / "tests/watch"
SLOW = 4 if os.environ.get("CAUSEWAY_TEST_SANITIZE") else 1
SANITIZE = {"address": ["-fsanitize=address,undefined"], "thread": ["-fsanitize=thread"]}.get(
    os.environ.get("CAUSEWAY_TEST_SANITIZE", ""), [])
LAYOUTS = {"node": [], "2nodes-rdm": ["--emulate-nodes", "2"], "2nodes-msg": ["--emulate-nodes", "2"]}
complaints = []


def compile_program(name, *flags):
    subprocess.run([str(STAGE / "bin/oshcc"), "-O2", "-g", "-Wall", "-Wextra", "-Werror", *SANITIZE, *flags, "-o", name,
                    str(HERE / f"{name}.c")], check=True)


def run(program, *arguments, pes=2, layout="node", timeout=60, expect=0, oshrun=(), **settings):
    """Output of a job, both streams. expect: its exit status, or None for any."""
    env = {k: v for k, v in os.environ.items() if k == "CAUSEWAY_LIBFABRIC" or not k.startswith(("CAUSEWAY_", "SHMEM_"))}
    env |= {name: str(value) for name, value in settings.items()}
    if "-" in layout:
        env["CAUSEWAY_ENDPOINT"] = layout.split("-")[1]
    command = [str(STAGE / "bin/oshrun"), "-n", str(pes), *LAYOUTS[layout], *oshrun, f"./{program}", *arguments]
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=timeout * SLOW, errors="replace", check=False)
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode(errors="replace") if late.stdout else ""
        complain(f"{program} {' '.join(arguments)} ({pes} PEs, {layout}): hangs\n{output}")
        return output
    if expect is not None and done.returncode != expect:
        complain(f"{program} {' '.join(arguments)} ({pes} PEs, {layout}): exit status {done.returncode}, not {expect}\n"
                 f"{done.stdout}")
    return done.stdout


def complain(text):
    complaints.append(text)
    print("FAIL " + text)


def check(condition, text):
    if not condition:
        complain(text)
    return condition


def end(what):
    print(f"{what}: {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)
