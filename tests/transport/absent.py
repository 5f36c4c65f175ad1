#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without an RDMA device libfabric does not search for some (src/transport/ofi/lib/probe.c), and
what it offers is the same as when it searched for all."""
import os
import pathlib
import subprocess
import sys

from frame.script import BUILD, STAGE, clean_environment, fail, failures, finish

DEVICES = pathlib.Path("/sys/class/infiniband")


def run(*command, **settings):
    env = clean_environment() | settings
    return subprocess.run(list(map(str, command)), env=env, text=True, capture_output=True,
                          timeout=60, check=False)


def loaded(trace):
    """The libraries whose constructors ran."""
    return [line.split("calling init: ")[1].strip() for line in trace.splitlines()
            if "calling init: " in line]


def main():
    hide = run(BUILD / "tests/transport/test_ofi_absent",
               BUILD / "tests/transport/absent-victim.so")
    print(hide.stdout, end="")
    if hide.returncode not in (0, 77):
        fail(f"hiding: exit status {hide.returncode} {hide.stderr}")
    seen = {probe: run(STAGE / "bin/causeway-info", "--libfabric", CAUSEWAY_PROBE=probe,
                       LD_DEBUG="libs") for probe in ("all", "present")}
    if any(done.returncode for done in seen.values()):
        fail(f"causeway-info: {seen}")
    if seen["all"].stdout != seen["present"].stdout:
        fail(f"libfabric offers\n{seen['all'].stdout}with CAUSEWAY_PROBE=all, "
             f"but\n{seen['present'].stdout}without")
    every, some = loaded(seen["all"].stderr), loaded(seen["present"].stderr)
    if any("/causeway/probe-" in name for name in every):
        fail(f"CAUSEWAY_PROBE=all: a stand-in was loaded: {every}")
    if DEVICES.exists() and any(DEVICES.iterdir()):
        if every != some:
            fail(f"there are RDMA devices, and yet not all is looked for: {every} {some}")
    elif any(name.endswith("/libpsm2.so.2") for name in every):
        if (not any(name.endswith("/causeway/probe-psm2.so") for name in some)
            or any("/libpsm2." in name for name in some)):
            fail(f"no stand-in for psm2: {some}")
        if any("/libinfinipath." in name for name in some):
            fail(f"no stand-in for psm: {some}")
    print(seen["present"].stdout)
    if hide.returncode == 77 and not failures:
        sys.exit(77)  # test_ofi_absent has printed the reason
    finish("libraries")


if __name__ == "__main__":
    main()
