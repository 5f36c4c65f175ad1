#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A crash is explained: signal, routine, place of the call, what the address is, and the stack; the
status is that of the signal, and a program's own handler stays."""
import os
import re
import subprocess
import tempfile

from frame.script import SLOW, STAGE, TESTS, check, finish, oshcc

NULL = r"address 0(x\w+)? is NULL, or next to it"
ON_PE_0 = r"address 0(x\w+)?, asked for on PE 0, is NULL, or next to it: not symmetric"
MALLOC = (r"address 0x\w+, asked for on PE 0, is private memory of this process \(malloc\): "
          r"not symmetric")
THERE = (r"address 0x\w+, asked for on PE 0, is private memory of this process \(a constant, of a "
         r"library, or mapped\): not symmetric")
OVERRUN = r"\(\d+ MiB beyond the end of static `[\w.]+`, [\w ]+\)"
HINT = r"; CAUSEWAY_CHECK=1 checks every call"
IN_CRASH = r"crash\+0x\w+ \(crash\.c:\d+\)"

# case: what its line says behind "SIGSEGV"
EXPLAINED = {
    "null_p": rf" in shmem_int_p, called from {IN_CRASH}: {ON_PE_0}{HINT}",
    "null_put": rf" in shmem_int_put, called from {IN_CRASH}: {ON_PE_0}{HINT}",
    "null_source": rf" in shmem_putmem, called from {IN_CRASH}: {NULL}{HINT}",
    "null_small": rf" in shmem_putmem, called from {IN_CRASH}: {NULL}{HINT}",
    "null_call": rf" in {IN_CRASH}, outside of the library: address 0(x0)? is no "
                 r"function, and was called$",
    "null_wait": rf" in shmem_int_wait_until, called from {IN_CRASH}: {NULL}{HINT}",
    "malloc_p": rf" in shmem_int_p, called from {IN_CRASH}: {MALLOC}{HINT}",
    "malloc_put": rf" in shmem_int_put, called from {IN_CRASH}: {MALLOC}{HINT}",
    "malloc_add": rf" in shmem_int_atomic_add, called from {IN_CRASH}: {MALLOC}",
    "library_p": rf" in shmem_int_p, called from {IN_CRASH}: {THERE}{HINT}",
    "mapped_put": rf" in shmem_int_put, called from {IN_CRASH}: {THERE}{HINT}",
    "overrun_put": rf" in shmem_int_put, called from {IN_CRASH}: address 0x\w+ {OVERRUN}, of PE 0, "
                   "is neither symmetric memory nor known",
    "overrun": rf" in {IN_CRASH}, outside of the library: address 0x\w+ {OVERRUN} is not memory",
    "stack_get": rf" in shmem_int_get, called from {IN_CRASH}: address 0x\w+, asked for on PE 0, "
                 rf"is on the stack of this process: not symmetric{HINT}",
    "wild_context": rf" in shmem_ctx_int_p, called from {IN_CRASH}: address that no memory "
                    r"can have; was an argument .*context.* never initialised",
    "plain": rf" in {IN_CRASH}, outside of the library: {NULL}$",
    "overflow": r" in deeper\+0x\w+ \(crash\.c:\d+\), outside of the library: address 0x\w+ is at "
                r"the end of the stack, which is used up \(ulimit -s\)",
    "refused": r" in main\+0x\w+ \(crash\.c:\d+\), outside of the library: address 0x14 is NULL, "
               r"or next to it; before that shmem_malloc could not give 1073741824 bytes: the "
               r"symmetric heap has 256 MiB \(SHMEM_SYMMETRIC_SIZE\)",
}

# to another node: the provider, below the routine, comes upon the address
EXPLAINED_FAR = {
    "null_small": EXPLAINED["null_small"], "plain": EXPLAINED["plain"],
    "null_get": rf" in shmem_getmem, called from {IN_CRASH}: {NULL}{HINT}",
    "null_iget": rf" in shmem_int_iget, called from {IN_CRASH}: {NULL}{HINT}",
    "null_nbi": rf" in shmem_quiet, called from {IN_CRASH}: {NULL}{HINT}",
}

# on a node, of a program at a fixed address: data behind all that processes have, and code before
# its data
EXPLAINED_FIXED = {
    "null_p": EXPLAINED["null_p"], "null_put": EXPLAINED["null_put"],
    "function_p": rf" in shmem_int_p, called from {IN_CRASH}: {THERE}{HINT}",
    "stack_get": rf" in shmem_int_get, called from {IN_CRASH}: address that no memory "
                 r"can have; it is of a variable on the stack, which is not symmetric",
}

# case: the call, and the bytes in its line
REFUSED = {"negative_put": ("shmem_putmem", -8), "negative_get": ("shmem_int_get", -32),
           "negative_put_nbi": ("shmem_putmem_nbi", -8),
           "negative_get_nbi": ("shmem_getmem_nbi", -8),
           "negative_signal": ("shmem_putmem_signal", -8),
           "negative_broadcast": ("shmem_broadcastmem", -8),
           "negative_collect": ("shmem_collectmem", -8)}


MISTAKES = {"OpenSHMEM": {"count": "negative_put"}}


def cases():
    return {case: True for case in REFUSED}


def run(program, *arguments, nodes=1, **env):
    command = [STAGE / "bin/oshrun", "-n", "2", "--emulate-nodes", nodes, program, *arguments]
    done = subprocess.run(list(map(str, command)), env=dict(os.environ, **env), text=True,
                          capture_output=True, timeout=60 * SLOW, errors="replace")
    return done.returncode, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        options = ["-fno-optimize-sibling-calls", "-fno-inline", TESTS / "errors/crash.c"]
        program = oshcc(f"{scratch}/crash", *options)
        os.mkdir(f"{scratch}/fixed")
        fixed = oshcc(f"{scratch}/fixed/crash", "-no-pie", *options)
        for case, says, nodes, built in ([(c, s, 1, program) for c, s in EXPLAINED.items()] +
                                         [(c, s, 2, program) for c, s in EXPLAINED_FAR.items()] +
                                         [(c, s, 1, fixed) for c, s in EXPLAINED_FIXED.items()]):
            status, output = run(built, case, nodes=nodes, SHMEM_SYMMETRIC_SIZE="256M")
            line = rf"^causeway: error: PEs? [01, ]+ of 2 \((pid \d+, )?host \S+\): SIGSEGV{says}"
            check(status == 139, f"{case}: status {status}\n{output}")
            check(re.search(line, output, re.M), f"{case}: no line with {line}\n{output}")
            stack = r"^causeway:   PEs? [01, ]+ #\d+ +(main|crash|deeper)\+0x\w+ \(crash\.c:\d+\)$"
            check(re.search(stack, output, re.M), f"{case}: no stack\n{output}")
        for case, (call, nbytes) in REFUSED.items():
            for nodes in (1, 2):
                status, output = run(program, case, nodes=nodes)
                known = rf" \({nbytes} bytes\)"
                line = (rf"^causeway: error: PEs? [01, ]+ of 2 .*: {call}: the count is negative "
                        rf"or absurd({known}){'?' if nodes > 1 else ''}; called from {IN_CRASH}$")
                check(status == 1 and re.search(line, output, re.M),
                      f"{case} {nodes}: status {status}, no line with {line}\n{output}")
        status, output = run(program, "free")
        check(status == 134 and re.search(rf"SIGABRT in free, called from {IN_CRASH}: malloc has "
                                          "not given that block", output), f"free: {output}")
        for case, number in (("plain", 139), ("free", 134)):
            status, output = run(program, case, "small")
            check(status == number and re.search(rf"SIG\w+ in .*{IN_CRASH}", output),
                  f"{case}, small alternate stack: status {status}\n{output}")
        local = oshcc(f"{scratch}/free_local", TESTS / "errors/free_local.c", "-larmci")
        status, output = run(local)
        check(status == 134 and re.search(r"SIGABRT in free of ARMCI_Free_local, called from "
                                          r"main\+0x\w+ \(free_local\.c:\d+\): malloc has not",
                                          output), f"free_local: {output}")
        status, output = run(program, "abort")
        check(status == 134 and "SIGABRT" not in output, f"abort: {output}")
        for flag, where in {"-gdwarf-2": r"crash\.c:\d+", "-gdwarf-4": r"crash\.c:\d+",
                            "-gz": r"addr2line -e /\S+/other 0x\w+",
                            "-g0": "other, compiled without -g"}.items():
            other = oshcc(f"{scratch}/other", flag, TESTS / "errors/crash.c")
            status, output = run(other, "plain")
            check(re.search(rf"SIGSEGV in \w+\+0x\w+ \({where}\), outside", output),
                  f"{flag}: {output}")
        status, output = run(program, "null_p", nodes=2, CAUSEWAY_AGGREGATE="off")
        check(status == 1 and "or an address is wrong: CAUSEWAY_CHECK=1" in output,
              f"null_p to another node: status {status}\n{output}")
        for arguments, env, wanted in ((["plain"], {"CAUSEWAY_BACKTRACE": "0"}, 139),
                                       (["sent"], {}, 139),
                                       (["handled", "early"], {}, 3), (["handled", "late"], {}, 3)):
            status, output = run(program, *arguments, **env)
            check(status == wanted and "SIGSEGV in" not in output and
                  ("own handler" in output) == (wanted == 3),
                  f"{arguments} {env}: status {status}\n{output}")
        for env, kind in (({"CAUSEWAY_CHECK": "1"}, "warning"), ({"SHMEM_DEBUG": "1"}, "debug")):
            status, output = run(program, "refused", SHMEM_SYMMETRIC_SIZE="256M", **env)
            line = (rf"^causeway: {kind}: PE 0 of 2 .*: shmem_malloc asks for 1073741824 bytes and "
                    r"gets NULL: the symmetric heap has \d+ bytes, .*; SHMEM_SYMMETRIC_SIZE sets "
                    r"its size$")
            check(re.search(line, output, re.M),
                  f"refused, {env}: no {kind}\n{output}")
    finish("crashes")


if __name__ == "__main__":
    main()
