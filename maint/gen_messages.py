#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/man/causeway-messages.7.md from the table of messages (tools/messages/*.def): a row
has an id, patterns of texts, a cause and a remedy. The texts are read from the calls that print
them. The result is committed.

--check only compares, and names texts without a row, and patterns without a text.
--table FILE writes the table that causeway-info has, in C; --list prints each text with its row.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "tools/messages"
ORDER = ("settings", "start", "memory", "devices", "network", "use", "interfaces", "reports",
         "oshrun", "codes")
PAGE = ROOT / "docs/man/causeway-messages.7.md"
HOW = ("add it, with * for what differs, to the row of tools/messages that has its cause, or write "
       "a row; then run maint/gen_messages.py (CONTRIBUTING.md, \"A message\")")
# name: the argument that is the format
PRINTERS = {"cwu_error": 0, "cwu_warn": 0, "cwu_warn_of_end": 0, "cwu_fatal": 0,
            "cw_check_failed": 1, "cw_check_warn": 1, "cw_check_leak": 1, "aci_fail": 1,
            "gas_fail": 1, "drt_refuse": 2, "caf_fatal": 1, "caf_fail": 3}
LAUNCHER = {"say": 0, "die": 1, "usage": 0}
CALL = re.compile(r"\b(\w+)(?: : cwu_debug\))?\(")  # also: (checks ? cwu_warn : cwu_debug)(...)
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.S)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CONVERSION = re.compile(r"%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|z|t|j)?[a-zA-Z])")
END_OF_CONVERSION = re.compile(r"PRI[diouxX]\w+")
ANY = "\x01"     # what differs from line to line
NUMBER = "\x02"  # the same, where it is a number
# Their text is that of another call, which has a row.
CARRIERS = {f"{ANY}", f"{ANY}: {ANY}", f"{ANY}: {ANY}{ANY}{ANY}",
            f"image {NUMBER} of {NUMBER}: {ANY}: {ANY}"}
CODES = re.compile(r"^    (CW_E\w+) = -", re.M)


# ---------------------------------------------------------------- the calls

def skip_string(text, at):
    """The index behind the string or character that begins there."""
    end = at + 1
    while text[end] != text[at]:
        end += 2 if text[end] == "\\" else 1
    return end + 1


def without_comments(text):
    out, at = [], 0
    for match in NO_CODE.finditer(text):
        out.append(text[at:match.start()])
        word = match[0]
        out.append(re.sub(r"[^\n]", " ", word) if word[0] == "/" else word)
        at = match.end()
    return "".join(out) + text[at:]


def arguments(text, at):
    """Those of a call whose parenthesis opens there."""
    depth, found, begin = 0, [], at + 1
    while True:
        char = text[at]
        if char in "\"'":
            at = skip_string(text, at)
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[begin:at]]
        elif char == "," and depth == 1:
            found.append(text[begin:at])
            begin = at + 1
        at += 1


def alternatives(argument):
    """A format may be a choice between two."""
    depth, at, parts, begin = 0, 0, [], 0
    while at < len(argument):
        char = argument[at]
        if char in "\"'":
            at = skip_string(argument, at)
            continue
        depth += (char in "([{") - (char in ")]}")
        if char in "?:" and depth == 0:
            parts.append(argument[begin:at])
            begin = at + 1
        at += 1
    parts.append(argument[begin:])
    return parts[1:] if len(parts) > 1 else parts


def mark_of(conversion):
    last = conversion[0][-1]
    return "%" if last == "%" else ANY if last in "sc" else NUMBER


def in_place_of(between):
    """Strings: nothing, or macros."""
    return "d" if END_OF_CONVERSION.fullmatch(between) else ANY if between else ""


def literal(expression):
    """The text of strings and macros in a row, ANY or NUMBER for conversions, ANY for macros other
    than the ends of conversions (PRIu64); None: no string."""
    if '"' not in expression:
        return None
    text, at = "", 0
    for match in STRING.finditer(expression):
        text += in_place_of(expression[at:match.start()].strip())
        text += match[1].encode("latin-1", "backslashreplace").decode("unicode_escape")
        at = match.end()
    text += in_place_of(expression[at:].strip())
    text = CONVERSION.sub(mark_of, text)
    return re.sub(f"{ANY}+", lambda m: m[0] if len(m[0]) < 4 else ANY * 3, text).strip()


def sources():
    return sorted([*(ROOT / "src").rglob("*.c"), *(ROOT / "src").rglob("*.h"),
                   *(ROOT / "tools/oshrun").glob("*.c")])


def texts():
    """{text: [place, ...]} of all calls."""
    found = {}
    for path in sources():
        source = path.read_text(encoding="utf-8")
        printers = dict(PRINTERS, **(LAUNCHER if "oshrun" in path.parts else {}))
        if path.name == "report_text.c":
            printers["put"] = 1
        if not any(name in source for name in printers):
            continue
        source = without_comments(source)
        for match in CALL.finditer(source):
            name = match[1] if match[1] in printers else None
            line_start = source.rfind("\n", 0, match.start()) + 1
            before = source[line_start:match.start()]
            if not name or "define" in before or re.search(r"\b(void|dart_ret_t) $", before):
                continue
            given = arguments(source, match.end() - 1)
            if len(given) <= printers[name]:
                continue
            for choice in alternatives(given[printers[name]]):
                text = literal(choice)
                if text is None or text in CARRIERS or \
                        (name == "put" and not text.startswith("causeway: ")):
                    continue
                place = f"{path.relative_to(ROOT)}:{source.count(chr(10), 0, match.start()) + 1}"
                found.setdefault(text.removeprefix("causeway: ").rstrip("\n"), []).append(place)
    return found


# ---------------------------------------------------------------- the rows

class Row:
    def __init__(self, name, place):
        self.name, self.place = name, place
        self.patterns, self.cause, self.remedy, self.texts = [], "", "", []


def rows():
    found = []
    if sorted(ORDER) != sorted(path.stem for path in TABLES.glob("*.def")):
        sys.exit("maint/gen_messages.py: ORDER has not the files of tools/messages")
    for path in (TABLES / f"{name}.def" for name in ORDER):
        part = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{path.relative_to(ROOT)}:{number}"
            if line.startswith("== "):
                found.append(Row(line[3:].strip(), place))
                part = "patterns"
            elif line.startswith("Cause: ") or line.startswith("Remedy: "):
                part, text = line.split(": ", 1)
                part = part.lower()
                setattr(found[-1], part, text.strip())
            elif line.startswith("  ") and part == "patterns":
                found[-1].patterns.append((line[2:], place))
            elif line.startswith("  ") and part:
                setattr(found[-1], part, getattr(found[-1], part) + " " + line.strip())
            elif line.strip() and not line.startswith("#"):
                sys.exit(f"{place}: cannot read: {line}")
    return found


def expression(pattern):
    """* stands for anything, a conversion for what a call gives."""
    out = ""
    for piece in re.split(r"(\*+)", CONVERSION.sub(ANY, pattern)):
        out += ".*" if piece.startswith("*") else re.sub(ANY, f"{ANY}+", re.escape(piece))
    return re.compile(out, re.S)


def assign(table, found):
    """Gives each text to the row with the longest pattern that fits. What is wrong."""
    wrong, used = [], set()
    patterns = [(len(CONVERSION.sub("", p).replace("*", "")), p, where, row, expression(p))
                for row in table for p, where in row.patterns]
    patterns.sort(key=lambda p: -p[0])
    alike_of = {}  # of texts that differ only in what is a number, one: with less numbers
    for text, places in found.items():
        plain = text.replace("\n", " ")
        known = alike_of.setdefault(plain.replace(NUMBER, ANY), [plain, places])
        known[0] = "".join(min(pair) for pair in zip(plain, known[0]))
    for alike, (plain, places) in sorted(alike_of.items()):
        fits = [p for p in patterns if p[4].fullmatch(alike)]
        shown = alike.replace(ANY, "*")
        if not fits:
            wrong.append(f"{places[0]}: no row for: {shown}\n    {HOW}")
            continue
        best = [p for p in fits if p[0] == fits[0][0]]
        if len({id(p[3]) for p in best}) > 1:
            wrong.append(f"{places[0]}: rows {best[0][3].name} and {best[1][3].name} have: {shown}")
        best[0][3].texts.append(plain)
        used.update(p[2] for p in best)
    wrong += [f"{where}: no call prints: {pattern}"
              for _, pattern, where, _, _ in patterns if where not in used]
    return wrong


def check_rows(table):
    wrong, names = [], set()
    codes = set(CODES.findall((ROOT / "src/base/error.h").read_text(encoding="utf-8")))
    for row in table:
        if not re.fullmatch(r"[a-z][a-z0-9-]+", row.name) and row.name not in codes:
            wrong.append(f"{row.place}: {row.name} is no name of a row, nor a code of base/error.h")
        if row.name in names:
            wrong.append(f"{row.place}: a second row {row.name}")
        if not (row.cause and row.remedy) or not (row.patterns or row.name in codes):
            wrong.append(f"{row.place}: {row.name} lacks texts, a cause or a remedy")
        names.add(row.name)
    return wrong + [f"no row for the code {code}" for code in sorted(codes - names)]


# ---------------------------------------------------------------- what is made of them

def in_c(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace(ANY, "\\001").replace(NUMBER, "\\002") + '"'


def c_table(table):
    out = ["// Generated by maint/gen_messages.py from tools/messages and the calls.\n"]
    out.append("static const info_message_t messages[] = {\n")
    for row in table:
        lines = "".join(f"        {in_c(text)},\n" for text in row.texts)
        out.append(f"    {{{in_c(row.name)}, {in_c(row.cause)},\n     {in_c(row.remedy)},\n"
                   f"     (const char *const[]){{\n{lines}        NULL}}}},\n")
    return "".join(out) + "};\n"


HEAD = """% CAUSEWAY-MESSAGES(7) Causeway
%
%

<!-- Generated by maint/gen_messages.py from tools/messages and the calls that print. -->

# NAME

causeway-messages - messages of Causeway: causes and remedies

# DESCRIPTION

Messages of the library begin with `causeway: error:` or `causeway: warning:`, the number of the PE
(or several: `PEs 0, 2-63 of 64`), its process and its host; those of **oshrun**(1) with `oshrun:`.
Wrong use is named with the routine before the text and the place that called it after the text.

**causeway-info \\--explain** *TEXT* finds the section of a printed line, of a part of it, or of the
name of a section; **causeway-info \\--explain -** reads lines from its standard input, such as all
that a job has printed. Below, `...` stands for what differs.

"""

TAIL = """# SEE ALSO

**causeway-info**(1), **oshrun**(1), **causeway-env**(7)
"""


def wrapped(text, first="", rest=""):
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False)


def in_markdown(text):
    text = re.sub(r"([\\\\`*_<>\[\]\"'#|~^$@])", r"\\\1", text).replace("--", "\\--")
    return re.sub(f"[{ANY}{NUMBER}]+", "...", text)


def page(table):
    out, section = [HEAD], None
    for row in table:
        path = ROOT / row.place.split(":")[0]
        if path != section:
            title = path.read_text(encoding="utf-8").splitlines()[2].lstrip("# ").split(":")[0]
            out.append(f"# {title.upper()}\n\n")
            section = path
        out.append(f"## {row.name}\n\n")
        out += [wrapped(in_markdown(text), "- ", "  ") + "\n" for text in row.texts]
        out.append("\n" if row.texts else "")
        out.append(wrapped("*Cause:* " + row.cause) + "\n\n")
        out.append(wrapped("*Remedy:* " + row.remedy) + "\n\n")
    return "".join(out) + TAIL


def write_table(table, path, depfile):
    path.write_text(c_table(table), encoding="utf-8")
    if depfile:
        needs = [*sources(), *TABLES.glob("*.def"), Path(__file__).resolve()]
        depfile.write_text(f"{path}: {' '.join(map(str, needs))}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--depfile", type=Path)
    options = parser.parse_args()
    table = rows()
    wrong = check_rows(table) + assign(table, texts())
    made = page(table)
    if options.table:
        write_table(table, options.table, options.depfile)
    elif options.list:
        for row in table:
            for text in row.texts:
                print(f"{row.name}\t{text.replace(ANY, '*').replace(NUMBER, '*')}")
    elif options.check:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
            wrong.append(f"{PAGE.relative_to(ROOT)} is not what maint/gen_messages.py makes: run "
                         "it and commit the result")
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    else:
        PAGE.write_text(made, encoding="utf-8")
        print("\n".join(wrong), end="\n" if wrong else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
