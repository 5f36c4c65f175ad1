// SPDX-License-Identifier: BSD-3-Clause
//
// What the code asks of the compiler beyond C17, in one place.
#ifndef CWU_COMPILER_H
#define CWU_COMPILER_H

#define CW_LIKELY(x) __builtin_expect(!!(x), 1)
#define CW_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
