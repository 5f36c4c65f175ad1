#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_text.py PAGE.html OUTPUT.c

Writes a page as C: what stands before and behind the place of the data in it, @JOB@."""
import sys
from pathlib import Path


def literal(text):
    """Lines of literals: a string of any length would be longer than C promises to take."""
    data = text.encode()
    return "\n".join("    " + "".join(f"{byte}," for byte in data[at:at + 24])
                     for at in range(0, len(data), 24)) + " 0"


def main():
    page, output = map(Path, sys.argv[1:])
    before, behind = page.read_text(encoding="utf-8").split("@JOB@")
    output.write_text(
        "// SPDX-License-Identifier: BSD-3-Clause\n//\n"
        f"// Generated from {page.name}: the page around the statistics of a job.\n"
        '#include "core/report/record.h"\n\n'
        f"static const char before[] = {{\n{literal(before)}}};\n"
        f"static const char behind[] = {{\n{literal(behind)}}};\n"
        "const char *const cw_job_page[2] = {before, behind};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
