#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each type-generic name chooses the right function for every type it takes, with a context and
without, in C11 and C++, and takes no other type.

For each name and type a function with nothing but the call is compiled to assembly, which shows the
name that it calls. Values cannot show this: a call for long instead of long long gives the same
result.
"""
import re
import shutil
import subprocess
import sys

from frame.script import ROOT, STAGE, check, fail, finish

sys.path.insert(0, str(ROOT / "maint"))
import gen_shmem  # noqa: E402

COMPILERS = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++11"),
             ("clang++", "c++", "c++17")]
# Names of the same type where int has 32 bits and long 64.
SAME = {"int8": "schar", "int16": "short", "int32": "int", "int64": "long", "uint8": "uchar",
        "uint16": "ushort", "uint32": "uint", "uint64": "ulong", "size": "ulong", "ptrdiff": "long"}
# The types that each family takes, as the specification groups them.
RMA = ("float double longdouble char schar short int long longlong "
       "uchar ushort uint ulong ulonglong int8 int16 int32 int64 "
       "uint8 uint16 uint32 uint64 size ptrdiff").split()
AMO = "int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff".split()
BITWISE = "uint ulong ulonglong int32 int64 uint32 uint64".split()
REDUCE_BITS = ("uchar ushort uint ulong ulonglong int8 int16 int32 int64 "
               "uint8 uint16 uint32 uint64 size").split()
# The old names, with unsigned types as in other implementations, for which they call the current
# ones.
OLD = {"fadd": "atomic_fetch_add", "add": "atomic_add", "finc": "atomic_fetch_inc",
       "inc": "atomic_inc", "cswap": "atomic_compare_swap", "fetch": "atomic_fetch",
       "set": "atomic_set", "swap": "atomic_swap"}
UNSIGNED = ["uint", "ulong", "ulonglong"]
FOREIGN = {"bool_t": "_Bool", "structure": "struct causeway_test_structure", "pointer": "void *"}


def types_of(generic):
    op = generic[len("shmem_"):]
    if op in OLD:
        floats = ["float", "double"] if op in ("fetch", "set", "swap") else []
        return [*floats, "int", "long", "longlong", *UNSIGNED]
    if re.match(r"atomic_(fetch_)?(and|or|xor)", op):
        return BITWISE
    if re.match(r"atomic_(fetch|set|swap)(_nbi)?$", op):
        return ["float", "double", *AMO]
    if op.startswith("atomic"):
        return AMO
    if op.startswith(("wait_until", "test")):
        return [*AMO, "short", "ushort"]
    if re.match(r"(and|or|xor)_reduce", op):
        return REDUCE_BITS
    if re.match(r"(sum|prod)_", op):
        return [*RMA, "complexf", "complexd"]
    return RMA


def calls():
    """(generic, typename, with a context, parameters) of every call that the specification
    allows."""
    for row in gen_shmem.of_kind("generic"):
        for proto in row["text"].split(" | "):
            params = [p.strip() for p in proto[proto.index("(") + 1:proto.rindex(")")].split(",")]
            ctx = params[0].startswith("shmem_ctx_t")
            for t in types_of(row["name"]) if "TYPE" in proto else [None]:
                yield row["name"], t, ctx, params


def function(number, generic, ctype, params):
    typed = [re.sub(r"\bTYPE\b", ctype or "", p) for p in params]
    args = ", ".join(gen_shmem.names_of(params))
    head = f"void f{number}({', '.join(typed)})"
    return f"{head}; {head} {{ (void){generic}({args}); }}\n"


def expected(generic, t, ctx):
    rest = generic[len("shmem"):]
    if t is None:
        return {"shmem_sync": {"shmem_team_sync"}}.get(generic, {"shmem_ctx" + rest})
    here = types_of(generic)
    if rest[1:] in OLD and t in UNSIGNED:
        rest = "_" + OLD[rest[1:]]
    prefix = "shmem_ctx_" if ctx else "shmem_"
    names = {prefix + u + rest for u in here if SAME.get(u, u) == SAME.get(t, t)}
    # In C++ the function of the old interface is the overload for long.
    return names | ({generic} if generic in ("shmem_wait_until", "shmem_swap")
                    and SAME.get(t, t) == "long" else set())


def compile_text(compiler, language, std, text, *options):
    command = [compiler, f"-std={std}", "-x", language, "-O1", "-Wall", "-Wextra", "-Werror",
               f"-I{STAGE / 'include'}", "-S", "-o", "-", *options, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def called_by_function(assembly):
    """{number: name of the first shmem function that fNUMBER calls or jumps to}"""
    found, number = {}, None
    for line in assembly.splitlines():
        label = re.match(r"(?:_Z\d+)?f(\d+)\w*:", line)
        if label:
            number = int(label[1])
        target = re.search(r"\b(?:call|jmp|bl|b)q?\s+\*?(shmem_\w+)", line)
        if target and number is not None:
            found.setdefault(number, target[1])
    return found


def check_choice(compiler, language, std, jobs):
    text = "#include <shmem.h>\n" + "".join(
        function(i, g, gen_shmem.CTYPE.get(t), params) for i, (g, t, _, params) in enumerate(jobs))
    if language == "c++":
        text = text.replace("#include <shmem.h>\n", "#include <shmem.h>\nextern \"C\" {\n") + "}\n"
    done = compile_text(compiler, language, std, text)
    if done.returncode:
        return [f"{compiler} -std={std} refuses\n{done.stderr[:2000]}"]
    found = called_by_function(done.stdout)
    return [f"{compiler} -std={std}: {g} of {t}{' with a context' if ctx else ''} calls "
            f"{found.get(i)}"
            for i, (g, t, ctx, _) in enumerate(jobs) if found.get(i) not in expected(g, t, ctx)]


def refusals():
    """A call of each name for each type that it must not take: one representative of each C
    type."""
    for generic, params in {(g, tuple(p)) for g, t, _, p in calls() if t}:
        mine = {SAME.get(t, t) for t in types_of(generic)}
        for t in sorted(({*gen_shmem.BASIC} - mine)) + sorted(FOREIGN):
            yield generic, gen_shmem.CTYPE.get(t) or FOREIGN[t], params


def check_refusals(compiler, language, std, jobs):
    """Every wrong call must have an error on its own line."""
    lines = ["#include <shmem.h>\n", "struct causeway_test_structure { int i; };\n",
             "typedef bool causeway_test_bool;\n" if language == "c++"
             else "typedef _Bool causeway_test_bool;\n"]
    for i, (g, ctype, params) in enumerate(jobs):
        lines.append(function(i, g, ctype.replace("_Bool", "causeway_test_bool"), list(params)))
    done = compile_text(compiler, language, std, "".join(lines), "-Wno-error",
                        *(["-fmax-errors=0", "-ftrack-macro-expansion=0"] if compiler[0] == "g"
                          else ["-ferror-limit=0"]))
    refused = {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: error:", done.stderr, re.M)}
    return [f"{compiler} -std={std} takes {g} of {ctype}" for i, (g, ctype, _) in enumerate(jobs)
            if i + 4 not in refused]


def main():
    jobs, wrong, failed, ran = list(calls()), sorted(refusals()), [], 0
    for compiler, language, std in COMPILERS:
        if not shutil.which(compiler):
            print(f"{compiler} is not here")
            continue
        failed += (check_choice(compiler, language, std, jobs)
                   + check_refusals(compiler, language, std, wrong))
        ran += 1
    check(ran > 0, "a compiler is here")
    for text in failed:
        fail(text)
    names = len({j[0] for j in jobs})
    finish(f"{names} type-generic names, {len(jobs)} calls that must choose right, {len(wrong)} "
           f"that must not compile, "
           f"{ran} compilers")


if __name__ == "__main__":
    main()
