# SPDX-License-Identifier: BSD-3-Clause
"""Tests of wrong use: a program makes one mistake per run, and the job must end by itself, with an
error status and one line of Causeway's that names place, call and cause. Never by a signal, never
by a time-out, never without noticing it."""
import concurrent.futures
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

from frame.script import SLOW, STAGE, TESTS, fail, finish, oshcc

PATIENCE = 60 * SLOW
# "causeway: error: PE 0 of 2 (pid 7, host name): text"; before there are PEs "pid 7, host name:
# text"; of several PEs "PEs 0, 1 of 2 (host name): text".
LINE = re.compile(r"^causeway: error: (?:PEs? [\d, -]+(?: of \d+)? \()?(?:pid \d+, )?"
                  r"host [^:)]*\)?: (.*)$", re.M)


@dataclass
class Use:
    """One run of the program."""
    arguments: list[str]
    checking: bool
    # patterns that one line matches, all of them; none: the use is right
    says: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)  # of oshrun
    also: list[str] = field(default_factory=list)  # patterns that some other line matches


def cases(uses):
    """Of a table of mistakes (frame/mistakes.py): each wrong use, and is it noticed always?"""
    found = {}
    for use in uses:
        if use.says:
            name = " ".join(use.arguments)
            found[name] = found.get(name, False) or not use.checking
    return found


def attempt(program, use, npes, env):
    """What is wrong with a run, or None."""
    env = dict(os.environ, **env)
    env.pop("CAUSEWAY_CHECK", None)
    if use.checking:
        env["CAUSEWAY_CHECK"] = "1"
    what = " ".join([*use.arguments, *use.options, "(checking)" if use.checking else ""]).strip()
    command = [str(STAGE / "bin/oshrun"), "-n", str(npes), *use.options, program, *use.arguments]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return f"{what}: hangs"
    output = done.stdout + done.stderr
    through = f"{use.arguments[0]} went through" in output
    if not use.says:
        return (None if done.returncode == 0 and through
                else f"{what}, which is right: exit status {done.returncode}\n{output}")
    if done.returncode == 0 or through:
        return f"{what}: not noticed, exit status {done.returncode}\n{output}"
    if done.returncode < 0 or done.returncode > 127:
        return f"{what}: died of a signal ({done.returncode})\n{output}"
    lines = LINE.findall(output)
    for wanted in [use.says, *([words] for words in use.also)]:
        if not any(all(re.search(words, line) for words in wanted) for line in lines):
            return f"{what}: no line with {wanted}\n{output}"
    return None


def run(programs, npes=1, env=None):
    """programs: (source in tests/, flags, uses). Compiles each, tries all its uses, and ends the
    script."""
    tried = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, flags, uses in programs:
            program = oshcc(f"{scratch}/misuse", *flags, TESTS / source)
            for text in pool.map(lambda use: attempt(program, use, npes, env or {}), uses):
                if text:
                    fail(text)
            tried += len(uses)
    finish(f"{tried} uses")
