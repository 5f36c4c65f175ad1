#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Public headers compile alone, in any language version a user may choose, without a warning; and misuse of the
type-generic names does not compile, in C11 and in C++."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("CAUSEWAY_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
STAGE = pathlib.Path(os.environ.get("CAUSEWAY_TEST_STAGE", ROOT / "build/stage"))
HEADERS = ["shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h"]
C = [("gcc", s) for s in ("c99", "c11", "c17", "gnu17")] + [("clang", s) for s in ("c99", "c11", "c17")]
CXX = [("g++", s) for s in ("c++11", "c++14", "c++17", "gnu++20")] + [("clang++", s) for s in ("c++11", "c++17")]
BODY = "#include <shmem.h>\nvoid f(void); void f(void) { %s }\n"
WARN = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]

# Each must be refused, and its neighbour with the right type taken.
REFUSED = [
    ("a void pointer", "void *p = 0; shmem_put(p, p, 1, 0);", "int *p = 0; shmem_put(p, p, 1, 0);"),
    ("a structure", "struct { int i; } *p = 0; shmem_get(p, p, 1, 0);", "long *p = 0; shmem_get(p, p, 1, 0);"),
    ("two types", "int *p = 0; long *q = 0; shmem_put(p, q, 1, 0);", "int *p = 0, *q = 0; shmem_put(p, q, 1, 0);"),
    ("a constant destination", "const int *p = 0; shmem_p(p, 1, 0);", "int *p = 0; shmem_p(p, 1, 0);"),
    ("an atomic add of doubles", "double *p = 0; shmem_atomic_add(p, 1., 0);", "int *p = 0; shmem_atomic_add(p, 1, 0);"),
    ("a bitwise atomic of long long", "long long *p = 0; shmem_atomic_or(p, 1, 0);",
     "unsigned *p = 0; shmem_atomic_or(p, 1u, 0);"),
    ("an atomic of char", "char *p = 0; shmem_atomic_inc(p, 0);", "long *p = 0; shmem_atomic_inc(p, 0);"),
    ("waiting for a float", "float *p = 0; shmem_wait_until(p, SHMEM_CMP_EQ, 1.f);",
     "short *p = 0; shmem_wait_until(p, SHMEM_CMP_EQ, (short)1);"),
    ("a set of shorts", "short *p = 0; shmem_wait_until_all(p, 1, 0, SHMEM_CMP_EQ, (short)1);",
     "size_t *p = 0; shmem_wait_until_all(p, 1, 0, SHMEM_CMP_EQ, (size_t)1);"),
    ("the AND of doubles", "double *p = 0; shmem_and_reduce(SHMEM_TEAM_WORLD, p, p, 1);",
     "double *p = 0; shmem_sum_reduce(SHMEM_TEAM_WORLD, p, p, 1);"),
    ("the maximum of complex numbers", "causeway_complexd_t *p = 0; shmem_max_reduce(SHMEM_TEAM_WORLD, p, p, 1);",
     "causeway_complexd_t *p = 0; shmem_prod_reduce(SHMEM_TEAM_WORLD, p, p, 1);"),
    ("too few arguments", "int *p = 0; shmem_put(p, p, 1);", "int *p = 0; shmem_put(SHMEM_CTX_DEFAULT, p, p, 1, 0);"),
    ("too many arguments", "int *p = 0; shmem_put(SHMEM_CTX_DEFAULT, p, p, 1, 0, 0);", "int *p = 0; shmem_put(p, p, 1, 0);"),
    ("a team for a context", "int *p = 0; shmem_p(SHMEM_TEAM_WORLD, p, 1, 0);", "int *p = 0; shmem_p(SHMEM_CTX_DEFAULT, p, 1, 0);"),
]


def compiles(compiler, std, language, text):
    command = [compiler, "-std=" + std, "-x", language, *WARN, "-I", str(STAGE / "include"), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def alone(job):
    language, compiler, std, header = job
    ok, text = compiles(compiler, std, language, f"#include <{header}>\n#include <{header}>\n")
    return None if ok else f"FAIL {header} with {compiler} -std={std}:\n{text[:1000]}"


def refusal(job):
    language, compiler, std, what, wrong = job
    ok, _ = compiles(compiler, std, language, BODY % wrong)
    return f"FAIL {compiler} -std={std} takes {what}: {wrong}" if ok else None


def acceptance(job):
    """All right neighbours at once: what makes a wrong one fail is then not something else."""
    language, compiler, std = job
    ok, text = compiles(compiler, std, language, BODY % " ".join("{ %s }" % right for _, _, right in REFUSED))
    return None if ok else f"FAIL {compiler} -std={std} refuses\n{text[:1500]}"


def main():
    here = [(lang, compiler, std) for lang, all_of in (("c", C), ("c++", CXX)) for compiler, std in all_of
            if shutil.which(compiler)]
    generic = [job for job in here if job[2] != "c99"]
    strict = [job for job in generic if job[1:] in (("gcc", "c11"), ("clang", "c17"), ("g++", "c++11"), ("clang++", "c++17"))]
    jobs = [(alone, (*job, header)) for job in here for header in HEADERS]
    jobs += [(acceptance, job) for job in generic]
    jobs += [(refusal, (*job, what, wrong)) for job in strict for what, wrong, _ in REFUSED]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [text for text in pool.map(lambda job: job[0](job[1]), jobs) if text]
    print("\n".join(failed))
    if len(here) < len(C) + len(CXX):
        print(f"{len(C) + len(CXX) - len(here)} compilers are not here")
    print(f"{len(jobs)} compilations, {len(failed)} not as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
