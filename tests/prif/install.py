#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What programs that use PRIF find in a prefix: the wrapper prifc, an archive, pkg-config, CMake;
that the module has what the specification lists, with its
arguments (interface.csv), that the library defines all of it, and that the tests call it."""
import re
import shutil
from pathlib import Path

from frame.client import by_cmake, links, scratch, works
from frame.script import ROOT, STAGE, TESTS, check, finish, run

PROGRAM = """program hello
  use prif
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int) :: stat, n
  call prif_init(stat)
  n = 1
  call prif_co_sum(n)
  print '(i0,a,i0)', n, " of ", n
  call prif_stop(.true._c_bool)
end program
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(prog Fortran)
find_package(Causeway 0.1 REQUIRED COMPONENTS prif)
add_executable(program f.f90)
target_link_libraries(program Causeway::prif)
add_executable(program_static f.f90)
target_link_libraries(program_static Causeway::prif_static)
"""
PRIFC = STAGE / "bin/prifc"
SOURCES = STAGE / "share/causeway/prif"
KINDS = {"c_int": "4", "c_bool": "1", "c_int64_t": "8", "c_size_t": "8", "c_intptr_t": "8",
         "c_ptrdiff_t": "8", "PRIF_ATOMIC_INT_KIND": "8", "PRIF_ATOMIC_LOGICAL_KIND": "8",
         "len=*": "*,1", "len=:": ":,1"}
# as gfortran, and flang, call a procedure of a module; those that are bind(C) by their own name
MANGLED = re.compile(r"(?:__prif_MOD_|_QMprifP|\b)(prif_\w+)$")


def wanted():
    """{name: (kind, arguments)} of the table."""
    table = {}
    for line in (TESTS / "prif/interface.csv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, kind, *arguments = line.split(";")
            table[name] = kind, [argument.strip() for argument in arguments if argument]
    return table


def arguments_of(order, body):
    """Of a procedure, each as the table has it."""
    found = {}
    for declared, names in re.findall(r"^ +(\w[^\n]*?) :: (.*)$", body, re.M):
        if declared.startswith("import"):
            continue
        declared = re.sub(r"\(([\w=*:]+)\)", lambda m: f"({KINDS.get(m[1], m[1])})", declared,
                          count=1)
        declared = re.sub(r", +", ",", declared)
        for name in re.findall(r"\w+(?:\([:.]+\))?", names):
            found[name.split("(")[0]] = f"{declared} {name}"
    return [found.pop(name) for name in re.findall(r"\w+", order)] + sorted(found)


def declared():
    """The same of the module's source."""
    text = re.sub(r" *&\n *", " ", (SOURCES / "prif.f90").read_text(encoding="utf-8"))
    text = re.sub(r"!.*", "", text)
    table = {}
    for abstract, block in re.findall(r"^  (abstract )?interface\n(.*?)^  end interface", text,
                                      re.M | re.S):
        for name, order, body in re.findall(
                r"^    (?:module )?subroutine (\w+)\((.*?)\).*?\n(.*?)^    end sub", block,
                re.M | re.S):
            table[name] = ("abstract interface" if abstract else "procedure",
                           arguments_of(order, body))
    for name in re.findall(r"^  type, public.*:: (\w+)", text, re.M):
        table[name] = "type", []
    for names in re.findall(r"^  integer.*parameter, public :: (.*)$", text, re.M):
        for name in re.findall(r"(\w+) = ", names):
            table[name.lower()] = "constant", []
    public = set(re.findall(r"prif_\w+", " ".join(re.findall(r"^  public :: (.*)$", text, re.M))))
    check(public == {name for name in table if table[name][0] not in ("type", "constant")},
          "what is public")
    return table


def compare(table):
    have = declared()
    for name in sorted(set(table) | set(have)):
        check(table.get(name) == have.get(name), name, table.get(name), have.get(name))


def names_of(lines):
    return {match[1] for line in lines if (match := MANGLED.search(line))}


def coverage(procedures):
    out = run("nm", "-D", "--defined-only", "--format=just-symbols",
              STAGE / "lib/libprif_causeway.so").splitlines()
    check(procedures <= names_of(out), "the library defines", procedures - names_of(out))
    called = set()
    sources = [TESTS / f"prif/{name}.f90" for name in ("checks", "access", "words", "teams",
                                                       "collectives", "gone", "ends")]
    done = works(PRIFC, "-c", "-O0", *sources)
    if check(done.returncode == 0, "the tests compile", done.stderr):
        called = names_of(run("nm", "-u", *sorted(Path().glob("*.o"))).splitlines())
    check(procedures <= called, "the tests call", sorted(procedures - called))


def example():
    """The program of the page runs."""
    page = (ROOT / "docs/man/prif.7.md").read_text(encoding="utf-8")
    Path("ring.f90").write_text(page.split("# EXAMPLES")[1].split("# SEE ALSO")[0])
    done = works(PRIFC, "ring.f90", "-o", "ring")
    if check(done.returncode == 0, "the page's example compiles", done.stderr):
        job = works(STAGE / "bin/oshrun", "-n", 2, "./ring")
        found = {tuple(re.findall(r"\d+", line)) for line in job.stdout.splitlines()}
        check(job.returncode == 0 and found == {("1", "2", "2"), ("2", "2", "1")},
              "the page's example", job.stdout, job.stderr)


def main():
    table = wanted()
    procedures = {name for name in table if table[name][0] == "procedure"}
    check(len(procedures) == 109, "procedures", len(procedures))
    compare(table)
    with scratch():
        Path("f.f90").write_text(PROGRAM)
        links("prifc", PRIFC, "f.f90")
        links("prifc, archive", PRIFC, "-static-causeway", "f.f90")
        show = works(PRIFC, "-showme", "f.f90").stdout
        check("gfortran" in show and "-lprif_causeway" in show, "-showme", show)
        if shutil.which("pkg-config"):
            links("pkg-config", "gfortran", "f.f90",
                  *run("pkg-config", "--cflags", "--libs", "causeway-prif").split())
        if shutil.which("cmake"):
            by_cmake(CMAKE)
        example()
        coverage(procedures)
    finish()


if __name__ == "__main__":
    main()
