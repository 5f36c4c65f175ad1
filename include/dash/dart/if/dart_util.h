// SPDX-License-Identifier: BSD-3-Clause
//
// Attributes of DART's declarations.
#ifndef DART_UTIL_H_
#define DART_UTIL_H_

/** The function throws no C++ exception. */
#ifdef __cplusplus
#define DART_NOTHROW __attribute__((__nothrow__))
#else
#define DART_NOTHROW
#endif

/** No warning if it is not used. */
#define DART_MAYBE_UNUSED __attribute__((__unused__))

/** An inline function of a header. */
#define DART_INLINE static inline DART_MAYBE_UNUSED

#endif
