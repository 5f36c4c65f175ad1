#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program in Rust beside this builds with cargo, without packages of others, and runs."""
import os
import shutil
import subprocess
import tempfile

from frame.script import STAGE, TESTS, check, finish, skip


def main():
    with tempfile.TemporaryDirectory() as scratch:
        env = dict(os.environ, PKG_CONFIG_PATH=str(STAGE / "lib/pkgconfig"),
                   CARGO_TARGET_DIR=f"{scratch}/target", CARGO_NET_OFFLINE="true")
        if subprocess.run(["cargo", "--version"], env=env, capture_output=True).returncode:
            skip("cargo does not work")
        shutil.copytree(TESTS / "clients/rust", f"{scratch}/rust")
        done = subprocess.run(["cargo", "build", "--offline", "-q"], cwd=f"{scratch}/rust",
                              env=env, text=True, capture_output=True)
        if check(done.returncode == 0, "cargo build", done.stdout + done.stderr):
            for nodes in (1, 2):
                done = subprocess.run([STAGE / "bin/oshrun", "-n", "4", "--emulate-nodes",
                                       str(nodes), f"{scratch}/target/debug/causeway-client"],
                                      env=env, text=True, capture_output=True, timeout=60)
                check(done.returncode == 0 and done.stdout.count("rust done") == 4,
                      f"{nodes} nodes", done.returncode, done.stdout + done.stderr)
    finish()


main()
