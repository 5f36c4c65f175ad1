# SPDX-License-Identifier: BSD-3-Clause
"""Names that a program may use after including headers, and names that the library exports."""

import re

from frame.script import STAGE, run


def visible(source, *flags):
    """(names, text): macros and words of the preprocessed source, a few #include lines."""
    base = ["cc", f"-I{STAGE}/include", *flags, "-x", "c", "-E"]
    macros = run(*base, "-dM", "-", input=source)
    text = run(*base, "-P", "-", input=source)
    return set(re.findall(r"^#define (\w+)", macros,
                          re.M)) | set(re.findall(r"\b\w+\b", text)), text


def exported(prefix):
    """Names of the library's dynamic symbols that begin so (a regular expression)."""
    out = run("nm", "-D", "--defined-only", "--format=posix", STAGE / "lib/libcauseway.so")
    names = {line.split()[0].split("@")[0] for line in out.splitlines()}
    return {name for name in names if re.match(prefix, name)}
