#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Failures of devices, over the driver of fake/: each call of it that fails while a heap is made,
on one PE and on all, leaves the job without a heap and able to make one; those in a transfer end
it; and wrong use. Each has one line with the call, the cause and what to do."""
import re
from pathlib import Path

from frame.script import TESTS, check, finish, oshcc
from over_fake import FLAGS, NODES, run
from uses import one, without_library

OPENING = ["cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid_v2",
           "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2",
           "cuStreamCreate", "cuMemGetAllocationGranularity", "cuDeviceCanAccessPeer",
           "cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess",
           "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle"]
SECOND = ["cuMemMap", "cuMemSetAccess", "cuDeviceGetUuid_v2"]  # of a peer's slice
TRANSFER = ["cuMemcpyAsync", "cuStreamSynchronize", "cuMemsetD8Async"]
TWO = {"FAKE_CUDA_DEVICES": "2"}
# of the handle of kernels: the first time, and when the symmetric heap has grown
WORLD = ["cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2", "cuModuleLoadData",
         "cuModuleGetFunction", "cuLaunchKernel", "cuMemcpyAsync"]
WILD = {"pe": "there is no such PE", "before": "there is no such PE", "far": "not symmetric",
        "beyond": "not symmetric", "huge": "not symmetric", "near": "neither a device's nor",
        "hole": "neither a device's nor", "kind": "no such operation",
        "width": "no such operation", "odd": "not aligned", "signal": "not aligned"}
BEYOND = ["beyond", "get_beyond", "rows_beyond", "rows_get_beyond"]
OUTSIDE = r"shmem_.* bytes from .* are not all in the device heap"
CHECKING = {"CAUSEWAY_CHECK": "1"}
# arguments, variables, what the line says, does the program go on?
USES = [
    (["heap", "1000"], {"FAKE_CUDA_DEVICES": "0"}, r"cuInit .*NO_DEVICE.*nvidia-smi", True),
    (["heap", "1000"], {"FAKE_CUDA_VMM": "0"}, r"device 0 .*cannot be mapped", True),
    (["heap", "1000"], {"FAKE_CUDA_EXPORT": "0"}, r"device 0 .*by descriptors", True),
    (["heap", "8000000"], {"FAKE_CUDA_MEMORY": "4194304"},
     r"cuMemCreate for device 0: CUDA_ERROR_OUT_OF_MEMORY .*smaller device heap", True),
    (["heap", "1000"], {"CAUSEWAY_DEVICE": "5"}, r"CAUSEWAY_DEVICE is 5, .* 1 devices", True),
    (["heap", "0"], {}, r"device heap of 0 bytes", True),
    (["heap", "9000000000000000"], {}, r"larger than any device", True),
    (["heap", "3000000", "differ"], {}, r"of different sizes", True),
    (["again"], {}, r"one already", True),
    (["before"], {}, r"shmemx_device_malloc: there is no device heap", False),
    (["twice"], {}, r"shmemx_device_free: .*freed twice", False),
    (["foreign"], {}, r"shmemx_device_free: .*not an allocated block of the device heap", False),
    (["free"], {}, r"shmem_free: .*not an allocated block", False),
    (["unaligned"], {}, r"not aligned to its 4 bytes", False),
    (["pe"], {}, r"shmem_.*there is no PE 2", False),
    (["wait"], CHECKING, r"shmem_int_wait_until: ivar .* is device memory", False),
    (["signal"], CHECKING, r"shmem_signal_wait_until: sig_addr .* is device memory", False),
    (["lock"], CHECKING, r"shmem_set_lock: lock .* is device memory", False),
    (["free"], CHECKING, r"shmem_free: .*not an allocated block", False),
    (["size"], CHECKING, r"shmemx_device_malloc: ", False),
    (["beyond"], CHECKING, r"shmem_putmem: .*not symmetric", False),
    (["end_of_heap"], {}, None, True),
    (["world"], {}, r"shmemx_device_world: there is no device heap", False),
    (["end"], {}, r"shmemx_device_world_end: no handle", False),
    (["single"], {}, r"thread level multiple", True),
    (["rings"], {}, r"CAUSEWAY_DEVICE_RING is not the same on all PEs", True),
    (["files", "5"], {}, r"out of file descriptors: one for each PE of this node.*ulimit", True),
    (["full"], {}, None, True),
    (["align"], {}, None, True),
    (["align"], {"FAKE_CUDA_MOVE": "1"}, None, True),
    (["epochs"], TWO, None, True),
]


def main():
    program = oshcc(Path("failing").resolve(), TESTS / "gpu/failing.c", "-ldl")
    kernels = oshcc(Path("kernels").resolve(), TESTS / "gpu/kernels.c", *FLAGS)
    without_library(program, ["heap", "1000"],
                    r"no device memory: libcuda\.so\.1.*the NVIDIA driver brings it")
    for call in OPENING:
        for which in (["-1", "1"] if call != "cuInit" else ["0"]):
            one(program, ["call", f"{call}:1", which], TWO, f"{call} for device [01]: CUDA_ERROR_",
                True)
    for call in SECOND:
        one(program, ["call", f"{call}:2", "0"], TWO, f"{call} for device", True)
    for call in WORLD:
        which = "1" if call != "cuMemcpyAsync" else "3"  # the first two are an atomic's
        for pe in ("-1", "1"):
            one(program, ["world_call", f"{call}:{which}", pe], {}, f"{call} for device 0: CUDA_",
                True)
    for call in WORLD[:2]:
        one(program, ["world_call", f"{call}:8", "0", "later"], {}, f"{call} for device 0", True)
    for what, says in WILD.items():
        one(kernels, [what], {}, f"a kernel's .* to PE -?[0-9]+: .*{says}", False)
    for call in TRANSFER:
        one(program, ["transfer"], {"FAKE_CUDA_FAIL": f"{call}:1"},
            f"{call} for device 0: CUDA_ERROR_|a transfer of device memory", False)
    for arguments, variables, says, goes_on in USES:
        one(program, arguments, variables, says, goes_on)
    for what in BEYOND:
        one(program, [what], {}, OUTSIDE, False)
        done = run(program, 2, NODES, {}, what)  # the other PE may miss the one that ends
        check(done.returncode != 0 and re.search(OUTSIDE, done.stdout),
              f"{what} to another node:\n{done.stdout[:3000]}")
    one(program, ["call", "cuMemCreate:1", "0"], {}, "cuMemCreate", True, NODES)
    one(program, ["epochs"], {}, None, True, NODES)
    finish()


if __name__ == "__main__":
    main()
