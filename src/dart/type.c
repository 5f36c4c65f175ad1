// SPDX-License-Identifier: BSD-3-Clause
//
// Data types.
#include "dart/type.h"

const uint8_t drt_basic_nbytes[] = {
    [DART_TYPE_BYTE] = 1,
    [DART_TYPE_SHORT] = sizeof(short),
    [DART_TYPE_INT] = sizeof(int),
    [DART_TYPE_UINT] = sizeof(unsigned),
    [DART_TYPE_LONG] = sizeof(long),
    [DART_TYPE_ULONG] = sizeof(unsigned long),
    [DART_TYPE_LONGLONG] = sizeof(long long),
    [DART_TYPE_ULONGLONG] = sizeof(unsigned long long),
    [DART_TYPE_FLOAT] = sizeof(float),
    [DART_TYPE_DOUBLE] = sizeof(double),
    [DART_TYPE_LONG_DOUBLE] = sizeof(long double),
};

bool drt_nbytes(size_t nelem, dart_datatype_t type, size_t *nbytes_p)
{
    size_t each = drt_is_basic(type) ? drt_basic_nbytes[type] : 0;
    return each && !__builtin_mul_overflow(nelem, each, nbytes_p);
}

dart_ret_t drt_refuse_size(const char *call, size_t nelem, dart_datatype_t type)
{
    size_t nbytes;
    if (!drt_nbytes(1, type, &nbytes))
        return drt_refuse(call, DART_ERR_INVAL, "type %lld is no contiguous type", (long long)type);
    return drt_refuse(call, DART_ERR_INVAL, "%zu elements of %zu bytes are too many", nelem,
                      nbytes);
}
