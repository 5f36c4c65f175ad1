#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Python program that loads the library by cffi, without a compiler: handles, memory, transfers,
reductions, large alignments, the heap at one address. Run by itself it starts the PEs."""
import subprocess
import sys

from frame.script import STAGE, check, finish, skip

try:
    import cffi
except ImportError:
    skip("needs python3-cffi")

DECLARATIONS = """
    typedef void *shmem_team_t, *shmem_ctx_t;
    extern shmem_team_t SHMEM_TEAM_WORLD, SHMEM_TEAM_INVALID;
    extern shmem_ctx_t SHMEM_CTX_DEFAULT;
    void shmem_init(void);
    void shmem_finalize(void);
    int shmem_my_pe(void);
    int shmem_n_pes(void);
    int shmem_team_n_pes(shmem_team_t team);
    void *shmem_malloc(size_t size);
    void *shmem_align(size_t alignment, size_t size);
    void shmem_free(void *ptr);
    void shmem_barrier_all(void);
    void shmem_ctx_long_p(shmem_ctx_t ctx, long *dest, long value, int pe);
    void shmem_long_get(long *dest, const long *source, size_t nelems, int pe);
    int shmem_long_sum_reduce(shmem_team_t team, long *dest, const long *source, size_t nreduce);
"""


def pe():
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS)
    lib = ffi.dlopen(str(STAGE / "lib/libcauseway.so"))
    world = lib.SHMEM_TEAM_WORLD
    lib.shmem_init()
    me, npes = lib.shmem_my_pe(), lib.shmem_n_pes()
    assert lib.shmem_team_n_pes(world) == npes
    assert lib.shmem_team_n_pes(lib.SHMEM_TEAM_INVALID) == -1
    own = ffi.cast("long *", lib.shmem_malloc(2 * ffi.sizeof("long")))
    print(f"heap {int(ffi.cast('uintptr_t', own)):#x}")
    lib.shmem_barrier_all()
    lib.shmem_ctx_long_p(lib.SHMEM_CTX_DEFAULT, own, me + 1, (me + 1) % npes)
    lib.shmem_barrier_all()
    assert own[0] == (me - 1) % npes + 1, own[0]
    there = ffi.new("long[1]")
    lib.shmem_long_get(there, own, 1, (me + 1) % npes)
    assert there[0] == me + 1, there[0]
    assert lib.shmem_long_sum_reduce(world, own + 1, own, 1) == 0
    assert own[1] == npes * (npes + 1) // 2, own[1]
    for shift in (4, 12, 16, 21, 23, 26):
        block = lib.shmem_align(1 << shift, 100)
        assert block and int(ffi.cast("uintptr_t", block)) % (1 << shift) == 0, (shift, block)
        lib.shmem_free(block)
    lib.shmem_finalize()
    print("python done")


def main():
    random = ["-x", "CAUSEWAY_ONE_ADDRESS=0"]
    for options in (["-n", "1"], ["-n", "2"], ["-n", "4", *random],
                    ["-n", "4", "--emulate-nodes", "2", *random]):
        done = subprocess.run([STAGE / "bin/oshrun", *options, sys.executable, __file__, "pe"],
                              text=True, capture_output=True, timeout=60)
        check(done.returncode == 0 and done.stdout.count("python done") == int(options[1]),
              f"{options}: status {done.returncode}\n{done.stdout}{done.stderr}")
        heaps = {line for line in done.stdout.splitlines() if line.startswith("heap ")}
        check(len(heaps) == 1, f"{options}: heaps at {sorted(heaps)}")
    finish("cffi")


if __name__ == "__main__":
    pe() if sys.argv[1:] == ["pe"] else main()
