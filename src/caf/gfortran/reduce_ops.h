// SPDX-License-Identifier: BSD-3-Clause
//
// Sum, minimum and maximum of elements, by type and kind.
#ifndef GFT_REDUCE_OPS_H
#define GFT_REDUCE_OPS_H

#include "caf/gfortran/gft.h"

typedef enum gft_reduce { GFT_SUM, GFT_MIN, GFT_MAX } gft_reduce_t;

/** NULL: there is no such operation on that type. Of characters, elem_nbytes is kept for the
 *  function until the next call. */
cw_reduce_fn gft_reduce_fn(gft_reduce_t op, int type, int kind, size_t elem_nbytes);

typedef void *gft_operation_fn(void *, void *);
/** The program's function of CO_REDUCE, until the next call; flags: how it is called. Fatal where
 *  the compiler does not say how. (user_op.c) */
cw_reduce_fn gft_user_fn(gft_operation_fn *operation, int flags, int type, int kind,
                         size_t elem_nbytes);

#endif
