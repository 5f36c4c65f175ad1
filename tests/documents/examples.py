#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the pages of functions. Whole programs are compiled and run. Fragments become
functions of one program, behind examples.h, which has what they leave out; those of OpenSHMEM run
in two PEs, in the order of the pages, unless a mark below says why not."""
import re
import subprocess
from pathlib import Path

import blocks
from frame.script import ROOT, check, finish

HERE = Path(__file__).resolve().parent
FLAGS = ["-O1", "-Wall", "-Werror", "-Wno-unused", "-Wno-maybe-uninitialized",
         "-Wno-stringop-overflow", f"-I{HERE}"]
# Fragments that are compiled and not run.
COMPILED = {
    "shmem_wait_until_all": "the flags are set by what the fragment leaves out",
    "shmem_init_thread": "the start of a program",
    "shmem_atomic_fetch_nbi": "a job of 8 PEs",
    "shmemx_device_heap": "needs a device",
    "shmemx_device_world": "needs a device",
}
MPI = {"shmemx_team_from_mpi_comm"}  # needs mpi.h: mixed/mpich
PROGRAM = """
int main(void)
{
    shmem_init();
    prepare();
%s    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        puts("all examples ran");
    shmem_finalize();
    return 0;
}
"""


def compiled(name, text, *flags):
    Path(f"{name}.c").write_text(text, encoding="utf-8")
    end = subprocess.run(["oshcc", *FLAGS, *flags, "-o", name, f"{name}.c"], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return check(end.returncode == 0, f"{name} does not compile: {end.stdout[:1500]}")


def ran(name, npes):
    end = subprocess.run(["oshrun", "-n", str(npes), "--timeout", "120", f"./{name}"], text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    check(end.returncode == 0, f"{name} ends with status {end.returncode}: {end.stdout[-1500:]}")
    return end.stdout


def function(page, text):
    body = re.sub(r"^( *)return 1;", r"\1return;", text, flags=re.M)
    return f'#line 1 "{page}"\nstatic void {page}_example(void)\n{{\n{body}\n}}\n'


def main():
    fragments = {"shmem": {}, "gasnet": {}, "gex": {}}
    for path in sorted((ROOT / "docs/man").glob("*.3.md")):
        page = path.name.removesuffix(".3.md")
        text = "\n".join(text for heading, text in blocks.of_page(path)
                         if heading.startswith("EXAMPLE"))
        check(text, f"{path.name} has no example")
        if "int main" in text:
            if compiled(page, text + "\n"):
                check(ran(page, 2).count("of 2") == 2, f"{page} prints something else")
        elif "pshmem.h" in text:
            compiled(page, text + "\n", "-c")
        elif page not in MPI:
            kind = ("gex" if page.startswith("shmemx_team_from_gex") else
                    "gasnet" if page.startswith("gasnet") else "shmem")
            fragments[kind][page] = text
    for name in COMPILED:
        check(name in fragments["shmem"], f"a mark names {name}, which has no fragment")
    calls = "".join(f"    shmem_barrier_all();\n    {page}_example();\n"
                    for page in fragments["shmem"] if page not in COMPILED)
    for kind, pages in fragments.items():
        text = f'#define {kind.upper()}_EXAMPLES\n#include "examples.h"\n'
        text += "".join(function(page, body) for page, body in pages.items())
        if kind == "shmem" and compiled(kind, text + PROGRAM % calls):
            for layout in ([], ["--emulate-nodes", "2"]):
                out = subprocess.run(["oshrun", "-n", "2", "--timeout", "120", *layout, "./shmem"],
                                     text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, check=False)
                check(out.returncode == 0 and "all examples ran" in out.stdout,
                      f"the examples {layout} end with status {out.returncode}: "
                      f"{out.stdout[-1500:]}")
        elif kind != "shmem":
            compiled(kind, text, "-c", "-DGASNET_SEQ")
    check(len(fragments["shmem"]) > 25 and len(fragments["gasnet"]) > 5, "pages are missing")
    finish()


main()
