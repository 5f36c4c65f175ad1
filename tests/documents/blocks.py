# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of code of a page in Markdown, as pandoc sees them."""
import json
import subprocess

from frame.script import ROOT


def words(inlines):
    return "".join(one["c"] if one["t"] == "Str" else " " for one in inlines
                   if one["t"] in ("Str", "Space", "SoftBreak"))


def collect(parts, heading, found):
    """Adds (heading, text) of each block of code; returns the last heading."""
    for part in parts:
        if part["t"] == "Header":
            heading = words(part["c"][2])
        elif part["t"] == "CodeBlock":
            found.append((heading, part["c"][1]))
        elif part["t"] == "BlockQuote":
            heading = collect(part["c"], heading, found)
        elif part["t"] in ("BulletList", "OrderedList"):
            for item in part["c"] if part["t"] == "BulletList" else part["c"][1]:
                collect(item, heading, found)
        elif part["t"] == "DefinitionList":
            for item in (item for _, items in part["c"] for item in items):
                collect(item, heading, found)
    return heading


def of_page(path):
    done = subprocess.run(["pandoc", "--from=markdown", "--to=json", path], check=True,
                          capture_output=True, text=True, cwd=ROOT)
    found = []
    collect(json.loads(done.stdout)["blocks"], "", found)
    return found
