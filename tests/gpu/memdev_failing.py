#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ARMCI's blocks on devices, over the driver of fake/: names of no device, calls of the driver that
fail, and wrong use: a result that is not 0, with a line, or the end of the job with one."""
from pathlib import Path

from frame.script import TESTS, finish, oshcc
from over_fake import NODES
from uses import one, without_library

CHECKING = {"CAUSEWAY_CHECK": "1"}
OPENING = ["cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuStreamCreate",
           "cuMemAlloc_v2"]
GONE = r"are not in memory that ARMCI_Malloc gave process [01]"
# arguments, variables, what the line says, does the program go on?
USES = [
    *((["name", name], {}, rf'no memory device "{name}"; give "cuda" or "cuda:N"', True)
      for name in ("gpu", "cuda:", "cuda:x", "cuda:0x", "cuda:64", "cuda:-1", "/mnt/pmem")),
    (["name", "cuda:9"], {}, r"there is no device 9; this process has 1", True),
    (["name", "cuda"], {"CAUSEWAY_DEVICE": "5"}, r"CAUSEWAY_DEVICE is 5", True),
    (["name", "cuda"], {"FAKE_CUDA_DEVICES": "0"}, r"cuInit .*NO_DEVICE", True),
    (["many", ""], {}, r"ARMCI_Malloc_memdev: this process has 64 blocks on devices", True),
    (["large", ""], {}, r"cuMemAlloc_v2 for device [01]: CUDA_ERROR_OUT_OF_MEMORY", True),
    (["transfers", "use"], {}, None, True),
    (["transfers", "use"], CHECKING, None, True),
    (["transfers", "beyond"], {}, rf"ARMCI_Put: 11 bytes at .* {GONE}", False),
    (["transfers", "beyond"], CHECKING, r"1 bytes? beyond the end .*ARMCI_Malloc_memdev gave it",
     False),
    (["transfers", "before"], {}, rf"ARMCI_NbGet: 8 bytes at .* {GONE}", False),
    (["transfers", "section"], {}, rf"ARMCI_PutS: 4159 bytes at .* {GONE}", False),
    (["transfers", "atomic"], {}, r"ARMCI_Rmw: .* is not aligned to 4 bytes", False),
    (["transfers", "flag"], {}, rf"ARMCI_Put_flag: 4 bytes at .* {GONE}", False),
    (["transfers", "type"], {}, r"ARMCI_Acc: type -3", False),
    (["transfers", "freed"], {}, rf"ARMCI_Put: 8 bytes at .* {GONE}", False),
    (["transfers", "freed"], CHECKING, r"ARMCI_Put: .*freed", False),
    (["transfers", "twice"], {}, r"ARMCI_Free_memdev: .* is not a block", False),
    (["transfers", "use"], {"FAKE_CUDA_FAIL": "cuMemcpyAsync:1"},
     r"cuMemcpyAsync for device 0: CUDA_ERROR_|a transfer of device memory", False),
    (["transfers", "use"], {"FAKE_CUDA_FAIL": "cuStreamSynchronize:2"},
     r"cuStreamSynchronize for device 0: CUDA_ERROR_|a transfer of device memory", False),
]
# Without these the owner copies.
DISPENSABLE = ["cuIpcGetMemHandle", "cuIpcOpenMemHandle_v2"]


def main():
    program = oshcc(Path("memdev_failing").resolve(), TESTS / "gpu/memdev_failing.c", "-larmci",
                    "-ldl")
    without_library(program, ["name", "cuda"], r"no device memory: libcuda\.so\.1")
    for arguments, variables, says, goes_on in USES:
        one(program, arguments, variables, says, goes_on)
    for call in OPENING:
        one(program, ["name", "cuda"], {"FAKE_CUDA_FAIL": f"{call}:1"}, rf"{call} .*CUDA_ERROR_",
            True)
    for call in DISPENSABLE:
        for options in ((), NODES):
            one(program, ["transfers", "use"], {"FAKE_CUDA_FAIL": f"{call}:1"}, None, True, options)
    for what in ("beyond", "freed"):
        one(program, ["transfers", what], {}, GONE, False, NODES)
    one(program, ["many", ""], {}, r"has 64 blocks on devices", True, NODES)
    finish()


if __name__ == "__main__":
    main()
