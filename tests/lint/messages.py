#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The check of the table of messages: what it reads of calls, and what it complains about."""
import sys
import tempfile
from pathlib import Path

from frame.script import ROOT, check, finish

sys.path.insert(0, str(ROOT / "maint"))
import gen_messages as gen  # noqa: E402

ANY, NUMBER = gen.ANY, gen.NUMBER
SOURCE = r"""
// cwu_error("in a comment");
static void f(const char *x)
{
    cwu_error("no \"%s\" in %5.2f GiB, 100 %%: " HOW
              " and more", x, 1.0);
    cwu_warn("%" PRIu64 " s, %#" PRIx64, y, z);
    cw_check_failed(call(x, ")"), x ? "it is %d" : "it is not", 1);
    (checks ? cwu_warn : cwu_debug)("late");
    cwu_debug("no message");
    cwu_fatal("%s: %s%s%s", a, b, c, d);
}
"""
ROWS = """# Title: more.

== first-row
  no "*" in * GiB*
  it is %d
Cause: A cause
  of two lines.
Remedy: A remedy.

== second-row
  it *
  late
  %d s, %x
Cause: c
Remedy: r
"""


def wrong(source=SOURCE, table=ROWS):
    """The complaints about a tree of these two files, and its rows by name."""
    with tempfile.TemporaryDirectory() as name:
        gen.ROOT, gen.ORDER = Path(name), ("only",)
        gen.TABLES = gen.ROOT / "tools/messages"
        for path, text in (("src/a.c", source), ("tools/messages/only.def", table),
                           ("src/base/error.h", "enum {\n};\n")):
            (gen.ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (gen.ROOT / path).write_text(text, encoding="utf-8")
        found = gen.rows()
        complaints = gen.check_rows(found) + gen.assign(found, gen.texts())
        return complaints, {row.name: row for row in found}


def complains(what, words, **changed):
    complaints, _ = wrong(**changed)
    check(len(complaints) == 1 and words in complaints[0], what, complaints)


complaints, rows = wrong()
check(not complaints, "right files", complaints)
check(rows["first-row"].texts == ["it is " + NUMBER,
                                  f'no "{ANY}" in {NUMBER} GiB, 100 %: {ANY} and more'],
      "texts of the first row", rows["first-row"].texts)
check(rows["second-row"].texts == [f"{NUMBER} s, {NUMBER}", "it is not", "late"], "of the second",
      rows["second-row"].texts)
check(rows["first-row"].cause == "A cause of two lines.", "a cause", rows["first-row"].cause)
check(r'no \"\001\" in \002 GiB' in gen.c_table(rows.values()), "the table in C",
      gen.c_table(rows.values()))
complains("a text without a row", "no row for: early", source=SOURCE.replace('"late"', '"early"'),
          table=ROWS.replace("  late\n", ""))
complains("a pattern without a text", "no call prints: early",
          table=ROWS.replace("  late\n", "  late\n  early\n"))
complains("two rows of one text", "rows first-row and second-row have: late",
          table=ROWS.replace("  it is %d\n", "  it is %d\n  late\n"))
complains("a row without a remedy", "second-row lacks", table=ROWS.replace("Remedy: r\n", ""))
finish()
