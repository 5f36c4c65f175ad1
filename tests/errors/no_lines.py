#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a message says of a place where the file's lines cannot be read: that it was compiled
without -g, or the command that gives the line, which does."""
import re
import shutil
import subprocess

from frame.script import ROOT, check, finish, oshcc, run

FILE = ROOT / "tests/errors/no_lines.c"
LINE = 1 + FILE.read_text(encoding="utf-8").splitlines().index("    shmem_int_p(&word, 1, 99);")


def message(program):
    done = subprocess.run(["oshrun", "-np", "1", f"./{program}"], capture_output=True, text=True,
                          check=False, timeout=30)
    found = re.search(r"; called from (.*)$", done.stderr, re.M)
    check(found, f"{program}: {done.stderr}")
    return found[1] if found else ""


def gives_line(program):
    text = message(program)
    command = re.fullmatch(rf"main\+0x\w+ \((addr2line -e /\S*/{program} 0x\w+)\)", text)
    check(command, f"{program}: {text}")
    if command and shutil.which("addr2line"):
        line = subprocess.run(command[1].split(), capture_output=True, text=True,
                              check=False).stdout
        check(re.search(rf"/no_lines\.c:{LINE}\b", line), f"{command[1]} gives {line}")


def main():
    oshcc("lines", FILE, "-O0", "-g")
    text = message("lines")
    check(re.fullmatch(rf"main\+0x\w+ \(no_lines\.c:{LINE}\)", text), text)
    oshcc("none", FILE, "-O0", "-g0")
    text = message("none")
    check(re.fullmatch(r"main\+0x\w+ \(none, compiled without -g\)", text), text)
    run("strip", "-s", "-o", "bare", "none")
    text = message("bare")
    check(re.fullmatch(r"bare\+0x\w+ \(bare, compiled without -g\)", text), text)
    oshcc("small", FILE, "-O0", "-g", "-gz")
    gives_line("small")
    run("objcopy", "--only-keep-debug", "lines", "apart.debug")
    run("objcopy", "--strip-debug", "--add-gnu-debuglink=apart.debug", "lines", "apart")
    gives_line("apart")
    finish("places without lines")


if __name__ == "__main__":
    main()
