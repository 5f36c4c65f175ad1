#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Failures of GASNet-EX's memory kinds, over the driver of fake/, and wrong use: an error that the
client gets, with a line, or the end of the job with one; and calls of the driver without which
transfers go another way."""
from pathlib import Path

from frame.script import TESTS, finish, oshcc
from over_fake import NODES
from uses import one, without_library

CHECKING = {"CAUSEWAY_CHECK": "1"}
# arguments, variables, what the line says, does the program go on?
USES = [
    (["kinds", "no-device"], {}, r"there is no device 9; this process has 1", True),
    (["kinds", "hip"], {}, r"gex_MK_Create: .*GEX_MK_CLASS_CUDA_UVA only", True),
    (["kinds", "ze"], {}, r"gex_MK_Create: .*GEX_MK_CLASS_CUDA_UVA only", True),
    (["kinds", "no-driver"], {"FAKE_CUDA_DEVICES": "0"}, r"cuInit .*NO_DEVICE", True),
    (["kinds", "quiet"], {"FAKE_CUDA_DEVICES": "0"}, None, True),
    (["segments", "host-memory"], {}, r"gex_Segment_Create: .*not in one allocation .*device 0",
     True),
    (["segments", "beyond"], {}, r"gex_Segment_Create: the 3145728 bytes .*one allocation", True),
    (["segments", "other-device"], {"FAKE_CUDA_DEVICES": "2"}, r"one allocation of .*device 0",
     True),
    (["segments", "too-large"], {}, r"cuMemAlloc_v2 for device 0: CUDA_ERROR_OUT_OF_MEMORY", True),
    (["segments", "empty"], {}, r"a segment has at least one byte", True),
    (["segments", "many"], {}, r"has 64 segments of devices already", True),
    (["segments", "first-endpoint"], {}, r"endpoint 0 keeps its segment|has a segment", True),
    (["segments", "destroy-bound"], {}, r"gex_Segment_Destroy: endpoint 1 is bound", False),
    (["segments", "destroy-used"], {}, r"gex_MK_Destroy: 1 segments of this kind exist", False),
    (["transfers", "put-beyond"], {},
     r"gex_RMA_PutBlocking: .*11 bytes.*rank [01] \(endpoint 1\).*it ends 1 bytes beyond", False),
    (["transfers", "get-before"], {}, r"gex_RMA_GetNBI: .*begins 1 bytes before", False),
    (["transfers", "vector-beyond"], {}, r"gex_VIS_StridedPutBlocking: .*begins 0 bytes beyond",
     False),
    (["transfers", "team"], CHECKING,
     r"gex_RMA_PutBlocking: the local address .*memory of a device.*gex_TM_Pair", False),
    (["transfers", "given-up"], {}, r"PE [01] has given up the device memory", False),
    (["transfers", "kind-garbage"], CHECKING, r"gex_MK_QueryClass: .*no kind of memory", False),
    (["transfers", "kind-destroyed"], CHECKING, r"gex_MK_QueryClient: .*destroyed before", False),
    (["transfers", "kind-invalid"], {}, r"gex_MK_QueryFlags: .*GEX_MK_INVALID", False),
    (["transfers", "use"], {"FAKE_CUDA_FAIL": "cuMemcpyAsync:1"},
     r"cuMemcpyAsync for device 0: CUDA_ERROR_|a transfer of device memory", False),
    (["transfers", "use"], CHECKING, None, True),
]
# Without these the owner copies.
DISPENSABLE = ["cuIpcGetMemHandle", "cuIpcOpenMemHandle_v2"]


def main():
    program = oshcc(Path("kinds_failing").resolve(), TESTS / "gpu/kinds_failing.c", "-DGASNET_PAR",
                    "-ldl")
    without_library(program, ["kinds", "no-driver"],
                    r"no device memory: libcuda\.so\.1")
    for arguments, variables, says, goes_on in USES:
        one(program, arguments, variables, says, goes_on)
    for call in DISPENSABLE:
        for options in ((), NODES):
            one(program, ["transfers", "use"], {"FAKE_CUDA_FAIL": f"{call}:1"}, None, True, options)
    one(program, ["transfers", "put-beyond"], {}, r"it ends 1 bytes beyond", False, NODES)
    one(program, ["transfers", "given-up"], {}, r"has it given up that memory", False, NODES)
    finish()


if __name__ == "__main__":
    main()
