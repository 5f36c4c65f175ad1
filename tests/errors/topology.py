#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Settings of virtual topologies that cannot be: a message that says what to give, an error exit,
no hang. And PEs that do not have the same: the message names both."""

import os
import subprocess

from frame.script import SLOW, STAGE, TESTS, check, finish, oshcc

MISMATCH = r"""#!/bin/sh
case "$CAUSEWAY_LAUNCH" in
*pe=1*) export {other} ;;
esac
exec ./ring
"""


def run(program, settings, nodes=2, npes=2):
    command = [STAGE / "bin/oshrun", "-n", str(npes), "--emulate-nodes", str(nodes), program]
    env = {**os.environ, **dict(word.split("=", 1) for word in settings)}
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=25 * SLOW)
    except subprocess.TimeoutExpired:
        return None, "hangs"
    return done.returncode, done.stdout + done.stderr


def refused(settings, *texts, nodes=2, program="./ring"):
    status, output = run(program, settings, nodes)
    check(status not in (None, 0) and all(text in output for text in texts),
          f"{' '.join(settings)} on {nodes} node(s): status {status}", output[-2000:])


def differ(mine, other, *texts, nodes=2):
    """PE 1 has other settings."""
    with open("odd", "w") as file:
        file.write(MISMATCH.format(other=" ".join(f"'{word}'" for word in other)))
    os.chmod("odd", 0o755)
    refused(mine, "disagree about CAUSEWAY_TOPOLOGY", *texts, nodes=nodes, program="./odd")


def main():
    oshcc("ring", TESTS / "errors/ring.c")
    on = "CAUSEWAY_TOPOLOGY=fcg"
    refused(["CAUSEWAY_TOPOLOGY=mesh"], "CAUSEWAY_TOPOLOGY=mesh", "hypercube, extents", nodes=1)
    refused(["CAUSEWAY_TOPOLOGY=1x1"], "CAUSEWAY_TOPOLOGY=1x1")
    refused([on, "CAUSEWAY_EDGE_BUFFER=4K", "CAUSEWAY_EDGE_BUFFERS=1"],
            "CAUSEWAY_EDGE_BUFFER=4096", "4352 bytes at least")
    refused([on, "CAUSEWAY_EDGE_BUFFER=10000"], "a multiple of 128 bytes")
    refused([on, "CAUSEWAY_EDGE_BUFFERS=0"], "CAUSEWAY_EDGE_BUFFERS", "from 1 to")
    refused([on, "CAUSEWAY_PROVIDER=tcp;ofi_rxm", "CAUSEWAY_ENDPOINT=rdm"], on, "one endpoint")
    for nodes in 1, 2:
        differ([on], ["CAUSEWAY_TOPOLOGY=mfcg"], "fcg", "mfcg", nodes=nodes)
    differ([on], ["CAUSEWAY_TOPOLOGY=direct"], "fcg with 4 buffers of 16384 bytes", "direct")
    differ([on], ["CAUSEWAY_EDGE_BUFFER=32K"], "fcg with 4 buffers of 32768 bytes", "16384")
    differ(["CAUSEWAY_TOPOLOGY=2x2x2x2x2x2x2"], ["CAUSEWAY_TOPOLOGY=2x2x2x2x2x2x3"], "2x2x2~")
    for settings in (["CAUSEWAY_TOPOLOGY=direct", "CAUSEWAY_EDGE_BUFFER=1"],
                     ["CAUSEWAY_TOPOLOGY=auto"]):  # fmt: skip
        status, output = run("./ring", settings)
        check(status == 0 and "ring done" in output, f"{settings}: {status}", output[-2000:])
    finish()


main()
