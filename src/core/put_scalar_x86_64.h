// SPDX-License-Identifier: BSD-3-Clause
//
// The scalar put for x86-64, in assembly because no compiler merges "make a frame, store the value, take its
// address" into the one push that does all three: 10 instructions to a PE of this node, 16 up to and including the
// call of the provider's inject. Used by one .S file, which gives each size its public names (all typed functions
// of a size are one function). Everything else about the operation is C: core/rma.h says what the code does, step
// by step; core/rma.c asserts the offsets below.
//
//   in: rdi symmetric address, rsi (or xmm0) value, edx (or esi) pe
//   kept for the cold target's inject: r10 = pe (cw_cold_inject_thunk moves it where the key would be)
#define HOT_PEER 0
#define HOT_NODE 8
#define HOT_LAST 16
#define HOT_ROOM 32
#define T_INJECT 0
#define T_EP 8
#define T_FABRIC_ADDR 16
#define T_BASE 24
#define T_KEY 32
#define T_LAST 40

// clang-format off
.macro cw_put_scalar nbytes, store:vararg
        mov     cw_hot+HOT_PEER(%rip), %rax
        mov     (%rax,%r10,8), %rax
        test    $1, %al
        jne     1f
        \store
        mov     cw_hot+HOT_NODE(%rip), %rax
        cmpl    $0, (%rax)                      // somebody of this node sleeps?
        jne     2f
        ret
1:      mov     %rax, cw_hot+HOT_LAST(%rip)     // rax = target + 1
        mov     %rdi, T_LAST-1(%rax)
        push    %rsi
        .cfi_adjust_cfa_offset 8
        add     T_BASE-1(%rax), %rdi
        mov     %rdi, %r8
        mov     T_KEY-1(%rax), %r9
        mov     T_FABRIC_ADDR-1(%rax), %rcx
        mov     T_EP-1(%rax), %rdi
        mov     %rsp, %rsi
        mov     $\nbytes, %edx
        call    *T_INJECT-1(%rax)
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        test    %rax, %rax
        jne     3f
        decl    cw_hot+HOT_ROOM(%rip)
        js      4f
        ret
2:      mov     %r10d, %edi
        jmp     cw_wake
3:      mov     $\nbytes, %esi
        jmp     cw_put_scalar_retry
4:      jmp     cw_put_scalar_drain
.endm

/* Defines the function `name` for integers of nbytes whose register is reg. */
.macro cw_define_put name, nbytes, reg
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        movslq  %edx, %r10
        cw_put_scalar \nbytes, mov %\reg, (%rdi,%rax)
        .cfi_endproc
        .size   \name, .-\name
.endm

/* The same for float and double: the value comes in xmm0 and the PE one register earlier. */
.macro cw_define_put_fp name, nbytes, reg, move
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        movslq  %esi, %r10
        \move   %xmm0, %rsi
        cw_put_scalar \nbytes, mov %\reg, (%rdi,%rax)
        .cfi_endproc
        .size   \name, .-\name
.endm

/* A further public name of a function defined above, and its profiling twin. */
.macro cw_put_name name, function
        .globl  p\name
        .type   p\name, @function
        .set    p\name, \function
        .weak   \name
        .type   \name, @function
        .set    \name, \function
.endm
                             // clang-format on
