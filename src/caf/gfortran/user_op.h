// SPDX-License-Identifier: BSD-3-Clause
//
// The program's function of CO_REDUCE, as gfortran passes it.
#ifndef GFT_USER_OP_H
#define GFT_USER_OP_H

#include "caf/gfortran/gft.h"

typedef void *gft_operation_fn(void *, void *);
/** The program's function of CO_REDUCE, until the next call; flags: how it is called. Fatal where
 *  the compiler does not say how. (user_op.c) */
cw_reduce_fn gft_user_fn(gft_operation_fn *operation, int flags, int type, int kind,
                         size_t elem_nbytes);

#endif
