// SPDX-License-Identifier: BSD-3-Clause
//
// Data types. Threads: any; making a type allocates it.
#ifndef DRT_TYPE_H
#define DRT_TYPE_H

#include "dart/drt.h"

/** Bytes of an element of the types below DART_TYPE_LAST; 0: none. */
extern const uint8_t drt_basic_nbytes[] CW_HIDDEN;

static CW_ALWAYS_INLINE bool drt_is_basic(dart_datatype_t type)
{
    return (uintptr_t)type - 1 < (uintptr_t)DART_TYPE_LAST - 1;
}

/** Bytes of nelem elements that lie behind each other. False: the type has gaps, or is none, or
 *  there is no such number of bytes. */
bool drt_nbytes(size_t nelem, dart_datatype_t type, size_t *nbytes_p);
/** Where that is false: the code, with its message. */
dart_ret_t drt_refuse_size(const char *call, size_t nelem, dart_datatype_t type) CW_COLD;

#endif
