#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of GASNet 1.8 with its vector, indexed and strided calls (names.txt, written down from
the specification and not from the header) is there in every configuration, and the library exports
exactly what the header declares. coverage.py checks that tests call it all."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ["CAUSEWAY_TEST_SOURCE"])
STAGE = pathlib.Path(os.environ["CAUSEWAY_TEST_STAGE"])
HERE = ROOT / "tests/gasnet"
THREADS = {"GASNET_SEQ", "GASNET_PAR", "GASNET_PARSYNC"}
SEGMENTS = {"GASNET_SEGMENT_FAST", "GASNET_SEGMENT_LARGE", "GASNET_SEGMENT_EVERYTHING"}


def visible(threads, segment):
    source = "#include <gasnet.h>\n"
    base = ["cc", f"-I{STAGE}/include", f"-D{threads}", f"-D{segment}", "-x", "c", "-E"]
    macros = subprocess.run([*base, "-dM", "-"], input=source, capture_output=True, text=True,
                            check=True).stdout
    text = subprocess.run([*base, "-P", "-"], input=source, capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"^#define (\w+)", macros,
                          re.M)) | set(re.findall(r"\b\w+\b", text)), text


def exported():
    out = subprocess.run(["nm", "-D", "--defined-only", "--format=posix",
                          str(STAGE / "lib/libcauseway.so")],
                         capture_output=True, text=True, check=True).stdout
    return {line.split()[0].split("@")[0] for line in out.splitlines()
            if line.startswith("gasnet_")}


def main():
    names = set((HERE / "names.txt").read_text().split())
    wrong = []
    for threads in sorted(THREADS):
        for segment in sorted(SEGMENTS):
            have, text = visible(threads, segment)
            wanted = names - (THREADS - {threads}) - (SEGMENTS - {segment})
            wrong += [f"{threads} {segment}: {name} is missing" for name in sorted(wanted - have)]
    functions = {name for name in re.findall(r"\b(gasnet_\w+)\(", text)
                 if not re.match(r"gasnet_AM(Request|Reply)", name)}
    functions -= {"gasnet_causeway_announce_this"}
    # variables that clients set
    functions |= set(re.findall(r"extern void \(\*(gasnet_\w+)\)", text))
    wrong += [f"the library does not export {name}" for name in sorted(functions - exported())]
    wrong += [f"the library exports {name}, which the header does not declare"
              for name in sorted(exported() - functions)]
    for message in wrong:
        print(f"FAIL: {message}")
    print(f"{len(names)} names, {len(functions)} functions, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
