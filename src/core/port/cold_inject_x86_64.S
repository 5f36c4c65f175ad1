// SPDX-License-Identifier: BSD-3-Clause
//
// The cold targets' injects as the scalar put reaches them (core/rma/put_scalar_x86_64.h): the PE,
// and the context where there is one, go where the arguments are that a cold target has no use for.
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

        .p2align 4
        .globl  cw_ctx_cold_inject_thunk
        .hidden cw_ctx_cold_inject_thunk
        .type   cw_ctx_cold_inject_thunk, @function
cw_ctx_cold_inject_thunk:
        .cfi_startproc
        mov     16(%rsp), %r9           // behind the return address and the value: rank | word |
                                        // address | context
        mov     40(%rsp), %rcx
        jmp     cw_ctx_cold_inject
        .cfi_endproc
        .size   cw_ctx_cold_inject_thunk, .-cw_ctx_cold_inject_thunk
        .section .note.GNU-stack, "", @progbits
