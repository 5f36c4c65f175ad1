#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Python program that loads the library by ctypes, without a compiler: handles, memory,
transfers, reductions, alignments above a page. Run by itself it starts the PEs."""
import ctypes
import os
import subprocess
import sys


def pe():
    lib = ctypes.CDLL(os.path.join(os.environ["CAUSEWAY_TEST_STAGE"], "lib/libcauseway.so"))
    world, default, invalid = (ctypes.c_void_p.in_dll(lib, name) for name in (
        "SHMEM_TEAM_WORLD", "SHMEM_CTX_DEFAULT", "SHMEM_TEAM_INVALID"))
    lib.shmem_malloc.restype = lib.shmem_align.restype = ctypes.c_void_p
    lib.shmem_malloc.argtypes = [ctypes.c_size_t]
    lib.shmem_align.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    lib.shmem_ctx_long_p.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_int]
    lib.shmem_long_sum_reduce.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t]
    lib.shmem_team_n_pes.argtypes = [ctypes.c_void_p]
    lib.shmem_free.argtypes = [ctypes.c_void_p]
    lib.shmem_init()
    me, npes = lib.shmem_my_pe(), lib.shmem_n_pes()
    assert lib.shmem_team_n_pes(world) == npes and lib.shmem_team_n_pes(invalid) == -1
    words = lib.shmem_malloc(2 * 8)
    own = ctypes.cast(words, ctypes.POINTER(ctypes.c_long))
    lib.shmem_barrier_all()
    lib.shmem_ctx_long_p(default, words, me + 1, (me + 1) % npes)
    lib.shmem_barrier_all()
    assert own[0] == (me - 1) % npes + 1, own[0]
    assert lib.shmem_long_sum_reduce(world, words + 8, words, 1) == 0
    assert own[1] == npes * (npes + 1) // 2, own[1]
    for shift in (4, 12, 16, 21):
        block = lib.shmem_align(1 << shift, 100)
        assert block and block % (1 << shift) == 0, (shift, block)
        lib.shmem_free(block)
    lib.shmem_finalize()
    print("python done")


def main():
    oshrun = os.path.join(os.environ["CAUSEWAY_TEST_STAGE"], "bin/oshrun")
    for options in (["-n", "1"], ["-n", "4"], ["-n", "4", "--emulate-nodes", "2"]):
        done = subprocess.run([oshrun, *options, sys.executable, __file__, "pe"], text=True,
                              capture_output=True, timeout=60)
        if done.returncode or done.stdout.count("python done") != int(options[1]):
            print(f"FAIL: {options}: status {done.returncode}\n{done.stdout}{done.stderr}")
            sys.exit(1)
    print("ctypes done")


if __name__ == "__main__":
    pe() if sys.argv[1:] == ["pe"] else main()
