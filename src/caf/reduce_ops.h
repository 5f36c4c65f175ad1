// SPDX-License-Identifier: BSD-3-Clause
//
// Sum, minimum and maximum of elements, by type and kind.
#ifndef CAF_REDUCE_OPS_H
#define CAF_REDUCE_OPS_H

#include "caf/section.h"

typedef enum caf_reduce { CAF_SUM, CAF_MIN, CAF_MAX } caf_reduce_t;

/** NULL: there is no such operation on that type. Of characters, elem_nbytes is kept for the
 *  function until the next call. */
cw_reduce_fn caf_reduce_fn(caf_reduce_t op, int type, int kind, size_t elem_nbytes);
/** By real and by long: integers and reals of 4 and 8 bytes. */
extern const cw_reduce_fn caf_reduce_numbers[CAF_MAX + 1][2][2] CW_HIDDEN;
/** The same for these; NULL: it is none of them. */
static CW_ALWAYS_INLINE cw_reduce_fn caf_reduce_number(caf_reduce_t op, int type,
                                                       size_t elem_nbytes)
{
    const bool is_real = type == CAF_REAL, is_long = elem_nbytes == 8;
    if (CW_UNLIKELY(!is_real && type != CAF_INTEGER) || (!is_long && elem_nbytes != 4))
        return NULL;
    return caf_reduce_numbers[op][is_real][is_long];
}
/** The kind of elements where only their bytes are known. Fatal where these do not say it. */
int caf_kind_of(const char *call, int type, size_t elem_nbytes, int text_length);

#endif
