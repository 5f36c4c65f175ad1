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
/** The kind of elements where only their bytes are known. Fatal where these do not say it. */
int caf_kind_of(const char *call, int type, size_t elem_nbytes, int text_length);

#endif
