#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Fortran programs find in a prefix: the wrapper caf (flags, an archive, a compiler of another
version), -lcaf_causeway alone from the shared library and from the archive, pkg-config, CMake; and
that the test programs reach every entry point that the library exports."""
import os
import re
import shutil
from pathlib import Path

from frame.client import LIB, by_cmake, links, runs, scratch, works
from frame.names import exported
from frame.script import STAGE, TESTS, check, finish, run

PROGRAM = """program hello
  integer :: n[*]
  n = 1
  call co_sum(n)
  print '(i0,a,i0)', n, " of ", num_images()
end program
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(prog Fortran)
find_package(Causeway 0.1 REQUIRED COMPONENTS caf)
add_executable(program f.f90)
target_link_libraries(program Causeway::caf)
add_executable(program_static f.f90)
target_link_libraries(program_static Causeway::caf_static)
"""
CAF = STAGE / "bin/caf"


def components():
    Path("CMakeLists.txt").write_text(CMAKE.replace("COMPONENTS caf", "COMPONENTS cafe"))
    done = works("cmake", "-S", ".", "-B", "wrong", f"-DCMAKE_PREFIX_PATH={STAGE}")
    check(done.returncode != 0 and "there is no component cafe" in done.stderr,
          "a component that does not exist", done.stderr)


def wrapper():
    show = works(CAF, "-showme", "f.f90").stdout
    check("gfortran" in show and "-fcoarray=lib" in show and "-lcaf_causeway" in show, "-showme",
          show)
    check(works(CAF, "--showme:compile").stdout.split()[-1] == "-fcoarray=lib", "--showme:compile")
    Path("old").write_text("#!/bin/sh\necho 17\n")
    Path("old").chmod(0o755)
    os.environ["CAF_FC"] = "./old"
    done = works(CAF, "f.f90")
    check(done.returncode == 1 and "caf: ./old is version 17" in done.stderr, "another version",
          done.stderr)
    Path("old").write_text("#!/bin/sh\necho 16\n")
    show = works(CAF, "-showme", "f.f90").stdout
    check("-lcaf_causeway16 -lcaf_causeway" in show, "gfortran 16", show)
    os.environ["CAF_FC"] = "./none"
    done = works(CAF, "f.f90")
    check(done.returncode == 1 and "cannot run ./none; CAF_FC names another" in done.stderr,
          "no compiler", done.stderr)
    os.environ["CAF_FC"] = "./old"
    show = works(CAF, "-showme", "-static-causeway", "f.f90").stdout
    check(re.search(r"libcaf_causeway16\.a \S*libcauseway\.a", show), "its archive", show)
    del os.environ["CAF_FC"]


def coverage():
    reached = set()
    for source in ("checks", "transfers", "words", "collectives", "sections", "components", "teams",
                   "gone", "misuse"):
        done = works(CAF, "-w", "-S", "-O0", TESTS / f"caf/{source}.f90", "-o", "-")
        check(done.returncode == 0, f"{source}.f90", done.stderr)
        reached |= set(re.findall(r"\b_gfortran_caf_\w+", done.stdout))
    # what gfortran 15 and 16 call
    reached |= set(re.findall(r"\b_gfortran_caf_\w+", (TESTS / "caf/accessors.c").read_text()))
    have = exported("_gfortran_caf_")
    check(have <= reached, "the tests call what the library has", sorted(have - reached))


def main():
    with scratch():
        Path("f.f90").write_text(PROGRAM)
        links("caf", CAF, "f.f90")
        links("caf, archive", CAF, "-static-causeway", "f.f90")
        links("caf, all static", CAF, "-static", "f.f90")
        plain = ("gfortran", "-fcoarray=lib", "f.f90", LIB)
        links("gfortran", *plain, "-lcaf_causeway")
        links("gfortran, archive", *plain, "-l:libcaf_causeway.a")
        wrapper()
        if shutil.which("pkg-config"):
            links("pkg-config", "gfortran", "f.f90",
                  *run("pkg-config", "--cflags", "--libs", "causeway-caf").split())
        if shutil.which("cmake"):
            by_cmake(CMAKE)
            components()
        coverage()
    finish()


if __name__ == "__main__":
    main()
