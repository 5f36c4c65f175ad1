// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of each (operation, type) pair: acc[i] = acc[i] op in[i].
#ifndef SHM_REDUCE_OPS_H
#define SHM_REDUCE_OPS_H

#include "shmem/shm.h"

#define SHM_KERNEL(OP, N) shm_##OP##_##N

#define SHM_DECLARE_KERNEL(OP, N) void SHM_KERNEL(OP, N)(void *acc, const void *in, size_t nelems);
#define SHM_DECLARE_BITWISE(N, T) \
    SHM_DECLARE_KERNEL(and, N) SHM_DECLARE_KERNEL(or, N) SHM_DECLARE_KERNEL(xor, N)
#define SHM_DECLARE_ORDER(N, T) SHM_DECLARE_KERNEL(max, N) SHM_DECLARE_KERNEL(min, N)
#define SHM_DECLARE_ARITH(N, T) SHM_DECLARE_KERNEL(sum, N) SHM_DECLARE_KERNEL(prod, N)
SHM_TYPES_REDUCE_BITWISE(SHM_DECLARE_BITWISE)
SHM_TYPES_TO_ALL_BITWISE(SHM_DECLARE_BITWISE)
SHM_TYPES_REDUCE_ORDER(SHM_DECLARE_ORDER)
SHM_TYPES_REDUCE_ARITH(SHM_DECLARE_ARITH)

#endif
