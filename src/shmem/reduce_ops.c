// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction kernels. Integer sums and products wrap: they are computed on unsigned words of the
// type's size, where overflow is defined (the bits are those of two's complement). The loops are
// plain so that the compiler vectorizes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // at -O2 gcc vectorises no loop of a length that it does not know
#endif

#include "shmem/reduce_ops.h"

#define KERNEL(OP, N, T, EXPR)                                                       \
    void SHM_KERNEL(OP, N)(void *acc, const void *in, size_t nelems)                 \
    {                                                                                \
        T *restrict a = acc;                                                         \
        const T *restrict b = in;                                                    \
        for (size_t i = 0; i < nelems; i++)                                          \
            a[i] = (EXPR);                                                           \
    }

#define BITWISE(N, T) \
    KERNEL(and, N, T, a[i] & b[i]) KERNEL(or, N, T, a[i] | b[i]) KERNEL(xor, N, T, a[i] ^ b[i])
#define ORDER(N, T) \
    KERNEL(max, N, T, b[i] > a[i] ? b[i] : a[i]) KERNEL(min, N, T, b[i] < a[i] ? b[i] : a[i])
#define ARITH(N, T) KERNEL(sum, N, T, a[i] + b[i]) KERNEL(prod, N, T, a[i] * b[i])

// At least 32 bits, so that no operand is promoted to a signed int on the way.
#define WIDE(T) \
    __typeof__(_Generic((char (*)[sizeof(T)])0, char (*)[8]: (uint64_t)0, default: (uint32_t)0))
#define WRAPPING(N, T)                                                               \
    KERNEL(sum, N, T, (T)((WIDE(T))a[i] + (WIDE(T))b[i]))                            \
    KERNEL(prod, N, T, (T)((WIDE(T))a[i] * (WIDE(T))b[i]))

SHM_TYPES_REDUCE_BITWISE(BITWISE)
BITWISE(short, short)
BITWISE(int, int)
BITWISE(long, long)
BITWISE(longlong, long long)
SHM_TYPES_REDUCE_ORDER(ORDER)

#define INTEGERS(X)                                                                                \
    X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long)                  \
    X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)     \
    X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t)  \
    X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
INTEGERS(WRAPPING)
ARITH(float, float)
ARITH(double, double)
ARITH(longdouble, long double)
ARITH(complexf, causeway_complexf_t)
ARITH(complexd, causeway_complexd_t)
