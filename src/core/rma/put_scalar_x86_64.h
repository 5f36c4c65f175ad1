// SPDX-License-Identifier: BSD-3-Clause
//
// The scalar put for x86-64: no compiler merges "make a frame, store the value, take its address"
// into one push (docs/design/peer-words.md). One .S file gives each size its public names.
// core/rma/rma.h has the C; core/rma/rma.c asserts the offsets.
//
// What a retry or the marks need after the call is on the stack: other threads may put to the same
// PE. The odd number of pushes aligns the stack.
//
//   default context   in: rdi symmetric address, rsi (or xmm0) value, edx (or esi) pe
//                     stack at the call: value | peer word | address
//                     kept for the cold inject: r10 = pe
//   other contexts    in: rdi context, rsi symmetric address, rdx (or xmm0) value,
//                         ecx (or edx) rank
//                     stack at the call: value | rank | peer word | address | context
//                     (the cold inject reads it)
#define CTX_PEER 0
#define CTX_NODE 8
#define CTX_SIZE 48
#define CTX_LAST 64
#define CTX_ROOM 72
#define T_INJECT 0
#define T_EP 8
#define T_FABRIC_ADDR 16
#define T_BASE 24
#define T_KEY 32
#define T_LAST 40
#define GUARDED_ENTRIES 63

// clang-format off
/* rax = target + 1, r8 = symmetric address, rsp = the value: calls the provider. */
.macro cw_inject nbytes
        add     T_BASE-1(%rax), %r8
        mov     T_KEY-1(%rax), %r9
        mov     T_FABRIC_ADDR-1(%rax), %rcx
        mov     T_EP-1(%rax), %rdi
        mov     %rsp, %rsi
        mov     $\nbytes, %edx
        call    *T_INJECT-1(%rax)
.endm

.macro cw_put_scalar nbytes, store:vararg
        mov     cw_guarded(%rip), %rax          // its `peer`
        add     GUARDED_ENTRIES(%rax,%r10,8), %rax
        test    $1, %al
        jne     1f
        \store
        mov     cw_ctx_default+CTX_NODE(%rip), %rax
        cmpl    $0, (%rax)                      // does a PE of this node sleep?
        jne     2f
        ret
1:      push    %rdi
        push    %rax
        push    %rsi
        .cfi_adjust_cfa_offset 24
        mov     %rdi, %r8
        cw_inject \nbytes
        pop     %rsi
        pop     %rcx
        pop     %rdi
        .cfi_adjust_cfa_offset -24
        mov     %rcx, T_LAST-1(%rcx)
        mov     %rcx, cw_ctx_default+CTX_LAST(%rip)
        test    %rax, %rax
        jne     3f
        decl    cw_ctx_default+CTX_ROOM(%rip)
        js      4f
        ret
2:      mov     %r10d, %edi
        jmp     cw_wake
3:      mov     $\nbytes, %edx
        lea     cw_ctx_default(%rip), %r8
        jmp     cw_put_scalar_retry
4:      lea     cw_ctx_default(%rip), %rdi
        jmp     cw_put_scalar_drain
.endm

.macro cw_ctx_put_scalar nbytes, store:vararg
        cmp     CTX_SIZE(%rdi), %r10d
        jae     5f
        mov     CTX_PEER(%rdi), %rax
        mov     (%rax,%r10,8), %rax
        test    $1, %al
        jne     1f
        \store
        mov     CTX_NODE(%rdi), %rax
        cmpl    $0, (%rax)
        jne     2f
        ret
1:      push    %rdi
        push    %rsi
        push    %rax
        push    %r10
        push    %rdx
        .cfi_adjust_cfa_offset 40
        mov     %rsi, %r8
        cw_inject \nbytes
        pop     %rsi
        pop     %r10
        pop     %rcx
        pop     %rdi
        pop     %r8
        .cfi_adjust_cfa_offset -40
        mov     %rcx, T_LAST-1(%rcx)
        mov     %rcx, CTX_LAST(%r8)
        test    %rax, %rax
        jne     3f
        decl    CTX_ROOM(%r8)
        js      4f
        ret
2:      mov     %r10d, %esi
        jmp     cw_ctx_wake
3:      mov     $\nbytes, %edx
        jmp     cw_put_scalar_retry
4:      mov     %r8, %rdi
        jmp     cw_put_scalar_drain
5:      mov     $\nbytes, %ecx
        mov     %r10d, %r8d
        jmp     cw_put_scalar_cold
.endm

.macro cw_function name
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
.endm

.macro cw_end name
        .cfi_endproc
        .size   \name, .-\name
.endm

/* Defines the function `name` for integers of nbytes: the value in register `reg`. */
.macro cw_define_put name, nbytes, reg
        cw_function \name
        mov     %edx, %r10d
        cw_put_scalar \nbytes, mov %\reg, (%rdi,%rax)
        cw_end \name
.endm

/* For float and double: the value is in xmm0, the PE one register earlier. */
.macro cw_define_put_fp name, nbytes, reg, move
        cw_function \name
        mov     %esi, %r10d
        \move   %xmm0, %rsi
        cw_put_scalar \nbytes, mov %\reg, (%rdi,%rax)
        cw_end \name
.endm

/* On a context: handle 1 is the default one, whose function is `plain`; 0 is none. */
.macro cw_define_ctx_put name, nbytes, reg, plain
        cw_function \name
        cmp     $1, %rdi
        jbe     9f
8:      movslq  %ecx, %r10
        cw_ctx_put_scalar \nbytes, mov %\reg, (%rsi,%rax)
9:      lea     cw_ctx_none(%rip), %rdi
        jb      8b
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %ecx, %edx
        jmp     \plain
        cw_end \name
.endm

.macro cw_define_ctx_put_fp name, nbytes, reg, move, plain
        cw_function \name
        cmp     $1, %rdi
        jbe     9f
8:      movslq  %edx, %r10
        \move   %xmm0, %rdx
        cw_ctx_put_scalar \nbytes, mov %\reg, (%rsi,%rax)
9:      lea     cw_ctx_none(%rip), %rdi
        jb      8b
        mov     %rsi, %rdi
        mov     %edx, %esi
        jmp     \plain
        cw_end \name
.endm

/* Another public name, and its profiling name. */
.macro cw_put_name name, function
        .globl  p\name
        .type   p\name, @function
        .set    p\name, \function
        .weak   \name
        .type   \name, @function
        .set    \name, \function
.endm
                             // clang-format on
