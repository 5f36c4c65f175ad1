#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of the tools' interface (names.txt) is defined by the header in thread-safe and in
single-threaded mode, except those that must not be, and the tests of this room use it."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ["CAUSEWAY_TEST_SOURCE"])
STAGE = pathlib.Path(os.environ["CAUSEWAY_TEST_STAGE"])
HERE = ROOT / "tests/gasnet_tools"
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


def visible(mode):
    """Names that a program may use after including the header."""
    source = "#include <gasnet_tools.h>\n"
    base = ["cc", f"-I{STAGE}/include", f"-D{mode}", "-x", "c", "-E"]
    macros = subprocess.run([*base, "-dM", "-"], input=source, capture_output=True, text=True,
                            check=True).stdout
    text = subprocess.run([*base, "-P", "-"], input=source, capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"^#define (\w+)", macros, re.M)) | set(re.findall(r"\b\w+\b", text))


def main():
    names = (HERE / "names.txt").read_text().split()
    wrong = []
    for mode, other in MODES.items():
        have = visible(mode)
        wanted = set(names) - ABSENT - EX - other - {"gasnett_linkconfig_idiotcheck_"}
        wrong += [f"{mode}: {name} is missing" for name in sorted(wanted - have)]
        wrong += [f"{mode}: {name} must not be defined" for name in sorted((ABSENT | other) & have)]
    text = "".join(path.read_text() for path in HERE.glob("*.[ch]"))
    for family in re.findall(r"^TEST_FAMILY\((\w+)", text, re.M):  # the macro builds these names
        text += " ".join(family + suffix for suffix in re.findall(r"family##(_\w+)", text))
    used = set(re.findall(r"\b\w+\b", text))
    wrong += [f"no test of this room uses {name}"
              for name in sorted(set(names) - used - ABSENT - EX)
              if not UNTESTED.fullmatch(name)]
    for message in wrong:
        print(f"FAIL: {message}")
    print(f"{len(names)} names, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
