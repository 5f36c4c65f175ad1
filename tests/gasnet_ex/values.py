#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Constants and widths of types are those of GASNet-EX 2025.8.0: values.csv, written down from its
headers with the place of each. Compiled as C and as C++, in each thread mode; constants that a
preprocessor may test are tested by it."""
import csv
import subprocess

from frame.script import STAGE, TESTS, check, finish

TYPED = ("GEX_EVENT_", "GEX_EC_", "GEX_TI_", "GEX_MK_", "GEX_RANK_")


def program(rows):
    lines = ["#include <gasnetex.h>", "#include <gasnet_coll.h>",
             "#include <gasnet_tools.h>", "#include <stdio.h>",
             "static int wrong;",
             "static void is(const char *name, unsigned long long have, unsigned long long want)",
             "{ if (have != want) wrong++, printf(\"FAIL: %s is %llu, not %llu\\n\", name, have, "
             "want); }", "int main(void) {"]
    for name, kind, value, _ in rows:
        what = f"(unsigned long long)sizeof({name})" if kind == "width" else \
            f"(unsigned long long)(uintptr_t)({name})"
        if kind == "value" and name in ("GEX_RANK_INVALID", "GEX_EC_ALL", "GEX_OP_USER_NC"):
            what = f"(unsigned long long)(uint32_t)({name})"
        lines.append(f'is("{name}", {what}, {value}ull);')
        if kind == "value" and not name.startswith(TYPED) and not name.endswith("_INVALID"):
            lines.insert(3, f"#if {name} != {value}\n#error {name}\n#endif")
    return "\n".join([*lines, "return wrong != 0; }", ""])


def main():
    with open(TESTS / "gasnet_ex/values.csv", encoding="utf-8") as table:
        rows = list(csv.reader(table))[1:]
    for mode in ("SEQ", "PARSYNC", "PAR"):
        mine = [r for r in rows if r[0] != "GASNETI_MAX_THREADS" or mode == "PAR"]
        for suffix, wrapper in (("c", "oshcc"), ("cc", "oshc++")):
            source = f"values_{mode}.{suffix}"
            with open(source, "w", encoding="utf-8") as file:
                file.write(program(mine))
            built = subprocess.run([STAGE / "bin" / wrapper, f"-DGASNET_{mode}", "-Wall", "-Werror",
                                    source, "-o", f"{source}.out"], capture_output=True, text=True)
            check(built.returncode == 0, f"{source} compiles", built.stderr[-2000:])
            if built.returncode == 0:
                ran = subprocess.run([f"./{source}.out"], capture_output=True, text=True)
                check(ran.returncode == 0, f"{source}: values", ran.stdout)
    finish(f"{len(rows)} constants and types")


if __name__ == "__main__":
    main()
