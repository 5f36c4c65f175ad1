#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of the tools' interface (names.txt) is defined by the header in thread-safe and in
single-threaded mode, except those that must not be, and the tests of this room use it."""
import re

from frame.names import visible
from frame.script import TESTS, check, finish

HERE = TESTS / "gasnet_tools"
# Names whose meaning is that they are not defined, or only in one mode.
ABSENT = {"GASNETT_CONFIGURE_MISMATCH", "GASNETT_USING_GENERIC_ATOMICOPS",
          "GASNETT_USING_GETTIMEOFDAY", "GASNETT_LITE_MODE",
          "GASNETT_STRONGATOMIC_NOT_SIGNALSAFE", "GASNETT_STRONGATOMIC32_NOT_SIGNALSAFE",
          "GASNETT_STRONGATOMIC64_NOT_SIGNALSAFE"}
MODES = {"GASNETT_THREAD_SAFE": {"GASNETT_THREAD_SINGLE"},
         "GASNETT_THREAD_SINGLE": {"GASNETT_THREAD_SAFE"}}
# Of GASNet-EX's types: in gasnetex.h, tested in ../gasnet_ex/objects.c.
EX = {"gasnett_format_dt", "gasnett_format_op", "gasnett_format_ti"}
# Not calls: how the library was built, or spellings of an annotation that expand to nothing.
UNTESTED = re.compile(
    r"GASNETT_(.*_CONFIG|SPEC_VERSION_MINOR|PLATFORM_.*|CONFIGURE_ARGS|.*P|UNUSED_ARGS\d"
    r"|DEPRECATED|THREAD_.*|RESTRICT|EXTERNC|"
    r"TRACE_GETSOURCELINE|FORMAT_PRINTF_FUNCPTR|STATS_(DUMP|PRINTF_FORCE)|LINKCONFIG_IDIOTCHECK)"
    r"|gasnett_(linkconfig_idiotcheck_|atomic_s?val_t|getPhysMemSz)")


def main():
    names = (HERE / "names.txt").read_text().split()
    for mode, other in MODES.items():
        have = visible("#include <gasnet_tools.h>\n", f"-D{mode}")[0]
        wanted = set(names) - ABSENT - EX - other - {"gasnett_linkconfig_idiotcheck_"}
        check(wanted <= have, f"{mode}: all names are there", sorted(wanted - have))
        check(not (ABSENT | other) & have, f"{mode}: these are not defined",
              sorted((ABSENT | other) & have))
    text = "".join(path.read_text() for path in HERE.glob("*.[ch]"))
    for family in re.findall(r"^TEST_FAMILY\((\w+)", text, re.M):  # the macro builds these names
        text += " ".join(family + suffix for suffix in re.findall(r"family##(_\w+)", text))
    used = set(re.findall(r"\b\w+\b", text))
    unused = [name for name in sorted(set(names) - used - ABSENT - EX)
              if not UNTESTED.fullmatch(name)]
    check(not unused, "tests of this room use all names", unused)
    finish(f"{len(names)} names")


if __name__ == "__main__":
    main()
