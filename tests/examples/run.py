#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run examples small, at several numbers of PEs and layouts, and compare with their expected.txt.

The format of expected.txt is described in examples/README.md. The install tree is taken from
--stage or CAUSEWAY_TEST_STAGE.
"""
import argparse
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
sys.dont_write_bytecode = True
import programs  # noqa: E402

SECTION = re.compile(r"arguments( \(must fail\))?:(.*)")
TIMEOUT = 120
# A library under a sanitizer needs its programs under the same one.
SANITIZE = {"address": ("-g", "-fsanitize=address,undefined"),
            "thread": ("-g", "-fsanitize=thread")}


@dataclass
class Section:
    arguments: list[str]
    must_fail: bool
    lines: list[str] = field(default_factory=list)


def read_expected(path: Path) -> list[Section]:
    sections: list[Section] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = SECTION.fullmatch(line)
        if match:
            sections.append(Section(shlex.split(match[2]), bool(match[1])))
        elif line.strip() and not line.startswith("#"):
            if not sections:
                raise ValueError(f"{path}:{number}: a line before the first 'arguments:'")
            sections[-1].lines.append(line)
    if not sections:
        raise ValueError(f"{path}: nothing is expected")
    return sections


def patterns(section: Section, pes: int) -> list[str]:
    """The section's lines for so many PEs, those with @PE@ once for each."""
    wanted = []
    for line in section.lines:
        line = line.replace("@PES@", str(pes))
        wanted += [line.replace("@PE@", str(pe)) for pe in range(pes)] if "@PE@" in line else [line]
    return wanted


def first_missing(wanted: list[str], output: list[str]) -> str | None:
    """The first pattern that no line matches after the line that matched the previous one."""
    rest = iter(output)
    for pattern in wanted:
        if not any(re.fullmatch(pattern, line) for line in rest):
            return pattern
    return None


def problem(section: Section, pes: int, outcome: programs.Outcome) -> str | None:
    """What is wrong with a run, or an empty text."""
    if outcome.status is None:
        return f"no end after {TIMEOUT} s"
    if section.must_fail:
        if outcome.status == 0:
            return "exit status 0, but it had to fail"
        return None if outcome.stderr.strip() else "failed as it should, but without a message"
    if outcome.status != 0:
        return f"exit status {outcome.status}"
    missing = first_missing(patterns(section, pes), outcome.stdout.splitlines())
    return f"no line (in this place) matches: {missing}" if missing else None


def layouts(stage: Path, pes: list[int], nodes: list[int]) -> list[tuple[str, int, list[str]]]:
    """Name, number of PEs and launcher command."""
    oshrun = [str(stage / "bin/oshrun"), "--timeout", str(TIMEOUT), "-n"]
    return [(f"{n} PEs on {k} node{'s' if k > 1 else ''}", n,
             [*oshrun, str(n)] + (["--emulate-nodes", str(k)] if k > 1 else []))
            for k in nodes for n in pes if n >= k]


def check(example: programs.Example, program: Path, where: list[tuple[str, int, list[str]]],
          failures: int | None = None) -> tuple[int, int]:
    """All sections in all layouts, but only so many of those that must fail. Returns how many
    passed and failed."""
    passed = failed = 0
    sections = read_expected(example.path / example.expected)
    bad = [s for s in sections if s.must_fail]
    for section in [s for s in sections
                    if not s.must_fail] + (bad if failures is None else bad[-failures:]):
        for name, pes, launcher in where[:1] if section.must_fail else where:
            outcome = programs.run([*launcher, str(program), *section.arguments], TIMEOUT + 5,
                                   cwd=example.path)
            wrong = problem(section, pes, outcome)
            title = f"{example.folder} {shlex.join(section.arguments)} [{name}]"
            if wrong is None:
                passed += 1
                print(f"ok: {title}", flush=True)
                continue
            failed += 1
            print(f"FAIL: {title}: {wrong}")
            for line in (outcome.stdout + outcome.stderr).splitlines()[-30:]:
                print(f"  | {line}", flush=True)
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Compare the examples' output with what is expected.")
    parser.add_argument("words", nargs="*",
                        help="only examples whose folder contains one of these words")
    parser.add_argument("--stage", type=Path,
                        default=Path(os.environ.get("CAUSEWAY_TEST_STAGE", ROOT / "build/stage")))
    parser.add_argument("--pes", default="1,2,3,4",
                        help="numbers of PEs, separated by commas (default: 1,2,3,4)")
    parser.add_argument("--nodes", default="1,2", help="numbers of (emulated) nodes (default: 1,2)")
    args = parser.parse_args()
    args.stage = args.stage.resolve()
    where = layouts(args.stage,
                    *([int(n) for n in text.split(",")] for text in (args.pes, args.nodes)))

    chosen = [e for e in programs.ALL if not args.words
              or any(word in e.folder for word in args.words)]
    if not chosen:
        print(f"no example matches {args.words}", file=sys.stderr)
        return 1
    flags = SANITIZE.get(os.environ.get("CAUSEWAY_TEST_SANITIZE", ""), ())
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for example in chosen:
            try:
                program = programs.build(example, args.stage / "bin/oshcc", Path(folder), flags)
            except RuntimeError as error:
                print(f"FAIL: {example.folder} cannot be compiled:\n{error}")
                failed += 1
                continue
            good, bad = check(example, program, where)
            passed, failed = passed + good, failed + bad
    print(f"{passed} runs as expected, {failed} not")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
