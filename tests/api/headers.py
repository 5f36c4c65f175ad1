#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Public headers compile alone, in any language version that a user may choose, without a warning;
and misuse of the type-generic names does not compile, in C11 and in C++."""
import concurrent.futures
import re
import shutil
import subprocess

from frame.script import STAGE, fail, finish

HEADERS = ["shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h"]
C = [(cc, s) for cc in ("gcc", "clang") for s in ("c99", "c11", "c17", "gnu17")]
CXX = [(cc, s) for cc in ("g++", "clang++") for s in ("c++11", "c++14", "c++17", "gnu++20")]
BODY = "#include <shmem.h>\nvoid f(void); void f(void) { %s }\n"
# Those of before C99 and C++11, and the headers whose interfaces are that old.
OLDEST = [(*job, std) for std, job in (("c90", ("c", "gcc")), ("c90", ("c", "clang")),
                                       ("c++98", ("c++", "g++")), ("c++98", ("c++", "clang++")))]
OLD_HEADERS = [*HEADERS, "armci.h", "armcix.h", "parmci.h", "message.h"]
# Lines that the preprocessor leaves of a program that includes nothing else, with some room.
LINES = {"shmem.h": 4000, "pshmem.h": 4000, "mpp/shmemx.h": 4000, "armci.h": 4000,
         "gasnet.h": 10000, "gasnetex.h": 10000, "dash/dart/if/dart.h": 4000}
WARN = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
# Warnings that careful users add.
STRICT = ["-Wshadow", "-Wconversion", "-Wundef", "-Wredundant-decls", "-Wcast-qual",
          "-Wwrite-strings"]
STRICT_C = [*STRICT, "-Wstrict-prototypes", "-Wmissing-prototypes"]
STRICT_CXX = [*STRICT, "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wold-style-cast",
              "-Wzero-as-null-pointer-constant"]

# Each must be rejected, and its neighbour with the right type accepted.
REFUSED = [
    ("a void pointer", "void *p = 0; shmem_put(p, p, 1, 0);", "int *p = 0; shmem_put(p, p, 1, 0);"),
    ("a structure", "struct { int i; } *p = 0; shmem_get(p, p, 1, 0);",
     "long *p = 0; shmem_get(p, p, 1, 0);"),
    ("two types", "int *p = 0; long *q = 0; shmem_put(p, q, 1, 0);",
     "int *p = 0, *q = 0; shmem_put(p, q, 1, 0);"),
    ("a constant destination", "const int *p = 0; shmem_p(p, 1, 0);",
     "int *p = 0; shmem_p(p, 1, 0);"),
    ("an atomic add of doubles", "double *p = 0; shmem_atomic_add(p, 1., 0);",
     "int *p = 0; shmem_atomic_add(p, 1, 0);"),
    ("a bitwise atomic of long long", "long long *p = 0; shmem_atomic_or(p, 1, 0);",
     "unsigned *p = 0; shmem_atomic_or(p, 1u, 0);"),
    ("an atomic of char", "char *p = 0; shmem_atomic_inc(p, 0);",
     "long *p = 0; shmem_atomic_inc(p, 0);"),
    ("waiting for a float", "float *p = 0; shmem_wait_until(p, SHMEM_CMP_EQ, 1.f);",
     "short *p = 0; shmem_wait_until(p, SHMEM_CMP_EQ, (short)1);"),
    ("a set of floats", "float *p = 0; shmem_wait_until_all(p, 1, 0, SHMEM_CMP_EQ, 1.f);",
     "short *p = 0; shmem_wait_until_all(p, 1, 0, SHMEM_CMP_EQ, (short)1);"),
    ("the AND of doubles", "double *p = 0; shmem_and_reduce(SHMEM_TEAM_WORLD, p, p, 1);",
     "double *p = 0; shmem_sum_reduce(SHMEM_TEAM_WORLD, p, p, 1);"),
    ("the maximum of complex numbers",
     "causeway_complexd_t *p = 0; shmem_max_reduce(SHMEM_TEAM_WORLD, p, p, 1);",
     "causeway_complexd_t *p = 0; shmem_prod_reduce(SHMEM_TEAM_WORLD, p, p, 1);"),
    ("too few arguments", "int *p = 0; shmem_put(p, p, 1);",
     "int *p = 0; shmem_put(SHMEM_CTX_DEFAULT, p, p, 1, 0);"),
    ("too many arguments", "int *p = 0; shmem_put(SHMEM_CTX_DEFAULT, p, p, 1, 0, 0);",
     "int *p = 0; shmem_put(p, p, 1, 0);"),
    ("a team for a context", "int *p = 0; shmem_p(SHMEM_TEAM_WORLD, p, 1, 0);",
     "int *p = 0; shmem_p(SHMEM_CTX_DEFAULT, p, 1, 0);"),
]


# Promises of the standard about types, handles and constants, which hold in every language.
PROMISES = """
static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT, no_ctx = SHMEM_CTX_INVALID;   // link-time constants
static shmem_team_t team = SHMEM_TEAM_WORLD, no_team = SHMEM_TEAM_INVALID;
static long psync[SHMEM_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE +
                  SHMEM_COLLECT_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE +
                  SHMEM_ALLTOALLS_SYNC_SIZE] = {SHMEM_SYNC_VALUE};
static long old_psync[_SHMEM_BARRIER_SYNC_SIZE + _SHMEM_BCAST_SYNC_SIZE + _SHMEM_COLLECT_SYNC_SIZE +
                      _SHMEM_REDUCE_SYNC_SIZE] = {_SHMEM_SYNC_VALUE};
static int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + _SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static char name[SHMEM_MAX_NAME_LEN + _SHMEM_MAX_NAME_LEN];
static char vendor[] = SHMEM_VENDOR_STRING, old[] = _SHMEM_VENDOR_STRING;
#if SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION != 6 || \\
    _SHMEM_MAJOR_VERSION != 1 || _SHMEM_MINOR_VERSION != 6
#error "not version 1.6"
#endif
#if SHMEM_THREAD_SINGLE >= SHMEM_THREAD_FUNNELED || \\
    SHMEM_THREAD_FUNNELED >= SHMEM_THREAD_SERIALIZED || \\
    SHMEM_THREAD_SERIALIZED >= SHMEM_THREAD_MULTIPLE
#error "thread levels must grow"
#endif
int promises(int cmp, long options, const int *status, const uint64_t *signal, const long *ivar);
int promises(int cmp, long options, const int *status, const uint64_t *signal, const long *ivar)
{
    static int sum;
    static size_t indices[2];
    static long word;
    switch (cmp) {
    case SHMEM_CMP_EQ: case SHMEM_CMP_NE: case SHMEM_CMP_LT:
    case SHMEM_CMP_LE: case SHMEM_CMP_GT: case SHMEM_CMP_GE:
        sum++;
        break;
    default:
        sum += _SHMEM_CMP_EQ == SHMEM_CMP_EQ && _SHMEM_CMP_GE == SHMEM_CMP_GE;
    }
    if (options & (SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE |
                   SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE))
        sum++;
    if (ctx == no_ctx || team == no_team || ctx == SHMEM_CTX_INVALID || SHMEM_TEAM_WORLD != team)
        shmem_global_exit(SHMEM_SIGNAL_SET + SHMEM_SIGNAL_ADD);
    sum += (shmem_signal_fetch(signal) != 0) + shmem_addr_accessible(ivar, 0);
    sum += shmem_long_wait_until_some(&word, 1, indices, status, SHMEM_CMP_EQ,
                                      shmem_long_g(ivar, 0)) == 1;
    sum += (psync[0] != 0) + (old_psync[0] != 0) + work[0] + name[0] + vendor[0] + old[0];
    return sum;
}
int never_returns(int status);
int never_returns(int status)
{
    if (status)
        return 1;
    shmem_global_exit(status);
}  // no value is missing here
"""
OLD_CALL = "int *p = 0; (void)shmem_int_fadd(p, 1, 0); shmem_inc(p, 0);"


def compiles(compiler, std, language, text, *more):
    command = [compiler, "-std=" + std, "-x", language, *WARN, *more, "-I", str(STAGE / "include"),
               "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def alone(job):
    language, compiler, std, header = job
    ok, text = compiles(compiler, std, language, f"#include <{header}>\n#include <{header}>\n")
    return None if ok else f"{header} with {compiler} -std={std}:\n{text[:1000]}"


def oldest(job):
    """Without a comment, a type or a declaration of later standards. <mpi.h> is another's."""
    language, compiler, std, header = job
    ok, text = compiles(compiler, std, language, f"#include <{header}>\nextern int x;\n",
                        "-pedantic-errors", "-DARMCI_WITHOUT_MPI")
    return None if ok else f"{header} with {compiler} -std={std}:\n{text[:1000]}"


def lean(job):
    """No header brings in what its interface does not need."""
    language, compiler, header = job
    done = subprocess.run([compiler, "-x", language, "-E", "-DGASNET_SEQ=1", "-DARMCI_WITHOUT_MPI",
                           "-I", str(STAGE / "include"), "-"],
                          input=f"#include <{header}>\n", capture_output=True, text=True)
    n = len(done.stdout.splitlines())
    if done.returncode == 0 and n <= LINES[header]:
        return None
    return f"{header} is {n} lines for {compiler}, not {LINES[header]} at most\n{done.stderr}"


def wrapped(job):
    """Old C++ programs put the header into extern "C" themselves."""
    compiler, std, header = job
    ok, text = compiles(compiler, std, "c++", f'extern "C" {{\n#include <{header}>\n}}\nint *p;\n'
                        "void f(); void f() { shmem_int_p(p, shmem_my_pe(), 0); }\n")
    return None if ok else f"{header} in extern \"C\" with {compiler} -std={std}:\n{text[:1000]}"


def strict(job):
    language, compiler, std = job
    if language == "c" and compiler == "gcc" and std == "c99":
        more = [*STRICT_C, "-Wc++-compat"]
    else:
        more = STRICT_C if language == "c" else STRICT_CXX
    ok, text = compiles(compiler, std, language, "#include <mpp/shmem.h>\n#include <pshmem.h>\n"
                        + PROMISES, *more)
    return None if ok else f"promises with {compiler} -std={std}:\n{text[:1500]}"


def strict_others(job):
    """The other interfaces' headers, in C: their models' are written in it, casts and all."""
    language, compiler, std = job
    text = "".join(f"#include <{header}>\n"
                   for header in ("gasnet.h", "gasnet_coll.h", "gasnet_vis.h", "gasnet_ratomic.h",
                                  "armci.h", "armcix.h"))
    ok, text = compiles(compiler, std, language, "#define GASNET_PAR 1\n" + text, *STRICT_C)
    return None if ok else f"other interfaces with {compiler} -std={std}:\n{text[:1500]}"


def deprecation(job):
    """Silent by default; on request the compiler warns of the old names, and only of these."""
    language, compiler, std = job
    warn = "-DCAUSEWAY_WARN_DEPRECATED"
    silent, text = compiles(compiler, std, language, BODY % OLD_CALL)
    current = BODY % (
        "{ int *p = 0; (void)shmem_atomic_fetch_add(p, 1, 0); shmem_wait_until(p, SHMEM_CMP_EQ, 1);"
        " shmem_sync(SHMEM_TEAM_WORLD); }")
    fresh, more = compiles(compiler, std, language, current, warn)
    loud, said = compiles(compiler, std, language, BODY % OLD_CALL, warn)
    if silent and fresh and not loud and "deprecated" in said and "shmem_int_fadd" in said:
        return None
    return (f"deprecation with {compiler} -std={std}: silent {silent}, current {fresh}, "
            f"warned {not loud}\n{text}{more[:1000]}")


def refusals(job):
    """Each wrong call must have an error of its own: all in one file, one per line."""
    language, compiler, std = job
    lines = (["#include <shmem.h>"]
             + [f"void f{i}(void); void f{i}(void) {{ {wrong} }}"
                for i, (_, wrong, _) in enumerate(REFUSED)])
    where = (["-fmax-errors=0", "-ftrack-macro-expansion=0"]
             if compiler[0] == "g" else ["-ferror-limit=0"])
    _, text = compiles(compiler, std, language, "\n".join(lines) + "\n", *where)
    found = {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: error:", text, re.M)}
    taken = [f"{what}: {wrong}" for i, (what, wrong, _) in enumerate(REFUSED) if i + 2 not in found]
    return f"{compiler} -std={std} takes " + "\n".join(taken) if taken else None


def acceptance(job):
    """All right neighbours at once: so nothing else makes a wrong one fail."""
    language, compiler, std = job
    ok, text = compiles(compiler, std, language,
                        BODY % " ".join("{ %s }" % right for _, _, right in REFUSED))
    return None if ok else f"{compiler} -std={std} refuses\n{text[:1500]}"


def main():
    here = [(lang, compiler, std) for lang, all_of in (("c", C), ("c++", CXX))
            for compiler, std in all_of
            if shutil.which(compiler)]
    generic = [job for job in here if job[2] != "c99"]
    chosen = [job for job in generic if job[1:] in (("gcc", "c11"), ("clang", "c17"),
                                                    ("g++", "c++11"), ("clang++", "c++17"))]
    # maint/lint.py headers (tests/lint) compiles each header alone in C11, C17 and C++17.
    jobs = [(alone, (*job, header)) for job in here for header in HEADERS
            if job[2] not in ("c11", "c17", "c++17")]
    jobs += [(oldest, (*job, header)) for job in OLDEST if shutil.which(job[1])
             for header in OLD_HEADERS]
    jobs += [(lean, (*job, header)) for job in (("c", "gcc"), ("c++", "g++")) for header in LINES]
    jobs += [(acceptance, job) for job in generic]
    # of each language
    ends = [job for job in here if job[2] in ("c99", "gnu17", "c++11", "gnu++20")]
    jobs += [(wrapped, (*job[1:], header)) for job in ends if job[0] == "c++"
             for header in ("shmem.h", "mpp/shmemx.h")]
    jobs += [(strict, job) for job in ends]
    jobs += [(strict_others, job) for job in ends if job[0] == "c"]
    jobs += [(deprecation, job) for job in chosen]
    jobs += [(refusals, job) for job in chosen]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for text in pool.map(lambda job: job[0](job[1]), jobs):
            if text:
                fail(text)
    if len(here) < len(C) + len(CXX):
        print(f"{len(C) + len(CXX) - len(here)} compilers are not here")
    finish(f"{len(jobs)} compilations")


if __name__ == "__main__":
    main()
