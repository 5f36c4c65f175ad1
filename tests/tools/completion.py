#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completion in a bash and, where it is installed, in a zsh: lines are typed on a terminal, with
the key for completion at their end; what the shell has made of them is what its command gets. And
each option that a command names in its help is among the words."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

from frame.script import ROOT, STAGE, check, finish

BASH = STAGE / "share/bash-completion/completions"
# what is typed before the key: the words that a command gets
TYPED = {
    "oshrun --emul": "--emulate-nodes",
    "oshrun --map-by nu": "--map-by numa",
    "oshrun -np 2 --launcher hy": "-np 2 --launcher hydra",
    "oshrun -x CAUSEWAY_DEADLOCK_A": "-x CAUSEWAY_DEADLOCK_ACTION=",
    "oshrun -np 2 a-fi": "-np 2 a-file",
    "oshrun -np 2 a-file --fi": "-np 2 a-file --fi",  # an option of the program
    "cafrun --label --bind-to hw": "--label --bind-to hwthread",
    "oshcc --showme:incd": "--showme:incdirs",
    "oshc++ -static-c": "-static-causeway",
    "caf --showme:lin": "--showme:link",
    "causeway-info --coll": "--collectives",
    "causeway-info --env CAUSEWAY_SPI": "--env CAUSEWAY_SPIN",
    "causeway-info --explain heap-doe": "--explain heap-does-not-fit",
    "./dev provi": "providers",
    "./dev study hots": "study hotspot",
    "./dev study hotspot --pena": "study hotspot --penalty",
    "./dev test --optim": "test --optimise",
    "./dev test laun": "test launch/",
    "./dev sim --scene barrier_ab": "sim --scene barrier_absent",
}
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "PS1='@@ '; bind 'set enable-bracketed-paste off'; "
             f"for f in {BASH}/*; do source $f; done"),
    "zsh": (["zsh", "-f", "-i"],
            "PS1='@@ '; unsetopt prompt_cr prompt_sp; "
            f"fpath=({STAGE}/share/zsh/site-functions $fpath); "
            "autoload -U compinit; compinit -u -d dump; setopt no_auto_menu no_list_beep"),
}


def until(fd, pattern, seconds=20):
    got, end = b"", time.monotonic() + seconds
    while not re.search(pattern, got, re.S) and time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            got += os.read(fd, 65536)
    return got


def type_lines(name, command, setup):
    """Commands that print their words stand for those that are completed, after the key."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", COLUMNS="200", INPUTRC="/dev/null")
        os.execvp(command[0], command)
    os.write(fd, f"{setup}; echo rea''dy\n".encode())
    started = until(fd, b"ready")
    check(b"ready" in started, f"{name} does not start", started)
    for number, (typed, wanted) in enumerate(TYPED.items()):
        os.write(fd, f"{typed}\t".encode())
        # ^A, and a word before the line, so that it prints the rest
        os.write(fd, f"\x01printf '<%s>' {number} ".encode() + b"\n")
        got = until(fd, f"<{number}>.*@@ ".encode()).decode(errors="replace")
        words = re.findall(r"<([^<>]*)>", got)
        words = words[words.index(str(number)) + 2:] if str(number) in words else [got]
        check(" ".join(words) == wanted, f"{name}: {typed}<Tab> is {' '.join(words)}")
    os.write(fd, b"\x03\nexit\n")
    os.close(fd)
    os.waitpid(pid, 0)


def words_of(*words):
    return set(subprocess.run(["bash", "-c", 'source "$1"; shift; _causeway_words "$@"', "bash",
                               BASH / "oshrun", *words], capture_output=True, text=True,
                              check=False).stdout.split())


def check_options():
    """What a line of the help begins with is offered."""
    commands = {name: [name, "--help"] for name in ("oshrun", "cafrun", "causeway-info")}
    commands |= {name: [name, "--showme:help"] for name in ("oshcc", "oshc++", "oshcxx", "oshCC")}
    if (STAGE / "bin/caf").exists() and shutil.which("gfortran"):
        commands["caf"] = ["caf", "--showme:help"]
    commands |= {f"./dev {c}": ["./dev", c, "--help"] for c in ("bench", "sim", "verbs", "soak")}
    for name, asks in commands.items():
        text = subprocess.run(asks, capture_output=True, text=True, check=False).stdout
        options = set(re.findall(r"^ +(?:-\w, )?(--?[a-z][-a-z_]*)", text, re.M))
        offered = words_of(*name.split(), "--")
        check(len(options) > 2 and options <= offered, f"{name}: not offered: {options - offered}")
        installed = BASH / name.split("/")[-1]
        check("dev" in name or installed.exists(), f"bash does not find the completion of {name}")


def main():
    os.symlink(ROOT / "dev", "dev")
    open("a-file", "w", encoding="utf-8").close()
    for name, (command, setup) in SHELLS.items():
        if shutil.which(name):
            type_lines(name, command, setup)
    check_options()
    finish("completion" + ("" if shutil.which("zsh") else ", without zsh, which is not installed"))


if __name__ == "__main__":
    main()
