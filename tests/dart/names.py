#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The headers declare all names of DART 3.2 (names.txt, written down from the published interface),
in C and in C++; the library exports functions that they declare, and nothing else of that prefix;
their layouts are the published ones in C++ too (layout.c)."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from frame.names import exported, visible
from frame.script import STAGE, TESTS, check, finish

HEADERS = "#include <dash/dart/if/dart.h>\n#include <dash/dart/if/dart_locality.h>\n" \
          "#include <dash/dart/if/dart_io.h>\n"
FUNCTION = re.compile(r"\b(dart_\w+)\(")
INLINE = {"dart_gptr_incaddr", "dart_gptr_setunit", "dart_create_global_unit",
          "dart_create_team_unit"}
ALONE = ["dart", "dart_communication", "dart_config", "dart_globmem", "dart_initialization",
         "dart_io", "dart_locality", "dart_synchronization", "dart_team_group", "dart_types",
         "dart_util"]
WARN = ["-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Wredundant-decls", "-Werror"]


def compiles(compiler, std, source, *more):
    done = subprocess.run([compiler, f"-std={std}", *WARN, f"-I{STAGE}/include", f"-I{TESTS}",
                           *more, source], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{compiler} -std={std} {Path(source).name}", done.stderr)
    return done.returncode == 0


def languages(scratch):
    compilers = [("gcc", "c99"), ("gcc", "c17"), ("gcc", "gnu17"), ("clang", "c11"),
                 ("g++", "c++11"), ("g++", "c++17"), ("clang++", "c++14")]
    for compiler, std in compilers:
        if not shutil.which(compiler):
            continue
        for name in ALONE:
            source = scratch / f"{name}.{'cc' if '+' in std else 'c'}"
            source.write_text(f"#include <dash/dart/if/{name}.h>\n")
            compiles(compiler, std, source, "-fsyntax-only")
    program = scratch / "layout"
    for compiler, std, language in (("cc", "c99", "c"), ("c++", "c++11", "c++")):
        if compiles(compiler, std, TESTS / "dart/layout.c", "-Wno-missing-field-initializers",
                    "-D_GNU_SOURCE", f"-x{language}", "-o", program):
            done = subprocess.run(program, capture_output=True, text=True, check=False)
            check(done.returncode == 0, f"layouts in {language}", done.stdout)


def main():
    names = set((TESTS / "dart/names.txt").read_text().split())
    have, text = visible(HEADERS)
    check(names <= have, "all names are there", sorted(names - have))
    declared, library = set(FUNCTION.findall(text)) - INLINE, exported("dart_")
    check(library <= declared, "the headers declare what the library exports",
          sorted(library - declared))
    with tempfile.TemporaryDirectory() as scratch:
        languages(Path(scratch))
    finish(f"{len(names)} names, {len(library)} of {len(declared)} functions")


if __name__ == "__main__":
    main()
