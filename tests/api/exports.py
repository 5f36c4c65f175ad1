#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The library exports what the specification lists, under both names, and nothing else.

golden_exports.txt is every entry point of OpenSHMEM 1.6 with its profiling name, written down from
the specification and not from the library's table; Causeway's extensions (shmemx_), which have
none; and the handles, which are objects (in capitals). Checked: the table expands to it; the
library exports it except the pending families; each shmem_ name is a weak alias of its pshmem_ one;
the headers declare the same; committed files are up to date; and the conformance programs use every
exported function.
"""
import re
import subprocess
import sys
import tempfile

from frame.script import ROOT, STAGE, TESTS, fail, finish, run

GENERATOR = ROOT / "maint/gen_shmem.py"
# Entry points whose profiling name has no p in front: _my_pe shares that of shmem_my_pe.
PROFILING = {"_my_pe": "pshmem_my_pe", "_num_pes": "pshmem_num_pes"}


def report(what, names):
    if names:
        shown = sorted(names)
        fail(f"{what}: {', '.join(shown[:12])}{' ...' if len(shown) > 12 else ''} ({len(shown)})")


def symbols(path, *options):
    """{name: (kind, address)} of a library's dynamic symbols."""
    found = {}
    for line in run("nm", "-D", "--defined-only", *options, path).splitlines():
        address, kind, name = line.split()
        if kind != "A":  # a version node
            found[name.split("@")[0]] = (kind, address)
    return found


def check_library(wanted, objects):
    have = symbols(STAGE / "lib/libcauseway.so")
    report("the library has no objects", objects - {name for name in have if have[name][0] in "RD"})
    have = {name: have[name] for name in have if name not in objects}
    report("the library does not export", wanted - set(have))
    gasnet = {line for path in (ROOT / "src").rglob("exports.txt")
              for line in path.read_text(encoding="utf-8").split("\n") if line[:1] != "#"}
    report("the library exports besides", set(have) - wanted - gasnet)
    apart = set()
    for name in wanted:
        profiling = PROFILING.get(name, "p" + name)
        if (name in have and profiling in have and profiling in wanted
            and (have[name][1] != have[profiling][1] or have[name][0] != "W")):
            apart.add(name)
    report("not a weak alias of the profiling name", apart)


def declared(header):
    text = (ROOT / "include" / header).read_text(encoding="utf-8")
    return set(re.findall(
        r"^\w[\w \*]*?\b(\w+)\([^()]*\)(?: CAUSEWAY_OLD| __attribute__\(\(__noreturn__\)\))?;$",
        text, re.M))


def check_headers(wanted, objects):
    base = (ROOT / "include/causeway/shmem-base.h").read_text(encoding="utf-8")
    report("the headers declare other objects",
           objects ^ set(re.findall(r"^extern const \w+ (\w+);$", base, re.M)))
    extensions = {name for name in wanted if name.startswith("shmemx_")}
    report("shmemx.h lacks", extensions - declared("shmemx.h"))
    report("shmemx.h declares besides", declared("shmemx.h") - extensions)
    wanted = wanted - extensions
    plain = {name for name in wanted if name in PROFILING or "p" + name in wanted}
    shifted = wanted - plain
    report("shmem.h lacks", plain - declared("shmem.h"))
    report("shmem.h declares besides", declared("shmem.h") - plain)
    report("pshmem.h lacks", shifted - declared("pshmem.h"))
    report("pshmem.h declares besides", declared("pshmem.h") - shifted)


def check_coverage(wanted):
    """Undefined symbols of the conformance programs, compiled without optimisation so that no call
    disappears."""
    used = set()
    with tempfile.TemporaryDirectory() as scratch:
        for source in sorted((ROOT / "tests/conformance").glob("*.c")):
            target = f"{scratch}/{source.stem}.o"
            run(STAGE / "bin/oshcc", "-O0", f"-I{TESTS}", "-c", source, "-o", target)
            used |= {line.split()[-1] for line in run("nm", "-u", target).splitlines()}
    plain = {name for name in wanted if name in PROFILING or "p" + name in wanted}
    report("no conformance program uses", plain - used)


def main():
    golden = set((ROOT / "tests/api/golden_exports.txt").read_text(encoding="utf-8").split())
    objects = {name for name in golden if name.isupper()}
    golden -= objects
    wanted = set(run(sys.executable, GENERATOR, "--list").split())
    report("the table lacks", golden - wanted)
    report("the table invents", wanted - golden)
    check_library(wanted, objects)
    check_headers(wanted, objects)
    check_coverage(wanted)
    done = subprocess.run([sys.executable, str(GENERATOR), "--check"], capture_output=True,
                          text=True)
    report("generated files differ from their sources",
           set(done.stdout.splitlines()[-1:]) if done.returncode else set())
    finish(f"{len(wanted)} names exported")


if __name__ == "__main__":
    main()
