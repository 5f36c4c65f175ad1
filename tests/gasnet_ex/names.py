#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that all names that gasnetex(7) lists under INTERFACE are in the headers in every thread
mode, that the page lists what the library exports, and that each number of arguments exists.
../gasnet/coverage.py checks that tests call it all; here only that they use the constants."""
import re

from frame.names import exported, visible
from frame.script import ROOT, TESTS, check, finish

HEADERS = "#include <gasnetex.h>\n#include <gasnet_mk.h>\n"
NAME = r"\b(?:gex_[A-Z]\w+|GEX_\w+|gasnet_[A-Za-z]\w+|GASNET_[A-Z]\w+)"
COUNTED = [f"gex_AM_{way}{kind}" for way in ("Request", "Reply")
           for kind in ("Short", "Medium", "Long")]
COMMITS = [f"gex_AM_Commit{way}{kind}" for way in ("Request", "Reply")
           for kind in ("Medium", "Long")]
# Names about the programs or machines of other implementations.
UNTESTED = {"GASNET_NATIVE_NP_ALLOC_", "GEX_FLAG_DEFER_THREADS", "GASNET_MAX_SEGSIZE",
            "GASNET_RELEASE_VERSION_MAJOR",
            "GEX_EP_CAPABILITY_VIS"}


def main():
    page = (ROOT / "docs/man/gasnetex.7.md").read_text()
    listed = set(re.findall(NAME, page.split("# INTERFACE\n")[1].split("# CALLS OF CLIENTS")[0]))
    args = [str(i) for i in range(17)]
    forms = ({name + i for name in COUNTED + COMMITS for i in args}
             | {name + i + "_v2" for name in COMMITS for i in args})
    for mode in ("GASNET_SEQ", "GASNET_PARSYNC", "GASNET_PAR"):
        missing = (listed | forms) - visible(HEADERS, f"-D{mode}")[0]
        missing -= {"GASNET_NATIVE_NP_ALLOC_", "GASNET_MAX_SEGSIZE", "GASNET_SEGMENT_EVERYTHING"}
        check(not missing, f"{mode}: all is in the headers", sorted(missing))
    programs = "".join(path.read_text() for path in sorted((TESTS / "gasnet_ex").glob("*.[ch]")))
    constants = {name for name in listed if name.isupper()}
    unused = constants - set(re.findall(NAME, programs)) - UNTESTED
    check(not unused, "programs of this room use all constants", sorted(unused))
    unlisted = exported("gex_[A-Z]") - listed
    check(not unlisted, "the page lists what the library exports", sorted(unlisted))
    finish(f"{len(listed)} names")


if __name__ == "__main__":
    main()
