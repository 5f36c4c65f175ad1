// SPDX-License-Identifier: BSD-3-Clause
//
// libcaf_causeway16: the names by which gfortran 16 calls what versions before it call with other
// arguments. It stands before libcauseway, which has these names for those versions.
#include "caf/gfortran/gcc16.h"

#define GFT_16(type, name, parameters, arguments)       \
    GFT_16_API type _gfortran_caf_##name parameters;    \
    type _gfortran_caf_##name parameters                \
    {                                                   \
        return causeway_caf16_##name arguments;         \
    }
#define GFT_16_VOID(name, parameters, arguments)        \
    GFT_16_API void _gfortran_caf_##name parameters;    \
    void _gfortran_caf_##name parameters                \
    {                                                   \
        causeway_caf16_##name arguments;                \
    }
#include "caf/gfortran/gcc16.def"
