#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each section of the guide and of the manual pages has a mark in sections.toml: the tests that try
its sentences, or the reason why none does. A section without mark is a failure, and so is a mark
without its section, its sentence or its test. Each habit of guide/compatibility names its tests in
the page itself. Pages that are named as others(3) are there."""
import fnmatch
import re
import sys
import tempfile
import tomllib
from pathlib import Path

from frame.script import ROOT, TESTS, check, finish

sys.path.insert(0, str(ROOT / "maint"))
import gen_man_pages  # noqa: E402

DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix().removesuffix(".md"): path
         for pattern in ("guide/*.md", "man/*.md") for path in sorted(DOCS.glob(pattern))}
OTHERS = {"gdb(1)", "xterm(1)", "valgrind(1)", "taskset(1)"}
ASIDE = ("tests", "untried")


def sections_of(text):
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"^#+ (.*?) *$", without_code, re.M)


def tests():
    """room/name of all tests."""
    found = set()
    for path in TESTS.glob("*/tests.toml"):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found |= {f"{path.parent.name}/{test['name']}" for test in table["test"]}
    return found


def mark_of(tables, section):
    """The first of the tables that says something of a section."""
    for table in tables:
        if mark := table.get(section) or table.get("tests"):
            return mark
    return None


def judge(page, marks, known):
    text = PAGES[page].read_text(encoding="utf-8")
    sections, own = sections_of(text), marks.get(page, {})
    patterns = [key for key in marks if "*" in key and fnmatch.fnmatch(page, key)]
    tables = [own, *(marks[key] for key in sorted(patterns, key=len, reverse=True))]
    for section in sections:
        mark = mark_of(tables, section)
        check(mark, f"{page}: the section {section} has no mark in sections.toml")
        for test in mark if isinstance(mark, list) else []:
            check(test in known, f"{page}: {section}: {test} is no test")
    for section in own:
        check(section in sections or section in ASIDE, f"{page} has no section {section}")
    plain = " ".join(text.split())
    for sentence, reason in own.get("untried", []):
        check(sentence in plain and reason, f"{page} does not say: {sentence}")


def habits(known):
    """The last column of the tables of habits has the tests of each."""
    rows = [line.strip("| ").split(" | ")
            for line in PAGES["guide/compatibility"].read_text(encoding="utf-8").splitlines()
            if line.startswith("| ")]
    for habit, *cells in rows:
        if habit == "habit":
            continue
        check(len(cells) == 3, f"guide/compatibility: {habit}: {len(cells) + 1} cells, not 4")
        for test in cells[-1].split(", "):
            check(test in known, f"guide/compatibility: {habit}: {test} is no test")
    check(len(rows) > 5, "guide/compatibility has no tables")


def references():
    """name(3) and the like, in the manual pages."""
    with tempfile.TemporaryDirectory() as folder:
        gen_man_pages.write_links(Path(folder), True)
        functions = {path.stem for path in Path(folder).iterdir()}
    for page, path in PAGES.items():
        for name, number in re.findall(r"\*\*([\w+.-]+)\*\*\((\d)\)",
                                       path.read_text(encoding="utf-8")):
            check(f"man/{name}.{number}" in PAGES or number == "3" and name in functions
                  or f"{name}({number})" in OTHERS, f"{page} names {name}({number})")


def main():
    marks = tomllib.loads((TESTS / "documents/sections.toml").read_text(encoding="utf-8"))
    known = tests()
    for page in PAGES:
        judge(page, marks, known)
    for key in marks:
        check("*" in key or key in PAGES, f"a mark for {key}, which is no page")
    habits(known)
    references()
    finish(f"{len(PAGES)} pages")


main()
