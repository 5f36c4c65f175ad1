// SPDX-License-Identifier: BSD-3-Clause
//
// shmem_TYPE_p on x86-64: one function for each size, under the names of all types of that size. The code and the
// reason that it is assembly are in core/put_scalar_x86_64.h. rma_put.c has the same for other processors, and
// long double and the context forms for all.
#if defined(__x86_64__) && defined(__LP64__)
#include "core/put_scalar_x86_64.h"

// clang-format off
        .text
        .hidden shm_put_1, shm_put_2, shm_put_4, shm_put_8, shm_put_float, shm_put_double
        cw_define_put shm_put_1, 1, sil
        cw_define_put shm_put_2, 2, si
        cw_define_put shm_put_4, 4, esi
        cw_define_put shm_put_8, 8, rsi
        cw_define_put_fp shm_put_float, 4, esi, movq
        cw_define_put_fp shm_put_double, 8, rsi, movq

        cw_put_name shmem_char_p, shm_put_1
        cw_put_name shmem_schar_p, shm_put_1
        cw_put_name shmem_uchar_p, shm_put_1
        cw_put_name shmem_int8_p, shm_put_1
        cw_put_name shmem_uint8_p, shm_put_1
        cw_put_name shmem_short_p, shm_put_2
        cw_put_name shmem_ushort_p, shm_put_2
        cw_put_name shmem_int16_p, shm_put_2
        cw_put_name shmem_uint16_p, shm_put_2
        cw_put_name shmem_int_p, shm_put_4
        cw_put_name shmem_uint_p, shm_put_4
        cw_put_name shmem_int32_p, shm_put_4
        cw_put_name shmem_uint32_p, shm_put_4
        cw_put_name shmem_long_p, shm_put_8
        cw_put_name shmem_ulong_p, shm_put_8
        cw_put_name shmem_longlong_p, shm_put_8
        cw_put_name shmem_ulonglong_p, shm_put_8
        cw_put_name shmem_int64_p, shm_put_8
        cw_put_name shmem_uint64_p, shm_put_8
        cw_put_name shmem_size_p, shm_put_8
        cw_put_name shmem_ptrdiff_p, shm_put_8
        cw_put_name shmem_float_p, shm_put_float
        cw_put_name shmem_double_p, shm_put_double
#endif
        .section .note.GNU-stack, "", @progbits
