#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves that tests call every function and macro of GASNet in every thread mode, within a node and
between nodes.

The interface: names.txt of this room (GASNet 1.8 with its vector, indexed and strided calls), what
gasnetex(7) lists under INTERFACE with each number of arguments, and names.txt of ../gasnet_tools.

1. In every mode: each program of these rooms' tables is preprocessed with the flags of its table;
   the names that it then uses, including expanded macros, count for its thread mode, and for "node"
   or "between" by the layouts of its table (with two processes at least).
2. Really called: the programs (except those of the tools, which have no branches) run once between
   two nodes, bound lazily; the dynamic linker reports each function at its first call, and the
   entries of inline functions are marked in a file. A call in a branch that is never taken does not
   count.
3. The audit itself: with a thread mode or the layouts of one kind left out it must miss every
   function, and it must always miss a function that no test calls.
"""
import os
import pathlib
import re
import subprocess
import tempfile

import run
from frame.script import ROOT, STAGE, TESTS, check, fail, finish

MODES = ["SEQ", "PARSYNC", "PAR"]
ROOMS = ["gasnet", "gasnet_ex", "gasnet_tools"]
NUMBERS = [str(i) for i in range(17)]
GEX_COUNTED = [f"gex_AM_{way}{kind}" for way in ("Request", "Reply")
               for kind in ("Short", "Medium", "Long")]
GEX_COMMITS = [f"gex_AM_Commit{way}{kind}" for way in ("Request", "Reply")
               for kind in ("Medium", "Long")]
# Of the tools: names that are no call, names in gasnetex.h only, calls that end the process
# (misuse.sh there).
TOOLS_APART = re.compile(
    r"gasnett_(linkconfig_idiotcheck_|format_(dt|op|ti)|fatalerror(_nopos)?|\w*_t)")


# ---------------------------------------------------------------- the interface
def gasnet_1():
    names = (TESTS / "gasnet/names.txt").read_text().split()
    return {name for name in names if name.startswith("gasnet_") and not name.endswith("_t")} | {
        "GASNET_BLOCKUNTIL", "GASNET_Safe", "GASNET_BEGIN_FUNCTION", "GASNET_POST_THREADINFO",
        "GASNET_GET_THREADINFO"}


def gasnet_ex():
    page = (ROOT / "docs/man/gasnetex.7.md").read_text()
    page = page.split("# INTERFACE\n")[1].split("# CALLS OF CLIENTS")[0]
    listed = set(re.findall(r"\bgex_[A-Z]\w+|\bgasnet_[A-Za-z]\w+", page))
    return listed | {name + i for name in GEX_COUNTED + GEX_COMMITS for i in NUMBERS} | {
        name + i + "_v2" for name in GEX_COMMITS for i in ["", *NUMBERS]}


def gasnet_tools():
    names = (TESTS / "gasnet_tools/names.txt").read_text().split()
    return {name for name in names if name.startswith("gasnett_")
            and not TOOLS_APART.fullmatch(name)}


def wanted():
    """{name: set of (mode, where)}; the tools communicate with no other process."""
    job = {(mode, where) for mode in MODES for where in ("node", "between")}
    alone = {(mode, "alone") for mode in MODES}
    return ({name: job for name in gasnet_1() | gasnet_ex()}
            | {name: alone for name in gasnet_tools()})


# ---------------------------------------------------------------- what the tables run
def mode_of(flags):
    """Thread mode that a program is compiled for; the tools have names of their own for two of
    them."""
    text = " ".join(flags)
    match = re.search(r"-DGASNET_(SEQ|PARSYNC|PAR)\b", text)
    if match:
        return match[1]
    return "PAR" if "-DGASNETT_THREAD_SAFE" in text else "SEQ"


def places_of(case):
    nodes = run.layout_nodes(case.layout)
    if case.room.name == "gasnet_tools":
        return "alone"
    if nodes > 1:
        return "between"
    return "node" if (case.npes or 0) > 1 else None  # one process alone counts for neither


def programs():
    """{(room, sources, flags, libs): set of (mode, where)} of all tests that compile something and
    expect success."""
    found = {}
    for room in ROOMS:
        for case in run.read_table(TESTS / room / "tests.toml"):
            spec = case.spec
            if "script" in spec or spec["exit"] != 0 or spec["slow"]:
                continue
            sources = tuple(spec.get("sources", [spec.get("source")]))
            key = (room, sources, tuple(spec.get("cflags", [])), tuple(spec.get("libs", [])))
            found.setdefault(key, set()).add((mode_of(spec.get("cflags", [])), places_of(case)))
    return found


def names_in(room, source, flags):
    """Words and expanded macros that come from the room's own files, not from headers of the
    library."""
    compiler = "c++" if source.endswith(".cc") else "cc"
    text = subprocess.run([compiler, f"-I{STAGE}/include", f"-I{TESTS}", *flags, "-E", "-dU",
                           str(TESTS / room / source)],
                          capture_output=True, text=True, check=True).stdout
    own, words = False, set()
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = pathlib.Path(marker[1]).parent.name == room
        elif own:
            defined = re.match(r"#(?:define|undef) (\w+)", line)
            words |= {defined[1]} if defined else set(re.findall(r"\w+", line))
    return words


def mentioned(found):
    """{program: names}"""
    return {key: set().union(*(names_in(key[0], source, key[2]) for source in key[1]))
            for key in found}


def gaps(want, found, names, without=None):
    """{(mode, where): names that no test calls there}"""
    have = {}
    for key, places in found.items():
        for place in places:
            if without not in place:
                have.setdefault(place, set()).update(names[key])
    missing = {}
    for name, places in want.items():
        for place in places:
            if name not in have.get(place, ()):
                missing.setdefault(place, set()).add(name)
    return missing


# ---------------------------------------------------------------- what is really called
MARKS = """// Generated by tests/gasnet/coverage.py: marks each function that is entered by a byte
// of a file that all processes map.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { BYTES = 1 << 22 };
extern char __executable_start;
static unsigned char *marks;
#define PLAIN __attribute__((no_instrument_function))
__attribute__((constructor(101))) PLAIN static void open_marks(void)
{
    int fd = open(getenv("COVERAGE_MARKS"), O_RDWR);
    marks = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || marks == MAP_FAILED)
        abort();
}
PLAIN void __cyg_profile_func_enter(void *function, void *caller);
PLAIN void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    size_t at = (size_t)((char *)function - &__executable_start);
    if (marks && at < BYTES)
        marks[at] = 1;
}
void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}
"""


def called(scratch, key):
    """Functions that a run of the program between two nodes enters."""
    room, sources, flags, libs = key
    program, marks = scratch / "program", scratch / "marks"
    marks.write_bytes(bytes(1 << 22))
    subprocess.run([str(STAGE / "bin/oshcc"), "-c", "-O1", "-o", scratch / "marks.o",
                    scratch / "marks.c"], check=True)
    # -O0: a call in a branch that is never taken is not merged with one that is. -z lazy: functions
    # are bound when called.
    subprocess.run([str(STAGE / "bin/oshcc"), "-O0", "-finstrument-functions", "-Wl,-z,lazy",
                    f"-I{TESTS}", *flags, "-o", program,
                    *(TESTS / room / source for source in sources), scratch / "marks.o", *libs],
                   check=True)
    env = dict(os.environ, COVERAGE_MARKS=str(marks), LD_DEBUG="bindings",
               LD_DEBUG_OUTPUT=str(scratch / "bindings"),
               GASNET_TEST_WORD="for every node", CAUSEWAY_ENDPOINT="msg")
    launch = [str(STAGE / "bin/oshrun"), "-np", "4", "--emulate-nodes", "2"]
    # no pipe: a hanging PE would keep it open
    with open(scratch / "output", "w+", encoding="utf-8", errors="replace") as output:
        try:
            status = subprocess.run([*launch, str(program)], env=env, stdout=output, stderr=output,
                                    timeout=60).returncode
        except subprocess.TimeoutExpired:
            status = "none, it hangs"
        output.seek(0)
        if status:
            fail(f"{room}/{sources[0]} {' '.join(flags)}: exit status {status}",
                 output.read()[-3000:])
    names = set()
    for log in scratch.glob("bindings.*"):
        names |= set(re.findall(rf"binding file {re.escape(str(program))} .*symbol `(\w+)'",
                                log.read_text(errors="replace")))
        log.unlink()
    entered = marks.read_bytes()
    symbols = subprocess.run(["nm", str(program)], capture_output=True, text=True,
                             check=True).stdout
    symbols = re.findall(r"^([0-9a-f]+) (\w) (\w+)$", symbols, re.M)
    base = next(int(at, 16) for at, _, name in symbols if name == "__executable_start")
    return names | {name for at, kind, name in symbols if kind in "tT"
                    and entered[int(at, 16) - base]}


def macros():
    """Names that are macros: what they expand to is called instead."""
    text = subprocess.run(["cc", f"-I{STAGE}/include", "-DGASNET_PAR", "-E", "-dM", "-x", "c", "-"],
                          check=True, text=True,
                          capture_output=True,
                          input="#include <gasnetex.h>\n#include <gasnet_coll.h>\n"
                                "#include <gasnet_tools.h>\n").stdout
    return set(re.findall(r"^#define (\w+)", text, re.M))


def never_called(found, names):
    """Functions that no program calls when it runs."""
    left = (gasnet_1() | gasnet_ex()) - macros()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "marks.c").write_text(MARKS)
        runs = 0
        for key in sorted(found, key=lambda key: len(names[key] & left), reverse=True):
            if key[0] != "gasnet_tools" and names[key] & left:
                left -= called(scratch, key)
                runs += 1
    print(f"{runs} programs run")
    return left


def main():
    want, found = wanted(), programs()
    names = mentioned(found)
    for (mode, where), missing in sorted(gaps(want, found, names).items()):
        fail(f"in {mode}, {where}, no test calls", sorted(missing))
    for left_out in [*MODES, "node", "between", "alone"]:
        unseen = set().union(*gaps(want, found, names, left_out).values())
        needed = {name for name in want if any(left_out in place for place in want[name])}
        check(needed <= unseen, f"the audit misses all without {left_out}", sorted(needed - unseen))
    check(gaps({"gasnet_no_such_call": {("SEQ", "node")}}, found, names),
          "the audit misses a function that no program calls")
    never = never_called(found, names)
    check(not never, "programs call all when they run", sorted(never))
    finish(f"{len(want)} functions and macros, {len(found)} programs")


if __name__ == "__main__":
    main()
