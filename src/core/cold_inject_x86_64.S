// SPDX-License-Identifier: BSD-3-Clause
//
// The cold target's inject as the scalar put reaches it: the PE waits in r10 and goes where the key would be.
// clang-format off
        .text
        .p2align 4
        .globl  cw_cold_inject_thunk
        .hidden cw_cold_inject_thunk
        .type   cw_cold_inject_thunk, @function
cw_cold_inject_thunk:
        .cfi_startproc
        mov     %r10, %r9
        jmp     cw_cold_inject
        .cfi_endproc
        .size   cw_cold_inject_thunk, .-cw_cold_inject_thunk
        .section .note.GNU-stack, "", @progbits
