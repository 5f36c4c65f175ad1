#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of GASNet 1.8 with its vector, indexed and strided calls and its prototype of
collectives (names.txt, written down from the specification and not from the header) is there in
every configuration, and the library exports exactly what the headers declare. coverage.py checks
that tests call it all."""
import re

from frame.names import exported, visible
from frame.script import TESTS, check, finish

THREADS = {"GASNET_SEQ", "GASNET_PAR", "GASNET_PARSYNC"}
HEADERS = "#include <gasnet.h>\n#include <gasnet_coll.h>\n"
SEGMENTS = {"GASNET_SEGMENT_FAST", "GASNET_SEGMENT_LARGE", "GASNET_SEGMENT_EVERYTHING"}


def main():
    names = set((TESTS / "gasnet/names.txt").read_text().split())
    for threads in sorted(THREADS):
        for segment in sorted(SEGMENTS):
            have, text = visible(HEADERS, f"-D{threads}", f"-D{segment}")
            wanted = names - (THREADS - {threads}) - (SEGMENTS - {segment})
            check(wanted <= have, f"{threads} {segment}: all names are there",
                  sorted(wanted - have))
    functions = {name for name in re.findall(r"\b(gasnet_\w+)\(", text)
                 if not re.fullmatch(r"gasnet_AM(Request|Reply)\w+?(\d+|M)", name)}
    functions -= {"gasnet_causeway_announce_this"}
    functions -= set(re.findall(r"static inline \w+ (gasnet_\w+)\(", text))
    # variables that clients set
    functions |= set(re.findall(r"extern void \(\*(gasnet_\w+)\)", text))
    # and those that only clients and debuggers name
    functions |= {"gasnet_frozen", "gasnet_max_segsize", "gasnet_max_segsize_str"}
    # and those that inlined transfers read
    functions |= {"gasnet_causeway_near", "gasnet_causeway_patience"}
    have = exported("gasnet_")
    check(have >= functions, "the library exports all that the header declares", functions - have)
    check(have <= functions, "the header declares all that the library exports", have - functions)
    finish(f"{len(names)} names, {len(functions)} functions")


if __name__ == "__main__":
    main()
