#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Activities of programs right after shmem_init, while the library starts in the background: see
after_init.c."""

import os
import subprocess
import sys
from pathlib import Path

from frame.script import TESTS, fail, finish, oshcc


def build(name, *flags):
    program = oshcc(name, "-O1", *flags, TESTS / "startup/after_init.c", "-ldl", "-lpthread")
    return str(Path(program).resolve())


PROGRAM, LARGE = build("after_init"), build("large", "-DLARGE=1048576")
Path("forks.c").write_text("""#include <sys/wait.h>
#include <unistd.h>
__attribute__((constructor)) static void start(void)
{
    for (int i = 0; i < 3; i++) {
        int child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, 0, 0);
    }
}
""", encoding="ascii")
subprocess.run(["cc", "-shared", "-fPIC", "-o", "forks.so", "forks.c"], check=True)


def libfabric():
    """The file that would be loaded."""
    if "CAUSEWAY_LIBFABRIC" in os.environ:
        return os.environ["CAUSEWAY_LIBFABRIC"]
    script = ("import ctypes; ctypes.CDLL('libfabric.so.1');"
              "print(next(l.split()[-1] for l in open('/proc/self/maps') if 'libfabric' in l))")
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True).stdout.strip()


def job(mode, times, *words, program=PROGRAM, env=None, status=0, says="went on"):
    for _ in range(times):
        try:
            done = subprocess.run(["oshrun", "-np", "2", "--emulate-nodes", "2", program, *words],
                                  capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=100,
                                  env={**os.environ, "CAUSEWAY_ENDPOINT": mode, **(env or {})})
        except subprocess.TimeoutExpired:
            fail(f"{mode} {words}: does not end")
            return
        output = done.stdout + done.stderr
        if ((done.returncode != 0) != (status != 0) or done.returncode > 128 or says not in output
            or "FAIL" in output):
            fail(f"{mode} {words}: status {done.returncode}\n{output}")
            return


for endpoint in ("rdm", "msg"):
    job(endpoint, 5, "environment")
    job(endpoint, 3, "setenv")
    job(endpoint, 1, "setenv", env={"CAUSEWAY_PROBE": "all"})
    job(endpoint, 3, "fork")
    job(endpoint, 1, program=LARGE)
    job(endpoint, 1, "leave", says="")  # the end of all threads is an exit with status 0
    job(endpoint, 1, "close", status=1, says="causeway: error:")
job("msg", 1, "library", str(Path("forks.so").resolve()))
Path("fabric.so").symlink_to(libfabric())
job("rdm", 3, "folder", env={"CAUSEWAY_LIBFABRIC": "./fabric.so"})
finish("runs after shmem_init")
