#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/results/sim.md: sections that different commands write, each leaving the others alone, and
tables whose rows are found again by their first column."""
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "results" / "sim.md"


def read():
    """{title: text} of the page's sections, in order; the title of what is before them is ''."""
    sections, title = {}, ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            title = line[3:]
        sections.setdefault(title, []).append(line)
    return {t: "\n".join(lines[1:] if t else lines).strip("\n") for t, lines in sections.items()}


def write(title, text):
    """Replaces or adds one section."""
    sections = read()
    sections[title] = text.strip("\n")
    parts = [f"## {t}\n\n{body}" if t else body for t, body in sections.items()]
    PAGE.write_text("\n\n".join(parts) + "\n")


def rows(title):
    """{first column: line} of all tables of a section."""
    lines = read().get(title, "").splitlines()
    return {line.split("|")[1].strip(): line for line in lines
            if line.startswith("| ") and "|---" not in line}


def table(head, lines):
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines])
