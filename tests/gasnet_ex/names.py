#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that all names that gasnetex(7) lists under INTERFACE are in the headers in every thread
mode, that the page lists what the library exports, and that each number of arguments exists.
../gasnet/coverage.py checks that tests call it all; here only that they use the constants."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ["CAUSEWAY_TEST_SOURCE"])
STAGE = pathlib.Path(os.environ["CAUSEWAY_TEST_STAGE"])
NAME = r"\b(?:gex_[A-Z]\w+|GEX_\w+|gasnet_[A-Za-z]\w+|GASNET_[A-Z]\w+)"
COUNTED = [f"gex_AM_{way}{kind}" for way in ("Request", "Reply")
           for kind in ("Short", "Medium", "Long")]
COMMITS = [f"gex_AM_Commit{way}{kind}" for way in ("Request", "Reply")
           for kind in ("Medium", "Long")]
# Names about the programs or machines of other implementations.
UNTESTED = {"GASNET_NATIVE_NP_ALLOC_", "GEX_FLAG_DEFER_THREADS", "GASNET_MAX_SEGSIZE",
            "GASNET_RELEASE_VERSION_MAJOR",
            "GEX_EP_CAPABILITY_VIS"}


def preprocess(path, *flags):
    return subprocess.run(["cc", f"-I{STAGE}/include", *flags, "-x", "c", "-E", str(path)],
                          capture_output=True, text=True,
                          check=True,
                          input="#include <gasnetex.h>\n#include <gasnet_mk.h>\n").stdout


def visible(mode):
    macros, text = preprocess("-", f"-D{mode}", "-dM"), preprocess("-", f"-D{mode}", "-P")
    return set(re.findall(r"^#define (\w+)", macros, re.M)) | set(re.findall(r"\b\w+\b", text))


def exported():
    out = subprocess.run(["nm", "-D", "--defined-only", "--format=posix",
                          str(STAGE / "lib/libcauseway.so")],
                         capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].split("@")[0] for line in out.splitlines()}
    return {name for name in names if re.match(r"gex_[A-Z]", name)}


def main():
    page = (ROOT / "docs/man/gasnetex.7.md").read_text()
    listed = set(re.findall(NAME, page.split("# INTERFACE\n")[1].split("# CALLS OF CLIENTS")[0]))
    wrong = []
    args = [str(i) for i in range(17)]
    forms = ({name + i for name in COUNTED + COMMITS for i in args}
             | {name + i + "_v2" for name in COMMITS for i in args})
    for mode in ("GASNET_SEQ", "GASNET_PARSYNC", "GASNET_PAR"):
        missing = (listed | forms) - visible(mode) - {"GASNET_NATIVE_NP_ALLOC_",
                                                      "GASNET_MAX_SEGSIZE",
                                                      "GASNET_SEGMENT_EVERYTHING"}
        wrong += [f"{mode}: no {name} in the headers" for name in sorted(missing)]
    programs = "".join(path.read_text()
                       for path in sorted((ROOT / "tests/gasnet_ex").glob("*.[ch]")))
    constants = {name for name in listed if name.isupper()}
    wrong += [f"no program of this room uses {name}"
              for name in sorted(constants - set(re.findall(NAME, programs)) - UNTESTED)]
    wrong += [f"the library exports {name}, which the page does not list"
              for name in sorted(exported() - listed)]
    for message in wrong:
        print(f"FAIL: {message}")
    print(f"{len(listed)} names, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
