#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves that tests call every entry of gfortran's coarray library (interface.csv) and every
procedure of PRIF (../prif/interface.csv) within a node and between nodes in both endpoint modes.

Each program of the tables of both rooms runs in each layout that its table gives it, bound lazily;
the dynamic linker reports each function of the library at its first call. A call in a branch that
is not taken does not count. The audit itself: with the runs of one layout left out it must miss all
of it there, and always a name that there is not.
"""
import os
import re
import subprocess
import tempfile
from pathlib import Path

import run
from frame.script import SLOW, STAGE, TESTS, check, clean_environment, fail, finish

LAYOUTS = {"node": (), "2nodes-rdm": ("--emulate-nodes", "2"),
           "2nodes-msg": ("--emulate-nodes", "2")}
MANGLED = re.compile(r"(?:__prif_MOD_)?(_gfortran_caf_\w+|prif_\w+)$")
# What scripts run: statements, and arguments of a program; how the images end.
STATEMENTS = (("stop 3", 3), ("stop 'text'", 0), ("error stop 4", 4), ("error stop 'text'", 1),
              ("stop 256", 1), ("error stop 512", 1),
              ("call random_init(.true., .true.)", 0))
ENDS = (("stop", 7), ("error_stop", 9))


def wanted():
    """{room: names}"""
    found = {}
    for room in ("caf", "prif"):
        lines = (TESTS / room / "interface.csv").read_text(encoding="utf-8").splitlines()
        rows = [line.split(";") for line in lines if not line.startswith("#")]
        found[room] = {row[0] for row in rows if room == "caf" or row[1] == "procedure"}
    return found


def compiled(folder, room, sources, flags):
    program = folder / "-".join([room, *(Path(source).stem for source in sources)])
    if not program.exists():
        wrapper = "prifc" if room == "prif" else "caf"
        if str(sources[-1]).endswith(".c"):
            wrapper = "oshcc"
        done = subprocess.run([STAGE / "bin" / wrapper, "-O1", f"-I{TESTS}", *flags, "-Wl,-z,lazy",
                               "-o", program, *(TESTS / room / source for source in sources)],
                              capture_output=True, text=True, check=False, cwd=folder)
        check(done.returncode == 0, f"{room}: {sources}", done.stderr)
    return program


def called(folder, program, npes, layout, arguments=(), status=0):
    """The names of both tables that the images call."""
    _, _, mode = layout.partition("-")
    env = {**clean_environment(), "LD_DEBUG": "bindings",
           "LD_DEBUG_OUTPUT": str(folder / "bindings")}
    if mode:
        env["CAUSEWAY_ENDPOINT"] = mode
    with open(folder / "output", "w+", encoding="utf-8", errors="replace") as output:
        try:
            ended = subprocess.run([STAGE / "bin/oshrun", "-n", str(npes), *LAYOUTS[layout],
                                    program, *arguments], env=env, stdout=output, stderr=output,
                                   stdin=subprocess.DEVNULL, timeout=60 * SLOW, check=False)
            ended = ended.returncode
        except subprocess.TimeoutExpired:
            ended = "none, it hangs"
        output.seek(0)
        if ended != status:
            fail(f"{program.name} in {layout}: exit status {ended}", output.read()[-3000:])
    names = set()
    for log in folder.glob("bindings.*"):
        for symbol in re.findall(rf"binding file {re.escape(str(program))} .*symbol `(\w+)'",
                                 log.read_text(errors="replace")):
            mangled = MANGLED.match(symbol)
            if mangled:
                names.add(mangled[1])
        log.unlink()
    return names


def runs(folder):
    """Yields (layout, names) of each run."""
    for room in ("caf", "prif"):
        for case in run.read_table(TESTS / room / "tests.toml"):
            spec = case.spec
            if ("script" in spec or spec["exit"] != 0 or spec.get("env") or (case.npes or 0) < 2
                    or case.layout not in LAYOUTS):
                continue
            program = compiled(folder, room, spec.get("sources", [spec.get("source")]),
                               spec.get("cflags", []))
            yield case.layout, called(folder, program, case.npes, case.layout, spec.get("args", []))
    for number, (statement, status) in enumerate(STATEMENTS):
        source = folder / f"statement{number}.f90"
        source.write_text(f"{statement}\nend\n", encoding="utf-8")
        program = compiled(folder, "caf", [source], [])
        for layout in LAYOUTS:
            yield layout, called(folder, program, 2, layout, (), status)
    program = compiled(folder, "prif", ["ends.f90"], ["-w"])
    for end, status in ENDS:
        for layout in LAYOUTS:
            yield layout, called(folder, program, 2, layout, (end,), status)


def gaps(every, found, without=None):
    """{layout: names that no run calls there}"""
    have = {layout: set() for layout in LAYOUTS}
    for layout, names in found:
        if layout != without:
            have[layout] |= names
    return {layout: every - names for layout, names in have.items()}


def main():
    names = wanted()
    every = names["caf"] | names["prif"]
    os.environ.pop("LD_BIND_NOW", None)
    with tempfile.TemporaryDirectory() as folder:
        found = list(runs(Path(folder)))
    for layout, missing in gaps(every, found).items():
        check(not missing, f"in {layout} no test calls", sorted(missing))
        check(gaps(every, found, layout)[layout] == every, f"the audit misses all without {layout}")
        check(gaps({"prif_no_such_call"}, found)[layout], "the audit misses what no program calls")
    finish(f"{len(every)} names, {len(found)} runs")


if __name__ == "__main__":
    main()
