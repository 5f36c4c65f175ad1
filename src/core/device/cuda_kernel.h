// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel by which processors' calls do atomics on a device, as text for the driver (PTX, sm_60
// and later): one thread, one atomic at system scope.
//
//     causeway_atomic(at, cell, kind, operand, compare)    kind: 2 * cw_amo_op_t + (8 bytes?)
#ifndef CW_CORE_DEVICE_CUDA_KERNEL_H
#define CW_CORE_DEVICE_CUDA_KERNEL_H

#define CUDA_ATOMIC_NAME "causeway_atomic"

// One kind: %x0 becomes the old value.
#define CUDA_ATOMIC_IF(kind, code) \
    "setp.ne.u32 %p, %k, " #kind ";\n@%p bra NOT" #kind ";\n" code "bra DONE;\nNOT" #kind ":\n"
#define CUDA_ATOMIC_4(op) "atom.sys." op "32 %w0, [%x3], %w1;\ncvt.u64.u32 %x0, %w0;\n"
#define CUDA_ATOMIC_8(op) "atom.sys." op "64 %x0, [%x3], %x1;\n"

static const char cuda_atomic_ptx[] =
    ".version 5.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry " CUDA_ATOMIC_NAME
    "(.param .u64 at, .param .u64 cell, .param .u32 kind, .param .u64 operand, "
    ".param .u64 compare)\n{\n"
    ".reg .pred %p;\n.reg .b32 %k, %w<3>;\n.reg .b64 %x<5>;\n"
    "ld.param.u64 %x3, [at];\nld.param.u64 %x4, [cell];\nld.param.u32 %k, [kind];\n"
    "ld.param.u64 %x1, [operand];\nld.param.u64 %x2, [compare];\n"
    "cvt.u32.u64 %w1, %x1;\ncvt.u32.u64 %w2, %x2;\n"
    "mov.u64 %x0, 0;\nmembar.sys;\n"
    // clang-format off
    CUDA_ATOMIC_IF(2, CUDA_ATOMIC_4("exch.b"))
    CUDA_ATOMIC_IF(3, CUDA_ATOMIC_8("exch.b"))
    CUDA_ATOMIC_IF(4, CUDA_ATOMIC_4("add.u"))
    CUDA_ATOMIC_IF(5, CUDA_ATOMIC_8("add.u"))
    CUDA_ATOMIC_IF(6, CUDA_ATOMIC_4("and.b"))
    CUDA_ATOMIC_IF(7, CUDA_ATOMIC_8("and.b"))
    CUDA_ATOMIC_IF(8, CUDA_ATOMIC_4("or.b"))
    CUDA_ATOMIC_IF(9, CUDA_ATOMIC_8("or.b"))
    CUDA_ATOMIC_IF(10, CUDA_ATOMIC_4("xor.b"))
    CUDA_ATOMIC_IF(11, CUDA_ATOMIC_8("xor.b"))
    CUDA_ATOMIC_IF(12, CUDA_ATOMIC_4("exch.b"))
    CUDA_ATOMIC_IF(13, CUDA_ATOMIC_8("exch.b"))
    CUDA_ATOMIC_IF(14, "atom.sys.cas.b32 %w0, [%x3], %w2, %w1;\ncvt.u64.u32 %x0, %w0;\n")
    CUDA_ATOMIC_IF(15, "atom.sys.cas.b64 %x0, [%x3], %x2, %x1;\n")
    // clang-format on
    "DONE:\nmembar.sys;\nst.volatile.u64 [%x4], %x0;\nmembar.sys;\nret;\n}\n";

#endif
