#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each block of code in README, the guide and the pages of commands is tried: commands are run as
they stand there, in a directory with the programs that they name. A line that is not run has a mark
below with the reason, or the test that runs it; a line without either is a failure, and so is a
mark without a line."""
import os
import re
import shutil
import subprocess

import blocks
from frame.script import ROOT, STAGE, check, fail, finish

PAGES = ["README.md", "CONTRIBUTING.md", *(
    path.relative_to(ROOT).as_posix() for pattern in ("docs/guide/*.md", "docs/man/*.[157].md")
    for path in sorted(ROOT.glob(pattern)))]

# Lines that are not run: a pattern of the whole line, and the test (room/name) that does the same,
# or the reason.
MARKS = [
    (r"\./dev (demo|test|build|setup|lint)", "tools/dev"),
    (r"export PATH=.*/build/stage/bin:.*", "set for all commands of this test"),
    (r"mpiexec\.hydra -hosts .*", "launch/hosts"),
    (r"tests/launch/hosts\.py .*", "launch/hosts"),
    (r"mpiexec\.hydra -n \d+ \./(prog|ring)", "launch/pmi1"),
    (r"orterun -n \d+ \./(prog|ring)", "launch/pmix"),
    (r"srun .*", "launch/slurm"),
    (r"#SBATCH .*|#!/bin/sh|export SHMEM_SYMMETRIC_SIZE=.*", "a batch script: launch/slurm"),
    (r'#PBS .*|cd "\$PBS_O_WORKDIR"|oshrun --launcher hydra .*', "a batch script: launch/handover"),
    (r"CAUSEWAY_TRANSPORT=mpi mpiexec .*", "launch/mpi"),
    (r"OSHCC_CC=mpicc oshcc .*", "mixed/mpich"),
    (r"\./configure --with-mpi --with-armci=PREFIX.*|make( LIBPATH=.*)?|export EXTERNAL_GA_PATH=GA",
     "armci/install"),
    (r"find_package\(Causeway REQUIRED\)|target_link_libraries\(.*\)", "tools/cmake, dart/install"),
    (r"oshrun .*--valgrind.*", "tools/valgrind"),
    (r"mpiexec\.hydra -n 2 (valgrind|-env LSAN_OPTIONS) .*", "tools/valgrind"),
    (r"oshcc -g -fsanitize=address .*", "tools/leak_sanitizer"),
    (r"oshrun .* \./message_passing 10000", "litmus/message_passing_delayed"),
    (r"causeway(:| ) *(error|deadlock|PE 1 #0).*|exchange\+0x4c .*|PE 3\) overlap.*|"
     r"memory; use memmove.*|"
     r"process \(malloc\).*", "messages, shortened: errors/crash"),
    (r"oshrun: PEs? \d.*|synchronisation 3 of all PEs|mpiexec.hydra .*REPORT_SIGNAL.*",
     "launch/report"),
    (r"host n1\), which has .*|\(\.\.\.\), which has .*|waiting|called from (main|enqueue)\+.*: .*",
     "watch/deadlock"),
    (r"#include <.*|/\* .*|shmemx_.*\(.*\);.*|int rank = .*|gex_TM_Split.*", "mixed/fronts"),
    (r"meson setup .*|ninja -C build|DESTDIR=.*", "tools/options"),
    (r"causeway-(plot|info --plot) .*|python3 -c '.*|print\(max\(.*", "watch/plot"),
    (r"GASNET_SSH_SERVERS=.*", "gasnet_tools/gasnetrun"),
    (r"\./configure CC=oshcc .*", "tools/autoconf"),
    (r"cmake -S \. .*", "tools/cmake"),
    (r"oshrun .*--(gdb|xterm).*", "launch/options"),
    (r"oshcc .* -o pingpong .*|oshrun -n 2 \./pingpong", "examples run it: tools/wrapper"),
    (r"(caf|cafrun|gfortran) .*|find_package\(Causeway REQUIRED COMPONENTS caf\)", "caf/install"),
    (r"program ring|integer :: .*|associate .*|from_left\[.*|sync all|print \*.*|"
     r"end (associate|program)", "caf/transfers"),
    (r"prifc .*|use(, intrinsic ::)? \w+|procedure\(.*|type\(\w+\) :: .*|integer\(\w+\).* :: .*|"
     r"call (prif_|c_f_pointer).*|mine = me", "prif/install"),
    (r"prif=.*|\$prif/build\.sh .*|flang -I own .*", "prif/flang"),
    (r"TYPENAME .*|[a-z]\w* +[a-z][\w ]*x[x ]*|complex[fd] .*", "a table of types: lint/generated"),
]
# Lines that are run, all others being unknown.
RUN = re.compile(r"(\w+=\S+ )?(oshcc|oshrun|gasnetrun_ofi|causeway-startup|\./prog|cc ring\.c)\b")


def tests():
    """room/name of all tests."""
    return {f"{path.parent.name}/{name}" for path in ROOT.glob("tests/*/tests.toml")
            for name in re.findall(r'^name = "(.*)"', path.read_text(encoding="utf-8"), re.M)}


def bare(line):
    """Without the remark at its end."""
    return re.sub(r"\s{2,}#.*|\s+# .*", "", line).strip()


def run(page, line, done):
    """Runs a line once; the same line of another page has been tried with it."""
    if line in done:
        return
    done.add(line)
    env = dict(os.environ, PKG_CONFIG_PATH=str(STAGE / "lib/pkgconfig"))
    end = subprocess.run(line, shell=True, env=env, stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(end.returncode == 0, f"{page}: `{line}` ends with status {end.returncode}: "
          f"{end.stdout[-600:]}")
    npes = re.search(r"(?:oshrun|gasnetrun_ofi) .*?-np? (\d+)", line)
    if npes and line.endswith("./ring") and "sh -c" not in line:
        number = len(re.findall("my left neighbour is", end.stdout))
        check(number == int(npes[1]), f"{page}: `{line}` prints {number} lines")


def transcript(page, text):
    """`$ command`, and lines of its output in their order; `...` stands for others."""
    first, *lines = text.splitlines()
    out = subprocess.run(first[2:], shell=True, stdin=subprocess.DEVNULL, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.splitlines()
    at = 0
    for line in (line.strip() for line in lines if line.strip() != "..."):
        following = [i for i in range(at, len(out)) if out[i].strip() == line]
        if not check(following, f"{page}: `{first[2:]}` does not print `{line}`"):
            return
        at = following[0] + 1


def programs():
    """ring.c is what README shows; prog and work are the same."""
    text = next(text for _, text in blocks.of_page("README.md") if "int main" in text)
    for name in ("ring", "prog"):
        with open(f"{name}.c", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        check(subprocess.run(["oshcc", "-Wall", "-Werror", "-o", name, f"{name}.c"],
                             check=False).returncode == 0, "README's program does not compile")
    shutil.copy("ring", "work")


def main():
    known, used, done = tests(), set(), set()
    for pattern, reason in MARKS:
        for test in re.findall(r"\b\w+/\w+$", reason):
            check(test in known, f"a mark names {test}, which is no test", pattern)
    programs()
    for page in PAGES:
        for heading, text in blocks.of_page(page):
            if heading == "SYNOPSIS" or "int main" in text:
                continue
            if text.startswith("$ "):
                transcript(page, text)
                continue
            for line in filter(None, map(bare, text.replace("\\\n", " ").splitlines())):
                mark = next((m for m, _ in MARKS if re.fullmatch(m, line)), None)
                used.add(mark)
                if not mark and RUN.match(line):
                    run(page, line, done)
                elif not mark:
                    fail(f"{page}: `{line}` is neither run nor marked")
    for mark, _ in MARKS:
        check(mark in used, f"no page has a line for the mark {mark}")
    check(len(done) > 15, f"only {len(done)} commands were run")
    finish()


main()
