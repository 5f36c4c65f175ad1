// SPDX-License-Identifier: BSD-3-Clause
//
// shmem_TYPE_p and shmem_ctx_TYPE_p on x86-64: one function for each size, under the names of all
// types of that size. The code and the reason that it is assembly are in
// core/rma/put_scalar_x86_64.h. rma.c has the same for other processors, and long double for
// all.
#if defined(__x86_64__) && defined(__LP64__)
#include "core/rma/put_scalar_x86_64.h"

// clang-format off
        .text
        .hidden shm_put_1, shm_put_2, shm_put_4, shm_put_8, shm_put_float, shm_put_double
        cw_define_put shm_put_1, 1, sil
        cw_define_put shm_put_2, 2, si
        cw_define_put shm_put_4, 4, esi
        cw_define_put shm_put_8, 8, rsi
        cw_define_put_fp shm_put_float, 4, esi, movq
        cw_define_put_fp shm_put_double, 8, rsi, movq

        .hidden shm_ctx_put_1, shm_ctx_put_2, shm_ctx_put_4, shm_ctx_put_8
        .hidden shm_ctx_put_float, shm_ctx_put_double
        cw_define_ctx_put shm_ctx_put_1, 1, dl, shm_put_1
        cw_define_ctx_put shm_ctx_put_2, 2, dx, shm_put_2
        cw_define_ctx_put shm_ctx_put_4, 4, edx, shm_put_4
        cw_define_ctx_put shm_ctx_put_8, 8, rdx, shm_put_8
        cw_define_ctx_put_fp shm_ctx_put_float, 4, edx, movq, shm_put_float
        cw_define_ctx_put_fp shm_ctx_put_double, 8, rdx, movq, shm_put_double

/* The names of one type. */
.macro names type, function
        cw_put_name shmem_\type\()_p, shm_put_\function
        cw_put_name shmem_ctx_\type\()_p, shm_ctx_put_\function
.endm
        names char, 1
        names schar, 1
        names uchar, 1
        names int8, 1
        names uint8, 1
        names short, 2
        names ushort, 2
        names int16, 2
        names uint16, 2
        names int, 4
        names uint, 4
        names int32, 4
        names uint32, 4
        names long, 8
        names ulong, 8
        names longlong, 8
        names ulonglong, 8
        names int64, 8
        names uint64, 8
        names size, 8
        names ptrdiff, 8
        names float, float
        names double, double
#endif
        .section .note.GNU-stack, "", @progbits
