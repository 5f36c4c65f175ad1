# SPDX-License-Identifier: BSD-3-Clause
"""Measures how large and how tangled the library is, beside the sizes that it is to have: the table
that ./dev lint house prints. Sizes come from the sources and object files, paths through the
library from the instruction streams of bench/insn/paths.c."""

import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "src/core"
WAITS = ROOT / "src/base/waits.def"
CODE = (".c", ".h", ".S", ".def")
WAITING = re.compile(r"(POLL|SPIN|YIELD|SLEEP|NAP|PAUSE|REST|BACK_?OFF|PATIEN)")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+\.?\d*)[uUlLfF]*\b")


def sources(top):
    return [path for path in sorted(top.rglob("*")) if path.suffix in CODE and path.is_file()]


def lines(paths):
    return sum(path.read_text().count("\n") for path in paths)


def words(paths):
    return sum(len(path.read_text().split()) for path in paths)


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def comment_words(path):
    text = path.read_text()
    found = re.findall(r"//([^\n]*)|/\*(.*?)\*/", text, flags=re.S)
    return sum(len(re.findall(r"[A-Za-z]{2,}", one or other)) for one, other in found)


def is_quantity(value):
    """Whether the number was chosen: not 0, 1 or a bit of a mask."""
    numbers = NUMBER.findall(value)
    return any(n not in ("0", "1") for n in numbers) and not re.fullmatch(
        r"\(?\s*(0[xX][0-9a-fA-F]+|1)[uUlL]*\s*(<<\s*\d+)?\s*\)?", value.strip())


def defined(text):
    """(name, value) of each macro and enumerator with a number in its value, in order."""
    found = []
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*)$", text, re.M):
        if NUMBER.search(match[2]) and not re.search(r"[({,]\s*[a-z]|;|\?", match[2]):
            found.append((match.start(), match[1], match[2].strip()))
    for match in re.finditer(r"\benum\b[^;{()]*\{([^{}]*)\}\s*;", text):
        for member in match[1].split(","):
            name, _, value = member.strip().partition("=")
            if NUMBER.search(value):
                found.append((match.start(), name.strip(), value.strip()))
    return [(name, value) for _, name, value in sorted(found, key=lambda one: one[0])]


def constants(path):
    """Names of the numeric constants that a file defines. Codes are none: neighbours of one prefix
    that count up; nor are offsets that assembly knows."""
    if path.stem.endswith("_x86_64"):
        return []
    names, before, codes = [], ("", None), set()
    for name, value in defined(without_comments(path.read_text())):
        plain = int(value.rstrip("uUlL")) if re.fullmatch(r"\d+[uUlL]*", value) else None
        prefix = name[:name.rfind("_") + 1]
        together = prefix and before[0] and (name.startswith(before[0]) or
                                             before[2].startswith(prefix))
        if plain is not None and together and before[1] is not None and \
           plain in (before[1] + 1, 2 * before[1]):
            codes |= {name, before[2]}
        before = (prefix, plain, name)
        if is_quantity(value) and not name.startswith("SYS_"):
            names.append(name)
    return [name for name in names if name not in codes]


def numbers_of_waits():
    """The numbers that the table of waits chooses; 0 and 1 are none."""
    text = re.sub(r'"[^"]*"', "", without_comments(WAITS.read_text()))
    return [n for n in re.findall(r"(?<=[(,\s])\d+(?=[,)])", text) if n not in ("0", "1")]


def mutable_globals(build):
    """Names of the variables in writable sections of the core's objects."""
    found = set()
    for path in sorted(build.glob("libcauseway.a.p/src_core_*.o")):
        table = subprocess.run(["objdump", "-t", str(path)], capture_output=True, text=True,
                               check=True).stdout
        for line in table.splitlines():
            match = re.match(r"^\S+ (.{7}) (\.t?(?:data|bss)\S*|\*COM\*)\s+([0-9a-f]+)\s+"
                             r"(?:\.hidden )?(\S+)$", line)
            if match and match[1][6] == "O" and ".rel.ro" not in match[2]:
                found.add((path.name, match[4]))
    return found


# ---------------------------------------------------------------- paths

def streams(stage, scratch):
    """The calls of bench/insn/paths.c: name -> [(file, address)], between two nodes."""
    program, trace = scratch / "paths", scratch / "trace"
    subprocess.run([stage / "bin/oshcc", "-std=gnu11", "-O2", f"-I{ROOT}", "-DGASNET_SEQ",
                    ROOT / "bench/insn/paths.c", ROOT / "bench/insn/step.c", "-o", program,
                    "-lgasnet-ofi-seq", "-larmci"], check=True)
    run = subprocess.run(["env", "LD_BIND_NOW=1", stage / "bin/oshrun", "-n", "2",
                          "--emulate-nodes", "2", program, trace], capture_output=True, text=True,
                         check=False)
    if run.returncode:
        return None, (run.stdout + run.stderr).strip()
    calls = {}
    for line in trace.read_text().splitlines():
        if line.startswith("#"):
            steps = calls.setdefault(line.split()[1], [])
        else:
            path, address = line.split()
            steps.append((path, int(address, 16)))
    return calls, None


def frames_of(path, addresses):
    """address -> [(function, source)], the inlined one first."""
    wanted = sorted(addresses)
    said = subprocess.run(["addr2line", "-e", path, "-i", "-f", "-a"], text=True, check=True,
                          capture_output=True, input="".join(f"{a:#x}\n" for a in wanted)).stdout
    table, current = {}, []
    rows = iter(said.splitlines())
    for row in rows:
        if row.startswith("0x"):
            current = table.setdefault(int(row, 16), [])
        else:
            current.append((row, source_of(next(rows))))
    return table


def source_of(place):
    name = place.rsplit(":", 1)[0]
    return name[name.index("src/"):] if "src/" in name and not name.startswith("??") else None


def way(steps):
    """Functions, files and changes of rooms of one call."""
    ours = [(path, a) for path, a in steps if re.search(r"lib(causeway|armci|gasnet)", path)]
    tables = {path: frames_of(path, {a for p, a in ours if p == path})
              for path in {path for path, _ in ours}}
    functions, files, changes, last = set(), set(), 0, None
    for path, address in ours:
        for function, source in tables[path][address]:
            if source:
                functions.add((function, source))
                files.add(source)
        room = next((str(Path(s).parent) for _, s in tables[path][address] if s), last)
        changes += last is not None and room != last
        last = room
    return len(functions), len(files), changes


def paths(stage):
    with tempfile.TemporaryDirectory() as scratch:
        calls, why = streams(stage, Path(scratch))
    if calls is None:
        return [("paths", why.splitlines()[-1] if why else "the program failed", "")]
    quiet, strided, barrier = (way(calls[name]) for name in ("quiet", "strided", "barrier"))
    return [("functions of a single outstanding quiet between nodes", quiet[0], 20),
            ("files of it", quiet[1], 8),
            ("changes of rooms, ARMCI_NbPutS of 16 rows", strided[2], 30),
            ("functions of a GASNet-EX barrier", barrier[0], 60)]


# ---------------------------------------------------------------- the table

def newest_version(changelog):
    return changelog.read_text().split("\n## ")[1]


def sizes(build):
    core, every = sources(CORE), sources(ROOT / "src")
    aside = [p for p in core if p.relative_to(CORE).parts[0] in ("forward", "report")]
    inside = [p for p in core if p not in aside]
    names = [(path, name) for path in inside for name in constants(path)]
    waiting = {(p, n) for p in every for n in constants(p) if WAITING.search(n)}
    waiting |= {(WAITS, n) for n in enumerate(numbers_of_waits())}
    comments = sum(comment_words(p) for p in inside)
    rma = [p for p in (CORE / "rma").iterdir() if p.suffix in (".c", ".h", ".S")]
    pages = list((ROOT / "docs/design").glob("*.md"))
    return [("lines of src/core, forwarding and reports elsewhere", lines(inside), 22700),
            ("lines of src", lines(every), 68000),
            ("numeric constants of the core", len(names), 80),
            ("numeric constants of waiting", len(waiting), 25),
            ("files that define them", len({path for path, _ in waiting}), 1),
            ("mutable globals of the core", len(mutable_globals(build)), 60),
            ("files of core/rma", len(rma), 15),
            ("words of the design pages", words(pages), 40000),
            ("words of ARCHITECTURE.md", words([ROOT / "ARCHITECTURE.md"]), 1500),
            ("words of the newest version in CHANGELOG.md",
             len(newest_version(ROOT / "CHANGELOG.md").split()), 1500),
            ("comment words for 1,000 lines of the core",
             round(1000 * comments / lines(inside)), 1100)]


def table(build, stage):
    """The table's rows: their texts, and whether they hold."""
    rows = sizes(build) + paths(stage)
    for what, now, most in rows:
        if isinstance(now, str):
            yield f"{what}: {now}", False
        else:
            yield f"{now:8,}  of {most:8,}  {'      ' if now <= most else 'above '} {what}", \
                now <= most

